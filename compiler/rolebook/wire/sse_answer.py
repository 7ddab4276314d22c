"""What the three stream parsers share: from bytes to JSON chunks, and how an answer ends or breaks off."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from rolebook.wire.errors import error_in, unreadable
from rolebook.wire.reading import parsed
from rolebook.wire.sse import ServerEvent, SseDecoder
from rolebook.wire.stream import Finish, StreamError, StreamEvent

_EXCERPT = 200
_END = "[DONE]"  # Chat Completions ends with it, and so do gateways that put other protocols on top


class SseAnswer:
    """Bytes in, events out. The events depend on the bytes alone, not on how `feed` got them; no bytes raise.

    A provider's parser reads one chunk in `_read`, and says in `_end` what an answer ends with and in `_is_whole`
    whether one that has no more bytes is complete.
    """

    __slots__ = ("_ended", "_sse")

    def __init__(self) -> None:
        self._sse = SseDecoder()
        self._ended = False

    def feed(self, chunk: bytes) -> list[StreamEvent]:
        """The events that `chunk` completes; none once the answer has ended."""
        return [event for sent in self._sse.feed(chunk) for event in self._take(sent)]

    def close(self) -> list[StreamEvent]:
        """The events left when the connection closes. In the middle of an answer that is a `StreamError`.

        An answer that is whole lacks nothing, though the connection broke off in what would have followed it.
        """
        left = [sent for sent in self._sse.close() if not (self._is_whole() and _is_cut_off(sent))]
        events = [event for sent in left for event in self._take(sent)]
        if not self._ended:
            self._ended = True
            events += self._end() if self._is_whole() else [_broken_off(self._sse.stray)]
        return events

    def _read(self, chunk: dict[str, Any]) -> Iterator[StreamEvent]:
        raise NotImplementedError

    def _end(self) -> Iterator[StreamEvent]:
        raise NotImplementedError

    def _is_whole(self) -> bool:
        raise NotImplementedError

    def _take(self, sent: ServerEvent) -> Iterator[StreamEvent]:
        """The events of one server-sent event, none once the answer has ended."""
        if self._ended:
            return
        for event in self._events(sent):
            yield event
            if isinstance(event, Finish | StreamError):
                self._ended = True
                return

    def _events(self, sent: ServerEvent) -> Iterator[StreamEvent]:
        data = sent.data.strip()
        if not data:
            return
        if data == _END:
            yield from self._end()
            return
        chunk = parsed(data)
        error = error_in(chunk, sent.event, sent.data)
        if error is not None:
            yield StreamError(error.message, error.status, error.retry_after)
        elif isinstance(chunk, dict):
            yield from self._read(chunk)
        else:
            yield StreamError(f"the stream holds what is no chunk: {sent.data[:_EXCERPT]}")


def _is_cut_off(sent: ServerEvent) -> bool:
    data = sent.data.strip()
    return data != _END and not isinstance(parsed(data), dict)


def _broken_off(stray: str) -> StreamError:
    """The error for a stream that just ends; `stray` is what came instead of one."""
    if not stray.strip():
        return StreamError("the stream ended before the answer did")
    error = error_in(parsed(stray), "", stray)
    if error is not None:
        return StreamError(error.message, error.status, error.retry_after)
    return StreamError(f"the answer is no event stream: {unreadable(stray)}")
