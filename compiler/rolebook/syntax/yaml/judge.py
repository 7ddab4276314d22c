"""PyYAML's own verdict on a text. It takes a millisecond and more, so an editor asks for it after the rest."""

from __future__ import annotations

from rolebook.syntax.yaml.build import Fault
from rolebook.text import Span


def refusal(source: str) -> Fault | None:
    """Why `yaml.safe_load` refuses `source`, None where it doesn't. The place is PyYAML's."""
    import yaml

    try:
        yaml.load(source, Loader=yaml.SafeLoader)
    except yaml.MarkedYAMLError as error:
        marks = [mark.index for mark in (error.problem_mark, error.context_mark) if mark is not None]
        start = min(marks[0], len(source)) if marks else 0
        said = error.problem or error.context
        at = next((at for mark in marks if (at := _hidden_line_end(source, mark)) is not None), None)
        if at is not None:
            message = f"PyYAML takes the character U+{ord(source[at]):04X} for the end of the line, and then: {said}"
            return Fault(Span(at, at + 1), message)
        return Fault(Span(start, start + 1), f"PyYAML refuses this: {said}")
    except yaml.reader.ReaderError as error:
        return Fault(Span(error.position, error.position + 1), f"PyYAML allows no character U+{error.character:04X}")
    except (yaml.YAMLError, ValueError, ArithmeticError, LookupError, TypeError, RecursionError) as error:
        return Fault(Span(0, 1), f"PyYAML refuses this file: {error or type(error).__name__}")
    return None


_HIDDEN_LINE_ENDS = "\x85\u2028\u2029"
"""What ends a line in YAML 1.1 and looks like nothing in an editor."""


def _hidden_line_end(source: str, at: int) -> int | None:
    """The last such line end before `at` on its line, as an editor shows it, or on the one above: it is the cause."""
    line = max(source.rfind("\n", 0, at), source.rfind("\r", 0, at))
    above = max(source.rfind("\n", 0, max(line, 0)), source.rfind("\r", 0, max(line, 0)))
    found = max(source.rfind(char, above + 1, at) for char in _HIDDEN_LINE_ENDS)
    return found if found >= 0 else None
