"""How often honest logs of a mixed catalogue raise an alarm: 200 made-up logs, each of six tables of other games.

make clean-logs
"""

from __future__ import annotations

import sys
from dataclasses import replace

import numpy as np

from games import GAMES
from games.declared.catalogue import catalogue
from tests.oracles.made_columns import declared_table, table, with_voids
from verifier.stats.numbers.columns import TableColumns
from verifier.stats.numbers.family import FALSE_ALARMS, judge
from verifier.stats.statistics import findings_of

LOGS, ROUNDS, TABLES = 200, 1_100, 6
_ROOT = bytes(range(32))
_DECLARED = tuple(each.game for each in catalogue() if each.game not in GAMES)


def clean_log(seed: int) -> list[TableColumns]:
    """Honest tables: one of a game with a name, and five declared ones, two of which are alike."""
    random = np.random.default_rng([seed, 3])
    games = [_DECLARED[(seed * (TABLES - 2) + at) % len(_DECLARED)] for at in range(TABLES - 2)]
    made = [declared_table(game, ROUNDS, seed=seed) for game in games]
    made.append(declared_table(games[0], ROUNDS, seed=seed + 1_000_000, name=f"{games[0]}-2"))
    made = [with_voids(each, random.random(ROUNDS) < 0.02, random) for each in made]
    named = sorted(GAMES)[seed % len(GAMES)]
    return [table(named, ROUNDS, seed=seed, voids=0.02), *(replace(each, lead=1) for each in made)]


def raised(logs: int) -> tuple[int, list[float]]:
    """How many of so many logs raise an alarm, and the p of all tests."""
    alarmed, p_values = 0, list[float]()
    for seed in range(logs):
        judged = judge(list(findings_of(clean_log(seed), _ROOT)))
        alarmed += any(each.alarm for each in judged)
        p_values += [each.finding.p for each in judged if each.finding.p is not None]
    return alarmed, p_values


def main() -> None:
    """Print the figures."""
    logs = int(sys.argv[1]) if len(sys.argv) > 1 else LOGS
    alarmed, p_values = raised(logs)
    shares = ", ".join(f"{np.mean(np.array(p_values) <= level):.5f} at {level}" for level in (0.1, 0.01, 0.001))
    print(f"{alarmed} of {logs} logs raise an alarm; at most {FALSE_ALARMS:.0%} of many do")
    print(f"{len(p_values):,} tests; share of p at most the level: {shares}")


if __name__ == "__main__":
    main()
