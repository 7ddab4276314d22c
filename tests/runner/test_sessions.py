"""State while a turn runs, and what a caller gives a turn. What stores do is tested in `tests/sessions`."""

from __future__ import annotations

import pytest
from play import in_turn, played, say

from rolebook_runner.errors import RunError
from rolebook_runner.sessions.state import Line, ToolState


async def test_state_given_with_a_message_is_stored_with_it() -> None:
    play = played(
        "name: a\ninstruction: For {name}.\nstate: {name: {default: nobody}}", models=in_turn(a=[say("x")] * 2)
    )
    await play.turn("one")
    await play.turn("two", state={"name": "Ann"})
    assert [call.request.dynamic_system_instruction for call in play.calls] == ["For nobody.", "For Ann."]
    assert [event.metadata.get("state") for event in play.events if event.author == "user"] == [None, {"name": "Ann"}]


@pytest.mark.parametrize("state", [{"temp:x": 1}, {"x": object()}])
async def test_state_that_cannot_be_given(state: dict[str, object]) -> None:
    with pytest.raises(RunError):
        await played("name: a").turn("x", state=state)


def test_a_tools_view_of_state() -> None:
    state = ToolState({"a": 1, "list": [1], "gone": 2, "null": None})
    state["b"] = {1, 2}  # type: ignore[assignment]
    state["list"].append(2)  # type: ignore[union-attr]
    del state["gone"]
    state["a"] = None
    assert dict(state) == {"b": [1, 2], "list": [1, 2]}
    assert ("a" in state, "null" in state, "gone" in state, len(state)) == (False, False, False, 2)
    assert state.changes() == {"list": [1, 2], "b": [1, 2], "gone": None, "a": None}


def test_reading_alone_writes_nothing_and_shares_nothing() -> None:
    before = {"list": [1], "deep": {"a": [1]}}
    state = ToolState(before)
    assert state["list"] == [1] and state.to_dict() == before
    assert state.changes() == {}
    state["deep"]["a"].append(2)  # type: ignore[index,call-overload,union-attr]
    assert before["deep"] == {"a": [1]}


def test_forks_are_merged_in_their_order() -> None:
    line = Line({"a": 0})
    first, second = line.fork(), line.fork()
    second.write({"a": 2, "both": 1})
    first.write({"a": 1, "both": 1, "own": 1})
    assert (first.values["a"], second.values["a"], line.values["a"]) == (1, 2, 0)
    assert line.join([first, second]) == {"a": 2}
    assert line.values == {"a": 2, "both": 1, "own": 1}
