"""Writing a file so that a crash leaves all of it or nothing of it; or over what is there, all of it."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

from api.world.below import Folders, Place, create_file, open_file, put_in_place, sync_names


@contextmanager
def naming(path: str | Path) -> Iterator[None]:
    """Let an `OSError` name a file: the system names none, or half of it, when it is used by a descriptor."""
    try:
        yield
    except OSError as error:
        if error.filename is None or not os.path.isabs(error.filename):
            error.filename = str(path)
        raise


def write_durably(path: Path, data: bytes, *, mode: int = 0o644) -> None:
    """Put ``data`` at ``path``. A crash leaves the old file or the new one, never a part of either.

    It is written beside it first.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    with naming(path), Folders(str(path.parent)) as folders:
        write_all_durably([(folders.place(path.name), data, folders.place(unfinished(path.name)))], mode=mode)


def unfinished(name: str) -> str:
    """Return what a file is called, beside its place, while its bytes are written by this process."""
    return f".{name}.{os.getpid()}.new"


def write_all_durably(files: Sequence[tuple[Place, bytes, Place]], *, mode: int = 0o644) -> None:
    """Put files at their places, each written at another place first. A crash leaves some of them, and no part of
    any.

    They are written before the first is waited for, and the disk is asked to begin: then one wait brings nearly all
    of them. A folder is synced once for all its files: that costs as much for one name as for many.
    """
    with ExitStack() as until_synced:
        written = []
        for place, data, temporary in files:
            with naming(place.path):
                descriptor = create_file(temporary, mode)
                until_synced.callback(os.close, descriptor)
                with os.fdopen(descriptor, "wb", closefd=False) as file:
                    file.write(data)
                # Linux begins to write what it is asked to forget.
                os.posix_fadvise(descriptor, 0, 0, os.POSIX_FADV_DONTNEED)
            written.append((place, descriptor))
        for place, descriptor in written:
            with naming(place.path):
                os.fsync(descriptor)
    for place, _, temporary in files:
        with naming(place.path):
            put_in_place(temporary, place)
    for folder in {place.folder for place, _, _ in files}:
        sync_names(folder)


def write_over(descriptor: int, data: bytes, offset: int = 0) -> None:
    """Write all of ``data`` over what an open file has at ``offset``. Nothing of it is durable before a sync."""
    written = 0
    # A disk that fills up takes a part, and reports the error with the next call.
    while written < len(data):
        written += os.pwrite(descriptor, data[written:], offset + written)


def sync_file(path: Path) -> None:
    """Make what is in a file durable, and its name."""
    with naming(path), Folders(str(path.parent)) as folders:
        sync_place(folders.place(path.name))


def sync_place(place: Place) -> None:
    """Sync the same, of a file below a folder."""
    descriptor = open_file(place)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
    sync_names(place.folder)


def sync_folder(folder: Path) -> None:
    """Make the names in a folder durable, after a file was created, renamed or removed in it.

    A folder that this account may not list cannot be opened for that either: then the names are left to the system.
    """
    with suppress(PermissionError), naming(folder), Folders(str(folder)) as folders:
        sync_names(folders.folder(""))
