"""A definition's instruction as the body of a Markdown file, and such a file as plain YAML."""

from __future__ import annotations

import os
from collections.abc import Iterator

from rolebook.syntax.markdown import yaml_part
from rolebook.syntax.yaml import Mapping
from rolebook.text import MappedText, Span
from rolebook_server.ide.changes import Change, Changes, Refusal, line_end, with_line_ends
from rolebook_server.ide.file_rename import moved
from rolebook_server.ide.refactorings.blocks import block_text
from rolebook_server.ide.refactorings.offer import Offer, Where
from rolebook_server.ide.refactorings.same import same_requests

_CLASS = "agent_class: LlmAgent"
"""What tells that a Markdown file which no other one names is a definition (spec §1)."""


def offers(where: Where) -> Iterator[Offer]:
    """From the instruction of a file's own agent."""
    found = where.found
    if found is None or found.key != "instruction" or found.agent is not where.source.agent:
        return
    if (
        os.path.isabs(where.path)
        and where.path.endswith((".yaml", ".yml"))
        and isinstance(found.agent.instruction, MappedText)
    ):
        name = f"{_stem(where.path)}.agent.md"
        if where.snapshot.exists(os.path.join(os.path.dirname(where.path), name)) is None:
            yield Offer(
                "to-markdown", f"Turn this file into `{name}`", "refactor.rewrite", lambda: to_markdown(where, name)
            )


def to_markdown(where: Where, name: str) -> Changes | Refusal:
    """The definition as front matter and its instruction as the body, in a file of another name."""
    source = where.source
    root = source.document.root
    instruction = source.agent.instruction
    entry = source.agent.entries.get("instruction")
    if not isinstance(root, Mapping) or root.flow or not isinstance(instruction, MappedText) or entry is None:
        return Refusal("this definition can't be turned into Markdown")
    text = source.text
    end = line_end(text.source)
    first, last = text.line_of(entry.span.start), text.line_of(max(entry.span.end - 1, entry.span.start))
    after = text.line_starts[last + 1] if last + 1 < len(text.line_starts) else len(text)
    front = text.source[: text.line_starts[first]] + text.source[after:]
    front = front.removeprefix("\ufeff").strip("\r\n")
    body = with_line_ends(instruction.text, end)
    created = os.path.join(os.path.dirname(where.path), name)
    followed = moved(where.snapshot, [(where.path, created)])
    is_open = front.startswith("---")
    needed = "" if where.snapshot.referrers(where.path) or "agent_class" in source.agent.entries else _CLASS + end
    lines = front.split(end, 1)[1:] if is_open else [front]
    made = f"---{end}{needed}{''.join(lines)}{end}---{end}{body}"
    edits = {**followed.edits, where.path: (Change(Span(0, len(text)), made),)}
    return same_requests(where.snapshot, where.path, Changes(edits, renamed=((where.path, created),)))


def as_yaml(text: str) -> str | None:
    """A Markdown definition as plain YAML; None where its body can't be a block text."""
    front = yaml_part(text)
    body = text[len(front) :]
    body = body[len(body.splitlines(keepends=True)[0]) :] if body else ""
    lines = front.splitlines(keepends=True)[1:]
    if not body.strip():
        return "".join(lines)
    block = block_text(body.replace("\r\n", "\n"), 2)
    return f"{''.join(lines).rstrip()}\ninstruction: {block}\n" if block is not None else None


def _stem(path: str) -> str:
    base = os.path.basename(path)
    return base.removesuffix(".yaml").removesuffix(".yml").removesuffix(".agent")
