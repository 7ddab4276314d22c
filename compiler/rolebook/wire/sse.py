"""Server-sent events from bytes, wherever the network cut them (HTML standard, section 9.2).

Two liberties: the end of the stream completes an event that lacks its blank line, since servers forget it; and text
that is no event stream at all is kept, since it is what an error looks like that came where a stream was expected.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator

from rolebook.record import Record

_LINE_END = re.compile(r"\r\n|\r|\n")
_IGNORED_FIELDS = frozenset({"id", "retry", ""})  # an empty field name makes the line a comment
_STRAY_LIMIT = 2_000


class ServerEvent(Record):
    """One event. `event` is its type, "message" where the server gives none; `data` its lines joined by a line feed."""

    event: str
    data: str


class SseDecoder:
    """Bytes in, events out. The events depend on the bytes alone, not on how `feed` got them; no bytes raise."""

    __slots__ = ("_after_cr", "_data", "_event", "_line", "_started", "_stray", "_utf8")

    def __init__(self) -> None:
        self._utf8 = codecs.getincrementaldecoder("utf-8")("replace")
        self._line: list[str] = []
        self._data: list[str] = []
        self._event = ""
        self._stray = ""
        self._after_cr = False
        self._started = False

    @property
    def stray(self) -> str:
        """The beginning of the text, at most 2,000 characters, that belongs to no event stream."""
        return self._stray

    def feed(self, chunk: bytes) -> Iterator[ServerEvent]:
        """The events that `chunk` completes."""
        yield from self._take(self._utf8.decode(chunk))

    def close(self) -> Iterator[ServerEvent]:
        """The event that the end of the stream completes, if any."""
        yield from self._take(self._utf8.decode(b"", final=True))
        self._read_field(self._whole_line())
        yield from self._dispatch()

    def _take(self, text: str) -> Iterator[ServerEvent]:
        if not text:
            return
        if not self._started:
            self._started = True
            text = text.removeprefix("\ufeff")
        if self._after_cr:
            text = text.removeprefix("\n")
            self._after_cr = False
        self._after_cr = text.endswith("\r")
        *lines, rest = _LINE_END.split(text)
        for line in lines:
            self._line.append(line)
            whole = self._whole_line()
            if whole:
                self._read_field(whole)
            else:
                yield from self._dispatch()
        if rest:
            self._line.append(rest)

    def _whole_line(self) -> str:
        line = "".join(self._line)
        self._line.clear()
        return line

    def _read_field(self, line: str) -> None:
        field, _, value = line.partition(":")
        value = value.removeprefix(" ")
        if field == "data":
            self._data.append(value)
        elif field == "event":
            self._event = value
        elif field not in _IGNORED_FIELDS:
            self._stray = (self._stray + line + "\n")[:_STRAY_LIMIT]

    def _dispatch(self) -> Iterator[ServerEvent]:
        """The collected event. One without data is none (HTML standard)."""
        data, event = self._data, self._event
        self._data, self._event = [], ""
        if data:
            yield ServerEvent(event or "message", "\n".join(data))
