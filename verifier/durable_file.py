"""How this program writes a file: whole, or not at all."""

from __future__ import annotations

import errno
import os
from contextlib import suppress
from pathlib import Path
from secrets import token_hex

_LONGEST = 200
"""Bytes of a name, so that an unfinished file's is short enough for every file system."""
_CANNOT_SYNC = {errno.EINVAL, errno.ENOTSUP, errno.ENOSYS, errno.EISDIR, errno.EACCES, errno.EPERM}
"""What is answered where folders cannot be synced, or not be opened for it, on Windows for instance. EIO is a failure."""


def write_durably(file: Path, data: bytes) -> None:
    """Write ``file``. When it returns, the file is durable; when it raises `OSError`, the old file is unchanged.

    A link stays, and what it leads to is written. A terminal, a pipe or ``/dev/null`` takes the bytes, and is not replaced.
    """
    # `Path.resolve` raises no `OSError` if links lead in a circle.
    file = Path(os.path.realpath(file))
    if file.exists() and not file.is_file():
        file.write_bytes(data)
        return
    # A name of its own: another run may be writing the same file. A crash leaves the old file or the new one, and at worst
    # this one.
    unfinished = file.with_name(f"{os.fsdecode(os.fsencode(file.name)[:_LONGEST])}.{token_hex(4)}.unfinished")
    try:
        with unfinished.open("xb") as opened:
            opened.write(data)
            opened.flush()
            os.fsync(opened.fileno())
        unfinished.replace(file)
    except OSError:
        with suppress(OSError):
            unfinished.unlink(missing_ok=True)
        raise
    _sync_names(file.parent)


def _sync_names(folder: Path) -> None:
    """Make the names in a folder durable, if it can be synced: if not, the file is there, and its name is left to the system."""
    try:
        opened = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(opened)
        finally:
            os.close(opened)
    except OSError as error:
        if error.errno not in _CANNOT_SYNC:
            raise
