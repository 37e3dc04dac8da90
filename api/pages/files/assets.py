"""The files that pages are made of: styles, pictures and scripts of the service, and the verifier for browsers."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

STATIC = Path(__file__).parent.parent / "static"
KEPT_BADGES = Path(__file__).parent.parent / "badges"
"""The badge's scripts of releases, each by its version: pages name the hash of one, so its bytes never change."""


def _verifier() -> Path:
    """Return the folder of the verifier for browsers. It is served, never imported: the service does not need the
    verifier.
    """
    spec = find_spec("verifier")
    if spec is None or spec.origin is None:
        raise FileNotFoundError("the package verifier is not installed")
    return Path(spec.origin).parent / "browser"


FOLDERS = {"static": STATIC, "verifier": _verifier()}
"""What is served, by the first part of its address."""


def file_at(address: str) -> Path:
    """Return the file that is served at an address like ``/static/home.js``; it need not exist."""
    folder, _, name = address.removeprefix("/").partition("/")
    return FOLDERS[folder] / name
