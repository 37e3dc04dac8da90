"""How this program writes a file: whole, or not at all."""

from __future__ import annotations

import errno
import os
import re
import stat
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from secrets import token_hex

_LONGEST = 200
"""Bytes of a name, so that an unfinished file's is short enough for every file system."""
_CANNOT_SYNC = {errno.EINVAL, errno.ENOTSUP, errno.ENOSYS, errno.EISDIR, errno.EACCES, errno.EPERM}
"""What is answered where folders cannot be synced, or not be opened for it, on Windows for instance. EIO is a
failure.
"""

_OPEN = re.compile(r"(?:/dev|/proc/(?:self|thread-self|([0-9]+)))/fd/([0-9]{1,9})", re.ASCII)
_MOST_LINKS = 40

Parts = Iterable[bytes | memoryview]


def descriptor_of(file: str | Path) -> int | None:
    """Return which descriptor of this program a name leads to; `None` if it leads to none.

    The system opens such a name again, which no socket allows, and which begins a file again that others write on.
    """
    place = Path(file)
    for _ in range(_MOST_LINKS):
        found = _OPEN.fullmatch(str(place.absolute()))
        if found and found[1] in {None, str(os.getpid())}:
            return int(found[2])
        try:
            place = place.parent / place.readlink()
        except OSError:
            break
    return None


def write_through(descriptor: int, parts: Parts) -> None:
    """Write all into what is open. Raises `OSError`."""
    with os.fdopen(descriptor, "wb", closefd=False) as opened:
        opened.writelines(parts)


def write_durably(file: Path, data: bytes) -> None:
    """Write ``file``. When it returns, the file is durable; when it raises `OSError`, the old file is unchanged.

    A link stays, and what it leads to is written. A terminal, a pipe, ``/dev/null`` or what this program has open
    already (``/dev/stdout``, ``/dev/fd/63`` of a shell) takes the bytes, and is not replaced.
    """
    if (descriptor := descriptor_of(file)) is not None:
        write_through(descriptor, [data])
        return
    with suppress(FileNotFoundError):
        if not stat.S_ISREG(file.stat().st_mode):
            file.write_bytes(data)
            return
    # `Path.resolve` raises no `OSError` if links lead in a circle.
    file = Path(os.path.realpath(file))
    # A name of its own: another run may be writing the same file. A crash leaves the old file or the new one, and at
    # worst this one.
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
    """Make the names in a folder durable, if it can be synced: if not, the file is there, and its name is left to the
    system.
    """
    try:
        opened = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(opened)
        finally:
            os.close(opened)
    except OSError as error:
        if error.errno not in _CANNOT_SYNC:
            raise
