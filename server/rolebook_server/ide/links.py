"""Links: files of sub-agents, Python sources behind dotted names, pages of rules, addresses in the text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Literal

from rolebook.project.references import resolve
from rolebook.project.snapshot import Snapshot
from rolebook.record import Record
from rolebook.rules import all_rules
from rolebook.text import NOWHERE, Span
from rolebook_server.ide.names import names

_ADDRESS = re.compile(r"\bhttps?://[^\s<>\"'`{}|\\^\[\]]+")
_CLOSING = ".,;:!?*_)"


class Link(Record):
    """`target` is a path, the name of a rule, or an address. `at` is the place in the file that the link leads to."""

    span: Span
    kind: Literal["file", "rule", "address"]
    target: str
    tooltip: str
    at: Span = NOWHERE


def links(snapshot: Snapshot, path: str) -> tuple[Link, ...]:
    """The links of the definition at `path` in its order; none that leads nowhere, and none inside of another."""
    source = snapshot.source(path)
    if source is None:
        return ()
    found = [*_names(snapshot, path), *_addresses(source.text.source)]
    kept: list[Link] = []
    for link in sorted(found, key=lambda link: link.span):
        if not kept or link.span.start >= kept[-1].span.end:
            kept.append(link)
    return tuple(kept)


def _names(snapshot: Snapshot, path: str) -> Iterator[Link]:
    source = snapshot.source(path)
    for name in names(snapshot, source) if source is not None else ():
        if name.kind == "file":
            target = resolve(path, name.text)
            if snapshot.exists(target) == "file":
                agent = snapshot.source(target)
                yield Link(name.span, "file", target, f"Open agent {agent.agent.name}" if agent else "Open file")
        elif name.kind == "function":
            found = snapshot.python(path).binding(name.text)
            if found is not None:
                yield Link(name.span, "file", found.path, "Open Python source", found.span)
        elif name.kind == "rule" and name.text in all_rules():
            yield Link(name.span, "rule", name.text, "Open the rule's page")


def _addresses(text: str) -> Iterator[Link]:
    for match in _ADDRESS.finditer(text) if "://" in text else ():
        address = match.group().rstrip(_CLOSING)
        if len(address) > len("https://"):
            yield Link(Span(match.start(), match.start() + len(address)), "address", address, "Open address")
