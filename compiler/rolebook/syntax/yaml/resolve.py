"""The value of a scalar under YAML 1.1's implicit types, as PyYAML's safe loader resolves them.

The usual cases are decided here; the rare ones (sexagesimal numbers, timestamps, explicit tags) are handed to PyYAML
itself, whose import costs more than parsing a file, so it happens only when a file holds one.
"""

from __future__ import annotations

import re
from typing import Any

_TRUE = frozenset({"yes", "Yes", "YES", "true", "True", "TRUE", "on", "On", "ON"})
_FALSE = frozenset({"no", "No", "NO", "false", "False", "FALSE", "off", "Off", "OFF"})
_NULL = frozenset({"", "~", "null", "Null", "NULL"})
_INT = re.compile(r"[-+]?(?:0|[1-9][0-9]*)", re.ASCII)
_FLOAT = re.compile(r"[-+]?[0-9]+\.[0-9]*(?:[eE][-+][0-9]+)?", re.ASCII)
_MAY_BE_RARE = re.compile(r"[-+]?[0-9.]|=$", re.ASCII)


class Unreadable(ValueError):
    """A scalar that the safe loader refuses, such as the date 2001-99-99. The message says why."""


def implicit(text: str) -> object:
    """The value of an untagged plain scalar. Raises Unreadable."""
    if text in _TRUE or text in _FALSE:
        return text in _TRUE
    if text in _NULL:
        return None
    if _INT.fullmatch(text):
        return int(text) if len(text) < 4000 else text
    if _FLOAT.fullmatch(text):
        return float(text)
    return _by_pyyaml(None, text) if _MAY_BE_RARE.match(text) else text


def tagged(tag: str, text: str) -> object:
    """The value of a scalar with an explicit tag as it is written, such as `!!str`. Raises Unreadable."""
    if tag == "!":  # PyYAML resolves it as if there were no tag, quoted or not
        return implicit(text)
    if tag in ("!!str", "!<tag:yaml.org,2002:str>"):
        return text
    return _by_pyyaml(tag, text)


def collection(tag: str, text: str) -> object:
    """The value of a mapping or sequence with an explicit tag; `text` is the YAML behind the tag. Raises Unreadable."""
    import yaml

    try:
        return yaml.safe_load(f"{tag}\n{text}")
    except (yaml.YAMLError, ValueError, TypeError, RecursionError) as error:
        raise Unreadable(getattr(error, "problem", None) or f"`{tag}` can't be read") from None


def _by_pyyaml(tag: str | None, text: str) -> Any:
    import yaml

    loader: Any = yaml.SafeLoader("")
    if tag is None:
        full = loader.resolve(yaml.ScalarNode, text, (True, False))
        if full == "tag:yaml.org,2002:str":
            return text
    elif tag.startswith("!!"):
        full = "tag:yaml.org,2002:" + tag[2:]
    else:
        full = tag[2:-1] if tag.startswith("!<") else tag
    try:
        return loader.construct_document(yaml.ScalarNode(full, text))
    except (yaml.YAMLError, ValueError, OverflowError, IndexError, KeyError) as error:
        reason = getattr(error, "problem", None) or str(error)
        if (
            tag is not None
            and isinstance(error, yaml.constructor.ConstructorError)
            and full not in loader.yaml_constructors
        ):
            raise Unreadable(
                f"YAML takes `{tag}` for a tag, and there is none of this name; quote it if it is text"
            ) from None
        raise Unreadable(
            f"`{text[:40]}` can't be read as {full.removeprefix('tag:yaml.org,2002:')}: {reason}"
        ) from None
