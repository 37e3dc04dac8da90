"""The manifest: which files of ours run, each with its SHA-256, in lines as ``sha256sum`` writes them.

The SHA-256 of these lines names the code, whatever it was installed from: a wheel, the one-file verifier or a
checkout. What a program says of itself is its own word: who does not believe it compares the files from outside.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from importlib import resources
from importlib.resources.abc import Traversable

from fairness.hashing import sha256

VERIFIER = ("fairness", "games", "verifier")
"""The packages of the verifier."""
SERVICE = ("api", *VERIFIER)
SHOWN = 16
"""How many digits stand where people read."""
VECTORS = "verifier/conformance/vectors"
"""Left out: questions to other people's programs, which no check reads, and the one-file verifier does not have."""


def is_listed(path: str) -> bool:
    """Return whether a file of a package counts; what Python and editors write for themselves does not."""
    return not (
        path.startswith(f"{VECTORS}/") or any(part.startswith((".", "__pycache__")) for part in path.split("/"))
    )


def manifest_of(files: Mapping[str, bytes]) -> str:
    """Return the lines of these files, in the order of their paths."""
    return "".join(f"{sha256(files[path]).hex()}  {path}\n" for path in sorted(files))


def name_of(manifest: str) -> str:
    """Return what names the code: the SHA-256 of its manifest, in hexadecimal."""
    return sha256(manifest.encode()).hex()


@cache
def manifest_of_running(packages: tuple[str, ...]) -> str:
    """Return the name of the manifest of packages as this program imports them."""
    files = (each for package in packages for each in _below(resources.files(package), package))
    return name_of(manifest_of(dict(files)))


def _below(folder: Traversable, path: str) -> Iterator[tuple[str, bytes]]:
    for each in folder.iterdir():
        below = f"{path}/{each.name}"
        if not is_listed(f"{below}/"):
            continue
        if each.is_dir():
            yield from _below(each, below)
        else:
            yield below, each.read_bytes()
