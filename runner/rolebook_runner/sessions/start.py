"""The state that a new session starts with (spec §1)."""

from __future__ import annotations

from rolebook.json import JsonValue
from rolebook.project.tree import Tree
from rolebook_runner.sessions.state import TEMP


def initial_state(tree: Tree, *, rehearsal: bool) -> dict[str, JsonValue]:
    """The defaults that the agents declare, and in a rehearsal their samples for keys without one.

    Of several declarations of a key the one nearest to the root counts.
    """
    defaults: dict[str, JsonValue] = {}
    samples: dict[str, JsonValue] = {}
    for place in tree:
        for declared in place.agent.state:
            if declared.has_default:
                defaults.setdefault(declared.key, declared.default)
            if declared.has_sample:
                samples.setdefault(declared.key, declared.sample)
    values = {**samples, **defaults} if rehearsal else defaults
    return {key: value for key, value in values.items() if not key.startswith(TEMP)}
