"""``/``: all tables as they are now. It shows the live feed, and ``home.js`` continues from there."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from flask import Response, request

from api.http.live import Feed
from api.pages.pictures import after_lock, looks_of_table, side_by_side
from api.pages.shell.frame import pages, show
from api.pages.shell.lasting import lasting
from api.parts import part
from api.rounds.reading import status_of_tables
from api.sql.database import Database
from api.world.clock import Clock
from fairness.log.notes import VerifierKey
from fairness.records.table_state import TableState
from games import GAMES
from games.facts.facts import message as _

_MOST_IN_ONE_GROUP = 12
"""More tables than these are grouped by what is drawn."""
_KINDS = {
    "flights": (_("Flights"), frozenset(("flight", "rocket"))),
    "dice": (_("Dice"), frozenset(("die",))),
    "wheels": (_("Wheels"), frozenset(("pocket", "segment", "stop"))),
    "balls": (_("Balls"), frozenset(("ball", "colored-ball"))),
    "cards": (_("Cards"), frozenset(("card", "colored-card", "bone"))),
    "races": (_("Races and matches"), frozenset(("runner", "point", "goal"))),
}
_OTHERS = "others", _("Other games")


@dataclass(frozen=True, slots=True)
class Group:
    """Tables of one kind. ``title`` is an English message."""

    kind: str
    title: str
    tables: Sequence[Mapping[str, Any]]

    @property
    def size(self) -> int:
        """How many tables."""
        return len(self.tables)


@pages.get("/")
@lasting
def home() -> Response:
    """The tables as they are now."""
    feed = json.loads(part(Feed).now().body)
    states = {each.state.name: each.state for each in status_of_tables(part(Database))}
    # A table that was added between the two readings is shown a second later.
    known = [table for table in feed["tables"] if table["table"] in states]
    tables = [
        _shown({"fixed_through": table["committed_through"], **table}, states[table["table"]]) for table in known
    ]
    return show(
        "home",
        groups=_grouped(tables),
        records=feed["records"],
        ahead=sum(table["ahead"] for table in tables),
        now=part(Clock).now(),
        log=request.host_url + "log",
        key=part(VerifierKey),
    )


def _shown(table: Mapping[str, Any], state: TableState) -> Mapping[str, Any]:
    looks = looks_of_table(state)
    shown = side_by_side(looks, [ended["outcome"] for ended in table["last"]])
    return {
        **table,
        "looks": looks,
        "after_lock": after_lock(looks, has_flight=GAMES.of(state).has_flight),
        "shown": shown,
        "ahead": _ahead(table),
    }


def _grouped(tables: Sequence[Mapping[str, Any]]) -> list[Group]:
    """A few tables are one group, in their order; many are grouped by what is drawn last."""
    if len(tables) <= _MOST_IN_ONE_GROUP:
        return [Group("all", _("Tables"), tables)] if tables else []
    found: dict[str, list[Mapping[str, Any]]] = {}
    for table in tables:
        found.setdefault(_kind(list(table["looks"].values())), []).append(table)
    titles = {kind: title for kind, (title, _looks) in _KINDS.items()} | dict([_OTHERS])
    return [Group(kind, title, found[kind]) for kind, title in titles.items() if kind in found]


def _kind(looks: Sequence[str]) -> str:
    """What is drawn last decides: before a pocket, lucky numbers may be picked."""
    last = looks[-1] if looks else ""
    return next((kind for kind, (_title, members) in _KINDS.items() if last in members), _OTHERS[0])


def _ahead(table: Mapping[str, Any]) -> int:
    """How many rounds of a table are fixed and still to come; none after its end, because they are never played."""
    first = table["now"][-1]["round"] + 1 if table["now"] else table["next_round"]
    return 0 if table["ended"] else max(0, table["fixed_through"] - first + 1)
