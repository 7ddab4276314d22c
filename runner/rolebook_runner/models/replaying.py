"""`--replay`: answers from a recording, without a network. A request that isn't in it ends the turn, and says why."""

from __future__ import annotations

import base64
import json
from collections.abc import AsyncIterator, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import httpx

from rolebook.json import compact
from rolebook_runner.errors import RunError
from rolebook_runner.models.environment import Secret
from rolebook_runner.models.recording import VERSION, body_json, without_keys
from rolebook_runner.models.traffic import Traffic, path_of

_SHOWN = 60
"""Code points of a value that are shown where requests differ."""


@dataclass(slots=True)
class _Exchange:
    method: str
    path: str
    body: Any
    status: int
    headers: dict[str, str]
    content: bytes
    broke_off: bool
    used: bool = False


class Replay(Traffic):
    """Answers each request with the first recorded answer to the same one that wasn't given yet.

    So agents at work side by side may ask in another order than they did. `keys` are those that a recording leaves out.
    Raises RunError where the file can't be read or is no recording.
    """

    replays = True

    def __init__(self, path: str, keys: Iterable[Secret]) -> None:
        super().__init__()
        self._path = path
        self._keys = tuple(keys)
        self._exchanges = _read(path)

    @property
    def left(self) -> int:
        """How many recorded requests weren't made."""
        return sum(not exchange.used for exchange in self._exchanges)

    def options(self, base_url: str) -> dict[str, Any]:
        return {"transport": _Recorded(self, base_url)}

    def answer(self, base_url: str, request: httpx.Request) -> httpx.Response:
        self.note(base_url, request)
        method, path = request.method, path_of(base_url, request)
        body = json.loads(without_keys(json.dumps(body_json(request.content), ensure_ascii=False), self._keys))
        unused = [exchange for exchange in self._exchanges if not exchange.used]
        for exchange in unused:
            if (exchange.method, exchange.path, exchange.body) == (method, path, body):
                exchange.used = True
                return _response(exchange)
        if method == "DELETE":  # a cache entry that is let go; no answer depends on it
            return httpx.Response(404)
        raise RunError(self._why_not(method, path, body, unused))

    def _why_not(self, method: str, path: str, body: Any, unused: list[_Exchange]) -> str:
        number = len(self._exchanges) - len(unused) + 1
        if not unused:
            return f"the recording {self._path} holds {number - 1} requests, and this run makes another one"
        alike = [exchange for exchange in unused if (exchange.method, exchange.path) == (method, path)]
        if not alike:
            other = unused[0]
            return (
                f"request {number} differs from the recording {self._path}: it asks `{method} {path}`, and recorded is"
                f" `{other.method} {other.path}`"
            )
        where, before, now = first_difference(alike[0].body, body)
        return f"request {number} differs from the recording {self._path} at `{where}`: recorded is {before}, now {now}"


def first_difference(before: Any, now: Any, where: str = "") -> tuple[str, str, str]:
    """The path of the first place at which two JSON values differ, and what stands there in each, cut to be read."""
    if isinstance(before, Mapping) and isinstance(now, Mapping):
        for key in [*before, *(key for key in now if key not in before)]:
            path = f"{where}.{key}" if where else key
            if key not in before or key not in now:
                told = [_shown(each[key]) if key in each else "nothing" for each in (before, now)]
                return path, told[0], told[1]
            if before[key] != now[key]:
                return first_difference(before[key], now[key], path)
    if isinstance(before, list) and isinstance(now, list):
        for index, (one, other) in enumerate(zip(before, now, strict=False)):
            if one != other:
                return first_difference(one, other, f"{where}[{index}]")
        index = min(len(before), len(now))
        one, other = (_shown(each[index]) if index < len(each) else "nothing" for each in (before, now))
        return f"{where}[{index}]", one, other
    if isinstance(before, str) and isinstance(now, str):
        start = next((i for i, (a, b) in enumerate(zip(before, now, strict=False)) if a != b), None)
        start = min(len(before), len(now)) if start is None else start
        return where, _around(before, start), _around(now, start)
    return where, _shown(before), _shown(now)


def _shown(value: Any) -> str:
    text = compact(value)
    return text if len(text) <= _SHOWN else text[: _SHOWN - 1] + "…"


def _around(text: str, at: int) -> str:
    start = max(0, at - _SHOWN // 2)
    end = start + _SHOWN
    return compact(("…" if start else "") + text[start:end] + ("…" if end < len(text) else ""))


def _response(exchange: _Exchange) -> httpx.Response:
    return httpx.Response(exchange.status, headers=exchange.headers, stream=_Stream(exchange))


class _Recorded(httpx.AsyncBaseTransport):
    def __init__(self, replay: Replay, base_url: str) -> None:
        self._replay = replay
        self._base_url = base_url

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        await request.aread()
        return self._replay.answer(self._base_url, request)


class _Stream(httpx.AsyncByteStream):
    def __init__(self, exchange: _Exchange) -> None:
        self._exchange = exchange

    async def __aiter__(self) -> AsyncIterator[bytes]:
        for line in self._exchange.content.splitlines(keepends=True):
            yield line
        if self._exchange.broke_off:
            raise httpx.RemoteProtocolError("the recorded answer broke off here")


def _read(path: str) -> list[_Exchange]:
    try:
        with open(path, encoding="utf-8-sig") as file:
            lines = [(number, line) for number, line in enumerate(file.read().split("\n"), 1) if line.strip()]
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "it is no UTF-8 text"
        raise RunError(f"the recording {path} can't be read: {reason}") from None
    head = _json(lines[0][1]) if lines else None
    if not isinstance(head, dict) or head.get("rolebook") != "traffic":
        raise RunError(f"{path} is no recording: `rolebook run --record FILE` makes one")
    if head.get("version") != VERSION:
        raise RunError(f"the recording {path} was made by another version of Rolebook; record it anew")
    found = []
    for number, line in lines[1:]:
        try:
            found.append(_exchange(_json(line)))
        except (KeyError, TypeError, ValueError):
            raise RunError(f"the recording {path}, line {number}: this is no request with its response") from None
    return found


def _json(line: str) -> Any:
    try:
        return json.loads(line)
    except (ValueError, RecursionError):
        return None


def _exchange(data: Any) -> _Exchange:
    """Raises KeyError, TypeError or ValueError for what is none."""
    request, response = data["request"], data["response"]
    lines = response.get("lines")
    content = "\n".join(lines).encode() if lines is not None else base64.b64decode(response["base64"], validate=True)
    headers = {str(name): str(value) for name, value in response["headers"].items()}
    return _Exchange(
        method=str(request["method"]),
        path=str(request["path"]),
        body=request["body"],
        status=int(response["status"]),
        headers=headers,
        content=content,
        broke_off="broke_off" in response,
    )
