"""Strings and numbers as Python reads them. Where that would warn (`"\\d"`) or fail, this says so by its value."""

from __future__ import annotations

import ast
import re
import unicodedata

from rolebook.syntax.python.tree import Tree, TsNode

_SIMPLE = {
    "\\": "\\",
    "'": "'",
    '"': '"',
    "a": "\a",
    "b": "\b",
    "f": "\f",
    "n": "\n",
    "r": "\r",
    "t": "\t",
    "v": "\v",
    "\n": "",
}
_ESCAPE = re.compile(
    r"\\(?:(?P<simple>[\\'\"abfnrtv\n])|(?P<octal>[0-7]{1,3})"
    r"|x(?P<x>[0-9a-fA-F]{2})|u(?P<u>[0-9a-fA-F]{4})|U(?P<U>[0-9a-fA-F]{8})|N\{(?P<named>[^{}]+)\}|(?P<bad>[xuUN]))"
)


def string(tree: Tree, node: TsNode) -> str | None:
    """The value of a `string` or `concatenated_string`; None for bytes, f-strings and what is no valid string."""
    if node.type == "concatenated_string":
        parts = [string(tree, part) for part in node.named_children if part.type != "comment"]
        return None if None in parts else "".join(part for part in parts if part is not None)
    children = node.children
    if (
        node.type != "string"
        or node.has_error
        or children[0].type != "string_start"
        or children[-1].type != "string_end"
    ):
        return None
    start = tree.text(children[0])
    prefix = start.rstrip("'\"").lower()
    quotes = len(start) - len(prefix)  # the grammar counts the backslashes of `r"\\"` to the closing token
    if not set(prefix) <= {"r", "u"}:
        return None
    body = re.sub(r"\r\n?", "\n", tree.text(node)[len(start) : -quotes])
    if "r" in prefix or "\\" not in body:
        return body
    try:
        return _ESCAPE.sub(_unescape, body)
    except ValueError:
        return None


def number(text: str) -> int | float | None:
    """The value of an integer or float literal; None for what is none, such as `07` or `2j`."""
    try:
        value = ast.literal_eval(text.strip())
    except (ValueError, SyntaxError):
        return None
    return value if isinstance(value, int | float) and not isinstance(value, bool) else None


def _unescape(match: re.Match[str]) -> str:
    if (simple := match["simple"]) is not None:
        return _SIMPLE[simple]
    if (octal := match["octal"]) is not None:
        return chr(int(octal, 8))
    if (named := match["named"]) is not None:
        try:
            return unicodedata.lookup(named)
        except KeyError:
            raise ValueError(f"no character is named {named}") from None
    if match["bad"] is not None:
        raise ValueError(f"`\\{match['bad']}` is cut short")
    return chr(int(match["x"] or match["u"] or match["U"], 16))
