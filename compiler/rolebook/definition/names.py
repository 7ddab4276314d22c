"""What makes a name a name: agents, classes, dotted names; and the nearest known one for a misspelt one."""

from __future__ import annotations

import keyword
import re
from collections.abc import Iterable

from rolebook.definition.agent import Kind

_KINDS: dict[str, Kind] = {
    "LlmAgent": "LlmAgent",
    "Agent": "LlmAgent",
    "SequentialAgent": "SequentialAgent",
    "ParallelAgent": "ParallelAgent",
    "LoopAgent": "LoopAgent",
    "Workflow": "Workflow",
}
_ADK_CLASS = re.compile(r"google\.adk\.(?:agents|workflow)(?:\.\w+)?\.(\w+)")
_LONGEST_TOOL_NAME = 64
_DOTTED = re.compile(r"\.?[^\W\d]\w*(?:\.[^\W\d]\w*)*")


def kind_of(agent_class: str) -> Kind | None:
    """The kind of agent that a class name means: `custom` for another dotted name, None for a name that is no class."""
    if not agent_class:
        return "LlmAgent"
    adk = _ADK_CLASS.fullmatch(agent_class)
    known = _KINDS.get(adk[1] if adk else agent_class)
    return known or ("custom" if _DOTTED.fullmatch(agent_class) and "." in agent_class[1:] else None)


def class_pattern(kind: Kind) -> str:
    """The names of a kind as a regular expression that Python and JavaScript read alike."""
    names = "|".join(name for name, named in _KINDS.items() if named == kind)
    empty = "^$|" if kind == "LlmAgent" else ""
    return rf"{empty}^(?:google\.adk\.(?:agents|workflow)\.(?:[A-Za-z0-9_]+\.)?)?(?:{names})$"


def agent_class_problem(name: str) -> str | None:
    if kind_of(name) is not None:
        return None
    hint = did_you_mean(name, _KINDS) or "; a class of yours is written with its module, as `my_app.MyAgent`"
    return f"`{name}` is no agent class{hint}"


def agent_name_problem(name: str) -> str | None:
    """Spec §1: a Python identifier (Unicode allowed) that isn't `user`."""
    if name == "user":
        return "`user` is the name of the person who talks to the agent; choose another"
    if not name.isidentifier():
        return (
            f"`{name}` is no identifier: letters, digits and `_`, not starting with a digit{_suggest_identifier(name)}"
        )
    return None


def dotted_name_problem(name: str) -> str | None:
    if not _DOTTED.fullmatch(name) or any(keyword.iskeyword(part) for part in name.split(".")):
        return f"`{name}` is no dotted name, such as `my_app.tools.search`"
    return None


def object_name_problem(name: str) -> str | None:
    """A dotted name that leads to something inside of a module; a leading dot means the definition's own folder."""
    if (problem := dotted_name_problem(name)) is not None:
        return problem
    if "." not in name.removeprefix("."):
        return f"`{name}` names no module; write where it stands, as `my_app.{name.removeprefix('.')}`"
    return None


def tool_name_problem(name: str) -> str | None:
    """What every provider takes as the name of a function: Gemini, Anthropic and OpenAI allow 64 characters or more."""
    if re.fullmatch(r"[A-Za-z_][A-Za-z0-9_-]*", name) is None:
        what = "letters, digits, `_` and `-`, not starting with a digit or `-`"
        hint = _suggest_identifier(name) if name.isascii() else ""
        return f"`{name}` is no name that models can call: {what}{hint}"
    if len(name) > _LONGEST_TOOL_NAME:
        return f"the name is {len(name)} characters long; providers take {_LONGEST_TOOL_NAME}"
    return None


def state_key_problem(name: str) -> str | None:
    """Spec §2: `\\w+` in ASCII, after a scope if any. Session state holds any key, but no placeholder names another."""
    if re.fullmatch(r"(?:(?:app|user|temp):)?\w+", name, re.ASCII) is None:
        return f"no placeholder can name `{name}`: letters, digits and `_`, after `app:`, `user:` or `temp:` if any"
    return None


def nearest(name: str, known: Iterable[str]) -> str | None:
    """The known name that `name` was most likely meant to be, None where none is near."""
    known = list(known)
    lowered = name.lower().replace("-", "_")
    for candidate in known:
        if candidate.lower() == lowered:
            return candidate
    if not known:
        return None
    import difflib

    if len(known) > _MOST_COMPARED:  # names of about the same length are the likeliest, and comparing takes time
        known = sorted(known, key=lambda other: abs(len(other) - len(name)))[:_MOST_COMPARED]
    close = difflib.get_close_matches(name[:_LONGEST_COMPARED], known, n=1, cutoff=0.72)
    return close[0] if close else None


_MOST_COMPARED, _LONGEST_COMPARED = 100, 200


def did_you_mean(name: str, known: Iterable[str]) -> str:
    near = nearest(name, known)
    return f"; did you mean `{near}`?" if near is not None else ""


def _suggest_identifier(name: str) -> str:
    candidate = re.sub(r"\W+", "_", name).strip("_")
    return f"; how about `{candidate}`?" if candidate.isidentifier() and candidate != "user" else ""
