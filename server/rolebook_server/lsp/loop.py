"""One thread that does all the work, and others that only bring it: bytes of the client, output of child processes.

Messages are taken in their order. When none waits, what was put off is done: first what is due at a time, then one step
of the work in the background, and then it looks for messages again. So nothing in the background delays an edit by more
than one of its steps.
"""

from __future__ import annotations

import heapq
import itertools
import queue
import time
from collections import deque
from collections.abc import Callable, Iterator

Steps = Iterator[float | None]
"""Work in pieces; one that gives a number of seconds isn't gone on with before they are over."""


class Timer:
    """Work that is due at a time; `cancel` makes it nothing."""

    def __init__(self, work: Callable[[], None]) -> None:
        self.work: Callable[[], None] | None = work

    def cancel(self) -> None:
        self.work = None


class Loop:
    """`post` may be called from any thread, everything else from the loop's own."""

    def __init__(self) -> None:
        self._inbox: queue.SimpleQueue[Callable[[], None]] = queue.SimpleQueue()
        self._timers: list[tuple[float, int, Timer]] = []
        self._numbers = itertools.count()
        self._background: deque[Steps] = deque()
        self._running = True

    def post(self, work: Callable[[], None]) -> None:
        """Has the loop do `work`, after what was posted before."""
        self._inbox.put(work)

    def later(self, seconds: float, work: Callable[[], None]) -> Timer:
        timer = Timer(work)
        heapq.heappush(self._timers, (time.monotonic() + seconds, next(self._numbers), timer))
        return timer

    def background(self, steps: Steps) -> None:
        """Has the steps of a generator done, one whenever nothing else is to do."""
        self._background.append(steps)

    def stop(self) -> None:
        self._running = False

    def run(self) -> None:
        """Works until `stop`. An exception of the work ends it: handlers catch their own."""
        while self._running:
            work = self._next() or self._waited()
            if work is not None:
                work()

    def run_pending(self) -> bool:
        """Does all that needn't be waited for, for whoever drives the loop himself. False once it is stopped."""
        while self._running and (work := self._next()) is not None:
            work()
        return self._running

    def _next(self) -> Callable[[], None] | None:
        """What is to be done now, None where that is nothing."""
        try:
            return self._inbox.get_nowait()
        except queue.Empty:
            pass
        while self._timers and self._timers[0][0] <= time.monotonic():
            if (due := heapq.heappop(self._timers)[2].work) is not None:
                return due
        return self._step if self._background else None

    def _waited(self) -> Callable[[], None] | None:
        """The next message, or None when a timer is due first."""
        timeout = max(0.0, self._timers[0][0] - time.monotonic()) if self._timers else None
        try:
            return self._inbox.get(timeout=timeout)
        except queue.Empty:
            return None

    def _step(self) -> None:
        steps = self._background.popleft()
        try:
            seconds = next(steps)
        except StopIteration:
            return
        if seconds:
            self.later(seconds, lambda: self._background.append(steps))
        else:
            self._background.append(steps)
