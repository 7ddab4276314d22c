"""Every prefix and every single-character deletion of corpus files: nothing raises, spans stay inside, and a document
that was edited equals one that is read anew. `ROLEBOOK_FUZZ=all` takes them all, else a sample whose seed is printed.
"""

from __future__ import annotations

import os
import random
from pathlib import Path

import pytest
from corpus import files, needs_corpus
from spans import check_spans

from rolebook.project.source import read_source
from rolebook.syntax.yaml import parse, reparse

FILES = files()[:: max(len(files()) // 20, 1)][:20]
SEED = int(os.environ.get("ROLEBOOK_SEED", random.SystemRandom().randrange(1 << 32)))


def places(text: str, path: Path) -> list[int]:
    """Where to cut: everywhere, or at 60 places."""
    if os.environ.get("ROLEBOOK_FUZZ") == "all":
        return list(range(len(text)))
    return random.Random(f"{SEED} {path.name}").sample(range(len(text)), min(60, len(text)))


@needs_corpus
@pytest.mark.parametrize("path", FILES, ids=lambda path: "/".join(path.parts[-2:]))
def test_a_broken_file(path: Path) -> None:
    print(f"ROLEBOOK_SEED={SEED}")
    whole = path.read_text(encoding="utf-8")
    syntax = reparse(whole, None)[1]
    for at in places(whole, path):
        for broken in (whole[:at], whole[:at] + whole[at + 1 :]):
            document = parse(broken)
            check_spans(broken, document)
            assert reparse(broken, syntax)[0] == document
            read_source(str(path), broken)
