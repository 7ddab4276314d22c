"""Placeholders: made optional, written in the other syntax, declared under `state`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import get_args

from rolebook.definition.agent import Agent
from rolebook.json import JsonValue
from rolebook.project.snapshot import Snapshot
from rolebook.project.tree import Place, Tree
from rolebook.prompt.compile import compile_request
from rolebook.prompt.context import Context
from rolebook.prompt.request import LlmRequest
from rolebook.syntax.template import Placeholder, TemplateSyntax, placeholders
from rolebook.syntax.yaml import Mapping, Scalar
from rolebook.text import Edit, MappedText, Span, Text
from rolebook_server.ide.changes import Changes, Refusal, applied, fitted, in_file
from rolebook_server.ide.completions.scalars import written
from rolebook_server.ide.names import syntaxes
from rolebook_server.ide.refactorings.blocks import column_of
from rolebook_server.ide.refactorings.offer import Offer, Where

_TEXTS = ("instruction", "global_instruction")


def offers(where: Where) -> Iterator[Offer]:
    found = where.found
    if found is None or found.key not in _TEXTS or not isinstance(found.node, Scalar) or found.on_key:
        return
    text = found.node.text
    syntax = syntaxes(where.snapshot, where.source)[found.agent.span]
    for placeholder in placeholders(text.text, syntax):
        span = text.source(*placeholder.span)
        if span.holds(where.span.start) and not placeholder.escaped:
            yield from _of_placeholder(where, found.agent, placeholder, span)
            break
    other: TemplateSyntax = "angles" if syntax == "braces" else "braces"
    for placeholder in placeholders(text.text, other):
        span = text.source(*placeholder.span)
        if span.holds(where.span.start) and not placeholder.escaped:
            right = _in_syntax(placeholder, syntax)
            edits = (Edit(span, right),)
            yield Offer(
                "other-syntax",
                f"Write `{right}`",
                "refactor.rewrite",
                lambda edits=edits: in_file(where.path, edits),  # type: ignore[misc]
            )
            break
    if _all_placeholders(found.agent, syntax):
        shown = "<name>" if other == "angles" else "{name}"
        title = f"Write the placeholders of `{found.agent.name}` as `{shown}`"
        agent = found.agent
        yield Offer("all-syntax", title, "refactor.rewrite", lambda: convert(where, agent, syntax, other))


def _of_placeholder(where: Where, agent: Agent, placeholder: Placeholder, span: Span) -> Iterator[Offer]:
    if placeholder.optional:
        edits = (Edit(Span(span.end - 2, span.end - 1), ""),)
        title = f"Make `{placeholder.key}` required"
    else:
        edits = (Edit(Span(span.end - 1, span.end - 1), "?"),)
        title = f"Make `{placeholder.key}` optional"
    yield Offer("optional", title, "refactor.rewrite", lambda: in_file(where.path, edits))
    if not placeholder.artifact and not placeholder.key.startswith("temp:") and not _is_set(where, placeholder.key):
        title = f"Declare `{placeholder.key}` under `state`"
        yield Offer("declare", title, "quickfix", lambda: declare(where, agent, placeholder.key))


def _is_set(where: Where, key: str) -> bool:
    trees = where.snapshot.trees_with(where.path)
    return bool(trees) and all(key in where.snapshot.state_keys(tree).setters for tree in trees)


def declare(where: Where, agent: Agent, key: str) -> Changes | Refusal:
    """The key under the agent's `state`, with a sample for previews that is made from its name."""
    text = where.source.text
    name = written(key) or key
    sample = written(key.rpartition(":")[2].replace("_", " ").strip() or key) or '""'
    entry = agent.entries.get("state")
    node = entry.value if entry is not None else None
    edit: Edit | None = None
    if isinstance(node, Mapping) and node.entries and not node.flow:
        last = node.entries[-1]
        column = column_of(text, node.entries[0].span.start)
        edit = _line_after(text, last.span, f"{' ' * column}{name}: {sample}")
    elif isinstance(node, Mapping) and node.flow:
        at = node.span.end - 1
        comma = ", " if node.entries else ""
        edit = Edit(Span(at, at), f"{comma}{name}: {sample}")
    elif entry is None and agent.entries:
        edit = _new_entry(where, agent, f"{name}: {sample}")
    if edit is None:
        return Refusal("`state` isn't a mapping that an entry can be added to")
    changes = in_file(where.path, fitted(text.source, [edit]))
    after = applied(where.snapshot, changes).source(where.path)
    if after is None or len(after.document.faults) > len(where.source.document.faults):
        return Refusal("an entry can't be added here while the file has errors")
    if not any(declared.key == key for agent in after.agents for declared in agent.state):
        return Refusal("`state` can't take an entry here")
    return changes


def _new_entry(where: Where, agent: Agent, line: str) -> Edit | None:
    """A `state` below the last entry of the agent; in a Markdown file at the end of its front matter."""
    text = where.source.text
    first = next(iter(agent.entries.values()))
    column = column_of(text, first.span.start)
    if text.source[agent.span.start : agent.span.start + 1] == "{":
        at = agent.span.end - 1
        return Edit(Span(at, at), f", state: {{{line}}}")
    body = agent.entries.get("instruction")
    entries = [each for each in agent.entries.values() if text.source[each.key.span.start : each.key.span.end] != "---"]
    last = max(entries, key=lambda each: each.span.end, default=None)
    if last is None or body is None:
        last = max(agent.entries.values(), key=lambda each: each.span.end)
    head = " " * column
    return _line_after(text, last.span, f"{head}state:\n{head}  {line}")


def _line_after(text: Text, span: Span, line: str) -> Edit:
    """A line of its own below the last one of a node."""
    last = text.line_of(max(span.end - 1, span.start))
    if last + 1 < len(text.line_starts):
        at = text.line_starts[last + 1]
        return Edit(Span(at, at), f"{line}\n")
    return Edit(Span(len(text), len(text)), f"\n{line}")


def convert(where: Where, agent: Agent, syntax: TemplateSyntax, other: TemplateSyntax) -> Changes | Refusal:
    """All placeholders of an agent in the other syntax, which its definition says then."""
    edits = [
        Edit(Span(span.start, span.start + 1), "") if each.escaped else Edit(span, _in_syntax(each, other))
        for each, span in _all_placeholders(agent, syntax)
    ]
    edits += [
        Edit(Span(span.start, span.start), "\\") for each, span in _all_placeholders(agent, other) if not each.escaped
    ]
    entry = agent.entries.get("template_syntax")
    if entry is not None:
        edits.append(Edit(entry.value.span, other))
    else:
        name = agent.entries.get("name")
        text = where.source.text
        if name is None or text.source[agent.span.start : agent.span.start + 1] == "{":
            return Refusal("the agent needs a name on a line of its own")
        edits.append(_line_after(text, name.span, f"{' ' * column_of(text, name.span.start)}template_syntax: {other}"))
    changes = in_file(where.path, fitted(where.source.text.source, edits))
    return _checked(where, changes)


def _checked(where: Where, changes: Changes) -> Changes | Refusal:
    """The changes, if every agent gets the same request once all keys that placeholders name are set."""
    after = applied(where.snapshot, changes)
    for tree in where.snapshot.trees_with(where.path):
        new = after.tree(tree.root.agent.path)
        if new is None or [place.branch for place in new] != [place.branch for place in tree]:
            return Refusal("the tree would be another")
        state: dict[str, JsonValue] = {
            each.key: f"value of {each.key}"
            for place in tree
            for syntax in get_args(TemplateSyntax)
            for each, _ in _all_placeholders(place.agent, syntax)
        }
        for place, twin in zip(tree, new, strict=True):
            if _compiled(where.snapshot, tree, place, state) != _compiled(after, new, twin, state):
                return Refusal(f"the request of `{place.agent.name}` would be another, which reads the same syntax")
    return changes


def _compiled(snapshot: Snapshot, tree: Tree, place: Place, state: dict[str, JsonValue]) -> LlmRequest:
    context = Context(state=state, declarations=snapshot.declarations(place))
    return compile_request(tree, place, context).request


def _all_placeholders(agent: Agent, syntax: TemplateSyntax) -> list[tuple[Placeholder, Span]]:
    """The placeholders of an agent's texts that both syntaxes can write, with their places."""
    texts = [text for text in (agent.instruction, agent.global_instruction) if isinstance(text, MappedText)]
    return [(each, text.source(*each.span)) for text in texts for each in placeholders(text.text, syntax)]


def _in_syntax(placeholder: Placeholder, syntax: TemplateSyntax) -> str:
    inner = f"artifact.{placeholder.key}" if placeholder.artifact else placeholder.key
    inner += "?" if placeholder.optional else ""
    return f"{{{inner}}}" if syntax == "braces" else f"<{inner}>"
