"""The files that pages are made of, under ``/static/`` and ``/verifier/``; and under ``/scripts/`` a page's script as
one file.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from hashlib import sha256

from flask import Response, request
from werkzeug.exceptions import NotFound

from api.pages.files.assets import FOLDERS
from api.pages.files.packing import SMALLEST, packed, takes_packed
from api.pages.files.scripts import Script, badge_of_version, script_of
from api.pages.shell.frame import pages

_KINDS = {
    ".css": "text/css; charset=utf-8",
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".json": "application/json",
    ".md": "text/markdown; charset=utf-8",
    ".png": "image/png",
    ".svg": "image/svg+xml",
    ".txt": "text/plain; charset=utf-8",
}
_FOR_EVER = "public, max-age=31536000, immutable"
_FOR_MINUTES = "public, max-age=300"


@dataclass(frozen=True, slots=True)
class _File:
    data: bytes
    packed: bytes
    kind: str
    etag: str


@pages.get("/static/<path:name>")
def static_file(name: str) -> Response:
    """Show a style, a script or the pictures of the pages."""
    return _answer(_files("static").get(name))


@pages.get("/verifier/<path:name>")
def verifier_file(name: str) -> Response:
    """Show a module of the verifier for browsers."""
    return _answer(_files("verifier").get(name))


@pages.get("/scripts/<name>.js")
def script(name: str) -> Response:
    """Show the script of a page with all that it imports: the same modules, in one answer instead of fifty.

    With its hash in the address it is cached for ever; after an update the page names another address. Without it, as
    other sites embed the badge, it is the newest within minutes.
    """
    found = script_of(name)
    return _script_answer(found, _FOR_EVER if found and request.args.get("v") == found.hash else _FOR_MINUTES)


@pages.get("/scripts/badge/<version>.js")
def badge_version(version: str) -> Response:
    """Show the badge's script of a version: the bytes whose hash other sites name, also after an update."""
    return _script_answer(badge_of_version(version), _FOR_EVER)


def _script_answer(found: Script | None, kept: str) -> Response:
    response = _answer(None if found is None else _script_file(found))
    response.headers["Cache-Control"] = kept
    return response


def _answer(file: _File | None) -> Response:
    if file is None:
        raise NotFound
    small = takes_packed()
    response = Response(file.packed if small else file.data, content_type=file.kind)
    response.vary.add("Accept-Encoding")
    if small:
        response.content_encoding = "gzip"
    # Modules that import one another must be of one version: each is asked for again, and hardly ever sent again.
    response.headers["Cache-Control"] = "public, no-cache"
    response.set_etag(f"{file.etag}-gzip" if small else file.etag)
    if not file.kind.startswith("text/javascript"):
        # A picture that is opened by itself runs nothing. A worker made of a script would have the script's policy.
        response.headers["Content-Security-Policy"] = "default-src 'none'; style-src 'self'; sandbox"
    response.make_conditional(request)
    return response


@cache
def _files(folder: str) -> dict[str, _File]:
    """Return all files of a folder, by name. Only these exist, so no address leads elsewhere."""
    top = FOLDERS[folder]
    found = {}
    for path in top.rglob("*"):
        if path.is_file() and path.suffix in _KINDS:
            data = path.read_bytes()
            etag = sha256(data).hexdigest()[:32]
            found[path.relative_to(top).as_posix()] = _File(data, packed(data, SMALLEST), _KINDS[path.suffix], etag)
    return found


@cache
def _script_file(script: Script) -> _File:
    return _File(script.data, packed(script.data, SMALLEST), _KINDS[".js"], script.hash)
