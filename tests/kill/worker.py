"""A process to be killed: it runs turn after turn in two sessions and tells each event once it is stored.

`python worker.py FOLDER [TURNS]`: without TURNS it goes on for ever.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
from contextlib import aclosing
from pathlib import Path

from rolebook.project.files import DiskFiles
from rolebook.project.snapshot import Snapshot
from rolebook_runner.runner import Runner
from rolebook_runner.sessions.location import Location
from rolebook_runner.sessions.storage import open_storage
from rolebook_runner.signals import EventStored, TurnFinished

SESSIONS = ("one", "two")
MESSAGES = ("the weather", "a trip", "just count")

DEFINITION = """
name: desk
model: rehearsal
output_key: counted
tools: [{name: tools.count}]
rehearsal:
  - {on: weather, transfer: weather}
  - {on: trip, transfer: trip}
  - call: {count: {}}
  - say: "counted {result}"
sub_agents:
  - name: weather
    tools: [{name: tools.count}, {name: tools.slow}]
    rehearsal:
      - {on: trip, transfer: desk}
      - {on: count, transfer: desk}
      - call: {count: {}, slow: {}}
      - say: "sunny {result}"
    output_key: weather
  - agent_class: SequentialAgent
    name: trip
    sub_agents:
      - {name: plan, tools: [{name: tools.slow}], output_key: plan, rehearsal: [{call: {slow: {}}}, {say: "planned"}]}
      - agent_class: ParallelAgent
        name: book
        sub_agents:
          - name: train
            output_key: train
            tools: [{name: tools.slow}]
            rehearsal: [{call: {slow: {}}}, {say: "a train"}]
          - {name: room, output_key: room, rehearsal: [{say: "a room"}]}
"""
TOOLS = '''
import asyncio, random, time

def count(context) -> int:
    """Counts, in the session and for the user."""
    context.state["count"] = context.state.get("count", 0) + 1
    name = f"user:{context.session}"
    context.state[name] = context.state.get(name, 0) + 1
    return context.state["count"]

async def slow(context) -> str:
    """Takes a moment."""
    await asyncio.sleep(random.random() / 500)
    context.state["slow"] = random.random()
    return "done"
'''


def set_up(folder: Path) -> None:
    (folder / "root_agent.yaml").write_text(DEFINITION, encoding="utf-8")
    (folder / "tools.py").write_text(TOOLS, encoding="utf-8")


def tell(*values: object) -> None:
    """One write for each line, so that a kill never leaves half of one."""
    os.write(1, (json.dumps(values) + "\n").encode())


async def main(folder: str, most: int | None) -> None:
    snapshot = Snapshot(DiskFiles(), folder)
    tree = snapshot.tree(os.path.join(folder, "root_agent.yaml"))
    assert tree is not None
    storage = open_storage(Location(os.path.join(folder, "sessions.db")))

    async def talk(runner: Runner, session: str) -> None:
        done = 0
        while most is None or done < most:
            asked = sum(event.author == "user" for event in await runner.events(session))
            async with aclosing(runner.turn(session, MESSAGES[asked % len(MESSAGES)])) as signals:
                async for signal in signals:
                    if isinstance(signal, EventStored):
                        tell("stored", session, signal.event.id)
                    elif isinstance(signal, TurnFinished):
                        tell("finished", session, signal.status)
            done += 1

    async with Runner(tree, snapshot, store=storage.store, memory=storage.memory) as runner:
        await asyncio.gather(*(talk(runner, session) for session in SESSIONS))
    await storage.aclose()


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else None))
