"""`compile_split`: an agent's system instruction in two halves (spec §3).

static = global instruction, `static_instruction`, identity, transfer targets: it should change only with the
definition, so that a provider can cache it. dynamic = instruction, output schema: it is made fresh for each request.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

from rolebook.definition.agent import Instruction, Provider, SchemaName
from rolebook.json import JsonObject, compact
from rolebook.project.tree import Place, Tree
from rolebook.prompt.context import Context
from rolebook.prompt.provenance import Compiled, Piece, from_file, join, own
from rolebook.prompt.request import Hole
from rolebook.prompt.substitute import Mode, substitute, substitute_text
from rolebook.text import MappedText, Span

_TRANSFER_HEAD = "You can hand this conversation to another agent by calling the transfer_to_agent tool with its name:"
_TRANSFER_TAIL = "Hand over when another agent fits the request better than you do; otherwise answer it yourself."
_SCHEMA_HEAD = "Reply with JSON that matches this schema:\n"


class Section(NamedTuple):
    """A part of a half, by the name of the key that it comes from."""

    half: Literal["static", "dynamic"]
    name: str
    compiled: Compiled


class Split(NamedTuple):
    """The two halves; `sections` are what they were joined from, none of them empty."""

    static: Compiled
    dynamic: Compiled
    sections: tuple[Section, ...] = ()

    @property
    def whole(self) -> Compiled:
        return join((self.static, self.dynamic))


def compile_split(tree: Tree, place: Place, context: Context) -> Split:
    """The static and the dynamic half of the system instruction of the agent at `place`."""
    agent = place.agent
    made = (
        Section("static", "global_instruction", _global_instruction(tree, place, context)),
        Section("static", "static_instruction", _verbatim(agent.static_instruction, agent.path)),
        Section("static", "identity", _identity(place)),
        Section("static", "transfer_targets", _transfer_targets(tree, place)),
        Section("dynamic", "instruction", _instruction(agent.instruction, place, _mode(tree, place), context)),
        Section("dynamic", "output_schema", _output_schema(place, context)),
    )
    sections = tuple(section for section in made if section.compiled.text)
    static, dynamic = (
        join(section.compiled for section in sections if section.half == half) for half in ("static", "dynamic")
    )
    return Split(static, dynamic, sections)


def output_schema(place: Place, context: Context) -> JsonObject | Hole | None:
    """The schema of the agent's answer; a hole where a pydantic model gives it that hasn't been asked."""
    schema = place.agent.output_schema
    if isinstance(schema, SchemaName):
        return context.schemas.get(schema.name, Hole(f"{schema.name}(context)"))
    return schema


def hole_text(label: str) -> str:
    """How a text that only a run can know is shown."""
    return f"⟨{label}: known at run⟩"


def _mode(tree: Tree, place: Place) -> Mode:
    return "adk" if tree.config.runtime == "adk-python" else tree.template_syntax(place)


def _global_instruction(tree: Tree, place: Place, context: Context) -> Compiled:
    found = tree.global_instruction(place)
    if found is None:
        return Compiled()
    instruction, owner = found
    return _instruction(instruction, owner, _mode(tree, owner), context)


def _instruction(instruction: Instruction | None, owner: Place, mode: Mode, context: Context) -> Compiled:
    if instruction is None:
        return Compiled()
    path = owner.agent.path
    if isinstance(instruction, Provider):
        return _provided(instruction, path, mode, context)
    return substitute(instruction, path, mode, context)


def _provided(provider: Provider, path: str, mode: Mode, context: Context) -> Compiled:
    text = context.provided.get(provider.label)
    if text is None:
        return Compiled((Piece(hole_text(provider.label), "hole", provider.label, path, provider.span),))
    return substitute_text(text, mode, context, Piece("", "provider", provider.function, path, provider.span))


def _verbatim(text: MappedText | None, path: str) -> Compiled:
    return Compiled((from_file(path, text, 0, len(text.text)),)) if text is not None else Compiled()


def _identity(place: Place) -> Compiled:
    agent = place.agent
    if agent.identity is not None:
        return _verbatim(agent.identity, agent.path)
    pieces = [
        own("You are ", "identity"),
        own(agent.name, "identity", agent.path, agent.name_span),
        own(".", "identity"),
    ]
    if agent.description:
        pieces += [own(" ", "identity"), own(agent.description, "identity", *_description(place))]
    return Compiled(tuple(pieces))


def _transfer_targets(tree: Tree, place: Place) -> Compiled:
    targets, unknown = tree.transfer_targets(place), tree.unknown_targets(place)
    if not targets and not unknown:
        return Compiled()
    pieces = [own(_TRANSFER_HEAD, "transfer")]
    for target in targets:
        pieces += [
            own("\n- ", "transfer"),
            own(target.agent.name, "transfer", target.agent.path, target.agent.name_span),
        ]
        if description := " ".join(target.agent.description.split()):
            pieces += [own(": ", "transfer"), own(description, "transfer", *_description(target))]
    for reference in unknown:
        hole = Piece(hole_text(reference.target), "hole", reference.target, place.agent.path, reference.span)
        pieces += [own("\n- ", "transfer"), hole]
    return Compiled((*pieces, own("\n" + _TRANSFER_TAIL, "transfer")))


def _description(place: Place) -> tuple[str, Span]:
    entry = place.agent.entries.get("description")
    return (place.agent.path, entry.value.span) if entry is not None else ("", place.agent.name_span)


def _output_schema(place: Place, context: Context) -> Compiled:
    schema = output_schema(place, context)
    if schema is None:
        return Compiled()
    entry = place.agent.entries["output_schema"]
    where = (place.agent.path, entry.value.span)
    if isinstance(schema, Hole):
        body = Piece(hole_text(schema.name), "hole", schema.name, *where)
    else:
        body = own(compact(schema), "schema", *where)
    return Compiled((own(_SCHEMA_HEAD, "schema"), body))
