"""Whether rounds had different outcomes if nobody bet, if betting was short, after long pauses, or at night.

With one custodian an operator knows outcomes in advance, so it could play costly ones while nobody can win by them.
Without that knowledge this is impossible: given all outcomes of a table, and what the log says of bets and times,
every order of these outcomes is equally likely. So the number of rounds with a given outcome among those that a split
selects (`splits`) is as if these had been drawn from all rounds at random: hypergeometric, for any number of rounds.
This is Fisher's permutation test: all permutations are counted, none is drawn.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from verifier.stats.conduct.returns import standard_bet, winning
from verifier.stats.conduct.splits import SPLITS, Sides, Split, Splits
from verifier.stats.numbers.chance import noticed_deviations, points
from verifier.stats.numbers.columns import Bools, Floats, Ints, TableColumns
from verifier.stats.numbers.finding import Finding
from verifier.stats.numbers.flights import TENTHS
from verifier.stats.numbers.laws import Law
from verifier.stats.numbers.samples import parts_of
from verifier.stats.numbers.whole_sums import WholeSum

TEST = "schedule"
LEAST_ROUNDS = 100
_MOST_LABELS = 30
"""A grouping with more labels is too fine to test each label."""
_CUTS = np.array([*(place / TENTHS for place in range(1, TENTHS)), 0.95, 0.99, 0.995, 0.999, 0.9995])
"""Where the law of a multiplier is cut: into tenths, and in its tail, because what pays most is rare."""
_CANDIDATES = 8
"""The exact chance is computed only for this many splits and groups: those that are farthest off."""
_EXAMPLE = 0.1
"""What would have been noticed is stated for the split that selects a share of the rounds nearest to this."""


@dataclass(frozen=True, slots=True, eq=False)
class _Outcomes:
    """A table's outcomes: whether the standard bet wins, and groups of classes that matter to players."""

    wins: Bools
    """Round by round, as are the next two."""
    rules: Ints
    """The number of the round's rules."""
    classes: Ints
    names: tuple[str, ...]
    """The names of the groups."""
    members: Bools
    """Shape (groups, classes)."""


@dataclass(frozen=True, slots=True, eq=False)
class _Wins:
    """The wins of the standard bet among the rounds that each split selects, by rules: these change its chance."""

    rounds: Ints
    """Shape (rules): all rounds that are split."""
    won: Ints
    """Shape (rules)."""
    rounds_apart: Ints
    """Shape (rules, splits)."""
    won_apart: Ints
    """Shape (rules, splits)."""
    members: Bools
    """Shape (splits, bins that have rounds)."""

    @property
    def asked(self) -> Ints:
        """The splits that select some rounds but not all, each once. This choice does not depend on outcomes."""
        places = {row.tobytes(): place for place, row in enumerate(self.members) if row.any() and not row.all()}
        return np.array(sorted(places.values()), dtype=np.int64)

    @property
    def mean(self) -> Floats:
        """By split, the expected number of wins among the selected rounds."""
        return np.asarray((self.won / self.rounds) @ self.rounds_apart)

    @property
    def deviation(self) -> Floats:
        """By split, the standard deviation of that number."""
        share = (self.won / self.rounds)[:, None]
        left = (self.rounds[:, None] - self.rounds_apart) / np.maximum(1, self.rounds - 1)[:, None]
        return np.asarray(np.sqrt((self.rounds_apart * share * (1 - share) * left).sum(axis=0)))

    def law(self, split: int) -> WholeSum:
        """Return the law of the wins among the rounds that one split selects."""
        return WholeSum.total(
            WholeSum.hypergeometric(int(rounds), int(won), int(apart))
            for rounds, won, apart in zip(self.rounds, self.won, self.rounds_apart[:, split], strict=True)
        )


@dataclass(frozen=True, slots=True)
class _Conspicuous:
    """The split in which some outcomes are farthest from their share."""

    what: str
    split: int
    counts: tuple[int, int]
    """How many of these outcomes are among the selected rounds, and among the others."""
    rounds: tuple[int, int]
    expected: tuple[float, float]
    deviations: float
    p: float
    """Adjusted for the search among all splits (Bonferroni)."""
    asked: int

    def observed(self, where: Sides) -> tuple[str, str]:
        """Return what was observed and what was expected on the smaller side of the split."""
        side = int(self.rounds[1] < self.rounds[0])
        observed = f"{self.what} in {self.counts[side]:,} of {self.rounds[side]:,} rounds {where[side]}"
        return observed, f"{self.expected[side]:,.1f}"


def judge_schedule(tables: Sequence[TableColumns], root: bytes) -> Iterator[Finding]:
    """Test each thing that the log says before an outcome is public: one test for each table, and one for all."""
    outcomes = [_outcomes(columns, root) for columns in tables]
    for thing, split in SPLITS.items():
        split_up = [split(columns) for columns in tables]
        wins = [_wins(own, splits) for own, splits in zip(outcomes, split_up, strict=True)]
        for columns, splits, own, won in zip(tables, split_up, outcomes, wins, strict=True):
            yield _of_table(columns, thing, splits, own, won)
        if len(tables) > 1:
            yield _of_all(tables, thing, split_up[0].named, _together(wins))


def _of_table(columns: TableColumns, thing: str, splits: Splits, outcomes: _Outcomes, wins: _Wins) -> Finding:
    rounds, bet = int(wins.rounds.sum()), standard_bet(columns).text
    unfinished = Finding(TEST, (columns.name,), thing, f"Do outcomes depend on {thing}?", rounds)
    if why := _too_little(wins):
        return unfinished.without(why)
    of_bet = _in_wins(wins, f"{bet} wins")
    of_group = _in_groups(splits, outcomes, wins.asked) if outcomes.names else None
    found = of_bet if of_group is None else min(of_bet, of_group, key=lambda each: each.p)
    searched = 0 if of_group is None else of_group.asked
    observed, expected = found.observed(splits.named[found.split].here)
    return unfinished.with_p(
        min(1.0, 2 * found.p),
        statistic=found.deviations,
        null_law=f"exact: Fisher's permutation test; the most conspicuous of {of_bet.asked:,} splits for the standard bet, and of"
        f" {searched:,} for groups of outcomes (Bonferroni, half of the level each)",
        observed=observed,
        expected=expected,
        power_at=lambda level: _power(wins, splits.named, bet, level / 2),
    )


def _of_all(tables: Sequence[TableColumns], thing: str, named: Sequence[Split], wins: _Wins) -> Finding:
    """Test the bets of all tables; a split selects the same share of each one's rounds, or the same hours."""
    question = f"Do wins of the standard bets of all tables depend on {thing}?"
    names, rounds = tuple(columns.name for columns in tables), int(wins.rounds.sum())
    unfinished = Finding(TEST, names, thing, question, rounds)
    if why := _too_little(wins):
        return unfinished.without(why)
    found = _in_wins(wins, "the standard bet wins")
    observed, expected = found.observed(named[found.split].of_all)
    return unfinished.with_p(
        found.p,
        statistic=found.deviations,
        null_law=f"exact: Fisher's permutation test, table by table; the most conspicuous of {found.asked:,} splits (Bonferroni)",
        observed=observed,
        expected=expected,
        power_at=partial(_power, wins, named, "standard bets", of_all=True),
    )


def _too_little(wins: _Wins) -> str:
    if wins.rounds.sum() < LEAST_ROUNDS:
        return f"needs {LEAST_ROUNDS} rounds for which the log states it"
    return "" if len(wins.asked) else "it is the same for all rounds"


def _outcomes(columns: TableColumns, root: bytes) -> _Outcomes:
    """Return groups by the first thing that is drawn; under changing rules none, unless their law is one."""
    wins, rules = winning(columns), columns.rules_of_rounds
    parts = parts_of(columns, np.ones(len(columns), dtype=np.bool_), root)
    if (len(columns.all_rules) > 1 and not columns.is_flight) or not parts[0].drawn:
        return _Outcomes(wins, rules, np.zeros(len(columns), np.int64), (), np.zeros((0, 1), np.bool_))
    first = parts[0].drawn[0]
    if first.flown is not None:
        names = tuple(f"a multiplier of the highest {100 * (1 - cut):.3g} %" for cut in _CUTS)
        members = np.arange(len(_CUTS) + 1) > np.arange(len(_CUTS))[:, None]
        return _Outcomes(wins, rules, np.searchsorted(_CUTS, first.flown.uniform, side="right"), names, members)
    sample = first.place(0)
    return _of_law(sample.law, sample.classes, wins, rules)


def _of_law(law: Law, classes: Ints, wins: Bools, rules: Ints) -> _Outcomes:
    groups = {
        tuple((grouping.groups == place).tolist()): f"{grouping.name}: {label}"
        for grouping in law.groupings
        if len(grouping.labels) <= _MOST_LABELS
        for place, label in enumerate(grouping.labels)
    }
    return _Outcomes(wins, rules, classes, tuple(groups.values()), np.array(list(groups)))


def _wins(outcomes: _Outcomes, splits: Splits) -> _Wins:
    _, rules = np.unique(outcomes.rules[splits.rounds], return_inverse=True)
    kinds, bins = int(rules.max(initial=-1)) + 1, splits.sets.shape[1]
    places = rules * bins + splits.bins
    counted = _counts_of(places, kinds * bins).reshape(kinds, bins)
    won = _counts_of(places[outcomes.wins[splits.rounds]], kinds * bins).reshape(kinds, bins)
    sets = splits.sets.T.astype(np.int64)
    used = counted.sum(axis=0) > 0
    return _Wins(counted.sum(axis=1), won.sum(axis=1), counted @ sets, won @ sets, splits.sets[:, used])


def _counts_of(places: Ints, number: int) -> Ints:
    return np.bincount(places, minlength=number).astype(np.int64)


def _together(wins: Sequence[_Wins]) -> _Wins:
    rounds, won, rounds_apart, won_apart = (
        np.concatenate([getattr(own, name) for own in wins])
        for name in ("rounds", "won", "rounds_apart", "won_apart")
    )
    members = np.concatenate([own.members for own in wins], axis=1)
    return _Wins(rounds, won, rounds_apart, won_apart, members)


def _in_wins(wins: _Wins, what: str) -> _Conspicuous:
    # For whichever split is chosen, its p times the number of splits is a valid p (Bonferroni).
    asked, won = wins.asked, wins.won_apart.sum(axis=0)
    off = (won - wins.mean) / np.maximum(wins.deviation, np.finfo(float).tiny)
    split = int(asked[np.abs(off[asked]).argmax()])
    apart, count = int(wins.rounds_apart[:, split].sum()), int(won[split])
    return _Conspicuous(
        what,
        split,
        (count, int(wins.won.sum()) - count),
        (apart, int(wins.rounds.sum()) - apart),
        (float(wins.mean[split]), float(wins.won.sum() - wins.mean[split])),
        float(off[split]),
        min(1.0, len(asked) * wins.law(split).either_side(count)),
        len(asked),
    )


def _in_groups(splits: Splits, groups: _Outcomes, asked: Ints) -> _Conspicuous:
    bins, classes = splits.sets.shape[1], groups.members.shape[1]
    table = _counts_of(splits.bins * classes + groups.classes[splits.rounds], bins * classes).reshape(bins, classes)
    counts = splits.sets[asked].astype(np.int64) @ table @ groups.members.T.astype(np.int64)
    apart = (splits.sets[asked].astype(np.int64) @ table.sum(axis=1))[:, None]
    rounds, of_group = len(splits.bins), groups.members.astype(np.int64) @ table.sum(axis=0)
    share = of_group / rounds
    deviation = np.sqrt(apart * share * (1 - share) * (rounds - apart) / max(1, rounds - 1))
    off = (counts - apart * share) / np.maximum(deviation, np.finfo(float).tiny)
    far = np.argsort(-np.abs(off), axis=None, kind="stable")[:_CANDIDATES]
    split, group = np.unravel_index(far, off.shape)
    tails = [
        WholeSum.hypergeometric(rounds, int(of_group[which]), int(apart[at, 0])).either_side(int(counts[at, which]))
        for at, which in zip(split, group, strict=True)
    ]
    least = int(np.argmin(tails))
    at, which = int(split[least]), int(group[least])
    count, size = int(counts[at, which]), int(apart[at, 0])
    return _Conspicuous(
        groups.names[which],
        int(asked[at]),
        (count, int(of_group[which]) - count),
        (size, rounds - size),
        (size * float(share[which]), (rounds - size) * float(share[which])),
        float(off[at, which]),
        min(1.0, off.size * tails[least]),
        off.size,
    )


def _power(wins: _Wins, named: Sequence[Split], bet: str, level: float, *, of_all: bool = False) -> str:
    asked, rounds = wins.asked, int(wins.rounds.sum())
    apart = wins.rounds_apart.sum(axis=0)
    smaller = np.minimum(apart, rounds - apart)
    split = int(asked[np.abs(smaller[asked] / rounds - _EXAMPLE).argmin()])
    size = int(smaller[split])
    shift = noticed_deviations(level / len(asked)) * float(wins.deviation[split]) / size
    where = (named[split].of_all if of_all else named[split].here)[int(apart[split] != size)]
    if shift >= 1:
        return f"{size:,} rounds {where} are too few to show a schedule"
    return (
        f"would have noticed a shift of {points(shift)} in {bet} among the {size:,} rounds {where} with 90 % chance"
    )
