"""What a game must be, so that replay can ask it for an outcome (SPEC 3.5).

The games themselves live in the package ``games``, one floor up.
"""

from __future__ import annotations

import re
from abc import abstractmethod
from collections.abc import Mapping
from typing import Any, Protocol

from fairness.draws.stream import Stream

VERSION = 1
"""The version of every game's rules."""

_NEWER_RULES = re.compile(r"version ([0-9]+) of the rules of .+")
"""What `newer_rules` writes."""

Rules = Mapping[str, Any]
"""Whole numbers, once a known game has checked them."""
Outcome = Mapping[str, Any]


class RulesRefused(ValueError):
    """A batch's rules are not exactly the parameters of the game's version, in their ranges."""


class Game(Protocol):
    """The rules of one game: which parameters it takes, and what it makes of a round's stream."""

    @property
    def name(self) -> str:
        """The game's name in records, and the human-readable part of its round codes."""

    @property
    def declaration_text(self) -> str:
        """The one spelling of its declaration; empty if it is known by its name."""

    @property
    def lead(self) -> int:
        """How many rounds ahead the regulation wants an outcome fixed, at the least."""

    @property
    def has_flight(self) -> bool:
        """Whether players act after the lock, so that bets for the next round are taken meanwhile."""

    @property
    def unknown(self) -> tuple[str, ...]:
        """What of its declaration this program does not know; then nobody asks it for rules or outcomes (SPEC
        4.9).
        """

    def check_rules(self, rules: Rules) -> None:
        """Raise `RulesRefused` unless ``rules`` are exactly a known version and its parameters."""

    def outcome(self, stream: Stream, rules: Rules) -> Outcome:
        """Return the outcome of a round: a pure function of its stream and of its batch's rules."""


class Declaring(Protocol):
    """What says which game a table plays: its record, and its state."""

    @property
    def game(self) -> str:
        """The game's name."""

    @property
    def declaration_text(self) -> str:
        """The one spelling of its declaration; empty if the game is known by its name."""


class Games(Mapping[str, Game]):
    """The games that records know by name, and those that tables declare in their records (SPEC 3.6)."""

    @abstractmethod
    def declared(self, name: str, declaration: str) -> Game:
        """Return the game that a table's record declares so. Raises `Malformed`: it breaks a rule of SPEC 3.6."""

    def of(self, table: Declaring) -> Game:
        """Return the game of a table."""
        return self.declared(table.game, table.declaration_text) if table.declaration_text else self[table.game]


def is_known(game: Game, rules: Rules) -> bool:
    """Return whether this program can say what a ``game`` draws under these rules; what it cannot is newer (SPEC
    4.9).
    """
    return not game.unknown and rules.get("version", VERSION) <= VERSION


def newer_rules(game: str, rules: Rules) -> str:
    """Return which rules of a game are newer than this program, in words."""
    return f"version {rules['version']} of the rules of {game}"


def is_known_now(game: Game, what: str) -> bool:
    """Return whether this program knows ``what`` an older one found unknown about a table of this ``game``."""
    version = _NEWER_RULES.fullmatch(what)
    return what not in game.unknown if version is None else int(version[1]) <= VERSION
