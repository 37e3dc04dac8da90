"""``/badge``: the element that other sites embed, shown at work."""

from __future__ import annotations

from urllib.parse import urljoin

from flask import Response, request

from api.pages.files.scripts import BADGE_PATH, badge_script
from api.pages.shell.frame import pages, show
from api.pages.shell.lasting import lasting
from api.pages.trust import operators_policy
from api.parts import part
from api.rounds.reading import status_of_tables
from api.sql.database import Database
from fairness.log.notes import VerifierKey


@pages.get("/badge")
@lasting
def badge() -> Response:
    """Show for each table a badge of a round that has ended, if there is one, and a badge of a round to come."""
    return show(
        "badge",
        tables=[
            table.state for table in status_of_tables(part(Database)) if not table.state.ended and not table.damaged
        ],
        badge_address=urljoin(request.host_url, BADGE_PATH),
        key=part(VerifierKey),
        policy=operators_policy(),
        integrity=badge_script().integrity,
    )
