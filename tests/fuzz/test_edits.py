"""The edit oracle: documents under random edits never part from a plain string that is edited by offsets."""

from __future__ import annotations

import os
import random

import pytest

from rolebook.text import Encoding, Position
from rolebook_server.lsp.documents import Document

SESSIONS = 100_000 if os.environ.get("ROLEBOOK_FUZZ") == "all" else 10_000
SEED = int(os.environ.get("ROLEBOOK_SEED", "1"))
PIECES = [
    "a",
    "bc",
    " ",
    "\n",
    "\r\n",
    "\r",
    "\f",
    "\x85",
    "\u2028",
    "\u2029",
    "\x1c",
    "é",
    "中",
    "🙂",
    "e\u0301",
    "👩\u200d🚀",
    "\t",
]
ENCODINGS: tuple[Encoding, ...] = ("utf-8", "utf-16", "utf-32")


def some_text(random: random.Random, most: int) -> str:
    return "".join(random.choices(PIECES, k=random.randint(0, most)))


def offset(text: str, position: Position, encoding: Encoding) -> int:
    """Where LSP says that a position is, worked out a character at a time."""
    at = 0
    for _ in range(position.line):
        ends = [end for end in (text.find("\n", at), text.find("\r", at)) if end >= 0]
        if not ends:
            return len(text)
        end = min(ends)
        at = end + (2 if text[end : end + 2] == "\r\n" else 1)
    units = 0
    while at < len(text) and text[at] not in "\r\n":
        width = {"utf-8": len(text[at].encode()), "utf-16": len(text[at].encode("utf-16-le")) // 2, "utf-32": 1}[
            encoding
        ]
        if units + width > position.character:
            break
        units += width
        at += 1
    return at


def some_position(random: random.Random, text: str) -> Position:
    if random.random() < 0.1:
        return Position(random.choice([0, 1, 5, 1_000_000, 2**31 - 1]), random.choice([0, 3, 1_000_000, 2**31 - 1]))
    lines = text.count("\n") + text.count("\r")
    return Position(random.randint(0, lines), random.randint(0, 8))


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_documents_never_part_from_a_plain_string(encoding: Encoding) -> None:
    rng = random.Random(f"{SEED} {encoding}")
    for number in range(SESSIONS // len(ENCODINGS) + 1):
        plain = some_text(rng, 30)
        document = Document("untitled:x", plain, 0)
        for version in range(rng.randint(1, 3)):
            edits: list[tuple[Position, Position, str] | str] = []
            for _ in range(rng.choice([1, 1, 2, 5, 50]) if number % 10 == 0 else rng.randint(1, 3)):
                text = some_text(rng, 4)
                if rng.random() < 0.05:
                    plain = text
                    edits.append(text)
                    continue
                start, end = some_position(rng, plain), some_position(rng, plain)
                first, last = offset(plain, start, encoding), offset(plain, end, encoding)
                last = max(first, last)
                plain = plain[:first] + text + plain[last:]
                edits.append((start, end, text))
            document.change(edits, version, encoding)
            assert document.text.source == plain, f"seed {SEED}, session {number}"
