"""The user's instruction functions, tool-list functions and schemas, and what happens when they fail."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import Any

import pytest
from play import Played, in_turn, played_in, say, use

from rolebook.prompt.request import Declaration
from rolebook_runner.limits import Limits

MODULE = '''
import asyncio

from pydantic import BaseModel


def plain(context):
    return f"{context.agent} on {context.branch} knows {dict(context.state)}"

async def later(context, domain, level=1):
    return f"Expert in {domain}, level {level}, {{lang}}."

def fail(context):
    raise ValueError("no database")

def number(context):
    return 3

def writes(context):
    context.state["x"] = 1

async def hangs(context):
    await asyncio.Event().wait()

not_callable = 3


def search(query: str) -> str:
    """Searches."""
    return query.upper()

def tools(context):
    named = {"name": "find", "description": "Finds.", "function": search}
    return [search, "prompts.search", named] if context.state.get("all") else [search]

def wrong_tools(context):
    return [3]

def no_tools(context):
    return "search"


class Answer(BaseModel):
    text: str
'''


def play(tmp_path: Path, definition: str, **options: Any) -> Played:
    options.setdefault("models", in_turn(a=[say("ok"), say("ok")], kid=[say("ok")]))
    files = {"root_agent.yaml": definition, "prompts.py": MODULE}
    return played_in(tmp_path, files, **options)


WORKING: list[tuple[str, str]] = [
    ("{function: prompts.plain}", "a on root.a knows {'lang': 'German'}"),
    ("{function: prompts.later, args: [tea]}", "Expert in tea, level 1, German."),
    ("{function: prompts.later, args: [tea, 2]}", "Expert in tea, level 2, German."),
]


@pytest.mark.parametrize(("provider", "text"), WORKING)
async def test_an_instruction_function(tmp_path: Path, provider: str, text: str) -> None:
    done = await play(tmp_path, f"name: a\ninstruction: {provider}").turn("x", state={"lang": "German"})
    assert done.calls[0].request.dynamic_system_instruction == text
    assert done.warnings == []


FAILING: list[tuple[str, str]] = [
    ("prompts.fail", "ValueError: no database"),
    ("prompts.number", "it returned int, not text"),
    ("prompts.writes", "does not support item assignment"),
    ("prompts.hangs", "it took longer than 0.01 s (max_provider_seconds)"),
    ("prompts.not_callable", "it is no function but int"),
    ("prompts.missing", "has no `missing`"),
    ("nowhere.at_all", "`nowhere.at_all` is neither in the workspace nor installed"),
]


@pytest.mark.parametrize(("function", "problem"), FAILING)
async def test_one_that_fails_is_logged_and_gives_an_empty_text(
    tmp_path: Path, function: str, problem: str, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.WARNING):
        limits = Limits(max_provider_seconds=0.01 if function == "prompts.hangs" else 60)
        done = await play(tmp_path, f"name: a\ninstruction: {{function: {function}}}", limits=limits).turn("x")
    assert done.calls[0].request.dynamic_system_instruction == ""
    assert done.last.status == "done"
    (warning,) = done.warnings
    assert warning.startswith(f"the instruction function `{function}` of agent `a` failed: ") and problem in warning
    assert warning in caplog.text


async def test_a_provider_whose_module_hangs_while_it_is_imported_is_given_up(tmp_path: Path) -> None:
    (tmp_path / "stuck.py").write_text("import threading\nthreading.Event().wait()\n", encoding="utf-8")
    definition = "name: a\ninstruction: {function: stuck.text}"
    done = await play(tmp_path, definition, limits=Limits(max_import_seconds=0.1)).turn("x")
    assert done.last.status == "done"
    assert "it took longer than 0.1 s (max_import_seconds)" in done.warnings[0]


async def test_one_that_fails_stops_the_run_where_that_is_asked_for(tmp_path: Path) -> None:
    definition = "name: a\ninstruction: {function: prompts.fail}"
    done = await play(tmp_path, definition, stop_on_instruction_error=True).turn("x")
    assert done.calls == []
    assert "`prompts.fail` of agent `a`" in done.error.message


async def test_an_inherited_global_instruction_is_found_beside_the_file_that_sets_it(tmp_path: Path) -> None:
    definition = """
agent_class: SequentialAgent
name: pipe
sub_agents:
  - name: a
    global_instruction: {function: prompts.plain}
    identity: ""
    sub_agents: [{config_path: deep/kid.yaml}]
"""
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep" / "kid.yaml").write_text("name: kid\nidentity: ''\n", encoding="utf-8")
    models = in_turn(a=[use(("transfer_to_agent", {"agent_name": "kid"}))], kid=[say("ok")])
    done = await play(tmp_path, definition, models=models).turn("x")
    assert done.calls[1].request.static_system_instruction.startswith("kid on root.pipe.a.kid knows {}")


async def test_a_function_lists_the_tools_anew_for_each_call(tmp_path: Path) -> None:
    models = in_turn(a=[use(("search", {"query": "tea"})), say("ok"), use(("find", {"query": "tea"})), say("ok")])
    done = play(tmp_path, "name: a\ntools: {function: prompts.tools}", models=models)
    await done.turn("x")
    await done.turn("y", state={"all": True})
    assert done.responses == ["TEA", "TEA"]
    names = [[tool.name for tool in call.request.tools if isinstance(tool, Declaration)] for call in done.calls]
    assert names == [["search"]] * 2 + [["search", "find"]] * 2


@pytest.mark.parametrize(
    ("function", "problem"),
    [("fail", "ValueError"), ("wrong_tools", "3 in its list is no tool"), ("no_tools", "it returned str, not a list")],
)
async def test_a_tool_list_function_that_fails_gives_no_tools(tmp_path: Path, function: str, problem: str) -> None:
    done = await play(tmp_path, f"name: a\ntools: {{function: prompts.{function}}}").turn("x")
    assert done.calls[0].request.tools == ()
    assert problem in done.warnings[0] and done.last.status == "done"


async def test_a_pydantic_model_gives_the_schema_and_its_answer_is_parsed(tmp_path: Path) -> None:
    definition = "name: a\noutput_schema: {name: prompts.Answer}\noutput_key: out"
    done = await play(tmp_path, definition, models=in_turn(a=[say('{"text": "hi"}')])).turn("x")
    assert done.calls[0].request.output_schema["required"] == ["text"]  # type: ignore[index]
    assert await done.runner.state("s") == {"out": {"text": "hi"}}


@pytest.mark.parametrize(
    ("schema", "text", "value"),
    [
        ("", '{"a": 1}', '{"a": 1}'),
        ("output_schema: {type: object}", '{"a": 1}', {"a": 1}),
        ("output_schema: {type: object}", "no JSON", "no JSON"),
    ],
)
async def test_the_output_key(tmp_path: Path, schema: str, text: str, value: Any) -> None:
    done = await play(tmp_path, f"name: a\noutput_key: out\n{schema}", models=in_turn(a=[say(text)])).turn("x")
    assert await done.runner.state("s") == {"out": value}
    assert done.events[-1].metadata["state"] == {"out": value}
