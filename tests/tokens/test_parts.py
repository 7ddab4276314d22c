"""The parts of a request with their tokens: what is counted, what isn't, and what only an estimate can be."""

from __future__ import annotations

from typing import Any

from build import tree

from rolebook.models import facts
from rolebook.prompt.compile import compile_request
from rolebook.prompt.context import Context
from rolebook.prompt.events import event_from_json
from rolebook.prompt.request import Declaration
from rolebook.prompt.tokens import Count, count, count_by
from rolebook.prompt.tokens.memory import Memory
from rolebook.prompt.tokens.parts import Part, count_parts, total

DEFINITION = {
    "name": "desk",
    "model": "gpt-4o",
    "description": "Answers.",
    "global_instruction": "Be brief.",
    "static_instruction": "House rules apply.",
    "instruction": "You help {user}.",
    "output_schema": {"type": "object", "properties": {"answer": {"type": "string"}}},
    "tools": [
        {"name": "look"},
        {"name": "m.unknown"},
    ],
    "sub_agents": [{"name": "kid", "description": "Helps."}],
}
CONTEXT = Context(
    state={"user": "Ann"}, declarations={"look": Declaration("look", "Looks.", {"type": "object", "properties": {}})}
)
EVENTS: list[dict[str, Any]] = [
    {"id": 1, "author": "user", "branch": None, "text": "Where is my order?"},
    {
        "id": 2,
        "author": "desk",
        "branch": None,
        "parts": [{"function_call": {"id": "c", "name": "look", "args": {"n": 7}}}],
    },
    {
        "id": 3,
        "author": "desk",
        "branch": None,
        "parts": [{"function_response": {"id": "c", "name": "look", "response": {"at": "sea"}}}],
    },
]


def parts_of(memory: Memory | None = None, instruction: Any = "You help {user}.", **more: Any) -> dict[str, Part]:
    built = tree({**DEFINITION, "instruction": instruction, **more})
    events = [event_from_json(event) for event in EVENTS]
    compilation = compile_request(built, built.root, CONTEXT, events)
    known = facts(compilation.request.model)
    kept = memory if memory is not None else Memory()
    return {part.name: part for part in count_parts(compilation, known, lambda text: count_by(known, text, kept))}


def test_every_part_has_its_count() -> None:
    parts = parts_of()
    assert list(parts) == [
        *("static", "dynamic", "tool look", "tool m.unknown(context)", "tool transfer_to_agent", "output_schema"),
        *("message 1 (user)", "message 2 (model)", "message 3 (user)", "framing"),
    ]
    assert [part.name for part in parts["static"].within] == [
        *("global_instruction", "static_instruction", "identity", "transfer_targets"),
    ]
    assert [part.name for part in parts["dynamic"].within] == ["instruction", "output_schema"]
    assert parts["static"].within[0].count == count("Be brief.", "gpt-4o")
    assert parts["dynamic"].within[0].count == count("You help Ann.", "gpt-4o")
    assert parts["message 1 (user)"].count == count("Where is my order?", "gpt-4o")


def test_texts_are_exact_and_what_a_provider_renders_is_not() -> None:
    parts = parts_of()
    exact = {name for name, part in parts.items() if part.count.exact}
    assert exact == {"static", "dynamic", "tool m.unknown(context)", "message 1 (user)"}
    framing = parts["framing"]
    assert framing.count.tokens == 3 * 4 + 4 + 3 and framing.note.startswith("4 for each of 3 messages")


def test_holes_are_named_and_not_counted() -> None:
    known, held = parts_of(instruction="You help."), parts_of(instruction={"function": "m.text"})
    assert parts_of()["tool m.unknown(context)"].count.tokens == 0
    assert held["dynamic"].holes == ("m.text(context)",)
    assert held["dynamic"].within[0].count.tokens == 0
    assert 0 < held["dynamic"].count.tokens < known["dynamic"].count.tokens


def test_an_edit_counts_only_what_it_changed() -> None:
    memory = Memory()
    parts_of(memory)
    before = memory.made
    parts_of(memory)
    assert memory.made == before
    parts_of(memory, "You help {user} quickly.")
    assert memory.made == before + 2  # the section and the half that holds it


def test_the_total_adds_tokens_and_errors() -> None:
    parts = [Part("a", Count(30, "t", True, 0.0)), Part("b", Count(10, "t", False, 0.4))]
    assert total(parts) == Count(40, "t", False, 0.1)
    assert total(parts[:1]).exact


def test_the_tool_prompt_of_claude_is_counted() -> None:
    with_tools = parts_of(model="claude-sonnet-4-5")["framing"]
    without = parts_of(model="claude-sonnet-4-5", tools=[], sub_agents=[])["framing"]
    assert with_tools.count.tokens - without.count.tokens == 346


def test_a_picture_is_named_and_keeps_the_count_from_being_exact() -> None:
    built = tree({"name": "a", "model": "gpt-4o"})
    event = {"id": 1, "author": "user", "branch": None, "parts": [{"text": "Look:"}, {"inline_data": {"data": "AAAA"}}]}
    compilation = compile_request(built, built.root, Context(), [event_from_json(event)])
    parts = count_parts(compilation, facts("gpt-4o"), lambda text: count(text, "gpt-4o"))
    (message,) = (part for part in parts if part.name.startswith("message"))
    assert (message.count.tokens, message.count.exact) == (count("Look:", "gpt-4o").tokens, False)
    assert message.note == "1 part that is no text, not counted"
