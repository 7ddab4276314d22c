"""The bytes that the runner sends are the bytes that `rolebook compile` prints for the same events and state."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path

import pytest
from server import Server, serving, stream

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
}
STATE = {
    "analyst": {"company_name": "Acme", "quarter": "Q3"},
    "router": {},
    "support": {"user_name": "Ann 🙂", "plan_type": "enterprise", "account_id": "ENT-12345"},
    "compliance": {},
    "planner": {},
}
MODEL = "openai/test"


async def rehearsed(one: ModelCall, steps: dict[str, list[JsonObject]]) -> bytes:
    """What a provider would stream if it followed the agent's rehearsal script; `steps` notes where each one stands."""
    name = one.place.agent.name
    noted = iter(steps.setdefault(name, []))
    events = tuple(
        record.replace(event, metadata=next(noted)) if event.author == name and not _responds(event) else event
        for event in one.events
    )
    said, calls = "", []
    async for item in Rehearsal(dataclasses.replace(one, events=events)).stream(one.request):
        if isinstance(item, Facts):
            steps[name].append(item.metadata)
        elif isinstance(item, TextDelta):
            said += item.text
        elif isinstance(item, ToolCall):
            id = f"call_{len(one.events)}_{len(calls)}"
            calls.append(
                {"index": len(calls), "id": id, "function": {"name": item.name, "arguments": compact(item.args)}}
            )
    delta = {"content": said, "tool_calls": calls} if calls else {"content": said}
    finish = "tool_calls" if calls else "stop"
    return stream({"choices": [{"index": 0, "delta": delta, "finish_reason": finish}]})


def _responds(event: Event) -> bool:
    return any(isinstance(part, FunctionResponse) for part in event.parts)


@pytest.mark.parametrize("name", TALKS)
async def test_each_call_of_an_example(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    sent: list[tuple[ModelCall, bytes]] = []
    calls: list[ModelCall] = []
    steps: dict[str, list[JsonObject]] = {}

    class Provider(Server):
        async def handle(self, reader, writer) -> None:  # type: ignore[no-untyped-def]
            self.replies.append(await rehearsed(calls[-1], steps))
            await super().handle(reader, writer)
            sent.append((calls[-1], self.requests[-1].body))

    monkeypatch.setattr("server.Server", Provider)
    path = str(EXAMPLES / name / "root_agent.yaml")
    snapshot = Snapshot(DiskFiles(), workspace_root(path))
    tree = snapshot.tree(path)
    assert tree is not None
    async with serving() as server:
        models = DefaultModels({"OPENAI_BASE_URL": server.url, "OPENAI_API_KEY": "none"})
        async with Runner(tree, snapshot, models=models, model=MODEL, on_model_call=calls.append) as runner:
            for index, message in enumerate(TALKS[name]):
                state = STATE[name] if index == 0 else {}
                signals = [signal async for signal in runner.turn("s", message, state=state)]
                assert getattr(signals[-1], "status", None) == "done", signals
    assert len(sent) == len(calls) >= len(TALKS[name])
    for one, body in sent:
        if one.summarizes:  # `compile` shows the agent's requests, with a hole where this one's answer will stand
            continue
        events = tmp_path / "events.jsonl"
        events.write_text("".join(json.dumps(event_to_json(event)) + "\n" for event in one.events), encoding="utf-8")
        given = [f"--state={key}={json.dumps(value)}" for key, value in one.state.items()]
        agent = one.place.agent.name
        options = [f"--agent={agent}", "--for=openai", f"--model={MODEL}", f"--events={events}", *given]
        status = main(["compile", path, *options])
        assert (status, capfdbinary.readouterr().out) == (0, body)
