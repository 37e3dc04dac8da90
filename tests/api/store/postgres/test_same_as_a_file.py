"""Values are compared, and outcomes found, as in the SQLite file."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from api.rounds.reading import OutcomeFilter, ended_rounds
from api.rounds.tables import add_table
from api.store import statements as sql
from api.store.models import RoundRow, RoundStatus
from tests.support.in_process_service import InProcessService
from tests.support.postgres import PostgresServer


def test_values_are_compared_as_in_the_file(running: InProcessService) -> None:
    """Names by their bytes, and numbers beyond 2^31; whatever the server's own rules are."""
    far = (1 << 40) + 1
    for name in ("a-b", "ab", "a1"):
        add_table(running.service.writer, name, "crash")
    with running.service.database.read() as connection:
        assert [row.name for row in sql.ALL_TABLES.all(connection)] == ["a-b", "a1", "ab", "crash-1", "keno-1"]
    running.service.database.write(
        lambda connection: sql.INSERT_ROUND.run(connection, RoundRow("ab", far, RoundStatus.OPEN, opened="now"))
    )
    assert running.status("ab", far) == "open"


OUTCOMES = (
    """{"multiplier":"1.15"}""",
    """{"multiplier":"20.00"}""",
    """{"cards":["Q red","7 (x)"],"note":"a.b|c"}""",
    """{"dice":[6,6,1]}""",
    """{"dice":[16,1,2]}""",
)
WANTED = (
    OutcomeFilter(),
    OutcomeFilter(least_hundredths=115),
    OutcomeFilter(least_hundredths=116, most_hundredths=1 << 40),
    OutcomeFilter(most_hundredths=115),
    OutcomeFilter(status="void"),
    OutcomeFilter(words=("6",)),
    OutcomeFilter(words=("red", "q")),
    OutcomeFilter(words=("(x)",)),
    OutcomeFilter(words=("a.b|c",)),
    OutcomeFilter(words=("axb|c",)),
    OutcomeFilter(words=("[6", "*")),
)


def test_both_databases_find_the_same_outcomes(tmp_path: Path, postgres: PostgresServer) -> None:
    """Whatever is asked for: a status, values in an outcome, a range of multipliers, from both ends."""
    found = []
    for server in (None, postgres):
        made = InProcessService.create(tmp_path / str(server is None), server=server)
        rows = [
            RoundRow("t", number, status, opened="a", locked="b", outcome=outcome, seeds="[]", code="c")
            for number, outcome in enumerate(OUTCOMES, 1)
            for status in [RoundStatus.VOID if number % 2 else RoundStatus.PLAYED]
        ]
        made.service.database.write(partial(sql.INSERT_ROUND.run_many, rows=rows))
        found.append(
            [
                ended_rounds(made.service.database, "t", range(1, 9), wanted, newest_first=newest, limit=4)
                for wanted in WANTED
                for newest in (False, True)
            ]
        )
        made.stop()
    assert found[0] == found[1]
    assert {len(rows) for rows in found[0]} >= {0, 1, 2, 4}
