"""URIs and paths. Inside, a file is known by its path, and whatever else an editor opens (`untitled:Untitled-1`) by its
URI."""

from __future__ import annotations

import os
import re
from urllib.parse import quote, unquote

_DRIVE = re.compile(r"/[A-Za-z]:")
_SAFE = "/:@!$&'()*+,;=~-._"
_WINDOWS = os.name == "nt"


def to_path(uri: str) -> str:
    """The file of a `file:` URI, normalised; any other URI as it is."""
    if uri[:5].lower() != "file:":
        return uri
    rest = uri[5:].partition("#")[0].partition("?")[0]
    host = ""
    if rest.startswith("//"):
        host, slash, tail = rest[2:].partition("/")
        rest = slash + tail
    path = unquote(rest, errors="surrogateescape")
    if host and host.lower() != "localhost":
        path = f"//{host}{path}"
    elif _DRIVE.match(path) and _WINDOWS:
        path = path[1].lower() + path[2:]
    return os.path.normpath(path) if path else path


def to_uri(path: str) -> str:
    """The URI of a path; what isn't absolute is a URI already."""
    if not os.path.isabs(path):
        return path
    plain = path.replace(os.sep, "/") if _WINDOWS else path
    if plain.startswith("//"):
        return f"file:{quote(plain, safe=_SAFE, errors='surrogateescape')}"
    return f"file://{'' if plain.startswith('/') else '/'}{quote(plain, safe=_SAFE, errors='surrogateescape')}"
