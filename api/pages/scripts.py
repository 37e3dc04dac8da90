"""The scripts of pages, each with all that it imports as one file."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from hashlib import sha256

from api.pages.assets import STATIC
from api.pages.bundle import bundle


@dataclass(frozen=True, slots=True)
class Script:
    """Its name, its text with the hash of that, and the addresses of the modules in it."""

    name: str
    text: str
    hash: str
    modules: tuple[str, ...]

    @property
    def address(self) -> str:
        """Where it is served, and may be kept for good."""
        return f"/scripts/{self.name}.js?v={self.hash}"


def script_of(name: str) -> Script | None:
    """The script of the page ``name``; None where there is no such script."""
    return _script(name) if name in _names() else None


@cache
def _names() -> frozenset[str]:
    return frozenset(path.stem for path in STATIC.glob("*.js"))


@cache
def _script(name: str) -> Script:
    made = bundle(f"/static/{name}.js", served=True)
    return Script(name, made.text, sha256(made.text.encode()).hexdigest()[:32], made.modules)
