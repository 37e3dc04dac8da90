"""How closed tables would have continued: whether one was closed before rounds that would have cost much.

The seeds of a `close` make the outcomes of unused rounds public. A table's end is decided before these rounds are
locked. If the operator does not know their outcomes, the first of them, the first ten and the first hundred follow
the exact law of their game. These numbers were chosen before any log was examined.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

import msgspec
import numpy as np

from fairness.limits import ROUNDS_AFTER_END
from games.bets.laws.devices import CASH_OUTS
from games.multipliers import decimal_text
from verifier.output.outcome_words import outcome_in_words
from verifier.output.printing import count
from verifier.stats.conduct.returns import chance_by_batch, has_standard_bet, standard_bet, wins_with
from verifier.stats.numbers.cells import Cells, cells_of, chance_to_reach
from verifier.stats.numbers.columns import Bools, Floats, Ints, TableColumns
from verifier.stats.numbers.finding import Finding
from verifier.stats.numbers.flights import hundredths
from verifier.stats.numbers.whole_sums import WholeSum

TEST = "closed-early"
FIRST = (1, 10, ROUNDS_AFTER_END)
"""How many rounds after a table's end are tested."""
_SHOWN = 10


@dataclass(frozen=True, slots=True)
class WouldHaveWon:
    """The standard bet on the first rounds after a table's end."""

    rounds: int
    won: int
    expected: float


@dataclass(frozen=True, slots=True)
class TableEnd:
    """How one closed table would have continued."""

    table: str
    bet: str
    last: int
    """The last round that was locked for play; 0 if none was."""
    given_up: int
    """Rounds after ``last`` that were given up before the table was closed."""
    unused: int
    next_outcomes: tuple[str, ...]
    """The first outcomes after ``last``, of rounds given up and then unused ones, in words."""
    wins: tuple[WouldHaveWon, ...]
    """On the first one, ten and hundred of these rounds, if there are that many."""


@dataclass(frozen=True, slots=True, eq=False)
class _After:
    """The first rounds of a closed table after the last one that was locked for play."""

    columns: TableColumns
    outcome: Ints
    """Of at most a hundred rounds, as in ``columns``."""
    batch: Ints
    given_up: int

    @property
    def chances(self) -> Floats:
        """The chance of the standard bet to win, round by round."""
        return chance_by_batch(self.columns)[self.batch]

    @property
    def wins(self) -> Bools:
        """Whether the standard bet wins, round by round."""
        return wins_with(self.columns, self.outcome)

    @classmethod
    def of(cls, columns: TableColumns) -> _After:
        """Return the rounds given up after the last one that was locked for play, then the unused ones."""
        last = int(np.flatnonzero(~columns.given_up).max(initial=-1)) + 1
        outcome = np.concatenate([columns.outcome[last:], columns.unused])[:ROUNDS_AFTER_END]
        firsts = [batch.first for batch in columns.batches]
        batch = np.searchsorted(firsts, last + 1 + np.arange(len(outcome)), "right") - 1
        return cls(columns, outcome, batch, len(columns) - last)


@dataclass(frozen=True, slots=True)
class _Figure:
    """A count in the rounds after some tables' ends that an operator would want to keep low."""

    what: str
    first: int
    """How many rounds after each end were tested."""
    rounds: int
    count: int
    expected: float
    p: float
    """One-sided, exact."""

    @classmethod
    def of(cls, what: str, first: int, hits: Bools, chances: Floats) -> _Figure:
        """Count the rounds that have something, each with the chance to have it."""
        law, count = WholeSum.of_rounds(chances), int(hits.sum())
        return cls(what, first, len(hits), count, law.mean, law.at_least(count))


def ends_of(tables: Sequence[TableColumns]) -> tuple[TableEnd, ...]:
    """Return the end of every closed table with unused rounds and a standard bet."""
    return tuple(map(_end_of, _closed(tables)))


def judge_ends(tables: Sequence[TableColumns]) -> Iterator[Finding]:
    """Yield one test for the closed tables of each game, and one for the closed tables of all games."""
    # A table whose next batch never got its salt has unused rounds without outcomes.
    tested = (after for after in _closed(tables) if len(after.outcome))
    closed = sorted(tested, key=_game)
    by_game = [list(own) for _, own in groupby(closed, key=_game)]
    for own in by_game:
        yield _finding(own, standard_bet(own[0].columns).text, [*_wins(own), *_outcomes(own)])
    if len(by_game) > 1:
        yield _finding(closed, "the standard bets", list(_wins(closed)))


def _game(after: _After) -> str:
    return after.columns.kind


def _closed(tables: Sequence[TableColumns]) -> list[_After]:
    return [_After.of(columns) for columns in tables if columns.unused_in_all and has_standard_bet(columns)]


def _end_of(after: _After) -> TableEnd:
    columns, wins, chances = after.columns, after.wins, after.chances
    following = [columns.distinct[at] for at in after.outcome[:_SHOWN].tolist()]
    lengths = [first for first in FIRST if first <= len(wins)]
    return TableEnd(
        table=columns.name,
        bet=standard_bet(columns).text,
        last=len(columns) - after.given_up,
        given_up=after.given_up,
        unused=columns.unused_in_all,
        next_outcomes=tuple(outcome_in_words(msgspec.json.decode(text)) for text in following),
        wins=tuple(WouldHaveWon(n, int(wins[:n].sum()), float(chances[:n].sum())) for n in lengths),
    )


def _wins(closed: Sequence[_After]) -> Iterator[_Figure]:
    """Yield how often the standard bet wins in the first rounds after all these ends together."""
    wins, chances = [after.wins for after in closed], [after.chances for after in closed]
    for first in _lengths(closed):
        won, chance = (np.concatenate([each[:first] for each in of_each]) for of_each in (wins, chances))
        yield _Figure.of("the standard bet wins", first, won, chance)


def _outcomes(closed: Sequence[_After]) -> Iterator[_Figure]:
    """Yield the count of each cell of a game's outcomes, if it has any; of flights, of cash-outs and the largest."""
    cells = [cells for after in closed if (cells := cells_of(after.columns)) is not None]
    if not cells:
        return
    names, is_flight = cells[0].names, closed[0].columns.is_flight
    for first in _lengths(closed):
        places, chances = _in_cells(closed, cells, first)
        if not is_flight:
            for cell, name in enumerate(names):
                yield _Figure.of(name, first, places == cell, chances[:, cell])
            continue
        yield _largest(closed, first)
        reached = np.cumsum(chances[:, ::-1], axis=1)[:, ::-1]
        for cell, at in enumerate(CASH_OUTS):
            yield _Figure.of(f"{decimal_text(at)} or more", first, places > cell, reached[:, cell + 1])


def _in_cells(closed: Sequence[_After], cells: Sequence[Cells], first: int) -> tuple[Ints, Floats]:
    """Return the cells of the first rounds after all these ends, and the chances of all cells in each of them."""
    places, chances = list[Ints](), list[Floats]()
    for after, own in zip(closed, cells, strict=True):
        places.append(own.of[after.outcome[:first]])
        by_batch = np.array([own.chances(batch.rules) for batch in after.columns.batches])
        chances.append(by_batch[after.batch[:first]])
    return np.concatenate(places), np.concatenate(chances)


def _largest(closed: Sequence[_After], first: int) -> _Figure:
    """Return how unlikely a multiplier as large as the largest is in this number of rounds."""
    largest = max(int(hundredths(after.columns)[after.outcome[:first]].max()) for after in closed)
    rules = [after.columns.batches[at].rules for after in closed for at in after.batch[:first].tolist()]
    chances = np.array([chance_to_reach(largest, each) for each in rules])
    p = 1.0 if chances.max() >= 1 else float(-np.expm1(np.log1p(-chances).sum()))
    return _Figure(f"{decimal_text(largest)} or more", first, len(chances), 1, float(chances.sum()), p)


def _lengths(closed: Sequence[_After]) -> list[int]:
    """Return the numbers of `FIRST` that cover more rounds than the previous one."""
    rounds = [sum(min(first, len(after.outcome)) for after in closed) for first in FIRST]
    return [first for at, first in enumerate(FIRST) if not at or rounds[at] > rounds[at - 1]]


def _finding(closed: Sequence[_After], bet: str, figures: Sequence[_Figure]) -> Finding:
    found = min(figures, key=lambda figure: figure.p)
    names, rounds = tuple(after.columns.name for after in closed), sum(len(after.outcome) for after in closed)
    question = "Would the rounds after the end have cost more than chance explains?"
    unfinished = Finding(TEST, names, "the rounds after the end", question, rounds)
    ends = f"the first {found.first if found.first > 1 else ''}".rstrip() + f" after {count(len(closed), 'end')}"
    return unfinished.with_p(
        min(1.0, len(figures) * found.p),
        statistic=float(found.count),
        null_law=f"exact: binomials, one-sided; the most conspicuous of {len(figures)} figures (Bonferroni)",
        observed=f"{found.what} in {found.count:,} of {count(found.rounds, 'round')}, {ends}",
        expected=f"{found.expected:,.4g}",
        power_at=lambda level: _power(closed, bet, level / len(figures)),
    )


def _power(closed: Sequence[_After], bet: str, level: float) -> str:
    first = _lengths(closed)[-1]
    chances = np.concatenate([after.chances[:first] for after in closed])
    law, rounds = WholeSum.of_rounds(chances), count(len(chances), "round")
    need = law.critical(level, len(chances))
    if need is None:
        return f"{rounds} are too few to show anything by {bet}"
    return f"would have noticed {need:,} wins of {bet} in these {rounds}, of which {law.mean:,.1f} are usual"
