"""Our YAML against PyYAML: the same values, and each decoded character at its place in the source."""

from __future__ import annotations

import subprocess
import sys
from math import isnan
from typing import Any

import pytest
import yaml
from corpus import files, needs_corpus
from hypothesis import example, given
from hypothesis import strategies as st
from spans import check_spans

from rolebook.syntax.yaml import parse, value_of
from rolebook.syntax.yaml.judge import refusal

SCALARS = [
    "a: plain",
    "a: 'it''s'",
    'a: "tab\\t \\x41 \\u00e9 \\U0001F642 \\" \\\\ \\/ \\e \\N \\_ \\L"',
    'a: "one\n\n  two \\\n  three"',
    "a: 'one\n  two\n\n\n  three'",
    "a: one\n  two\n\n  three\nb: 1",
    "a: |\n  x\n   y\n\n  z\n",
    "a: |-\n  x\n\n\n",
    "a: |+\n  x\n\n\nb: 1",
    "a: |2\n    x\n   y\n",
    "a: |1-\n  x\n",
    "a: >\n  one\n  two\n\n  three\n\n\n  four\n",
    "a: >\n  one\n   more\n  two\n",
    "a: >-\n\n  one\n\n",
    "a: >+\n  one\n\n\n",
    "a: |\n\n  first line is blank\n",
    "a: |\n  no end",
    "a: |\nb: 1",
    "a: |  # a comment\n  x\n",
    "- |\n x\n- - |\n   y\n  - z\n",
    "a:\n- |\n  x\n- y\n",
    "--- |\n x\n",
    "a: [1, -2, +3, 0x1F, 0o17, 017, 0b11, 1_000, 1:30, 1.5, 1., .5, 1e3, 1.0e+3, .inf, -.INF, ~, null, '']",
    "a: [yes, No, ON, off, y, n, True, FALSE, 2001-12-14, 2001-12-14t21:59:43.10-05:00, '=']",
    "a: !!str 1\nb: !!int '3'\nc: !!float 2\nd: !!bool 'yes'\ne: !!null ''\nf: !!binary aGk=\ng: ! 1",
    "a: &x {b: 1}\nc: *x\nd: [*x, *x]",
    "base: &b {x: 1, y: 2}\nme:\n  <<: *b\n  y: 3\ntwo:\n  <<: [{x: 9}, *b]\n  z: 1\n",
    "? complex\n: value\n? only key\n",
    "{a, b: , c: [d: e, f]}",
    "a: 1 # comment\n# another\nb: x#y",
    "\ufeffa: 1\nb:\n - c: |\n    x\n",
    "a: x\r\nb: |\r\n  one\r\n  two\r\nc: 'y\r\n  z'\r\n",
    "a: 変数\nb: '🙂'\nc: naïve # é\nd: |\n  ünï\n  🙂🙂\n",
    "on: 1\nno: 2\n3: x\n~: y",
    "a: 'x'\n...\n",
    "%YAML 1.1\n---\na: 1\n",
    "",
    "# nothing",
    "a:",
    "- ",
]


def same(ours: Any, theirs: Any) -> bool:
    if isinstance(ours, float) and isinstance(theirs, float) and isnan(ours):
        return isnan(theirs)
    if isinstance(ours, dict) and isinstance(theirs, dict):
        return list(ours) == list(theirs) and all(same(ours[key], theirs[key]) for key in ours)
    if isinstance(ours, list) and isinstance(theirs, list):
        return len(ours) == len(theirs) and all(map(same, ours, theirs))
    return type(ours) is type(theirs) and bool(ours == theirs)


@pytest.mark.parametrize("source", SCALARS)
def test_values_equal_pyyaml(source: str) -> None:
    document = parse(source)
    assert document.faults == ()
    assert same(value_of(document.root), yaml.safe_load(source))
    check_spans(source, parse(source))


@needs_corpus
@pytest.mark.parametrize("path", files(), ids=lambda path: "/".join(path.parts[-3:]))
def test_corpus_reads_as_pyyaml_reads_it(path: Any) -> None:
    source = path.read_text(encoding="utf-8")
    document = parse(source)
    accepted = refusal(source) is None
    assert (document.faults == ()) is accepted
    assert not accepted or same(value_of(document.root), yaml.safe_load(source))
    check_spans(source, parse(source))


LINES = st.text(st.sampled_from("ab :#-'\"{}[]|>&*!\\\n\t\r,?é🙂"), max_size=60)
TEXTS = st.text(st.characters(codec="utf-8", exclude_characters="\x85\u2028\u2029", exclude_categories=["Cc", "Cs"]))


@given(LINES)
@example('a: "x\n')
@example("- - - - 'x")
def test_any_text_is_survived(source: str) -> None:
    check_spans(source, parse(source))


LEAVES = TEXTS | st.integers() | st.booleans() | st.none()
VALUES = st.recursive(LEAVES, lambda inner: st.lists(inner) | st.dictionaries(TEXTS, inner))


@given(VALUES, st.sampled_from([None, "'", '"', "|", ">"]), st.booleans())
@example({"": "", "-;": None, "-": [""]}, None, False)  # tree-sitter refuses `-;:` behind a list as deep as its key
def test_dumped_values_come_back(value: Any, style: str | None, flow: bool) -> None:
    source = yaml.safe_dump({"key": value}, default_style=style, default_flow_style=flow, allow_unicode=True)
    document = parse(source)
    assert same(value_of(document.root), yaml.safe_load(source))
    check_spans(source, parse(source))


HOSTILE = {
    "deep flow": "[" * 5000,
    "deep dashes": "- " * 5000 + "x",
    "deep dashes and an open quote": "- " * 5000 + "'x",
    "deep mappings": "".join(" " * depth + "a:\n" for depth in range(400)),
    "deep questions": "? " * 3000,
    "a chain of aliases": "a: &a [1]\n" + "".join(f"b{i}: &b{i} [*{f'b{i - 1}' if i else 'a'}]\n" for i in range(500)),
    "a billion laughs": "a0: &a0 [x, x]\n"
    + "".join(f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 9)}]\n" for i in range(1, 20)),
    "a header of comments in a broken file": "# licence\r\n" * 40 + "name: a\r\ninstruction: Note: x\r\n",
    "a row of exclamation marks": "instruction: " + "!" * 40 + " do it: now\n",
    "a row of ampersands": "instruction: " + "&" * 40 + " do it: now\n",
    "many blank lines": "x:\n" + " " * 100 + "y: 1: 2\n" + "\n" * 40_000,
    "many blanks in a key": "foo" + " " * 40_000 + "bar\nx: y: z\n",
    "many tags": "a: b: c\n" + "".join(f"k{i}: !!str {i}\n" for i in range(5_000)),
    "blank lines in a folded text": "a: b: c\nd: >\n  x\n" + "\n" * 30_000 + "  y\n",
    "blanks in a folded plain text": "a: b: c\nd: x\n  y" + " " * 60_000 + "z\n",
    "values that never end": "a: [\n" * 3000,
    "flow values that never end": "a: {" + ", ".join(f"k{i}: [1, {{a: b}}" for i in range(2000)) + "}\n",
    "an alias in its anchor": "a: &a [*a]",
    "a missing anchor": "a: *b",
    "a null character": "a: \x00",
    "a lone surrogate": "a: \ud800",
    "an impossible date": "a: 2001-99-99",
    "a huge number": "a: " + "9" * 5000,
}


@pytest.mark.parametrize("source", HOSTILE.values(), ids=HOSTILE)
def test_hostile_texts_are_read_with_a_fault(source: str) -> None:
    check_spans(source, parse(source))
    assert parse(source).faults or refusal(source) is None or "9999" in source


def test_a_row_of_dashes_in_a_text_is_text() -> None:
    source = "a: |\n  " + "- " * 200 + "\nb: 1\n"
    assert value_of(parse(source).root) == yaml.safe_load(source)
    assert parse(source).faults == ()


def rows(mark: str, number: int, line_end: str) -> str:
    """Lines that nest into each other, each opening `number` levels by a row of indicators."""
    width = len(mark) * number + 1
    return "".join(f"{' ' * (width * line)}{mark * number}a:{line_end}" for line in range(6))


def test_rows_of_indicators_that_nest_do_not_crash_the_parser() -> None:
    """tree-sitter-yaml would write past a buffer, so this is tried in a process of its own."""
    texts = [rows(mark, n, end) for mark in ("- ", "? ", "a: b: - ") for n in (40, 84, 99) for end in ("\n", "\r")]
    program = (
        "import sys, ast\nfrom rolebook.syntax.yaml import parse\nfor t in ast.literal_eval(sys.stdin.read()): parse(t)"
    )
    done = subprocess.run([sys.executable, "-c", program], input=repr(texts), text=True, capture_output=True)
    assert (done.returncode, done.stderr) == (0, "")
