"""Tools that Rolebook brings along, under the names that google-adk gives them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rolebook_runner.context import Context


def exit_loop(context: Context) -> dict[str, str]:
    """End the loop that this agent is part of."""
    context.escalate = True
    return {"status": "the loop ends"}


BUILT_IN: dict[str, Callable[..., Any]] = {
    "exit_loop": exit_loop,
    "google.adk.tools.exit_loop": exit_loop,
}
