"""The documentation of a proposal, made when a client asks for it."""

from __future__ import annotations

from rolebook.definition.docstring import parse_docstring
from rolebook.models import facts
from rolebook.project.references import resolve
from rolebook.project.snapshot import Snapshot
from rolebook.prompt.tokens import counting
from rolebook.syntax.python import Class


def documentation(snapshot: Snapshot, path: str, id: str) -> str:
    """Markdown for an `id` of `Item`, empty where nothing is known of it any more."""
    kind, _, name = id.partition(":")
    match kind:
        case "model":
            return _model(snapshot, path, name)
        case "file":
            return _agent(snapshot, resolve(path, name))
        case "agent":
            return _target(snapshot, path, name)
        case "python":
            return _python(snapshot, path, name)
    return ""


def _model(snapshot: Snapshot, path: str, name: str) -> str:
    config = snapshot.config(path)
    known = facts(name, config.models)
    lines = [f"**{name}**"]
    if known.prompt_limit is not None:
        lines.append(f"Prompt: up to {known.prompt_limit:,} tokens")
    if known.max_output_tokens is not None:
        lines.append(f"Answer: up to {known.max_output_tokens:,} tokens")
    lines.append(f"Token counts: {counting(name, config.models)}")
    if known.shutdown is not None:
        lines.append(f"Shut down on {known.shutdown}" + (f"; instead: `{known.successor}`" if known.successor else ""))
    return "\n\n".join(lines)


def _agent(snapshot: Snapshot, path: str) -> str:
    source = snapshot.source(path)
    if source is None:
        return ""
    agent = source.agent
    return f"**{agent.name or '(no name)'}** · {agent.agent_class}\n\n{agent.description}".rstrip()


def _target(snapshot: Snapshot, path: str, name: str) -> str:
    for tree in snapshot.trees_with(path):
        place = tree.named(name)
        if place is not None:
            return f"**{name}** · {place.agent.agent_class}\n\n{place.agent.description}".rstrip()
    return ""


def _python(snapshot: Snapshot, path: str, name: str) -> str:
    """A function as a model is told of it, or a class with its docstring."""
    from rolebook.definition.python import read_signature
    from rolebook.definition.signature import declaration
    from rolebook.definition.types import Hole

    python = snapshot.python(path)
    found = python.function(name)
    own = name.rpartition(".")[2]
    if found is not None:
        read = declaration(read_signature(found.function, found.scope, own))
        if isinstance(read, Hole):
            return f"**{own}**\n\n{parse_docstring(found.function.docstring).description}".rstrip()
        lines = [f"**{own}**", read.description]
        properties = read.parameters.get("properties")
        for parameter, schema in properties.items() if isinstance(properties, dict) else ():
            about = schema.get("description", "") if isinstance(schema, dict) else ""
            lines.append(f"- `{parameter}`{f': {about}' if about else ''}")
        return "\n\n".join(lines[:2]) + "".join(f"\n{line}" for line in ["", *lines[2:]] if lines[2:])
    module = python.module(name.rpartition(".")[0])
    bound = module.find(own) if module is not None else None
    said = parse_docstring(bound.docstring).description if isinstance(bound, Class) else ""
    return f"**{own}**\n\n{said}".rstrip()
