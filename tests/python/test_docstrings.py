"""Docstrings apart from functions: what ends the description, and whose text is whose."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rolebook.definition.docstring import parse_docstring


@pytest.mark.parametrize(
    ("text", "description", "parameters"),
    [
        (None, "", {}),
        ("", "", {}),
        ("  \n \n", "", {}),
        ("One line.", "One line.", {}),
        ("One.\n\n    Two,\n      indented.\n    ", "One.\n\nTwo,\n  indented.", {}),
        ("One.\n\nArgs:\n    a: A.\n    *b: B.\n    **c (dict): C.\n", "One.", {"a": "A.", "b": "B.", "c": "C."}),
        ("One.\n\nArgs:\n    a:\n        On the next line.\n    b: B.", "One.", {"a": "On the next line.", "b": "B."}),
        ("One.\n\nArgs:\n    a: A\n    without indent\n    b: B.", "One.", {"a": "A\nwithout indent", "b": "B."}),
        ("One.\n\nArgs:\n    a (Callable[[int], str]): A: with a colon.", "One.", {"a": "A: with a colon."}),
        ("One.\n\nReturns:\n    a: Not a parameter.", "One.", {}),
        ("One.\n\nArgs:\n", "One.\n\nArgs:", {}),
        ("One.\n\nArgs: none", "One.\n\nArgs: none", {}),
        ("One.\n\nWarning:\n    Hot.\n\nArgs:\n    a: A.", "One.\n\nWarning:\n    Hot.", {"a": "A."}),
        ("One.\n\nArgs:\n    a: A.\n\nWarning:\n    Hot.", "One.", {"a": "A."}),
        ("One.\n\nParameters\n----------\na\n    A.\nb : int\n\nReturns\n-------\nb\n    X.", "One.", {"a": "A."}),
        ("One.\n\nNotes\n-----\nText.", "One.\n\nNotes\n-----\nText.", {}),
        ("One.\n\n:param a: A.\n:param str b:\n    B.\n:return: X.", "One.", {"a": "A.", "b": "B."}),
        ("One: two.\n:ref: is no field", "One: two.\n:ref: is no field", {}),
        (":param a: A.", "", {"a": "A."}),
        ("One.\r\n\r\nArgs:\r\n    a: A.\r\n".replace("\r\n", "\n"), "One.", {"a": "A."}),
        ("One.\n\nArgs:\n\ta: A.\n\t\tMore.", "One.", {"a": "A.\nMore."}),
        ("Args:\n    a: First.\n\nKeyword Args:\n    a: Second.\n    b: B.", "", {"a": "First.", "b": "B."}),
    ],
)
def test_docstring(text: str | None, description: str, parameters: dict[str, str]) -> None:
    found = parse_docstring(text)
    assert (found.description, dict(found.parameters)) == (description, parameters)


@given(st.text(alphabet="a:- \n\t()*@Args,Parmtes", max_size=200))
def test_any_text_is_a_docstring(text: str) -> None:
    parse_docstring(text)
