"""How a text is written: quoted, or as a block text. What it says stays the same."""

from __future__ import annotations

from collections.abc import Iterator

from rolebook.syntax.yaml import Entry, Mapping, Node, Scalar, Sequence
from rolebook.syntax.yaml.nodes import value_of
from rolebook.syntax.yaml.quote import quoted
from rolebook.text import Edit, Text
from rolebook_server.ide.changes import Changes, Refusal, applied, fitted, in_file
from rolebook_server.ide.refactorings.blocks import block_text, column_of
from rolebook_server.ide.refactorings.offer import Offer, Where

_TEXTS = frozenset(
    {"instruction", "global_instruction", "static_instruction", "identity", "description", "summary_instruction", "say"}
)
"""Keys whose values are prose, so that a block text is a choice."""


def offers(where: Where) -> Iterator[Offer]:
    found = where.found
    if found is None or not found.entries or not isinstance(found.node, Scalar):
        return
    entry = found.entries[-1]
    node = entry.value
    if not isinstance(node, Scalar) or node.broken or not isinstance(node.value, str) or not node.text.text:
        return
    if node.style == "plain" and node.span.holds(where.span.start) and not found.on_key:
        yield Offer("quote", "Quote the text", "refactor.rewrite", lambda: quote(where, node))
    in_block = not _in_flow(where.source.document.root, entry)
    if entry.name in _TEXTS and node.style not in ("literal", "folded") and in_block:
        yield Offer("block", f"Write `{entry.name}` as a block text", "refactor.rewrite", lambda: block(where, entry))


def quote(where: Where, node: Scalar) -> Changes | Refusal:
    if "\n" in node.text.text:
        return Refusal("a text of several lines is better written as a block text")
    return _same_value(where, [Edit(node.span, quoted(node.text.text))])


def block(where: Where, entry: Entry) -> Changes | Refusal:
    """The value below its key, line by line as the model reads it."""
    text, node = where.source.text, entry.value
    written = block_text(node.text.text, _indent_of(text, entry) + 2) if isinstance(node, Scalar) else None
    if written is None:
        return Refusal("this text has characters or blanks that a block text can't hold")
    return _same_value(where, [Edit(node.span, written)])


def _indent_of(text: Text, entry: Entry) -> int:
    return column_of(text, entry.key.span.start)


def _same_value(where: Where, edits: list[Edit]) -> Changes | Refusal:
    """The edits, if the file says the same with them."""
    changes = in_file(where.path, fitted(where.source.text.source, edits))
    after = applied(where.snapshot, changes).source(where.path)
    before = where.source.document
    if after is None or (after.document.faults != before.faults and len(after.document.faults) > len(before.faults)):
        return Refusal("YAML would read the file in another way")
    if _said(after.document.root) != _said(before.root):
        return Refusal("YAML would read another text")
    return changes


def _said(root: Node) -> str:
    return repr(value_of(root))


def _in_flow(root: Node, entry: Entry) -> bool:
    """Whether an entry stands between brackets, where no block text can."""
    pending: list[tuple[Node, bool]] = [(root, False)]
    seen: set[int] = set()
    while pending:
        node, flow = pending.pop()
        if id(node) in seen or isinstance(node, Scalar):
            continue
        seen.add(id(node))
        inside = flow or node.flow
        if isinstance(node, Mapping):
            if any(each is entry for each in node.entries):
                return inside
            pending += [(each.value, inside) for each in node.entries]
        elif isinstance(node, Sequence):
            pending += [(item, inside) for item in node.items]
    return True
