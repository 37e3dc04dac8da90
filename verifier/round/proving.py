"""Makes proof files from a log: for the round of a code, for any round of a table, for the round of a receipt."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from fairness.checks import Check
from fairness.draws.game import Games
from fairness.errors import CheckFailed, NotShown
from fairness.log.tiles import AuthenticTiles
from fairness.policy.head import Head
from fairness.policy.policy import Policy, Trust
from fairness.policy.witnessed import open_seen
from fairness.records.record import TableRecord
from fairness.round.authentic_log import AuthenticLog, Placed
from fairness.round.finder import find_table
from fairness.round.proof import RoundProof
from fairness.round.prover import prove_round
from games import GAMES
from verifier.audit.bundles import Progress
from verifier.forks.extension import NotAnExtension, check_extends
from verifier.round.code_checks import read_code
from verifier.round.not_shown import naming_ways_on
from verifier.round.proof_check import check_proof, read_proof
from verifier.round.proof_report import ProofReport
from verifier.round.published import limits_of, open_log
from verifier.round.records import in_its_table
from verifier.round.report import Passed
from verifier.sentences import NotChecked
from verifier.sources.source import Source

Proven = tuple[bytes, ProofReport]
"""A proof file, and what its check found."""


def prove_code(
    source: Source,
    trust: Trust,
    code: str,
    number: int | None = None,
    *,
    games: Games = GAMES,
    whole: Progress | None = None,
) -> Proven:
    """Return the proof of the ended round that ``code`` names; with ``number``, of that round of the code's table.

    Raises `CheckFailed` (`NotShown` for what finding aids do not lead to) or `Unreadable`. With ``whole``, here and
    below, every record is read in the place of the finding aids.
    """
    round_code = read_code(code)
    log = open_log(source, trust, whole)

    def prove(table: Placed[TableRecord]) -> Proven:
        if number is not None:
            return _prove(log, trust, table, number, games, Check.ROUND_RECORDS)
        data, report = _prove(log, trust, table, round_code.round_number, games, Check.CODE_ROUND)
        _check_is_codes(log, report, [seed.hex() for seed in round_code.seeds])
        return data, report

    with naming_ways_on(log):
        return in_its_table(log, round_code, games, prove)


def prove_number(
    source: Source,
    trust: Trust,
    table_id: bytes,
    number: int,
    *,
    games: Games = GAMES,
    whole: Progress | None = None,
) -> Proven:
    """Return the proof of a round, or the receipt of one that has not ended. Raises `CheckFailed` or `Unreadable`, as
    `prove_code`.
    """
    log = open_log(source, trust, whole)
    with naming_ways_on(log):
        table = find_table(log, table_id)
        if table is None:
            expected, found = f"the table {table_id.hex()} in {log.checkpoint.origin}", f"none, {log.as_of}"
            raise NotShown(Check.ROUND_RECORDS, expected=expected, found=found)
        return _prove(log, trust, table, number, games, Check.ROUND_RECORDS)


def complete_receipt(
    source: Source, trust: Trust, receipt: bytes, *, games: Games = GAMES, whole: Progress | None = None
) -> Proven:
    """Compare a receipt with the log, and return the proof that the log has now.

    Raises `CheckFailed` (for a log that does not extend the receipt's: `NotAnExtension`; `NotShown` for what finding
    aids do not lead to) or `Unreadable`.
    """
    # A log has kept what a receipt says if the receipt holds (steps 1 to 8 of `check_proof`), and (SPEC 8.6):
    #  9. the tree of the receipt's checkpoint begins the tree of the log's, which is signed (and so, by step 2, does
    #     the one in which witnesses saw the batch);
    # 10. the log has for the round what the receipt has, at the same places;
    # and then the proof of the round that is made from this log holds, too.
    # The log's signature alone shows a fork, so cosignatures of both checkpoints are asked for only after step 9.
    unwitnessed = replace(Policy.of(trust), quorum=None, witnesses=())
    kept = read_proof(receipt)
    try:
        before = check_proof(receipt, unwitnessed, games=games)
    except CheckFailed as failure:
        if failure.check is Check.LOG_EXTENDS and not isinstance(failure, NotAnExtension):
            # Its hashes are false, which proves nothing; the log's tiles may.
            _compare_seen(kept, open_log(source, unwitnessed))
        raise

    # Step 9: the log extends the receipt's.
    log = open_log(source, unwitnessed, whole)
    check_extends(before.head.signed, log.head.signed, partial(AuthenticTiles, read=log.read))
    for head in (before.head, log.head):
        Head.open(head.note, trust)

    # Step 10: the records.
    with naming_ways_on(log):
        table = find_table(log, before.table.record_id)
        now = _check_kept(log, kept, prove_round(log, table, kept.number) if table else None)

    data = bytes(now)
    report = check_proof(data, trust, games=games)
    steps = (
        Passed(
            Check.LOG_EXTENDS, f"the log extends the {before.checkpoint.size:,} records of the receipt's checkpoint"
        ),
        Passed(Check.RECEIPT_KEPT, "it has for the round what the receipt has, at the same places"),
    )
    open_now = (sentence for sentence in report.not_checked if sentence != NotChecked.AS_OF_CHECKPOINT)
    not_checked = limits_of(log, open_now)
    return data, replace(report, passed=(*report.passed, *steps), not_checked=not_checked)


def _prove(
    log: AuthenticLog, trust: Trust, table: Placed[TableRecord], number: int, games: Games, absent: Check
) -> Proven:
    """Return the proof of a round; ``absent`` is the check that is not shown to hold if the log does not have it."""
    proof = prove_round(log, table, number)
    if proof is None:
        found = f"round {number} of {table.record.table} is not committed, {log.as_of}"
        raise NotShown(absent, expected=f"the batch of round {number} of {table.record.table}", found=found)
    data = bytes(proof)
    report = check_proof(data, trust, games=games)
    return data, replace(report, not_checked=limits_of(log, report.not_checked))


def _check_is_codes(log: AuthenticLog, report: ProofReport, seeds: list[str]) -> None:
    """Raise `CheckFailed` unless the proof's round has ended, with the seeds of the code."""
    if report.reveal is None:
        found = f"round {report.round}, which is {report.stage}, {log.as_of}"
        raise NotShown(Check.CODE_ROUND, expected="a round that has ended", found=found)
    if seeds != report.reveal.record.seeds:
        raise CheckFailed(
            Check.CODE_SEED,
            expected=report.reveal.record.seeds,
            found=f"{seeds} in the code",
            index=report.reveal.index,
        )


def _compare_seen(kept: RoundProof, log: AuthenticLog) -> None:
    """Compare the checkpoint in which witnesses saw the receipt's batch with the log. Raises `NotAnExtension`."""
    if kept.witnessed is not None:
        check_extends(open_seen(kept.witnessed, log.head), log.head.signed, lambda _: log.tiles)


def _check_kept(log: AuthenticLog, kept: RoundProof, now: RoundProof | None) -> RoundProof:
    """Raise `NotShown` if nothing leads to a record of the receipt, and `CheckFailed` if it is another record.

    Both are then in the log, which extends the receipt's.
    """
    records = {} if now is None else dict(now.records())
    for name, record in kept.records():
        found, index = records.get(name), record.inclusion.index
        expected = f"record {index} as the {name} of the round"
        if found is None:
            raise NotShown(Check.RECEIPT_KEPT, expected=expected, found=f"none, {log.as_of}", index=index)
        if (found.data, found.inclusion.index) != (record.data, index):
            another = f"record {found.inclusion.index}"
            raise CheckFailed(Check.RECEIPT_KEPT, expected=expected, found=another, index=index)
    if now is None:
        raise ValueError("a proof has records")
    return now
