"""The files of an installation, and how they differ from a manifest.

These are all files of the packages, ours and those that we need, those of the programs' folder that are no links to
Python, and ``pyvenv.cfg``, which decides where Python looks for packages. A file that nobody signed counts, too:
Python would import it. Left out is what pip and Python write for themselves: compiled files (``__pycache__``), and
what pip notes about an installation. The standard library is the system's.
"""

from __future__ import annotations

import sys
import sysconfig
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from hashlib import file_digest
from pathlib import Path

from api.integrity.manifest import ENVIRONMENT
from api.settings import SettingsError
from fairness.manifest import SERVICE, is_listed

_COMPILED = "__pycache__"
_OF_PIP = frozenset({"RECORD", "INSTALLER", "REQUESTED", "direct_url.json"})
"""In ``NAME.dist-info``; they have paths and times of one machine, and nothing runs them."""


@dataclass(frozen=True, slots=True)
class Installation:
    """A virtual environment with Foredraw and what it needs."""

    folder: Path
    packages: Path
    """``site-packages``, below the folder."""
    ours: Path
    """The package ``api`` that runs."""

    @classmethod
    def present(cls) -> Installation:
        """Return the one that this program runs from."""
        packages = Path(sysconfig.get_path("purelib"))
        return cls(Path(sys.prefix), packages, Path(__file__).parents[1])

    def hashes(self) -> dict[str, str]:
        """Compute the SHA-256 of every file, by its path below the folder. Raises `SettingsError`."""
        if not (self.packages.is_relative_to(self.folder) and self.ours.is_relative_to(self.packages)):
            raise SettingsError(
                f"Foredraw runs from {self.ours.parent}, and not as a package in {self.packages}: an editable installation"
                " (`make install`, `make run`) can change at any time, so it has no manifest. Install its wheel"
            )
        return {path.relative_to(self.folder).as_posix(): _digest(path) for path in self._files()}

    def our_own(self) -> dict[str, str]:
        """Compute the same of our own packages alone, by the paths that the manifest of a release has."""
        folder = self.ours.parent
        packages = [folder / each for each in SERVICE if (folder / each).is_dir()]
        paths = ((path, path.relative_to(folder).as_posix()) for each in packages for path in _below(each))
        return {name: _digest(path) for path, name in paths if is_listed(name)}

    def _files(self) -> Iterator[Path]:
        yield self.folder / ENVIRONMENT
        python = Path(sys.executable).resolve()
        for path in _below(self.folder / "bin"):
            if not (path.is_symlink() and path.resolve() == python):
                yield path
        yield from _below(self.packages)


def _below(folder: Path) -> Iterator[Path]:
    """List what is there; a link to a folder is not followed, although Python would: it counts as a file, which
    nobody can have signed.
    """
    of_pip = _OF_PIP if folder.suffix == ".dist-info" else frozenset()
    for path in folder.iterdir():
        if path.is_dir() and not path.is_symlink():
            if path.name != _COMPILED:
                yield from _below(path)
        elif path.name not in of_pip:
            yield path


def strange_places() -> list[str]:
    """Return the entries of ``sys.path`` from which this process imports what no manifest has: neither packages nor
    standard library.
    """
    return [place for place in sys.path if place not in _known_places()]


@cache
def _known_places() -> frozenset[str]:
    library = Path(sysconfig.get_path("stdlib"))
    archive = library.with_name(f"python{sys.version_info.major}{sys.version_info.minor}.zip")
    packages = (sysconfig.get_path("purelib"), sysconfig.get_path("platlib"))
    return frozenset({*map(str, (archive, library, library / "lib-dynload")), *packages})


def differences(signed: Mapping[str, str], found: Mapping[str, str]) -> list[str]:
    """Return what is different, a few words for each file, in the order of their paths."""
    return [
        f"{path if path.isascii() and path.isprintable() else ascii(path)} {_what(signed.get(path), found.get(path))}"
        for path in sorted(signed.keys() | found.keys())
        if signed.get(path) != found.get(path)
    ]


def _what(signed: str | None, found: str | None) -> str:
    if signed is None:
        return "is not in the manifest"
    return "is missing" if found is None else "was changed"


def _digest(path: Path) -> str:
    """Return it in hexadecimal; of what cannot be read as a file, the reason, which no manifest has."""
    try:
        with path.open("rb") as file:
            return file_digest(file, "sha256").hexdigest()
    except OSError as error:
        return f"cannot be read: {error.strerror}"
