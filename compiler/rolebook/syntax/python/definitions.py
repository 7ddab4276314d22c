"""Functions and classes: what their headers declare, their docstrings, and the fields of class bodies."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from rolebook.record import Record, field, replace
from rolebook.syntax.python.expressions import expression, source_of
from rolebook.syntax.python.literals import string
from rolebook.syntax.python.nodes import Call, Class, ClassField, Expression, Function, Keyword, Parameter
from rolebook.syntax.python.parameters import parameters
from rolebook.syntax.python.state import escalates, helpers, state_writes
from rolebook.syntax.python.tree import Tree, TsNode, descendants, identifiers
from rolebook.text import Span

DEEPEST = 30
"""Blocks in blocks and classes in classes that are read; no source exhausts the stack."""

_HEADER = re.compile(r"(?:[ \t]*+@[^\r\n]*+\s++)*+[ \t]*+(?P<kind>def|async[ \t]+def|class)[ \t]+(?P<name>[^\W\d]\w*)")
_SCOPES = ("function_definition", "class_definition", "lambda")
_HARMLESS = ("expression_statement", "pass_statement", "import_statement", "import_from_statement", "comment")


class Place(Record):
    """Where a statement stands. `constants` are the strings that the module names."""

    path: str = ""
    conditional: bool = False
    typing_only: bool = False
    depth: int = 0
    constants: Mapping[str, str] = field(default_factory=dict)

    @property
    def flags(self) -> tuple[bool, bool]:
        """`conditional` and `typing_only` of what is bound here."""
        return (self.conditional, self.typing_only)

    def join(self, name: str) -> str:
        return f"{self.path}.{name}" if self.path else name


def definitions(tree: Tree, node: TsNode, place: Place) -> Iterator[Function | Class]:
    """The function or class of a statement, if it is one; a class comes before its methods and the classes in it."""
    decorators: tuple[Expression, ...] = ()
    outer = node
    if node.type == "decorated_definition":
        decorators = tuple(_decorator(tree, child) for child in node.named_children if child.type == "decorator")
        inner = node.child_by_field_name("definition")
        if inner is None:
            return
        node = inner
    if node.type == "function_definition":
        yield from _function(tree, node, outer, decorators, place)
    elif node.type == "class_definition" and place.depth <= DEEPEST:
        yield from _class(tree, node, outer, decorators, place)


def headers(tree: Tree, node: TsNode, place: Place) -> Iterator[Function | Class]:
    """The definition that the text of a node begins with, of which no more is known than its name."""
    start = tree.span(node).start
    match = _HEADER.match(tree.text(node))
    if match is None:
        return
    path, name = place.join(match["name"]), Span(*match.span("name")).shift(start)
    if match["kind"] == "class":
        yield Class(path, name, tree.span(node), complete=False)
    else:
        yield Function(path, name, tree.span(node), (), is_async=match["kind"] != "def", complete=False)


def docstring(tree: Tree, body: TsNode | None) -> str | None:
    """The string that a block or a module begins with, decoded but not cleaned."""
    first = (
        next((child for child in body.named_children if child.type != "comment"), None) if body is not None else None
    )
    if first is None or first.type != "expression_statement" or first.named_child_count != 1:
        return None
    inner = first.named_children[0]
    while inner.type == "parenthesized_expression" and inner.named_child_count == 1:
        inner = inner.named_children[0]
    return string(tree, inner)


def assigned(tree: Tree, statement: TsNode) -> Iterator[ClassField]:
    """The names that an expression statement assigns or annotates, each with its value where it can be told."""
    node = statement.named_children[0] if statement.named_child_count == 1 else None
    targets: list[TsNode] = []
    annotation: TsNode | None = None
    while node is not None and node.type == "assignment":
        if (left := node.child_by_field_name("left")) is not None:
            targets.append(left)
        annotation = annotation or node.child_by_field_name("type")
        node = node.child_by_field_name("right")
    value = expression(tree, node) if node is not None and targets else None
    for target in targets:
        if target.type == "identifier":
            declared = expression(tree, annotation) if annotation is not None else None
            yield ClassField(tree.name(target), tree.span(target), declared, value)
        elif target.type in ("pattern_list", "tuple_pattern", "list_pattern"):
            for name in identifiers(target):
                yield ClassField(tree.name(name), tree.span(name), None, expression(tree, target))


def _decorator(tree: Tree, node: TsNode) -> Expression:
    inner = [child for child in node.named_children if child.type != "comment"]
    return expression(tree, inner[0] if len(inner) == 1 else node)


def _function(
    tree: Tree, node: TsNode, outer: TsNode, decorators: tuple[Expression, ...], place: Place
) -> Iterator[Function]:
    name, listed = node.child_by_field_name("name"), node.child_by_field_name("parameters")
    body = node.child_by_field_name("body")
    if name is None or name.is_missing or listed is None:
        return
    declared = parameters(tree, listed)
    names = frozenset(each.name for each in declared)
    writes, writes_any = state_writes(tree, body, names, place.constants)
    yield Function(
        place.join(tree.name(name)),
        tree.span(name),
        tree.span(outer),
        declared,
        docstring(tree, body),
        decorators,
        is_async=any(child.type == "async" for child in node.children),
        is_generator=_holds(tree, body, "yield"),
        wraps=_wraps(tree, body),
        returns_argument=_returns_argument(tree, body, declared),
        writes=writes,
        writes_any=writes_any,
        escalates=escalates(tree, body),
        helpers=helpers(tree, body, names),
        type_names=_type_names(tree, node),
        complete=not listed.has_error and not any(child.is_error or child.is_missing for child in node.children),
        conditional=place.conditional,
        typing_only=place.typing_only,
    )


def _type_names(tree: Tree, node: TsNode) -> frozenset[str]:
    declared = node.child_by_field_name("type_parameters")
    if declared is None:
        return frozenset()
    return frozenset(tree.name(child) for child in descendants(declared) if child.type == "identifier")


def _holds(tree: Tree, body: TsNode | None, kind: str) -> bool:
    """Whether a node of this type stands in the body itself, outside of the functions in it."""
    if body is None or kind not in tree.text(body):
        return False
    return any(node.type == kind for node in descendants(body, _SCOPES))


def _wraps(tree: Tree, body: TsNode | None) -> bool:
    if body is None or "wraps" not in tree.text(body):
        return False
    made = (_decorator(tree, node) for node in descendants(body) if node.type == "decorator")
    return any(isinstance(call, Call) and source_of(call.function).split(".")[-1] == "wraps" for call in made)


def _returns_argument(tree: Tree, body: TsNode | None, declared: tuple[Parameter, ...]) -> bool:
    if body is None or not declared:
        return False
    returns = [node for node in descendants(body, _SCOPES) if node.type == "return_statement"]
    return bool(returns) and all(tree.text(node).split() == ["return", declared[0].name] for node in returns)


def _class(
    tree: Tree, node: TsNode, outer: TsNode, decorators: tuple[Expression, ...], place: Place
) -> Iterator[Class | Function]:
    name, body = node.child_by_field_name("name"), node.child_by_field_name("body")
    if name is None or name.is_missing:
        return
    path = place.join(tree.name(name))
    inside = replace(place, path=path, depth=place.depth + 1)
    statements = body.named_children if body is not None else []
    members = [member for statement in statements for member in definitions(tree, statement, inside)]
    bases, keywords, listed = _bases(tree, node.child_by_field_name("superclasses"))
    yield Class(
        path,
        tree.span(name),
        tree.span(outer),
        bases,
        keywords,
        decorators,
        docstring(tree, body),
        tuple(
            each
            for statement in statements
            if statement.type == "expression_statement"
            for each in assigned(tree, statement)
        ),
        tuple(member.name for member in members if member.path == f"{path}.{member.name}"),
        complete=listed and not node.has_error and all(_is_plain(child) for child in statements),
        conditional=place.conditional,
        typing_only=place.typing_only,
    )
    yield from members


def _bases(tree: Tree, listed: TsNode | None) -> tuple[tuple[Expression, ...], tuple[Keyword, ...], bool]:
    """Bases and keywords of a class, and whether that is all (a `*bases` hides some)."""
    bases: list[Expression] = []
    keywords: list[Keyword] = []
    complete = True
    for item in listed.named_children if listed is not None else ():
        name, value = item.child_by_field_name("name"), item.child_by_field_name("value")
        if item.type in ("list_splat", "dictionary_splat"):
            complete = False
        elif item.type == "keyword_argument" and name is not None and value is not None:
            keywords.append(Keyword(tree.name(name), expression(tree, value)))
        elif item.type != "comment":
            bases.append(expression(tree, item))
    return tuple(bases), tuple(keywords), complete


def _is_plain(statement: TsNode) -> bool:
    if statement.type == "expression_statement":
        return all(child.type != "augmented_assignment" for child in statement.named_children)
    return statement.type in _HARMLESS or statement.type.endswith("_definition")
