"""The parameters of a function, each with its kind, annotation and default value."""

from __future__ import annotations

from typing import Literal

from rolebook.record import replace
from rolebook.syntax.python.expressions import expression
from rolebook.syntax.python.nodes import Parameter
from rolebook.syntax.python.tree import Tree, TsNode

_SPLATS: dict[str, Literal["rest", "keywords"]] = {"list_splat_pattern": "rest", "dictionary_splat_pattern": "keywords"}


def parameters(tree: Tree, listed: TsNode) -> tuple[Parameter, ...]:
    """The parameters in the order of the text; what is no parameter is passed over."""
    found: list[Parameter] = []
    keyword_only = False
    for node in listed.named_children:
        if node.type == "positional_separator":
            found = [replace(each, kind="positional") for each in found]
        elif node.type == "keyword_separator":
            keyword_only = True
        elif (parameter := _parameter(tree, node, keyword_only)) is not None:
            keyword_only |= parameter.kind == "rest"
            found.append(parameter)
    return tuple(found)


def _parameter(tree: Tree, node: TsNode, keyword_only: bool) -> Parameter | None:
    named, kind = node, "keyword" if keyword_only else "normal"
    if node.type in ("default_parameter", "typed_default_parameter"):
        inner = node.child_by_field_name("name")
    elif node.type == "typed_parameter":
        inner = next((child for child in node.named_children if child.type in ("identifier", *_SPLATS)), None)
    else:
        inner = node
    if inner is None:
        return None
    if inner.type in _SPLATS:
        kind = _SPLATS[inner.type]
        inner = next((child for child in inner.named_children if child.type == "identifier"), None)
    if inner is None or inner.type != "identifier":
        return None
    annotation, default = named.child_by_field_name("type"), named.child_by_field_name("value")
    return Parameter(
        tree.name(inner),
        tree.span(inner),
        kind,  # type: ignore[arg-type]
        expression(tree, annotation) if annotation is not None else None,
        expression(tree, default) if default is not None else None,
    )
