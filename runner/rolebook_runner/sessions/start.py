"""The state that a new session starts with (spec §1)."""

from __future__ import annotations

from rolebook.json import JsonValue
from rolebook.project.tree import Tree
from rolebook_runner.sessions.state import TEMP

_SHARED = ("app:", "user:")


def initial_state(tree: Tree, *, rehearsal: bool) -> dict[str, JsonValue]:
    """The defaults that the agents declare, and in a rehearsal their samples for keys without one.

    Of several declarations of a key the one nearest to the root counts. Samples of state that sessions share aren't
    among them: stored, they would turn up in real runs.
    """
    values = {key: value for key, value in _samples(tree).items() if not key.startswith(_SHARED)} if rehearsal else {}
    values |= _defaults(tree)
    return {key: value for key, value in values.items() if not key.startswith(TEMP)}


def shared_samples(tree: Tree) -> dict[str, JsonValue]:
    """The samples for `app:` and `user:` keys, which a rehearsal sees as long as nothing sets them."""
    return {key: value for key, value in _samples(tree).items() if key.startswith(_SHARED)}


def _samples(tree: Tree) -> dict[str, JsonValue]:
    samples: dict[str, JsonValue] = {}
    for declared in (declared for place in tree for declared in place.agent.state if declared.has_sample):
        samples.setdefault(declared.key, declared.sample)
    return samples


def _defaults(tree: Tree) -> dict[str, JsonValue]:
    defaults: dict[str, JsonValue] = {}
    for declared in (declared for place in tree for declared in place.agent.state if declared.has_default):
        defaults.setdefault(declared.key, declared.default)
    return defaults
