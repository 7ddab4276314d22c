"""Server-sent events: the framing, and that it doesn't matter where the network cuts."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rolebook.wire.sse import ServerEvent, SseDecoder

CASES: dict[str, tuple[bytes, list[tuple[str, str]]]] = {
    "one event": (b"data: a\n\n", [("message", "a")]),
    "the three line ends": (
        b"data: a\r\n\r\ndata: b\r\rdata: c\n\n",
        [("message", "a"), ("message", "b"), ("message", "c")],
    ),
    "several data lines": (b"data: a\ndata:\ndata: b\n\n", [("message", "a\n\nb")]),
    "a type": (b"event: error\ndata: a\n\ndata: b\n\n", [("error", "a"), ("message", "b")]),
    "comments and keep-alives": (b": OPENROUTER PROCESSING\n\n:\n\ndata: a\n\n", [("message", "a")]),
    "one space after the colon is the field's": (b"data:  a\ndata:b\n\n", [("message", " a\nb")]),
    "a field without a value": (b"data\n\n", [("message", "")]),
    "a type without data is no event": (b"event: ping\n\ndata: a\n\n", [("message", "a")]),
    "id and retry": (b"id: 1\nretry: 5\ndata: a\n\n", [("message", "a")]),
    "a byte order mark": (b"\xef\xbb\xbfdata: a\n\n", [("message", "a")]),
    "no blank line at the end": (b"data: a\n\ndata: b", [("message", "a"), ("message", "b")]),
    "characters of several bytes, and separators that are no line ends": (
        "data: é😀\u2028x\x0by\n\n".encode(),
        [("message", "é😀\u2028x\x0by")],
    ),
    "bytes that are no UTF-8": (b"data: a\xff\xf0\x9f\n\n", [("message", "a\ufffd\ufffd")]),
}


def decode(*chunks: bytes) -> tuple[list[ServerEvent], str]:
    decoder = SseDecoder()
    events = [event for chunk in chunks for event in decoder.feed(chunk)]
    return [*events, *decoder.close()], decoder.stray


@pytest.mark.parametrize("case", CASES)
def test_events(case: str) -> None:
    data, expected = CASES[case]
    assert decode(data) == ([ServerEvent(*event) for event in expected], "")


@pytest.mark.parametrize("case", CASES)
def test_any_cut_gives_the_same_events(case: str) -> None:
    data = CASES[case][0]
    whole = decode(data)
    assert decode(*(data[index : index + 1] for index in range(len(data)))) == whole
    for cut in range(len(data)):
        assert decode(data[:cut], b"", data[cut:]) == whole


BYTES = st.lists(st.sampled_from([b"data:", b"event", b":", b" ", b"\r", b"\n", b"a", "😀".encode(), b"\xf0", b"\x9f"]))


@given(st.one_of(st.binary(), BYTES.map(b"".join)), st.data())
def test_arbitrary_bytes_cut_anywhere(data: bytes, draw: st.DataObject) -> None:
    cuts = sorted(draw.draw(st.lists(st.integers(0, len(data)), max_size=6)))
    bounds = [0, *cuts, len(data)]
    assert decode(*(data[a:b] for a, b in pairwise(bounds))) == decode(data)


def test_what_is_no_event_stream_is_kept() -> None:
    assert decode(b'{"error": "no"}') == ([], '{"error": "no"}\n')
    assert len(decode(b"x" * 5_000)[1]) == 2_000
