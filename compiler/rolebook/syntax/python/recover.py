"""Cuts a broken module where its definitions begin, so that a mistake costs the definition that holds it and no other.

tree-sitter's own recovery may swallow the next function into an open bracket, and then gives it to the wrong name.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from rolebook.syntax.python.tree import Tree, TsNode, parse

_START = re.compile(r"^(?:(?P<decorator>@)|(?:async[ \t]+)?def\b|class\b|from\b|import\b)", re.MULTILINE)


def statements(source: str, tree: Tree) -> Iterator[tuple[Tree, TsNode]]:
    """Each statement of a module, whose `tree` is given, with the tree that holds it, in the order of the text.

    Statements that the whole tree holds without an error are taken from there. The text between two of them is cut
    at every line that begins a definition or an import at the margin, and each piece is read alone. A piece in which
    no definition is found comes itself, as the root of its tree: a definition may begin it whose header is broken.
    """
    if not tree.root.has_error:
        yield from ((tree, node) for node in tree.root.named_children)
        return
    done = 0
    for node in tree.root.named_children:
        if node.has_error or not _is_statement(node):
            continue
        span = tree.span(node)
        if _at_margin(source, span.start):
            yield from _pieces(source, done, span.start)
            yield tree, node
            done = span.end
    yield from _pieces(source, done, len(source))


def _pieces(source: str, start: int, end: int) -> Iterator[tuple[Tree, TsNode]]:
    if not source[start:end].strip():
        return
    cuts, decorated = [start], False
    for match in _START.finditer(source, start, end):
        if not decorated and match.start() > start:
            cuts.append(match.start())
        decorated = match["decorator"] is not None
    for first, last in zip(cuts, [*cuts[1:], end], strict=True):
        tree = parse(source[first:last], first)
        found = list(_found(tree.root))
        if not any(node.type.endswith("_definition") for node in found):
            yield tree, tree.root
        yield from ((tree, node) for node in found)


def _found(node: TsNode) -> Iterator[TsNode]:
    """The statements below `node`, also those that an error node holds."""
    waiting = node.named_children[::-1]
    while waiting:
        child = waiting.pop()
        if _is_statement(child):
            yield child
        elif child.is_error:
            waiting += child.named_children[::-1]


def _is_statement(node: TsNode) -> bool:
    return node.type.endswith(("_statement", "_definition"))


def _at_margin(source: str, offset: int) -> bool:
    return offset == 0 or source[offset - 1] in "\r\n"
