"""What a game must be, so that replay can ask it for an outcome (SPEC 3.5).

The games themselves live in the package ``games``, one floor up.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from fairness.draws.stream import Stream

Rules = Mapping[str, int]
Outcome = Mapping[str, str | int | list[int]]


class RulesRefused(ValueError):
    """A batch's rules are not exactly the parameters of the game's version, in their ranges."""


class Game(Protocol):
    """The rules of one game: which parameters it takes, and what it makes of a round's stream."""

    @property
    def name(self) -> str:
        """The game's name in records, and the human-readable part of its round codes."""

    @property
    def lead(self) -> int:
        """How many rounds ahead the regulation wants an outcome fixed, at the least."""

    @property
    def has_flight(self) -> bool:
        """Whether players act after the lock, so that bets for the next round are taken meanwhile."""

    def check_rules(self, rules: Rules) -> None:
        """Raise `RulesRefused` unless ``rules`` are exactly a known version and its parameters."""

    def outcome(self, stream: Stream, rules: Rules) -> Outcome:
        """The outcome of a round: a pure function of its stream and of its batch's rules."""


Games = Mapping[str, Game]
