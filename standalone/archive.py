"""Our sources as they are, and archives that every build makes alike.

Entries are in the order of their names, with one date, and nothing is compressed, because two versions of zlib
compress differently.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterable
from pathlib import Path
from stat import S_IFREG
from zipfile import ZIP_STORED, ZipFile, ZipInfo

from fairness.manifest import is_listed

HOUSE = Path(__file__).parent.parent

_EARLIEST = (1980, 1, 1, 0, 0, 0)
_UNIX = 3
_FOREIGN = re.compile(r"(.*/)?(\.|__pycache__/)|deploy/tls")
"""Settings, compiled files, and the keys of an operator who uses `deploy/` in place."""

Files = dict[str, bytes]
"""The content of an archive or of a folder, by path."""


def sources(folder: Path, packages: Iterable[str]) -> Files:
    """Return all files of packages that count in a manifest."""
    return {path: (folder / path).read_bytes() for path in paths(folder, packages) if is_listed(path)}


def paths(folder: Path, packages: Iterable[str]) -> list[str]:
    """List the files below some folders, without what Python, editors and operators put there."""
    found = (file for package in packages for file in (folder / package).rglob("*") if file.is_file())
    return sorted(
        path for path in (file.relative_to(folder).as_posix() for file in found) if not _FOREIGN.match(path)
    )


def contents(archive: Path) -> Files:
    """Return the files of an archive."""
    with ZipFile(archive) as opened:
        return {name: opened.read(name) for name in opened.namelist() if not name.endswith("/")}


def stored(files: Files, *, before: bytes = b"", programs: frozenset[str] = frozenset()) -> bytes:
    """Return an archive that has ``before`` in front of it; ``programs`` are its files that can be executed."""
    whole = io.BytesIO()
    whole.write(before)
    with ZipFile(whole, "w", ZIP_STORED) as archive:
        for path in sorted(files):
            entry = ZipInfo(path, _EARLIEST)
            mode = S_IFREG | (0o755 if path in programs else 0o644)
            entry.create_system, entry.external_attr = _UNIX, mode << 16
            archive.writestr(entry, files[path])
    return whole.getvalue()
