"""Near misses of placeholders, and code in prompts: what holds for every text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rolebook.syntax.code import Code
from rolebook.syntax.near_template import near_placeholders
from rolebook.syntax.template import TemplateSyntax, placeholders
from rolebook.text import Span

PIECES = st.lists(
    st.sampled_from(
        [*"{}<>?:.-|`\\ \n$#", "app", "user", "usr", "artifact", "name", "x", "é", "7", "```", "{{", "}}", " = "]
    )
)
SYNTAXES = st.sampled_from(["braces", "angles"])


@given(PIECES.map("".join), SYNTAXES)
def test_a_near_miss_is_no_placeholder_and_what_was_meant_is_one(text: str, syntax: TemplateSyntax) -> None:
    filled = [each.span for each in placeholders(text, syntax)]
    for near in near_placeholders(text, syntax):
        written = text[near.span.start : near.span.end]
        assert near.span not in filled and near.key
        if near.flaw != "doubled":
            assert list(placeholders(written, syntax)) == []
        if near.meant is not None:
            (meant,) = placeholders(near.meant, syntax)
            assert meant.span == (0, len(near.meant)) and meant.key == near.key and meant.optional == near.optional


@given(st.text("{}ab\n"))
def test_braces_nest_as_in_a_plain_count(text: str) -> None:
    code = Code(text)
    partner: dict[int, int] = {}
    opened: list[int] = []
    for at, char in enumerate(text):
        if char == "{":
            opened.append(at)
        elif char == "}" and opened:
            partner[opened.pop()] = at
    for at in range(len(text)):
        assert code.is_nested(at) == any(start < at < end for start, end in partner.items())
        if text[at] == "{":
            assert code.is_closed(at) == (at in partner)


CODE = [
    ("a `b` c", [False, True, False]),
    ("a\n```\nb\n```\nc", [False, True, False]),
    ("a\n~~~~\n~~~\nb\n~~~~\nc", [False, True, False]),
    ("a ``b`c`` d `b", [False, True, False]),
    ("a\n```\nb and no end c", [False, True, True]),
]


@pytest.mark.parametrize(("text", "marked"), CODE, ids=[row[0] for row in CODE])
def test_code_in_markdown(text: str, marked: list[bool]) -> None:
    code = Code(text)
    places = [text.index("a"), text.index("b"), len(text) - 1]
    assert [code.is_marked(at) for at in places] == marked


PROSE = [
    ("Hello { name }!", True),
    ("你好{ name }", True),
    ("f({ name })", True),
    ("\\frac{ name }", False),
    ("x_{ name }", False),
    ("const { name } = props", False),
    ("f'{ name }'", False),
    ("x = { name }", False),
    ("({ name }) => 1", False),
    ('{"a": { name }}', False),
    ("return { name };", False),
    ("Yes; { name }", False),
]


@pytest.mark.parametrize(("text", "prose"), PROSE, ids=[row[0] for row in PROSE])
def test_prose(text: str, prose: bool) -> None:
    start = text.index("{ name }")
    assert Code(text).is_prose(Span(start, start + 8)) == prose
