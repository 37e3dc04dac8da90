"""``/``: all tables as they are now. It shows what the live feed says, and ``home.js`` goes on from there."""

from __future__ import annotations

import json

from flask import Response, current_app, request

from api.pages.feed import Feed
from api.pages.frame import pages, show
from api.service import Service

_OUTCOMES = {"sic-bo": 3, "penalty": 3, "crash": 4, "rocketon": 4, "hi-lo": 6}
_OUTCOMES_ELSE = 5
"""How many pictures of outcomes stand side by side on the narrowest phone."""


@pages.get("/")
def home() -> Response:
    """The tables as they are now."""
    service: Service = current_app.extensions["foredraw"]
    feed: Feed = current_app.extensions["live"]
    told = json.loads(feed.now().body)
    tables = [{**table, "shown": _OUTCOMES.get(table["game"], _OUTCOMES_ELSE)} for table in told["tables"]]
    return show(
        "home",
        tables=tables,
        records=told["records"],
        ahead=sum(max(0, table["committed_through"] - table["next_round"] + 1) for table in tables),
        flights=[name for name, game in service.games.items() if game.has_flight],
        now=service.clock.now(),
        log=request.host_url + "log",
        key=service.verifier_key,
    )
