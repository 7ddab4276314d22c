"""State while a turn runs: what one line of agents sees, and the view of it that a tool reads and writes."""

from __future__ import annotations

import copy
from collections.abc import Iterator, Mapping, MutableMapping

from rolebook.json import JsonValue
from rolebook_runner.jsonable import to_json

TEMP = "temp:"


class Line:
    """The session's state as agents that run one after another see it.

    Agents that run at the same time each get a `fork`. It sees nothing of what the others write until `join` takes
    their writes over, in the order of the forks and not of time, so that a run can be repeated.
    """

    def __init__(self, values: Mapping[str, JsonValue]) -> None:
        self.values = dict(values)
        self.written: dict[str, JsonValue] = {}

    def write(self, values: Mapping[str, JsonValue]) -> None:
        """Takes over what an event stores; null deletes."""
        for key, value in values.items():
            self.written[key] = value
            if value is None:
                self.values.pop(key, None)
            else:
                self.values[key] = value

    def fork(self) -> Line:
        return Line(self.values)

    def join(self, forks: list[Line]) -> dict[str, JsonValue]:
        """Takes over what the forks wrote. Returns the keys that forks wrote differently, with the values that stay."""
        disputed: dict[str, JsonValue] = {}
        merged: dict[str, JsonValue] = {}
        for fork in forks:
            for key, value in fork.written.items():
                if key in merged and merged[key] != value:
                    disputed[key] = value
                merged[key] = value
        self.write(merged)
        return {key: merged[key] for key in disputed}


class ToolState(MutableMapping[str, JsonValue]):
    """`context.state` of one tool call: a dictionary over the state before the call.

    Values become JSON when they are written; what can't raises TypeError. A list or mapping that was read and then
    changed in place counts as written. Writing None deletes, as null counts as not set everywhere (spec §2).
    """

    def __init__(self, values: Mapping[str, JsonValue]) -> None:
        self._before = values
        self._written: dict[str, JsonValue] = {}
        self._handed_out: dict[str, JsonValue] = {}

    def __getitem__(self, key: str) -> JsonValue:
        if key in self._written:
            value = self._written[key]
            if value is None:
                raise KeyError(key)
            return value
        if key not in self._handed_out:
            value = self._before[key]
            if value is None:
                raise KeyError(key)
            if not isinstance(value, list | dict):
                return value
            self._handed_out[key] = copy.deepcopy(value)
        return self._handed_out[key]

    def __setitem__(self, key: str, value: JsonValue) -> None:
        if not isinstance(key, str):
            raise TypeError(f"a state key is text, not {type(key).__name__}")
        self._written[key] = to_json(value)

    def __delitem__(self, key: str) -> None:
        self[key]
        self._written[key] = None

    def __iter__(self) -> Iterator[str]:
        for key in {**self._before, **self._written}:
            if key in self:
                yield key

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def to_dict(self) -> dict[str, JsonValue]:
        """All that is set, as a plain dictionary (as in google-adk)."""
        return dict(self)

    def changes(self) -> dict[str, JsonValue]:
        """What was written, by key, None for what was deleted. Later writes don't change the result."""
        in_place = {key: value for key, value in self._handed_out.items() if value != self._before[key]}
        return {key: to_json(value) for key, value in {**in_place, **self._written}.items()}
