"""Whether a database file is still the one that was opened: what SQLite stores in one that was replaced or removed is
lost.

SQLite goes on with the file that it has open, whatever has its name by now, and the next connection opens the other
one.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from pathlib import Path

from api.world.storage_failures import ServerFailure

_NOTED = "FOREDRAW_FILES"
"""In the environment: the files of a running service, so that none of its processes, whenever it is started, opens
others.
"""
_SECTION = "A database file was replaced"
Identity = tuple[int, int]
"""Device and inode."""


def noted(paths: Iterable[Path]) -> dict[str, str]:
    """Return what a process needs in its environment to take no other files for these."""
    found = {str(path): identity for path in paths if (identity := _identity(path)) is not None}
    return {_NOTED: json.dumps(found)}


class SameFile:
    """A file by its path, and what was found there first."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._known = _noted(path)

    def check(self) -> None:
        """Raise `ServerFailure` if another file has its name now, or none. It takes microseconds."""
        found = _identity(self._path)
        if self._known is None:
            self._known = found
        elif found != self._known:
            name = self._path.name
            raise ServerFailure(
                f"{name} was {'removed' if found is None else 'replaced by another file'} while the service runs: nothing is"
                " stored, and no round is opened. Put the file back that was there, and the service goes on by itself. If it"
                f' is gone, stop the service, and do what docs/watching.md says under "{_SECTION}"'
            )


def _identity(path: Path) -> Identity | None:
    try:
        status = path.stat()
    except FileNotFoundError:
        return None
    return status.st_dev, status.st_ino


def _noted(path: Path) -> Identity | None:
    noted = json.loads(os.environ.get(_NOTED, "{}")).get(str(path))
    return None if noted is None else tuple(noted)
