"""The scripts of pages, each with all that it imports as one file."""

from __future__ import annotations

import base64
from dataclasses import dataclass
from functools import cache
from hashlib import sha256, sha384

from api.pages.files.assets import STATIC
from api.pages.files.badge_data import badge_data
from api.pages.files.bundle import bundle

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
    """Return the script of the badge, which other sites embed."""
    return _script(_BADGE)


@cache
def _names() -> frozenset[str]:
    return frozenset(path.stem for path in STATIC.glob("*.js"))


@cache
def _script(name: str) -> Script:
    made = bundle(f"/static/{name}.js", served=True)
    text = badge_data(made.modules) + made.text if name == _BADGE else made.text
    data = text.encode()
    return Script(name, data, sha256(data).hexdigest()[:32], made.modules)
