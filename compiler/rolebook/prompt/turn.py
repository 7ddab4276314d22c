"""Whose turn it is: the agent that answers the user's next message, worked out from the stored events alone."""

from __future__ import annotations

from collections.abc import Sequence

from rolebook.project.tree import Place, Tree
from rolebook.prompt.events import Event


def whose_turn(tree: Tree, events: Sequence[Event]) -> Place:
    """The place of the latest speaker that may be returned to, the root where there is none.

    As in google-adk (`Runner._find_agent_to_run`): a speaker that isn't in the tree or may not be returned to is passed
    over for the one that spoke before. What was handed on is no speech, since its author didn't say it there.
    """
    for event in reversed(events):
        if event.handed_from is None and (place := _speaker(tree, event)) is not None and _returnable(tree, place):
            return place
    return tree.root


def _speaker(tree: Tree, event: Event) -> Place | None:
    """Where the event's author stands. A name may stand at several places of a tree; the branch tells them apart."""
    places = [place for place in tree if place.agent.name and place.agent.name == event.author]
    return next((place for place in places if place.branch == event.branch), next(iter(places), None))


def _returnable(tree: Tree, place: Place) -> bool:
    """Whether the conversation could find its way from the place back to the root: by LlmAgents that may go up."""
    lineage = list(tree.lineage(place))
    if lineage[-1].index != tree.root.index:
        return False  # an agent that is used as a tool
    return len(lineage) == 1 or all(
        at.agent.kind == "LlmAgent" and not at.agent.disallow_transfer_to_parent for at in lineage
    )
