"""Docstrings of the Google, NumPy and Sphinx styles: the text that describes a function, and that of each parameter."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from rolebook.record import Record, field

_PARAMETERS = frozenset(
    {"args", "arguments", "parameters", "params", "keyword args", "keyword arguments", "other parameters", "attributes"}
)
_TECHNICAL = _PARAMETERS | {
    *("return", "returns", "yield", "yields", "receives", "raise", "raises", "except", "exceptions", "warns"),
    *("methods", "see also", "references", "todo"),
}
"""Sections that say how code calls a function. Others, such as `Note`, belong to the text that comes before these."""

_FIELD = re.compile(
    r"^[:@](?:(?P<param>param|parameter|arg|argument|key|keyword|var|ivar|cvar)(?=[ \t])|"
    r"(?:type|returns?|rtype|raises?|excep(?:t|tion)|yields?|ytype|vartype|meta)\b)(?P<rest>[^:\n]*):(?P<text>.*)$"
)
_GOOGLE_HEADER = re.compile(r"^(?P<title>[A-Za-z][A-Za-z ]*):$")
_GOOGLE_ENTRY = re.compile(r"^\*{0,2}(?P<name>\w+)\s*(?:\((?:.*?)\)\s*)?:(?:\s+(?P<text>.*))?$")
_NUMPY_ENTRY = re.compile(r"^(?P<names>\*{0,2}\w+(?:\s*,\s*\*{0,2}\w+)*)\s*(?::.*)?$")
_UNDERLINE = re.compile(r"^(?:-{3,}|={3,})\s*$")


class Docstring(Record):
    """`description` is the text before the first section on parameters, results or errors; texts keep their lines."""

    description: str = ""
    parameters: Mapping[str, str] = field(default_factory=dict)


def parse_docstring(text: str | None) -> Docstring:
    """Reads a docstring as it stands in the code; any text is one. Of several texts for one name the first counts."""
    if not text or not text.strip():
        return Docstring()
    lines = _cleaned(text).split("\n")
    described: list[str] = []
    found: dict[str, str] = {}
    at, in_description = 0, True
    while at < len(lines):
        end, entries = _section(lines, at)
        if end == at:
            if in_description:
                described.append(lines[at])
            at += 1
            continue
        in_description = False
        for name, lines_of in entries:
            found.setdefault(name, _cleaned("\n".join(lines_of)).strip())
        at = end
    return Docstring("\n".join(described).strip(), {name: text for name, text in found.items() if text})


def _cleaned(text: str) -> str:
    """The text without the indentation that its lines share, as PEP 257 has it: the first line doesn't count.

    The same as `inspect.cleandoc`, whose module takes longer to load than a file takes to check.
    """
    first, *rest = text.expandtabs().split("\n")
    margin = min((len(line) - len(line.lstrip()) for line in rest if line.strip()), default=0)
    lines = [first.lstrip(), *(line[margin:] for line in rest)]
    while lines and not lines[-1]:
        lines.pop()
    while lines and not lines[0]:
        lines.pop(0)
    return "\n".join(lines)


_Entries = list[tuple[str, list[str]]]


def _section(lines: list[str], at: int) -> tuple[int, _Entries]:
    """Where the section that begins at line `at` ends, and what it says of parameters; `at` itself if none begins."""
    line = lines[at]
    if (match := _FIELD.match(line)) is not None:
        end = _block_end(lines, at + 1, 0)
        names = (match["rest"] or "").split()
        if match["param"] is None or not names:
            return end, []
        return end, [(names[-1].lstrip("*"), [match["text"].strip(), *lines[at + 1 : end]])]
    if (match := _GOOGLE_HEADER.match(line)) is not None and (title := match["title"].lower()) in _TECHNICAL:
        end = _block_end(lines, at + 1, 0)
        body = lines[at + 1 : end]
        if any(each.strip() for each in body):
            return end, list(_google(body)) if title in _PARAMETERS else []
    if line.strip().lower() in _TECHNICAL and at + 1 < len(lines) and _UNDERLINE.match(lines[at + 1]):
        end = next((k for k in range(at + 2, len(lines)) if _is_header(lines, k)), len(lines))
        return end, list(_numpy(lines[at + 2 : end])) if line.strip().lower() in _PARAMETERS else []
    return at, []


def _block_end(lines: list[str], start: int, margin: int) -> int:
    """The line after the block whose lines are indented beyond `margin`; blank lines at its end stay outside."""
    end = at = start
    while at < len(lines) and (not lines[at].strip() or _indent(lines[at]) > margin):
        at += 1
        if lines[at - 1].strip():
            end = at
    return end


def _google(body: list[str]) -> Iterator[tuple[str, list[str]]]:
    """`name (type): text`, with further lines indented more, or not at all where they can't be an entry."""
    margin = min(_indent(line) for line in body if line.strip())
    name, texts = "", list[str]()
    for line in body:
        match = _GOOGLE_ENTRY.match(line.strip()) if line.strip() and _indent(line) == margin else None
        if match is None:
            texts.append(line)
            continue
        if name:
            yield name, texts
        name, texts = match["name"], [match["text"] or ""]
    if name:
        yield name, texts


def _numpy(body: list[str]) -> Iterator[tuple[str, list[str]]]:
    """`name : type` or `first, second : type` at the margin, and the text indented below."""
    names, texts = list[str](), list[str]()
    for line in (*body, "end"):
        if not line.strip() or _indent(line) > 0:
            texts.append(line)
            continue
        yield from ((name, ["", *texts]) for name in names)
        match = _NUMPY_ENTRY.match(line)
        names = [name.strip().lstrip("*") for name in match["names"].split(",")] if match is not None else []
        texts = []


def _is_header(lines: list[str], at: int) -> bool:
    below = lines[at + 1] if at + 1 < len(lines) else ""
    return bool(lines[at].strip()) and _indent(lines[at]) == 0 and _UNDERLINE.match(below) is not None


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())
