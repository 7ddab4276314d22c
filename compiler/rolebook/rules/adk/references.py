"""References: files of sub-agents, agents in code, and the dotted names of callbacks, models and schemas."""

from __future__ import annotations

import os
from collections.abc import Iterator

from rolebook.definition.adk_names import Kind, adk
from rolebook.definition.adk_shapes import start_of
from rolebook.rules.adk.file import File, Refusal
from rolebook.rules.adk.names import resolve
from rolebook.syntax.yaml import Entry, Mapping, Node, Scalar, Sequence
from rolebook.text import Span

_SCHEMAS = ("input_schema", "output_schema")
_NO_SCHEMA: frozenset[Kind] = frozenset({"function", "value"})
_NOT_CALLABLE: frozenset[Kind] = frozenset({"tool", "agent", "value"})


def check(file: File) -> Iterator[Refusal]:
    for item in items(file.node.get("sub_agents")):
        yield from agent_reference(file, item, reported=True)
    known = adk().schemas[file.agent["schema"]]["properties"] if "schema" in file.agent else {}
    for entry in file.node:
        name = entry.name or ""
        if file.cls and name not in known:
            continue  # it is refused as a whole
        if name.endswith("_callbacks"):
            for item in items(entry):
                yield from _code(file, item, _NOT_CALLABLE)
        elif name in _SCHEMAS:
            yield from _code(file, entry.value, _NO_SCHEMA)
        elif name == "model_code":
            yield from _model(file, entry.value)


def items(entry: Entry | None) -> tuple[Node, ...]:
    return entry.value.items if entry is not None and isinstance(entry.value, Sequence) else ()


def text_of(node: Node | None) -> tuple[str, Span] | None:
    """A text and its place; None for any other node."""
    if isinstance(node, Scalar) and not node.broken and isinstance(node.value, str):
        return node.value, node.span
    return None


def agent_reference(file: File, node: Node, reported: bool = False) -> Iterator[Refusal]:
    """What is wrong with `{config_path: …}` or `{code: …}`. A missing file is `reported` where Rolebook follows it."""
    if not isinstance(node, Mapping):
        return
    path, code = node.get("config_path"), node.get("code")
    if path is not None and code is not None and _is_given(path) and _is_given(code):
        yield Refusal(code.key.span, "takes either `config_path` or `code`, not both")
        return
    if not any(entry is not None and _is_given(entry) for entry in (path, code)):
        yield Refusal(start_of(node), "wants either `config_path` or `code` for an agent")
    if path is not None and (told := text_of(path.value)) is not None:
        yield from config_path(file, *told, reported)
    elif code is not None and (told := text_of(code.value)) is not None:
        yield from _agent_in_code(file, *told)


def config_path(file: File, target: str, span: Span, reported: bool = False) -> Iterator[Refusal]:
    folder = os.path.dirname(file.subject.path)
    meant = os.path.normpath(os.path.join(folder, target))
    if not target:
        yield Refusal(span, "takes no empty `config_path`")
    elif os.path.isabs(target):
        yield Refusal(span, f"takes no absolute path: `{target}`")
    elif not meant.startswith(folder.rstrip(os.sep) + os.sep):
        yield Refusal(span, f"takes no path that leaves this file's folder: `{target}`")
    elif not reported and file.subject.snapshot.exists(meant) is None:
        yield Refusal(span, f"finds no file `{target}` here")


def _agent_in_code(file: File, name: str, span: Span) -> Iterator[Refusal]:
    known = resolve(file.subject, name)
    if isinstance(known, str):
        yield Refusal(span, known)
    elif known.kind not in ("agent", "unknown"):
        yield Refusal(span, f"wants an agent for `code`, and `{name}` is {_described(known.kind)}")


def _code(file: File, node: Node, wrong: frozenset[Kind]) -> Iterator[Refusal]:
    """What is wrong with `{name: dotted.name}`, which can't stand for these kinds of things."""
    name = node.get("name") if isinstance(node, Mapping) else None
    told = text_of(name.value) if name is not None else None
    if told is None:
        return
    known = resolve(file.subject, told[0])
    if isinstance(known, str):
        yield Refusal(told[1], known)
    elif known.kind in wrong:
        yield Refusal(told[1], f"has no use for `{told[0]}` here, which is {_described(known.kind)}")


def _model(file: File, node: Node) -> Iterator[Refusal]:
    """`model_code` alone may begin with a dot, which stands for the package that the file's folder is."""
    entry = node.get("name") if isinstance(node, Mapping) else None
    told = text_of(entry.value) if entry is not None else None
    if told is None:
        return
    name, span = told
    if name.startswith("."):
        name = os.path.basename(os.path.dirname(file.subject.path)) + name
    known = resolve(file.subject, name)
    if isinstance(known, str):
        yield Refusal(span, known)
    elif known.kind != "unknown":
        yield Refusal(span, f"wants a model that is made already, and `{name}` is {_described(known.kind)}")


def _is_given(entry: Entry) -> bool:
    return not (isinstance(entry.value, Scalar) and entry.value.value is None)


def _described(kind: Kind) -> str:
    if kind.endswith("class"):
        return "a class"
    return "a module or a plain value" if kind == "value" else f"an {kind}" if kind == "agent" else f"a {kind}"
