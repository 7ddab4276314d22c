"""The compiled prompt of an agent as far as it is known without a run; the rules about its size look here."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from rolebook.json import written_out
from rolebook.models import Override
from rolebook.project.state import initial_state
from rolebook.project.tree import Place, Tree
from rolebook.prompt.context import Context
from rolebook.prompt.instruction import compile_split
from rolebook.prompt.provenance import Compiled

_MOST_VALUES = 100_000
"""In a schema; past this it is an attack by aliases, which double what they name."""


class Halves(NamedTuple):
    """The texts of the system instruction without their holes."""

    static: str
    whole: str


def halves(tree: Tree, place: Place) -> Halves:
    """The system instruction, compiled with the samples that the tree declares."""
    schema = place.agent.output_schema
    if isinstance(schema, dict) and written_out(schema) > _MOST_VALUES:
        return Halves("", "")
    split = compile_split(tree, place, Context(state=initial_state(tree, samples=True)))
    return Halves(_known(split.static), _known(split.whole))


def more_than(text: str, limit: int, model: str | None, overrides: Mapping[str, Override]) -> str | None:
    """The tokens of the text in words, where they are more than `limit` in all likelihood; else None.

    A token has a byte at least, so that most texts needn't be counted.
    """
    if len(text.encode("utf-8", "surrogatepass")) <= limit:
        return None
    from rolebook.prompt.tokens import count  # its vocabularies take a while

    counted = count(text, model, overrides)
    return str(counted) if counted.tokens * (1 - counted.error) > limit else None


def _known(compiled: Compiled) -> str:
    return "".join(piece.text for piece in compiled.pieces if piece.kind != "hole")
