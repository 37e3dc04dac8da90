"""One table's rounds as columns of numbers, from which all statistics are computed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import msgspec
import numpy as np
from numpy.typing import NDArray

from fairness.draws.game import Outcome, Rules
from games.bets.catalogue import declaration_of
from games.declared.declaration import Declaration
from games.facts import facts_of
from games.facts.facts import Facts
from verifier.audit.round_rows import NONE, ROW_FIELDS, BatchRow, RoundRows

Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]
Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class TableColumns:
    """Every round of a table that ended, including void ones, in the order of play: n rounds, arrays of length n."""

    name: str
    game: str
    declaration: str
    """As it stands in the table's record; empty for a game that records know by its name."""
    lead: int
    """What the table's record promises."""
    batches: tuple[BatchRow, ...]
    reasons: tuple[str, ...]
    """The reasons of void rounds, each once."""
    distinct: tuple[str, ...]
    """The outcomes as JSON, each once."""

    round: Ints
    outcome: Ints
    """An index in ``distinct``. A void round has the outcome that it would have had: its reveal says so."""
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
    (its batch, or the batch's salt) and its own lock. -1 for the first ``lead`` rounds and for rounds given up, which
    need none.
    """
    unused: Ints
    """What the first unused rounds of a closed table would have had, as in ``outcome``; empty if it is not closed."""
    unused_in_all: int

    def __len__(self) -> int:
        return len(self.round)

    @property
    def kind(self) -> str:
        """What tables of one game have in common: its declaration, or the name by which records know it."""
        return self.declaration or self.game

    @property
    def declared(self) -> Declaration:
        """What is drawn in each round."""
        found = declaration_of(self.game, self.declaration)
        if found is None:
            raise ValueError(f"{self.name} has something that is not known here, so none of its rounds was gathered")
        return found

    @property
    def facts(self) -> Facts:
        """What is known of its game beside that."""
        return facts_of(self.game, self.declaration)

    @property
    def is_flight(self) -> bool:
        """Whether an outcome is a multiplier, and nothing else."""
        return self.declared.is_flight

    @property
    def rules(self) -> Rules:
        """The rules of the last batch; a round's own are ``batches[batch].rules``."""
        return self.batches[-1].rules

    @property
    def all_rules(self) -> list[Rules]:
        """All rules that the table has had, in their order, each once."""
        return [dict(each) for each in dict.fromkeys(self._spellings)]

    @property
    def rules_of_rounds(self) -> Ints:
        """An index in ``all_rules`` for each round."""
        numbers = {rules: number for number, rules in enumerate(dict.fromkeys(self._spellings))}
        return np.array([numbers[rules] for rules in self._spellings], dtype=np.int64)[self.batch]

    @property
    def _spellings(self) -> list[tuple[tuple[str, int], ...]]:
        return [tuple(sorted(batch.rules.items())) for batch in self.batches]

    @property
    def outcomes(self) -> list[Outcome]:
        """Those of ``distinct``."""
        return [msgspec.json.decode(text) for text in self.distinct]

    @property
    def final(self) -> Ints:
        """The outcomes of played rounds."""
        return self.outcome[self.played]

    @classmethod
    def of(cls, name: str, gathered: RoundRows, unused: Sequence[Outcome] = (), unused_in_all: int = 0) -> Self:
        """Turn what an audit gathered into columns; ``unused`` are the first outcomes after a closed table's end."""
        rows = np.frombuffer(b"".join(gathered.rows), dtype=np.dtype(list(ROW_FIELDS)))
        columns: dict[str, NDArray[Any]] = {
            key: rows[key].astype(np.bool_ if kind == "?" else np.int64) for key, kind in ROW_FIELDS
        }
        first, fixed_position = (
            np.array([getattr(batch, key) for batch in gathered.batches], dtype=np.int64)
            for key in ("first", "fixed_position")
        )
        # Numbering them may add to the outcomes.
        left = np.array([gathered.number_of(outcome) for outcome in unused], dtype=np.int64)
        number, lock_position, given_up = columns["round"], columns["lock_position"], columns["given_up"]
        batch = np.searchsorted(first, number, side="right") - 1
        return cls(
            name=name,
            game=gathered.game,
            declaration=gathered.declaration,
            lead=gathered.lead,
            batches=tuple(gathered.batches),
            reasons=tuple(gathered.reasons),
            distinct=tuple(gathered.outcomes),
            batch=batch,
            lead_kept=_distances(given_up, lock_position, fixed_position[batch], number, gathered.lead),
            unused=left,
            unused_in_all=unused_in_all,
            **columns,
        )


def _distances(given_up: Bools, lock_position: Ints, fixed_at: Ints, number: Ints, lead: int) -> Ints:
    engine_locks = lock_position[~given_up]
    distance = np.searchsorted(engine_locks, lock_position) - np.searchsorted(engine_locks, fixed_at)
    return np.where(given_up | (number <= lead), NONE, distance)
