"""What a hover shows of an agent, a model, a tool, a function or a rule, in Markdown."""

from __future__ import annotations

import json
from collections.abc import Callable

from rolebook.definition.declaration import Declaration
from rolebook.models import facts
from rolebook.project.config import Config
from rolebook.project.python import Found
from rolebook.project.snapshot import Snapshot
from rolebook.project.tree import Place, Tree
from rolebook.prompt.provenance import Compiled
from rolebook.prompt.request import Hole
from rolebook.prompt.tokens import Count, counting
from rolebook.rules import all_rules
from rolebook.wire.caching import CachePart, cache_report
from rolebook.wire.providers import provider_of
from rolebook_server.ide.compiled import compiled_at, count_for

_LONGEST = 6_000
"""Characters of a half that a hover shows; the preview shows all."""
_MOST_NAMED = 30


def prompt_card(snapshot: Snapshot, tree: Tree, place: Place) -> str:
    """The compiled prompt of an agent: both halves with their tokens and whether they are cached, targets, tools."""
    agent = place.agent
    if agent.kind != "LlmAgent":
        return _workflow(tree, place)
    compilation = compiled_at(snapshot, tree, place)
    model, count = compilation.request.model, count_for(tree, place)
    cached: dict[str, CachePart] = {}
    if (provider := provider_of(model, tree.config.models)) is not None:
        report = cache_report(compilation, provider, lambda text: count(text).tokens)
        cached = {part.part: part for part in report.parts}
    targets = _listed([target.agent.name for target in tree.transfer_targets(place)])
    tools = _listed([tool.name for tool in compilation.request.tools])
    split = compilation.split
    lines = [
        f"**{agent.name}** · {agent.agent_class} · {f'`{model}`' if model else 'no model: rehearsal'}",
        _half("Static", "the same in each request", split.static, count, cached.get("static")),
        _half("Dynamic", "made anew for each request", split.dynamic, count, cached.get("dynamic")),
        f"Hands over to: {targets}" if targets else "",
        f"Tools: {tools}" if tools else "",
    ]
    if any(isinstance(tool, Hole) for tool in compilation.request.tools) or split.static.holes or split.dynamic.holes:
        lines.append("What only a run can know is not counted.")
    return "\n\n".join(line for line in lines if line)


def _workflow(tree: Tree, place: Place) -> str:
    agent = place.agent
    steps = _listed([child.agent.name for child in tree.children(place)]) or "none"
    lines = (f"**{agent.name}** · {agent.agent_class}", agent.description.strip(), f"Sub-agents: {steps}")
    return "\n\n".join(line for line in lines if line)


def _listed(names: list[str]) -> str:
    shown = ", ".join(f"`{name}`" for name in names[:_MOST_NAMED])
    return shown if len(names) <= _MOST_NAMED else f"{shown} and {len(names) - _MOST_NAMED:,} more"


def _half(title: str, meaning: str, compiled: Compiled, count: Callable[[str], Count], cached: CachePart | None) -> str:
    text = compiled.text
    if not text:
        return f"**{title}** — empty"
    shown = text if len(text) <= _LONGEST else f"{text[:_LONGEST]}\n… {len(text) - _LONGEST:,} more characters"
    caching = f"\n{'Cached' if cached.cached else 'Not cached'}: {cached.why}." if cached is not None else ""
    return f"**{title}** — {meaning} · {count(compiled.known_text)}{caching}\n{fenced(shown)}"


def fenced(text: str, language: str = "text") -> str:
    """The text as a code block whose fence is longer than any in it."""
    fence, longest, run = "```", 0, 0
    for char in text:
        run = run + 1 if char == "`" else 0
        longest = max(longest, run)
    fence = "`" * max(3, longest + 1)
    return f"{fence}{language}\n{text}\n{fence}"


def model_card(model: str, config: Config) -> str:
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


def tool_card(declaration: Declaration, counted: Count) -> str:
    """What the model is told of a tool."""
    schema = json.dumps(declaration.parameters, ensure_ascii=False, indent=2, default=str)
    shown = schema if len(schema) <= _LONGEST else f"{schema[:_LONGEST]}\n…"
    lines = (f"**{declaration.name}** · tool · {counted}", declaration.description.strip(), fenced(shown, "json"))
    return "\n\n".join(line for line in lines if line)


def function_card(found: Found, dotted: str) -> str:
    """A Python function's parameters and docstring, as they are written."""
    function = found.function
    parameters = ", ".join(parameter.name for parameter in function.parameters)
    header = f"{'async ' if function.is_async else ''}def {function.name}({parameters})"
    lines = (f"**{dotted}**", fenced(header, "python"), (function.docstring or "").strip()[:_LONGEST])
    return "\n\n".join(line for line in lines if line)


def rule_card(name: str) -> str | None:
    """The beginning of a rule's page; None where there is no such rule."""
    rule = all_rules().get(name)
    if rule is None:
        return None
    summary = rule.page.partition("\n## ")[0].strip()
    return f"**{name}** · {rule.severity.label}\n\n{summary}\n\nMore: `rolebook explain {name}`"
