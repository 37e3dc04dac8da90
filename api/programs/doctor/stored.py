"""Database, log and custodian's store: each by itself, and whether a start would find that they belong together."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing

from api.custody.mark import Mark
from api.custody.seed_store import SeedStore
from api.findings.finding import Finding, note, problem
from api.findings.states import database_of_another_log, log_not_whole, lost_paytable, lost_witnessed_file
from api.journal.chain import JournalBrokenError, verify
from api.log.keys import short
from api.log.paytable_files import is_whole
from api.log.recovery import NotWholeError, RecoveryError, check_published, recover, wrong_files
from api.paytables.offered import file_of
from api.programs.doctor.closed import Closed, Part
from api.programs.doctor.guarded import failure_of, guarded
from api.programs.doctor.keys import noted_key
from api.rounds.reading import head_row, status_of_tables
from api.rounds.seeds import check_key
from api.service import Service
from api.sql.database import Database
from api.sql.files import check_whole
from api.store.upgrade import refusal, schema_of
from fairness.draws.commitments import commitments_path
from fairness.hashing import HASH_SIZE
from fairness.log.checkpoints import CHECKPOINT, Checkpoint
from fairness.policy.witnessed import witnessed_path
from fairness.records.rules import UNSALTED
from fairness.records.table_state import TableState
from games.bets.paytable.read import paytable_path

_SHOWN = 10
"""Of the files that are missing or damaged."""


def unusable_database(service: Service, closed: Closed) -> Iterator[Finding]:
    """Yield why nothing is compared with the database, if it can be opened: it is damaged, another version's, or
    another log's.
    """
    if Part.DATABASE not in closed:
        yield from guarded("database", service.settings, lambda: _unusable(service))


def look_at_store(service: Service, closed: Closed, database: Database | None, *, running: bool) -> Iterator[Finding]:
    """Yield what a start would refuse, or repair; while the service runs, the same of what is published.

    What is ``closed`` is left out, and so is the database if it cannot be used (`None`).
    """
    settings = service.settings
    if database is not None:
        yield from guarded("database", settings, lambda: failure_of(service, "database"))
        yield from guarded("database", settings, lambda: _journal(service))
    states = {} if database is None else _states(service)
    marks: list[Mark] = []
    if Part.CUSTODIAN not in closed and settings.has_seeds:
        found = list(guarded("custodian", settings, lambda: _custodian(service, states, marks)))
        yield from found
        if database is not None and not any(finding.level == "problem" for finding in found):
            yield from guarded("keys", settings, lambda: check_key(service.custodian, service.database))
    if settings.elsewhere is not None:
        yield from guarded("log", settings, lambda: failure_of(service, "log"))
    elif Part.LOG not in closed:
        yield from guarded("log", settings, lambda: _log(service, marks, database, running=running))
        for state in states.values():
            yield from _files_of_batches(service, state, running=running)
        for paytable, names in _paytables(states).items():
            yield from _file_of_paytable(service, paytable, names)


def _unusable(service: Service) -> Iterator[Finding]:
    settings = service.settings
    if settings.server is None:
        check_whole(settings.database)
    schema = schema_of(service.database)
    if (why := refusal(schema, settings)) is not None:
        yield problem("database", why, "foredraw upgrade" if schema.is_known and not schema.is_empty else None)
    elif (head := head_row(service.database)) is None:
        yield from failure_of(service, "database")
    else:
        yield from _of_another_log(service, head.origin)


def _of_another_log(service: Service, origin: str) -> Iterator[Finding]:
    """Recognise it by the name in its head, and by the key that the journal's first entry has: two logs may have one
    name.
    """
    settings, ours = service.settings, service.verifier_key
    noted = noted_key(service.database)
    if origin == ours.name and noted in {None, ours}:
        return
    name = "foredraw.db" if settings.server is None else f"the database {settings.server.place} (FOREDRAW_DATABASE)"
    theirs = origin if noted is None or noted.name != origin else short(noted)
    key = "keys/log.vkey" if settings.elsewhere is None else "FOREDRAW_LOG_KEY"
    yield problem("database", database_of_another_log(name, theirs, key, short(ours)))


def _journal(service: Service) -> Iterator[Finding]:
    try:
        verify(service.database)
    except JournalBrokenError as error:
        yield problem(
            "journal",
            f"the journal was changed: {error}. Somebody wrote to foredraw.db past the service, or it was put together from"
            " copies. Rounds are not affected. Compare it with the heads and exports that you kept",
            "foredraw journal --verify",
        )


def _states(service: Service) -> dict[str, TableState]:
    return {each.state.name: each.state for each in status_of_tables(service.database) if not each.damaged}


def _log(service: Service, marks: list[Mark], database: Database | None, *, running: bool) -> Iterator[Finding]:
    try:
        if running or database is None:
            check_published(service.own_log, service.verifier_key, marks)
            yield from failure_of(service, "log")
        else:
            yield from _unpublished(
                service, recover(database, service.own_log, service.verifier_key, marks).edge.size
            )
    except RecoveryError as error:
        wrong = [str(each) for each in wrong_files(service.own_log, service.verifier_key, database)]
        # Whatever was refused first, no damaged file stays unsaid.
        if not isinstance(error, NotWholeError) or str(error.__cause__) not in wrong:
            yield problem("log", str(error))
        if wrong:
            more = f"; and {len(wrong) - _SHOWN:,} more" if len(wrong) > _SHOWN else ""
            files = "the file" if len(wrong) == 1 else "the files"
            yield problem("log", log_not_whole(f"{'; '.join(wrong[:_SHOWN])}{more}", files))


def _unpublished(service: Service, size: int) -> Iterator[Finding]:
    log = service.own_log
    if log.stamp(CHECKPOINT) == (0, 0):
        return
    published = Checkpoint.open(log.read(CHECKPOINT), service.verifier_key).size
    if waiting := size - published:
        yield note(
            "log",
            f"the checkpoint is of {published:,} records, and the database has {waiting:,} more that were not published:"
            " a crash or an older checkpoint. The files show that one log extends the other, and the next start publishes"
            " the newest head",
            "foredraw serve",
        )


def _custodian(service: Service, states: dict[str, TableState], marks: list[Mark]) -> Iterator[Finding]:
    """Open the store, whose seeds stay sealed."""
    server = service.settings.seeds_server
    name = "custodian/seeds.db" if server is None else f"the database {server.place} (FOREDRAW_CUSTODIAN)"
    with closing(SeedStore(service.settings.seeds)) as store:
        store.check_whole()
        # Before the log is read: a mark is there before its seed leaves, and after its record is published.
        marks += store.marks()
        for state in states.values():
            lost = [batch for batch in state.batches if any(store.chain(each) is None for each in batch.anchors)]
            if lost and not state.closed:
                first, last = lost[0].first, lost[-1].first + lost[-1].count - 1
                yield problem(
                    "custodian",
                    f"{name} lacks the seeds of rounds {first:,} to {last:,} of {state.name}, which are"
                    " committed: it is an older state, or another log's. These rounds cannot be locked or revealed, and"
                    " nobody can make their seeds again. Put the newest copy of custodian/ back",
                )
    known = {mark.table_id: mark.round for mark in marks}
    for state in states.values():
        if (seen := known.get(state.table_id, 0)) < state.next_round - 1 - (state.locked is not None):
            yield note(
                "custodian",
                f"the custodian remembers releases up to round {seen:,} of {state.name}, and later rounds are revealed:"
                " its store is an older state. The next release brings it up to date; until then a database and a log"
                " that are as old would not be noticed. If a newer copy of custodian/ exists, put it back",
            )


def _paytables(states: dict[str, TableState]) -> dict[str, list[str]]:
    """Return the hashes of what bets pay, and the tables that have them."""
    found: dict[str, list[str]] = {}
    for state in states.values():
        if state.paytable:
            found.setdefault(state.paytable, []).append(state.name)
    return found


def _file_of_paytable(service: Service, paytable: str, tables: list[str]) -> Iterator[Finding]:
    path, named = paytable_path(paytable), tables[:_SHOWN]
    if is_whole(service.own_log, paytable):
        return
    if file_of(service.database, paytable) is None:
        yield problem("log", lost_paytable(path, named))
        return
    of = f"log/{path}, which says what the bets of {', '.join(named)} pay, is missing or damaged"
    yield note("log", f"{of}. The next start writes it from the database", "foredraw serve")


def _files_of_batches(service: Service, state: TableState, *, running: bool) -> Iterator[Finding]:
    for batch in state.batches:
        path = commitments_path(batch.batch_id)
        if service.own_log.size(path) != batch.count * len(batch.anchors) * HASH_SIZE:
            when = "before the next of its rounds opens" if running else "at the next start"
            yield note(
                "log",
                f"log/{path}, the commitments of batch {batch.number} of {state.name}, is missing or cut. It is made again"
                f" from the seeds {when}",
                "foredraw serve",
            )
        if state.salt == UNSALTED or batch.awaits is not None or service.policy.policy() is None:
            continue
        if service.own_log.size(path := witnessed_path(batch.batch_id)) is None:
            yield problem("log", lost_witnessed_file(path, f"batch {batch.number} of {state.name}"))
