"""``/``: all tables as they are now, a few as cards, many as rows that can be searched. It shows the live feed, and
``home.js`` continues from there.

Tables that are not in the feed are links to their own pages.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from flask import Response, request
from msgspec import UNSET

from api.answers.tables import MOST_LIVE, GoingOn, LiveTable
from api.http.live.feed import MOST_ACTIVE, Feed
from api.pages.going_on import Standing, standing, why_together
from api.pages.pictures import after_lock, looks_of_table, side_by_side
from api.pages.pictures.looks import Looks
from api.pages.shell.frame import pages, show
from api.pages.shell.lasting import lasting
from api.parts import part
from api.rounds.reading import TableWithRounds, newest_rounds
from api.rounds.status import fixed_through
from api.sql.database import Database
from api.store.models import RoundRow
from api.world.clock import Clock
from fairness.log.notes import VerifierKey
from fairness.records.table_state import TableState
from games import GAMES
from games.facts.facts import message as _

_MOST_CARDS = 12
"""More tables than these are rows, grouped by what is drawn."""
_LONGEST_SEARCH = 40
_KINDS = {
    "flights": (_("Flights"), frozenset(("flight", "rocket"))),
    "dice": (_("Dice"), frozenset(("die",))),
    "wheels": (_("Wheels"), frozenset(("pocket", "segment", "stop"))),
    "balls": (_("Balls"), frozenset(("ball", "colored-ball"))),
    "cards": (_("Cards"), frozenset(("card", "colored-card", "bone"))),
    "races": (_("Races and matches"), frozenset(("runner", "point", "goal"))),
}
_OTHERS = "others", _("Other games")
_MORE = "more", _("More tables")


@dataclass(frozen=True, slots=True)
class Card:
    """A table as the page shows it."""

    feed: LiveTable
    looks: Looks
    after_lock: str
    standing: Standing
    shown: int
    """How many of the last outcomes stand side by side."""
    fixed_through: int
    found: bool

    @property
    def ahead(self) -> int:
        """How many rounds are fixed and still to come; none after the table's end, because they are never played."""
        return 0 if self.feed.ended else _ahead(self.feed.now, self.feed.next_round, self.fixed_through)


@dataclass(frozen=True, slots=True)
class Other:
    """A table that is not in the feed, which has only so many: a link to its page, where it is live."""

    name: str
    game: str
    ahead: int
    found: bool


@dataclass(frozen=True, slots=True)
class Group:
    """Tables of one kind. ``title`` is an English message."""

    kind: str
    title: str
    tables: Sequence[Card | Other]
    found: int
    """How many of them the reader looks for."""


@pages.get("/")
@lasting
def home() -> Response:
    """Show the tables as they are now."""
    asked = request.args.get("q", "").strip()[:_LONGEST_SEARCH]
    live = part(Feed).now().live
    seen = {each.row.name: each for each in newest_rounds(part(Database), MOST_ACTIVE)}
    are_few = len(live.tables) <= _MOST_CARDS
    # A table that was added between the two readings is shown a second later.
    cards = [
        _card(table, seen.pop(table.table).status.state, asked, are_few=are_few)
        for table in live.tables
        if table.table in seen
    ]
    others = [_other(each, asked) for each in seen.values()] if len(live.tables) == MOST_LIVE else []
    ahead_of_others = sum(table.ahead for table in others)
    return show(
        "home",
        cards=cards if are_few else [],
        groups=[] if are_few else _grouped(cards, others),
        asked=asked,
        count=len(cards) + len(others),
        records=live.records,
        ahead=sum(card.ahead for card in cards) + ahead_of_others,
        ahead_of_others=ahead_of_others,
        why=why_together([card.standing for card in cards]),
        now=part(Clock).now(),
        log=request.host_url + "log",
        key=part(VerifierKey),
    )


def _card(feed: LiveTable, state: TableState, asked: str, *, are_few: bool) -> Card:
    looks = looks_of_table(state)
    locked = after_lock(looks, has_flight=GAMES.of(state).has_flight)
    return Card(
        feed,
        looks,
        locked,
        standing(feed, locked, part(Clock).moment()),
        side_by_side(looks, [each.outcome for each in feed.last if each.outcome is not UNSET]) if are_few else 1,
        feed.committed_through if feed.fixed_through is UNSET else feed.fixed_through,
        _finds(asked, feed.table, feed.game),
    )


def _other(seen: TableWithRounds, asked: str) -> Other:
    state = seen.status.state
    going_on = [row for row in reversed(seen.rounds) if not row.status.has_ended]
    ahead = 0 if state.ended else _ahead(going_on, state.next_round, fixed_through(state))
    return Other(seen.row.name, seen.row.game, ahead, _finds(asked, seen.row.name, seen.row.game))


def _ahead(going_on: Sequence[GoingOn | RoundRow], next_round: int, fixed: int) -> int:
    """Count the rounds that are fixed and still to come, after those that are going on."""
    first = going_on[-1].round + 1 if going_on else next_round
    return max(0, fixed - first + 1)


def _grouped(tables: Sequence[Card], others: Sequence[Other]) -> list[Group]:
    """Group the tables by what is drawn last; those that are not in the feed come after them."""
    found: dict[str, list[Card | Other]] = {_MORE[0]: [*others]} if others else {}
    for table in tables:
        found.setdefault(_kind(list(table.looks.values())), []).append(table)
    titles = {kind: title for kind, (title, _looks) in _KINDS.items()} | dict([_OTHERS, _MORE])
    return [
        Group(kind, title, found[kind], sum(each.found for each in found[kind]))
        for kind, title in titles.items()
        if kind in found
    ]


def _kind(looks: Sequence[str]) -> str:
    """Group by what is drawn last: before a pocket, lucky numbers may be picked."""
    last = looks[-1] if looks else ""
    return next((kind for kind, (_title, members) in _KINDS.items() if last in members), _OTHERS[0])


def _finds(asked: str, name: str, game: str) -> bool:
    """Return whether the name and the game have every word in them; hyphens and spaces do not count. ``find.js`` does
    the same while it is typed.
    """
    found = (name + game).replace("-", "")
    return all(word in found for word in re.split(r"[\s-]+", asked.lower()))
