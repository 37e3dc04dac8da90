"""The rounds of a table that have ended, newest first: which of them are asked for, page by page.

A page is identified by the round that it starts below (``before``) or above (``after``). Ended rounds never
change, so an address always shows the same rounds, however many come after them.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Self
from urllib.parse import urlencode

import msgspec

from api.http.answers import whole_number
from api.problems import Code, Problem
from api.rounds.reading import OutcomeFilter, ended_rounds
from api.sql.database import Database
from api.store.models import EndedRow, RoundStatus
from fairness.draws.game import Outcome, Rules
from fairness.hashing import U48_LIMIT
from games.bets.laws.devices import devices_of
from games.declared.declaration import Declaration
from games.declared.throws import Ends, Numbers, One
from games.declared.wheels import Chosen, Wheel

ROUNDS_ON_A_PAGE = 24
ROUNDS_SEARCHED = 5000
"""The most rounds that the database searches for one page: four milliseconds of work."""
ROUNDS_CHECKED = 500
"""The most rounds found by the database that are examined here for one page: three milliseconds of work."""

STATUSES = (RoundStatus.PLAYED, RoundStatus.VOID)
_MULTIPLIER = "multiplier"
"""The place of the multipliers that rounds can be looked for by."""
_HUNDREDTHS = re.compile(r"([0-9]{1,8})(?:[.,]([0-9]{1,2}))?", re.ASCII)
_LONGEST_WORDS = 40
_MOST_CHOICES = 30


@dataclass(frozen=True, slots=True)
class Wanted:
    """What part of a table's history is asked for. Each field may be empty."""

    status: str = ""
    words: str = ""
    """What an outcome has to contain, in the protocol's own words: ``Q red``, ``6 6``, ``37``."""
    least: str = ""
    most: str = ""
    """The smallest and the largest multiplier."""

    @classmethod
    def asked(cls, arguments: Mapping[str, str]) -> Self:
        """Read a page's address. Raises `Problem`."""
        given = {name: arguments.get(name, "").strip() for name in ("status", "outcome", "from", "to")}
        words = given["outcome"]
        # PostgreSQL fails at a text with a zero byte.
        if given["status"] not in ("", *STATUSES):
            raise Problem(Code.MALFORMED_NUMBER, "expected played or void", parameter="status")
        if len(words) > _LONGEST_WORDS or "\0" in words:
            raise Problem(Code.MALFORMED_NUMBER, "expected a few words", parameter="outcome")
        for name in ("from", "to"):
            _hundredths(given[name], name)
        return cls(given["status"], words, given["from"], given["to"])

    def fits(self, row: EndedRow) -> bool:
        """Return whether a round is wanted."""
        if self.status not in ("", row.status):
            return False
        if not (self.words or self.least or self.most):
            return True
        outcome = msgspec.json.decode(row.outcome)
        return self._fits_words(outcome) and self._fits_range(outcome)

    def in_the_database(self) -> OutcomeFilter:
        """Return what the database is asked for. It finds all rounds that fit, and some that do not."""
        longest = sorted(self._words(), key=len, reverse=True)
        return OutcomeFilter(
            self.status, tuple(longest), _hundredths(self.least, "from"), _hundredths(self.most, "to")
        )

    def _words(self) -> list[str]:
        return [word for word in re.split(r"[\s,·]+", self.words.lower()) if word]

    def _fits_words(self, outcome: Outcome) -> bool:
        return Counter(self._words()) <= Counter(_words(outcome))

    def _fits_range(self, outcome: Outcome) -> bool:
        if _MULTIPLIER not in outcome:
            return not (self.least or self.most)
        found = _hundredths(str(outcome[_MULTIPLIER]), "outcome") or 0
        least, most = _hundredths(self.least, "from"), _hundredths(self.most, "to")
        return (least is None or least <= found) and (most is None or found <= most)

    def address(self, **place: int) -> str:
        """Return the address of a page of this, within the table's."""
        given = {"status": self.status, "outcome": self.words, "from": self.least, "to": self.most}
        query = urlencode({name: value for name, value in {**given, **place}.items() if value})
        return f"?{query}#history" if query else "?#history"

    def __bool__(self) -> bool:
        return bool(self.status or self.words or self.least or self.most)


@dataclass(frozen=True, slots=True)
class HistoryPage:
    """A page of rounds, newest first, and the ways on from it."""

    rounds: list[EndedRow] = field(default_factory=list)
    searched_from: int = 1
    """The first and the last round that were looked at."""
    searched_to: int = 0
    older: int | None = None
    """The next page starts below this round; `None` if there is nothing below."""
    newer: int | None = None
    """The page above this round came before; `None` on the newest one."""


def read_page(database: Database, table: str, wanted: Wanted, arguments: Mapping[str, str], last: int) -> HistoryPage:
    """Return the page that the address asks for, where ``last`` is the newest round that may have ended. Raises
    `Problem`.
    """
    before, after = (_place(arguments, name) for name in ("before", "after"))
    if after is not None:
        return _upwards(database, table, wanted, after, last)
    top = last if before is None else min(before - 1, last)
    lowest = max(1, top - ROUNDS_SEARCHED + 1)
    rounds, stopped = _search(database, table, range(lowest, top + 1), wanted, newest_first=True)
    lowest = stopped or lowest
    return HistoryPage(rounds, lowest, top, lowest if lowest > 1 else None, top if top < last else None)


def _upwards(database: Database, table: str, wanted: Wanted, after: int, last: int) -> HistoryPage:
    highest = min(last, after + ROUNDS_SEARCHED)
    rounds, stopped = _search(database, table, range(after + 1, highest + 1), wanted, newest_first=False)
    highest = stopped or highest
    rounds.reverse()
    return HistoryPage(rounds, after + 1, highest, after + 1, highest if highest < last else None)


def _search(
    database: Database, table: str, span: range, wanted: Wanted, *, newest_first: bool
) -> tuple[list[EndedRow], int | None]:
    """Return the first rounds of a span that are wanted, and the round at which the search ended, if before the
    span's end.
    """
    most = ROUNDS_CHECKED if wanted else ROUNDS_ON_A_PAGE
    rows = ended_rounds(database, table, span, wanted.in_the_database(), newest_first=newest_first, limit=most)
    found: list[EndedRow] = []
    for row in rows:
        if wanted.fits(row):
            found.append(row)
            if len(found) == ROUNDS_ON_A_PAGE:
                return found, row.round
    return found, rows[-1].round if len(rows) == most else None


def _place(arguments: Mapping[str, str], name: str) -> int | None:
    return whole_number(arguments[name], name, U48_LIMIT - 1) if name in arguments else None


def _hundredths(text: str, name: str) -> int | None:
    if not text:
        return None
    found = _HUNDREDTHS.fullmatch(text)
    if found is None:
        detail = f"{name}: expected a multiplier like 2 or 1.50, found {text[:40]!r}"
        raise Problem(Code.MALFORMED_NUMBER, detail, parameter=name)
    return int(found[1]) * 100 + int((found[2] or "").ljust(2, "0"))


def _words(outcome: Outcome) -> Iterable[str]:
    for value in outcome.values():
        yield from (str(part).lower() for part in (value if isinstance(value, list) else [value]))


def has_range(declaration: Declaration | None) -> bool:
    """Return whether rounds can be looked for by their multiplier."""
    return declaration is not None and declaration.is_flight and declaration.steps[0].places == (_MULTIPLIER,)


def choices(declaration: Declaration | None, rules: Rules) -> list[Outcome]:
    """Return all outcomes of a game that draws one thing, if there are few enough to choose from a list."""
    if declaration is None or len(declaration.steps) > 1:
        return []
    (step,) = declaration.steps
    if isinstance(step, Ends):
        found = list(step.ends)
    elif isinstance(step, One | Wheel | Chosen) or (isinstance(step, Numbers) and step.times is None):
        found = [{step.places[0]: label} for device in devices_of(declaration, rules) for label in device.labels]
    else:
        return []
    return found if len(found) <= _MOST_CHOICES else []
