"""``/``: all tables as they are now. It shows the live feed, and ``home.js`` continues from there."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from flask import Response, request
from msgspec import UNSET

from api.answers.tables import LiveTable
from api.http.live import Feed
from api.pages.pictures import after_lock, looks_of_table, side_by_side
from api.pages.pictures.looks import Looks
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
class Card:
    """A table as the page shows it."""

    feed: LiveTable
    looks: Looks
    after_lock: str
    shown: int
    """How many of the last outcomes stand side by side."""
    fixed_through: int

    @property
    def ahead(self) -> int:
        """How many rounds are fixed and still to come; none after the table's end, because they are never played."""
        first = self.feed.now[-1].round + 1 if self.feed.now else self.feed.next_round
        return 0 if self.feed.ended else max(0, self.fixed_through - first + 1)


@dataclass(frozen=True, slots=True)
class Group:
    """Tables of one kind. ``title`` is an English message."""

    kind: str
    title: str
    tables: Sequence[Card]

    @property
    def size(self) -> int:
        """How many tables."""
        return len(self.tables)


@pages.get("/")
@lasting
def home() -> Response:
    """Show the tables as they are now."""
    live = part(Feed).now().live
    states = {each.state.name: each.state for each in status_of_tables(part(Database))}
    # A table that was added between the two readings is shown a second later.
    cards = [_card(table, states[table.table]) for table in live.tables if table.table in states]
    return show(
        "home",
        groups=_grouped(cards),
        records=live.records,
        ahead=sum(card.ahead for card in cards),
        now=part(Clock).now(),
        log=request.host_url + "log",
        key=part(VerifierKey),
    )


def _card(feed: LiveTable, state: TableState) -> Card:
    looks = looks_of_table(state)
    return Card(
        feed,
        looks,
        after_lock(looks, has_flight=GAMES.of(state).has_flight),
        side_by_side(looks, [each.outcome for each in feed.last if each.outcome is not UNSET]),
        feed.committed_through if feed.fixed_through is UNSET else feed.fixed_through,
    )


def _grouped(tables: Sequence[Card]) -> list[Group]:
    """Group the tables: a few are one group, in their order; many are grouped by what is drawn last."""
    if len(tables) <= _MOST_IN_ONE_GROUP:
        return [Group("all", _("Tables"), tables)] if tables else []
    found: dict[str, list[Card]] = {}
    for table in tables:
        found.setdefault(_kind(list(table.looks.values())), []).append(table)
    titles = {kind: title for kind, (title, _looks) in _KINDS.items()} | dict([_OTHERS])
    return [Group(kind, title, found[kind]) for kind, title in titles.items() if kind in found]


def _kind(looks: Sequence[str]) -> str:
    """Group by what is drawn last: before a pocket, lucky numbers may be picked."""
    last = looks[-1] if looks else ""
    return next((kind for kind, (_title, members) in _KINDS.items() if last in members), _OTHERS[0])
