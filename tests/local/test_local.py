"""A server that nobody here wrote: llama.cpp answers through our wire code, and our runner keeps it in hand."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
import time
from collections.abc import AsyncIterator
from contextlib import aclosing, asynccontextmanager
from pathlib import Path
from typing import Any

import httpx
import jsonschema
import pytest
from play import Played, played

from rolebook import wire
from rolebook.prompt.events import FunctionCall, FunctionResponse, TextPart
from rolebook.prompt.messages import Message
from rolebook.prompt.request import Declaration, LlmRequest
from rolebook.record import replace
from rolebook.wire.stream import Finish, StreamError, TextDelta, ToolCall, Usage
from rolebook_cli.main import main
from rolebook_runner import signals
from rolebook_runner.errors import RunError
from rolebook_runner.models.choose import DefaultModels
from rolebook_runner.models.local.files import gguf_of
from rolebook_runner.models.local.model import Local
from rolebook_runner.models.local.process import Child

HERE = Path(__file__).parent
MODEL = "local/smollm2"
VARIABLES = {"LLAMA_ARG_THREADS": "1", "LLAMA_ARG_CTX_SIZE": "4096"}
AGENT = f"""\
name: a
model: {MODEL}
instruction: Be brief.
generate_content_config: {{temperature: 0, max_output_tokens: 12}}
"""
LONG = AGENT.replace("12", "3000")
CITY = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}


@pytest.fixture(autouse=True)
def children(monkeypatch: pytest.MonkeyPatch) -> list[Child]:
    """The server processes that a test starts. All are gone when it is over."""
    started: list[Child] = []
    start = Child.start.__func__  # type: ignore[attr-defined]

    async def noted(cls: type[Child], file: Any) -> Child:
        started.append(await start(cls, file))
        return started[-1]

    monkeypatch.setattr(Child, "start", classmethod(noted))
    return started


def play(definition: str, **options: Any) -> Played:
    return played(definition, models=DefaultModels(VARIABLES), **options)


@asynccontextmanager
async def local(**variables: str) -> AsyncIterator[Local]:
    model = Local(gguf_of(MODEL, str(HERE), VARIABLES | variables))
    try:
        yield model
    finally:
        await model.aclose()


def request(*messages: Message, **more: Any) -> LlmRequest:
    empty = LlmRequest(
        model=MODEL,
        instruction="",
        static_system_instruction="",
        dynamic_system_instruction="",
        messages=messages,
        tools=(),
        generate_content_config={"temperature": 0, "max_output_tokens": 60},
        output_schema=None,
    )
    return replace(empty, **more)


def said(text: str) -> Message:
    return Message("user", (TextPart(text),))


async def items(model: Local, asked: LlmRequest) -> list[Any]:
    async with aclosing(model.stream(asked)) as answer:
        return [item async for item in answer]


async def test_an_answer_is_streamed_with_its_usage_and_why_it_ended(children: list[Child]) -> None:
    one = play(AGENT)
    async with one.runner:
        await one.turn("Tell me of the sea.")
        await one.turn("And of ships?")
        assert one.last.status == "done", one.signals
    assert len(one.told(signals.TextDelta)) > 6
    first, second = (event for event in one.events if event.author == "a")
    usage: Any = first.metadata["usage"]
    assert usage["input_tokens"] > 10 and usage["output_tokens"] == 12
    assert first.metadata["finish"] == "length", "the limit of the definition was kept"
    assert second.metadata["usage"]["cached_tokens"] > 0, "the beginning of the prompt was not read again"
    assert len(children) == 1 and children[0].ended


async def test_a_stop_sequence_ends_an_answer() -> None:
    async with local() as model:
        config = {"temperature": 0, "max_output_tokens": 60, "stop_sequences": [" "]}
        got = await items(model, request(said("Tell me of the sea."), generate_content_config=config))
    assert [item for item in got if isinstance(item, Finish)] == [Finish("stop")]
    assert " " not in "".join(item.text for item in got if isinstance(item, TextDelta))
    assert [type(item) for item in got].count(Usage) == 1


async def test_an_answer_follows_its_json_schema() -> None:
    schema = {
        "type": "object",
        "properties": {
            "city": {"enum": ["Rome", "Oslo"]},
            "days": {"type": "array", "items": {"enum": [1, 2, 3]}, "maxItems": 3},
        },
        "required": ["city", "days"],
        "additionalProperties": False,
    }
    async with local() as model:
        got = await items(model, request(said("Where is it warm?"), output_schema=schema))
    jsonschema.validate(json.loads("".join(item.text for item in got if isinstance(item, TextDelta))), schema)


CALLED = [
    message
    for number, (city, weather) in enumerate([("Rome", "sunny"), ("Oslo", "cold")])
    for message in (
        said(f"What is the weather in {city}?"),
        Message("model", (FunctionCall(f"call_{number}", "weather", {"city": city}),)),
        Message("user", (FunctionResponse(f"call_{number}", "weather", weather),)),
        Message("model", (TextPart(f"It is {weather} in {city}."),)),
    )
]
CHOICES: list[Any] = [
    pytest.param({}, id="of its own accord"),
    pytest.param({"tool_config": {"function_calling_config": {"mode": "ANY"}}}, id="required"),
]


@pytest.mark.parametrize("choice", CHOICES)
async def test_a_tool_is_called_and_its_result_is_told(choice: dict[str, Any]) -> None:
    asked = request(
        *CALLED,
        said("What is the weather in Paris?"),
        tools=(Declaration("weather", "the weather", CITY),),
        generate_content_config={"temperature": 0, "max_output_tokens": 60, **choice},
    )
    async with local(LLAMA_ARG_CHAT_TEMPLATE_FILE="tools.jinja") as model:
        got = await items(model, asked)
        (call,) = (item for item in got if isinstance(item, ToolCall))
        assert (call.name, call.args, call.error) == ("weather", {"city": "Paris"}, None)
        assert Finish("tool_calls") in got
        made = Message("model", (FunctionCall(call.id, call.name, call.args),))
        told = Message("user", (FunctionResponse(call.id, call.name, "windy"),))
        answered = replace(asked, messages=(*asked.messages, made, told), generate_content_config={"temperature": 0})
        got = await items(model, answered)
    assert "windy" in "".join(item.text for item in got if isinstance(item, TextDelta))


async def test_two_agents_at_once_share_one_server(children: list[Child]) -> None:
    team = f"""\
agent_class: ParallelAgent
name: team
sub_agents:
  - {{name: a, model: {MODEL}, generate_content_config: {{max_output_tokens: 8}}}}
  - {{name: b, model: {MODEL}.gguf, generate_content_config: {{max_output_tokens: 8}}}}
""".replace(f"{MODEL}.gguf", f"local/{gguf_of(MODEL, '', {}).path}")
    one = play(team)
    async with one.runner:
        await one.turn("Hi")
    assert one.last.status == "done", one.signals
    assert {event.author for event in one.events if event.text} == {"user", "a", "b"}
    assert len(children) == 1


@pytest.mark.timeout(60)
async def test_a_turn_that_is_stopped_stops_the_model(children: list[Child]) -> None:
    one = play(LONG)
    async with one.runner:
        async with aclosing(one.runner.turn("s", "Tell me all about the sea.")) as turn:
            async for told in turn:
                if isinstance(told, signals.TextDelta):
                    break
        (child,) = children
        headers = {"authorization": f"Bearer {child.key.reveal()}"}
        async with httpx.AsyncClient(headers=headers, base_url=child.url.removesuffix("/v1")) as client:
            while any(slot["is_processing"] for slot in (await client.get("/slots")).json()):
                await asyncio.sleep(0.05)
        assert not child.ended


async def test_a_server_that_is_killed_is_named_and_started_anew(children: list[Child]) -> None:
    one = play(LONG)
    async with one.runner:
        async with aclosing(one.runner.turn("s", "Tell me all about the sea.")) as turn:
            async for told in turn:
                one.signals.append(told)
                if isinstance(told, signals.TextDelta) and not children[0].ended:
                    children[0].kill()
        assert one.error.message == (
            f"the model `{MODEL}` stopped in the middle: llama.cpp was killed, which systems do when memory runs out"
        )
        async with aclosing(one.runner.turn("s", "Again.")) as turn:
            async for told in turn:
                if isinstance(told, signals.TextDelta):
                    break
    assert len(children) == 2


async def test_nobody_else_is_answered(children: list[Child]) -> None:
    async with local() as model:
        await items(model, request(said("Hi")))
        async with httpx.AsyncClient() as client:
            answer = await client.post(f"{children[0].url}/chat/completions", json={"messages": []})
    assert answer.status_code == 401
    assert children[0].url.startswith("http://127.0.0.1:")


async def test_a_prompt_that_is_too_long_is_told() -> None:
    async with local() as model:
        with pytest.raises(RunError, match=r"^local/smollm2: 400 .*exceeds the available context size \(4096 tokens\)"):
            await items(model, request(said("word " * 5000)))


@pytest.mark.parametrize("text", ["{{ nonsense", "{% for %}"])
async def test_a_broken_template_is_one_line(text: str, tmp_path: Path) -> None:
    (tmp_path / "t.jinja").write_text(text)
    async with local(LLAMA_ARG_CHAT_TEMPLATE_FILE=str(tmp_path / "t.jinja")) as model:
        with pytest.raises(RunError, match=r"^[^\n]*local/smollm2[^\n]*$"):
            await items(model, request(said("Hi")))


async def test_a_file_that_is_cut_off_is_one_line(tmp_path: Path) -> None:
    whole = Path(gguf_of(MODEL, "", {}).path).read_bytes()
    (tmp_path / "cut.gguf").write_bytes(whole[:3_000_000])
    model = Local(gguf_of("local/cut", str(tmp_path), VARIABLES))
    with pytest.raises(RunError, match=r"^the model `local/cut` can't be run: .*corrupted or incomplete$"):
        await items(model, request(said("Hi")))
    await model.aclose()


@pytest.mark.skipif(sys.platform != "linux", reason="limits a process's memory as Linux does")
async def test_too_little_memory_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    limited = "import resource, runpy, sys; resource.setrlimit(resource.RLIMIT_AS, (500_000_000,) * 2); "
    script = f"{limited}runpy.run_path(sys.argv[1], run_name='__main__')"
    execute = asyncio.create_subprocess_exec

    async def with_a_limit(python: str, safe: str, path: str, **options: Any) -> Any:
        return await execute(python, safe, "-c", script, path, **options)

    monkeypatch.setattr(asyncio, "create_subprocess_exec", with_a_limit)
    async with local(LLAMA_ARG_CTX_SIZE="8192") as model:
        with pytest.raises(RunError, match="there isn't enough memory for it with a context of 8192 tokens"):
            await items(model, request(said("Hi")))


async def test_a_count_is_what_a_call_is_charged() -> None:
    asked = request(said("What is the weather in Paris?"), instruction="You know 天気 🙂.")
    async with local() as model:
        counted = await model.count(asked)
        (usage,) = (item for item in await items(model, asked) if isinstance(item, Usage))
    assert usage.input_tokens == counted


GOLDEN = sorted((HERE.parent / "data" / "wire" / "golden").rglob("*openai*.json"))


async def test_the_bodies_of_every_example_are_taken() -> None:
    """Each goes through llama.cpp's parser, template and tokenizer, and the shortest ones are answered."""
    bodies = [json.loads(path.read_text(encoding="utf-8"))["body"] for path in GOLDEN]
    assert len(bodies) > 10
    async with local(LLAMA_ARG_CHAT_TEMPLATE_FILE="tools.jinja") as model:
        served = await model._served()
        for path, body in zip(GOLDEN, bodies, strict=True):
            counted = await served.remote.http.send("POST", "chat/completions/input_tokens", body)
            assert counted["input_tokens"] > 0, path
        for body in sorted(bodies, key=lambda body: len(json.dumps(body)))[:6]:
            sent = wire.encode({**body, "max_tokens": 1})
            got = [
                event
                async for event in served.remote.http.answer("chat/completions", sent, lambda: wire.answer("openai"))
            ]
            assert [type(item) for item in got].count(Finish) == 1 and not any(
                isinstance(item, StreamError) for item in got
            )


@pytest.mark.skipif(os.name != "posix", reason="kills as POSIX does")
@pytest.mark.parametrize("loaded", [False, True])
def test_the_server_ends_with_the_process_that_started_it(loaded: bool) -> None:
    script = f"""
import asyncio
from rolebook_runner.models.local import process
from rolebook_runner.models.local.files import gguf_of

async def main():
    load = process.Child._load
    async def told(child):
        if {loaded}:
            await load(child)
            print(child._process.pid, flush=True)
        else:
            loading = asyncio.create_task(load(child))
            await asyncio.sleep(0.3)
            print(child._process.pid, flush=True)
        await asyncio.sleep(60)
    process.Child._load = told
    await process.Child.start(gguf_of({MODEL!r}, ".", {VARIABLES!r}))

asyncio.run(main())
"""
    parent = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE)
    assert parent.stdout is not None
    with parent.stdout:
        child = int(parent.stdout.readline())
        parent.kill()
        parent.wait()
        while _runs(child):
            time.sleep(0.05)


def _runs(pid: int) -> bool:
    try:
        os.kill(pid, 0)
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except (ProcessLookupError, FileNotFoundError):
        return False


def test_the_command_line_runs_it(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in VARIABLES.items():
        monkeypatch.setenv(name, value)
    (tmp_path / "root_agent.yaml").write_text(AGENT)
    asked = ["run", str(tmp_path), "Hi", "--store", "memory"]
    assert main([*asked, "--record", str(tmp_path / "traffic")]) == 0
    out, err = capfd.readouterr()
    assert out.strip() and "rehearsal" not in err
    with monkeypatch.context() as nothing_starts:
        nothing_starts.setattr(Child, "start", None)
        assert main([*asked, "--replay", str(tmp_path / "traffic")]) == 0
    assert capfd.readouterr().out == out
    assert main(["tokens", str(tmp_path), "--ask"]) == 0
    assert "counted by the provider" in capfd.readouterr().out
