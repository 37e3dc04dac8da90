"""All games: those that records and round codes know by name, and those that tables declare (SPEC 3.5 and 3.6)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache

import msgspec

from fairness.draws.game import Game, Games, Outcome, Rules
from fairness.draws.stream import Stream
from fairness.errors import Malformed, Unknown
from games.declared.catalogue import listed
from games.declared.declaration import Declaration

LEAST_LEAD = 1
"""The least lead of a table of a declared game (SPEC 3.6)."""

_NAMED = ("crash", "rocketon", "hi-lo", "sic-bo", "penalty", "keno-express")
"""The games that are older than declarations in records: records know them by their names (SPEC 3.5)."""


@dataclass(frozen=True, slots=True)
class DeclaredGame:
    """A game that is drawn by its declaration: that of its table's record, or that of its line of the catalogue."""

    name: str
    declaration: Declaration
    lead: int = LEAST_LEAD
    declaration_text: str = ""
    """As it stands in the record of the table, if it does."""
    unknown: tuple[str, ...] = ()

    @property
    def has_flight(self) -> bool:
        """Whether players act after the lock."""
        return self.declaration.has_flight

    def check_rules(self, rules: Rules) -> None:
        """Accept version 1, and exactly the declaration's parameters in their ranges."""
        self.declaration.check_rules(rules)

    def outcome(self, stream: Stream, rules: Rules) -> Outcome:
        """Return the outcome of a round, under rules that were checked."""
        return self.declaration.outcome(stream, rules)


@dataclass(frozen=True, slots=True)
class NewerGame:
    """A game whose declaration has a kind, a pack or a deal that this program does not know."""

    name: str
    unknown: tuple[str, ...]
    has_flight: bool
    declaration_text: str
    lead: int = LEAST_LEAD

    def check_rules(self, rules: Rules) -> None:  # noqa: ARG002 -- as every game has it
        """Ask the game; raises `Unknown` for one that is not known."""
        raise Unknown(self.unknown)

    def outcome(self, stream: Stream, rules: Rules) -> Outcome:  # noqa: ARG002 -- as every game has it
        """Ask the game; raises `Unknown` for one that is not known."""
        raise Unknown(self.unknown)


class GameSet(Games):
    """Some games by name, and all that can be declared."""

    def __init__(self, named: Mapping[str, Game]) -> None:
        self._named = named

    def __getitem__(self, name: str) -> Game:
        return self._named[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._named)

    def __len__(self) -> int:
        return len(self._named)

    def declared(self, name: str, declaration: str) -> Game:
        """Return the game of a table with this ``declaration`` in its record."""
        if name in self._named:
            raise Malformed("declaration", expected=f"none, because {name} has no declaration", found=declaration)
        return _declared(name, declaration)


@lru_cache(maxsize=256)
def _declared(name: str, text: str) -> Game:
    # Asked again for each of a table's batches and runs; a hostile log has few tables for its size.
    data = text.encode()
    try:
        return DeclaredGame(name, Declaration.parse(data), declaration_text=text)
    except Unknown as error:
        whole = msgspec.json.decode(data)
        return NewerGame(name, error.what, isinstance(whole, dict) and "moves" in whole, text)


def _named(name: str) -> Game:
    line = listed(name)
    return DeclaredGame(name, line.declaration, line.lead)


GAMES: Games = GameSet({name: _named(name) for name in _NAMED})
"""The six games by their names; a game of any other name is declared by its tables."""
