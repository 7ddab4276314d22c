"""A leaf held against its shape: texts, booleans and numbers, and what YAML makes of them.

google-adk takes a boolean or a number in quotes for what it spells, so that is a warning here, and counts as meant.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import isfinite

from rolebook.definition.finding import Finding, found, not_text, wrong_type
from rolebook.definition.json_types import meant_type
from rolebook.definition.names import nearest
from rolebook.definition.shapes import Bool, Meaning, Number, Str
from rolebook.problem import Fix, Severity
from rolebook.syntax.yaml import Node, Scalar
from rolebook.text import Edit

_RULES: dict[Meaning, str] = {"agent name": "invalid-name"}
_WARNINGS: frozenset[Meaning] = frozenset({"state key"})
_SPELT = {"true": True, "yes": True, "on": True, "false": False, "no": False, "off": False}


def validate_text(node: Node, shape: Str, what: str) -> Iterator[Finding]:
    if not isinstance(node, Scalar) or not isinstance(node.value, str):
        yield _no_better_in_quotes(node, shape) or not_text(node, what, "text")
        return
    text = node.value
    if not text:
        if not shape.empty:
            yield Finding("wrong-value", node.span, f"{what} is empty")
    elif shape.check is not None:
        if (complaint := shape.check(text)) is not None:
            severity = Severity.WARNING if shape.means in _WARNINGS else None
            rule = _RULES.get(shape.means, "wrong-value")
            yield Finding(rule, node.span, complaint, severity, _nearest(node, text, shape))
    elif shape.choices and text not in shape.choices:
        known = ", ".join(f"`{choice}`" for choice in shape.choices)
        one_of = f"one of {known}" if len(shape.choices) > 1 else known
        message = f"{what} is {one_of}, not `{text}`"
        yield Finding("wrong-value", node.span, message, fixes=_nearest(node, text, shape))


def _no_better_in_quotes(node: Node, shape: Str) -> Finding | None:
    """What is wrong with a plain word that is no text and would be no right one either."""
    if not isinstance(node, Scalar) or node.value is None or shape.check is None:
        return None
    message = shape.check(node.text.text)
    return Finding(_RULES.get(shape.means, "wrong-value"), node.span, message) if message is not None else None


def _nearest(node: Scalar, text: str, shape: Str) -> tuple[Fix, ...]:
    near = meant_type(text) if shape.means == "JSON type" else nearest(text, shape.choices)
    return (Fix(f"Change to `{near}`", (Edit(node.span, near),)),) if near and _on_one_line(node) else ()


def validate_bool(node: Node, what: str) -> Iterator[Finding]:
    if isinstance(node, Scalar) and isinstance(node.value, bool):
        return
    yield _unquoted(node, Bool(), what, "`true` or `false`") or wrong_type(node, what, "`true` or `false`")


def validate_number(node: Node, shape: Number, what: str) -> Iterator[Finding]:
    expected = "a whole number" if shape.whole else "a number"
    value = node.value if isinstance(node, Scalar) else None
    if isinstance(value, bool) or not isinstance(value, int | float):
        if (unquoted := _unquoted(node, shape, what, expected)) is None:
            yield wrong_type(node, what, expected)
            return
        yield unquoted
        value = spelt(node, shape)
    if value is None or (isinstance(value, float) and not isfinite(value)):
        yield Finding("wrong-value", node.span, f"{what} is {expected}, not {found(node).removeprefix('the number ')}")
    elif shape.whole and not isinstance(value, int):
        yield wrong_type(node, what, expected)
    elif shape.least is not None and value < shape.least:
        yield Finding("wrong-value", node.span, f"{what} is at least {shape.least}, not {value}")
    elif shape.most is not None and value > shape.most:
        yield Finding("wrong-value", node.span, f"{what} is at most {shape.most}, not {value}")


def spelt(node: Node, shape: Bool | Number) -> bool | int | float | None:
    """The boolean or number that a text spells, None where the node is no text or spells none."""
    if not isinstance(node, Scalar) or not isinstance(node.value, str):
        return None
    text = node.value.strip()
    if isinstance(shape, Bool):
        return _SPELT.get(text.lower())
    if not text.isascii() or len(text) > 40 or not any(map(str.isdigit, text)):
        return None
    try:
        return int(text) if shape.whole else float(text)
    except ValueError:
        return None


def _unquoted(node: Node, shape: Bool | Number, what: str, expected: str) -> Finding | None:
    value = spelt(node, shape)
    if value is None or not isinstance(node, Scalar):
        return None
    plain = str(value).lower()
    if node.style == "plain":
        message, title = f"{what} is {expected}, but YAML reads `{node.text.text}` as a text", f"Write `{plain}`"
    else:
        message, title = f"{what} is {expected}, but here is {found(node)}: drop the quotes", "Drop the quotes"
    fixes = (Fix(title, (Edit(node.span, plain),)),) if _on_one_line(node) else ()
    return Finding("wrong-type", node.span, message, Severity.WARNING, fixes)


def _on_one_line(node: Scalar) -> bool:
    return node.style in ("plain", "single", "double")
