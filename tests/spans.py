"""What must hold of any document, however broken its text is."""

from __future__ import annotations

from rolebook.syntax.yaml import Document, Mapping, Node, Scalar, Sequence


def check_spans(source: str, document: Document) -> None:
    """Every span lies in the text, and a verbatim segment of a scalar holds the very characters."""
    pending: list[Node] = [document.root]
    seen: set[int] = set()
    while pending:
        node = pending.pop()
        if id(node) in seen:
            continue
        seen.add(id(node))
        assert 0 <= node.span.start <= node.span.end <= len(source)
        if isinstance(node, Scalar):
            _check_scalar(source, node)
        elif isinstance(node, Sequence):
            pending += node.items
        elif isinstance(node, Mapping):
            for entry in node.entries:
                assert 0 <= entry.span.start <= entry.span.end <= len(source)
                pending += [entry.key, entry.value]
    for fault in document.faults:
        assert 0 <= fault.span.start <= fault.span.end <= len(source) + 1


def _check_scalar(source: str, node: Scalar) -> None:
    text = node.text
    for k, (start, span) in enumerate(zip(text.starts, text.spans, strict=True)):
        end = text.starts[k + 1] if k + 1 < len(text.starts) else len(text.text)
        assert 0 <= span.start <= span.end <= len(source)
        if end - start == span.end - span.start > 1 and "\r" not in source:
            assert text.text[start:end] == source[span.start : span.end]
