"""The exact law of every game's outcome, in the forms in which the tests ask for it.

Five games draw uniformly from a short list: there a class is an outcome, and each is as likely as any
other. A multiplier has a law of its own (SPEC 3.4), with an atom at 1.00 and one at the cap. It is
brought to the uniform law on [0, 1) by the *randomised probability transform*: the outcome h becomes a
number of the interval from P(X < h) to P(X <= h), the place in it by a word of its own. Then its law is
exactly uniform, atoms and changing rules and all, and its classes are the ten tenths of that interval.

The words follow from the log's root hash and the table's name (SHAKE-256), so whoever reads the same
log gets the same figures, and nobody could choose them outcome by outcome.
"""

from __future__ import annotations

import hashlib
import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from fairness.draws.stream import SMALLEST_MULTIPLIER
from games.hi_lo import COLORS, DECK, RANKS
from games.keno_express import NUMBERS
from games.penalty import ENDS, SECTORS, is_yellow
from games.sic_bo import FACES
from verifier.stats.numbers.columns import Bools, Floats, Ints, TableColumns

TENTHS = 10
_WORD = 8
_SINGLE_BITS = 11
"""A double has 53 of a word's 64 bits."""


@dataclass(frozen=True, slots=True, eq=False)
class Grouping:
    """Classes put together into groups that mean something to players: ``groups[class]`` is a place in ``labels``."""

    name: str
    labels: tuple[str, ...]
    groups: Ints

    @property
    def chances(self) -> Floats:
        """Each group's exact chance: its share of the classes."""
        return np.bincount(self.groups, minlength=len(self.labels)) / len(self.groups)

    @property
    def is_uniform(self) -> bool:
        """Whether all groups are equally likely."""
        return len(set(np.bincount(self.groups, minlength=len(self.labels)).tolist())) == 1


@dataclass(frozen=True, slots=True, eq=False)
class Law:
    """A game's outcomes as equally likely classes 0, 1, …, and what is asked about them."""

    one: str
    """What one class is called: ``card``."""
    classes: int
    groupings: tuple[Grouping, ...]
    """The first has each class for itself."""
    half: tuple[str, Ints]
    """A split into two halves that are equally likely, by class: 0, 1, or -1 for a class of neither."""
    event: tuple[str, Bools]
    """Something rare that players wait for, by class."""
    scores: Floats
    """By class a number of mean 0, variance 1 and a symmetric law, for correlations."""


@dataclass(frozen=True, slots=True, eq=False)
class Sample:
    """The final outcomes of some tables of one game, table after table, in the order of play."""

    tables: tuple[str, ...]
    game: str
    law: Law
    classes: Ints
    uniform: Floats | None
    """Multipliers as numbers of [0, 1); the lower tenths are the lower multipliers."""

    def __len__(self) -> int:
        return len(self.classes)

    @property
    def scores(self) -> Floats:
        """What correlations are made of."""
        return self.law.scores[self.classes] if self.uniform is None else (self.uniform - 0.5) * np.sqrt(12.0)


def sample_of(table: TableColumns, root: bytes) -> Sample:
    """The played rounds of one table."""
    classes, uniform = classes_of(table, root)
    drawn = None if uniform is None else uniform[table.played]
    return Sample((table.name,), table.game, LAWS[table.game], classes[table.played], drawn)


def pooled(samples: Sequence[Sample]) -> Sample:
    """Several tables of one game as one sequence, one after the other: as independent as each of them."""
    first = samples[0]
    uniform = (
        None
        if first.uniform is None
        else np.concatenate([each.uniform for each in samples if each.uniform is not None])
    )
    return Sample(
        tuple(name for each in samples for name in each.tables),
        first.game,
        first.law,
        np.concatenate([each.classes for each in samples]),
        uniform,
    )


def classes_of(table: TableColumns, root: bytes) -> tuple[Ints, Floats | None]:
    """Of every round, void ones included, its class; of multipliers the uniform number, too."""
    first = table.outcome[:, 0]
    if is_multiplier(table.game):
        uniform = _transformed(table, root)
        return (uniform * TENTHS).astype(np.int64), uniform
    if table.game == "sic-bo":
        return (table.outcome - 1) @ np.array([36, 6, 1]), None
    return (first - 1 if table.game == "keno-express" else first), None


def is_multiplier(game: str) -> bool:
    """Whether the outcome is a multiplier."""
    return game in {"crash", "rocketon"}


def at_least(hundredths: Ints, rtp: Ints | int, cap: Ints | int) -> Floats:
    """P(multiplier >= h), the exact law rounded to a double: rtp / (100 h) above 1.00, 1 below, and 0 above the cap."""
    chance = np.asarray(rtp) / (SMALLEST_MULTIPLIER * np.maximum(hundredths, 1))
    return np.where(hundredths <= SMALLEST_MULTIPLIER, 1.0, np.where(hundredths <= cap, chance, 0.0))


def parameter(table: TableColumns, name: str) -> Ints:
    """Of every round one parameter of the rules that its batch had."""
    return np.array([batch.rules[name] for batch in table.batches], dtype=np.int64)[table.batch]


def _transformed(table: TableColumns, root: bytes) -> Floats:
    hundredths, rtp, cap = table.outcome[:, 0], parameter(table, "rtp"), parameter(table, "cap")
    lower, upper = 1 - at_least(hundredths, rtp, cap), 1 - at_least(hundredths + 1, rtp, cap)
    words = hashlib.shake_256(b"foredraw statistics\0" + root + table.name.encode()).digest(_WORD * len(table))
    within = (np.frombuffer(words, dtype=">u8") >> np.uint64(_SINGLE_BITS)) * 2.0**-53
    return np.clip(lower + (upper - lower) * within, 0, np.nextafter(1.0, 0))


def _ladder(classes: int) -> Floats:
    """Equally likely scores, evenly spaced."""
    places = np.arange(classes) - (classes - 1) / 2
    return np.asarray(places / places.std())


def _grouping(name: str, labels: Sequence[str], groups: Sequence[int] | Ints) -> Grouping:
    return Grouping(name, tuple(labels), np.asarray(groups, dtype=np.int64))


def _hi_lo() -> Law:
    cards = [f"{card['card']} {card.get('color', '')}".strip() for card in DECK]
    joker, count = len(DECK) - 1, len(DECK)
    color = np.array([place % len(COLORS) for place in range(joker)] + [len(COLORS)])
    return Law(
        "card",
        count,
        (
            _grouping("cards", cards, range(count)),
            _grouping("ranks", [*RANKS, "Joker"], [place // len(COLORS) for place in range(count)]),
            _grouping("colours", [*COLORS, "Joker"], color),
        ),
        ("red and black", np.where(color < len(COLORS), color, -1)),
        ("the Joker", np.arange(count) == joker),
        _ladder(count),
    )


def _sic_bo() -> Law:
    throws = np.array(list(itertools.product(FACES, repeat=3)))
    sums, triple = throws.sum(axis=1), (throws == throws[:, :1]).all(axis=1)
    faces, count = [str(face) for face in FACES], len(throws)
    dice = [_grouping(f"die {place + 1}", faces, throws[:, place] - 1) for place in range(3)]
    return Law(
        "throw",
        count,
        (
            _grouping("throws", ["-".join(map(str, throw)) for throw in throws], range(count)),
            *dice,
            _grouping("sums", [str(total) for total in range(3, 19)], sums - 3),
            _grouping("triples", ["no triple", "a triple"], triple),
        ),
        ("sums to 10 and from 11", (sums > 10).astype(np.int64)),  # noqa: PLR2004
        ("a triple", triple),
        (sums - sums.mean()) / sums.std(),
    )


def _penalty() -> Law:
    ends = [f"sector {end['sector']}" if "sector" in end else str(end["result"]) for end in ENDS]
    color = np.array([0 if is_yellow(sector) else 1 for sector in range(1, SECTORS + 1)] + [2, 2])
    return Law(
        "end",
        len(ENDS),
        (
            _grouping("ends", ends, range(len(ENDS))),
            _grouping("colours", ["yellow", "blue", "bar or failure"], color),
        ),
        ("yellow and blue", np.where(color < 2, color, -1)),  # noqa: PLR2004
        ("the bar or a failure", color == 2),  # noqa: PLR2004
        _ladder(len(ENDS)),
    )


def _keno_express() -> Law:
    numbers = np.arange(NUMBERS)
    tens = [f"{first}-{first + 9}" for first in range(1, NUMBERS, 10)]
    return Law(
        "number",
        NUMBERS,
        (
            _grouping("numbers", [str(number + 1) for number in numbers], numbers),
            _grouping("tens", tens, numbers // 10),
            _grouping("odd and even", ["odd", "even"], numbers % 2),
        ),
        ("1-50 and 51-100", numbers // (NUMBERS // 2)),
        ("a number up to 10", numbers < 10),  # noqa: PLR2004
        _ladder(NUMBERS),
    )


def _multiplier() -> Law:
    tenths = np.arange(TENTHS)
    labels = ["lowest tenth", *(f"tenth {place + 1}" for place in tenths[1:-1]), "highest tenth"]
    return Law(
        "tenth",
        TENTHS,
        (_grouping("tenths of the law", labels, tenths),),
        ("low and high halves", tenths // (TENTHS // 2)),
        ("a multiplier of the highest tenth", tenths == TENTHS - 1),
        _ladder(TENTHS),
    )


LAWS: Mapping[str, Law] = {
    "crash": _multiplier(),
    "rocketon": _multiplier(),
    "hi-lo": _hi_lo(),
    "sic-bo": _sic_bo(),
    "penalty": _penalty(),
    "keno-express": _keno_express(),
}
