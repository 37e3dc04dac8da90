"""``/badge``: the element that other sites embed, shown at work; and its words for pages that are not ours."""

from __future__ import annotations

from flask import Response, current_app, request
from werkzeug.exceptions import NotFound

from api import statements as sql
from api.answers import json_answer
from api.pages import languages
from api.pages.frame import pages, show
from api.pages.scripts import script_of
from api.service import Service
from api.standing import standing


@pages.get("/badge")
def badge() -> Response:
    """One badge of a round that has ended, where there is one, and one of a round to come, for each table."""
    service: Service = current_app.extensions["foredraw"]
    with service.database.read() as connection:
        seen = [standing(connection, row) for row in connection.execute(sql.ALL_TABLES).all()]
    return show(
        "badge",
        tables=[table.state for table in seen if not table.state.ended and not table.damaged],
        host=request.host_url,
        key=service.verifier_key,
    )


@pages.get("/static/badge-words/<language>.json")
def badge_words(language: str) -> Response:
    """What the badge says, in one language: an embedding page does not carry it."""
    script = script_of("badge")
    if language not in languages.LANGUAGES or script is None:
        raise NotFound
    response = json_answer(languages.messages_of(script.modules, language))
    response.headers["Cache-Control"] = "public, max-age=3600"
    return response
