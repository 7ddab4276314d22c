"""The exact cases of the pure steps: placeholders, instructions, branches, messages, transfer targets."""

from __future__ import annotations

import json
from typing import Any

import pytest
from build import tree
from cases import load

from rolebook.project.tree import Place, Tree
from rolebook.prompt.context import Context
from rolebook.prompt.events import event_from_json
from rolebook.prompt.instruction import Split, compile_split
from rolebook.prompt.messages import build_messages, visible
from rolebook.prompt.substitute import substitute
from rolebook.syntax.template import TemplateSyntax
from rolebook.text import MappedText


def named(data: Any) -> list[Any]:
    return [pytest.param(case, id=str(index)) for index, case in enumerate(data["cases"])]


BRACES, ANGLES = load("template-braces"), load("template-angles")


def fill(data: Any, case: Any, syntax: TemplateSyntax) -> str:
    context = Context(state=data["state"], artifacts=data.get("artifacts", {}))
    return substitute(MappedText.verbatim(case["template"], 0), "a.yaml", syntax, context).text


@pytest.mark.parametrize("case", named(BRACES))
def test_braces(case: Any) -> None:
    assert fill(BRACES, case, "braces") == case["text"]


@pytest.mark.parametrize("case", named(ANGLES))
def test_angles(case: Any) -> None:
    assert fill(ANGLES, case, "angles") == case["text"]


def compile_case(case: Any) -> Split:
    """A case's targets become sub-agents, which is what makes an agent a target."""
    built = tree({**case["agent"], "sub_agents": case["targets"]})
    return compile_split(built, built.root, Context(state=case["state"]))


@pytest.mark.parametrize("case", named(load("instructions")))
def test_instructions(case: Any) -> None:
    split = compile_case(case)
    assert (split.static.text, split.dynamic.text, split.whole.text) == (
        case["static"],
        case["dynamic"],
        case["instruction"],
    )


@pytest.mark.parametrize("case", named(load("instructions")))
def test_every_character_of_an_instruction_knows_its_origin(case: Any) -> None:
    source = json.dumps({**case["agent"], "sub_agents": case["targets"]}, ensure_ascii=False)
    split = compile_case(case)
    for half in (split.static, split.dynamic):
        for piece in half.pieces:
            if piece.kind == "file":
                for index, char in enumerate(piece.text):
                    location = piece.locate(index, index + 1)
                    assert location is not None
                    written = source[location.span.start : location.span.end]
                    assert json.loads(f'"{written}"') == char
            else:
                assert piece.kind in ("own", "state") and piece.name


@pytest.mark.parametrize("case", named(load("branches")))
def test_branches(case: Any) -> None:
    assert visible(case["event"], case["current"]) is case["visible"]


MESSAGES = load("messages")


@pytest.mark.parametrize("case", named(MESSAGES))
def test_messages(case: Any) -> None:
    events = [event_from_json(event) for event in [*MESSAGES["events"], *case.get("extra_events", [])]]
    messages = [message.to_json() for message in build_messages(events, case["agent"], case["branch"])]
    assert [{key: value for key, value in message.items() if key != "invocation"} for message in messages] == case[
        "messages"
    ]


TARGETS = load("transfer-targets")


def place_of(built: Tree, name: str) -> Place:
    place = built.named(name)
    assert place is not None
    return place


@pytest.mark.parametrize("case", named(TARGETS))
def test_transfer_targets(case: Any) -> None:
    built = tree(TARGETS["tree"])
    place = place_of(built, case["agent"])
    targets = [target.agent.name for target in built.transfer_targets(place)]
    assert targets == (case["targets"] or [])
    assert (place.agent.kind != "LlmAgent") is (case["targets"] is None)
