"""Void rounds: how many, why, and whether their outcomes were chosen.

A void round reveals the outcome that it would have had. If nobody chose the void rounds by their outcomes, then given
all outcomes and the number of void rounds, every choice of that many rounds is equally likely. This null distribution
is exact for any number of rounds, and does not depend on the law of the game.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from games.bets.laws.devices import CASH_OUTS
from verifier.stats.conduct.returns import WIDTH, has_standard_bet, standard_bet, winning
from verifier.stats.numbers.cells import Cells, cells_of
from verifier.stats.numbers.chance import POWER, at_least_p, noticed_deviations, noticed_excess
from verifier.stats.numbers.columns import Bools, Floats, Ints, TableColumns
from verifier.stats.numbers.finding import Finding
from verifier.stats.numbers.samples import parts_by_rules
from verifier.stats.numbers.whole_sums import WholeSum
from verifier.stats.numbers.words import per_cent

OUTCOMES, COSTLY = "void-outcomes", "void-pays-more"
CLASSES = ("never opened", "opened, not locked", "locked")
"""What preceded a void round. If it was locked, its engine knew the outcome."""

_MOST_DRAWN = 199_999
_ENOUGH = 20
"""Drawing stops after this many draws that are as strange as what was found (Besag and Clifford, 1991)."""
_AT_ONCE = 1_000
_SEED = 1
_TIES = 1e-9


@dataclass(frozen=True, slots=True)
class VoidsByReason:
    """Void rounds with one reason."""

    reason: str
    rounds: int


@dataclass(frozen=True, slots=True)
class TableVoided:
    """The void rounds of a table."""

    table: str
    rounds: int
    void: int
    by_class: dict[str, int]
    """In the order of `CLASSES`."""
    reasons: tuple[VoidsByReason, ...]
    """The most frequent first."""

    @property
    def rate(self) -> float:
        """The share of void rounds among all rounds."""
        return self.void / self.rounds if self.rounds else 0.0


def voids_of(columns: TableColumns) -> TableVoided:
    """Count the void rounds of one table."""
    classes = class_of_voids(columns)
    counts = np.bincount(columns.reason[columns.reason >= 0], minlength=len(columns.reasons)).tolist()
    reasons = sorted(map(VoidsByReason, columns.reasons, counts), key=lambda each: (-each.rounds, each.reason))
    by_class = {name: int((classes == place).sum()) for place, name in enumerate(CLASSES)}
    return TableVoided(columns.name, len(columns), len(classes), by_class, tuple(reasons))


def class_of_voids(columns: TableColumns) -> Ints:
    """Return the index in `CLASSES` of each void round."""
    void = ~columns.played
    given_up, opened = columns.given_up[void], columns.opened[void] >= 0
    return np.where(~given_up, 2, np.where(opened, 1, 0)).astype(np.int64)


def judge_voids(tables: Sequence[TableColumns]) -> list[Finding]:
    """Return a test of outcomes for each table with void rounds, and tests of standard bets, for each and for all."""
    judged = [columns for columns in tables if not columns.played.all() and columns.played.any()]
    findings: list[Finding] = []
    for columns in judged:
        cells = cells_of(columns)
        findings += _things(columns) if cells is None else [_outcomes(columns, cells)]
        findings += [_costly([columns])] if has_standard_bet(columns) else []
    betted = [columns for columns in judged if has_standard_bet(columns)]
    return [*findings, _costly(betted)] if len(betted) > 1 else findings


@dataclass(frozen=True, slots=True, eq=False)
class VoidWins:
    """How many of some void rounds the standard bet would have won."""

    won: int
    voids: int
    law: WholeSum
    """The law of ``won`` if nobody chose."""
    strata: int
    """The number of sets of rules; rounds are compared only with rounds under the same rules."""


def void_wins(tables: Sequence[TableColumns]) -> VoidWins:
    """Count over all void rounds of these tables, each compared with its table's rounds under the same rules."""
    won = voids = 0
    parts: list[WholeSum] = []
    for columns in tables:
        wins, void = winning(columns), ~columns.played
        for rules in _each(columns.rules_of_rounds):
            n, all_won, drawn = int(rules.sum()), int(wins[rules].sum()), int(void[rules].sum())
            parts.append(WholeSum.hypergeometric(n, all_won, drawn))
        won, voids = won + int((wins & void).sum()), voids + int(void.sum())
    return VoidWins(won, voids, WholeSum.total(parts), len(parts))


def _costly(tables: Sequence[TableColumns]) -> Finding:
    """Test whether the standard bet would have won more often in void rounds than in played ones."""
    found, names = void_wins(tables), tuple(columns.name for columns in tables)
    text = standard_bet(tables[0]).text if len(tables) == 1 else "the standard bet"
    question = f"Would {text} have won in void rounds more often than in played ones?"
    subject = text if len(tables) == 1 else "standard bets"
    return Finding(COSTLY, names, subject, question, sum(map(len, tables))).with_p(
        found.law.at_least(found.won),
        statistic=found.law.z(found.won),
        null_law=f"{'Fisher' if found.strata == 1 else 'stratified Fisher'}, one-sided, exact",
        observed=f"{found.won:,} of {found.voids:,} void rounds",
        expected=_give_or_take(found.law),
        power_at=lambda level: _power(found.law, found.voids, level),
    )


def _give_or_take(law: WholeSum) -> str:
    return f"{law.mean:,.1f} ± {WIDTH * law.deviation:,.1f}"


def _power(law: WholeSum, voids: int, level: float) -> str:
    need = law.critical(level, voids)
    if need is None:
        return f"{voids} void rounds are too few to show a choice, whatever their outcomes"
    for percent in range(1, 101):
        if at_least_p(need, voids, percent / 100) >= POWER:
            return f"would have noticed with 90 % chance if {percent} % of void rounds had won"
    return f"would have noticed only if at least {need} of {voids} void rounds had won"


def _outcomes(columns: TableColumns, cells: Cells) -> Finding:
    """Test whether the outcomes of void rounds differ in any way from the others'."""
    names, of_rounds, void = cells.names, cells.of[columns.outcome], ~columns.played
    strata = [
        (np.bincount(of_rounds[rules], minlength=len(names)), int(void[rules].sum()))
        for rules in _each(columns.rules_of_rounds)
    ]
    counts, rest = (np.bincount(of_rounds[some], minlength=len(names)) for some in (void, ~void))
    voids, cuts = int(counts.sum()), len(names) - 1
    share, usual = counts / voids, rest / rest.sum()
    most = int(np.argmax(share - usual))
    steps = columns.is_flight
    statistic, p = _at_cash_outs(counts, strata) if steps else _chi_square_permuted(counts, strata)
    exact = f"Fisher at each of {cuts} cash-outs, exact"
    question = "Do the would-be outcomes of void rounds differ from those of played ones?"
    return _asked(columns, "multipliers" if steps else "outcomes", question).with_p(
        p,
        statistic=statistic,
        null_law=exact if steps else "chi-square over all choices of void rounds",
        observed=f"{names[most]}: {per_cent(share[most], 1)} of {voids:,} void rounds",
        expected=f"{per_cent(usual[most], 1)}, as in played rounds",
        power_at=lambda level: _power_of_choice(voids, None if steps else cuts, level),
    )


def _asked(columns: TableColumns, subject: str, question: str) -> Finding:
    return Finding(OUTCOMES, (columns.name,), subject, question, len(columns))


Thing = tuple[str, str]
"""The name of a device or of its first place, and a label."""


def _things(columns: TableColumns) -> list[Finding]:
    """Test for each thing of a game, if it has any, whether void rounds have it too often or too rarely.

    A round has a thing or not, so the number of void rounds that have it is hypergeometric, whatever else it draws.
    """
    totals, found = _laws_of_things(columns)
    if not totals:
        return []
    p_values = {thing: law.either_side(found[thing]) for thing, law in totals.items()}
    most = min(p_values, key=lambda thing: p_values[thing])
    law, voids = totals[most], int((~columns.played).sum())
    unfinished = _asked(columns, "things", "Do void rounds have anything more often or less often than played ones?")
    return [
        unfinished.with_p(
            min(1.0, len(totals) * p_values[most]),
            statistic=law.z(found[most]),
            null_law=f"Fisher for each of {len(totals)} things, exact",
            observed=f"{most[0]}: {most[1]} in {found[most]:,} of {voids:,} void rounds",
            expected=_give_or_take(law),
            power_at=lambda level: _power_of_choice(voids, None, level, len(totals)),
        )
    ]


def _laws_of_things(columns: TableColumns) -> tuple[dict[Thing, WholeSum], Counter[Thing]]:
    """Return how many void rounds have each thing, as the first or at all, if nobody chose; and how many do."""
    laws, found = defaultdict[Thing, list[WholeSum]](list), Counter[Thing]()
    for part in parts_by_rules(columns, np.ones(len(columns), dtype=np.bool_)):
        void = ~columns.played[part.rounds]
        for drawn, first in [(each, first) for each in part.drawn for first in sorted({1, each.device.telling})]:
            device, has = drawn.device, drawn.has(first)
            name = device.place(0) if first == 1 else device.name
            for label, every, chosen in zip(device.labels, has.sum(axis=0), has[void].sum(axis=0), strict=True):
                laws[name, label].append(WholeSum.hypergeometric(len(void), int(every), int(void.sum())))
                found[name, label] += int(chosen)
    return {thing: WholeSum.total(parts) for thing, parts in laws.items()}, found


def _power_of_choice(voids: int, freedom: int | None, level: float, looks: int = len(CASH_OUTS)) -> str:
    """Return what would be noticed if about half of all rounds were preferred, by the limit law of the statistic.

    ``freedom`` is the number of degrees of freedom of a chi-square, `None` for counts at so many cash-outs, or of so
    many things.
    """
    need = noticed_deviations(level / looks) ** 2 if freedom is None else noticed_excess(freedom, level)
    share = math.sqrt(need / voids)
    if share > 1:
        return f"{voids} void rounds are too few to show a choice among half of all outcomes"
    return f"would have noticed with 90 % chance if {per_cent(share, 0)} of void rounds had been chosen for half of all outcomes"


Strata = Sequence[tuple[Ints, int]]
"""For each set of rules: how many rounds, void or not, are in each cell, and how many rounds are void."""


def _at_cash_outs(counts: Ints, strata: Strata) -> tuple[float, float]:
    """Return the largest distance between both distribution functions in standard deviations, and its p.

    Like the test of Kolmogorov and Smirnov, but only at the cash-outs that the returns list, each by its exact law,
    so that ties and the long tail do no harm. The smallest p is multiplied by their number (Bonferroni).
    """
    deviations, p_values = [], []
    for at in range(1, len(counts)):
        reaching = [(int(cells.sum()), int(cells[at:].sum()), drawn) for cells, drawn in strata]
        law, reached = WholeSum.total(WholeSum.hypergeometric(*each) for each in reaching), int(counts[at:].sum())
        deviations.append(abs(law.z(reached)))
        p_values.append(law.either_side(reached))
    return max(deviations), min(1.0, len(p_values) * min(p_values))


def _chi_square_permuted(counts: Ints, strata: Strata) -> tuple[float, float]:
    """Return the statistic, and its p over all choices of void rounds, by random choices until it is settled.

    These are drawn from a fixed seed, so the same log has the same p. It is valid for any number of draws.
    """
    found = float(_chi_square(counts[None], strata)[0])
    random = np.random.default_rng(_SEED)
    drawn = strange = 0
    while drawn < _MOST_DRAWN:
        size = min(_AT_ONCE, _MOST_DRAWN - drawn)
        choices = [random.multivariate_hypergeometric(cells, of, size, method="marginals") for cells, of in strata]
        hits = np.cumsum(_chi_square(np.sum(choices, axis=0), strata) >= found - _TIES)
        if strange + hits[-1] >= _ENOUGH:
            return found, _ENOUGH / (drawn + int(np.searchsorted(hits, _ENOUGH - strange)) + 1)
        drawn, strange = drawn + size, strange + int(hits[-1])
    return found, (strange + 1) / (drawn + 1)


def _chi_square(counts: Ints, strata: Strata) -> Floats:
    """Return the statistic of each row of ``counts``, shape (any, cells), against the distribution of all rounds."""
    expected = np.sum([drawn * cells / cells.sum() for cells, drawn in strata], axis=0)
    some = expected > 0
    far: Floats = ((counts - expected)[:, some] ** 2 / expected[some]).sum(axis=1)
    return far


def _each(numbers: Ints) -> list[Bools]:
    return [numbers == number for number in np.unique(numbers)]
