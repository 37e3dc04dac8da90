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
    """Return all games of the catalogue, in the order of the file."""
    return tuple(map(listed, _lines()))


@cache
def listed(game: str) -> Listed:
    """Return one game of the catalogue. Raises `KeyError`."""
    line = _lines()[game]
    declaration = Declaration.of({key: value for key, value in line.items() if key not in _ABOUT})
    return Listed(game, str(line["section"]), int(str(line.get("lead", 1))), declaration)


@cache
def _lines() -> dict[str, dict[str, object]]:
    data = msgspec.json.decode(resources.files("games").joinpath("catalogue.json").read_bytes())
    return {line["game"]: line for line in data["games"]}


def is_listed(game: str, declaration: str) -> bool | None:
    """Return whether the catalogue declares a game of this name so; `None` if a table has no declaration, but a
    game's name alone.
    """
    if not declaration:
        return None
    return game in _lines() and listed(game).declaration.text == declaration.encode()


def listed_as(declaration: Declaration) -> list[Listed]:
    """Return the games of the catalogue that are declared so: several can be drawn alike."""
    return [each for each in catalogue() if each.declaration.text == declaration.text]
