"""Turns of a session: one, or as many as the user wants."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Callable
from contextlib import aclosing
from typing import TYPE_CHECKING, Any, Protocol, TextIO

from rolebook_cli.output import Failure, paint, visible
from rolebook_cli.running.live import Live
from rolebook_cli.running.opening import Run

if TYPE_CHECKING:
    from rolebook_runner.signals import Signal

Show = Callable[["Signal"], None]


class Asks(Protocol):
    def ask(self, prompt: str) -> str | None: ...


def json_lines(out: TextIO) -> Show:
    """Prints each signal as one JSON object a line."""
    from rolebook_runner.signals import signal_to_json

    return lambda signal: print(json.dumps(signal_to_json(signal), ensure_ascii=False), file=out, flush=True)


def one_turn(run: Run, message: str, out: TextIO, *, as_json: bool) -> int:
    """Status 1 where the turn failed."""
    live = Live(out)
    with asyncio.Runner() as loop:
        try:
            turns = _Turns(run, loop, json_lines(out) if as_json else live.show)
            if not as_json:
                turns.tell_of_session()
            try:
                done = turns.take(message)
            except KeyboardInterrupt:
                if not as_json:
                    live.aside(live.stopped())
                raise
        finally:
            loop.run(run.aclose())
    return 0 if done else 1


def json_chat(run: Run, ask: Callable[[], str | None], out: TextIO) -> int:
    """A turn for each line of the input, which is the message as it stands."""
    done = True
    with asyncio.Runner() as loop:
        try:
            turns = _Turns(run, loop, json_lines(out))
            while (message := ask()) is not None:
                if message.strip():
                    done = turns.take(message)
        finally:
            loop.run(run.aclose())
    return 0 if done else 1


def chat(run: Run, asks: Asks, out: TextIO) -> int:
    """Turns and commands until the input ends. Status 1 where the last turn failed.

    The user is asked between the turns, outside of the event loop, so that Ctrl-C at the prompt is an ordinary one.
    """
    live = Live(out)
    with asyncio.Runner() as loop:
        try:
            return _Chat(run, loop, asks, live, out).talk()
        finally:
            loop.run(run.aclose())


class _Turns:
    """Runs turns on a loop of the caller's. The state that was given goes with the first one."""

    def __init__(self, run: Run, loop: asyncio.Runner, show: Show) -> None:
        self._run, self._loop, self._show = run, loop, show
        self._task: asyncio.Task[Any] | None = None

    def tell_of_session(self) -> None:
        """What a later run needs to know, on standard error."""
        run = self._run
        if not run.stored:
            return
        if not run.named:
            note = f"session {run.session}; `--session {run.session}` goes on with it"
        else:
            events = len(self._loop.run(run.runner.events(run.session)))
            note = f"session {run.session} goes on after {events} events" if events else f"session {run.session} is new"
        print(paint(visible(note), "dim", stream=sys.stderr), file=sys.stderr)

    def take(self, message: str) -> bool:
        """Whether the turn came to its end. Raises RunError, and KeyboardInterrupt once it is stopped."""
        state, self._run.state = self._run.state, {}
        return self._loop.run(self._turn(message, state))

    @property
    def has_stopped(self) -> bool:
        """Whether the last turn is over. One that is interrupted a second time may not be."""
        return self._task is None or self._task.done()

    async def _turn(self, message: str, state: dict[str, Any]) -> bool:
        self._task = asyncio.current_task()
        done = False
        async with aclosing(self._run.runner.turn(self._run.session, message, state=state)) as signals:
            async for signal in signals:
                self._show(signal)
                done = getattr(signal, "status", None) == "done"
        return done


class _Chat:
    def __init__(self, run: Run, loop: asyncio.Runner, asks: Asks, live: Live, out: TextIO) -> None:
        from rolebook_cli.running.commands import Commands

        self._run, self._loop, self._asks, self._live, self._out = run, loop, asks, live, out
        self._turns = _Turns(run, loop, live.show)
        self._commands = Commands(run, loop, out)
        self._done = True
        self._interrupted = False
        """Whether the last thing that the user did was Ctrl-C; once more, and the chat ends."""

    def talk(self) -> int:
        self._turns.tell_of_session()
        while True:
            try:
                message = self._asks.ask(self._prompt())
            except KeyboardInterrupt:
                print(file=self._out)
                if self._interrupted:
                    break
                self._interrupted = True
                self._live.aside("Ctrl-C once more ends the chat, as Ctrl-D does; `/help` lists the commands")
                continue
            self._interrupted = False
            if message is None or self._answer(message):
                break
        return 0 if self._done else 1

    def _answer(self, message: str) -> bool:
        """Whether the chat ends with this message."""
        from rolebook_runner.errors import RunError

        if not message.strip():
            return False
        try:
            ends = self._commands.carry_out(message)
            if ends is None:
                self._turn(message[1:] if message.startswith("//") else message)
        except KeyboardInterrupt:
            self._live.aside(self._live.stopped())
            if not self._turns.has_stopped:
                raise  # interrupted again while it was stopping
            self._interrupted = True
            return False
        except (Failure, RunError) as error:
            self._live.aside(str(error), "error")
            return False
        return ends is True

    def _turn(self, message: str) -> None:
        self._live.begin()
        try:
            self._done = self._turns.take(message)
        except BaseException:
            self._done = True
            raise

    def _prompt(self) -> str:
        """Who is spoken to, where that isn't the root."""
        from rolebook_cli.running.commands import answers_next

        branch = answers_next(self._run, self._loop)
        if branch == self._run.tree.root.branch:
            return "you"
        return visible(f"you → {branch.rpartition('.')[2]}")
