"""The audit: the whole public log, replayed from its first record, with nothing but a key.

It trusts nobody. If it returns, everything that it checks held; otherwise it raises `CheckFailed`
or `Unreadable`.
"""

from __future__ import annotations

from collections.abc import Container
from dataclasses import replace
from functools import cache, partial

from msgspec import structs

from fairness.checks import Check
from fairness.draws.commitments import commitments_path, split_commitments_file
from fairness.draws.game import Games
from fairness.errors import CheckFailed, Missing, Unreadable
from fairness.log.checkpoints import CHECKPOINT, Checkpoint
from fairness.log.tiles import WIDTH, AuthenticTiles
from fairness.policy.head import Head
from fairness.policy.policy import Policy, Trust
from fairness.records.table_state import TableState
from games import GAMES
from verifier.audit.bundle_times import TimesAround
from verifier.audit.bundles import Progress
from verifier.audit.clock import NewRecords
from verifier.audit.custody import check_notes
from verifier.audit.history import TableHistory
from verifier.audit.partition import Partition, PartResult, Stop, run_partition
from verifier.audit.processes import jobs_for, run_in_processes
from verifier.audit.remembered import AuditState, Incomplete, Part, begin, remembered_heads
from verifier.audit.report import AuditReport
from verifier.audit.round_rows import RoundRows
from verifier.audit.witnesses import check_files, compare_times
from verifier.failures import Failure
from verifier.forks.extension import check_extends
from verifier.paytables import check_paytables
from verifier.sources.source import FolderSource, Source


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

    With ``jobs`` above 1 the records are replayed in that many processes, each of which opens ``source.address``
    separately; the result is the same. `None` chooses a number. With ``gathers`` the report has the numbers of every
    round that was read. Raises `CheckFailed` (for a log that does not extend ``previous``: `NotAnExtension`) or
    `Unreadable` (with ``previous``, `Incomplete` if another audit can go on from there); `ValueError` if ``previous``
    belongs to another log.
    """
    # A log has kept every promise that can be checked if (SPEC 8):
    #  1. its checkpoint is signed by the log's key;
    #  2. the tree of that checkpoint extends the one that was seen before, and the checkpoint has the policy's
    #     quorum;
    #  3. every record has the hash that the tree has at its place, and follows the rules;
    #  4. each batch that is not yet opened has the published commitments that its record promises;
    #  5. witnesses saw each batch that names a pulse before that pulse, if the policy has a quorum;
    #  6. each custodian whose key the policy has vouched for each of its batches;
    #  7. the file of what a table's bets pay is there, as its record names it, and has its form.
    report, part = _replay(
        source, trust, games=games, jobs=jobs, previous=previous, progress=progress, gathers=gathers
    )
    try:
        # Step 4: the commitments of batches that are not yet opened.
        for table in report.tables:
            check_commitments(source, table.state, table.history)

        # Step 5: what the witnesses saw.
        report = _with_witnesses(source, report, part)

        # Step 6: what the custodians said.
        report = _with_custody(source, report, part)

        # Step 7: what bets pay.
        return replace(report, paytables=check_paytables(source.read, (table.paytable for table in report.tables)))
    except Unreadable as error:
        if previous is None:
            raise
        raise Incomplete(error, previous, part, report.checkpoint.size) from error


def _with_witnesses(source: Source, report: AuditReport, part: Part) -> AuditReport:
    """Return the report after step 5; the same if nothing is asked of witnesses. ``part`` takes note of the files
    that held.
    """
    if part.witnessing is None or report.new is None:
        return report
    checked = check_files(source, report.head, part.witnessing)
    part.witnessing, part.seen = checked.after, [*part.seen, *checked.seen]
    if checked.failure is not None:
        raise checked.failure
    found = compare_times(source, report.head, checked.after, report.new.with_seen(checked.seen))
    return replace(report, state=structs.replace(report.state, witnessing=found), new=None)


def _with_custody(source: Source, report: AuditReport, part: Part) -> AuditReport:
    """Return the report after step 6; the same if nothing is asked of custodians. ``part`` takes note of the notes
    that held.
    """
    if part.custody is None:
        return report
    part.custody, failure = check_notes(source, report.head.policy, part.custody)
    if failure is not None:
        raise failure
    return replace(report, state=structs.replace(report.state, custody=part.custody))


def replay_log(
    source: Source,
    trust: Trust,
    *,
    jobs: int | None = 1,
    previous: AuditState | None = None,
    note: bytes | None = None,
    gathers: bool = False,
) -> AuditReport:
    """Take steps 1 to 3 of `audit_log`: everything except the files of commitments and of witnesses.

    ``note`` is a checkpoint that was already read.
    """
    return _replay(source, trust, jobs=jobs, previous=previous, note=note, gathers=gathers)[0]


def _replay(
    source: Source,
    trust: Trust,
    *,
    games: Games = GAMES,
    jobs: int | None,
    previous: AuditState | None,
    progress: Progress | None = None,
    note: bytes | None = None,
    gathers: bool,
) -> tuple[AuditReport, Part]:
    # Step 1: the checkpoint.
    note = source.read(CHECKPOINT) if note is None else note
    head = Head.read(note, trust)
    checkpoint, policy = head.checkpoint, head.policy
    tiles_of = cache(partial(AuthenticTiles, read=source.read))

    # Step 2: the log that was seen before, and then the quorum: the log's signature alone shows a fork.
    state = AuditState.empty(policy.log) if previous is None else previous
    heads, replayed = remembered_heads(state, policy)
    for old in heads:
        check_extends(old, head.signed, tiles_of)
    part = begin(state, replayed, head, games)
    head.check_quorum()
    tiles_of(checkpoint)

    # Step 3: every record.
    seen_before = part.size
    jobs = jobs_for(checkpoint.size - seen_before) if jobs is None else jobs
    partitions = _partitions(source, checkpoint, part, jobs if games is GAMES else 1, policy, gathers=gathers)
    results = _run(partitions, source, games, progress)
    try:
        _raise_first(results, checkpoint.size)
    except Unreadable as error:
        if previous is not None and _add_readable(part, partitions, results, source, games):
            raise Incomplete(error, previous, part, checkpoint.size) from error
        raise
    _add(part, results, checkpoint.size)
    after = AuditState(
        str(policy.log),
        note.decode(),
        part.tables,
        part.histories,
        witnessing=part.witnessing,
        custody=part.custody,
        asides=part.asides,
    )
    rounds = dict[str, RoundRows]()
    for found in results:
        rounds |= found.rounds
    new = None
    if part.witnessing is not None:
        new = NewRecords(TimesAround(part.times, part.start, checkpoint.size), part.pulses, part.seen)
    newest = max((pulse.time for pulse in part.pulses), default=0)
    return AuditReport(head, seen_before, after, rounds, new, newest), part


def _partitions(
    source: Source, checkpoint: Checkpoint, part: Part, jobs: int, policy: Policy, *, gathers: bool
) -> list[Partition]:
    owners = {name: at % jobs for at, name in enumerate(sorted(part.tables))}
    return [
        Partition(
            origin=checkpoint.origin,
            size=checkpoint.size,
            root=checkpoint.root,
            start=part.size,
            end=checkpoint.size,
            number=number,
            workers=jobs,
            # A server can give each worker other bytes, so that none can rely on the others.
            shares_hashes=isinstance(source, FolderSource),
            owners=dict(owners),
            tables={name: table for name, table in part.tables.items() if owners[name] == number},
            histories={name: history for name, history in part.histories.items() if owners[name] == number},
            gathers=gathers,
            beacons=[*map(str, policy.beacons)],
            custodians=[each.name for each in policy.custodians],
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
    stop = _first_stop(results)
    if stop is not None and isinstance(stop.found, Failure):
        raise stop.found.error()
    readable = stop.bundle * WIDTH if stop else size
    refusals = [found.refused for found in results if found.refused is not None]
    refused = min(refusals, key=_position, default=None)
    if refused is not None and _position(refused) < readable:
        raise refused.error()
    if stop is not None:
        raise stop.found.error()


def _first_stop(results: list[PartResult]) -> Stop | None:
    return min((found.stop for found in results if found.stop), key=lambda stop: stop.bundle, default=None)


def _position(refused: Failure) -> int:
    return refused.index or 0


def _add_readable(
    part: Part, partitions: list[Partition], results: list[PartResult], source: Source, games: Games
) -> bool:
    """Add the records before the first bundle that cannot be read; `False` if something is wrong with them or with
    later ones.
    """
    stop = _first_stop(results)
    if stop is None or any(found.refused or (found.stop and found.stop.is_failure) for found in results):
        return False
    end = max(part.size, stop.bundle * WIDTH)
    if len(partitions) > 1:
        # The other workers read on, and their states are of later records.
        results = _run([structs.replace(each, end=end) for each in partitions], source, games, None)
        if any(found.refused or found.stop for found in results):
            return False
    _add(part, results, end)
    return True


def _add(part: Part, results: list[PartResult], end: int) -> None:
    """Take note of what the workers replayed."""
    part.size = end
    for found in results:
        part.tables |= found.tables
        part.histories |= found.histories
    part.pulses += sorted((pulse for found in results for pulse in found.pulses), key=lambda pulse: pulse.index)
    for found in results:
        for name, number in found.asides.items():
            part.asides[name] = part.asides.get(name, 0) + number
    if part.custody is not None:
        held = [batch for found in results for batch in found.held]
        part.custody.unchecked += sorted(held, key=lambda batch: batch.index)
    if part.witnessing is not None:
        salted = [batch for found in results for batch in found.salted]
        part.witnessing.unchecked += sorted(salted, key=lambda batch: batch.index)
        part.times += [found.times for found in results]


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
