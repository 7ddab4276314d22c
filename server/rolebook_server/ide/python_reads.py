"""Where Python sources read a key of session state: `X.state["key"]`, `X.state.get("key")`, `"key" in X.state`."""

from __future__ import annotations

import re
from collections.abc import Iterator

from rolebook.text import Span

_BEFORE = re.compile(r"\bstate(?:_delta)?\s{0,20}(?:\[|\.\s{0,20}(?:get|pop|setdefault)\()\s{0,20}\Z")
_AFTER = re.compile(r"\s{1,20}(?:not\s{1,20})?in\s{1,20}[\w.]{0,80}\bstate\b")
_WIDEST = 80
"""Characters before a key that are looked at."""


def reads(module: str, key: str) -> Iterator[Span]:
    """The places of `key`, without its quotes, in the text of a module. Those that set it may be among them.

    What goes through another name (`kept = context.state`) isn't seen. Takes time in proportion to the text.
    """
    for quote in ('"', "'"):
        written = f"{quote}{key}{quote}"
        at = module.find(written)
        while at >= 0:
            end = at + len(written)
            before = module[max(at - _WIDEST, 0) : at]
            if _BEFORE.search(before) or _AFTER.match(module, end):
                yield Span(at + 1, end - 1)
            at = module.find(written, end)
