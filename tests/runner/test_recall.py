"""Memories and artifacts in a run: how turns are remembered and recalled, and what fills `{artifact.FILE}`."""

from __future__ import annotations

import pytest
from play import in_turn, played, say, use

from rolebook.project.tools import BUILT_IN as DECLARED
from rolebook_runner.artifacts.process import ProcessArtifacts
from rolebook_runner.memory.process import ProcessMemory
from rolebook_runner.sessions.store import SessionKey
from rolebook_runner.tools.builtin import BUILT_IN
from rolebook_runner.tools.toolbox import declare

REMEMBERS = "name: a\ntools: [{name: load_memory}]\n"


async def test_a_turn_that_ends_is_remembered_in_other_sessions() -> None:
    play = played(
        REMEMBERS, models=in_turn(a=[say("Noted: oolong."), use(("load_memory", {"query": "tea"})), say("Oolong.")])
    )
    await play.turn("My favourite tea is oolong.", "first")
    await play.turn("Which one do I like?", "second")
    (response,) = play.responses
    (memo,) = response["memories"]
    assert (memo["author"], memo["text"]) == ("user", "My favourite tea is oolong.")
    assert play.calls[-1].request.tools == (DECLARED["load_memory"],)


async def test_a_turn_that_fails_is_not_remembered() -> None:
    memory = ProcessMemory()
    with pytest.raises(IndexError):
        await played(REMEMBERS, models=in_turn(a=[]), memory=memory).turn("tea")
    assert await memory.search("a", "user", "tea") == ()


def test_the_declaration_is_that_of_the_function() -> None:
    assert declare(BUILT_IN["load_memory"]) == DECLARED["load_memory"]


async def test_a_prompt_is_filled_with_the_newest_version() -> None:
    kept = ProcessArtifacts()
    key = SessionKey("a", "user", "s")
    play = played(
        "name: a\nglobal_instruction: '{artifact.user:rules.md}'\n"
        "instruction: 'Read {artifact.notes.md}. {artifact.pic.png?} {artifact.gone} {artifact.gone?}.'\n",
        models=in_turn(a=[say("x")]),
        artifacts=kept,
    )
    for text in ("old", "new {artifact.other}"):
        await kept.save(key, "notes.md", text)
    await kept.save(key, "user:rules.md", "Be kind.")
    await kept.save(key, "pic.png", b"\x89")
    await kept.save(key, "other", b"\x89")
    await play.turn("Hi")
    (call,) = play.calls
    assert call.request.static_system_instruction.startswith("Be kind.")
    assert call.request.dynamic_system_instruction == "Read new {artifact.other}.  {artifact.gone} ."
    assert play.warnings == ["agent `a`: the artifact `pic.png` is no text, so it isn't filled in"]
