"""Writing a file so that a crash leaves all of it or nothing of it; or over what is there, all of it."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path


@contextmanager
def naming(path: str | Path) -> Iterator[None]:
    """Let an `OSError` name a file: the system names none when it is used by its descriptor."""
    try:
        yield
    except OSError as error:
        if error.filename is None:
            error.filename = str(path)
        raise


def write_durably(path: Path, data: bytes, *, mode: int = 0o644, temporary: Path | None = None) -> None:
    """Put ``data`` at ``path``. A crash leaves the old file or the new one, never a part of either.

    It is written at ``temporary`` first, which is beside ``path`` unless another place on the same disk is named.
    """
    write_all_durably([(path, data, temporary or unfinished(path))], mode=mode)


def unfinished(path: Path) -> Path:
    """Beside ``path``, where its bytes are written first, by this process."""
    return path.with_name(f".{path.name}.{os.getpid()}.new")


def write_all_durably(files: Sequence[tuple[Path, bytes, Path]], *, mode: int = 0o644) -> None:
    """Put files at their paths, each written at another path first. A crash leaves some of them, and no part of any.

    They are written before the first is waited for, and the disk is asked to begin: then one wait brings nearly all of them.
    A folder is synced once for all its files: that costs as much for one name as for many.
    """
    with ExitStack() as until_synced:
        written = []
        for path, data, temporary in files:
            path.parent.mkdir(parents=True, exist_ok=True)
            with naming(path):
                descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, mode)
                until_synced.callback(os.close, descriptor)
                with os.fdopen(descriptor, "wb", closefd=False) as file:
                    file.write(data)
                # Linux begins to write what it is asked to forget.
                os.posix_fadvise(descriptor, 0, 0, os.POSIX_FADV_DONTNEED)
            written.append((path, descriptor))
        for path, descriptor in written:
            with naming(path):
                os.fsync(descriptor)
    for path, _, temporary in files:
        temporary.rename(path)
    for folder in {path.parent for path, _, _ in files}:
        sync_folder(folder)


def write_over(descriptor: int, data: bytes, offset: int = 0) -> None:
    """Write all of ``data`` over what an open file has at ``offset``. Nothing of it is durable before a sync."""
    written = 0
    # A disk that fills up takes a part, and reports the error with the next call.
    while written < len(data):
        written += os.pwrite(descriptor, data[written:], offset + written)


def sync_file(path: Path) -> None:
    """Make what is in a file durable."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        with naming(path):
            os.fsync(descriptor)
    finally:
        os.close(descriptor)


def sync_folder(folder: Path) -> None:
    """Make the names in a folder durable, after a file was created, renamed or removed in it."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        with naming(folder):
            os.fsync(descriptor)
    finally:
        os.close(descriptor)
