"""Changes of a service's database behind its back, in the words of the engine that it is on."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager

from sqlalchemy import select, text

from api.store import tables
from api.world.storage_failures import ServerFailure
from tests.support.in_process_service import InProcessService
from tests.support.running_service import RunningService

Refusal = (sqlite3.IntegrityError, ServerFailure)
"""What a statement that is refused raises."""


@contextmanager
def refusing(service: InProcessService, change: str, table: str) -> Iterator[None]:
    """Each ``INSERT`` or ``UPDATE`` of a table fails meanwhile."""
    trigger = f"CREATE TRIGGER refused BEFORE {change} ON {table}"
    if service.settings.server is None:
        service.tamper(f"{trigger} BEGIN SELECT RAISE(ABORT, 'no'); END")
    else:
        service.tamper(
            "CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RAISE EXCEPTION ''no''; END'"
        )
        service.tamper(f"{trigger} FOR EACH ROW EXECUTE FUNCTION refuse()")
    yield
    service.tamper("DROP TRIGGER refused" + f" ON {table}" * (service.settings.server is not None))


def change_records(service: InProcessService | RunningService, old: str, new: str, where: str) -> int:
    """Replace something in queued records; returns how many there were."""
    found = service.query(str(select(tables.QUEUE.c.id, tables.QUEUE.c.data).where(text(where))))
    for number, data in found:
        changed = bytes(data).replace(old.encode(), new.encode())
        service.tamper("UPDATE queue SET data = ? WHERE id = ?", changed, number)
    return len(found)
