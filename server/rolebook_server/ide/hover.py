"""Hover: on a name the compiled prompt, on a placeholder what sets it, on a sub-agent that agent, on a key its page."""

from __future__ import annotations

import os
from collections.abc import Callable

from rolebook.definition.lookup import key_at
from rolebook.json import compact
from rolebook.models import facts
from rolebook.project.config import Config
from rolebook.project.references import resolve
from rolebook.project.snapshot import Snapshot
from rolebook.project.source import Source
from rolebook.project.state import initial_state
from rolebook.project.tree import Place, Tree
from rolebook.prompt.compile import compile_request
from rolebook.prompt.context import Context
from rolebook.prompt.provenance import Compiled
from rolebook.prompt.request import Hole
from rolebook.prompt.tokens import Count, counting
from rolebook.record import Record
from rolebook.syntax.template import Placeholder, placeholders
from rolebook.syntax.yaml import Scalar
from rolebook.text import Span
from rolebook_server.ide.counts import counted
from rolebook_server.ide.locate import Found, locate


class Hover(Record):
    """Markdown, and the span that it is about."""

    markdown: str
    span: Span


def hover(snapshot: Snapshot, path: str, offset: int) -> Hover | None:
    """What to show at `offset` of the definition at `path`."""
    source = snapshot.source(path)
    found = locate(source, offset) if source is not None else None
    if source is None or found is None:
        return None
    places = [(tree, place) for tree in snapshot.trees_with(path) for place in tree.of(found.agent)]
    if not places:
        return None
    tree, place = places[0]
    return (
        _on_name(snapshot, tree, place, found)
        or _on_placeholder(snapshot, tree, place, found, offset)
        or _on_sub_agent(snapshot, tree, source, found)
        or _on_model(tree, found)
        or _on_key(found)
    )


def _on_name(snapshot: Snapshot, tree: Tree, place: Place, found: Found) -> Hover | None:
    if found.key != "name" or len(found.entries) > 1 or found.node is None or found.on_key:
        return None
    return Hover(prompt_card(snapshot, tree, place), found.node.span)


def prompt_card(snapshot: Snapshot, tree: Tree, place: Place) -> str:
    """The compiled prompt of an agent in Markdown: both halves with their tokens, whom it hands over to, its tools."""
    agent = place.agent
    if agent.kind != "LlmAgent":
        steps = ", ".join(f"`{child.agent.name}`" for child in tree.children(place)) or "none"
        return f"**{agent.name}** · {agent.agent_class}\n\n{agent.description}\n\nSub-agents: {steps}".replace(
            "\n\n\n\n", "\n\n"
        )
    context = Context(state=initial_state(tree, samples=True), declarations=snapshot.declarations(place))
    compilation = compile_request(tree, place, context)
    model = compilation.request.model

    def count(text: str) -> Count:
        return counted(text, model, tree.config)

    targets = ", ".join(f"`{target.agent.name}`" for target in tree.transfer_targets(place))
    tools = ", ".join(f"`{tool.name}`" for tool in compilation.request.tools)
    lines = [
        f"**{agent.name}** · {agent.agent_class} · {f'`{model}`' if model else 'no model: rehearsal'}",
        _half("Static", "the same in each request, so it can be cached", compilation.split.static, count),
        _half("Dynamic", "made anew for each request", compilation.split.dynamic, count),
        f"Hands over to: {targets}" if targets else "",
        f"Tools: {tools}" if tools else "",
    ]
    if any(isinstance(tool, Hole) for tool in compilation.request.tools) or compilation.split.whole.holes:
        lines.append("What only a run can know is not counted.")
    return "\n\n".join(line for line in lines if line)


_LONGEST = 6_000
"""Characters of a half that a hover shows; the preview shows all."""


def _half(title: str, meaning: str, compiled: Compiled, count: Callable[[str], Count]) -> str:
    text = compiled.text
    if not text:
        return f"**{title}** — empty"
    tokens = count(compiled.known_text)
    shown = text if len(text) <= _LONGEST else f"{text[:_LONGEST]}\n… {len(text) - _LONGEST:,} more characters"
    return f"**{title}** — {meaning} · {tokens}\n{fenced(shown)}"


def fenced(text: str) -> str:
    """The text as a code block whose fence is longer than any in it."""
    fence = "```"
    while fence in text:
        fence += "`"
    return f"{fence}text\n{text}\n{fence}"


def _on_placeholder(snapshot: Snapshot, tree: Tree, place: Place, found: Found, offset: int) -> Hover | None:
    if found.key not in ("instruction", "global_instruction") or not isinstance(found.node, Scalar) or found.on_key:
        return None
    text = found.node.text
    for placeholder in placeholders(text.text, tree.template_syntax(place)):
        span = text.source(*placeholder.span)
        if span.holds(offset):
            return Hover(_placeholder_card(snapshot, tree, placeholder), span)
    return None


def _placeholder_card(snapshot: Snapshot, tree: Tree, placeholder: Placeholder) -> str:
    if placeholder.escaped:
        return f"Plain text: the backslash is dropped, and `{placeholder.key}` is not looked up."
    if placeholder.artifact:
        return f"The text of the artifact `{placeholder.key}`, known at run."
    state = initial_state(tree, samples=True)
    known = snapshot.state_keys(tree)
    lines = [f"**{placeholder.key}**" + (" · optional" if placeholder.optional else "")]
    if placeholder.key in state:
        lines.append(f"In the preview: {fenced(_shown(state[placeholder.key]))}")
    words = {
        "state": "declared by",
        "config": "set for the workspace",
        "output_key": "set by the answer of",
        "tool": "set by a tool of",
    }
    setters = known.setters.get(placeholder.key, ())
    lines += [f"- {words[setter.kind]} `{setter.agent}` ({os.path.basename(setter.path)})" for setter in setters]
    if not setters:
        unset = "becomes empty" if placeholder.optional else "stays in the prompt as it stands"
        lines.append(f"Nothing in this tree sets it; unset, it {unset}.")
    return "\n\n".join(lines[:2]) + "".join(f"\n{line}" for line in lines[2:])


def _shown(value: object) -> str:
    return value if isinstance(value, str) else compact(value)


def _on_sub_agent(snapshot: Snapshot, tree: Tree, source: Source, found: Found) -> Hover | None:
    reference = found.reference
    if reference is None or reference.kind != "config_path":
        return None
    target = resolve(source.path, reference.target)
    place = next((place for place in tree if place.agent.path == target and place.reference is not None), None)
    return Hover(prompt_card(snapshot, tree, place), reference.span) if place is not None else None


def _on_model(tree: Tree, found: Found) -> Hover | None:
    if found.key != "model" or len(found.entries) > 1 or found.on_key or not isinstance(found.node, Scalar):
        return None
    return Hover(_model_card(found.node.text.text, tree.config), found.node.span)


def _model_card(model: str, config: Config) -> str:
    """What is known of a model: its window, its tokenizer, and when it ends."""
    known = facts(model, config.models)
    lines = [f"**{model}**"]
    if known.prompt_limit is not None:
        lines.append(f"Prompt: up to {known.prompt_limit:,} tokens")
    if known.max_output_tokens is not None:
        lines.append(f"Answer: up to {known.max_output_tokens:,} tokens")
    lines.append(f"Token counts: {counting(model, config.models)}")
    if known.shutdown is not None:
        instead = f"; instead: `{known.successor}`" if known.successor else ""
        lines.append(f"Shut down on {known.shutdown}{instead}")
    return "\n\n".join(lines)


def _on_key(found: Found) -> Hover | None:
    if not found.on_key or not found.entries or found.node is None:
        return None
    key = key_at([entry.name or "" for entry in found.entries])
    if key is None:
        return None
    return Hover(f"**{key.name}**{' · required' if key.required else ''}\n\n{key.doc}", found.node.span)
