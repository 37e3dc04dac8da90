"""The audit: the whole public log, replayed from its first record, with nothing but a key.

It trusts nobody. If it returns, everything that it checks held; otherwise it raises `CheckFailed`
or `Unreadable`.
"""

from __future__ import annotations

from collections.abc import Callable, Container
from copy import deepcopy
from dataclasses import replace
from functools import cache, partial

from msgspec import structs

from fairness.checks import Check
from fairness.draws.commitments import commitments_path, split_commitments_file
from fairness.draws.game import Games, is_known_now
from fairness.errors import CheckFailed, Malformed, Missing
from fairness.log.checkpoints import CHECKPOINT, Checkpoint, SignedCheckpoint
from fairness.log.tiles import WIDTH, AuthenticTiles
from fairness.policy.head import Head
from fairness.policy.policy import Policy, Trust
from fairness.records.record import is_type_known_now
from fairness.records.rules import UNSALTED
from fairness.records.table_state import TableState
from games import GAMES
from verifier.audit.bundle_times import TimesAround
from verifier.audit.clock import NewRecords
from verifier.audit.history import TableHistory
from verifier.audit.partition import Partition, PartResult, run_partition
from verifier.audit.processes import jobs_for, run_in_processes
from verifier.audit.report import AuditReport, AuditState
from verifier.audit.round_rows import RoundRows
from verifier.audit.witnesses import Witnessing, asked_of, check_witnesses
from verifier.failures import Failure
from verifier.forks.extension import check_extends
from verifier.sources.source import Source

Progress = Callable[[int, int], None]
"""Called with the number of records done, and the number of all new ones."""


def audit_log(
    source: Source,
    trust: Trust,
    *,
    games: Games = GAMES,
    jobs: int | None = 1,
    previous: AuditState | None = None,
    progress: Progress | None = None,
    gathers: bool = False,
) -> AuditReport:
    """Audit the log that ``source`` reads, with ``trust``; with ``previous``, only what is new since.

    With ``jobs`` above 1 the records are replayed in that many processes, each of which opens
    ``source.address`` separately; the result is the same. `None` chooses a number. With ``gathers`` the report has the numbers of
    every round that was read. Raises `CheckFailed` (for a log that does not extend ``previous``:
    `NotAnExtension`) or `Unreadable`; `ValueError` if ``previous`` belongs to another log.
    """
    # A log has kept every promise that can be checked if (SPEC 8):
    #  1. its checkpoint is signed by the log's key;
    #  2. the tree of that checkpoint extends the one that was seen before, and the checkpoint has the policy's quorum;
    #  3. every record has the hash that the tree has at its place, and follows the rules;
    #  4. each batch that is not yet opened has the published commitments that its record promises;
    #  5. witnesses saw each batch that names a pulse before that pulse, if the policy has a quorum.
    report = replay_log(source, trust, games=games, jobs=jobs, previous=previous, progress=progress, gathers=gathers)

    # Step 4: the commitments of batches that are not yet opened.
    for table in report.tables:
        check_commitments(source, table.state, table.history)

    # Step 5: what the witnesses saw.
    return with_witnesses(source, report)


def with_witnesses(source: Source, report: AuditReport) -> AuditReport:
    """The report after step 5; the same if nothing is asked of witnesses. Raises as `check_witnesses` does."""
    state = report.state
    if state.witnessing is None:
        return report
    found = check_witnesses(source, report.head, state.witnessing, report.new)
    return replace(report, state=structs.replace(state, witnessing=found), new=None)


def replay_log(
    source: Source,
    trust: Trust,
    *,
    games: Games = GAMES,
    jobs: int | None = 1,
    previous: AuditState | None = None,
    progress: Progress | None = None,
    note: bytes | None = None,
    gathers: bool = False,
) -> AuditReport:
    """Steps 1 to 3 of `audit_log`: everything except the files of commitments and of witnesses.

    ``note`` is a checkpoint that was already read.
    """
    # Step 1: the checkpoint.
    note = source.read(CHECKPOINT) if note is None else note
    head = Head.read(note, trust)
    checkpoint, key = head.checkpoint, str(head.policy.log)
    tiles_of = cache(partial(AuthenticTiles, read=source.read))

    # Step 2: the log that was seen before, and then the quorum: the log's signature alone shows a fork.
    # Replay changes the states, and ``previous`` must stay unchanged if it fails.
    start = 0 if previous is None else _check_extends(head, previous, tiles_of)
    state = AuditState(key, "", {}, {}) if previous is None else deepcopy(previous)
    if must_begin_again(head.policy, state, games):
        # What was replayed is not remembered record by record, so all of it is read again.
        start, state = 0, AuditState(key, "", {}, {})
    head.check_quorum()
    tiles_of(checkpoint)

    # Step 3: every record.
    jobs = jobs_for(checkpoint.size - start) if jobs is None else jobs
    partitions = _partitions(checkpoint, start, state, jobs if games is GAMES else 1, head.policy, gathers=gathers)
    results = _run(partitions, source, games, progress)
    _raise_first(results, checkpoint.size)
    after, rounds = AuditState(key, note.decode(), {}, {}), dict[str, RoundRows]()
    for found in results:
        after.tables |= found.tables
        after.histories |= found.histories
        rounds |= found.rounds
    newest = max((pulse.time for found in results for pulse in found.pulses), default=0)
    if head.policy.quorum is None:
        return AuditReport(head, start, after, rounds, newest_pulse=newest)
    after.witnessing = state.witnessing or Witnessing()
    after.witnessing.by = asked_of(head.policy)
    salted = [batch for found in results for batch in found.salted]
    after.witnessing.unchecked += sorted(salted, key=lambda batch: batch.index)
    return AuditReport(head, start, after, rounds, _new_records(results, start, checkpoint.size), newest)


def must_begin_again(policy: Policy, state: AuditState, games: Games = GAMES) -> bool:
    """Whether the audits that led to a state left out what can be checked now: by this policy, or by this newer program."""
    return _asks_others(policy, state) or any(_is_known_now(table, games) for table in state.tables.values())


def _is_known_now(table: TableState, games: Games) -> bool:
    if table.lost_at and is_type_known_now(table.lost_at):
        return True
    return bool(table.unknown) and any(is_known_now(games.of(table), what) for what in table.unknown)


def _asks_others(policy: Policy, state: AuditState) -> bool:
    if policy.quorum is None or not state.tables:
        return False
    if state.witnessing is None:
        # Nobody noted the times of the records that were replayed.
        return True
    return any(table.salt != UNSALTED for table in state.tables.values()) and state.witnessing.by != asked_of(policy)


def _new_records(results: list[PartResult], start: int, size: int) -> NewRecords:
    times = TimesAround((found.times for found in results), start, size)
    pulses = sorted((pulse for found in results for pulse in found.pulses), key=lambda pulse: pulse.index)
    return NewRecords(times, pulses, ())


def _check_extends(head: Head, previous: AuditState, tiles_of: Callable[[Checkpoint], AuthenticTiles]) -> int:
    """The number of records that were already replayed. Raises `NotAnExtension`, or `ValueError` for another log's state."""
    seen, replayed = remembered_heads(previous, head.policy)
    for old in {seen, replayed}:
        check_extends(old, head.signed, tiles_of)
    return replayed.checkpoint.size


def remembered_heads(state: AuditState, trust: Trust) -> tuple[SignedCheckpoint, SignedCheckpoint]:
    """The largest checkpoint that was seen, and the one whose records were replayed. `ValueError` for another log's."""
    # No quorum is asked for: they bind the log that signed them, whoever cosigned, and may be older than the policy.
    key = Policy.of(trust).log
    if state.key != str(key):
        raise ValueError(f"the remembered state is of the log {state.key}, not of {key}")
    try:
        replayed = SignedCheckpoint.open(state.checkpoint.encode(), key)
        seen = SignedCheckpoint.open(state.seen.encode(), key) if state.seen else replayed
    except (CheckFailed, Malformed) as error:
        raise ValueError(f"the remembered checkpoint is damaged: {error}") from error
    return seen, replayed


def _partitions(
    checkpoint: Checkpoint, start: int, state: AuditState, jobs: int, policy: Policy, *, gathers: bool
) -> list[Partition]:
    owners = {name: at % jobs for at, name in enumerate(sorted(state.tables))}
    return [
        Partition(
            origin=checkpoint.origin,
            size=checkpoint.size,
            root=checkpoint.root,
            start=start,
            number=number,
            workers=jobs,
            owners=dict(owners),
            tables={name: table for name, table in state.tables.items() if owners[name] == number},
            histories={name: history for name, history in state.histories.items() if owners[name] == number},
            gathers=gathers,
            beacons=[*map(str, policy.beacons)],
            brackets=policy.quorum is not None,
        )
        for number in range(jobs)
    ]


def _run(partitions: list[Partition], source: Source, games: Games, progress: Progress | None) -> list[PartResult]:
    total = partitions[0].size - partitions[0].start

    def report_done(done: int) -> None:
        if progress is not None:
            progress(done, total)

    if len(partitions) == 1:
        return [run_partition(partitions[0], source, games, report_done)]
    return run_in_processes(partitions, source.address, report_done)


def _raise_first(results: list[PartResult], size: int) -> None:
    """Raise what is wrong, whichever worker found it.

    Bytes that are not the log's come first, because they make everything else doubtful. A record that
    was refused before the first unreadable file is still a verdict.
    """
    stops = [found.stop for found in results if found.stop is not None]
    stop = min(stops, key=lambda stop: stop.bundle, default=None)
    if stop is not None and isinstance(stop.found, Failure):
        raise stop.found.error()
    readable = stop.bundle * WIDTH if stop else size
    refusals = [found.refused for found in results if found.refused is not None]
    refused = min(refusals, key=_position, default=None)
    if refused is not None and _position(refused) < readable:
        raise refused.error()
    if stop is not None:
        raise stop.found.error()


def _position(refused: Failure) -> int:
    return refused.index or 0


def check_commitments(
    source: Source, table: TableState, history: TableHistory, *, known: Container[bytes] = ()
) -> None:
    """Raise `CheckFailed` unless every unopened batch of a table has the commitments of its record.

    The files of the batches with ``known`` ids are not read.
    """
    for batch in table.batches:
        if batch.batch_id in known:
            continue
        index, where = history.positions.get(batch.number), f"table {table.name}, batch {batch.number}"
        try:
            data = source.read(commitments_path(batch.batch_id))
        except Missing as error:
            raise CheckFailed(
                Check.COMMITMENTS_FILE, expected=error.path, found=error.why, index=index, where=where
            ) from error
        try:
            split_commitments_file(data, count=batch.count, roots=batch.roots, where=where)
        except CheckFailed as error:
            raise error.at(index=index) from error
