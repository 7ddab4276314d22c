"""The base protocol of LSP: messages behind headers, cut out of a stream of bytes and put into one.

Reading takes what clients get wrong: header names in any case, lines that end in a bare `\\n`, unknown headers. What is
no header at all is passed over up to the next line that could be one, and told once.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

_LONGEST_HEADER = 8192
_LARGEST_BODY = 1 << 30
"""Bytes. A length beyond this is a broken header, not a message to wait for."""


class Broken:
    """Bytes that are no message, and why."""

    def __init__(self, reason: str) -> None:
        self.reason = reason


class Frames:
    """Collects bytes, in whatever pieces they come, and gives the bodies of the messages that are complete."""

    def __init__(self) -> None:
        self._data = bytearray()
        self._length: int | None = None
        self._in_header = False

    def feed(self, data: bytes) -> Iterator[bytes | Broken]:
        self._data += data
        while True:
            if self._length is not None and not self._in_header:
                if len(self._data) < self._length:
                    return
                body = bytes(self._data[: self._length])
                del self._data[: self._length]
                self._length = None
                yield body
                continue
            end = self._data.find(b"\n")
            if end < 0:
                if len(self._data) > _LONGEST_HEADER:
                    self._data.clear()
                    yield Broken("a header line has no end")
                return
            line = bytes(self._data[:end]).rstrip(b"\r")
            del self._data[: end + 1]
            if (broken := self._header(line)) is not None:
                yield broken

    def _header(self, line: bytes) -> Broken | None:
        """Takes one line of a header; the empty one ends it."""
        if not line:
            missing = self._in_header and self._length is None
            self._in_header = False
            return Broken("a message has no Content-Length") if missing else None
        self._in_header = True
        name, colon, value = line.partition(b":")
        if not colon:
            return Broken("a header line has no colon")
        if name.strip().lower() == b"content-length":
            digits = value.strip()
            if not digits.isdigit() or len(digits) > 12 or int(digits) > _LARGEST_BODY:
                return Broken("Content-Length is no sound number")
            self._length = int(digits)
        return None


def framed(message: dict[str, Any]) -> bytes:
    """The bytes of a message. Lone surrogates, which UTF-8 can't hold, stay as JSON escapes."""
    text = json.dumps(message, ensure_ascii=False, separators=(",", ":"))
    try:
        body = text.encode("utf-8")
    except UnicodeEncodeError:
        body = json.dumps(message, separators=(",", ":")).encode("ascii")
    return b"Content-Length: %d\r\n\r\n%b" % (len(body), body)
