"""What may stand where the table of keys asks for a value: choices, models, files, agents, functions, state keys."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator

from rolebook.definition.adk_names import PACKAGE, adk
from rolebook.definition.shapes import Bool, Meaning, Shape, Str
from rolebook.models import facts, known_models, sources
from rolebook.project.flow import TEMP
from rolebook.project.state import functions
from rolebook.project.tools import BUILT_IN
from rolebook.project.tree import Tree
from rolebook.record import Record
from rolebook.rules.texts import substituted
from rolebook.syntax.python import Class, Function
from rolebook_server.ide.completions.here import Here
from rolebook_server.ide.completions.item import ItemKind
from rolebook_server.ide.completions.nearby import definitions_near, modules_near

_MOST_FUNCTIONS = 500


class Value(Record):
    """One value as text, before any quotes; the other fields are those of `Item`."""

    text: str
    kind: ItemKind = "value"
    detail: str = ""
    documentation: str = ""
    id: str = ""


def values(here: Here, shape: Shape) -> Iterator[Value]:
    """The values that fit a shape at the cursor, the likeliest first."""
    if isinstance(shape, Bool):
        yield Value("true")
        yield Value("false")
    elif isinstance(shape, Str):
        yield from (Value(choice) for choice in shape.choices)
        source = _nodes if here.around.names[:1] == ("edges",) else _SOURCES.get(shape.means)
        if source is not None:
            yield from source(here)


def _nodes(here: Here) -> Iterator[Value]:
    """What an edge of a workflow may lead to: its start, definition files, functions, and agents below it."""
    yield Value("START")
    yield from _files(here)
    yield from _functions(here)
    for tree, place in here.places[:1]:
        yield from (Value(child.agent.name, "agent") for child in tree.children(place) if child.agent.name)


def _models(here: Here) -> Iterator[Value]:
    """Models that are still served, those that the tree uses first."""
    config = here.snapshot.config(here.path)
    used = dict.fromkeys(place.agent.model for tree, _ in here.places for place in tree if place.agent.model)
    names = dict.fromkeys((*used, *config.models, *known_models()))
    today = sources()[0]
    for name in names:
        known = facts(name, config.models)
        if name not in used and known.shutdown is not None and known.shutdown <= today:
            continue
        if name != here.around.word or name in known_models():
            window = f"{known.prompt_limit:,} tokens" if known.prompt_limit is not None else ""
            yield Value(name, "value", window, id=f"model:{name}")


def _files(here: Here) -> Iterator[Value]:
    """Definitions below this one's folder that don't stand in its trees yet."""
    folder = os.path.dirname(here.path)
    taken = {place.agent.path for tree in here.snapshot.trees_with(here.path) for place in tree}
    for name in definitions_near(here.snapshot, here.path):
        if name == here.around.word or os.path.normpath(os.path.join(folder, name)) not in taken:
            yield Value(name, "file", id=f"file:{name}")


def _agent_names(here: Here) -> Iterator[Value]:
    """The transfer targets, or, for the agent's own name, one made from that of its file."""
    if here.around.names == ("name",):
        name = _own_name(here.path)
        taken = {place.agent.name for tree, own in here.places for place in tree if place.index != own.index}
        if here.agent is here.source.agent and name and name not in taken:
            yield Value(name, "agent")
        return
    yield from targets(here)


def targets(here: Here) -> Iterator[Value]:
    """Whom the agent can hand over to in every tree that it stands in."""
    found = [{target.agent.name: target for target in tree.transfer_targets(place)} for tree, place in here.places]
    for name, target in found[0].items() if found else ():
        if all(name in others for others in found):
            yield Value(name, "agent", documentation=target.agent.description, id=f"agent:{name}")


def _own_name(path: str) -> str:
    base = os.path.basename(path)
    stem = base.split(".")[0]
    stem = os.path.basename(os.path.dirname(path)) if stem == "root_agent" else stem
    name = "".join(char if char.isalnum() or char == "_" else "_" for char in stem)
    return name if name.isidentifier() and name != "user" and os.path.isabs(path) else ""


def _tools(here: Here) -> Iterator[Value]:
    """Built-in tools, then the functions of the workspace; those that the agent has already are left out."""
    taken = {name for name, _ in functions(here.agent)}
    taken |= {tool.name for tool in here.agent.tools} if isinstance(here.agent.tools, tuple) else set()
    taken.discard(here.around.word)
    names: dict[str, str] = {name: tool.description for name, tool in BUILT_IN.items()}
    if here.snapshot.config(here.path).runtime == "adk-python":
        kinds = adk().modules[f"{PACKAGE}.tools"]
        names = {name: "" for kind in ("function", "tool") for name in kinds.get(kind, ())}
    for name, doc in names.items():
        if name not in taken:
            yield Value(name, "value", "built in", doc)
    yield from (value for value in _functions(here) if value.text not in taken)


def _functions(here: Here) -> Iterator[Value]:
    yield from _objects(here, lambda binding: isinstance(binding, Function))


def _dotted(here: Here) -> Iterator[Value]:
    """Functions where a function is called, classes where a schema is meant, other values elsewhere."""
    key = here.around.names[-1] if here.around.names else ""
    top = here.around.names[0] if here.around.names else ""
    if key == "function":
        yield from _functions(here)
    elif top in ("output_schema", "input_schema"):
        yield from _objects(here, lambda binding: isinstance(binding, Class))
    else:
        yield from _objects(here, lambda binding: not isinstance(binding, Function | Class))


def _objects(here: Here, wanted: Callable[[object], bool]) -> Iterator[Value]:
    """The public names of the workspace's modules that bind what is wanted, by the form of name that fits the word."""
    python = here.snapshot.python(here.path)
    count = 0
    for names in modules_near(here.snapshot, here.path):
        module = python.module(names[-1]) or python.module(names[0])
        if module is None:
            continue
        for own, bindings in module.bindings.items():
            binding = bindings[-1]
            if "." in own or own.startswith("_") or not wanted(binding) or not hasattr(binding, "name_span"):
                continue
            forms = [f"{name}.{own}" for name in names]
            form = next((form for form in forms if form.startswith(here.around.word)), forms[0])
            detail = _signature(binding) if isinstance(binding, Function) else ""
            yield Value(form, "value", detail, id=f"python:{form}")
            count += 1
            if count == _MOST_FUNCTIONS:
                return


def _signature(function: Function) -> str:
    return f"({', '.join(each.name for each in function.parameters if each.name not in ('context', 'tool_context'))})"


def _state_keys(here: Here) -> Iterator[Value]:
    """The keys that the agents of the tree read and nothing sets."""
    present = here.around.present
    for name in unset_keys(here):
        if name not in present:
            yield Value(name, "state")


def unset_keys(here: Here) -> Iterator[str]:
    """The keys that placeholders of the trees name and nothing sets yet, in the order of the agents."""
    found: dict[str, None] = {}
    for tree in {id(tree): tree for tree, _ in here.places}.values():
        known = here.snapshot.state_keys(tree).setters
        found |= {key: None for key in _read(tree) if key not in known and not key.startswith(TEMP)}
    yield from found


def _read(tree: Tree) -> Iterator[str]:
    """The keys that placeholders of a tree name."""
    for place in tree:
        yield from (found.placeholder.key for found in substituted(tree, place) if not found.placeholder.artifact)


_SOURCES: dict[Meaning, Callable[[Here], Iterator[Value]]] = {
    "model": _models,
    "file": _files,
    "agent name": _agent_names,
    "tool": _tools,
    "callback": _functions,
    "dotted name": _dotted,
    "state key": _state_keys,
}
