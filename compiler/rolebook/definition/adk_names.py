"""The public names of google-adk with their kinds, and its schemas: what `adk_names.json` holds.

`scripts/adk_names.py` makes that file from google-adk itself; its version and date stand in it. It is read once
something asks, which nothing does where `runtime` isn't `adk-python`.
"""

from __future__ import annotations

import os
from functools import cache
from typing import Any, Literal, NamedTuple, cast

Kind = Literal[
    "function", "tool", "tool class", "toolset class", "agent", "agent class", "class", "value", "unknown", "missing"
]
"""What a name stands for. `unknown` is there as far as one can tell; `missing` surely isn't."""

PACKAGE = "google.adk"


class Known(NamedTuple):
    """The kind of a name, and of a class of agents or tools the name by which `Adk` knows it."""

    kind: Kind
    cls: str = ""


class Adk(NamedTuple):
    """The data. `agents` and `tools` say by class how an instance is made, `schemas` are JSON Schemas by name."""

    version: str
    modules: dict[str, dict[str, list[str]]]
    agents: dict[str, dict[str, Any]]
    tools: dict[str, dict[str, Any]]
    schemas: dict[str, Any]
    blocked: frozenset[str]
    installed: frozenset[str]

    def find(self, dotted: str) -> Known:
        """What a dotted name below `google.adk` stands for.

        A name that only other modules define may be imported into this one, so nothing is said of it.
        """
        module, _, name = dotted.rpartition(".")
        if dotted in self.modules:
            return Known("value")  # a module
        names = self.modules.get(module)
        if names is None:
            private = any(part.startswith("_") for part in module.split("."))
            return Known("unknown" if private or module.startswith(f"{PACKAGE}.cli") else "missing")
        for kind, known in names.items():
            if name in known:
                of, _, cls = kind.partition(":")
                return Known(cast(Kind, of), cls or name)
        return Known("unknown" if not names or name.startswith("_") or name in _names() else "missing")

    def agent_class(self, name: str) -> Known:
        """The agent class that a short name means."""
        found = [self.find(f"{PACKAGE}.{package}.{name}") for package in ("agents", "workflow")]
        return next((known for known in found if known.kind == "agent class"), Known("missing"))


@cache
def adk() -> Adk:
    """The data, read when first asked for."""
    import json

    with open(os.path.join(os.path.dirname(__file__), "adk_names.json"), encoding="utf-8") as file:
        data = json.load(file)
    return Adk(
        data["google-adk"],
        data["modules"],
        data["agents"],
        data["tools"],
        data["schemas"],
        frozenset(data["blocked"]),
        frozenset(data["installed"]),
    )


@cache
def _names() -> frozenset[str]:
    """All names of all modules."""
    return frozenset(name for kinds in adk().modules.values() for names in kinds.values() for name in names)
