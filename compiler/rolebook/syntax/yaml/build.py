"""tree-sitter's tree to our nodes: scalars decoded, aliases followed, merge keys laid beside the written entries."""

from __future__ import annotations

import re
from typing import TypeVar

import tree_sitter

from rolebook.record import Record
from rolebook.syntax.yaml import resolve, scalars
from rolebook.syntax.yaml.incremental import Syntax, read
from rolebook.syntax.yaml.lenient import lenient
from rolebook.syntax.yaml.limits import MOST_NESTED, RUN, tamed
from rolebook.syntax.yaml.nodes import Entry, Mapping, Node, Scalar, Sequence, Style, missing
from rolebook.text import MappedText, Span, Utf8Offsets

_MOST_NODES = 100_000
"""Nodes that a document may unfold to once its aliases are followed; more is an attack, not a definition."""

TsNode = tree_sitter.Node
_SIMPLE_FLOW = re.compile(
    r"""(?:[\[\]{}]|(?<![\w"'])[\w][\w ./$@+-]*(?=[,\]}]|: )"""
    r"""|(?<=[\[{ ])(?:"[^"\\\r\n]*"|'[^'\r\n]*')(?=[,\]}]|: )|: |, )*"""
)
_ANCHOR = re.compile(r"&([A-Za-z0-9_-]+)(?=$|[?:,\]}%@`])")
_TAG_LINE = re.compile(r"^%TAG[ \t]+(!(?:[\w-]*!)?)[ \t]+(\S+)", re.MULTILINE)
Collection = TypeVar("Collection", Mapping, Sequence)


class Fault(Record):
    """A place that is no YAML, or that the safe loader refuses."""

    span: Span
    message: str


class Builder:
    """Builds nodes from one file; anchors live as long as it does, so that pieces parsed alone can share them.

    Offsets are code points in `source`, whatever piece of it is parsed.
    """

    def __init__(self, source: str) -> None:
        self.source = source
        self.faults: list[Fault] = []
        self._handles = _TAG_LINE.findall(source) if "%TAG" in source else []
        self.anchors: dict[str, Node | None] = {}
        self.plain = True
        """Whether all that was read is YAML on which no two parsers differ; see `Document`."""
        self.depth = 0
        """How many collections are open where the builder stands."""
        self._sizes: dict[int, tuple[int, int]] = {}
        """Of each collection by id: how many nodes it unfolds to, and how deep it nests."""
        self._kept: list[Node] = []
        self.syntax: Syntax | None = None
        """The tree of the piece that was parsed last."""
        self._base = 0
        self._offsets: Utf8Offsets | None = None

    def parse(self, piece: str, base: int, before: Syntax | None = None) -> TsNode | None:
        """The tree of `piece`, which stands at offset `base`, None where it nests too deeply to be read.

        `before` is the tree of what the piece was before an edit. Call `node` before the next `parse`.
        """
        self._base, self._offsets = base, Utf8Offsets.of(piece)
        if (text := tamed(piece)) is None:
            return None
        self.syntax = read(text, before)
        root = self.syntax.tree.root_node
        self.plain = self.plain and not root.has_error
        if root.has_error and (other := lenient(text)) != text:
            lenient_root = read(other).tree.root_node
            return root if lenient_root.has_error else lenient_root
        return root

    def span(self, node: TsNode) -> Span:
        start, end = node.start_byte, node.end_byte
        if self._offsets is not None:
            start, end = self._offsets.code_points(start), self._offsets.code_points(end)
        return Span(start + self._base, end + self._base)

    def documents(self, stream: TsNode) -> list[tuple[Span, Node]]:
        """Each document of a stream with its root, which is a null where it holds nothing."""
        found = []
        for document in stream.named_children:
            if document.type != "document":
                continue
            self.anchors.clear()
            span = self.span(document)
            content = next((c for c in document.named_children if c.type in ("block_node", "flow_node")), None)
            found.append((span, self.node(content, -1) if content else missing(span.start)))
        return found

    def node(self, outer: TsNode, indent: int) -> Node:
        """The node of a `block_node` or `flow_node`; `indent` is the column of the block collection around it."""
        anchor = tag = content = None
        for child in outer.named_children:
            if child.type == "anchor":
                anchor = child
            elif child.type == "tag":
                tag = child
            elif child.type != "comment" and not child.is_error:
                content = child
        if content is not None and content.type == "alias":
            return self._alias(content)
        if anchor is None and tag is None:
            return self._content(content, tag, outer, indent)
        self.plain = False
        if anchor is None:
            return self._content(content, tag, outer, indent)
        written = self._text(anchor)
        name = _ANCHOR.match(written)
        if name is None:
            self.faults.append(
                Fault(self.span(anchor), f"`{written}` is no name of an anchor: letters, digits, `_`, `-`")
            )
            return self._content(content, tag, outer, indent)
        self.anchors[name[1]] = None
        if name.end() < len(written):  # what follows the name is text already: PyYAML reads `&a:b c` as `:b c`
            text = Span(self.span(anchor).start + name.end(), self.span(outer).end)
            node: Node = self._scalar(text, scalars.plain(self.source, text), "plain", tag)
        else:
            node = self._content(content, tag, outer, indent)
        self.anchors[name[1]] = node
        return node

    def _content(self, content: TsNode | None, tag: TsNode | None, outer: TsNode, indent: int) -> Node:
        kind = content.type if content is not None else "nothing"
        if content is None:
            end = self.span(outer).end
            return self._scalar(Span(end, end), scalars.plain("", Span(0, 0)), "plain", tag)
        span = self.span(content)
        match kind:
            case "plain_scalar" if RUN.search(self.source, span.start, span.end):
                return self.too_deep(span)
            case "plain_scalar":
                return self._scalar(span, scalars.plain(self.source, span), "plain", tag)
            case "double_quote_scalar":
                return self._scalar(span, scalars.double_quoted(self.source, span), "double", tag)
            case "single_quote_scalar":
                return self._scalar(span, scalars.single_quoted(self.source, span), "single", tag)
            case "block_scalar":
                text, end = scalars.block(self.source, span.start, indent)
                style: Style = "literal" if self.source[span.start] == "|" else "folded"
                return self._scalar(Span(span.start, max(end, span.end)), text, style, tag)
            case "block_mapping" | "flow_mapping" | "block_sequence" | "flow_sequence":
                if self.depth >= MOST_NESTED:
                    return self.too_deep(span)
                if tag is not None and self._tag(tag) not in ("!", "!!map", "!!seq"):
                    return self._opaque(span, tag)
                self.depth += 1
                build = self._mapping if kind.endswith("mapping") else self._sequence
                node = build(content, span)
                self.depth -= 1
                return node
        return missing(span.start)

    def _opaque(self, span: Span, tag: TsNode) -> Scalar:
        """A collection that its tag makes another thing, such as `!!set`; its value is PyYAML's."""
        text = MappedText.verbatim(self.source[span.start : span.end], span.start)
        piece = " " * self._column(span.start) + text.text
        try:
            return Scalar(span, text, resolve.collection(self._tag(tag), piece))
        except resolve.Unreadable as refused:
            self.faults.append(Fault(self.span(tag), str(refused)))
            return Scalar(span, text, None, broken=True)

    def _tag(self, tag: TsNode) -> str:
        """A tag as it is written, but with the handle of a `%TAG` line spelt out."""
        text = self._text(tag)
        for handle, prefix in self._handles:
            if text.startswith(handle) and len(text) > len(handle):
                return f"!<{prefix}{text[len(handle) :]}>"
        return text

    def too_deep(self, span: Span) -> Scalar:
        self.faults.append(Fault(Span(span.start, span.start + 1), f"this nests more than {MOST_NESTED} levels deep"))
        return Scalar(span, MappedText("", (), ()), None, broken=True)

    def _flow(self, span: Span) -> None:
        """Looks whether a flow collection is so simple that every parser reads it alike."""
        self.plain = self.plain and _SIMPLE_FLOW.fullmatch(self.source, span.start, span.end) is not None

    def _scalar(self, span: Span, text: MappedText, style: Style, tag: TsNode | None) -> Scalar:
        try:
            if tag is not None:
                value = resolve.tagged(self._tag(tag), text.text)
            else:
                value = resolve.implicit(text.text) if style == "plain" else text.text
        except resolve.Unreadable as refused:
            self.faults.append(Fault(self.span(tag) if tag is not None else span, str(refused)))
            value = text.text
        return Scalar(span, text, value, style)

    def _mapping(self, content: TsNode, span: Span) -> Mapping:
        if content.type == "flow_mapping":
            self._flow(span)
        column = self._column(span.start)
        entries: list[Entry] = []
        for child in content.named_children:
            if child.type in ("block_mapping_pair", "flow_pair"):
                entries.append(self.entry(child, column))
            elif child.type == "flow_node":  # `{x}` is a key without a value
                key = self._unquestioned(self.node(child, column))
                entries.append(Entry(key.span, key, missing(key.span.end)))
        return self.mapping(span, entries, content.type == "flow_mapping")

    def mapping(self, span: Span, entries: list[Entry], flow: bool) -> Mapping:
        """A mapping of these entries; the values of `<<` are laid into `merged`, the first of several overriding."""
        written = [entry for entry in entries if not _is_merge(entry)]
        if len(written) == len(entries):
            return self._sized(Mapping(span, tuple(entries), flow))
        merged: list[Entry] = []
        for entry in entries:
            if _is_merge(entry):
                sources = entry.value.items if isinstance(entry.value, Sequence) else (entry.value,)
                for source in reversed(sources):
                    if isinstance(source, Mapping):
                        merged += [*source.merged, *source.entries]
                    else:
                        self.faults.append(Fault(entry.value.span, "`<<` merges mappings only"))
        return self._sized(Mapping(span, tuple(written), flow, tuple(merged)))

    def entry(self, pair: TsNode, indent: int) -> Entry:
        span = self.span(pair)
        key_node, value_node = pair.child_by_field_name("key"), pair.child_by_field_name("value")
        key = self.node(key_node, indent) if key_node is not None else missing(span.start)
        if pair.type == "flow_pair":
            key = self._unquestioned(key)
        value = self.node(value_node, indent) if value_node is not None else missing(span.end)
        self.plain = self.plain and _is_simple_key(key)
        return Entry(Span(span.start, max(span.end, value.span.end if value_node is not None else 0)), key, value)

    def _sequence(self, content: TsNode, span: Span) -> Sequence:
        if content.type == "flow_sequence":
            self._flow(span)
        column = self._column(span.start)
        items: list[Node] = []
        for child in content.named_children:
            if child.type == "block_sequence_item":
                inner = next((c for c in child.named_children if c.type in ("block_node", "flow_node")), None)
                items.append(self.node(inner, column) if inner else missing(self.span(child).end))
            elif child.type == "flow_node":
                item = self.node(child, column)
                if (key := self._unquestioned(item)) is not item:
                    entry = Entry(item.span, key, missing(item.span.end))
                    item = self.mapping(item.span, [entry], flow=True)
                items.append(item)
            elif child.type == "flow_pair":  # `[a: b]` is a mapping of one entry
                entry = self.entry(child, column)
                items.append(self.mapping(entry.span, [entry], flow=True))
        return self._sized(Sequence(span, tuple(items), content.type == "flow_sequence"))

    def _unquestioned(self, node: Node) -> Node:
        """In a flow collection PyYAML reads `?x` as the key `x`, with no blank between."""
        if not (isinstance(node, Scalar) and node.style == "plain" and node.text.text.startswith("?")):
            return node
        span = Span(node.span.start + 1, node.span.end)
        return self._scalar(span, scalars.plain(self.source, span), "plain", None)

    def _alias(self, alias: TsNode) -> Node:
        self.plain = False
        name, span = self._text(alias)[1:], self.span(alias)
        if (node := self.anchors.get(name)) is not None:
            size, height = self._size(node)
            if size <= _MOST_NODES and self.depth + height <= MOST_NESTED:
                return node
            self.faults.append(
                Fault(span, f"the aliases up to `*{name}` unfold to too much: {size:,} nodes, {height} levels")
            )
        elif name in self.anchors:
            self.faults.append(Fault(span, f"`*{name}` stands inside of its own anchor"))
        else:
            self.faults.append(Fault(span, f"no anchor `&{name}` stands before this alias"))
        return Scalar(span, MappedText("", (), ()), None, broken=True)

    def _sized(self, node: Collection) -> Collection:
        """Remembers the size of a collection, and keeps it alive so that its id stays its own."""
        inside = node.items if isinstance(node, Sequence) else [e.value for e in (*node.entries, *node.merged)]
        sizes = [self._size(child) for child in inside]
        self._sizes[id(node)] = (1 + sum(s for s, _ in sizes), 1 + max((h for _, h in sizes), default=0))
        self._kept.append(node)
        return node

    def _size(self, node: Node) -> tuple[int, int]:
        return self._sizes.get(id(node), (1, 0))

    def _text(self, node: TsNode) -> str:
        span = self.span(node)
        return self.source[span.start : span.end]

    def _column(self, offset: int) -> int:
        start = max(self.source.rfind("\n", 0, offset), self.source.rfind("\r", 0, offset)) + 1
        return offset - start - (start == 0 and self.source.startswith("\ufeff"))


def _is_simple_key(key: Node) -> bool:
    """Whether a key is a short word on one line, as nearly all are."""
    return isinstance(key, Scalar) and 0 < len(key.text.text) < 128 and "\n" not in key.text.text


def _is_merge(entry: Entry) -> bool:
    key = entry.key
    return isinstance(key, Scalar) and key.style == "plain" and key.text.text == "<<"
