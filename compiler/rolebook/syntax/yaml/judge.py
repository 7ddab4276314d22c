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
        mark = error.problem_mark or error.context_mark
        start = min(mark.index, len(source)) if mark is not None else 0
        return Fault(Span(start, start + 1), f"PyYAML refuses this: {error.problem or error.context}")
    except (yaml.YAMLError, ValueError, ArithmeticError, LookupError, TypeError, RecursionError) as error:
        return Fault(Span(0, 1), f"PyYAML refuses this file: {error or type(error).__name__}")
    return None
