"""The statements of a module to the names that they bind."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from rolebook.record import replace
from rolebook.syntax.python.definitions import DEEPEST, Place, assigned, definitions, docstring, headers
from rolebook.syntax.python.expressions import expression
from rolebook.syntax.python.literals import string
from rolebook.syntax.python.nodes import Assignment, Binding, Class, Function, Import, Module
from rolebook.syntax.python.recover import statements
from rolebook.syntax.python.tree import Tree, TsNode, parse

_BLOCKS = frozenset({"if_statement", "try_statement", "with_statement", "for_statement", "while_statement"})


def parse_module(source: str) -> Module:
    """Reads a module from its source, whatever that is. It never raises, and runs none of it."""
    whole = parse(source)
    found = list(statements(source, whole))
    place = Place(constants=_constants(found))
    made = [binding for tree, node in found for binding in _bindings(tree, node, place)]
    by_path: dict[str, tuple[Binding, ...]] = {}
    for binding in made:
        if not isinstance(binding, Import) or binding.name != "*":
            by_path[binding.path] = (*by_path.get(binding.path, ()), binding)
    return Module(
        docstring(whole, whole.root),
        tuple(binding for binding in made if isinstance(binding, Function)),
        tuple(binding for binding in made if isinstance(binding, Class)),
        tuple(binding for binding in made if isinstance(binding, Assignment)),
        tuple(binding for binding in made if isinstance(binding, Import)),
        by_path,
        whole.root.has_error,
    )


def _constants(found: Iterable[tuple[Tree, TsNode]]) -> dict[str, str]:
    """The names that the module gives one string, and nothing else at its margin."""
    values: dict[str, str | None] = {}
    for tree, node in found:
        if node.type != "expression_statement":
            continue
        for each in assigned(tree, node):
            right = node.named_children[0].child_by_field_name("right")
            text = string(tree, right) if right is not None else None
            values[each.name] = text if each.name not in values else None
    return {name: text for name, text in values.items() if text is not None}


def _bindings(tree: Tree, node: TsNode, place: Place) -> Iterator[Binding]:
    match node.type:
        case "function_definition" | "class_definition" | "decorated_definition":
            yield from definitions(tree, node, place)
        case "module" | "ERROR":
            yield from headers(tree, node, place)
        case "expression_statement":
            for each in assigned(tree, node):
                span = tree.span(node)
                yield Assignment(each.name, each.span, span, each.annotation, each.value, *place.flags)
        case "type_alias_statement":
            yield from _alias(tree, node, place)
        case "import_statement":
            yield from _imports(tree, node, place, "", None)
        case "future_import_statement":
            yield from _imports(tree, node, place, "__future__", 0)
        case "import_from_statement":
            yield from _imports_from(tree, node, place)
        case kind if kind in _BLOCKS and place.depth <= DEEPEST:
            yield from _block(tree, node, place)


def _alias(tree: Tree, node: TsNode, place: Place) -> Iterator[Assignment]:
    """`type X = …`; a generic one has no value, since it means another thing in each place."""
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    name = left.named_children[0] if left is not None and left.named_child_count == 1 else None
    if name is None or right is None:
        return
    if name.type == "identifier":
        yield Assignment(
            tree.name(name), tree.span(name), tree.span(node), None, expression(tree, right), place.conditional
        )
    elif name.type == "generic_type" and (owner := name.named_children[0]).type == "identifier":
        yield Assignment(tree.name(owner), tree.span(owner), tree.span(node), None, None, *place.flags)


def _imports_from(tree: Tree, node: TsNode, place: Place) -> Iterator[Import]:
    source = node.child_by_field_name("module_name")
    if source is None:
        return
    text = "".join(tree.text(source).split())
    module = text.lstrip(".")
    level = len(text) - len(module)
    if any(child.type == "wildcard_import" for child in node.named_children):
        yield Import(tree.span(node), module, "*", None, level, place.conditional, place.typing_only)
    yield from _imports(tree, node, place, module, level)


def _imports(tree: Tree, node: TsNode, place: Place, module: str, level: int | None) -> Iterator[Import]:
    """The imports of one statement; `level` is None for `import a.b`."""
    for child in node.children_by_field_name("name"):
        alias = child.child_by_field_name("alias") if child.type == "aliased_import" else None
        named = child.child_by_field_name("name") if child.type == "aliased_import" else child
        if named is None or named.has_error:
            continue
        name = "".join(tree.name(named).split())
        bound = tree.name(alias) if alias is not None else None
        span = tree.span(child)
        if level is None:
            yield Import(span, name, None, bound, 0, *place.flags)
        else:
            yield Import(span, module, name, bound, level, *place.flags)


def _block(tree: Tree, node: TsNode, place: Place) -> Iterator[Binding]:
    """What the blocks of a compound statement bind. Names under `if TYPE_CHECKING:` don't exist at run time."""
    condition = node.child_by_field_name("condition") if node.type == "if_statement" else None
    typing_only = condition is not None and tree.text(condition).split(".")[-1] == "TYPE_CHECKING"
    for child in node.named_children:
        first = typing_only and child == node.child_by_field_name("consequence")
        inside = replace(place, conditional=True, typing_only=place.typing_only or first, depth=place.depth + 1)
        for block in (child, *child.named_children):
            if block.type == "block":
                for statement in block.named_children:
                    yield from _bindings(tree, statement, inside)
