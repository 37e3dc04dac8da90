"""One table's rounds as columns of numbers, from which all statistics are computed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Self

import msgspec
import numpy as np
from numpy.typing import NDArray

from fairness.draws.game import Outcome
from games.facts import FACTS, PLAIN
from games.facts.facts import Facts
from verifier.audit.round_rows import NONE, ROW_FIELDS, BatchRow, RoundRows

Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]
Floats = NDArray[np.float64]

_NEVER = np.iinfo(np.int64).max


@dataclass(frozen=True, slots=True, eq=False)
class TableColumns:
    """Every round of a table that ended, including void ones, in the order of play: n rounds, arrays of length n."""

    name: str
    game: str
    lead: int
    """What the table's record promises."""
    batches: tuple[BatchRow, ...]
    reasons: tuple[str, ...]
    """The reasons of void rounds, each once."""

    round: Ints
    outcome: Ints
    """Shape (n, k), the game's `Numbers`. A multiplier: hundredths. HI LO: the card's place in the deck, 0 to 24. Sic Bo: three
    dice. Penalty: 0 to 23 are sectors 1 to 24, 24 the bar, 25 failure. Keno Express: the number, 1 to 100. A void round has
    the outcome that it would have had: its reveal says so. A declared game: an index in ``distinct``."""
    played: Bools
    """False: void."""
    given_up: Bools
    """Void without having been locked for play: never opened if ``opened`` is -1, otherwise opened and dropped."""
    reason: Ints
    """An index in ``reasons``; -1 if there is none."""
    opened: Ints
    """Milliseconds since 1970; -1 for a round that was never opened."""
    locked: Ints
    revealed: Ints
    bets: Ints
    """How many bets the lock's digest counts; -1 for a lock without a digest."""
    batch: Ints
    """An index in ``batches``."""
    lock_position: Ints
    """The index of the lock's record in the log, common to all tables; unlike times, its order is proven."""
    reveal_position: Ints
    lead_kept: Ints
    """The distance in played rounds (SPEC 4.4): rounds locked and not given up between the record that fixed a round
    (its batch, or the batch's salt) and its own lock. -1 for the first ``lead`` rounds and for rounds given up, which need none."""
    ahead: Ints
    """How many rounds after this one were fixed, without a gap, when it was locked."""
    unused: Ints
    """Shape (m, k): the outcomes that the first unused rounds of a closed table would have had, as in ``outcome``; empty
    if the table is not closed."""
    unused_in_all: int
    declaration: str = ""
    """The one spelling of a declared game; empty for a game that is known by its name."""
    distinct: tuple[str, ...] = ()
    """The outcomes of a declared game as JSON, each once."""

    def __len__(self) -> int:
        return len(self.round)

    @property
    def facts(self) -> Facts:
        """The facts of its game; nothing is known of a declared one but its declaration."""
        return PLAIN if self.declaration else FACTS[self.game]

    @property
    def rules(self) -> dict[str, int]:
        """The rules of the last batch; a round's own are ``batches[batch].rules``."""
        return self.batches[-1].rules

    @property
    def rules_of_rounds(self) -> Ints:
        """A number for each round's rules: rounds with the same number had the same rules."""
        spellings = [tuple(sorted(batch.rules.items())) for batch in self.batches]
        numbers = {rules: number for number, rules in enumerate(dict.fromkeys(spellings))}
        return np.array([numbers[rules] for rules in spellings], dtype=np.int64)[self.batch]

    @property
    def outcomes(self) -> list[Outcome]:
        """Those of ``distinct``."""
        return [msgspec.json.decode(text) for text in self.distinct]

    def outcome_of(self, numbers: Sequence[int]) -> Outcome:
        """The outcome that these numbers are."""
        if not self.declaration:
            return self.facts.numbers.outcome(numbers)
        found: Outcome = msgspec.json.decode(self.distinct[numbers[0]])
        return found

    @property
    def final(self) -> Ints:
        """The outcomes of played rounds, shape (m, k)."""
        return self.outcome[self.played]

    @classmethod
    def of(cls, name: str, gathered: RoundRows, unused: Sequence[Outcome] = (), unused_in_all: int = 0) -> Self:
        """Turn what an audit gathered into columns; ``unused`` are the first outcomes after a closed table's end."""
        rows = np.frombuffer(b"".join(gathered.rows), dtype=np.dtype(list(ROW_FIELDS)))
        first, last, fixed_position = (
            np.array([getattr(batch, key) for batch in gathered.batches], dtype=np.int64)
            for key in ("first", "last", "fixed_position")
        )
        # Salts may come in any order: a batch counts once it and all before it are fixed.
        fixed_through = np.maximum.accumulate(np.where(fixed_position == NONE, _NEVER, fixed_position))
        number, lock_position = rows["round"], rows["lock_position"]
        count = 1 if gathered.declaration else FACTS[gathered.game].numbers.count
        left = np.array([gathered.numbers_of(outcome) for outcome in unused], dtype=np.int64).reshape(-1, 3)
        batch = np.searchsorted(first, number, side="right") - 1
        newest_fixed = np.searchsorted(fixed_through, lock_position) - 1
        return cls(
            name=name,
            game=gathered.game,
            lead=gathered.lead,
            batches=tuple(gathered.batches),
            reasons=tuple(gathered.reasons),
            round=number.astype(np.int64),
            outcome=rows["outcome"][:, :count].astype(np.int64),
            played=rows["played"].copy(),
            given_up=rows["given_up"].copy(),
            reason=rows["reason"].astype(np.int64),
            opened=rows["opened"].astype(np.int64),
            locked=rows["locked"].astype(np.int64),
            revealed=rows["revealed"].astype(np.int64),
            bets=rows["bets"].astype(np.int64),
            batch=batch,
            lock_position=lock_position.astype(np.int64),
            reveal_position=rows["reveal_position"].astype(np.int64),
            lead_kept=_distances(rows["given_up"], lock_position, fixed_position[batch], number, gathered.lead),
            ahead=(last[newest_fixed] - number) if len(number) else number.astype(np.int64),
            unused=left[:, :count],
            unused_in_all=unused_in_all,
            declaration=gathered.declaration,
            distinct=tuple(gathered.outcomes),
        )


def _distances(given_up: Bools, lock_position: Ints, fixed_at: Ints, number: Ints, lead: int) -> Ints:
    engine_locks = lock_position[~given_up]
    distance = np.searchsorted(engine_locks, lock_position) - np.searchsorted(engine_locks, fixed_at)
    return np.where(given_up | (number <= lead), NONE, distance)


def places_of(game: str, numbers: Ints) -> Ints:
    """The index of each outcome, shape (n, k), among the game's equally likely ones."""
    places: Ints = _places(game)[tuple(numbers.T)]
    return places


@cache
def _places(game: str) -> Ints:
    """An array of these indices, addressed by the numbers of an outcome."""
    facts = FACTS[game]
    if facts.uniform is None:
        raise ValueError(f"the outcomes of {game} are not equally likely")
    numbers = np.array([facts.numbers.of(outcome)[: facts.numbers.count] for outcome in facts.uniform.outcomes])
    places = np.full(numbers.max(axis=0) + 1, NONE)
    places[tuple(numbers.T)] = np.arange(len(numbers))
    return places
