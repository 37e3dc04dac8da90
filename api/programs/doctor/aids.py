"""The finding aids of a stopped service: they prove nothing, but whoever looks for a round begins with them."""

from __future__ import annotations

import shlex
from collections.abc import Iterator

from api.log.finding_aids import AidsWriter
from api.programs.doctor.finding import Finding, note, problem
from api.rounds.reading import appended_states
from api.service import Service
from fairness.errors import ForedrawError
from fairness.records.table_state import PendingBatch, TableState
from fairness.round.finding_aids import rounds_path


def look_at_aids(service: Service) -> Iterator[Finding]:
    """Files that the next start makes again, and places of the rounds to come that lead elsewhere, which it does not notice."""
    head, appended = appended_states(service.database)
    aids = AidsWriter(service.log)
    missing = [aids.first_missing(state, 1, state.committed_through) for state, _ in appended]
    broken = dict.fromkeys([*aids.wrong(appended), *(path for path in missing if path is not None)])
    for path in broken:
        yield note(
            "log",
            f"log/{path}, a finding aid, is missing, cut, or names other tables than the log: finding aids prove nothing, and"
            " rounds are found by them. The next start makes all of them again from the log",
            "foredraw serve",
        )
    if broken or head != service.publication.size:
        return
    for state, _ in appended:
        for path in dict.fromkeys(_misleading(service, state)):
            yield problem(
                "log",
                f"log/{path}, a finding aid, leads elsewhere than to the batch of a round of {state.name}: that round cannot be"
                " opened, and checks by its code do not find it; the log itself is not affected. Delete the file: the next"
                " start makes it again from the log",
                f"rm {shlex.quote(str(service.settings.log / path))}",
            )


def _misleading(service: Service, state: TableState) -> Iterator[str]:
    """The files of the table's next round, and of the last one of its lead."""
    if state.ended:
        return
    for number in (state.next_round, min(state.next_round + state.lead, state.committed_through)):
        batch = _batch_of(state, number)
        if batch is not None and not _is_found(service, state, batch, number):
            yield rounds_path(state.table_id, number)


def _batch_of(state: TableState, number: int) -> PendingBatch | None:
    return next((batch for batch in state.batches if batch.first <= number < batch.first + batch.count), None)


def _is_found(service: Service, state: TableState, batch: PendingBatch, number: int) -> bool:
    try:
        return service.publication.has_batch(batch.batch_id, state.table_id, number)
    except ForedrawError:
        return False
