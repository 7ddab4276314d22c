"""The chat's own commands, which begin with a slash."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Callable
from typing import NamedTuple, TextIO

from rolebook.definition.names import did_you_mean
from rolebook.json import compact
from rolebook_cli.output import Failure, paint, visible
from rolebook_cli.running.opening import Run
from rolebook_cli.running.requests import Shown, last_request, next_request
from rolebook_cli.values import read_pairs

_COMMAND = re.compile(r"\s*/(?P<name>[A-Za-z?]+)(?:\s+(?P<rest>.*))?\s*", re.DOTALL)


class Command(NamedTuple):
    usage: str
    summary: str


COMMANDS = {
    "state": Command("/state [KEY=VALUE]", "shows the session's state, or sets a value with your next message"),
    "events": Command("/events [N]", "shows what is stored, or the last N events"),
    "request": Command(
        "/request [next [TEXT]]", "shows the request that was sent last, or what the next model call would get"
    ),
    "agents": Command("/agents", "shows the tree, and who answers next"),
    "tokens": Command("/tokens [TEXT]", "counts the tokens of the next request"),
    "help": Command("/help", "shows this"),
    "quit": Command("/quit", "ends the chat, as Ctrl-D does"),
}


class Commands:
    """Carries them out for a chat. `loop` is the chat's own, `out` gets what they show."""

    def __init__(self, run: Run, loop: asyncio.Runner, out: TextIO) -> None:
        self._run, self._loop, self._out = run, loop, out

    def carry_out(self, message: str) -> bool | None:
        """Whether the chat ends; None where the message is no command. Raises Failure and RunError."""
        match = _COMMAND.fullmatch(message)
        if match is None or "\n" in message.strip():
            return None
        name, rest = match["name"].lower(), (match["rest"] or "").strip()
        if name in ("quit", "exit"):
            return True
        known: dict[str, Callable[[str], None]] = {
            "state": self._state,
            "events": self._events,
            "request": self._request,
            "agents": self._agents,
            "tokens": self._tokens,
            "help": self._help,
        }
        if name not in known:
            hint = did_you_mean(f"/{name}", [f"/{known}" for known in COMMANDS]) or "; `/help` lists them"
            raise Failure(f"there is no command `/{name}`{hint} (as a message, it begins with two slashes)")
        known[name](rest)
        return False

    def _state(self, rest: str) -> None:
        if rest:
            given = read_pairs([rest], "/state")
            for key in given:
                if key.startswith("temp:"):
                    raise Failure(f"`{key}` can't be set: `temp:` state belongs to one agent's context")
            self._run.state.update(given)
        state = self._loop.run(self._run.runner.state(self._run.session))
        for key in sorted(state):
            self._show(f"  {paint(visible(key), 'cyan', stream=self._out)} = {visible(compact(state[key]))}")
        for key, value in self._run.state.items():
            told = visible(compact(value))
            self._show(f"  {paint(visible(key), 'cyan', stream=self._out)} = {told} (set with your next message)")
        if not state and not self._run.state:
            self._show("  nothing is set")

    def _events(self, rest: str) -> None:
        from rolebook_cli.transcript import lines

        if rest and not (rest.isdecimal() and int(rest)):
            raise Failure(f"/events takes a number of events, not `{rest}`")
        events = self._loop.run(self._run.runner.events(self._run.session))
        shown = events[-int(rest) :] if rest else events
        if not shown:
            self._show("  nothing is stored yet")
        for line in lines(shown):
            self._show("  " + visible(line, keep="\n\t"))

    def _request(self, rest: str) -> None:
        first, _, text = rest.partition(" ")
        if first not in ("", "next"):
            raise Failure(f"/request takes nothing or `next`, not `{first}`")
        shown = self._next(text.strip() or None) if first else last_request(self._run)
        if shown is None:
            self._show("  nothing was sent yet; `/request next` shows what the next model call would get")
            return
        to = f"{shown.provider}, POST {shown.path}" if shown.provider else "a rehearsal, which sends nothing"
        self._show(paint(visible(f"{shown.agent} → {to}"), "dim", stream=self._out))
        self._show(visible(json.dumps(shown.body, ensure_ascii=False, indent=2), keep="\n"))

    def _next(self, text: str | None) -> Shown:
        upcoming = self._loop.run(self._run.runner.upcoming(self._run.session, text, state=self._run.state))
        for warning in upcoming.warnings:
            self._show(f"{paint('warning', 'yellow', stream=self._out)}: {visible(warning)}")
        return next_request(self._run, upcoming)

    def _agents(self, _: str) -> None:
        tree = self._run.tree
        next_one = answers_next(self._run, self._loop)
        for place in tree:
            agent = place.agent
            indent = "  " * len(list(tree.lineage(place)))
            described = f": {agent.description}" if agent.description else ""
            mark = paint(" ← answers next", "green", stream=self._out) if place.branch == next_one else ""
            name = paint(visible(agent.name), "bold", stream=self._out)
            told = visible(f"{agent.agent_class}{described}".replace("\n", " "))
            self._show(f"{indent}{name} · {told}{mark}")

    def _tokens(self, rest: str) -> None:
        from rolebook_cli.requests import Request
        from rolebook_cli.tokens_command import counted

        upcoming = self._loop.run(self._run.runner.upcoming(self._run.session, rest or None, state=self._run.state))
        self._show(counted(Request(upcoming.place, upcoming.compilation), self._run.tree.config))

    def _help(self, _: str) -> None:
        width = max(len(command.usage) for command in COMMANDS.values())
        for command in COMMANDS.values():
            self._show(f"  {command.usage:<{width}}  {command.summary}")
        self._show(
            '  A line that ends in \\ goes on; """ begins and ends a message of several lines.\n'
            "  Ctrl-C stops the answer; twice, or Ctrl-D, it ends the chat."
        )

    def _show(self, text: str) -> None:
        print(text, file=self._out, flush=True)


def answers_next(run: Run, loop: asyncio.Runner) -> str:
    """The branch of the agent whose turn it is."""
    from rolebook.prompt.turn import whose_turn

    return whose_turn(run.tree, loop.run(run.runner.events(run.session))).branch
