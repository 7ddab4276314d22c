"""What a run would know at an agent's next model call: for `compile --execute` (spec §3)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from rolebook.json import JsonValue
from rolebook.project.snapshot import Snapshot
from rolebook.project.tree import Place, Tree
from rolebook.prompt.context import Context
from rolebook.prompt.events import Event
from rolebook_runner.agents.prepare import prepare
from rolebook_runner.artifacts.process import ProcessArtifacts
from rolebook_runner.invocation import Invocation
from rolebook_runner.limits import limits_of
from rolebook_runner.memory.memory import Memory
from rolebook_runner.memory.process import ProcessMemory
from rolebook_runner.models.choose import models_of
from rolebook_runner.sessions.memory import MemoryStore
from rolebook_runner.sessions.store import SessionKey
from rolebook_runner.settings import Settings
from rolebook_runner.signals import Notice, Signal, Warning


@dataclass(frozen=True, slots=True)
class Executed:
    """A context without holes, and what a run would have warned of while it was obtained."""

    context: Context
    warnings: tuple[str, ...]


async def execute(
    snapshot: Snapshot,
    tree: Tree,
    place: Place,
    events: Sequence[Event] = (),
    state: Mapping[str, JsonValue] | None = None,
    model: str | None = None,
    *,
    key: SessionKey | None = None,
    memory: Memory | None = None,
) -> Executed:
    """Obtains it by running the user's code: tools are imported, functions of instructions and tool lists called.

    `key` and `memory` are those of the stored session that goes on; without them nothing is remembered. Nothing is
    stored and no model is asked. Raises RunError where `[run] instruction_errors = "stop"` says so, or a schema can't
    be had.
    """
    key = key or SessionKey(tree.root.agent.name, "user", "compile")
    settings = Settings(
        tree=tree,
        root=snapshot.root,
        app=key.app,
        user=key.user,
        store=MemoryStore(),
        memory=memory or ProcessMemory(),
        artifacts=ProcessArtifacts(),
        models=models_of(tree),
        model=model,
        config={},
        limits=limits_of(tree.config.run),
        declarations=snapshot.declarations,
        stop_on_instruction_error=tree.config.run.get("instruction_errors") == "stop",
        on_model_call=lambda _: None,
    )
    warnings: list[str] = []

    async def emit(signal: Signal) -> None:
        match signal:
            case Warning(message=message) | Notice(message=message):
                warnings.append(message)

    turn = Invocation(settings, key, events, emit)
    prepared = await prepare(turn, place, state or {})
    return Executed(prepared.context, tuple(warnings))
