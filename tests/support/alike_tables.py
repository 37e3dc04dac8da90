"""A service with two tables whose ids begin with the same four bytes."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

from api.rounds.tables import add_table
from tests.support.in_process_service import InProcessService

ALIKE = ("alike-37152", "alike-60202")
"""Of 100,000 such names these are a pair, if both tables are made at this moment, and as long as their game has this
paytable.
"""
_MOMENT = datetime(2026, 11, 20, 22, 49, 2, tzinfo=UTC)


@contextmanager
def alike_tables(folder: Path) -> Iterator[tuple[InProcessService, list[str]]]:
    """The service, of whose tables only the second has played a round, and their ids."""
    made = InProcessService.create(folder)
    try:
        for name in ALIKE:
            made.clock.date = _MOMENT
            add_table(made.service.writer, name, "keno-express")
        made.settle()
        made.play(ALIKE[1])
        made.settle()
        ids = [made.state(name).table_id.hex() for name in ALIKE]
        assert ids[0] != ids[1]
        assert ids[0][:8] == ids[1][:8]
        yield made, ids
    finally:
        made.stop()
