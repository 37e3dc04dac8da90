"""What all pages have in common: the frame around them, their language, their security headers."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from urllib.parse import urlencode

from flask import Blueprint, Flask, Response, make_response, render_template, request
from jinja2 import DictLoader, StrictUndefined
from markupsafe import Markup

from api.log.policy_file import PolicyFile
from api.pages import pictures
from api.pages.files.assets import STATIC
from api.pages.files.packing import pack
from api.pages.files.scripts import early_script_of, script_of
from api.pages.shell import languages
from api.pages.shell.headers import page_headers
from api.parts import part
from api.world.cooperation import yielding
from fairness.log.notes import VerifierKey

pages = Blueprint("pages", __name__)
_FOLDER = Path(__file__).parent.parent / "templates"
_TEMPLATES = {str(path.relative_to(_FOLDER)): path.read_text("utf-8") for path in _FOLDER.rglob("*.html")}
"""Read when the program starts: an installation that changes meanwhile must not mix two versions."""


def prepare(app: Flask) -> None:
    """Prepare the templates: languages, and an error for an undefined name."""
    environment = app.jinja_env
    environment.loader = DictLoader(_TEMPLATES)
    environment.undefined = StrictUndefined
    environment.filters["yielding"] = yielding
    environment.trim_blocks = environment.lstrip_blocks = True
    environment.policies["ext.i18n.trimmed"] = True
    languages.install(environment)
    pictures.install(environment)


def show(
    page: str, *, status: int = 200, camera: bool = False, fetches_from: str | None = None, **values: object
) -> Response:
    """Return the page of this name, with what its template needs.

    ``camera``: it may ask for one. ``fetches_from``: another origin from which its script may read files.

    ``NAME.html`` is its template. ``NAME.css`` and ``NAME.js``, if they exist, are its rules and its script;
    ``early/NAME.js`` runs before anything is drawn.
    """
    style, early, script = _style(page), _early(page), script_of(page)
    text = render_template(
        f"{page}.html",
        page=page,
        origin=part(VerifierKey).name,
        language=languages.chosen(),
        languages=languages.LANGUAGES,
        in_language=_in_language,
        is_demo=part(PolicyFile).is_demo,
        thousands=languages.thousands(),
        messages=languages.messages_of(script.all_modules, languages.chosen()) if script else {},
        script=script.address if script else None,
        style=style,
        early=early,
        **values,
    )
    response = make_response(text, status)
    languages.mark(response)
    headers = page_headers(style, early, camera=camera, fetches_from=fetches_from)
    response.headers.update(headers)
    return pack(response)


@cache
def _style(page: str) -> Markup:
    """Return the rules of a page, inlined so that the first view needs only one round trip."""
    # Operators see no outcomes on theirs.
    drawn = () if page.startswith("ops") else ("pictures.css",)
    files = [STATIC / name for name in ("foredraw.css", *drawn, f"{page}.css")]
    return Markup("".join(file.read_text("utf-8") for file in files if file.exists()))  # noqa: S704  (our own files)


@cache
def _early(page: str) -> Markup | None:
    text = early_script_of(page)
    return None if text is None else Markup(text)  # noqa: S704  (our own files)


def _in_language(language: str) -> str:
    """Return the address of this same page in another language."""
    others = [(name, value) for name, value in request.args.items(multi=True) if name != "lang"]
    return "?" + urlencode([*others, ("lang", language)])
