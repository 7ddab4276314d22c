"""One proposal of completion, as a plain value."""

from __future__ import annotations

from typing import Literal

from rolebook.record import Record
from rolebook.text import Span

ItemKind = Literal["key", "value", "file", "state", "agent"]


class Item(Record):
    """One proposal: `text` takes the place of `span`.

    `snippet` is the same for a client with tab stops, in the syntax of LSP; empty where it would be no other. Clients
    add the line's indent to its other lines, while those of `text` have all of theirs (`insertTextMode` asIs). `sort`
    orders the proposals where their labels wouldn't. `id` is what `resolve` makes the documentation from, for one
    whose making takes time; else `documentation` is all there is.
    """

    label: str
    kind: ItemKind
    text: str
    span: Span
    documentation: str = ""
    snippet: str = ""
    detail: str = ""
    sort: str = ""
    preselect: bool = False
    id: str = ""
