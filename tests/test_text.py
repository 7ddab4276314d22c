"""Lines, columns in three encodings, edits, and the map from decoded text to its source."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rolebook.text import Edit, Encoding, MappedText, Position, Span, Text, Utf8Offsets, apply, join

ANY = st.text(st.sampled_from("ab\n\r\x0c\x85\u2028é変🙂\u0301"))
ENCODINGS = st.sampled_from(["utf-8", "utf-16", "utf-32"])


def test_lines_end_where_the_protocol_says() -> None:
    assert Text("a\nb\r\nc\rd\x0ce\u2028f\x85g").line_starts == [0, 2, 5, 7]


def test_columns_in_each_encoding() -> None:
    text = Text("é🙂x")
    assert text.position(2, "utf-8") == Position(0, 6)
    assert text.position(2, "utf-16") == Position(0, 3)
    assert text.position(2, "utf-32") == Position(0, 2)


@given(ANY, st.integers(0, 40), ENCODINGS)
def test_positions_come_back(source: str, offset: int, encoding: Encoding) -> None:
    text = Text(source)
    offset = min(offset, len(source))
    found = text.offset(text.position(offset, encoding), encoding)
    inside_line_end = source[offset - 1 : offset + 1] == "\r\n"
    assert found == offset - inside_line_end


@given(ANY, st.integers(-2, 9), st.integers(-2, 2_000_000), ENCODINGS)
def test_positions_past_the_ends_are_clamped(source: str, line: int, character: int, encoding: Encoding) -> None:
    assert 0 <= Text(source).offset(Position(line, character), encoding) <= len(source)


@given(ANY)
def test_utf8_offsets_equal_encoding(source: str) -> None:
    offsets = Utf8Offsets.of(source)
    for index in range(len(source) + 1):
        byte = len(source[:index].encode())
        assert (offsets.code_points(byte) if offsets else byte) == index


def test_edits_apply_together() -> None:
    assert apply("abcdef", [Edit(Span(4, 5), "E"), Edit(Span(0, 1), ""), Edit(Span(2, 2), "-")]) == "b-cdEf"


def test_overlapping_edits_are_refused() -> None:
    with pytest.raises(ValueError, match="overlaps"):
        apply("abc", [Edit(Span(0, 2), ""), Edit(Span(1, 3), "")])


def test_mapped_text_knows_its_source() -> None:
    text = join([MappedText.verbatim("ab", 10), MappedText("c", (0,), (Span(12, 16),)), MappedText.verbatim("de", 20)])
    assert text.text == "abcde"
    assert text.source(1, 2) == Span(11, 12)
    assert text.source(2, 3) == Span(12, 16)
    assert text.source(1, 4) == Span(11, 21)
    assert text.source(5, 5) == Span(22, 22)
    assert [text.decoded(offset) for offset in (10, 11, 12, 14, 18, 20, 22, 23)] == [0, 1, 2, 2, None, 3, 5, None]
