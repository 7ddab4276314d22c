"""A text that hands over to an agent that isn't there, or that can't be handed over to from here.

A name counts as a target when it is the argument of `transfer_to_agent`, as in `transfer_to_agent("x")`,
`transfer_to_agent(agent_name='x')` or `{"agent_name": "x"}`, and when it follows "transfer to", "delegate to", "hand
over to", "hand off to", "route to", "escalate to", "forward … to" and the like: in code or quotes, or as the exact name
of an agent. A plain word that happens to be a name is none: "transfer the money to support". "Never transfer to `x`"
and what other agents are said to do don't count.

A call is an error, a name in prose a warning, and in a description an information. So is one that is right in some of
the trees that the file stands in. Other names in code are left alone unless they are close to an agent's, or the text
calls them agents.

## Why
The model calls `transfer_to_agent` with a name that is refused, and the conversation stays where it is. An agent
reaches its sub-agents, its parent and its peers, unless the definition disallows it. Case counts in names.

## Example
```yaml
name: router
instruction: For forecasts call transfer_to_agent("wheather").
sub_agents:
  - name: weather
    description: Weather forecasts.
```

## Instead
```yaml
name: router
instruction: For forecasts call transfer_to_agent("weather").
sub_agents:
  - name: weather
    description: Weather forecasts.
```
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from rolebook.definition.agent import Agent
from rolebook.definition.values import mapped_of
from rolebook.problem import Fix, Problem, Related, Severity
from rolebook.project.reach import barrier
from rolebook.project.tree import Place, Tree
from rolebook.rules.rule import Rule, Subject
from rolebook.rules.targets import Targets
from rolebook.syntax.transfers import Mention, is_identifier, mentions
from rolebook.text import Edit, MappedText, Span

_SCHEMATIC = frozenset(
    {
        "agent_name",
        "sub_agent_name",
        "subagent_name",
        "target_agent",
        "agent",
        "name",
        "agent_id",
        "sub_agent",
        "subagent",
    }
    | {
        "target",
        "target_agent_name",
        "agent_x",
        "x",
        "foo",
        "example_agent",
        "some_agent",
        "child_agent",
        "parent_agent",
    }
)
"""Names that stand for a name when an instruction explains how to call the tool."""
_PEOPLE = ("human", "live", "person", "operator", "supervisor", "manager", "staff", "representative", "real")
"""How names begin that prose gives to people, who are called agents as well."""


_MOST_PLACES, _MOST_READERS = 100, 100
"""Places of one definition that are looked at, and agents that inherit a text; those beyond are like them."""
_MOST_MENTIONS = 1_000
"""Mentions in one text that are judged."""


class _Text(NamedTuple):
    """A text of an agent. `inherited` ones stand in the prompts of its descendants too."""

    text: MappedText
    is_description: bool = False
    is_inherited: bool = False


class _Verdict(NamedTuple):
    """What is wrong with a mention at one place."""

    message: str
    severity: Severity
    fix: str | None = None
    is_safe: bool = False
    related: tuple[Related, ...] = ()


def check(rule: Rule, subject: Subject) -> Iterator[Problem]:
    targets = Targets()
    by_agent: dict[int, list[tuple[Tree, Place]]] = {}
    for tree, place in subject.places():
        by_agent.setdefault(place.agent.span.start, []).append((tree, place))
    for agent in subject.source.agents:
        if agent.kind != "LlmAgent":
            continue
        places = by_agent.get(agent.span.start, [])[:_MOST_PLACES]
        for text in _texts(agent):
            for mention in mentions(text.text.text)[:_MOST_MENTIONS]:
                yield from _judge(rule, subject, targets, text, mention, places)


def _texts(agent: Agent) -> Iterator[_Text]:
    if isinstance(agent.instruction, MappedText):
        yield _Text(agent.instruction)
    if isinstance(agent.global_instruction, MappedText):
        yield _Text(agent.global_instruction, is_inherited=True)
    for fixed in (agent.static_instruction, agent.identity):
        if fixed is not None:
            yield _Text(fixed)
    description = mapped_of(agent.entries.get("description"))
    if description is not None:
        yield _Text(description, is_description=True)


def _judge(
    rule: Rule,
    subject: Subject,
    targets: Targets,
    text: _Text,
    mention: Mention,
    places: list[tuple[Tree, Place]],
) -> Iterator[Problem]:
    """A mention is wrong where it is wrong at every place; one that is right at some is told of as an information."""
    verdicts: list[_Verdict] = []
    right = False
    for tree, place in places:
        readers = [place, *_inheritors(tree, place)] if text.is_inherited else [place]
        found = _first_right_or_wrong(targets, tree, readers[:_MOST_READERS], mention)
        if found is None:
            right = True
        else:
            verdicts.append(found)
    for verdict in dict.fromkeys(verdicts):
        severity = Severity.INFO if right or text.is_description else verdict.severity
        span = text.text.source(mention.start, mention.end)
        message = f"{verdict.message}, in one of the trees that this file is part of" if right else verdict.message
        yield rule.problem(subject, span, message, severity, verdict.related, _fixes(span, verdict))


def _first_right_or_wrong(targets: Targets, tree: Tree, readers: list[Place], mention: Mention) -> _Verdict | None:
    """What is wrong with a mention for the first reader, None where it is right for any of them."""
    first: _Verdict | None = None
    for reader in readers:
        verdict = _verdict(targets, tree, reader, mention)
        if verdict is None:
            return None
        first = first or verdict
    return first


def _inheritors(tree: Tree, place: Place) -> list[Place]:
    """The agents below that have this place's global instruction in their prompts."""
    found: list[Place] = []
    pending = list(tree.children(place))
    while pending:
        at = pending.pop()
        if at.agent.global_instruction is None:
            found += [at] if at.agent.kind == "LlmAgent" else []
            pending += tree.children(at)
    return found


def _fixes(span: Span, verdict: _Verdict) -> tuple[Fix, ...]:
    if verdict.fix is None or span.start == span.end:
        return ()
    return (Fix(f"Change to `{verdict.fix}`", (Edit(span, verdict.fix),), safe=verdict.is_safe),)


def _verdict(targets: Targets, tree: Tree, place: Place, mention: Mention) -> _Verdict | None:
    """None where nothing is wrong, or nothing can be told."""
    name = mention.name
    if name in targets.names(tree, place) or _is_a_tool(place, name):
        return None
    known = _nearest_namesake(tree, place, name)
    if known is not None:
        return _unreachable(tree, place, known, mention)
    same = targets.same_but_for_slips(tree, place, name)
    if same is not None:
        if mention.written == "plain" and not is_identifier(name):
            return None  # "the Weather agent" is English
        severity = Severity.ERROR if mention.written == "call" else Severity.WARNING
        return _Verdict(f"there is no agent `{name}`; its name is `{same}`", severity, same, True)
    if (
        mention.written == "plain"
        or name in _SCHEMATIC
        or name.lower() in _SCHEMATIC
        or targets.may_be_elsewhere(tree, place)
    ):
        return None
    near = targets.near(tree, place, name)
    if mention.written == "call":
        where = f"; did you mean `{near}`?" if near else " in this tree"
        return _Verdict(f"there is no agent `{name}`{where}", Severity.ERROR, near)
    if near is not None:
        return _Verdict(f"there is no agent `{name}`; did you mean `{near}`?", Severity.WARNING, near)
    if (mention.is_agent or name.lower().endswith("agent")) and not name.lower().startswith(_PEOPLE):
        return _Verdict(f"there is no agent `{name}` in this tree", Severity.WARNING)
    return None  # prose that names something else in code: a table, a file, a person


def _unreachable(tree: Tree, place: Place, known: Place, mention: Mention) -> _Verdict | None:
    """What is wrong with the name of an agent of the tree that is no target from here."""
    called = mention.written == "call"
    if known.index == place.index:  # a text may well say how others come back
        message = f"`{mention.name}` is this agent itself, which can't hand over to itself"
        return _Verdict(message, Severity.WARNING) if called else None
    if known.tool_of == place.index and not called:
        return None
    found = barrier(tree, place, known)
    if not found.certain:
        return None
    message = f"`{place.agent.name}` can't hand over to `{known.agent.name}`: {found.why}"
    related = found.related or (Related(known.agent.path, known.agent.name_span, f"`{known.agent.name}` stands here"),)
    return _Verdict(message, Severity.ERROR if called else Severity.WARNING, related=related)


def _nearest_namesake(tree: Tree, place: Place, name: str) -> Place | None:
    """An agent of this name: the agent itself, its parent or a peer before any other."""
    named = tree.all_named(name)
    around = (place.index, place.parent)
    near = [other for other in named if other.index in around or (other.parent is not None and other.parent in around)]
    return next(iter(near or named), None)


def _is_a_tool(place: Place, name: str) -> bool:
    """Whether the agent has a tool of this name, or tools that only a run knows."""
    if not isinstance(place.agent.tools, tuple):
        return False
    return any(name == tool.name.rpartition(".")[2] for tool in place.agent.tools)


rule = Rule("unknown-transfer-target", Severity.WARNING, check, group="Transfers")
