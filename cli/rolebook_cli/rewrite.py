"""Puts a new text in the place of a file's old one, whole or not at all, and keeps what the file was otherwise."""

from __future__ import annotations

import os
import stat
import tempfile
from contextlib import suppress

from rolebook.project.files import decode
from rolebook_cli.output import Failure, shown_path


def rewrite(path: str, before: str, after: str) -> None:
    """Replaces the text `before` of the file at `path` by `after`. Raises Failure, and then the file is as it was.

    Encoding, byte order mark, permissions and, where possible, the owner stay; a link stays a link, and the file that
    it leads to is replaced. A file that no longer holds `before` is left alone.
    """
    real = os.path.realpath(path)
    name = shown_path(path)
    temporary = None
    try:
        data = _read(real)
        if decode(data) != before:
            raise Failure(f"{name} has changed while it was checked; it is left as it is now")
        found = os.stat(real)
        if not found.st_mode & 0o222 or not os.access(real, os.W_OK):
            raise Failure(f"{name} can't be written: it is read-only")
        handle, temporary = tempfile.mkstemp(prefix=f".{os.path.basename(real)[:100]}.", dir=os.path.dirname(real))
        with open(handle, "wb") as file:
            file.write(_encode(after, data))
            file.flush()
            os.fsync(file.fileno())
        _keep(temporary, found)
        if _read(real) != data:
            raise Failure(f"{name} has changed while it was checked; it is left as it is now")
        os.replace(temporary, real)
        temporary = None
        _sync_folder(os.path.dirname(real))
    except OSError as error:
        raise Failure(f"{name} can't be written: {error.strerror or error}") from None
    except UnicodeEncodeError:
        raise Failure(f"{name} can't be written: a character of it has no place in its encoding") from None
    finally:
        if temporary is not None:
            with suppress(OSError):
                os.unlink(temporary)


def _read(path: str) -> bytes:
    with open(path, "rb") as file:
        return file.read()


def _encode(text: str, like: bytes) -> bytes:
    """The text in the encoding of `like`; UTF-8 keeps its mark in the text, UTF-16 loses it when it is decoded."""
    for mark, encoding in ((b"\xff\xfe", "utf-16-le"), (b"\xfe\xff", "utf-16-be")):
        if like.startswith(mark):
            return mark + text.encode(encoding)
    return text.encode("utf-8")


def _keep(temporary: str, found: os.stat_result) -> None:
    """Gives the new file the owner and the permissions of the old one; the owner first, as that resets some bits."""
    if hasattr(os, "chown"):
        with suppress(OSError):
            os.chown(temporary, found.st_uid, found.st_gid)
    os.chmod(temporary, stat.S_IMODE(found.st_mode))


def _sync_folder(folder: str) -> None:
    """Makes the new name last through a power failure, where folders can be synced."""
    with suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
