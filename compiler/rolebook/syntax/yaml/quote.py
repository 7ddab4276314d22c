"""A text written so that YAML takes it as it is."""

from __future__ import annotations


def quoted(text: str) -> str:
    """One line of text in quotes: double ones where nothing in it needs an escape, else single ones."""
    if '"' not in text and "\\" not in text:
        return f'"{text}"'
    return "'" + text.replace("'", "''") + "'"
