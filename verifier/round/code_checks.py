"""The checks that compare a round code with authenticated records: those of its table, and the reveal of its
round.
"""

from __future__ import annotations

from fairness.checks import Check
from fairness.errors import CheckFailed, Malformed
from fairness.player.round_code import RoundCode
from fairness.records.record import RevealRecord, TableRecord
from fairness.round.authentic_log import Placed


def read_code(text: str) -> RoundCode:
    """Parse a round code. Raises `CheckFailed`: `CODE_CHECKSUM` for a typing error, otherwise `CODE_FORM`; and
    `NewerCode`.
    """
    try:
        return RoundCode.parse(text)
    except Malformed as error:
        raise CheckFailed(Check.CODE_FORM, expected=error.expected, found=error.found) from error


def check_table_of_code(code: RoundCode, table: Placed[TableRecord], name: str | None = None) -> None:
    """Check that the table has this ``name``, and its game is the code's. Raises `CheckFailed`: `CODE_TABLE`,
    `CODE_GAME`.
    """
    record = table.record
    if name not in {None, record.table}:
        raise CheckFailed(Check.CODE_TABLE, expected=f"a code of {name}", found=f"a code of {record.table}")
    if record.game != code.game:
        expected = f"{record.game}, the game of {record.table}"
        raise CheckFailed(Check.CODE_GAME, expected=expected, found=f"{code.game} in the code", index=table.index)


def check_seeds_of_code(code: RoundCode, table: Placed[TableRecord], reveal: Placed[RevealRecord]) -> None:
    """Check that the code's seeds are those that were revealed. Raises `CheckFailed` (`CODE_SEED`)."""
    revealed, seeds = reveal.record.seeds, [seed.hex() for seed in code.seeds]
    if len(seeds) != len(table.record.custodians):
        expected = f"{len(table.record.custodians)} seeds, one per custodian of {table.record.table}"
        raise CheckFailed(Check.CODE_SEED, expected=expected, found=f"{len(seeds)} in the code")
    if seeds != revealed:
        raise CheckFailed(Check.CODE_SEED, expected=revealed, found=f"{seeds} in the code", index=reveal.index)
