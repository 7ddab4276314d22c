"""The documents that the client has open, each with the URI that the client calls it by."""

from __future__ import annotations

from collections.abc import Iterator

from rolebook.text import Encoding, Position, Text
from rolebook_server.lsp.buffer import Buffer
from rolebook_server.lsp.uris import to_path, to_uri


class Document:
    """One open document; `text` is made anew by each change and never changes itself."""

    def __init__(self, uri: str, text: str, version: int | None) -> None:
        self.uri = uri
        self.path = to_path(uri)
        self.version = version
        self._buffer = Buffer(text)
        self.text = Text(text)

    def change(
        self, edits: list[tuple[Position, Position, str] | str], version: int | None, encoding: Encoding
    ) -> None:
        """Takes the changes of one notification in their order; one that is a plain text replaces all."""
        for edit in edits:
            if isinstance(edit, str):
                self._buffer = Buffer(edit)
            else:
                self._buffer.replace(*edit, encoding)
        self.text = Text(self._buffer.text)
        self.version = version


class Documents:
    """All open documents by their paths. Two URIs that differ only in their writing are one document."""

    def __init__(self) -> None:
        self._by_path: dict[str, Document] = {}

    def __iter__(self) -> Iterator[Document]:
        return iter(list(self._by_path.values()))

    def __contains__(self, path: str) -> bool:
        return path in self._by_path

    def get(self, path: str) -> Document | None:
        return self._by_path.get(path)

    def open(self, uri: str, text: str, version: int | None) -> Document:
        document = Document(uri, text, version)
        self._by_path[document.path] = document
        return document

    def close(self, path: str) -> Document | None:
        return self._by_path.pop(path, None)

    def uri(self, path: str) -> str:
        """How the client knows the file at `path`."""
        document = self._by_path.get(path)
        return document.uri if document is not None else to_uri(path)
