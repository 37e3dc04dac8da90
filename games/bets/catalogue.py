"""All games that have bets: ``games/bets.json``, with their declarations of ``games/catalogue.json``."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache, lru_cache
from importlib import resources

import msgspec

from fairness.errors import Unknown
from fairness.hashing import sha256
from games.bets.game_bets import GameBets
from games.bets.paytable.read import Paytable
from games.bets.paytable.source import lines_of, paytable_of
from games.bets.values import Given
from games.declared.catalogue import listed
from games.declared.declaration import Declaration


@cache
def data() -> Mapping[str, Given]:
    """Return the file."""
    found: dict[str, Given] = msgspec.json.decode(resources.files("games").joinpath("bets.json").read_bytes())
    return found


class _AllBets(Mapping[str, GameBets]):
    """Read once, and each game's options when they are asked for."""

    def __getitem__(self, game: str) -> GameBets:
        return bets_of(game)

    def __iter__(self) -> Iterator[str]:
        return iter(data()["games"])

    def __len__(self) -> int:
        return len(data()["games"])


@cache
def bets_of(game: str) -> GameBets:
    """Return the bets of a game. Raises `KeyError`."""
    if game not in data()["games"]:
        raise KeyError(game)
    line, about = listed(game), data()["games"][game]
    paytable = Paytable.parse(paytable_of(data(), game), line.declaration)
    return GameBets(paytable, line.section, about, lines_of(data(), game))


CATALOGUE_BETS: Mapping[str, GameBets] = _AllBets()
"""By the name of a game of the catalogue; games without bets are not in it.

A declared table may have such a name and another declaration: who asks for its bets compares the declarations first.
"""
_NAMED = ("crash", "rocketon", "hi-lo", "sic-bo", "penalty", "keno-express")
BETS: Mapping[str, GameBets] = {game: CATALOGUE_BETS[game] for game in _NAMED}
"""The bets of the games whose tables have no declaration, so that a name says which game it is."""


def bets_on(game: str, declaration: str) -> GameBets | None:
    """Return what can be bet at a table of this game, with the ``declaration`` of its record, if it has one.

    `None` if nothing is known: for a game without bets, and for an operator's own game that has the name of another.
    """
    if not declaration:
        return BETS.get(game)
    known = CATALOGUE_BETS.get(game)
    return known if known is not None and known.declaration.text == declaration.encode() else None


@cache
def catalogue_paytable(game: str, declaration: str) -> bytes | None:
    """Return the paytable of the catalogue's game of this name and ``declaration``; `None` for a game without bets,
    and for an operator's own.
    """
    return None if bets_on(game, declaration) is None else paytable_of(data(), game)


def is_catalogues(game: str, declaration: str, paytable: str) -> bool:
    """Return whether the paytable of this hash is the catalogue's of the game; otherwise it is the operator's own."""
    file = catalogue_paytable(game, declaration)
    return file is not None and sha256(file).hex() == paytable


@lru_cache(maxsize=256)
def declaration_of(game: str, declaration: str) -> Declaration | None:
    """Return what a table's game declares, in its record or in the catalogue; `None` if it is newer than this
    program.
    """
    if not declaration:
        return listed(game).declaration
    try:
        return Declaration.parse(declaration.encode())
    except Unknown:
        return None


def bets_by(game: str, declaration: str, paytable: str, file: bytes) -> GameBets:
    """Return the bets of a table whose record names this ``paytable``: all that its ``file`` has, with the
    catalogue's words if it is its own.

    Raises `CheckFailed` (`PAYTABLE_FILE`, `PAYTABLE_FORM`), and `Unknown` for what is newer than this program.
    """
    read = Paytable.checked(file, paytable, declaration_of(game, declaration))
    return CATALOGUE_BETS[game] if is_catalogues(game, declaration, paytable) else GameBets.of(read)
