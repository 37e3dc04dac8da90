"""A paytable read: from its bytes to the options, by its declaration alone."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Self

import msgspec

from fairness.errors import Unknown
from fairness.limits import DEEPEST_PAYTABLE, LARGEST_NEWER_PAYTABLE
from games.bets.paytable.form import check
from games.bets.paytable.spelling import PAYTABLE
from games.bets.values import Given
from games.declared.declaration import Declaration
from games.declared.spelling import Spelling

_NEWER = Spelling("paytable", LARGEST_NEWER_PAYTABLE, DEEPEST_PAYTABLE)


@dataclass(frozen=True, slots=True)
class Paytable:
    """The bets of one game: what exists keeps every limit, and is known in all its words."""

    declaration: Declaration
    options: tuple[Mapping[str, Given], ...]
    tables: Mapping[str, Given]

    @classmethod
    def parse(cls, data: bytes, declaration: Declaration) -> Self:
        """Raises `Malformed` for what is no paytable of a game that is declared so, and `Unknown` for a newer one."""
        _refuse_later(data)
        found: Given = PAYTABLE.parse(data)
        check(found, declaration)
        return cls(declaration, tuple(found["options"]), found.get("tables", {}))


def _refuse_later(data: bytes) -> None:
    """Raise `Unknown` for a file that names a later vocabulary, and is spelled as one; `Malformed` if it is not."""
    if len(data) > LARGEST_NEWER_PAYTABLE:
        _NEWER.parse(data)
    try:
        found = msgspec.json.decode(data)
    except (msgspec.MsgspecError, RecursionError, UnicodeDecodeError):
        return
    if isinstance(found, dict) and type(version := found.get("version")) is int and version > 1:
        _NEWER.parse(data)
        raise Unknown([f"paytables of version {version}"])
