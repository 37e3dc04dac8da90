"""Between tables: is the outcome at one table correlated with that of another one?"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence

import numpy as np

from verifier.stats.numbers.chance import correlation_noticed, normal_p
from verifier.stats.numbers.columns import Bools, Floats, Ints, TableColumns
from verifier.stats.numbers.family import smallest_of
from verifier.stats.numbers.finding import Finding
from verifier.stats.numbers.samples import first_scores

LEAST_ROUNDS = 1000


def between_tables(tables: Sequence[TableColumns], root: bytes) -> Iterator[Finding]:
    """Yield correlations of all pairs of tables: at the same round number, and with the other table's last round."""
    if len(tables) < 2:
        return
    scores = [first_scores(table, root) for table in tables]
    names = tuple(table.name for table in tables)
    same, last = [], []
    for i, j in itertools.permutations(range(len(tables)), 2):
        pair = f"{names[i]} with {names[j]}"
        if i < j:
            size = min(len(tables[i]), len(tables[j]))
            both = tables[i].played[:size] & tables[j].played[:size]
            same.append((pair, scores[i][:size][both], scores[j][:size][both]))
        before = np.searchsorted(tables[j].lock_position, tables[i].lock_position) - 1
        both = tables[i].played & (before >= 0) & _at(tables[j].played, before)
        last.append((pair, scores[i][both], scores[j][before[both]]))
    question = "Are outcomes of one round number alike at two tables?"
    yield _correlation(names, "same round of two tables", question, same)
    question = "Do outcomes depend on what another table drew last?"
    yield _correlation(names, "last round of another table", question, last)


def _at(values: Bools, places: Ints) -> Bools:
    return values[np.maximum(places, 0)] if len(values) else np.zeros(len(places), dtype=np.bool_)


def _correlation(
    names: tuple[str, ...], subject: str, question: str, pairs: list[tuple[str, Floats, Floats]]
) -> Finding:
    long = [pair for pair in pairs if len(pair[1]) >= LEAST_ROUNDS]
    unfinished = Finding("correlation", names, subject, question, sum(len(first) for _, first, _ in long))
    if not long:
        return unfinished.without(f"needs {LEAST_ROUNDS:,} rounds that two tables have both played")
    # The first table's scores have mean 0 and variance 1, whatever the second one's are, so this is the sum's exact
    # deviation.
    deviations = [(float(first @ second), float(np.sqrt(second @ second))) for _, first, second in long]
    place, p = smallest_of([normal_p(total / deviation) for total, deviation in deviations])
    pair, first, second = long[place]
    size = len(first)
    return unfinished.with_p(
        p,
        statistic=float(first @ second) / size,
        null_law=f"limit: normal with the exact variance, used from {LEAST_ROUNDS:,} rounds; the most conspicuous of {len(long)} pairs (Bonferroni)",
        observed=f"correlation {float(first @ second) / size:+.4f} of {pair}",
        expected=f"0 ± {1 / np.sqrt(size):.4f}",
        power_at=lambda level: correlation_noticed(size, level / len(long), "of two of them"),
    )
