"""Tools that Rolebook brings along, under the names that google-adk gives them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rolebook_runner.context import Context


def exit_loop(context: Context) -> dict[str, str]:
    """End the loop that this agent is part of."""
    context.actions.escalate = True
    return {"status": "the loop ends"}


async def load_memory(query: str, context: Context) -> dict[str, list[dict[str, str]]]:
    """Search what the user said, and was told, in earlier conversations.

    Args:
        query: The words to search for.
    """
    memos = await context.memory.search(query)
    return {"memories": [{"author": memo.author, "time": memo.time, "text": memo.text} for memo in memos]}


BUILT_IN: dict[str, Callable[..., Any]] = {
    "exit_loop": exit_loop,
    "google.adk.tools.exit_loop": exit_loop,
    "load_memory": load_memory,
    "google.adk.tools.load_memory": load_memory,
}
