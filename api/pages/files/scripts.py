"""The scripts of pages, each with all that it imports as one file, and what it imports later as a second one."""

from __future__ import annotations

import base64
from dataclasses import dataclass
from functools import cache
from hashlib import sha256, sha384

from api.pages.files.assets import KEPT_BADGES, STATIC, file_at
from api.pages.files.badge_data import badge_data
from api.pages.files.bundle import Served, bundle

BADGE_VERSION = "1.0.0"
"""The version of the badge that this source makes. After a release has kept its bytes, others need another one."""
BADGE_PATH = f"/scripts/badge/{BADGE_VERSION}.js"

_BADGE = "badge"
_LATER = "-later"
_HASH = "{the hash of both}"


@dataclass(frozen=True, slots=True)
class Script:
    """Its name, its bytes with the hash of them, and the addresses of the modules in it.

    The hash is also of what it imports ``later``, because each of the two names the other's address.
    """

    name: str
    data: bytes
    hash: str
    modules: tuple[str, ...]
    later: Script | None = None

    @property
    def all_modules(self) -> tuple[str, ...]:
        """The addresses of the modules in it and in what it imports later."""
        return self.modules + (self.later.modules if self.later else ())

    @property
    def integrity(self) -> str:
        """What another site names so that browsers run these bytes and no others (W3C SRI)."""
        return f"sha384-{base64.b64encode(sha384(self.data).digest()).decode()}"

    @property
    def address(self) -> str:
        """Its address, under which it may be cached for ever."""
        return _address(self.name, self.hash)


def script_of(name: str) -> Script | None:
    """Return the script of the page ``name``, or ``name-later``, what it imports later; `None` if there is none."""
    if name.endswith(_LATER) and name.removesuffix(_LATER) in _names():
        return _script(name.removesuffix(_LATER)).later
    return _script(name) if name in _names() else None


@cache
def early_script_of(name: str) -> str | None:
    """Return what the page ``name`` runs before anything is drawn; `None` if there is nothing."""
    address = f"/static/early/{name}.js"
    return bundle(address, Served(address, address)).text if file_at(address).exists() else None


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
    made = bundle(f"/static/{name}.js", Served(_address(name, _HASH), _address(f"{name}{_LATER}", _HASH)))
    if name == _BADGE:
        return _made(name, (badge_data(made.modules) + made.text).encode(), made.modules)
    if made.later is None:
        return _made(name, made.text.encode(), made.modules)
    digest = _hash((made.text + made.later.text).encode())
    first, later = (each.text.replace(_HASH, digest).encode() for each in (made, made.later))
    return Script(name, first, digest, made.modules, Script(f"{name}{_LATER}", later, digest, made.later.modules))


def _made(name: str, data: bytes, modules: tuple[str, ...]) -> Script:
    return Script(name, data, _hash(data), modules)


def _hash(data: bytes) -> str:
    return sha256(data).hexdigest()[:32]


def _address(name: str, digest: str) -> str:
    return f"/scripts/{name}.js?v={digest}"
