"""YAML with spans, alive while it is being typed.

`parse` gives the document of a definition file and what is wrong with it. tree-sitter reads the text; where it finds an
error, the text is cut into entries by indentation and each is read alone, so that a mistake costs its own entry only.
"""

from __future__ import annotations

import re

from rolebook.record import Record
from rolebook.syntax.yaml.build import Builder, Fault
from rolebook.syntax.yaml.incremental import Syntax
from rolebook.syntax.yaml.nodes import Entry, Mapping, Node, Scalar, Sequence, missing, value_of
from rolebook.syntax.yaml.recover import SECOND_DOCUMENT, recover
from rolebook.text import Span

__all__ = [
    "Document",
    "Entry",
    "Fault",
    "Mapping",
    "Node",
    "Scalar",
    "Sequence",
    "Syntax",
    "parse",
    "reparse",
    "value_of",
]

_SPECIAL = re.compile("[\t\x85\u2028\u2029\ufeff]|^(?:---|\\.\\.\\.|%|[ -]*[?:](?:[ \r\n]|$))", re.MULTILINE)
"""Where parsers differ: tabs, YAML 1.1's own line ends, marks of documents, directives, keys behind a `?`."""
_UNPRINTABLE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f\ud800-\udfff\ufffe\uffff]")


class Document(Record):
    """The root node of a file (a null where it is empty) and its faults in the order of the text.

    `plain` says that the text keeps to what every YAML parser reads alike (no anchors, tags, tabs, odd keys or flow
    collections), so that PyYAML, which takes its time, needn't be asked.
    """

    root: Node
    faults: tuple[Fault, ...]
    plain: bool = False


def parse(source: str) -> Document:
    """Reads one YAML document. `source` may be anything; it never raises."""
    return reparse(source, None)[0]


def reparse(source: str, before: Syntax | None) -> tuple[Document, Syntax | None]:
    """The same after an edit of the text whose syntax is `before`, and the syntax for the next edit.

    The document is that of a fresh `parse`. A syntax takes more memory than its text, so it is kept for texts only
    that are being edited.
    """
    builder = Builder(source)
    stream = builder.parse(source, 0, before)
    syntax = builder.syntax
    if stream is None:
        root: Node = builder.too_deep(Span(0, len(source)))
    elif stream.has_error:
        root = recover(builder, stream)
    else:
        documents = builder.documents(stream)
        root = documents[0][1] if documents else missing(0)
        if len(documents) > 1:
            builder.faults.append(Fault(Span(documents[1][0].start, documents[1][0].start + 3), SECOND_DOCUMENT))
    if (odd := _UNPRINTABLE.search(source)) is not None:
        builder.faults.append(Fault(Span(*odd.span()), f"YAML allows no character U+{ord(odd.group()):04X} here"))
    is_block = isinstance(root, Mapping) and not root.flow
    plain = is_block and builder.plain and not builder.faults and _SPECIAL.search(source) is None
    return Document(root, tuple(sorted(builder.faults, key=lambda fault: fault.span)), plain), syntax
