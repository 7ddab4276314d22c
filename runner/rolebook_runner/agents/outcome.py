"""How an agent's run ended."""

from __future__ import annotations

from dataclasses import dataclass

from rolebook.project.tree import Place
from rolebook.prompt.events import Event


@dataclass(frozen=True, slots=True)
class Outcome:
    """`finals` are the events that hold the final texts, as they were first stored; an agent without text has none.
    `written` are the last ones written on the way; a LoopAgent ends with those, however silent its last step was.

    `transfer` is whom the agent handed over to, `note` what it told that one, `call` the event that holds the transfer
    call. `worked` says that it called another tool on the way. `exits` ends the loop around the agent.
    """

    finals: tuple[Event, ...] = ()
    written: tuple[Event, ...] = ()
    transfer: Place | None = None
    note: str | None = None
    call: Event | None = None
    worked: bool = False
    exits: bool = False
