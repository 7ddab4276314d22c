"""Instruction texts: google-adk ends a run at a placeholder that it can't fill."""

from __future__ import annotations

import os
from collections.abc import Iterator

from rolebook.project.tree import Tree
from rolebook.rules.adk.file import File, Refusal
from rolebook.rules.rule import Subject
from rolebook.syntax.adk_template import adk_placeholders
from rolebook.text import MappedText


def check(file: File) -> Iterator[Refusal]:
    """The state keys that nothing sets. Where something may set any key, Rolebook's own word on it is enough."""
    instruction = file.subject.source.agent.instruction
    if not isinstance(instruction, MappedText):
        return
    unset = [refusal for tree in file.subject.trees for refusal in _unset(file, tree, instruction)]
    if unset and not _in_a_workflow(file.subject):
        yield from unset


def artifacts(file: File) -> Iterator[Refusal]:
    """The artifacts that must be there when the agent runs; nothing tells here whether they are."""
    instruction = file.subject.source.agent.instruction
    if isinstance(instruction, MappedText):
        for placeholder in adk_placeholders(instruction.text):
            if placeholder.artifact and not placeholder.optional:
                span = instruction.source(*placeholder.key_span)
                yield Refusal(span, f"ends the run where there is no artifact `{placeholder.key}`")


def _unset(file: File, tree: Tree, instruction: MappedText) -> Iterator[Refusal]:
    known = file.subject.snapshot.state_keys(tree)
    if known.open_to:
        return
    for placeholder in adk_placeholders(instruction.text):
        if not (placeholder.artifact or placeholder.optional or placeholder.key in known.setters):
            message = f"ends the run at `{placeholder.key}`, which nothing sets"
            yield Refusal(instruction.source(*placeholder.key_span), message)


def _in_a_workflow(subject: Subject) -> bool:
    """Whether a Workflow beside or above names this file: its other nodes are functions, which may set anything."""
    snapshot, folder = subject.snapshot, os.path.dirname(subject.path)
    while folder.startswith(snapshot.root):
        for name in snapshot.names(folder):
            if not name.endswith((".yaml", ".yml")):
                continue
            text = snapshot.read(os.path.join(folder, name))
            if isinstance(text, str) and "edges:" in text and os.path.basename(subject.path) in text:
                return True
        above = os.path.dirname(folder)
        if above == folder:
            break
        folder = above
    return False
