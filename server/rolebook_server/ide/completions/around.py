"""What stands around the cursor: a place for a key, or one for a value, and what the table of keys allows there.

The text is read with a word of our own at the cursor. The recovery that keeps a half-typed file alive then says in
which mapping, list or text that word lies.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Literal

from rolebook.definition.agent import Kind
from rolebook.definition.alternatives import choose, fitting
from rolebook.definition.json_types import JSON_TYPES
from rolebook.definition.keys import AGENT_KEYS, fields_of
from rolebook.definition.names import kind_of
from rolebook.definition.schema_keywords import KEYWORDS, Takes
from rolebook.definition.shapes import Bool, Definition, Fields, JsonSchema, ListOf, MapOf, OneOf, Shape, Str
from rolebook.project.source import Source
from rolebook.record import Record
from rolebook.syntax.markdown import reparse_markdown
from rolebook.syntax.yaml import Entry, Mapping, Node, Scalar, Sequence, reparse
from rolebook.text import Span

_MARK = "zz_cursor"
_LINE_HEAD = re.compile(r"(?P<indent>[ ]*)(?P<dash>(?:-[ ]+)*)(?P<word>[\w$-]*)")
_VALUE_HEAD = re.compile(
    r"""[ ]*(?:-[ ]+)*(?P<key>[\w$.]+|"[^"]*"|'[^']*')[ ]?:(?P<gap>[ ]*)(?P<quote>["']?)(?P<word>.*)"""
)
_FLOW_HEAD = re.compile(r"""(?:^|[\[{,:])(?P<gap>[ ]*)(?P<quote>["']?)(?P<word>[^\[\]{},"'\s]*)$""")
_REST_OF_WORD = re.compile(r"[\w$-]*")
_REST_OF_VALUE = re.compile(r"(?:[^\r\n#]|(?<=\S)#)*")
_REST_IN_FLOW = re.compile(r"[^\s,}\]\"']*")
_ITEM = re.compile(r"[ ]*-(?:[ ]|$)")
_WIDEST = 300
"""Characters of a word between brackets that are looked at."""
_FARTHEST = 200
"""Lines that are looked at in search of a list around the cursor."""

_CUSTOM = Fields("agent", tuple(row.key for row in AGENT_KEYS))


class Around(Record):
    """A place for a key or a value. `span` is what a proposal replaces, `word` what of it stands before the cursor.

    `shapes` are the alternatives for the mapping that gets the key, or for the value; `node` is that mapping, or what
    the value stands in. `names` are the keys that lead here from the agent, whose mapping is `agent`. `lead` is what
    must be written before a proposal: the dash of a new item, the blank after a colon. `flow` says that it stands
    between brackets, `quote` that it stands in quotes, and `tail` closes them where nothing does.
    """

    what: Literal["key", "value"]
    span: Span
    word: str
    agent: Mapping
    kind: Kind
    names: tuple[str, ...]
    shapes: tuple[Shape, ...]
    node: Mapping | None = None
    lead: str = ""
    flow: bool = False
    quote: str = ""
    tail: str = ""
    colon: bool = True

    @property
    def present(self) -> frozenset[str]:
        """The keys that the mapping has already."""
        entries = self.node.entries if self.node is not None else ()
        return frozenset(entry.name for entry in entries if entry.name is not None and entry.name != _MARK)


def around(source: Source, offset: int) -> Around | None:
    """What may be written at `offset`; None in a comment, in a text, and where nothing is known."""
    for attempt in _attempts(source, offset):
        found = attempt.read(source)
        if found is not None:
            return found
    return None


class _Attempt(Record):
    """A way to read the cursor's line: `mark` goes in place of `cut`, and the proposals replace `span`."""

    what: Literal["key", "value", "flow"]
    cut: Span
    mark: str
    span: Span
    word: str
    lead: str = ""
    quote: str = ""
    tail: str = ""
    colon: bool = True

    def read(self, source: Source) -> Around | None:
        text = source.text.source
        marked = f"{text[: self.cut.start]}{self.mark}{text[self.cut.end :]}"
        read = reparse_markdown if source.path.endswith(".md") else reparse
        root = read(marked, source.syntax)[0].root
        at = self.cut.start + self.mark.index(_MARK)
        if isinstance(root, Scalar) and root.text.text == _MARK:  # a word alone, in an empty file
            root = Mapping(root.span, (Entry(root.span, root, root),))
        return _Walk(self, at).agent(root) if isinstance(root, Mapping) else None


def _attempts(source: Source, offset: int) -> Iterator[_Attempt]:
    """The ways to read what the cursor's line holds before it, the likeliest first."""
    text = source.text.source
    line = source.text.line_span(source.text.line_of(offset))
    before = text[line.start : offset]
    if (head := _LINE_HEAD.fullmatch(before)) is not None:
        start = offset - len(head["word"])
        match = _REST_OF_WORD.match(text, offset)
        end = match.end() if match is not None else offset
        colon = text[end : end + 1] == ":" and text[end + 1 : end + 2] in ("", " ", "\t", "\r", "\n")
        mark = _MARK if colon else f"{_MARK}: "
        lead = "- " if not head["dash"] and not colon and _among_items(source, line.start, head["indent"]) else ""
        rest = text[end : line.end].strip()
        if colon or not rest or text[end:].startswith((" #", "\t#")):
            yield _Attempt("key", Span(start, end), lead + mark, Span(start, end), head["word"], lead, colon=not colon)
            if head["dash"]:
                yield _Attempt("value", Span(start, end), _MARK, Span(start, end), head["word"])
        return
    if (value := _VALUE_HEAD.fullmatch(before)) is not None and value["word"][:1] not in ("{", "[", "|", ">", "&", "*"):
        quote = value["quote"]
        start = offset - len(value["word"])
        if (not value["gap"] and (quote or value["word"])) or (quote and quote in value["word"]):
            return
        if not quote and (" #" in value["word"] or value["word"].startswith("#")):
            return
        match = (re.compile(rf"[^\r\n{quote}]*") if quote else _REST_OF_VALUE).match(text, offset)
        end = match.end() if match is not None else offset
        if not quote:
            end = max(offset, offset + len(text[offset:end].rstrip()))
        closing = quote if quote and text[end : end + 1] != quote else ""
        closing = " " if text[end : end + 1] == "#" else closing
        lead = "" if value["gap"] else " "
        span = Span(start, end)
        yield _Attempt("value", span, lead + _MARK + closing, span, value["word"], lead, quote, closing)
        return
    if (flow := _FLOW_HEAD.search(before[-_WIDEST:])) is not None:
        start = offset - len(flow["word"])
        match = _REST_IN_FLOW.match(text, offset)
        end = match.end() if match is not None else offset
        closing = flow["quote"] if flow["quote"] and text[end : end + 1] != flow["quote"] else ""
        colon = text[end : end + 1] == ":"
        span = Span(start, end)
        yield _Attempt("flow", span, _MARK + closing, span, flow["word"], "", flow["quote"], closing, not colon)


def _among_items(source: Source, line_start: int, indent: str) -> bool:
    """Whether the lines above or below are a list whose dashes stand at this indent, so that an item belongs here."""
    line = source.text.line_of(line_start)
    last = len(source.text.line_starts)
    above = range(line - 1, max(line - _FARTHEST, -1), -1)
    return any(_is_item(source, lines, len(indent)) for lines in (above, range(line + 1, min(line + _FARTHEST, last))))


def _is_item(source: Source, lines: range, indent: int) -> bool:
    """Whether the first of these lines that is indented no deeper begins an item just there."""
    for number in lines:
        content = source.text[source.text.line_span(number)]
        blanks = len(content) - len(content.lstrip(" "))
        if blanks <= indent and content.strip() and not content.lstrip().startswith("#"):
            return blanks == indent and _ITEM.match(content) is not None
    return False


class _Walk:
    """Goes from the document's root to the mark, and from the table's top to what may stand there."""

    def __init__(self, attempt: _Attempt, at: int) -> None:
        self._attempt = attempt
        self._at = at

    def agent(self, mapping: Mapping) -> Around | None:
        kind, fields = _fields_of(mapping)
        return self._node(mapping, (fields,), mapping, kind, (), flow=False)

    def _node(
        self, node: Node, shapes: tuple[Shape, ...], agent: Mapping, kind: Kind, names: tuple[str, ...], *, flow: bool
    ) -> Around | None:
        depth = 0
        while depth < 200:
            depth += 1
            shapes = tuple(_flat(shapes))
            if isinstance(node, Sequence):
                flow = flow or node.flow
                shapes = tuple(shape.item for shape in shapes if isinstance(shape, ListOf)) or _schemas(shapes)
                item = next((item for item in reversed(node.items) if item.span.holds(self._at)), None)
                if item is None:
                    return None
                node = item
            elif isinstance(node, Mapping):
                flow = flow or node.flow
                if names and Definition() in shapes and not _is_reference(node):
                    agent, names = node, ()
                    kind, fields = _fields_of(node)
                    shapes = (fields,) if _is_agent(node) else (*shapes, fields)
                entry = next((entry for entry in reversed(node.entries) if entry.span.holds(self._at)), None)
                if entry is None:
                    return None
                if entry.key.span.holds(self._at) and entry.name == _MARK:
                    if self._attempt.what == "value":
                        return None
                    return self._found("key", agent, kind, names, _mapped(node, shapes), node, flow)
                if entry.key.span.holds(self._at):
                    return None
                shapes = tuple(_below(node, shapes, entry))
                names = (*names, entry.name or "")
                node = entry.value
            else:
                if node.text.text.strip() != _MARK or self._attempt.what == "key":
                    return None
                return self._found("value", agent, kind, names, shapes, None, flow)
        return None

    def _found(
        self,
        what: Literal["key", "value"],
        agent: Mapping,
        kind: Kind,
        names: tuple[str, ...],
        shapes: tuple[Shape, ...],
        node: Mapping | None,
        flow: bool,
    ) -> Around:
        attempt = self._attempt
        return Around(
            what, attempt.span, attempt.word, agent, kind, names, shapes, node, attempt.lead, flow, attempt.quote,
            attempt.tail, attempt.colon,
        )  # fmt: skip


def _fields_of(mapping: Mapping) -> tuple[Kind, Fields]:
    entry = mapping.get("agent_class")
    name = entry.value.text.text if entry is not None and isinstance(entry.value, Scalar) else ""
    kind = kind_of(name) if name != _MARK else "LlmAgent"
    kind = kind or "LlmAgent"
    return kind, _CUSTOM if kind == "custom" else fields_of(kind)


def _is_reference(node: Mapping) -> bool:
    return any(entry.name in ("config_path", "code") for entry in node.entries)


def _is_agent(node: Mapping) -> bool:
    return any(entry.name != _MARK for entry in node.entries)


def _flat(shapes: tuple[Shape, ...]) -> Iterator[Shape]:
    for shape in shapes:
        if isinstance(shape, OneOf):
            yield from _flat(shape.shapes)
        else:
            yield shape


def _schemas(shapes: tuple[Shape, ...]) -> tuple[Shape, ...]:
    return tuple(shape for shape in shapes if isinstance(shape, JsonSchema))


def _mapped(node: Mapping, shapes: tuple[Shape, ...]) -> tuple[Shape, ...]:
    """The alternatives for a mapping that the keys in it leave open."""
    names = [entry.name for entry in node.entries if entry.name is not None and entry.name != _MARK]
    mappings = tuple(shape for shape in shapes if isinstance(shape, Fields | MapOf | JsonSchema))
    open_ones = tuple(
        shape for shape in mappings if not isinstance(shape, Fields) or all(shape.find(name) for name in names)
    )
    lists = tuple(shape for shape in shapes if isinstance(shape, ListOf))
    return (*open_ones, *lists) if not names else open_ones or mappings or lists


def _below(node: Mapping, shapes: tuple[Shape, ...], entry: Entry) -> Iterator[Shape]:
    """What the value of `entry` may be, by the alternatives for the mapping that holds it."""
    candidates = fitting(node, shapes)
    chosen = [choose(node, candidates)] if candidates else list(shapes)
    for shape in chosen if any(_value_in(each, entry) for each in chosen) else shapes:
        yield from _value_in(shape, entry)


def _value_in(shape: Shape, entry: Entry) -> tuple[Shape, ...]:
    if isinstance(shape, Fields):
        key = shape.find(entry.name or "")
        return (key.shape,) if key is not None else ()
    if isinstance(shape, MapOf):
        return (shape.value,)
    return tuple(_in_schema(entry.name or "")) if isinstance(shape, JsonSchema) else ()


_SCHEMA, _TYPES = JsonSchema(), Str(means="JSON type", choices=JSON_TYPES)
_TAKES: dict[Takes, tuple[Shape, ...]] = {
    "schema": (_SCHEMA,),
    "list of schemas": (ListOf(_SCHEMA),),
    "map of schemas": (MapOf(_SCHEMA),),
    "type": (_TYPES, ListOf(_TYPES)),
    "boolean": (Bool(),),
}


def _in_schema(name: str) -> Iterator[Shape]:
    """What a keyword of JSON Schema takes."""
    keyword = KEYWORDS.get(name)
    yield from _TAKES.get(keyword.takes, ()) if keyword is not None else ()
