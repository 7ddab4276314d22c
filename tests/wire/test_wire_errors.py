"""Error bodies of the providers, one value for all of them, and never a key in it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rolebook.wire.errors import ProviderError, error_in, hide_keys, read_error

DATA = json.loads((Path(__file__).parents[1] / "data" / "wire" / "errors.json").read_text("utf-8"))


@pytest.mark.parametrize("case", DATA["cases"], ids=[case["case"] for case in DATA["cases"]])
def test_error_bodies(case: dict[str, Any]) -> None:
    body = case["body"] if isinstance(case["body"], str) else json.dumps(case["body"])
    expected = ProviderError(status=case["status"], **case["error"])
    assert read_error(case["status"], body.encode(), case.get("headers")) == expected


KEYS = [
    "sk-proj-Ab12Cd34Ef56Gh78",
    "sk-ant-api03-" + "x" * 40,
    "AIza" + "SyD-1234567890abcdefghijklmnopqrstuv",
    "gsk_abcdefghij0123456789",
    "xai-abcdefghij0123456789",
    "hf_abcdefghijklmnop",
    "sk-ab***********************wxyz",
]


@pytest.mark.parametrize("key", KEYS)
def test_a_key_is_in_no_error(key: str) -> None:
    for body in (
        {"error": {"message": f"Incorrect API key provided: {key}. See your account.", "code": "invalid_api_key"}},
        {"error": f"bad key '{key}'"},
        {"detail": [{"msg": f"Bearer {key}"}]},
        [{"error": {"code": 400, "message": f"key={key}"}}],
        f"<html>{key}</html>",
    ):
        text = body if isinstance(body, str) else json.dumps(body)
        assert key not in repr(read_error(401, text.encode()))


@pytest.mark.parametrize(
    ("text", "hidden"),
    [
        ("Authorization: Bearer 0123456789abcdef0123", "Authorization: Bearer …"),
        ('api_key="0123456789abcdef0123"', 'api_key="…"'),
        ("maximum token authentication_configuration", "maximum token authentication_configuration"),
        ("the key-value-pairs of sk", "the key-value-pairs of sk"),
    ],
)
def test_what_counts_as_a_key(text: str, hidden: str) -> None:
    assert hide_keys(text) == hidden


JSON = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=5)),
    lambda below: st.one_of(
        st.lists(below, max_size=3),
        st.dictionaries(
            st.sampled_from(["error", "message", "code", "status", "type", "details", "retryDelay", "detail", "msg"]),
            below,
            max_size=4,
        ),
    ),
    max_leaves=15,
)


@given(st.integers(100, 599), st.one_of(st.binary(), JSON.map(lambda value: json.dumps(value).encode())), st.text())
def test_no_body_raises(status: int, body: bytes, seconds: str) -> None:
    error = read_error(status, body, {"Retry-After": seconds})
    assert error.status == status
    assert error.retry_after is None or error.retry_after >= 0
    assert len(error.message) <= 2_000


def test_what_is_no_error() -> None:
    for value in (None, 1, "error", [], {}, {"candidates": []}, {"error": None}, {"error": {}}):
        assert error_in(value, "message", "") is None
