"""PyYAML's verdict, and where it lies. The place is marked « »."""

from __future__ import annotations

import pytest

from rolebook.syntax.yaml.judge import refusal

CASES = {
    "a line separator in a plain text": ("name: a«\u2028»b\n", "U+2028"),
    "one in a block text": ("name: a\ninstruction: |\n  x«\u2028»y\n  z\n", "U+2028"),
    "next line, far above where PyYAML gives up": ("instruction: |\n  one«\x85»two\n  three\n\n  four\n", "U+0085"),
    "one in a comment": ("name: a # x«\u2029»y\n", "U+2029"),
    "a control character": ("name: a«\x07»b\n", "U+0007"),
    "a control character behind a byte order mark": ("\ufeffname: a«\x07»b\n", "U+0007"),
    "what has another cause": ("a: 'x\u2028y'\nb: 1\nc: [d, «}»]\n", "expected the node content"),
}


@pytest.mark.parametrize(("text", "message"), CASES.values(), ids=CASES)
def test_the_problem_points_at_the_cause(text: str, message: str) -> None:
    start, end = text.index("«"), text.index("»") - 1
    fault = refusal(text.replace("«", "").replace("»", ""))
    assert fault is not None
    assert fault.span == (start, end)
    assert message in fault.message


def test_a_line_separator_that_does_no_harm_is_none() -> None:
    assert refusal("name: 'a\u2028b'\n") is None
