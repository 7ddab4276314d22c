"""The bytes that the runner sends are the bytes that `rolebook compile` prints for the same events and state."""

from __future__ import annotations

import asyncio
import dataclasses
import json
from pathlib import Path

import pytest
from server import Server, events, serving, stream

from rolebook import record
from rolebook.json import JsonObject, compact
from rolebook.project.discover import workspace_root
from rolebook.project.files import DiskFiles
from rolebook.project.snapshot import Snapshot
from rolebook.prompt.events import Event, FunctionResponse, event_to_json
from rolebook.wire.stream import TextDelta, ToolCall
from rolebook_cli.main import main
from rolebook_runner.models.choose import DefaultModels
from rolebook_runner.models.model import Facts, ModelCall
from rolebook_runner.models.rehearsal import Rehearsal
from rolebook_runner.runner import Runner

EXAMPLES = Path(__file__).parents[2] / "examples"
TALKS = {
    "analyst": ["How did the quarter go?", "And the next one?"],
    "router": ["What's the weather in NYC?", "Any tech news?", "And the weather now?"],
    "support": ["My login is broken.", "It works again, thank you."],
    "compliance": ["Which fund should I buy?", "I want more risk."],
    "planner": ["Beds by May.", "Ann builds them.", "Seeds next.", "Who waters?"],
    "recipes/1-memory": ["I plan a trip to Lisbon.", "What do I pack for it?"],
    "recipes/2-business-hours": ["I want my money back.", "Thank you."],
    "recipes/3-progressive-disclosure": ["What is a loop?", "And how do I stop one?", "When is recursion better?"],
    "recipes/4-pipeline": ["An article on tides, please.", "Shorter."],
    "recipes/5-personality": ["Please be formal.", "I like tides."],
    "recipes/6-long-session": [f"Point {number}." for number in range(1, 10)],
}
STATE = {
    "analyst": {"company_name": "Acme", "quarter": "Q3"},
    "support": {"user_name": "Ann 🙂", "plan_type": "enterprise", "account_id": "ENT-12345"},
    "recipes/1-memory": {"user_name": "Ann"},
    "recipes/2-business-hours": {"now": "2026-03-02T10:00:00Z"},
    "recipes/6-long-session": {"user_name": "Ann", "project_name": "Apollo"},
}
MADE_BY_CODE = ("recipes/1-memory", "recipes/2-business-hours", "recipes/3-progressive-disclosure")
"""Those whose instruction is known at run only."""
MODELS = {"openai": "openai/test", "anthropic": "claude-test", "gemini": "gemini-test"}
VERSIONS = {"openai": "/v1", "anthropic": "", "gemini": ""}


async def rehearsed(one: ModelCall, steps: dict[str, list[JsonObject]], provider: str) -> bytes:
    """What a provider would stream if it followed the agent's rehearsal script; `steps` notes where each one stands."""
    name = one.place.agent.name
    noted = iter(steps.setdefault(name, []))
    noted_events = tuple(
        record.replace(event, metadata=next(noted)) if event.author == name and _answers(event) else event
        for event in one.events
    )
    said, calls = "", []
    async for item in Rehearsal(dataclasses.replace(one, events=noted_events)).stream(one.request):
        if isinstance(item, Facts):
            steps[name].append(item.metadata)
        elif isinstance(item, TextDelta):
            said += item.text
        elif isinstance(item, ToolCall):
            calls.append(record.replace(item, id=f"call_{len(one.events)}_{len(calls)}"))
    return {"openai": _openai, "anthropic": _anthropic, "gemini": _gemini}[provider](said, calls)


def _openai(said: str, calls: list[ToolCall]) -> bytes:
    pieces = [
        {"index": index, "id": call.id, "function": {"name": call.name, "arguments": compact(call.args)}}
        for index, call in enumerate(calls)
    ]
    delta = {"content": said, "tool_calls": pieces} if pieces else {"content": said}
    finish = "tool_calls" if calls else "stop"
    return stream({"choices": [{"index": 0, "delta": delta, "finish_reason": finish}]})


def _anthropic(said: str, calls: list[ToolCall]) -> bytes:
    thought = {"type": "thinking", "thinking": "hm", "signature": "s"}
    tools = [{"type": "tool_use", "id": call.id, "name": call.name, "input": call.args} for call in calls]
    blocks = [thought, *([{"type": "text", "text": said}] if said else []), *tools]
    opened = [{"type": "content_block_start", "index": i, "content_block": block} for i, block in enumerate(blocks)]
    delta = {"stop_reason": "tool_use" if calls else "end_turn"}
    return events(*opened, {"type": "message_delta", "delta": delta}, {"type": "message_stop"})


def _gemini(said: str, calls: list[ToolCall]) -> bytes:
    parts = [{"functionCall": {"name": call.name, "args": call.args}, "thoughtSignature": "s"} for call in calls]
    content = {"role": "model", "parts": [*([{"text": said}] if said else []), *parts]}
    return events({"candidates": [{"content": content, "finishReason": "STOP"}]})


def _answers(event: Event) -> bool:
    """Whether the event is a model's own answer: no responses of tools, and nothing that was handed on."""
    return event.handed_from is None and not any(isinstance(part, FunctionResponse) for part in event.parts)


def test_every_example_has_a_talk() -> None:
    assert set(TALKS) == {path.parent.relative_to(EXAMPLES).as_posix() for path in EXAMPLES.rglob("root_agent.yaml")}


@pytest.mark.parametrize("provider", MODELS)
@pytest.mark.parametrize("name", TALKS)
async def test_each_call_of_an_example(
    name: str, provider: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    sent: list[tuple[ModelCall, bytes]] = []
    calls: list[ModelCall] = []
    steps: dict[str, list[JsonObject]] = {}

    class Provider(Server):
        async def handle(self, reader, writer) -> None:  # type: ignore[no-untyped-def]
            self.replies.append(await rehearsed(calls[-1], steps, provider))
            await super().handle(reader, writer)
            sent.append((calls[-1], self.requests[-1].body))

    monkeypatch.setattr("server.Server", Provider)
    path = str(EXAMPLES / name / "root_agent.yaml")
    snapshot = Snapshot(DiskFiles(), workspace_root(path))
    tree = snapshot.tree(path)
    assert tree is not None
    async with serving() as server:
        models = DefaultModels({f"{provider.upper()}_BASE_URL": server.url.removesuffix("/v1") + VERSIONS[provider]})
        async with Runner(tree, snapshot, models=models, model=MODELS[provider], on_model_call=calls.append) as runner:
            for index, message in enumerate(TALKS[name]):
                state = STATE.get(name, {}) if index == 0 else {}
                signals = [signal async for signal in runner.turn("s", message, state=state)]
                assert getattr(signals[-1], "status", None) == "done", signals
    assert len(sent) == len(calls) >= len(TALKS[name])
    for one, body in sent:
        if one.summarizes:  # `compile` shows the agent's requests, with a hole where this one's answer will stand
            continue
        stored = tmp_path / "events.jsonl"
        stored.write_text("".join(json.dumps(event_to_json(event)) + "\n" for event in one.events), encoding="utf-8")
        given = [f"--state={key}={json.dumps(value)}" for key, value in one.state.items()]
        agent = one.place.agent.name
        options = [f"--agent={agent}", f"--for={provider}", f"--model={MODELS[provider]}", f"--events={stored}", *given]
        options += ["--execute"] * (name in MADE_BY_CODE)
        status = await asyncio.to_thread(main, ["compile", path, *options])
        assert (status, capfdbinary.readouterr().out) == (0, body)
