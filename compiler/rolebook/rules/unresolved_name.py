"""A dotted name that leads to nothing in the workspace's Python sources.

Names of tools, callbacks, providers, schemas, models and agents in code are looked for in the definition's folder, its
parent, the workspace's root and its `src`. Where the module is there and doesn't define the name, or the package is
there and has no such module, it is a warning. Where the first part is nowhere, a package of the environment may have
it; so only a name that is close to one of the workspace's modules is told of, as an information. Nothing is imported,
and a module that gets names in ways that reading can't follow is left alone. A tool's name without a dot is one of
google-adk's or Rolebook's own, and is told of where it is close to one and is none.

## Why
A run stops with an ImportError when it needs the name.

## Example
```yaml
name: helper
tools:
  - name: shop.find_ordr
```
```python file=shop.py
def find_order(number: int) -> dict: ...
```

## Instead
```yaml
name: helper
tools:
  - name: shop.find_order
```
```python file=shop.py
def find_order(number: int) -> dict:
    "Looks an order up by its number."
```
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from rolebook.definition.agent import Agent
from rolebook.definition.names import did_you_mean, nearest
from rolebook.definition.values import items_of
from rolebook.problem import Fix, Problem, Severity
from rolebook.rules.rule import Rule, Subject
from rolebook.syntax.yaml import Mapping, Node, Scalar
from rolebook.text import Edit

if TYPE_CHECKING:
    from rolebook.project.python import Absent

_OFTEN = frozenset({"AgentTool", "exit_loop", "google_search", "load_memory", "url_context"})
"""Built-in tools for which the list of all isn't read."""
_NAMED = ("output_schema", "input_schema", "model_code")
_PROVIDERS = ("instruction", "global_instruction", "tools")


def check(rule: Rule, subject: Subject) -> Iterator[Problem]:
    if subject.snapshot.config(subject.path).runtime == "adk-python":
        return  # `rejected-by-adk` knows what google-adk imports
    told: set[int] = set()
    for agent in subject.source.agents:
        yield from _built_in(rule, subject, agent)
        for node in _dotted_names(agent):
            name = node.text.text
            if node.span.start in told or "." not in name.removeprefix(".") or name.startswith("google.adk."):
                continue
            told.add(node.span.start)
            if all(part.isidentifier() for part in name.removeprefix(".").split(".")):
                absent = subject.snapshot.python(subject.path).absent(name)
                if absent is not None:
                    yield from _report(rule, subject, node, absent)


def _report(rule: Rule, subject: Subject, node: Scalar, absent: Absent) -> Iterator[Problem]:
    near = nearest(absent.name, absent.known)
    if not absent.inside:
        if near is None or near == absent.name:
            return
        message, severity = f"the workspace has no module `{absent.name}`; did you mean `{near}`?", Severity.INFO
    elif absent.is_module:
        hint = did_you_mean(absent.name, absent.known)
        message, severity = f"`{absent.inside}` has no module `{absent.name}`{hint}", Severity.WARNING
    else:
        hint = did_you_mean(absent.name, absent.known)
        message, severity = f"`{absent.inside}` defines no `{absent.name}`{hint}", Severity.WARNING
    fixes: tuple[Fix, ...] = ()
    if near is not None:
        start = _start_of(node.text.text, absent)
        edit = Edit(node.text.source(start, start + len(absent.name)), near)
        fixes = (Fix(f"Change to `{near}`", (edit,), safe=False),)
    yield rule.problem(subject, node.span, message, severity, fixes=fixes)


def _built_in(rule: Rule, subject: Subject, agent: Agent) -> Iterator[Problem]:
    """The tools whose names are nearly those of built-in ones."""
    for item in items_of(agent.entries.get("tools")):
        if not isinstance(item, Mapping) or item.get("function") is not None or item.get("parameters") is not None:
            continue
        for node in _of(item, "name"):
            name = node.text.text
            if name in _OFTEN or not name.isidentifier():
                continue
            from rolebook.definition.adk_names import adk  # a file that few definitions ask for

            known = {each for names in adk().modules["google.adk.tools"].values() for each in names}
            near = nearest(name, known) if name not in known else None
            if near is not None:
                message = f"there is no built-in tool `{name}`; did you mean `{near}`?"
                edit = Edit(node.text.source(0, len(name)), near)
                yield rule.problem(
                    subject, node.span, message, fixes=(Fix(f"Change to `{near}`", (edit,), safe=False),)
                )


def _start_of(name: str, absent: Absent) -> int:
    """Where the part that is missing begins in the name as it is written."""
    dot = 1 if name.startswith(".") else 0
    return dot + (len(absent.inside) + 1 if absent.inside else 0)


def _dotted_names(agent: Agent) -> Iterator[Scalar]:
    """The dotted names of an agent, where they are written."""
    entries = agent.entries
    if agent.kind == "custom":
        yield from _scalars(entries["agent_class"].value)
    for key in _PROVIDERS:
        if key in entries:
            yield from _of(entries[key].value, "function")
    for key in _NAMED:
        if key in entries:
            yield from _of(entries[key].value, "name")
    for key, entry in entries.items():
        if key.endswith("_callbacks"):
            for item in items_of(entry):
                yield from _of(item, "name")
    for item in items_of(entries.get("tools")):
        function = list(_of(item, "function"))
        yield from function or _of(item, "name")
    for item in items_of(entries.get("sub_agents")):
        yield from _of(item, "code")


def _of(node: Node, key: str) -> Iterator[Scalar]:
    entry = node.get(key) if isinstance(node, Mapping) else None
    if entry is not None:
        yield from _scalars(entry.value)


def _scalars(node: Node) -> Iterator[Scalar]:
    if isinstance(node, Scalar) and isinstance(node.value, str) and not node.broken:
        yield node


rule = Rule("unresolved-name", Severity.WARNING, check, group="Models and tools")
