"""What a hover shows of a state key: its value in the preview, who sets it, and whether that is in time."""

from __future__ import annotations

import os
from collections.abc import Iterator
from itertools import islice

from rolebook.json import compact
from rolebook.project.flow import Answer
from rolebook.project.snapshot import Snapshot
from rolebook.project.state import Setter, SetterKind, initial_state
from rolebook.project.tree import Place, Tree
from rolebook_server.ide.cards import fenced

_LONGEST, _MOST_LISTED = 1_000, 20
_WORDS: dict[SetterKind, str] = {
    "state": "declared by",
    "config": "set for the workspace",
    "output_key": "set by the answer of",
    "tool": "set by a function of",
}


def state_card(snapshot: Snapshot, tree: Tree, place: Place, key: str, *, optional: bool, reads: bool = True) -> str:
    """The card of `key` as the agent at `place` sees it. `reads` says that it stands in a placeholder."""
    state = initial_state(tree, samples=True)
    keys = snapshot.state_keys(tree)
    setters = keys.setters.get(key, ())
    lines = [f"**{key}**" + (" · optional" if optional else "")]
    declared = (declared for each in tree for declared in each.agent.state if declared.key == key)
    lines += [text for each in islice(declared, 1) if (text := each.description.strip())]
    if key in state:
        lines.append(f"In the preview: {fenced(_shown(state[key]))}")
    if setters:
        lines.append("\n".join(_listed(setters)))
        if reads:
            lines.append(_verdict(snapshot.flow(tree).ask(place, key), place, optional))
    else:
        unset = "becomes empty" if optional else "stays in the prompt as it stands"
        lines.append(f"Nothing in this tree sets it; unset, it {unset}.")
        if keys.open_to:
            lines.append(f"`{keys.open_to[0]}` may set it: what it sets only a run knows.")
    return "\n\n".join(lines)


def _listed(setters: tuple[Setter, ...]) -> Iterator[str]:
    for setter in setters[:_MOST_LISTED]:
        agent = f" `{setter.agent}`" if setter.agent else ""
        yield f"- {_WORDS[setter.kind]}{agent} ({os.path.basename(setter.path)})"
    if len(setters) > _MOST_LISTED:
        yield f"- and at {len(setters) - _MOST_LISTED:,} more places"


def _verdict(answer: Answer, place: Place, optional: bool) -> str:
    """Whether the key is set when the agent at `place` makes its first request."""
    unset = "it becomes empty" if optional else "it stays as it stands"
    match answer.verdict:
        case "set":
            return "It is set before this agent's first request."
        case "sometimes":
            path = [*answer.path[:5], place.agent.name]
            way = f", but not on the way {' → '.join(f'`{name}`' for name in path)}" if answer.path else " only"
            return f"It is set on some ways to this agent{way}; on the others {unset}."
        case "later":
            return f"It is set only later; in this agent's first request {unset}."
        case "parallel":
            return f"It is set by an agent that runs at the same time, so {unset} unless that one is quicker."
        case "elsewhere":
            return f"`temp:` keys belong to one run of one agent, and another one sets it; here {unset}."


def _shown(value: object) -> str:
    text = value if isinstance(value, str) else compact(value)
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}\n… {len(text) - _LONGEST:,} more characters"
