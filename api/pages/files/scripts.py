"""The scripts of pages, each with all that it imports as one file."""

from __future__ import annotations

import base64
from dataclasses import dataclass
from functools import cache
from hashlib import sha256, sha384

from api.pages.files.assets import KEPT_BADGES, STATIC
from api.pages.files.badge_data import badge_data
from api.pages.files.bundle import bundle

BADGE_VERSION = "1.0.0"
"""The version of the badge that this source makes. After a release has kept its bytes, others need another one."""
BADGE_PATH = f"/scripts/badge/{BADGE_VERSION}.js"

_BADGE = "badge"


@dataclass(frozen=True, slots=True)
class Script:
    """Its name, its bytes with the hash of them, and the addresses of the modules in it."""

    name: str
    data: bytes
    hash: str
    modules: tuple[str, ...]

    @property
    def integrity(self) -> str:
        """What another site names so that browsers run these bytes and no others (W3C SRI)."""
        return f"sha384-{base64.b64encode(sha384(self.data).digest()).decode()}"

    @property
    def address(self) -> str:
        """Its address, under which it may be cached for ever."""
        return f"/scripts/{self.name}.js?v={self.hash}"


def script_of(name: str) -> Script | None:
    """Return the script of the page ``name``; `None` if there is no such script."""
    return _script(name) if name in _names() else None


def badge_script() -> Script:
    """Return the script of the badge, which other sites embed, as this source makes it."""
    return _script(_BADGE)


def badge_of_version(version: str) -> Script | None:
    """Return the badge's script of a version; `None` if there is no such version."""
    return _badges().get(version)


@cache
def _badges() -> dict[str, Script]:
    """Return the badge's scripts by version: what this source makes, and the files that releases have kept."""
    kept = {path.stem: _made(_BADGE, path.read_bytes(), ()) for path in KEPT_BADGES.glob("*.js")}
    return {BADGE_VERSION: badge_script(), **kept}


@cache
def _names() -> frozenset[str]:
    return frozenset(path.stem for path in STATIC.glob("*.js"))


@cache
def _script(name: str) -> Script:
    made = bundle(f"/static/{name}.js", served=True)
    text = badge_data(made.modules) + made.text if name == _BADGE else made.text
    return _made(name, text.encode(), made.modules)


def _made(name: str, data: bytes, modules: tuple[str, ...]) -> Script:
    return Script(name, data, sha256(data).hexdigest()[:32], modules)
