"""The page that players keep, ``verify.html``: the verifier as one file that needs no network, in all languages.

Every build of the same source has the same bytes, so different people can compare hashes.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from hashlib import sha256

from flask import Flask, render_template
from markupsafe import Markup

from api.pages.bet_words import sentences
from api.pages.files.assets import STATIC
from api.pages.files.bundle import bundle
from api.pages.shell import languages
from api.pages.shell.frame import prepare
from api.pages.shell.headers import source
from fairness.manifest import SERVICE, manifest_of_running
from fairness.version import VERSION
from games.bets import BETS, CATALOGUE_BETS

_SCRIPT = "/static/keep.js"
_STYLES = ("foredraw.css", "pictures.css", "verify.css")


@dataclass(frozen=True, slots=True)
class KeptPage:
    """The file, and its SHA-256 in hexadecimal digits."""

    data: bytes
    hash: str


@dataclass(frozen=True, slots=True)
class _Body:
    """The page in one language."""

    page: Markup
    waiting: str
    why: str
    messages: Mapping[str, str]


@cache
def kept_page() -> KeptPage:
    """Build the file."""
    # An application only for its templates: every service gives out the same file.
    app = Flask("api.pages", static_folder=None)
    prepare(app)
    script = bundle(_SCRIPT)
    bodies = {language: _body(app, language, script.modules) for language in languages.LANGUAGES}
    style = "".join((STATIC / name).read_text("utf-8") for name in _STYLES)
    with app.app_context():
        text = render_template(
            "keep.html",
            version=VERSION,
            policy=_policy(script.text, style),
            style=Markup(style),  # noqa: S704  (our own files, all of them)
            script=Markup(script.text),  # noqa: S704 -- our own markup
            pictures=Markup(_symbols()),  # noqa: S704 -- our own markup
            bodies=bodies,
        )
    data = text.encode()
    return KeptPage(data, sha256(data).hexdigest())


def _body(app: Flask, language: str, modules: tuple[str, ...]) -> _Body:
    with app.test_request_context(f"/?lang={language}"):
        return _Body(
            page=Markup(  # noqa: S704 -- our own markup
                render_template(
                    "keep_page.html",
                    language=language,
                    languages=languages.LANGUAGES,
                    version=VERSION,
                    manifest=manifest_of_running(SERVICE),
                )
            ),
            waiting=languages.gettext("Checking needs JavaScript and has not started: there is no verdict."),
            why=languages.gettext(
                "Either JavaScript is switched off, or it is still loading, or this page has a fault. Nothing is known about the round."
            ),
            messages={**languages.messages_of(modules, language), **_sentences(language)},
        )


def _sentences(language: str) -> dict[str, str]:
    """Return when bets win. The page has no service to ask."""
    return sentences([game for game in CATALOGUE_BETS if game not in BETS], languages.gettext_in(language))


def _policy(script: str, style: str) -> str:
    return "; ".join(
        (
            "default-src 'none'",
            f"script-src '{source(script)}'",
            f"style-src '{source(style)}'",
            "img-src data:",
            # The page narrows this to what it needs before it does anything: to nothing on a disk (asking/reach.js).
            "connect-src http: https:",
            "base-uri 'none'",
            "form-action 'none'",
            "require-trusted-types-for 'script'",
        )
    )


def _symbols() -> str:
    sheet = (STATIC / "pictures.svg").read_text("utf-8")
    return "".join(re.findall(r"<symbol.*?</symbol>", sheet, re.DOTALL))
