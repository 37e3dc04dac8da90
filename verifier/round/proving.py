"""Makes proof files from a log: for the round of a code, for any round of a table, for the round of a receipt."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from fairness.checks import Check
from fairness.draws.game import Games
from fairness.errors import CheckFailed, Unreadable
from fairness.log.tiles import AuthenticTiles
from fairness.policy.head import Head
from fairness.policy.policy import Policy, Trust
from fairness.policy.witnessed import open_seen
from fairness.records.record import TableRecord
from fairness.round.authentic_log import AuthenticLog, Placed
from fairness.round.finder import find_table
from fairness.round.finding_aids import rounds_path, tables_path
from fairness.round.proof import RoundProof
from fairness.round.prover import prove_round
from games import GAMES
from verifier.forks.extension import NotAnExtension, check_extends
from verifier.round.check import read_code
from verifier.round.proof_check import check_proof, read_proof
from verifier.round.proof_report import ProofReport
from verifier.round.published import open_log
from verifier.round.records import in_its_table
from verifier.sentences import NotChecked
from verifier.sources.source import Source

Proven = tuple[bytes, ProofReport]
"""A proof file, and what its check found."""


def prove_code(source: Source, trust: Trust, code: str, number: int | None = None, *, games: Games = GAMES) -> Proven:
    """The proof of the ended round that ``code`` names; with ``number``, of that round of the code's table.

    Raises `CheckFailed` or `Unreadable`.
    """
    round_code = read_code(code)
    log = open_log(source, trust)

    def prove(table: Placed[TableRecord]) -> Proven:
        data, report = _prove(log, trust, table, number or round_code.round_number, games)
        if number is None:
            _check_is_codes(report, [seed.hex() for seed in round_code.seeds])
        return data, report

    return in_its_table(log, round_code, games, prove)


def prove_number(source: Source, trust: Trust, table_id: bytes, number: int, *, games: Games = GAMES) -> Proven:
    """The proof of a round, or the receipt of one that has not ended. Raises `CheckFailed` or `Unreadable`."""
    log = open_log(source, trust)
    table = find_table(log, table_id)
    if table is None:
        raise Unreadable(tables_path(table_id), f"the log has no table {table_id.hex()}{_as_of(log)}")
    return _prove(log, trust, table, number, games)


def complete_receipt(source: Source, trust: Trust, receipt: bytes, *, games: Games = GAMES) -> Proven:
    """Compare a receipt with the log, and return the proof that the log has now.

    Raises `CheckFailed` (for a log that does not extend the receipt's: `NotAnExtension`) or `Unreadable`.
    """
    # A log has kept what a receipt says if the receipt holds (steps 1 to 8 of `check_proof`), and (SPEC 8.6):
    #  9. the tree of the receipt's checkpoint begins the tree of the log's, which is signed (and so, by step 2, does the one
    #     in which witnesses saw the batch);
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
    log = open_log(source, unwitnessed)
    check_extends(before.head.signed, log.head.signed, partial(AuthenticTiles, read=log.read))
    for head in (before.head, log.head):
        Head.open(head.note, trust)

    # Step 10: the records.
    table = find_table(log, before.table.record_id)
    now = _check_kept(kept, prove_round(log, table, kept.number) if table else None)

    data = bytes(now)
    report = check_proof(data, trust, games=games)
    steps = (
        f"the log extends the {before.checkpoint.size:,} records of the receipt's checkpoint",
        "it has for the round what the receipt has, at the same places",
    )
    not_checked = tuple(sentence for sentence in report.not_checked if sentence != NotChecked.AS_OF_CHECKPOINT)
    return data, replace(report, passed=(*report.passed, *steps), not_checked=not_checked)


def _prove(log: AuthenticLog, trust: Trust, table: Placed[TableRecord], number: int, games: Games) -> Proven:
    proof = prove_round(log, table, number)
    if proof is None:
        why = f"round {number} of {table.record.table} is not committed{_as_of(log)}"
        raise Unreadable(rounds_path(table.record_id, number), why)
    data = bytes(proof)
    return data, check_proof(data, trust, games=games)


def _as_of(log: AuthenticLog) -> str:
    return f", as of the checkpoint of {log.checkpoint.size} records"


def _check_is_codes(report: ProofReport, seeds: list[str]) -> None:
    """Raise `CheckFailed` unless the proof's round has ended, with the seeds of the code."""
    if report.reveal is None:
        expected, found = "a round that has ended", f"round {report.round}, which is {report.stage}"
        raise CheckFailed(Check.CODE_ROUND, expected=expected, found=found)
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


def _check_kept(kept: RoundProof, now: RoundProof | None) -> RoundProof:
    records = {} if now is None else dict(now.records())
    for name, record in kept.records():
        found = records.get(name)
        if found is None or (found.data, found.inclusion.index) != (record.data, record.inclusion.index):
            raise CheckFailed(
                Check.RECEIPT_KEPT,
                expected=f"record {record.inclusion.index} as the {name} of the round",
                found="none" if found is None else f"record {found.inclusion.index}",
                index=record.inclusion.index,
            )
    if now is None:
        raise ValueError("a proof has records")
    return now
