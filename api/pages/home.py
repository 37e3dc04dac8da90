"""``/``: all tables as they are now. It shows the live feed, and ``home.js`` continues from there."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from flask import Response, request

from api.http.live import Feed
from api.pages.pictures import looks_of, side_by_side
from api.pages.shell.frame import pages, show
from api.pages.shell.lasting import lasting
from api.parts import part
from api.world.clock import Clock
from fairness.log.notes import VerifierKey
from games import GAMES


@pages.get("/")
@lasting
def home() -> Response:
    """The tables as they are now."""
    feed = json.loads(part(Feed).now().body)
    told = [{"fixed_through": table["committed_through"], **table} for table in feed["tables"]]
    tables = [{**table, "shown": _side_by_side(table), "ahead": _ahead(table)} for table in told]
    return show(
        "home",
        tables=tables,
        records=feed["records"],
        ahead=sum(table["ahead"] for table in tables),
        flights=[name for name, game in GAMES.items() if game.has_flight],
        now=part(Clock).now(),
        log=request.host_url + "log",
        key=part(VerifierKey),
    )


def _side_by_side(table: Mapping[str, Any]) -> int:
    return side_by_side(looks_of(table["game"]), [ended["outcome"] for ended in table["last"]])


def _ahead(table: Mapping[str, Any]) -> int:
    """How many rounds of a table are fixed and still to come; none after its end, because they are never played."""
    first = table["now"][-1]["round"] + 1 if table["now"] else table["next_round"]
    return 0 if table["ended"] else max(0, table["fixed_through"] - first + 1)
