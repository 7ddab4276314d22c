"""Callbacks (spec §1): what each kind gets, what its answer does, and what happens when it fails."""

from __future__ import annotations

from pathlib import Path

import pytest
from play import Answers, Played, in_turn, played_in, say, use

from rolebook_runner.limits import Limits

SEES = """
def note(callback_context):
    callback_context.state["seen"] = callback_context.agent
    callback_context.state["temp:own"] = "mine"

def answer(context):
    return "I answer instead."

def parts(callback_context):
    return {"parts": [{"text": "In "}, {"text": "parts."}]}

from dataclasses import dataclass

@dataclass
class Text:
    text: str

@dataclass
class Content:
    parts: list

def dataclass_parts(callback_context):
    return Content([Text("From an object.")])

def fails(callback_context):
    raise ValueError("not today")

def wants_more(callback_context, secret):
    return None

def nonsense(callback_context):
    return 17
"""

AGENT = "name: helper\nmodel: m\ninstruction: Help {seen?} {temp:own?}.\n"


def with_callbacks(
    folder: Path, *lines: str, tools: str = "", answers: Answers | None = None, code: str = SEES
) -> Played:
    listed = "".join(f"{key}:\n- name: hooks.{name}\n" for key, name in (line.split() for line in lines))
    files = {"root_agent.yaml": AGENT + listed + tools, "hooks.py": code}
    return played_in(folder, files, models=answers or in_turn(helper=[say("Hello."), say("Again.")]))


async def test_before_agent_writes_state_that_the_first_request_has(tmp_path: Path) -> None:
    run = await with_callbacks(tmp_path, "before_agent_callbacks note").turn("Hi")
    assert run.calls[0].request.dynamic_system_instruction == "Help helper mine."
    assert await run.runner.state("s") == {"seen": "helper"}
    assert run.last.text == "Hello."


@pytest.mark.parametrize(
    ("hook", "text"),
    [("answer", "I answer instead."), ("parts", "In parts."), ("dataclass_parts", "From an object.")],
)
async def test_before_agent_may_answer_in_its_place(tmp_path: Path, hook: str, text: str) -> None:
    run = await with_callbacks(tmp_path, f"before_agent_callbacks {hook}").turn("Hi")
    assert run.calls == []
    assert run.last.text == text
    assert run.events[-1].author == "helper"


async def test_after_agent_replaces_what_the_turn_ends_with(tmp_path: Path) -> None:
    run = await with_callbacks(tmp_path, "after_agent_callbacks answer").turn("Hi")
    assert [event.text for event in run.events] == ["Hi", "Hello.", "I answer instead."]
    assert run.last.text == "I answer instead."


async def test_the_first_of_several_that_answers_counts(tmp_path: Path) -> None:
    both = "before_agent_callbacks:\n- name: hooks.note\n- name: hooks.answer\n- name: hooks.fails\n"
    run = await with_callbacks(tmp_path, tools=both).turn("Hi")
    assert run.last.text == "I answer instead."


@pytest.mark.parametrize(
    ("hook", "message"),
    [
        ("fails", "ValueError: not today"),
        ("wants_more", "there is nothing to give to its parameter `secret`"),
        ("nonsense", "returned int, which is no answer"),
        ("missing", "has no `missing`"),
    ],
)
@pytest.mark.parametrize("when", ["before_agent", "after_agent", "before_model", "after_model"])
async def test_one_that_fails_ends_the_turn(tmp_path: Path, when: str, hook: str, message: str) -> None:
    run = await with_callbacks(tmp_path, f"{when}_callbacks {hook}").turn("Hi")
    assert run.last.status == "failed"
    assert message in run.error.message and "helper" in run.error.message


MODEL = """
def guard(callback_context, llm_request):
    if "secret" in llm_request.messages[-1].parts[0].text:
        callback_context.state["blocked"] = True
        return "I can't talk about that."

def polite(llm_response, callback_context):
    return llm_response.text + " Please."

def call_tool(llm_request):
    if len(llm_request.messages) == 1:
        return {"content": {"role": "model", "parts": [{"function_call": {"name": "double", "args": {"x": 4}}}]}}

def double(x: int) -> int:
    return 2 * x
"""


async def test_before_model_answers_without_a_call(tmp_path: Path) -> None:
    run = with_callbacks(tmp_path, "before_model_callbacks guard", code=MODEL)
    await run.turn("What is the secret?")
    assert run.calls == [] and run.last.text == "I can't talk about that."
    assert await run.runner.state("s") == {"blocked": True}
    await run.turn("Then hello.")
    assert len(run.calls) == 1 and run.last.text == "Hello."


async def test_after_model_replaces_the_answer(tmp_path: Path) -> None:
    run = await with_callbacks(tmp_path, "after_model_callbacks polite", code=MODEL).turn("Hi")
    assert run.last.text == "Hello. Please."


async def test_before_model_may_call_tools(tmp_path: Path) -> None:
    tools = "tools:\n- name: hooks.double\n"
    run = await with_callbacks(tmp_path, "before_model_callbacks call_tool", tools=tools, code=MODEL).turn("Hi")
    assert run.responses == [8]
    assert run.last.text == "Hello."


TOOL = """
def double(x: int, context) -> int:
    context.state["doubled"] = x
    return 2 * x

def cached(tool, args, tool_context):
    if args["x"] == 1:
        tool_context.state["hit"] = tool
        return {"cached": 2}

def tens(tool, args):
    args["x"] *= 10

def sign(tool_response, args, tool):
    return f"{tool} of {args['x']} is {tool_response}"

def fails(tool, args):
    raise PermissionError("not for you")
"""
DOUBLE = "tools:\n- name: hooks.double\n"


def calls(*values: int) -> Answers:
    return in_turn(helper=[use(*(("double", {"x": value}) for value in values)), say("Done.")])


async def test_before_tool_answers_in_its_place(tmp_path: Path) -> None:
    run = with_callbacks(tmp_path, "before_tool_callbacks cached", tools=DOUBLE, code=TOOL, answers=calls(1, 2))
    await run.turn("Hi")
    assert run.responses == [{"cached": 2}, 4]
    assert await run.runner.state("s") == {"hit": "double", "doubled": 2}


async def test_before_tool_may_change_the_arguments_and_after_tool_the_response(tmp_path: Path) -> None:
    lines = ("before_tool_callbacks tens", "after_tool_callbacks sign")
    run = await with_callbacks(tmp_path, *lines, tools=DOUBLE, code=TOOL, answers=calls(3)).turn("Hi")
    assert run.responses == ["double of 30 is 60"]
    call = next(part for event in run.events for part in event.parts if hasattr(part, "args"))
    assert call.args == {"x": 3}


@pytest.mark.parametrize("when", ["before_tool", "after_tool"])
async def test_one_that_fails_around_a_tool_is_told_to_the_model(tmp_path: Path, when: str) -> None:
    run = with_callbacks(tmp_path, f"{when}_callbacks fails", tools=DOUBLE, code=TOOL, answers=calls(3))
    await run.turn("Hi")
    (response,) = run.responses
    assert "PermissionError: not for you" in response["error"]
    assert run.last.text == "Done."
    assert await run.runner.state("s") == {}


async def test_one_that_hangs_is_given_up(tmp_path: Path) -> None:
    code = "import time\n\ndef hang(context):\n    time.sleep(30)\n"
    files = {"root_agent.yaml": AGENT + "before_agent_callbacks:\n- name: hooks.hang\n", "hooks.py": code}
    run = await played_in(tmp_path, files, models=in_turn(), limits=Limits(max_callback_seconds=0.05)).turn("Hi")
    assert "max_callback_seconds" in run.error.message
