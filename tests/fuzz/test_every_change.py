"""Completion, rename and code actions at offsets of example and corpus files, whole, cut short and wounded.

Nothing raises; edits lie within their files and apart; a rename that is made can be taken back; a refactoring leaves
the agents of the tree as they were. `ROLEBOOK_FUZZ=all` takes every offset, else a sample whose seed is printed.
"""

from __future__ import annotations

import os
import random
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from corpus import files

from rolebook.definition.names import agent_name_problem
from rolebook.project.files import DiskFiles
from rolebook.project.snapshot import Snapshot
from rolebook.rules import check_file
from rolebook.text import Span

sys.path.insert(0, str(Path(__file__).parents[1] / "ide"))
from rolebook_server.ide.actions import actions
from rolebook_server.ide.actions import resolve as make
from rolebook_server.ide.changes import Changes, Refusal, applied, texts_after
from rolebook_server.ide.completion import completion, resolve
from rolebook_server.ide.rename import Renamable, prepare, rename

ROOT = Path(__file__).parents[2]
EXAMPLES = sorted((ROOT / "examples").rglob("*.yaml"))
ALL = os.environ.get("ROLEBOOK_FUZZ") == "all"
FILES = [*EXAMPLES, *(files() if ALL else files()[:: max(len(files()) // 8, 1)][:8])]
SEED = int(os.environ.get("ROLEBOOK_SEED", random.SystemRandom().randrange(1 << 32)))

PROPOSED = frozenset(
    {
        "unknown-key",
        "misplaced-key",
        "duplicate-key",
        "wrong-type",
        "wrong-value",
        "unknown-model",
        "retired-model",
        "missing-file",
        "not-a-definition",
        "reference-cycle",
        "escaping-path",
        "unresolved-placeholder",
        "placeholder-set-later",
        "placeholder-set-in-parallel",
        "placeholder-sometimes-unset",
        "unknown-transfer-target",
        "unresolved-name",
        "invalid-name",
        "unused-ignore",
        "duplicate-agent-name",
    }
)
"""Rules that find nothing in what completion writes. A value that is still to be written is another matter."""


def variants(text: str, chance: random.Random) -> Iterator[tuple[str, list[int]]]:
    """Texts with the offsets to look at: the text as it is, with the line ends of Windows, with characters beyond the
    first plane; cut and wounded ones, looked at where they break."""
    for whole in (text, text.replace("\n", "\r\n"), text.replace("e", "🙂")):
        every = range(len(whole) + 1)
        yield whole, list(every) if ALL else chance.sample(every, min(3, len(every)))
    for at in range(len(text)) if ALL else chance.sample(range(len(text)), min(3, len(text))):
        yield text[:at], [at]
        wound = chance.choice('\t{}[]"&*:|#🙂\r')
        yield text[:at] + wound + text[at + 1 :], [at, at + 1, chance.randrange(len(text))]


def check_completion(snapshot: Snapshot, path: str, offset: int, chance: random.Random) -> None:
    """Each proposal lies around the cursor; one that is taken gives nothing that `check` complains about."""
    text = snapshot.read(path)
    assert isinstance(text, str)
    items = completion(snapshot, path, offset)
    for item in items:
        assert 0 <= item.span.start <= offset <= item.span.end <= len(text)
        assert isinstance(resolve(snapshot, path, item.id), str)
    source = snapshot.source(path)
    if not items or source is None or source.document.faults:
        return
    before = {(problem.rule, problem.message) for problem in check_file(snapshot, path)}
    for item in chance.sample(items, min(2, len(items))):
        after = snapshot.with_texts({path: text[: item.span.start] + item.text + text[item.span.end :]})
        written = Span(item.span.start, item.span.start + len(item.text))
        told = [
            problem
            for problem in check_file(after, path)
            if problem.rule in PROPOSED
            and (problem.rule, problem.message) not in before
            and "here is nothing" not in problem.message
            and problem.span.start <= written.end
            and written.start <= problem.span.end
        ]
        assert not told, (item, told)


def check_rename(snapshot: Snapshot, path: str, offset: int, paths: tuple[str, ...]) -> None:
    """What is renamed can be renamed back, and every text is as it was."""
    ready = prepare(snapshot, path, offset)
    new = "renamed/it.yaml" if isinstance(ready, Renamable) and ready.text.endswith(".yaml") else "renamed_one"
    made = rename(snapshot, path, offset, new, paths)
    if isinstance(made, Refusal) or not isinstance(ready, Renamable):
        assert not isinstance(made, Refusal) or made.reason
        return
    after = applied(snapshot, made)
    if made.renamed or agent_name_problem(ready.text) is not None:
        return  # the way back is another one, or there is none to a name that is wrong
    own = sorted(change.span for change in made.edits[path])
    shift = sum(len(new) - (span.end - span.start) for span in own if span.end <= ready.span.start)
    back = rename(after, path, ready.span.start + shift, ready.text, paths)
    assert isinstance(back, Changes), (ready, back)
    assert texts_after(after, back) == {other: snapshot.read(other) for other in made.edits}


def check_actions(snapshot: Snapshot, path: str, span: Span) -> None:
    for action in actions(snapshot, path, span, kinds=("",)):
        made = make(snapshot, path, action.span, action.id)
        if isinstance(made, Changes):
            texts = texts_after(snapshot, made)
            assert bool(texts) != bool(action.explains), action
        else:
            assert made.reason


@pytest.mark.parametrize("file", FILES, ids=lambda path: "/".join(path.parts[-2:]))
def test_every_change(file: Path) -> None:
    print(f"ROLEBOOK_SEED={SEED}")
    chance = random.Random(f"{SEED} {file.name}")
    path, folder = str(file), file.parent
    paths = tuple(str(other) for other in sorted(folder.glob("*.yaml")))
    whole = Snapshot(DiskFiles(), str(folder))
    for text, offsets in variants(file.read_text(encoding="utf-8"), chance):
        snapshot = whole.with_texts({path: text})
        for offset in offsets:
            check_completion(snapshot, path, offset, chance)
            check_rename(snapshot, path, offset, paths)
            check_actions(snapshot, path, Span(offset, min(offset + chance.choice([0, 0, 5]), len(text))))


def test_a_buffer_that_was_never_saved() -> None:
    path = "untitled:Untitled-1"
    text = EXAMPLES[-1].read_text(encoding="utf-8") + "sub_agents: [{config_path: kid.yaml}, {name: b}]\n"
    snapshot = Snapshot(DiskFiles(), "").with_texts({path: text})
    chance = random.Random(SEED)
    for offset in range(0, len(text) + 1, 1 if ALL else 23):
        check_completion(snapshot, path, offset, chance)
        check_rename(snapshot, path, offset, (path,))
        check_actions(snapshot, path, Span(offset, offset))


@pytest.mark.parametrize(
    "text", ["", " ", "\ufeff", "\0", "🙂", "a", "-", "- ", "?", ": :", "{", "[", "---\n---\n", "\r", '"']
)
@pytest.mark.parametrize("name", ["root_agent.yaml", "x.agent.md", "rolebook.toml", "pyproject.toml"])
def test_texts_that_say_next_to_nothing(text: str, name: str) -> None:
    path = f"/agents/{name}"
    snapshot = Snapshot(DiskFiles(), "/agents").with_texts({path: text})
    for offset in (-1, 0, len(text), len(text) + 5):
        for item in completion(snapshot, path, offset):
            assert 0 <= item.span.start <= item.span.end <= len(text)
        rename(snapshot, path, offset, "new", (path,))
        check_actions(snapshot, path, Span(offset, offset))
