"""The offline model: which step speaks, what its placeholders become, and what it says without a script (spec §8)."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from play import played, played_in

from rolebook_runner.signals import Notice, TextDelta

# Script, the user's turns, and the steps (from 1) that spoke in each turn; None is an answer without a script.
TOOL: Any = {"call": {"look": {}}}
STEPS: list[tuple[str, list[Any], list[tuple[str, list[int | None]]]]] = [
    ("one step speaks once a turn", [{"say": "a"}], [("x", [1]), ("y", [1])]),
    ("turn by turn", [{"say": "a"}, {"say": "b"}], [("x", [1]), ("y", [2]), ("z", [1])]),
    ("a call is followed by the next step", [TOOL, {"say": "b"}], [("x", [1, 2]), ("y", [1, 2])]),
    ("`on` must be in the user's text", [{"on": "tea", "say": "a"}, {"say": "b"}], [("x", [2]), ("Tea!", [1])]),
    ("case doesn't matter", [{"on": "STRASSE", "say": "a"}], [("straße", [1])]),
    (
        "the next that matches, around the end",
        [{"say": "a"}, {"on": "x", "say": "b"}],
        [("y", [1]), ("y", [1]), ("x", [2])],
    ),
    ("no step is left", [TOOL], [("x", [1, None])]),
    ("no step matches", [{"on": "tea", "say": "a"}], [("x", [None]), ("tea", [1])]),
    ("no script", [], [("x", [None])]),
]


@pytest.mark.parametrize(("script", "turns"), [pytest.param(*rest, id=name) for name, *rest in STEPS])
async def test_which_step_speaks(tmp_path: Path, script: Any, turns: list[tuple[str, list[int | None]]]) -> None:
    definition = json.dumps({"name": "a", "tools": [{"name": "shelf.look"}], "rehearsal": script})
    play = played_in(tmp_path, {"root_agent.yaml": definition, "shelf.py": "def look() -> int:\n    return 1\n"})
    for text, steps in turns:
        before = len(play.events)
        await play.turn(text)
        noted: list[Any] = [event.metadata.get("rehearsal") for event in play.events[before:]]
        assert [note["step"] for note in noted if note is not None] == steps


# What a step says after a tool returned `RESULT`, with `name` and `count` in state and "Hello {name}" from the user.
RESULT = {"temp": 71.5, "days": [{"sky": "clear"}], "none": None, "text": "warm"}
SAID = [
    ("{result.temp} °F, {result.text}", "71.5 °F, warm"),
    ("{result.days.0.sky}", "clear"),
    ("{result.days}", '[{"sky":"clear"}]'),
    ("{result.days.1.sky} {result.rain} {result.none}", "{result.days.1.sky} {result.rain} {result.none}"),
    ("{result.rain?}.", "."),
    ("{name} has {count}", "Ann has 3"),
    ("{nobody} {nobody?}.", "{nobody} ."),
    ("You said: {input}", "You said: Hello {name}"),
    ("{not a name} {} { name }", "{not a name} {} { name }"),
]


@pytest.mark.parametrize(("written", "said"), SAID)
async def test_placeholders_in_what_it_says(tmp_path: Path, written: str, said: str) -> None:
    script = [{"call": {"look": {}}}, {"say": written}]
    definition = json.dumps({"name": "a", "tools": [{"name": "shelf.look"}], "rehearsal": script})
    files = {"root_agent.yaml": definition, "shelf.py": f"def look() -> dict:\n    return {RESULT!r}\n"}
    play = await played_in(tmp_path, files).turn("Hello {name}", state={"name": "Ann", "count": 3})
    assert play.last.text == said


async def test_placeholders_in_arguments_keep_their_type(tmp_path: Path) -> None:
    args = {
        "number": "{count}",
        "text": "n={count}",
        "said": "{input}",
        "deep": [{"at": "{count}"}],
        "left": "{nobody}",
    }
    definition = json.dumps({"name": "a", "tools": [{"name": "shelf.echo"}], "rehearsal": [{"call": {"echo": args}}]})
    files = {"root_agent.yaml": definition, "shelf.py": "def echo(**args):\n    return args\n"}
    play = await played_in(tmp_path, files).turn("Hi", state={"count": 3})
    assert play.responses == [{"number": 3, "text": "n=3", "said": "Hi", "deep": [{"at": 3}], "left": "{nobody}"}]


async def test_several_tools_in_one_step_are_parallel_calls_with_ids_of_their_own(tmp_path: Path) -> None:
    definition = json.dumps(
        {
            "name": "a",
            "tools": [{"name": "shelf.one"}, {"name": "shelf.two"}],
            "rehearsal": [{"call": {"one": {}, "two": {}}}, {"say": "{result}"}],
        }
    )
    files = {"root_agent.yaml": definition, "shelf.py": "def one():\n    return 1\n\ndef two():\n    return 2\n"}
    play = await (await played_in(tmp_path, files).turn("x")).turn("y")
    calls = [(call.id, call.name) for event in play.events for call in event.calls]
    assert calls == [("call_1", "one"), ("call_2", "two"), ("call_3", "one"), ("call_4", "two")]
    assert play.last.text == "2"


async def test_without_a_script_it_tells_what_it_was_given() -> None:
    play = await played("name: helper\ninstruction: Help {user} with {topic}.\nsub_agents: [{name: kid}]").turn(
        "What now?", state={"topic": "tea"}
    )
    size = len(play.calls[0].request.instruction)
    assert play.last.text == (
        f"[rehearsal] `helper` was given {size} characters of instruction, 1 message and 1 tool: `transfer_to_agent`.\n"
        "Not set in its instruction: `user`.\n"
        "The user said: What now?"
    )


async def test_it_says_that_it_is_a_rehearsal_and_streams() -> None:
    play = await played("name: a\nmodel: gpt-5\nrehearsal: [{say: one two three four five six}]").turn("x")
    (notice,) = play.told(Notice)
    assert notice.message == "this is a rehearsal: `gpt-5` needs a key, and OPENAI_API_KEY isn't set"
    deltas = [delta.text for delta in play.told(TextDelta)]
    assert len(deltas) > 1 and "".join(deltas) == "one two three four five six"


SAMPLES = """
name: a
state:
  city: Bonn
  unit: {default: C, sample: F}
"""


@pytest.mark.parametrize(
    ("variables", "state"), [({}, {"city": "Bonn", "unit": "C"}), ({"OPENAI_API_KEY": "sk-x"}, {"unit": "C"})]
)
async def test_samples_enter_a_new_session_in_a_rehearsal_only(
    variables: dict[str, str], state: dict[str, Any]
) -> None:
    from play import in_turn, say

    from rolebook_runner.models.choose import DefaultModels

    models = DefaultModels(variables) if not variables else in_turn(a=[say("x")])
    play = await played(SAMPLES, models=models).turn("x")
    assert await play.runner.state("s") == state


def test_a_rehearsal_never_loads_httpx(tmp_path: Path) -> None:
    (tmp_path / "root_agent.yaml").write_text("name: a", encoding="utf-8")
    program = """
import asyncio, os, sys
from rolebook.project.files import DiskFiles
from rolebook.project.snapshot import Snapshot
from rolebook_runner.runner import Runner

async def main():
    folder = sys.argv[1]
    snapshot = Snapshot(DiskFiles(), folder)
    runner = Runner(snapshot.tree(os.path.join(folder, "root_agent.yaml")), snapshot)
    async for _ in runner.turn("s", "hello"):
        pass

asyncio.run(main())
print([name for name in ("httpx", "lsprotocol", "pygls") if name in sys.modules])
"""
    done = subprocess.run(
        [sys.executable, "-c", program, str(tmp_path)], capture_output=True, text=True, env={}, check=True
    )
    assert done.stdout.strip() == "[]"
