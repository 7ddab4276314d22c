"""Completion: keys, the values that a key takes, files, placeholders and transfer targets.

What stands around the cursor is found by reading the text with a word of our own at the cursor: the same recovery that
keeps a half-typed file alive then says in which mapping, list or text that word lies.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from typing import Literal

from rolebook.definition.lookup import key_at, keys_below
from rolebook.definition.shapes import Bool, Key, OneOf, Shape, Str
from rolebook.project.snapshot import Snapshot
from rolebook.project.source import read_source
from rolebook.project.tree import Place, Tree
from rolebook.record import Record
from rolebook.syntax.yaml import Mapping
from rolebook.text import Span
from rolebook_server.ide.locate import Found, locate

ItemKind = Literal["key", "value", "file", "state", "agent"]


class Item(Record):
    """One proposal: `text` takes the place of `span`."""

    label: str
    kind: ItemKind
    text: str
    span: Span
    documentation: str = ""


_MARK = "zz_cursor"
_KEY_PREFIX = re.compile(r"(?P<indent>[ ]*(?:-[ ]+)*)(?P<word>[\w-]*)")
_VALUE_PREFIX = re.compile(r"""[ ]*(?:-[ ]+)*(?P<key>\w+):[ ]+(?P<word>[^\s#'"{\[|>][^\r\n#]*)?""")
_OPEN_PLACEHOLDER = re.compile(r"[{<](?P<word>[\w:]*)$")
_TRANSFER = re.compile(r"""transfer_to_agent\(\s*(?:agent_name\s*=\s*)?["'](?P<word>\w*)$""")


def completion(snapshot: Snapshot, path: str, offset: int) -> tuple[Item, ...]:
    """The proposals at `offset` of the definition at `path`, the likeliest first."""
    source = snapshot.source(path)
    if source is None:
        return ()
    text = source.text
    start = text.line_span(text.line_of(offset)).start
    before = text.source[start:offset]
    found = locate(source, offset)
    in_text = found is not None and found.key in ("instruction", "global_instruction") and not found.on_key
    if found is not None and in_text and (items := tuple(_in_text(snapshot, found, before, offset))):
        return items
    if (value := _VALUE_PREFIX.fullmatch(before)) is not None:
        return tuple(_values(snapshot, path, text.source, offset, value["word"] or ""))
    if (key := _KEY_PREFIX.fullmatch(before)) is not None:
        return tuple(_keys(path, text.source, offset - len(key["word"]), offset))
    return ()


def _keys(path: str, text: str, start: int, offset: int) -> Iterator[Item]:
    """The keys that the mapping around the cursor doesn't have yet."""
    end = offset
    while end < len(text) and (text[end].isalnum() or text[end] in "_-"):
        end += 1
    colon = "" if text[end : end + 1] == ":" else ":"
    marked = read_source(path, f"{text[:start]}{_MARK}{colon}{text[end:]}")
    found = locate(marked, start)
    if found is None or not found.on_key or not found.entries or found.entries[-1].name != _MARK:
        return
    names = [entry.name or "" for entry in found.entries[:-1]]
    if not names and found.agent.span != marked.agent.span and len(found.agent.entries) == 0:
        names = ["sub_agents"]  # an item with no key yet may become a reference as well as an agent
    around = _mapping_around(found, marked.document.root)
    present = {entry.name for entry in around.entries} if around is not None else set()
    for key in keys_below(found.agent.kind, names):
        if key.name not in present and not present.intersection(key.aliases):
            yield Item(key.name, "key", f"{key.name}: " if colon else key.name, Span(start, end), key.doc)


def _mapping_around(found: Found, root: object) -> Mapping | None:
    """The innermost mapping that holds the marked key."""
    pending = [root]
    while pending:
        node = pending.pop()
        if isinstance(node, Mapping):
            if found.entries[-1] in node.entries:
                return node
            pending += [entry.value for entry in node.entries]
        else:
            pending += getattr(node, "items", ())
    return None


def _values(snapshot: Snapshot, path: str, text: str, offset: int, word: str) -> Iterator[Item]:
    """What the key on this line may be set to."""
    start = offset - len(word)
    end = start + len(re.compile(r"[^\s#,}\]]*").match(text, start).group())  # type: ignore[union-attr]
    marked = read_source(path, f"{text[:start]}{_MARK}{text[max(end, offset) :]}")
    found = locate(marked, start)
    if found is None or found.on_key or not found.entries:
        return
    key = key_at([entry.name or "" for entry in found.entries])
    if key is None:
        return
    span = Span(start, max(end, offset))
    for label in _choices(key):
        yield Item(label, "value", label, span, key.doc)
    if any(isinstance(shape, Str) and shape.means == "file" for shape in _shapes(key.shape)):
        for name in snapshot.names(os.path.dirname(path)):
            if name.endswith((".yaml", ".yml", ".agent.md")) and name != os.path.basename(path):
                yield Item(name, "file", name, span)


def _choices(key: Key) -> Iterator[str]:
    for shape in _shapes(key.shape):
        if isinstance(shape, Str):
            yield from shape.choices
        elif isinstance(shape, Bool):
            yield from ("true", "false")


def _shapes(shape: Shape) -> Iterator[Shape]:
    if isinstance(shape, OneOf):
        for inner in shape.shapes:
            yield from _shapes(inner)
    else:
        yield shape


def _in_text(snapshot: Snapshot, found: Found, before: str, offset: int) -> Iterator[Item]:
    """State keys behind an open brace, transfer targets in a call of `transfer_to_agent`."""
    for tree, place in _places(snapshot, found):
        if (call := _TRANSFER.search(before)) is not None:
            span = Span(offset - len(call["word"]), offset)
            for target in tree.transfer_targets(place):
                yield Item(target.agent.name, "agent", target.agent.name, span, target.agent.description)
        elif (opened := _OPEN_PLACEHOLDER.search(before)) is not None:
            close = "}" if tree.template_syntax(place) == "braces" else ">"
            if opened.group()[0] == ("{" if close == "}" else "<"):
                span = Span(offset - len(opened["word"]), offset)
                for name, setters in snapshot.state_keys(tree).setters.items():
                    agents = ", ".join(dict.fromkeys(f"`{setter.agent}`" for setter in setters if setter.agent))
                    yield Item(name, "state", name + close, span, f"Set by {agents}." if agents else "")
        return


def _places(snapshot: Snapshot, found: Found) -> Iterable[tuple[Tree, Place]]:
    return ((tree, place) for tree in snapshot.trees_with(found.agent.path) for place in tree.of(found.agent))
