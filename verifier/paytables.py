"""What the bets of a table pay, by the file that its record names: read, judged, and whose it is (SPEC 5.10)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from fairness.checks import Check
from fairness.errors import CheckFailed, Missing, Unknown
from fairness.log.tiles import ReadFile
from games.bets import bets_by, is_catalogues
from games.bets.game_bets import GameBets
from games.bets.paytable.read import paytable_path
from verifier import sentences


@dataclass(frozen=True, slots=True)
class NamedPaytable:
    """What a table's record says of its bets; ``paytable`` is the file's SHA-256 in HEX, empty if the table has none."""

    table: str
    game: str
    declaration: str
    paytable: str

    @property
    def is_catalogues(self) -> bool:
        """Whether it is the catalogue's of this game, and not the operator's own."""
        return is_catalogues(self.game, self.declaration, self.paytable)

    def read(self, read: ReadFile) -> GameBets:
        """The bets. Raises `CheckFailed` (`PAYTABLE_FILE`, `PAYTABLE_FORM`), `Unknown` and `Unreadable`."""
        path = paytable_path(self.paytable)
        try:
            data = read(path)
        except Missing as error:
            raise CheckFailed(Check.PAYTABLE_FILE, expected=path, found=error.why, where=path) from error
        return bets_by(self.game, self.declaration, self.paytable, data)

    def unknown(self, error: Unknown) -> str:
        """The sentence that what its bets pay is newer than this verifier."""
        return sentences.Unknown.PAYTABLE.fill(table=self.table, what=", ".join(error.what))


def check_paytables(read: ReadFile, named: Iterable[NamedPaytable]) -> list[str]:
    """Judge the file of each table that has one; the sentences about those that are newer than this verifier.

    Raises `CheckFailed` (`PAYTABLE_FILE`, `PAYTABLE_FORM`) and `Unreadable`.
    """
    unknown: list[str] = []
    for each in named:
        if each.paytable:
            try:
                each.read(read)
            except Unknown as error:
                unknown.append(each.unknown(error))
    return unknown
