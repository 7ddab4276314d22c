"""Hover: on a name the compiled prompt, on a placeholder what sets it, on a sub-agent or transfer target that agent, on
a key its documentation, on a model, a tool, a function or a rule what is known of it."""

from __future__ import annotations

from collections.abc import Callable

from rolebook.definition.agent import Agent
from rolebook.definition.lookup import key_at
from rolebook.definition.shapes import Key, Str
from rolebook.json import compact
from rolebook.project.snapshot import Snapshot
from rolebook.project.tools import BUILT_IN
from rolebook.project.tree import Place, Tree
from rolebook.record import Record
from rolebook.syntax.template import Placeholder, placeholders
from rolebook.syntax.yaml import Scalar
from rolebook.text import Span
from rolebook_server.ide.cards import function_card, model_card, prompt_card, rule_card, tool_card
from rolebook_server.ide.compiled import count_for
from rolebook_server.ide.locate import Found, locate
from rolebook_server.ide.names import texts_of
from rolebook_server.ide.occurrences import At, Thing, thing_at
from rolebook_server.ide.state_card import state_card

_MOST_CARDS = 3


class Hover(Record):
    """Markdown, and the span that it is about."""

    markdown: str
    span: Span


class _Here(Record):
    """The cursor: what stands at it, and the place whose view counts, the first of its agent."""

    snapshot: Snapshot
    tree: Tree
    place: Place
    found: Found
    offset: int
    at: At | None


def hover(snapshot: Snapshot, path: str, offset: int) -> Hover | None:
    """What to show at `offset` of the definition or configuration at `path`."""
    source = snapshot.source(path)
    at = thing_at(snapshot, path, offset)
    if at is not None and at.kind == "rule":
        page = rule_card(at.name)
        return Hover(page, at.span) if page is not None else None
    found = locate(source, offset) if source is not None else None
    if found is None:
        return None
    for tree in snapshot.trees_with(path):
        for place in tree.of(found.agent):
            here = _Here(snapshot, tree, place, found, offset, at)
            return next((card for show in _WAYS if (card := show(here)) is not None), None)
    return None


def _on_placeholder(here: _Here) -> Hover | None:
    if not isinstance(here.found.node, Scalar) or here.found.on_key:
        return None
    syntax = here.tree.template_syntax(here.place)
    for key, text in texts_of(here.found.agent):
        if key in ("instruction", "global_instruction") and text is here.found.node.text:
            for placeholder in placeholders(text.text, syntax):
                span = text.source(*placeholder.span)
                if span.holds(here.offset):
                    return Hover(_placeholder_card(here, placeholder), span)
    return None


def _placeholder_card(here: _Here, placeholder: Placeholder) -> str:
    if placeholder.escaped:
        return f"Plain text: the backslash is dropped, and `{placeholder.key}` is not looked up."
    if placeholder.artifact:
        return f"The text of the artifact `{placeholder.key}`, known at run."
    return state_card(here.snapshot, here.tree, here.place, placeholder.key, optional=placeholder.optional)


def _on_state_key(here: _Here) -> Hover | None:
    if here.at is None or here.at.kind != "state":
        return None
    reads = here.at.access == "read"
    card = state_card(here.snapshot, here.tree, here.place, here.at.name, optional=False, reads=reads)
    return Hover(card, here.at.span)


def _on_agent(here: _Here) -> Hover | None:
    """On the name of an agent, or of its file."""
    if here.at is None or here.at.kind not in ("agent", "file"):
        return None
    cards = []
    for thing in here.at.things[:_MOST_CARDS]:
        standing = _standing(here, thing)
        if standing is not None:
            cards.append(prompt_card(here.snapshot, *standing))
    return Hover("\n\n---\n\n".join(cards), here.at.span) if cards else None


def _standing(here: _Here, thing: Thing) -> tuple[Tree, Place] | None:
    """Where an agent stands: around the cursor, else in the first of its own trees."""
    if here.at is not None and here.at.access == "declare":
        return here.tree, here.place
    source = here.snapshot.source(thing.path)
    if source is None:
        return None
    span = source.agent.span if thing.kind == "file" else thing.span
    agent: Agent | None = next((agent for agent in source.agents if agent.span == span), None)
    for tree in (here.tree, *here.snapshot.trees_with(thing.path)):
        for place in tree.of(agent) if agent is not None else ():
            return tree, place
    return None


def _on_model(here: _Here) -> Hover | None:
    node = here.found.node
    key = _key(here.found)
    if here.found.on_key or not isinstance(node, Scalar) or not node.text.text or key is None:
        return None
    is_model = isinstance(key.shape, Str) and key.shape.means == "model"
    return Hover(model_card(node.text.text, here.tree.config), node.span) if is_model else None


def _on_tool(here: _Here) -> Hover | None:
    """On a tool what the model is told of it, on any other function its header and docstring."""
    at = here.at
    if at is None or at.kind not in ("function", "tool"):
        return None
    declared = here.snapshot.declarations(here.place)
    own = [known for label, known in declared.items() if at.name in (label, label.rpartition(".")[2], known.name)]
    declaration = next(iter(own), BUILT_IN.get(at.name))
    if declaration is not None and here.found.key in ("tools", "rehearsal"):
        counted = count_for(here.tree, here.place)(compact(declaration.to_json()))
        return Hover(tool_card(declaration, counted), at.span)
    function = here.snapshot.python(here.place.agent.path).function(at.name)
    return Hover(function_card(function, at.name), at.span) if function is not None else None


def _on_key(here: _Here) -> Hover | None:
    if not here.found.on_key or here.found.node is None:
        return None
    key = _key(here.found)
    if key is None:
        return None
    return Hover(f"**{key.name}**{' · required' if key.required else ''}\n\n{key.doc}", here.found.node.span)


def _key(found: Found) -> Key | None:
    return key_at([entry.name or "" for entry in found.entries]) if found.entries else None


_WAYS: tuple[Callable[[_Here], Hover | None], ...] = (
    _on_placeholder,
    _on_state_key,
    _on_agent,
    _on_model,
    _on_tool,
    _on_key,
)
