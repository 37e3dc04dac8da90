"""The check of one round by its code and its proof file: offline, from the two and the log's key alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from fairness.checks import Check
from fairness.draws.game import Games
from fairness.errors import CheckFailed, NotShown
from fairness.player.round_code import RoundCode
from fairness.policy.policy import Trust
from fairness.records.record import RevealRecord, TableRecord
from fairness.round.authentic_log import Placed
from games import GAMES
from verifier.round.bets import with_bets_of_one_round
from verifier.round.code_checks import check_seeds_of_code, check_table_of_code, read_code
from verifier.round.proof_check import check_proof
from verifier.round.proof_report import ProofReport
from verifier.round.report import Passed
from verifier.sentences import Checked, NotChecked, WayOn


def check_code_by_proof(
    data: bytes,
    trust: Trust,
    code: str,
    *,
    table: str | None = None,
    bets: Sequence[str] = (),
    paytable: bytes | None = None,
    games: Games = GAMES,
) -> ProofReport:
    """Check the round that ``code`` names by its proof file, believing whom ``trust`` names. Raises `CheckFailed`.

    With ``table``, a code of another table is refused. `NotShown` if everything holds, and the file has no reveal
    yet. If everything holds, the report has the results of ``bets`` by the file of what they pay, ``paytable``;
    `BetRefused` for one that the round did not offer, or that needs an earlier round, and without that file.
    """
    # A round was fixed in advance, and its outcome is what the rules make of it, if (SPEC 8.6):
    #  1. its code has no typing error;
    #  2. the file has its form, its checkpoint is the log's, and its records stand there (steps 1 to 4 of SPEC 8.6);
    #  3. they are the records of the code's table, game and round, and the code's seeds are those of the reveal;
    #  4. the rest of SPEC 8.6 holds: nothing is said of a false file but what is wrong with it;
    #  5. there is a reveal.

    # Step 1: the code.
    round_code = read_code(code)

    # Step 3, between the steps of the file.
    def compare(found: Placed[TableRecord], number: int, reveal: Placed[RevealRecord] | None) -> None:
        _check_code(round_code, found, number, table)
        if reveal is not None:
            check_seeds_of_code(round_code, found, reveal)

    # Steps 2 to 4: the file.
    report = check_proof(data, trust, games=games, compare=compare)

    # Step 5: the reveal. What is wrong with a receipt counts for more than what it does not show.
    if report.reveal is None:
        found = f"a receipt: round {report.round} of {report.table.record.table} is {report.stage} in this file"
        absent = NotShown(
            Check.CODE_ROUND, expected="a round that has ended, with its reveal in the file", found=found
        )
        absent.ways_on = (WayOn.FILE_ENDS,)
        raise absent
    checked = replace(
        report,
        of_code=(
            Passed(Check.CODE_CHECKSUM, Checked.NO_TYPING_ERROR),
            Passed(Check.CODE_ROUND, Checked.CODE_OF_ROUND),
            Passed(Check.CODE_SEED, Checked.CODE_SEEDS_REVEALED),
        ),
        not_checked=(*report.not_checked, NotChecked.LEAD_OF_ONE_LOCK, NotChecked.EARLIER_ROUNDS),
    )
    return with_bets_of_one_round(checked, bets, paytable) if bets else checked


def _check_code(code: RoundCode, table: Placed[TableRecord], number: int, name: str | None) -> None:
    prefix = code.table_prefix
    if not table.record_id.startswith(prefix):
        found = f"{table.record.table}, whose id is {table.record_id.hex()}"
        expected = f"a file of the code's table, whose id begins with {prefix.hex()}"
        raise CheckFailed(Check.CODE_TABLE, expected=expected, found=found, index=table.index)
    check_table_of_code(code, table, name)
    if number != code.round_number:
        expected, found = f"a file of round {code.round_number}, the code's", f"a file of round {number}"
        raise CheckFailed(Check.CODE_ROUND, expected=expected, found=found)
