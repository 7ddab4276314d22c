"""A definition file as google-adk's loader sees it: one mapping, and the class that is made of it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from rolebook.definition.adk_names import PACKAGE, adk
from rolebook.record import Record
from rolebook.rules.adk.names import resolve
from rolebook.rules.rule import Subject
from rolebook.syntax.yaml import Mapping, Scalar
from rolebook.text import Span


class Refusal(NamedTuple):
    """Where and why google-adk stops; the message is a sentence's rest, after the word "google-adk"."""

    span: Span
    message: str


class File(Record):
    """`cls` is the class in the data of google-adk, empty for a user's own; `kind` is what messages call it.

    `wrong_class` is why google-adk makes no agent at all of the file's `agent_class`.
    """

    subject: Subject
    node: Mapping
    cls: str
    kind: str
    wrong_class: Refusal | None = None

    @property
    def agent(self) -> dict[str, Any]:
        """How google-adk makes this class. A class of the user's own is held against the schema of `BaseAgent`."""
        return adk().agents[self.cls or "BaseAgent"]


def read(subject: Subject, node: Mapping) -> File:
    """The file with its class. A class that can't be had counts as the user's own, whose keys aren't judged."""
    entry = node.get("agent_class")
    value = entry.value if entry is not None else None
    name = value.value if isinstance(value, Scalar) else None
    if not isinstance(value, Scalar) or not isinstance(name, str) or not name:
        return File(subject, node, "LlmAgent", "an LlmAgent")
    known = adk().agent_class(name) if "." not in name else resolve(subject, name)
    kind = f"a {name.rpartition('.')[2]}"
    if isinstance(known, str):
        return File(subject, node, "", kind, Refusal(value.span, known))
    if known.kind == "agent class":
        return File(subject, node, known.cls, f"an {known.cls}" if known.cls == "LlmAgent" else f"a {known.cls}")
    own = known.kind == "unknown" or (known.kind == "class" and not name.startswith(f"{PACKAGE}."))
    refusal = None if own else Refusal(value.span, f"has no agent class `{name}`")
    return File(subject, node, "", kind, refusal)


def class_refusals(file: File) -> Iterator[Refusal]:
    """What is wrong with `agent_class`."""
    if file.wrong_class is not None:
        yield file.wrong_class
