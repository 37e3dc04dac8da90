"""A paytable read: from its bytes to the options, by its declaration alone."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Self

from fairness.checks import Check
from fairness.errors import CheckFailed, Malformed, Unknown
from fairness.hashing import sha256
from fairness.limits import DEEPEST_PAYTABLE, LARGEST_NEWER_PAYTABLE, LARGEST_PAYTABLE
from games.bets.paytable.form import check
from games.bets.paytable.spelling import PAYTABLE
from games.bets.values import Given
from games.declared.declaration import Declaration
from games.declared.spelling import Spelling

_NEWER = Spelling("paytable", LARGEST_NEWER_PAYTABLE, DEEPEST_PAYTABLE)


def paytable_path(paytable: str) -> str:
    """Return where a log has the file of this SHA-256, in HEX (SPEC 5.10)."""
    return f"paytables/{paytable}"


def check_hash(data: bytes, paytable: str) -> None:
    """Raise `CheckFailed` (`PAYTABLE_FILE`) unless a file has this SHA-256, in HEX."""
    if (found := sha256(data).hex()) != paytable:
        expected = f"a file with the SHA-256 {paytable}"
        raise CheckFailed(Check.PAYTABLE_FILE, expected=expected, found=found, where=paytable_path(paytable))


@dataclass(frozen=True, slots=True)
class Paytable:
    """The bets of one game: what exists keeps every limit, and is known in all its words."""

    declaration: Declaration
    options: tuple[Mapping[str, Given], ...]
    tables: Mapping[str, Given]
    steps: int
    """To settle the costliest bet."""

    @classmethod
    def parse(cls, data: bytes, declaration: Declaration) -> Self:
        """Parse a paytable. Raises `Malformed` for what is none of a game that is declared so, and `Unknown` for a
        newer one.
        """
        _refuse_later(data)
        found: Given = PAYTABLE.parse(data)
        steps = check(found, declaration)
        return cls(declaration, tuple(found["options"]), found.get("tables", {}), steps)

    @classmethod
    def checked(cls, data: bytes, paytable: str, declaration: Declaration | None) -> Self:
        """Return the file that a table's record names by its hash, ``paytable``; ``declaration`` is `None` if it is
        newer than this program.

        Raises `CheckFailed` (`PAYTABLE_FILE`, `PAYTABLE_FORM`), and `Unknown` for what is newer, of which the
        spelling alone is judged.
        """
        where = paytable_path(paytable)
        check_hash(data, paytable)
        largest = LARGEST_NEWER_PAYTABLE if _later_version(data) else LARGEST_PAYTABLE
        if len(data) > largest:
            expected = f"at most {largest} bytes"
            raise CheckFailed(Check.PAYTABLE_FILE, expected=expected, found=len(data), where=where)
        try:
            if declaration is None:
                _NEWER.parse(data)
                raise Unknown(["what the game of a paytable declares"])
            return cls.parse(data, declaration)
        except Malformed as error:
            raise CheckFailed(Check.PAYTABLE_FORM, expected=error.expected, found=error.found, where=where) from error


def _refuse_later(data: bytes) -> None:
    """Raise `Unknown` for a file that names a later vocabulary."""
    if version := _later_version(data):
        raise Unknown([f"paytables of version {version}"])


def _later_version(data: bytes) -> int:
    """Return the later vocabulary that a file names, in the one spelling; 0 if it names none."""
    try:
        found = _NEWER.parse(data)
    except Malformed:
        return 0
    version = found.get("version") if isinstance(found, dict) else 0
    return version if isinstance(version, int) and version > 1 else 0
