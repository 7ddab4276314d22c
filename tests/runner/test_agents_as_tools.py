"""Agents that other agents call as tools: what they see, what they give back, and what of it stays."""

from __future__ import annotations

from pathlib import Path

from play import Answers, Played, in_turn, played_in, say, use

from rolebook.prompt.events import FunctionResponse
from rolebook_runner.errors import RunError
from rolebook_runner.limits import Limits
from rolebook_runner.signals import AgentStarted, TextDelta

BOSS = """
name: boss
model: m
instruction: Ask the experts.
tools:
- name: AgentTool
  args: {agent: {config_path: poet.yaml}}
- name: AgentTool
  args: {agent: {config_path: critic.yaml}}
"""
FILES = {
    "root_agent.yaml": BOSS,
    "poet.yaml": "name: poet\nmodel: m\ndescription: Writes poems.\ninstruction: Write for {user?}.\n"
    "output_key: poem\n",
    "critic.yaml": "name: critic\nmodel: m\ndescription: Judges.\ninstruction: Judge {poem?}.\n"
    "output_schema: {type: object, properties: {good: {type: boolean}}}\n",
}


def boss(folder: Path, files: dict[str, str] | None = None, limits: Limits | None = None, **scripts: object) -> Played:
    return played_in(folder, {**FILES, **(files or {})}, models=in_turn(**scripts), limits=limits)  # type: ignore[arg-type]


async def test_the_model_is_told_of_them_by_their_own_names(tmp_path: Path) -> None:
    run = await boss(tmp_path, boss=[say("Hm.")]).turn("Hi")
    poet, critic = run.calls[0].request.tools
    assert (poet.to_json()["name"], poet.to_json()["description"]) == ("poet", "Writes poems.")
    assert critic.to_json()["parameters"]["required"] == ["request"]


async def test_they_see_their_request_alone_and_answer_with_their_words(tmp_path: Path) -> None:
    run = boss(
        tmp_path,
        boss=[use(("poet", {"request": "About bees."})), use(("critic", {"request": "Judge it."})), say("There.")],
        poet=[say("Buzz.")],
        critic=[say('{"good": true}')],
    )
    await run.turn("A poem, please", state={"user": "Ann"})
    assert run.seen(1) == ["user: About bees."]
    assert run.calls[1].request.dynamic_system_instruction == "Write for Ann."
    assert run.calls[3].request.dynamic_system_instruction.startswith("Judge Buzz.")
    assert run.responses == ["Buzz.", {"good": True}]
    assert await run.runner.state("s") == {"user": "Ann", "poem": "Buzz."}
    assert [event.author for event in run.events] == ["user", "boss", "boss", "boss", "boss", "boss"]
    assert run.last.text == "There."


async def test_their_words_arent_the_turns(tmp_path: Path) -> None:
    run = boss(tmp_path, boss=[use(("poet", {"request": "x"})), say("There.")], poet=[say("Buzz.")])
    await run.turn("Hi")
    assert [delta.text for delta in run.told(TextDelta)] == ["There."]
    assert [started.agent for started in run.told(AgentStarted)] == ["boss", "poet"]


async def test_one_that_fails_is_told_to_the_model(tmp_path: Path) -> None:
    def answer(call: object) -> list[object]:
        if call.place.agent.name == "poet":  # type: ignore[attr-defined]
            raise RunError("agent `poet`: the server is away")
        return say("Later.") if call.events[-1].author == "boss" else use(("poet", {"request": "x"}))  # type: ignore

    run = await played_in(tmp_path, FILES, models=Answers(answer)).turn("Hi")  # type: ignore[arg-type]
    assert run.responses == [{"error": "agent `poet`: the server is away"}]
    assert run.last.text == "Later."


async def test_its_model_calls_count_for_the_turn(tmp_path: Path) -> None:
    script = [use(("poet", {"request": "x"}))] * 9
    run = boss(tmp_path, limits=Limits(max_model_calls=4), boss=script, poet=[say("Buzz.")] * 9)
    await run.turn("Hi")
    assert run.error.limit == "max_model_calls" and len(run.calls) == 4


async def test_one_that_calls_itself_is_a_cycle_that_check_finds(tmp_path: Path) -> None:
    own = {"poet.yaml": FILES["poet.yaml"] + "tools:\n- name: AgentTool\n  args: {agent: {config_path: poet.yaml}}\n"}
    run = boss(tmp_path, own, boss=[use(("poet", {"request": "x"})), say("There.")], poet=[say("Buzz.")])
    await run.turn("Hi")
    assert run.last.text == "There."


TOOLS = """
async def keep(text: str, context) -> dict:
    first = await context.artifacts.save("notes.md", text)
    second = await context.artifacts.save("notes.md", text + "!")
    found = await context.artifacts.load("notes.md", first)
    return {
        "versions": list(await context.artifacts.versions("notes.md")),
        "names": list(await context.artifacts.list()),
        "first": found.text,
        "missing": await context.artifacts.load("other"),
    }

def huge() -> str:
    return "x" * 1000

def numbers():
    yield from range(3)

async def letters():
    for letter in "ab":
        yield letter

def hand(context) -> str:
    context.actions.transfer_to_agent = "kid"
    return "ok"

def astray(context) -> str:
    context.actions.transfer_to_agent = "nobody"
    return "ok"

def fill(context) -> str:
    context.state["much"] = "x" * 1000
    return "ok"
"""
NAMES = ("keep", "huge", "numbers", "letters", "hand", "astray", "fill")
HELPER = "name: helper\nmodel: m\ninstruction: Notes {artifact.notes.md?}\ntools:\n" + "".join(
    f"- name: tools.{name}\n" for name in NAMES
)
KID = "sub_agents:\n- name: kid\n  description: Kid.\n  model: m\n"


def helper(folder: Path, *calls: tuple[str, dict[str, str]], limits: Limits | None = None) -> Played:
    files = {"root_agent.yaml": HELPER + KID, "tools.py": TOOLS}
    script = {"helper": [use(*calls), say("Done.")], "kid": [say("I'm the kid.")]}
    return played_in(folder, files, models=in_turn(**script), limits=limits)  # type: ignore[arg-type]


async def test_a_tool_keeps_artifacts_that_fill_placeholders(tmp_path: Path) -> None:
    run = await helper(tmp_path, ("keep", {"text": "Bees"})).turn("Hi")
    assert run.responses == [{"versions": [0, 1], "names": ["notes.md"], "first": "Bees", "missing": None}]
    assert run.calls[1].request.dynamic_system_instruction == "Notes Bees!"


async def test_generators_give_lists(tmp_path: Path) -> None:
    run = await helper(tmp_path, ("numbers", {}), ("letters", {})).turn("Hi")
    assert run.responses == [[0, 1, 2], ["a", "b"]]


async def test_a_large_response_is_cut_with_a_note(tmp_path: Path) -> None:
    run = await helper(tmp_path, ("huge", {}), limits=Limits(max_result_chars=100)).turn("Hi")
    expected = {"result": "x" * 100, "note": "cut after 100 of 1,000 characters (max_result_chars)"}
    stored = [part.response for event in run.events for part in event.parts if isinstance(part, FunctionResponse)]
    assert stored == run.responses == [expected]


async def test_a_tool_may_hand_over(tmp_path: Path) -> None:
    run = await helper(tmp_path, ("hand", {})).turn("Hi")
    assert run.last.text == "I'm the kid."


async def test_a_tool_that_hands_over_to_nobody_is_told(tmp_path: Path) -> None:
    run = await helper(tmp_path, ("astray", {})).turn("Hi")
    assert run.last.text == "Done."
    assert run.warnings == ["a tool asked to hand over to `nobody`, which is no target from here"]


async def test_state_that_grows_too_large_ends_the_turn(tmp_path: Path) -> None:
    run = await helper(tmp_path, ("fill", {}), limits=Limits(max_state_chars=500)).turn("Hi")
    assert run.error.limit == "max_state_chars"
    assert await run.runner.state("s") == {}
