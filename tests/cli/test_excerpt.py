"""Excerpts as they are drawn: `»…«` marks the span in the source."""

from __future__ import annotations

import pytest

from rolebook.text import Span, Text
from rolebook_cli.excerpt import excerpt, visible

CASES = {
    "a word": ("name: »a«\n", ["  1 | name: a", "    |       ^"]),
    "an empty span": ("name:»«\n", ["  1 | name:", "    |      ^"]),
    "the end of the text": ("a: b\n»«", ["  2 |", "    | ^"]),
    "a tab takes the room to its stop": ("a\t»b«\n", ["  1 | a   b", "    |     ^"]),
    "wide characters": ("k: 日本»語«\n", ["  1 | k: 日本語", "    |        ^^"]),
    "an emoji of several": ("👩‍👩‍👧 »x«\n", ["  1 | 👩‍👩‍👧 x", "    |    ^"]),
    "marks take no room": ("e\u0301 »x«\n", ["  1 | e\u0301 x", "    |   ^"]),
    "a flag": ("🇩🇪 »x«\n", ["  1 | 🇩🇪 x", "    |    ^"]),
    "control characters": ("\x1b[31m »x«\u202e\n", ["  1 | \\x1b[31m x\\u202e", "    |          ^"]),
    "windows line ends": ("a: »b«\r\nc: d\r\n", ["  1 | a: b", "    |    ^"]),
    "two lines": (
        "a: »b\n  c«\n",
        ["  1 | a: b", "    |    ^", "  2 |   c", "    |   ^"],
    ),
    "the line end at the end": ("»a: b\n«c: d\n", ["  1 | a: b", "    | ^^^^"]),
    "many lines": (
        "\n" * 8 + "a: »b\n  c\n  d\n  e«\n",
        ["   9 | a: b", "     |    ^", "     …", "  12 |   e", "     |   ^"],
    ),
}


def marked(source: str) -> tuple[Text, Span]:
    start, end = source.index("»"), source.index("«") - 1
    return Text(source.replace("»", "").replace("«", "")), Span(start, end)


@pytest.mark.parametrize(("source", "drawn"), CASES.values(), ids=CASES)
def test_as_drawn(source: str, drawn: list[str]) -> None:
    text, span = marked(source)
    assert excerpt(text, span, "red") == drawn


@pytest.mark.parametrize("before", [0, 5, 40, 500, 10_000])
@pytest.mark.parametrize("after", [0, 5, 40, 500, 10_000])
def test_a_long_line_is_cut_around_the_carets(before: int, after: int) -> None:
    text, span = marked("x" * before + "»HERE«" + "y" * after)
    line, carets = excerpt(text, span, "red")
    at = carets.index("^")
    assert line[at : at + carets.count("^")] == "HERE"
    assert len(line) < 120
    assert ("…" in line) == (before + 4 + after > 100)


def test_a_long_span_has_no_more_carets_than_what_is_shown() -> None:
    text, span = marked("a: »" + "x" * 5000 + "«")
    line, carets = excerpt(text, span, "red")
    assert len(carets) <= len(line) < 120


def test_an_empty_text_has_no_excerpt() -> None:
    assert excerpt(Text(""), Span(0, 0), "red") == []


def test_a_place_past_the_end_is_the_end() -> None:
    assert excerpt(Text("a"), Span(7, 9), "red") == ["  1 | a", "    |  ^"]


def test_what_a_terminal_obeys_is_shown() -> None:
    assert visible("a\x1b]0;x\x07\x9b1m\r\n\t\u2028\u202eé日\udc80") == (
        "a\\x1b]0;x\\x07\\x9b1m\\x0d\\x0a\\x09\\u2028\\u202eé日\\udc80"
    )
    assert visible("a\n\tb\x00", keep="\n\t") == "a\n\tb\\x00"
