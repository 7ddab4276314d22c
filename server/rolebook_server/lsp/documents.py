"""The open documents as texts that never change: each edit of the client makes a new one."""

from __future__ import annotations

from collections.abc import Sequence

from lsprotocol import types as lsp

from rolebook.text import Edit, Encoding, Span, Text, apply
from rolebook_server.lsp.convert import to_offset


def edited(text: Text, changes: Sequence[lsp.TextDocumentContentChangeEvent], encoding: Encoding) -> Text:
    """The text after the changes of one notification, each counted in what the one before it left."""
    for change in changes:
        if isinstance(change, lsp.TextDocumentContentChangePartial):
            start = to_offset(change.range.start, text, encoding)
            end = max(to_offset(change.range.end, text, encoding), start)
            text = Text(apply(text.source, [Edit(Span(start, end), change.text)]))
        else:
            text = Text(change.text)
    return text
