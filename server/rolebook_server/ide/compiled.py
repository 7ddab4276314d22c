"""One place compiled as the preview shows it, and its tokens counted as an editor counts them."""

from __future__ import annotations

from collections.abc import Callable

from rolebook.project.snapshot import Snapshot
from rolebook.project.state import initial_state
from rolebook.project.tree import Place, Tree
from rolebook.prompt.compile import Compilation, compile_request
from rolebook.prompt.context import Context
from rolebook.prompt.tokens import Count
from rolebook_server.ide.counts import counted


def compiled_at(snapshot: Snapshot, tree: Tree, place: Place) -> Compilation:
    """The request of an agent before any message, with samples in its state; nobody's code is run."""
    context = Context(state=initial_state(tree, samples=True), declarations=snapshot.declarations(place))
    return compile_request(tree, place, context)


def count_for(tree: Tree, place: Place) -> Callable[[str], Count]:
    """Counts texts for the agent's model, at once."""
    model, config = tree.model(place), tree.config
    return lambda text: counted(text, model, config)
