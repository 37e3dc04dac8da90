"""``/verify``: a round code or a proof file, checked in the reader's own browser; and ``/verify.html``, the same to
keep.
"""

from __future__ import annotations

import re

from flask import Response, jsonify, redirect, request
from werkzeug.wrappers import Response as BaseResponse

from api.pages.bet_words import sentences
from api.pages.files.packing import pack
from api.pages.kept import kept_page
from api.pages.shell import languages
from api.pages.shell.frame import pages, show
from api.pages.shell.lasting import lasting
from api.pages.trust import operators_policy
from api.parts import part
from fairness.log.notes import VerifierKey
from fairness.manifest import SERVICE, manifest_of_running
from fairness.version import VERSION
from games.bets import CATALOGUE_BETS

_LOG = re.compile(r"(https?://[A-Za-z0-9.-]{1,100}(?::[0-9]{1,5})?)((?:/[A-Za-z0-9._~-]{1,60}){0,5})/?", re.ASCII)
"""A log's address: what stands in a page's policy must not be able to say more than one host."""


@pages.get("/verify")
@lasting
def verify() -> Response:
    """Show the page for this service's log, or with ``?log=`` for another one, which the page may then fetch from."""
    asked = request.args.get("log", "")
    other = _LOG.fullmatch(asked)
    return show(
        "verify",
        camera=True,
        fetches_from=other[1] if other else None,
        log=other[1] + other[2] if other else request.host_url + "log",
        other=other is not None,
        bad_address=bool(asked) and other is None,
        key="" if other else str(part(VerifierKey)),
        policy="" if other else operators_policy(),
        kept_hash=kept_page().hash,
        version=VERSION,
        manifest=manifest_of_running(SERVICE),
    )


@pages.get("/verify/")
def verify_below() -> BaseResponse:
    """Show a link with one slash too many. A browser keeps the code behind the `#`."""
    return redirect("/verify")


@pages.get("/verify/bets/<game>/<language>")
def bets_in_words(game: str, language: str) -> Response:
    """Show when the bets of a game win, in one language: the page asks for it if a reader asks about a bet."""
    known = game in CATALOGUE_BETS and language in languages.LANGUAGES
    response = jsonify(sentences([game], languages.gettext_in(language)) if known else {})
    response.headers["Cache-Control"] = "public, max-age=3600"
    return pack(response)


@pages.get("/verify.html")
def keep() -> Response:
    """Show the page to keep, as a download."""
    response = Response(kept_page().data, content_type="text/html; charset=utf-8")
    response.headers["Content-Disposition"] = 'attachment; filename="verify.html"'
    response.headers["Cache-Control"] = "public, no-cache"
    response.set_etag(kept_page().hash[:32])
    response.make_conditional(request)
    return response
