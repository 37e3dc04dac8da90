"""The files that pages are made of: styles, pictures and scripts of the service, and the verifier for browsers."""

from __future__ import annotations

import re
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from posixpath import join, normpath

STATIC = Path(__file__).parent.parent / "static"

_IMPORT = re.compile(r"""^(?:import|export)\s+(?:[\w*{}\s,$]+?\s+from\s+)?["']([^"']+)["']""", re.MULTILINE)


def _verifier() -> Path:
    """Where the browsers' verifier lies. It is served, never imported: the service does not need the verifier."""
    spec = find_spec("verifier")
    if spec is None or spec.origin is None:
        raise FileNotFoundError("the package verifier is not installed")
    return Path(spec.origin).parent / "browser"


FOLDERS = {"static": STATIC, "verifier": _verifier()}
"""What is served, by the first part of its address."""


def file_at(address: str) -> Path:
    """The file that is served at an address like ``/static/home.js``; it need not exist."""
    folder, _, name = address.removeprefix("/").partition("/")
    return FOLDERS[folder] / name


@cache
def modules_of(script: str) -> tuple[str, ...]:
    """The addresses of a script and of all that it imports from the start; none where there is no such script."""
    if not file_at(script).exists():
        return ()
    found = [script]
    for module in found:
        for target in _IMPORT.findall(file_at(module).read_text("utf-8")):
            address = normpath(join(module, "..", target))
            if address not in found:
                found.append(address)
    return tuple(found)
