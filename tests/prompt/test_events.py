"""What a file of events may hold: whatever JSON it is, the user gets a sentence and no traceback."""

from __future__ import annotations

import pytest
from build import tree
from hypothesis import given
from hypothesis import strategies as st

from rolebook.json import JsonObject
from rolebook.prompt.compile import compile_request
from rolebook.prompt.context import Context
from rolebook.prompt.events import event_from_json

WRONG: list[tuple[JsonObject, str]] = [
    ({"author": "user"}, "no `id`"),
    ({"id": [1], "author": "user"}, "text or a number"),
    ({"id": 1, "author": "user", "invocation": {}}, "text or a number"),
    ({"id": 1, "author": "user", "handed_from": []}, "text or a number"),
    ({"id": 1, "author": "user", "replaces": [[]]}, "text or a number"),
    ({"id": 1, "author": "user", "replaces": "ab"}, "list of ids"),
    ({"id": 1, "author": "user", "metadata": [1]}, "an object"),
    ({"id": 1, "author": "user", "parts": ["x"]}, "list of objects"),
    ({"id": 1, "author": "user", "branch": 3}, "text or null"),
]


@pytest.mark.parametrize(("data", "sentence"), WRONG)
def test_what_is_no_event_is_told(data: JsonObject, sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        event_from_json(data)


IDS = st.one_of(st.none(), st.integers(0, 5), st.sampled_from(["a", "b"]), st.floats(), st.lists(st.integers()))
DATA = st.fixed_dictionaries(
    {"id": IDS, "author": st.sampled_from(["user", "a", "b", "system:compaction"])},
    optional={
        "branch": st.sampled_from([None, "root.a", "root", "root.b", 3]),
        "text": st.text(max_size=3),
        "invocation": IDS,
        "handed_from": IDS,
        "replaces": st.one_of(st.lists(IDS, max_size=4), st.integers(), st.just("ab")),
    },
)
DEFINITION = """
name: a
include_contents: NONE
context_compressor:
  - {strategy: summarize, keep_recent: 2}
  - {strategy: sliding_window, invocations: 2}
  - {strategy: token_budget, token_budget: 30}
"""


@pytest.mark.parametrize("include_contents", ["default", "none"])
@given(st.lists(DATA, max_size=10))
def test_whatever_is_an_event_compiles(include_contents: str, given_events: list[JsonObject]) -> None:
    events = []
    for data in given_events:
        try:
            events.append(event_from_json(data))
        except ValueError:
            continue
    built = tree(DEFINITION.replace("NONE", include_contents))
    compile_request(built, built.root, Context(), events).request.to_json()
