"""A turn as people read it while it runs: who speaks, which tools are called, who hands over to whom."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, TextIO

from rolebook.json import compact
from rolebook.prompt.compile import TRANSFER_TOOL
from rolebook.prompt.events import COMPACTION, Event, FunctionResponse
from rolebook_cli.output import paint, visible
from rolebook_cli.paint import Colour

if TYPE_CHECKING:
    from rolebook_runner.signals import Signal

_Voice = tuple[str, str | None]
"""An agent's name and branch."""


class Live:
    """Prints signals to `out`, and what isn't part of the conversation to standard error.

    Agents that speak at the same time are shown one after the other: one has the floor until its text is stored, and
    what the others say, and whatever else happens, is told after that.
    """

    def __init__(self, out: TextIO) -> None:
        self._out = out
        self.begin()

    def begin(self) -> None:
        """A turn begins."""
        self._floor: _Voice | None = None
        self._midline = False
        self._waiting: dict[_Voice, list[str]] = {}
        self._ended: set[_Voice] = set()
        self._held: list[str] = []
        self._stored = 0

    def show(self, signal: Signal) -> None:
        from rolebook_runner import signals as s

        match signal:
            case s.TextDelta(agent=agent, branch=branch, text=text):
                self._speech((agent, branch), text)
            case s.ToolStarted(agent=agent, tool=tool, args=args) if tool != TRANSFER_TOOL:
                self._line(f"{_plain(agent)} calls {self._paint(_plain(tool), 'cyan')} {_plain(compact(args))}")
            case s.ToolFinished(tool=tool, response=response, failed=failed, where=where) if tool != TRANSFER_TOOL:
                word = self._paint(f"failed{f' at {_plain(where)}' if where else ''}", "red") if failed else "gave"
                self._line(f"{self._paint(_plain(tool), 'cyan')} {word} {_plain(compact(response))}")
            case s.EventStored(event=event):
                self._stored_event(event)
            case s.AgentFinished(agent=agent, branch=branch):
                self._end_of((agent, branch))
            case s.Transferred(source=source, target=target, note=note):
                said = f": {_plain(note)}" if note else ""
                self._line(f"{_plain(source)} {self._paint('hands over to', 'magenta')} {_plain(target)}{said}")
            case s.Notice(message=message):
                self.aside(message)
            case s.Warning(message=message, agent=agent):
                self.aside(f"{agent}: {message}" if agent else message, "warning")
            case s.Error(message=message):
                self.aside(message, "error")
            case s.TurnFinished():
                self._end_all()

    def stopped(self) -> str:
        """Ends what is on the screen of a turn that was stopped, and says what is kept of it and what isn't."""
        voices = [*([self._floor] if self._floor else []), *self._waiting]
        unfinished = dict.fromkeys(f"`{agent}`" for agent, branch in voices if (agent, branch) not in self._ended)
        self._end_all()
        if not self._stored:
            kept = "nothing of this turn is in the session"
        else:
            more = self._stored - 1
            kept = f"your message{f' and {more} more event' + 's' * (more > 1) if more else ''} stay in the session"
            kept = kept if more else kept.replace("stay", "stays")
        dropped = f"; the unfinished answer of {', '.join(unfinished)} is dropped" if unfinished else ""
        return f"stopped: {kept}{dropped}"

    def aside(self, text: str, kind: str | None = None) -> None:
        """A line on standard error, a warning or an error where `kind` says so."""
        if self._midline:
            print(file=self._out)
            self._midline = False
        self._out.flush()
        colour: Colour = "red" if kind == "error" else "yellow"
        head = f"{paint(kind, colour, stream=sys.stderr)}: " if kind else ""
        print(head + visible(text, keep="\n\t"), file=sys.stderr, flush=True)

    def _stored_event(self, event: Event) -> None:
        self._stored += 1
        if event.author == COMPACTION and event.replaces:
            self._line(f"{self._paint('summarized', 'cyan')} {len(event.replaces)} messages")
            return
        for part in event.parts:
            match part:
                case FunctionResponse(_, name, {"error": str(reason)}) if name == TRANSFER_TOOL:
                    refused = self._paint("was refused to hand over", "red")
                    self._line(f"{_plain(event.author)} {refused}: {_plain(reason)}")
        if event.handed_from is None:
            self._end_of((event.author, event.branch))

    def _speech(self, voice: _Voice, text: str) -> None:
        if self._floor is None:
            self._floor = voice
        if self._floor != voice:
            self._waiting.setdefault(voice, []).append(text)
            self._ended.discard(voice)
            return
        if not self._midline:
            print(self._paint(f"{_plain(voice[0])}:", "green", "bold"), end=" ", file=self._out)
            self._midline = True
        print(visible(text.replace("\r\n", "\n"), keep="\n\t"), end="", file=self._out, flush=True)

    def _end_of(self, voice: _Voice) -> None:
        """The agent said its text to the end; who waits is next."""
        if voice != self._floor:
            if voice in self._waiting:
                self._ended.add(voice)
            return
        self._give_floor()

    def _give_floor(self) -> None:
        while True:
            if self._midline:
                print(file=self._out, flush=True)
            self._floor, self._midline = None, False
            for line in self._held:
                print(line, file=self._out, flush=True)
            self._held.clear()
            if not self._waiting:
                return
            voice = next(iter(self._waiting))
            self._speech(voice, "".join(self._waiting.pop(voice)))
            if voice not in self._ended:
                return
            self._ended.discard(voice)

    def _end_all(self) -> None:
        self._ended.update(self._waiting)
        self._give_floor()
        if self._floor is not None:
            self._give_floor()

    def _line(self, text: str) -> None:
        self._held.append(f"  {text}")
        if self._floor is None:
            self._give_floor()

    def _paint(self, text: str, *colours: Colour) -> str:
        return paint(text, *colours, stream=self._out)


def _plain(text: str) -> str:
    return visible(text)
