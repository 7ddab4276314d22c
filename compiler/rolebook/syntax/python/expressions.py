"""Expressions: annotations, default values, decorators, bases and the right sides of assignments."""

from __future__ import annotations

from rolebook.syntax.python.literals import number, string
from rolebook.syntax.python.nodes import (
    Call,
    Collection,
    Constant,
    Dictionary,
    Either,
    Expression,
    Keyword,
    Name,
    Other,
    Subscript,
)
from rolebook.syntax.python.tree import Tree, TsNode, parse

_DEEPEST = 50
"""Brackets in brackets that are followed; deeper ones are `Other`, so that no source exhausts the stack."""

_WORDS = {"true": True, "false": False, "none": None, "ellipsis": ...}


def parse_expression(source: str) -> Expression | None:
    """The expression that `source` is, as in a quoted annotation; None where it is none. Its spans are of no file."""
    tree = parse("(" + source.strip() + "\n)")
    statements = tree.root.named_children
    if tree.root.has_error or len(statements) != 1 or statements[0].type != "expression_statement":
        return None
    children = statements[0].named_children
    if len(children) != 1 or children[0].type not in ("parenthesized_expression", "tuple"):
        return None
    return expression(tree, children[0])


def expression(tree: Tree, node: TsNode, depth: int = 0) -> Expression:
    """The node as an expression; `Other` for everything that has no value of its own here."""
    span = tree.span(node)
    if depth > _DEEPEST or node.has_error:
        return Other(span, tree.line(node))
    made: Expression | None = None
    match node.type:
        case "type" | "parenthesized_expression":
            inner = _items(node)
            return expression(tree, inner[0], depth + 1) if len(inner) == 1 else Other(span, tree.line(node))
        case "identifier":
            return Name(span, tree.name(node))
        case "attribute" | "member_type":
            made = _attribute(tree, node, depth)
        case "true" | "false" | "none" | "ellipsis":
            return Constant(span, _WORDS[node.type])
        case "string" | "concatenated_string":
            text = string(tree, node)
            made = Constant(span, text) if text is not None else None
        case "integer" | "float":
            value = number(tree.text(node))
            made = Constant(span, value) if value is not None else None
        case "unary_operator":
            made = _signed(tree, node, depth)
        case "list" | "tuple" | "set" | "expression_list":
            made = _collection(tree, node, depth)
        case "dictionary":
            made = _dictionary(tree, node, depth)
        case "generic_type" | "subscript":
            made = _subscript(tree, node, depth)
        case "binary_operator" | "union_type":
            made = _either(tree, node, depth)
        case "call":
            made = _call(tree, node, depth)
    return made if made is not None else Other(span, tree.line(node))


def source_of(made: Expression) -> str:
    """The expression as Python source on one line, in our own spelling."""
    match made:
        case Name(dotted=text) | Other(text=text):
            return text
        case Constant(value=value):
            return "..." if value is ... else repr(value)
        case Subscript(base=base, items=items):
            return f"{source_of(base)}[{', '.join(map(source_of, items))}]"
        case Either(left=left, right=right):
            return f"{source_of(left)} | {source_of(right)}"
        case Call(function=function, arguments=arguments, keywords=keywords):
            named = [f"{keyword.name}={source_of(keyword.value)}" for keyword in keywords]
            return f"{source_of(function)}({', '.join([*map(source_of, arguments), *named])})"
        case Dictionary(entries=entries):
            return "{" + ", ".join(f"{source_of(key)}: {source_of(value)}" for key, value in entries) + "}"
        case Collection(kind=kind, items=items):
            inner = ", ".join(map(source_of, items)) + ("," if kind == "tuple" and len(items) == 1 else "")
            return {"list": f"[{inner}]", "tuple": f"({inner})", "set": f"{{{inner}}}"}[kind]


def _attribute(tree: Tree, node: TsNode, depth: int) -> Name | None:
    children = _items(node)
    owner = expression(tree, children[0], depth + 1)
    return Name(tree.span(node), f"{owner.dotted}.{tree.name(children[-1])}") if isinstance(owner, Name) else None


def _signed(tree: Tree, node: TsNode, depth: int) -> Constant | None:
    sign, argument = node.child_by_field_name("operator"), node.child_by_field_name("argument")
    if sign is None or argument is None or sign.type not in ("-", "+"):
        return None
    inner = expression(tree, argument, depth + 1)
    if not isinstance(inner, Constant) or not isinstance(inner.value, int | float) or isinstance(inner.value, bool):
        return None
    return Constant(tree.span(node), -inner.value if sign.type == "-" else inner.value)


def _collection(tree: Tree, node: TsNode, depth: int) -> Collection | None:
    items = _items(node)
    if any(item.type == "list_splat" for item in items):
        return None
    kind = "tuple" if node.type == "expression_list" else node.type
    return Collection(tree.span(node), kind, tuple(expression(tree, item, depth + 1) for item in items))  # type: ignore[arg-type]


def _dictionary(tree: Tree, node: TsNode, depth: int) -> Dictionary | None:
    entries = []
    for pair in _items(node):
        key, value = pair.child_by_field_name("key"), pair.child_by_field_name("value")
        if pair.type != "pair" or key is None or value is None:
            return None
        entries.append((expression(tree, key, depth + 1), expression(tree, value, depth + 1)))
    return Dictionary(tree.span(node), tuple(entries))


def _subscript(tree: Tree, node: TsNode, depth: int) -> Subscript | None:
    base, *items = _items(node)
    if len(items) == 1 and items[0].type == "type_parameter":
        items = _items(items[0])
    alone = items[0] if len(items) == 1 else None
    while alone is not None and alone.type == "type" and alone.named_child_count == 1:
        alone = alone.named_children[0]
    if alone is not None and alone.type == "tuple":  # `a[(b, c)]` is `a[b, c]`
        items = _items(alone)
    if any(item.type in ("slice", "list_splat", "splat_type") for item in items):
        return None
    owner = expression(tree, base, depth + 1)
    return Subscript(tree.span(node), owner, tuple(expression(tree, item, depth + 1) for item in items))


def _either(tree: Tree, node: TsNode, depth: int) -> Either | None:
    operator, sides = node.child_by_field_name("operator"), _items(node)
    if len(sides) != 2 or (operator is not None and operator.type != "|"):
        return None
    return Either(tree.span(node), expression(tree, sides[0], depth + 1), expression(tree, sides[1], depth + 1))


def _call(tree: Tree, node: TsNode, depth: int) -> Call | None:
    function, given = node.child_by_field_name("function"), node.child_by_field_name("arguments")
    if function is None or given is None or given.type != "argument_list":
        return None
    arguments, keywords = [], []
    for item in _items(given):
        if item.type in ("list_splat", "dictionary_splat"):
            return None
        name, value = item.child_by_field_name("name"), item.child_by_field_name("value")
        if item.type == "keyword_argument" and name is not None and value is not None:
            keywords.append(Keyword(tree.name(name), expression(tree, value, depth + 1)))
        else:
            arguments.append(expression(tree, item, depth + 1))
    return Call(tree.span(node), expression(tree, function, depth + 1), tuple(arguments), tuple(keywords))


def _items(node: TsNode) -> list[TsNode]:
    return [child for child in node.named_children if child.type != "comment"]
