"""Short ways to run a tree in a test: a workspace on disk, models whose answers the test gives, and what comes out."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Iterable, Mapping
from contextlib import aclosing
from pathlib import Path
from typing import Any, TypeVar

from build import ROOT, snapshot

from rolebook.json import JsonObject
from rolebook.project.files import DiskFiles
from rolebook.project.snapshot import Snapshot
from rolebook.prompt.events import Event
from rolebook.prompt.request import LlmRequest
from rolebook.wire.stream import Finish, TextDelta, ToolCall
from rolebook_runner import signals
from rolebook_runner.models.choose import DefaultModels
from rolebook_runner.models.model import Item, ModelCall
from rolebook_runner.runner import Runner

S = TypeVar("S")
Answer = Callable[[ModelCall], Iterable[Item]]


class Answers:
    """Models that answer what a function of the call says; none of them is a rehearsal."""

    def __init__(self, answer: Answer) -> None:
        self.answer = answer

    def of(self, call: ModelCall) -> Answers._One:
        return Answers._One(self.answer, call)

    def rehearsal_reason(self, _: str | None) -> str | None:
        return None

    async def aclose(self) -> None:
        return None

    class _One:
        def __init__(self, answer: Answer, call: ModelCall) -> None:
            self.answer, self.call = answer, call

        async def stream(self, request: LlmRequest) -> AsyncGenerator[Item, None]:
            assert request is self.call.request
            for item in self.answer(self.call):
                yield item


def say(text: str) -> list[Item]:
    return [TextDelta(text), Finish("stop")]


def use(*calls: tuple[str, JsonObject]) -> list[Item]:
    """An answer that calls tools, with the ids `c1`, `c2`, …"""
    return [*(ToolCall(f"c{number}", name, args) for number, (name, args) in enumerate(calls, 1)), Finish("tool_calls")]


def hand_over(name: str, note: str | None = None) -> list[Item]:
    return use(("transfer_to_agent", {"agent_name": name} if note is None else {"agent_name": name, "note": note}))


def in_turn(**scripts: list[list[Item]]) -> Answers:
    """Each agent gives its answers one after another."""
    left = {name: list(script) for name, script in scripts.items()}
    return Answers(lambda call: left[call.place.agent.name].pop(0))


class Played:
    """A runner, and everything that it told and asked so far."""

    def __init__(self, workspace: Snapshot, path: str, **options: Any) -> None:
        tree = workspace.tree(path)
        assert tree is not None
        self.tree = tree
        self.calls: list[ModelCall] = []
        self.signals: list[signals.Signal] = []
        options.setdefault("models", DefaultModels({}, tree.config.models))
        self.runner = Runner(tree, workspace, on_model_call=self.calls.append, **options)

    async def turn(self, text: str, session: str = "s", **options: Any) -> Played:
        async with aclosing(self.runner.turn(session, text, **options)) as told:
            async for signal in told:
                self.signals.append(signal)
        return self

    def told(self, kind: type[S]) -> list[S]:
        return [signal for signal in self.signals if isinstance(signal, kind)]

    @property
    def events(self) -> list[Event]:
        return [signal.event for signal in self.told(signals.EventStored)]

    @property
    def last(self) -> signals.TurnFinished:
        assert isinstance(self.signals[-1], signals.TurnFinished)
        return self.signals[-1]

    @property
    def error(self) -> signals.Error:
        (error,) = self.told(signals.Error)
        return error

    @property
    def warnings(self) -> list[str]:
        return [warning.message for warning in self.told(signals.Warning)]

    @property
    def responses(self) -> list[Any]:
        return [signal.response for signal in self.told(signals.ToolFinished)]

    def told_tools(self) -> list[str]:
        return [signal.tool for signal in self.told(signals.ToolStarted)]

    def spoken(self) -> list[tuple[str, str | None, str]]:
        """Author, branch and text of each event that has text."""
        return [(event.author, event.branch, event.text) for event in self.events if event.text]

    def seen(self, index: int = -1) -> list[str]:
        """The texts of the messages of one model call, each with its role."""
        return [
            f"{message.role}: {part.text}"
            for message in self.calls[index].request.messages
            for part in message.parts
            if hasattr(part, "text")
        ]


def played(definition: str, files: Mapping[str, str] | None = None, **options: Any) -> Played:
    """A tree in memory: `definition` is the text of the root, `files` are others beside it."""
    workspace = snapshot({"root_agent.yaml": definition, **(files or {})})
    return Played(workspace, f"{ROOT}/root_agent.yaml", **options)


def played_in(folder: Path, files: Mapping[str, str], path: str = "root_agent.yaml", **options: Any) -> Played:
    """A tree on disk, for what needs Python files."""
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    return Played(Snapshot(DiskFiles(), str(folder)), str(folder / path), **options)
