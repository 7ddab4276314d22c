"""The beginning of a GGUF file: whether it is one, and how many tokens its model was trained to read.

Source: github.com/ggml-org/ggml, docs/gguf.md, read 2026-11: magic, version, counts, then keys with typed values.
"""

from __future__ import annotations

import struct
from typing import BinaryIO

_MAGIC = b"GGUF"
_STRING, _ARRAY = 8, 9
_NUMBERS = {0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 6: "f", 7: "?", 10: "Q", 11: "q", 12: "d"}
_LONGEST = (
    1_000_000  # bytes of a text, and values of an array; whoever writes files puts the vocabulary after the sizes
)


class NotGguf(Exception):
    """The file is something else, or its beginning is damaged."""


def trained_context(path: str) -> int | None:
    """The `ARCHITECTURE.context_length` of the file, None where none stands before the vocabulary.

    Raises NotGguf for another kind of file, OSError where it can't be read.
    """
    with open(path, "rb") as file:
        if file.read(4) != _MAGIC:
            raise NotGguf
        _, _, keys = _unpack(file, "<IQQ")
        for _ in range(keys):
            name = _text(file)
            if name.startswith(b"tokenizer."):
                return None
            value = _value(file, *_unpack(file, "<I"))
            if name.endswith(b".context_length"):
                return value if isinstance(value, int) and value > 0 else None
    return None


def _value(file: BinaryIO, kind: int) -> object:
    """The value, None for an array, which is passed over."""
    if kind == _STRING:
        return _text(file)
    if kind in _NUMBERS:
        return _unpack(file, f"<{_NUMBERS[kind]}")[0]
    if kind != _ARRAY:
        raise NotGguf
    inner, length = _unpack(file, "<IQ")
    if length > _LONGEST or inner == _ARRAY:
        raise NotGguf
    for _ in range(length):
        _value(file, inner)
    return None


def _text(file: BinaryIO) -> bytes:
    (length,) = _unpack(file, "<Q")
    if length > _LONGEST or len(text := file.read(length)) < length:
        raise NotGguf
    return text


def _unpack(file: BinaryIO, layout: str) -> tuple[int, ...]:
    data = file.read(struct.calcsize(layout))
    if len(data) < struct.calcsize(layout):
        raise NotGguf
    return struct.unpack(layout, data)
