"""Database, log and custodian's store: each by itself, and whether a start would find that they belong together."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing

from api.custody.seed_store import Mark, SeedStore
from api.journal.chain import JournalBrokenError, verify
from api.log.recovery import check_published, recover
from api.programs.doctor.finding import Finding, guarded, note, problem
from api.rounds.reading import status_of_tables
from api.service import Service
from api.sql.files import check_whole
from api.store.upgrade import refusal, schema_of
from fairness.draws.commitments import commitments_path
from fairness.hashing import HASH_SIZE
from fairness.log.checkpoints import CHECKPOINT, Checkpoint
from fairness.policy.witnessed import witnessed_path
from fairness.records.rules import UNSALTED
from fairness.records.table_state import TableState

_COPY_BACK = "Put it back from a copy of the log: a mirror's or an auditor's is as good as your own"


def look_at_store(service: Service, *, running: bool) -> Iterator[Finding]:
    """What a start would refuse, or repair; while the service runs, the same of what is published."""
    settings = service.settings
    found = list(guarded("database", settings, lambda: _database(service)))
    yield from found
    damaged = any(finding.about == "database" and finding.level == "problem" for finding in found)
    states = {} if damaged else _states(service)
    marks: list[Mark] = []
    if settings.has_seeds:
        yield from guarded("custodian", settings, lambda: _custodian(service, states, marks))
    if damaged or running:
        yield from guarded("log", settings, lambda: _published(service, marks))
    else:
        yield from guarded("log", settings, lambda: _log(service, marks))
    for state in states.values():
        yield from _files_of_batches(service, state, running=running)


def _database(service: Service) -> Iterator[Finding]:
    if service.settings.server is None:
        check_whole(service.settings.database)
    schema = schema_of(service.database)
    if (why := refusal(schema, service.settings)) is not None:
        yield problem("database", why, "foredraw upgrade" if schema.is_known and not schema.is_empty else None)
    elif (why := service.health.failure("database")) is not None:
        yield problem("database", why)
    else:
        yield from _journal(service)


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


def _published(service: Service, marks: list[Mark]) -> Iterator[Finding]:
    check_published(service.own_log, service.verifier_key, marks)
    if (why := service.health.failure("log")) is not None:
        yield problem("log", why)


def _log(service: Service, marks: list[Mark]) -> Iterator[Finding]:
    service.policy.check_not_forgotten(service.own_log)
    recovered = recover(service.database, service.own_log, service.verifier_key, marks)
    log = service.own_log
    if log.stamp(CHECKPOINT) == (0, 0):
        return
    published = Checkpoint.open(log.read(CHECKPOINT), service.verifier_key).size
    if waiting := recovered.edge.size - published:
        yield note(
            "log",
            f"the checkpoint is of {published:,} records, and the database has {waiting:,} more that were not published:"
            " a crash or an older checkpoint. The files show that one log extends the other, and the next start publishes"
            " the newest head",
            "foredraw serve",
        )


def _custodian(service: Service, states: dict[str, TableState], marks: list[Mark]) -> Iterator[Finding]:
    """Opens the store, whose seeds stay sealed."""
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
                    f"custodian/seeds.db lacks the seeds of rounds {first:,} to {last:,} of {state.name}, which are"
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
            yield problem(
                "log",
                f"log/{path}, which shows that witnesses saw batch {batch.number} of {state.name} before its pulse, is"
                f" missing: its rounds do not open, and audits refuse the log. {_COPY_BACK}",
            )
