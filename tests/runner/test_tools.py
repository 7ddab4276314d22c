"""Tools: what reaches the function, what comes back, and what of it is stored."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from play import Answers, Played, in_turn, played_in, say, use

from rolebook.json import JsonObject
from rolebook.prompt.events import FunctionResponse
from rolebook.prompt.request import Declaration
from rolebook.wire.stream import ToolCall
from rolebook_runner.limits import Limits
from rolebook_runner.models.model import Item, ModelCall
from rolebook_runner.signals import ToolFinished

MODULE = """
from __future__ import annotations

import datetime
import enum
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from pydantic import BaseModel, Field

if TYPE_CHECKING:
    from google.adk.tools import ToolContext


class Unit(enum.Enum):
    C = "c"
    F = "f"


class Order(BaseModel):
    item: str
    count: int = 1


@dataclass
class Point:
    x: int
    y: int


def add(a: int, b: int = 2) -> int:
    return a + b

async def later(city: str) -> str:
    return f"{city} later"

def many() -> Iterator[int]:
    yield from range(3)

async def many_later():
    for number in range(3):
        yield number

def order(order: Order, unit: Unit = Unit.C, size: Literal["s", "l"] = "s") -> dict:
    return {"type": type(order).__name__, "count": order.count, "unit": unit, "size": size}

def field(count: int = Field(default=3, ge=1)) -> int:
    return count

def positional(a: int, /, b: int) -> int:
    return a - b

def anything(**values) -> dict:
    return values

def things() -> dict:
    return {
        "model": Order(item="tea"), "point": Point(1, 2), "set": {1}, "when": datetime.datetime(2026, 1, 2, 3, 4, 5),
        "nan": float("nan"), "tuple": (1, 2), "unit": Unit.F,
    }

def odd() -> object:
    return object()

def cycle() -> list:
    values = []
    values.append(values)
    return values

def fail():
    raise ValueError("no such city")

def leave():
    raise SystemExit(3)

class Base(BaseException):
    pass

class Mute(Exception):
    def __str__(self):
        raise RuntimeError

async def base():
    raise Base("x")

async def leave_later():
    raise SystemExit(4)

async def generator_exit():
    raise GeneratorExit

def mute():
    raise Mute

async def cancel():
    import asyncio
    raise asyncio.CancelledError

def stop():
    raise StopIteration(1)

def who(context, greeting: str = "Hi") -> list:
    session = [context.session, context.user_id, context.app_name, len(context.events)]
    return [greeting, context.agent, context.branch, *session]

def by_type(ctx: ToolContext) -> str:
    return ctx.agent

def nothing() -> None:
    return None
"""

# Tool, arguments of the model, and the response that it gets.
CALLS: list[tuple[str, JsonObject, Any]] = [
    ("add", {"a": 1}, 3),
    ("add", {"a": "1", "b": 4.0}, 5),
    ("add", {"b": 1}, {"error": "the arguments don't fit `add`: `a` is missing"}),
    (
        "add",
        {"a": "one", "c": 1},
        {
            "error": "the arguments don't fit `add`: `a`: Input should be a valid integer, unable to parse string as an"
            " integer; there is no parameter `c`"
        },
    ),
    ("later", {"city": "NYC"}, "NYC later"),
    ("many", {}, [0, 1, 2]),
    ("many_later", {}, [0, 1, 2]),
    (
        "order",
        {"order": {"item": "tea", "count": "2"}, "unit": "f"},
        {"type": "Order", "count": 2, "unit": "f", "size": "s"},
    ),
    ("order", {"order": {}}, {"error": "the arguments don't fit `order`: `order.item`: Field required"}),
    ("field", {}, 3),
    (
        "field",
        {"count": 0},
        {"error": "the arguments don't fit `field`: `count`: Input should be greater than or equal to 1"},
    ),
    ("positional", {"a": 5, "b": 3}, 2),
    ("anything", {"x": [1], "y": None}, {"x": [1], "y": None}),
    ("nothing", {}, None),
    (
        "things",
        {},
        {
            "model": {"item": "tea", "count": 1},
            "point": {"x": 1, "y": 2},
            "set": [1],
            "when": "2026-01-02T03:04:05",
            "nan": None,
            "tuple": [1, 2],
            "unit": "f",
        },
    ),
    ("who", {}, ["Hi", "a", "root.a", "s", "user", "a", 2]),
    ("who", {"greeting": "Yo"}, ["Yo", "a", "root.a", "s", "user", "a", 2]),
    ("who", {"context": "mine"}, {"error": "the arguments don't fit `who`: there is no parameter `context`"}),
    ("by_type", {}, "a"),
    ("leave", {}, {"error": "SystemExit: 3"}),
    ("base", {}, {"error": "Base: x"}),
    ("leave_later", {}, {"error": "SystemExit: 4"}),
    ("generator_exit", {}, {"error": "GeneratorExit"}),
    ("mute", {}, {"error": "Mute"}),
    ("cancel", {}, {"error": "it was cancelled from inside"}),
    ("stop", {}, {"error": "RuntimeError: StopIteration: 1"}),
    ("cycle", {}, {"error": "TypeError: this list holds itself and can't be written as JSON"}),
    ("unknown", {}, {"error": "there is no tool `unknown` to call; the tools are: `unknown_is_not`"}),
]


def workspace(tmp_path: Path, module: str, *names: str, **options: Any) -> Played:
    tools = [{"name": f"shelf.{name}"} for name in names]
    files = {"root_agent.yaml": json.dumps({"name": "a", "tools": tools}), "shelf.py": module}
    return played_in(tmp_path, files, **options)


@pytest.mark.parametrize(("name", "args", "response"), CALLS)
async def test_a_call_and_what_the_model_gets(tmp_path: Path, name: str, args: JsonObject, response: Any) -> None:
    known = name if name != "unknown" else "unknown_is_not"
    module = MODULE + "\ndef unknown_is_not():\n    pass\n"
    play = await workspace(tmp_path, module, known, models=in_turn(a=[use((name, args)), say("done")])).turn("x")
    assert play.responses == [response]
    assert play.last.text == "done"


async def test_an_error_in_a_tool_tells_the_caller_its_line_and_does_not_end_the_run(tmp_path: Path) -> None:
    play = await workspace(tmp_path, MODULE, "fail", models=in_turn(a=[use(("fail", {})), say("sorry")])).turn("x")
    line = MODULE[: MODULE.index("no such city")].count("\n") + 1
    (finished,) = play.told(ToolFinished)
    assert (finished.response, finished.failed) == ({"error": "ValueError: no such city"}, True)
    assert finished.where == f"{tmp_path / 'shelf.py'}:{line}"
    assert play.last.status == "done"


async def test_the_place_of_an_error_is_the_users_and_not_a_librarys(tmp_path: Path) -> None:
    module = "import json\n\ndef parse() -> object:\n    return json.loads('{')\n"
    play = await workspace(tmp_path, module, "parse", models=in_turn(a=[use(("parse", {})), say("ok")])).turn("x")
    assert play.told(ToolFinished)[0].where == f"{tmp_path / 'shelf.py'}:4"
    assert play.responses[0]["error"].startswith("JSONDecodeError: ")


async def test_a_result_that_is_no_json_is_an_error(tmp_path: Path) -> None:
    play = await workspace(tmp_path, MODULE, "odd", models=in_turn(a=[use(("odd", {})), say("ok")])).turn("x")
    assert "object can't be written as JSON" in play.responses[0]["error"]


async def test_arguments_that_are_no_json_are_told_to_the_model(tmp_path: Path) -> None:
    broken: list[Item] = [ToolCall("c1", "add", {"raw_arguments": "{"}, "the arguments are no JSON: line 1")]
    play = await workspace(tmp_path, MODULE, "add", models=in_turn(a=[broken, say("ok")])).turn("x")
    assert play.responses == [{"error": "the arguments are no JSON: line 1"}]


MEETING = """
import asyncio
here = asyncio.Event()

async def waits() -> str:
    await here.wait()
    return "second"

async def comes() -> str:
    here.set()
    return "first"
"""


async def test_parallel_calls_run_at_the_same_time_and_are_answered_in_their_order(tmp_path: Path) -> None:
    """`waits` can only return once `comes`, which is called after it, has run."""
    models = in_turn(a=[use(("waits", {}), ("comes", {})), say("done")])
    play = await workspace(tmp_path, MEETING, "waits", "comes", models=models).turn("x")
    assert play.responses == ["first", "second"]
    (stored,) = [event for event in play.events if event.branch and not event.calls and not event.text]
    assert [part.response for part in stored.parts] == ["second", "first"]  # type: ignore[union-attr]


BLOCKING = """
import threading
here = threading.Event()

def waits() -> str:
    here.wait()
    return "waited"

async def comes() -> str:
    here.set()
    return "came"
"""


async def test_a_blocking_function_does_not_stop_the_event_loop(tmp_path: Path) -> None:
    models = in_turn(a=[use(("waits", {}), ("comes", {})), say("done")])
    play = await workspace(tmp_path, BLOCKING, "waits", "comes", models=models).turn("x")
    assert sorted(play.responses) == ["came", "waited"]


HANGING = """
import threading
release = threading.Event()

def hang(context) -> None:
    context.state["early"] = 1
    release.wait()
    context.state["late"] = 1
"""


async def test_a_tool_that_takes_too_long_is_given_up_and_leaves_nothing_behind(tmp_path: Path) -> None:
    models = in_turn(a=[use(("hang", {})), say("went on")])
    play = workspace(tmp_path, HANGING, "hang", models=models, limits=Limits(max_tool_seconds=0.01))
    await play.turn("x")
    assert play.responses == [{"error": "it took longer than 0.01 s (max_tool_seconds)"}]
    assert play.last.text == "went on"
    assert await play.runner.state("s") == {}


STUCK = """
import asyncio, threading
release = threading.Event()

async def blocks() -> str:
    release.wait()
    return "at last"

async def loop_id() -> str:
    await asyncio.sleep(0)
    return threading.current_thread().name

async def stubborn() -> str:
    try:
        await asyncio.Event().wait()
    except asyncio.CancelledError:
        await asyncio.sleep(60)
    return "never"
"""


async def test_an_async_function_that_blocks_is_given_up_and_the_next_one_works(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    models = in_turn(a=[use(("blocks", {})), use(("loop_id", {})), say("went on")])
    play = workspace(tmp_path, STUCK, "blocks", "loop_id", models=models, limits=Limits(max_tool_seconds=0.2))
    await play.turn("x")
    assert play.responses == [{"error": "it took longer than 0.2 s (max_tool_seconds)"}, "rolebook-async"]
    assert play.last.text == "went on"
    assert "blocks its event loop" in caplog.text
    play.runner._settings.toolbox(play.tree.root).functions["blocks"].__globals__["release"].set()


async def test_one_that_does_not_let_itself_be_cancelled_is_given_up_too(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    models = in_turn(a=[use(("stubborn", {})), say("went on")])
    play = workspace(tmp_path, STUCK, "stubborn", models=models, limits=Limits(max_tool_seconds=0.1))
    await play.turn("x")
    assert play.last.text == "went on" and "blocks" not in caplog.text


HOSTILE = """
import threading
from typing import Annotated
from pydantic import BeforeValidator

release = threading.Event()

def never(value: object) -> object:
    release.wait()
    return value

def takes(value: Annotated[int, BeforeValidator(never)]) -> int:
    return value
"""


async def test_a_validator_that_hangs_is_given_up(tmp_path: Path) -> None:
    models = in_turn(a=[use(("takes", {"value": 1})), say("went on")])
    play = workspace(tmp_path, HOSTILE, "takes", models=models, limits=Limits(max_tool_seconds=0.1))
    await play.turn("x")
    assert play.responses == [{"error": "it took longer than 0.1 s (max_tool_seconds)"}]
    assert play.last.text == "went on"


async def test_a_module_that_hangs_while_it_is_imported_ends_the_turn(tmp_path: Path) -> None:
    hanging = "import threading\nthreading.Event().wait()\n"
    play = workspace(tmp_path, hanging, "look", models=in_turn(a=[say("ok")]), limits=Limits(max_import_seconds=0.1))
    await play.turn("x")
    assert play.error.message == (
        "the tools of agent `a` can't be imported: it took longer than 0.1 s (max_import_seconds)"
    )


STATE = """
def remember(key: str, value: str, context) -> str:
    context.state[key] = value
    return "ok"

def push(item: str, context) -> int:
    context.state.setdefault("items", [])
    context.state["items"].append(item)
    return len(context.state["items"])

def forget(key: str, context) -> bool:
    del context.state[key]
    return key in context.state

def fails(context) -> None:
    context.state["half"] = 1
    raise ValueError

def odd(context) -> None:
    context.state["odd"] = object()
"""


async def test_what_a_tool_writes_is_seen_by_the_next_call_and_stored_with_the_response(tmp_path: Path) -> None:
    models = in_turn(a=[use(("remember", {"key": "user:lang", "value": "de"})), say("ok")])
    play = await workspace(tmp_path, STATE, "remember", models=models).turn("x")
    assert [call.state for call in play.calls] == [{}, {"user:lang": "de"}]
    assert [event.metadata.get("state") for event in play.events] == [None, None, {"user:lang": "de"}, None]


async def test_temporary_state_is_seen_by_the_agent_alone_and_never_stored(tmp_path: Path) -> None:
    definition = """
agent_class: SequentialAgent
name: pipe
sub_agents:
  - {name: a, tools: [{name: shelf.remember}]}
  - {name: b}
"""
    models = in_turn(a=[use(("remember", {"key": "temp:x", "value": "1"})), say("ok")], b=[say("ok")])
    files = {"root_agent.yaml": definition, "shelf.py": STATE}
    play = await played_in(tmp_path, files, models=models).turn("x")
    assert [call.state for call in play.calls] == [{}, {"temp:x": "1"}, {}]
    assert "temp:x" not in json.dumps([event.metadata for event in play.events], default=str)
    assert await play.runner.state("s") == {}


async def test_what_was_read_and_changed_in_place_counts_as_written(tmp_path: Path) -> None:
    models = in_turn(a=[use(("push", {"item": "tea"})), use(("push", {"item": "milk"})), say("ok")])
    play = await workspace(tmp_path, STATE, "push", models=models).turn("x")
    assert play.responses == [1, 2]
    assert await play.runner.state("s") == {"items": ["tea", "milk"]}


async def test_deleting_failing_and_odd_values(tmp_path: Path) -> None:
    models = in_turn(a=[use(("forget", {"key": "x"}), ("fails", {}), ("odd", {})), say("ok")])
    play = await workspace(tmp_path, STATE, "forget", "fails", "odd", models=models).turn("x", state={"x": 1, "y": 2})
    forgotten, failed, odd = play.events[2].parts
    assert forgotten == FunctionResponse("c1", "forget", False)
    assert "ValueError" in str(failed) and "object can't be written as JSON" in str(odd)
    assert await play.runner.state("s") == {"y": 2}


async def test_two_calls_that_write_one_key(tmp_path: Path) -> None:
    calls = use(("remember", {"key": "k", "value": "1"}), ("remember", {"key": "k", "value": "2"}))
    play = await workspace(tmp_path, STATE, "remember", models=in_turn(a=[calls, say("ok")])).turn("x")
    assert await play.runner.state("s") == {"k": "2"}
    assert "`k`" in play.warnings[0]


DECLARED = """
name: a
tools:
  - name: get_weather
    description: The weather.
    parameters: {type: object, properties: {city: {type: string}}}
    function: shelf.look_up
  - {name: shelf.add}
  - {name: google_search}
"""
LOOK_UP = """
def look_up(city: str, context) -> str:
    return city.upper()

def add(a: int) -> int:
    \"\"\"Adds.\"\"\"
    return a
"""


async def test_a_tool_declared_in_place_calls_its_function_under_its_own_name(tmp_path: Path) -> None:
    models = in_turn(a=[use(("get_weather", {"city": "nyc"})), say("ok")])
    play = await played_in(tmp_path, {"root_agent.yaml": DECLARED, "shelf.py": LOOK_UP}, models=models).turn("x")
    assert play.responses == ["NYC"]
    weather, add, search = play.calls[0].request.tools
    assert isinstance(weather, Declaration) and isinstance(add, Declaration)
    assert (weather.name, weather.description) == ("get_weather", "The weather.")
    assert (add.name, add.description, list(add.parameters["properties"])) == ("add", "Adds.", ["a"])  # type: ignore[arg-type]
    assert search.to_json() == {"hole": "google_search(context)"}
    assert play.warnings == ["agent `a`: the tool `google_search` can't be called: this runner doesn't have it"]


async def test_what_was_read_from_source_is_what_the_model_is_told(tmp_path: Path) -> None:
    static = Declaration("add", "As read.", {"type": "object", "properties": {"a": {"type": "integer"}}})
    models = in_turn(a=[say("ok")])
    play = workspace(tmp_path, LOOK_UP, "add", models=models, declarations=lambda _: {"shelf.add": static})
    assert (await play.turn("x")).calls[0].request.tools == (static,)


async def test_what_reading_left_open_is_asked_of_the_function(tmp_path: Path) -> None:
    hole = Declaration("add", "As read.", {"type": "object", "properties": {"a": {"hole": "Number"}}})
    play = workspace(
        tmp_path, LOOK_UP, "add", models=in_turn(a=[say("ok")]), declarations=lambda _: {"shelf.add": hole}
    )
    (tool,) = (await play.turn("x")).calls[0].request.tools
    assert tool.to_json()["parameters"]["properties"] == {"a": {"type": "integer"}}


async def test_stopping_in_the_middle_of_a_tool_leaves_a_session_that_goes_on(tmp_path: Path) -> None:
    from rolebook_runner.signals import ToolStarted

    script = [use(("waits", {})), say("welcome back")]
    play = workspace(tmp_path, MEETING, "waits", models=Answers(lambda _: script.pop(0)))
    turn = play.runner.turn("s", "x")
    async for signal in turn:
        if isinstance(signal, ToolStarted):
            break
    await turn.aclose()
    assert [event.author for event in await play.runner.events("s")] == ["user", "a"]
    await play.turn("again")
    assert play.last.text == "welcome back"
    assert [event.author for event in await play.runner.events("s")] == ["user", "a", "user", "a"]


async def test_a_session_takes_one_turn_at_a_time_and_others_go_on(tmp_path: Path) -> None:
    from rolebook_runner.errors import RunError

    def answer(call: ModelCall) -> list[Item]:
        waits = call.events[0].text == "wait" and len(call.request.messages) == 1
        return use(("waits", {})) if waits else use(("comes", {})) if len(call.request.messages) == 1 else say("done")

    play = workspace(tmp_path, MEETING, "waits", "comes", models=Answers(answer))
    waiting = asyncio.create_task(play.turn("wait", session="one"))
    while not play.told_tools():
        await asyncio.sleep(0)
    with pytest.raises(RunError, match="in the middle of a turn"):
        await play.turn("x", session="one")
    await play.turn("go", session="two")
    await waiting
    assert play.last.text == "done"
