"""What the user's functions get as `context`: tools and instruction providers alike."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from rolebook.json import JsonValue
from rolebook.prompt.events import Event, EventId
from rolebook_runner.artifacts.artifacts import SessionArtifacts
from rolebook_runner.memory.memory import UserMemory
from rolebook_runner.sessions.state import ToolState


@dataclass(slots=True)
class Actions:
    """What a tool or callback asks of the run, under google-adk's names."""

    escalate: bool = False
    transfer_to_agent: str | None = None


@dataclass(slots=True)
class Context:
    """The run as one call of a user's function sees it.

    A tool's `state` is written like a dictionary, and what it wrote is stored with its response; so is a callback's. A
    provider's is read only. `events` are those of the session before the call. `await memory.search(query)` finds what
    the user said and was told in past turns, of any session; `artifacts` keeps files. `actions.escalate = True` ends
    the LoopAgent around the agent, and `actions.transfer_to_agent = "name"` hands over once the tools are done.
    """

    state: ToolState | Mapping[str, JsonValue]
    events: tuple[Event, ...]
    agent: str
    branch: str
    session: str
    user_id: str
    app_name: str
    invocation: EventId
    memory: UserMemory
    artifacts: SessionArtifacts
    now: datetime = field(default_factory=lambda: datetime.now().astimezone())
    actions: Actions = field(default_factory=Actions)
