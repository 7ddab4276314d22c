"""Every feature of the editor at every offset of example and corpus files, whole and cut short: nothing raises, and
every span lies within its file. `ROLEBOOK_FUZZ=all` takes all files and offsets and many more cuts, else a sample is
taken. The seed is printed.
"""

from __future__ import annotations

import os
import random
import sys
from pathlib import Path

import pytest
from corpus import files

from rolebook.project.files import DiskFiles
from rolebook.project.snapshot import Snapshot

sys.path.insert(0, str(Path(__file__).parents[1] / "ide"))
from every import at_offset, check, of_file

ROOT = Path(__file__).parents[2]
EXAMPLES = sorted((ROOT / "examples").rglob("*.yaml"))
ALL = os.environ.get("ROLEBOOK_FUZZ") == "all"
FILES = [*EXAMPLES, *(files() if ALL else files()[:: max(len(files()) // 8, 1)][:8])]
WHOLE = 3
"""The first variants of a file, which are whole: of these, `all` means every offset."""
SEED = int(os.environ.get("ROLEBOOK_SEED", random.SystemRandom().randrange(1 << 32)))


def variants(text: str, path: Path) -> list[str]:
    """The text as it is, with the line ends of Windows, with characters beyond the first plane, and cut or wounded."""
    chance = random.Random(f"{SEED} {path.name}")
    cuts = chance.sample(range(len(text)), min(100 if ALL else 2, len(text)))
    wounds = [text[:at] + chance.choice('\t{}[]"&*:|#🙂\r') + text[at + 1 :] for at in cuts]
    return [text, text.replace("\n", "\r\n"), text.replace("e", "🙂"), *(text[:at] for at in cuts), *wounds]


@pytest.mark.parametrize("file", FILES, ids=lambda path: "/".join(path.parts[-2:]))
def test_every_feature(file: Path) -> None:
    print(f"ROLEBOOK_SEED={SEED}")
    chance = random.Random(SEED)
    path, folder = str(file), file.parent
    paths = tuple(str(other) for other in sorted(folder.glob("*.yaml")))
    whole = Snapshot(DiskFiles(), str(folder))
    for number, text in enumerate(variants(file.read_text(encoding="utf-8"), file)):
        snapshot = whole.with_texts({path: text})
        check(snapshot, lambda: of_file(snapshot, path, paths))  # noqa: B023
        every = range(len(text) + 1)
        offsets = every if ALL and number < WHOLE else chance.sample(every, min(6, len(every)))
        for offset in offsets:
            check(snapshot, lambda: at_offset(snapshot, path, offset, paths))  # noqa: B023


def test_a_buffer_that_was_never_saved() -> None:
    path = "untitled:Untitled-1"
    text = EXAMPLES[-1].read_text(encoding="utf-8") + "sub_agents: [{config_path: kid.yaml}, {name: b}]\n"
    snapshot = Snapshot(DiskFiles(), "").with_texts({path: text})
    check(snapshot, lambda: of_file(snapshot, path, (path,)))
    for offset in range(0, len(text) + 1, 1 if ALL else 11):
        check(snapshot, lambda: at_offset(snapshot, path, offset, (path,)))  # noqa: B023
