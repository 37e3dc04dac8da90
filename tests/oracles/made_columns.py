"""Tables of made-up honest rounds, in which a test then plants a fault.

The audit of a log whose outcomes do not follow from its seeds fails, so no operator can publish a biased card or a
stuck die in a log that holds: faults of outcomes are planted here. In a log that holds an operator can only choose:
seeds before a batch is committed, rounds to void. `tests/verifier/stats/test_stats_log.py` plants that in real logs.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields, replace
from typing import Any

import msgspec
import numpy as np
from msgspec import structs

from fairness.draws.game import Outcome
from fairness.draws.stream import NO_SALT, Stream, context
from games import GAMES
from games.declared.catalogue import catalogue
from games.declared.parameters import Parameters
from tests.support.columns import numbered, spelled
from verifier.audit.round_rows import BatchRow
from verifier.stats.numbers.columns import Bools, Ints, TableColumns

RULES = {
    "crash": {"cap": 1_000_000, "rtp": 9700, "version": 1},
    "rocketon": {"cap": 500_000, "rtp": 9600, "version": 1},
}
START = 1_795_000_000_000
"""A moment in November 2026, in milliseconds since 1970."""
ROUND_MILLISECONDS = 20_000
NIGHT = 5
"""Night is from midnight to this hour."""


def numbers_of(game: str, rounds: int, random: np.random.Generator, rules: dict[str, int]) -> Ints:
    """Outcomes as the game draws them, as numbers (`spelled`), shape (rounds, k)."""
    if game in RULES:
        hundredths = np.floor(rules["rtp"] / 100 / (1 - random.random(rounds)))
        return np.clip(hundredths, 100, rules["cap"]).astype(np.int64)[:, None]
    if game == "sic-bo":
        return random.integers(1, 7, (rounds, 3))
    least, beyond = {"hi-lo": (0, 25), "penalty": (0, 26), "keno-express": (1, 101)}[game]
    return random.integers(least, beyond, (rounds, 1))


def with_numbers(made: TableColumns, numbers: np.ndarray) -> TableColumns:
    """The same rounds with other outcomes of a game that has a name, given as numbers, shape (rounds, k) or
    (rounds).
    """
    width = numbers.size // max(1, len(made))
    different, places = np.unique(numbers.reshape(len(made), width), axis=0, return_inverse=True)
    texts = [msgspec.json.encode(spelled(made.game, each)).decode() for each in different.tolist()]
    return replace(made, outcome=places.reshape(-1).astype(np.int64), distinct=tuple(texts))


def numbers(made: TableColumns) -> Ints:
    """The outcomes of a game that has a name as numbers, shape (rounds, k)."""
    width = 3 if made.game == "sic-bo" else 1
    return np.array([numbered(each) for each in made.outcomes], np.int64).reshape(-1, width)[made.outcome]


def table(
    game: str, rounds: int, *, seed: int = 0, voids: float = 0.0, batch: int = 1000, name: str = ""
) -> TableColumns:
    """An honest table; ``voids`` is the share of void rounds, chosen at random."""
    random = np.random.default_rng([seed, sorted(GAMES).index(game)])
    rules = RULES.get(game, {"version": 1})
    batches = tuple(
        BatchRow(number + 1, number * batch + 1, (number + 1) * batch, number, number, START, rules)
        for number in range(rounds // batch + 1)
    )
    number = np.arange(1, rounds + 1)
    outcome = numbers_of(game, rounds, random, rules)
    locked = START + ROUND_MILLISECONDS * number
    flight = np.log(outcome[:, 0] / 100) / 0.08 * 1000 if game in RULES else random.gamma(20, 200, rounds)
    lead = GAMES[game].lead
    made = TableColumns(
        name=name or f"{game}-1",
        game=game,
        declaration="",
        lead=lead,
        batches=batches,
        reasons=(),
        distinct=(),
        round=number,
        outcome=number,
        played=np.ones(rounds, np.bool_),
        given_up=np.zeros(rounds, np.bool_),
        reason=np.full(rounds, -1),
        opened=locked - 8_000,
        locked=locked,
        revealed=locked + 400 + flight.astype(np.int64),
        bets=np.random.default_rng([seed, sorted(GAMES).index(game), 1]).poisson(12, rounds),
        batch=(number - 1) // batch,
        lock_position=2 * number,
        reveal_position=2 * number + 1,
        lead_kept=np.where(number <= lead, -1, np.maximum(lead, (number - 1) % batch)),
        unused=number[:0],
        unused_in_all=0,
    )
    return with_voids(with_numbers(made, outcome), random.random(rounds) < voids, random)


def declared_table(
    game: str, rounds: int, *, seed: int = 0, rules: dict[str, int] | None = None, name: str = "", batch: int = 1000
) -> TableColumns:
    """An honest table of a game of the catalogue, drawn by its declaration."""
    (listed,) = (each for each in catalogue() if each.game == game)
    rules = rules or some_rules(listed.declaration.parameters)
    random = np.random.default_rng([seed, len(game), *game.encode()])
    drawn = [
        listed.declaration.outcome(Stream([random.bytes(32)], context(bytes(32), NO_SALT), number), rules)
        for number in range(1, rounds + 1)
    ]
    like = table("keno-express", rounds, seed=seed, name=name or f"{game}-1", batch=batch)
    batches = tuple(structs.replace(each, rules=rules) for each in like.batches)
    return with_drawn(
        replace(like, game=game, lead=1, batches=batches, declaration=listed.declaration.text.decode()), drawn
    )


def some_rules(parameters: Parameters) -> dict[str, int]:
    """A few of each thing, and unequal weights."""
    rules = {
        name: sum(bounds) // 2 if bounds.most > 5000 else min(bounds.most, max(bounds.least, 6))
        for name, bounds in parameters.plain.items()
    }
    for prefix, (size, bounds) in parameters.families.items():
        rules |= {f"{prefix}{at}": min(bounds.most, bounds.least + 9 + at) for at in range(1, rules[size] + 1)}
    return {**rules, "version": 1}


def with_drawn(made: TableColumns, outcomes: Sequence[Outcome]) -> TableColumns:
    """The same rounds with these outcomes."""
    texts = [msgspec.json.encode(each).decode() for each in outcomes]
    distinct = {text: at for at, text in enumerate(dict.fromkeys(texts))}
    return replace(made, outcome=np.array([distinct[text] for text in texts], np.int64), distinct=tuple(distinct))


def drawn(made: TableColumns) -> list[dict[str, Any]]:
    """The outcomes of the rounds, in their order."""
    return [msgspec.json.decode(made.distinct[at]) for at in made.outcome.tolist()]


def with_voids(made: TableColumns, void: Bools, random: np.random.Generator) -> TableColumns:
    """The same rounds with these void: a third never opened, a third opened and given up, a third locked."""
    kind = np.where(void, random.integers(0, 3, len(made)), -1)
    return replace(
        made,
        reasons=("engine failure", "engine never came", "power cut <b>at</b> \"hall\" & bar 'B'")
        if void.any()
        else (),
        played=~void,
        given_up=(kind == 0) | (kind == 1),
        reason=kind,
        opened=np.where(kind == 0, -1, made.opened),
        bets=np.where((kind == 0) | (kind == 1), -1, made.bets),
        lead_kept=np.where((kind == 0) | (kind == 1), -1, made.lead_kept),
    )


def closed_after(made: TableColumns, rounds: int) -> TableColumns:
    """The same table, closed after this many rounds; the rest was never played."""
    kept = {
        each.name: getattr(made, each.name)[:rounds]
        for each in fields(made)
        if isinstance(getattr(made, each.name), np.ndarray) and each.name != "unused"
    }
    left = made.batches[-1].last - rounds
    return replace(made, **kept, unused=made.outcome[rounds : rounds + 100], unused_in_all=left)


def with_habits(made: TableColumns, seed: int = 0) -> TableColumns:
    """The same honest rounds, with bets and times that depend on the hour and the previous outcome, as with real
    players.

    After a costly round there are more bets, and betting takes longer; at night there are few, and some without a
    digest.
    """
    random, rounds = np.random.default_rng([seed, 77]), len(made)
    rank = numbers(made).sum(axis=1).argsort(kind="stable").argsort() / max(1, rounds)
    before = np.concatenate([[0.5], rank[:-1]])[:rounds]
    night = made.locked // 3_600_000 % 24 < NIGHT
    bets = random.poisson(np.where(night, 1.5, 15.0) * (0.3 + 1.4 * before))
    none = made.given_up | (night & (random.random(rounds) < 0.3))
    opened = made.locked - 1_000 - (8_000 * before).astype(np.int64)
    return replace(made, bets=np.where(none, -1, bets), opened=np.where(made.opened < 0, -1, opened))


def six_tables(rounds: int, *, seed: int = 0, voids: float = 0.0) -> list[TableColumns]:
    """One table of each game, all with the same number of rounds."""
    return [table(game, rounds, seed=seed, voids=voids) for game in sorted(GAMES)]


def eight_tables(rounds: int, *, seed: int = 0) -> list[TableColumns]:
    """One table of each game, and a second one of Crash and of HI LO."""
    second = [table(game, rounds, seed=seed + 1_000_000, name=f"{game}-2") for game in ("crash", "hi-lo")]
    return [*six_tables(rounds, seed=seed), *second]
