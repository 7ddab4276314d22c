"""The preview of an agent: everything that its next request would hold, and where each part of it comes from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rolebook.json import JsonValue
from rolebook.models import facts
from rolebook.project.snapshot import Snapshot
from rolebook.project.state import initial_state
from rolebook.project.tree import Place, Tree
from rolebook.prompt.compile import Compilation, compile_request
from rolebook.prompt.context import Context
from rolebook.prompt.events import Event
from rolebook.prompt.tokens.parts import Part, count_parts, total
from rolebook.record import Record
from rolebook.wire import Provider, body, provider_of
from rolebook.wire.caching import CacheReport, cache_report
from rolebook_server.ide.compiled import count_for
from rolebook_server.ide.locate import locate


class Preview(Record):
    """A compilation with its tokens, its caching and its body. `window` is the model's, in tokens, None if unknown."""

    tree: Tree
    place: Place
    state: Mapping[str, JsonValue]
    compilation: Compilation
    parts: tuple[Part, ...]
    tokens: int
    exact: bool
    window: int | None
    provider: Provider
    caching: CacheReport
    body: Any
    losses: tuple[str, ...]


def place_at(
    snapshot: Snapshot, path: str, agent: str | None = None, offset: int | None = None
) -> tuple[Tree, Place] | None:
    """The agent that is meant in the file at `path`: by its name, else by the cursor, else the file's own."""
    source = snapshot.source(path)
    if source is None:
        return None
    meant = source.agent
    if agent is not None:
        meant = next((each for each in source.agents if each.name == agent), meant)
    elif offset is not None and (found := locate(source, offset)) is not None:
        meant = found.agent
    for tree in snapshot.trees_with(path):
        for place in tree.of(meant):
            return tree, place
    return None


def preview(
    snapshot: Snapshot,
    tree: Tree,
    place: Place,
    state: Mapping[str, JsonValue] | None = None,
    events: Sequence[Event] = (),
    provider: Provider | None = None,
) -> Preview:
    """The preview with these values of state over the samples, after these events. Nobody's code is run."""
    values = {**initial_state(tree, samples=True), **(state or {})}
    compilation = compile_request(tree, place, Context(state=values, declarations=snapshot.declarations(place)), events)
    request, overrides = compilation.request, tree.config.models
    count = count_for(tree, place)
    known = facts(request.model, overrides)
    parts = count_parts(compilation, known, count)
    whole = total(parts)
    chosen = provider or (provider_of(request.model, overrides) if request.model is not None else None) or "openai"
    wire = body(request, chosen)
    return Preview(
        tree,
        place,
        values,
        compilation,
        parts,
        whole.tokens,
        whole.exact,
        known.context_window,
        chosen,
        cache_report(compilation, chosen, lambda text: count(text).tokens),
        wire.payload,
        wire.warnings,
    )


def as_markdown(shown: Preview) -> str:
    """The preview as a document, for an editor that can show no more than that."""
    request, agent = shown.compilation.request, shown.place.agent
    about = "" if shown.exact else "≈ "
    window = f" of {shown.window:,}" if shown.window else ""
    cached = shown.caching.cached_tokens
    lines = [
        f"# {agent.name}",
        "",
        f"{request.model or 'no model'} · {about}{shown.tokens:,}{window} tokens · {cached:,} cached",
        "",
        *_section("Static", request.static_system_instruction),
        *_section("Dynamic", request.dynamic_system_instruction),
    ]
    tools = [tool.to_json() for tool in request.tools]
    if tools:
        lines += ["## Tools", "", *(f"- `{tool.get('name', tool.get('hole'))}`: {_first(tool)}" for tool in tools), ""]
    for message in request.messages:
        lines += _section(message.role.capitalize(), "\n".join(getattr(p, "text", str(p)) for p in message.parts))
    return "\n".join(lines)


def _section(title: str, text: str) -> list[str]:
    fence = "`" * max(3, _longest_ticks(text) + 1)
    return [f"## {title}", "", f"{fence}text", text, fence, ""] if text else []


def _longest_ticks(text: str) -> int:
    return max((len(run) for run in "".join(char if char == "`" else " " for char in text).split()), default=0)


def _first(tool: Mapping[str, Any]) -> str:
    return str(tool.get("description") or "").partition("\n")[0]
