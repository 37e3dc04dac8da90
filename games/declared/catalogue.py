"""The games of the regulation and of other documents, declared: ``games/catalogue.json`` (SPEC 3.9)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from importlib import resources

import msgspec

from games.declared.declaration import Declaration

_ABOUT = {"game", "lead", "section"}


@dataclass(frozen=True, slots=True)
class Listed:
    """A game of the catalogue: its lead is the smallest that a table of it may have."""

    game: str
    section: str
    lead: int
    declaration: Declaration


@cache
def catalogue() -> tuple[Listed, ...]:
    """All, in the order of the file."""
    data = msgspec.json.decode(resources.files("games").joinpath("catalogue.json").read_bytes())
    return tuple(_listed(game) for game in data["games"])


def _listed(game: dict[str, object]) -> Listed:
    declaration = Declaration.of({key: value for key, value in game.items() if key not in _ABOUT})
    return Listed(str(game["game"]), str(game["section"]), int(str(game.get("lead", 1))), declaration)


def listed_as(declaration: Declaration) -> list[Listed]:
    """The games of the catalogue that are declared so: several can be drawn alike."""
    return [each for each in catalogue() if each.declaration.text == declaration.text]
