"""Tables that cannot be played, and why, as far as the database shows it."""

from __future__ import annotations

from collections.abc import Iterator

from api.findings.finding import Finding, note, problem
from api.findings.states import damaged_row, log_ended
from api.rounds.reading import has_ended, status_of_tables, tables_without_rules
from api.service import Service
from api.store.contents import LOG_ENDED


def look_at_tables(service: Service) -> Iterator[Finding]:
    """Look for halted tables, tables whose row is damaged, and those that somebody paused."""
    for name in tables_without_rules(service.database):
        yield problem(
            "table",
            f"the rules of the table {name} in foredraw.db are damaged: no batch of it is committed any more, and what stands in"
            " the log is not affected. Stop the service, keep a copy of the data folder, and run `foredraw rebuild`, which"
            " takes the rules of its last batch",
        )
    if has_ended(service.database):
        yield note("log", log_ended(LOG_ENDED))
    for table in status_of_tables(service.database):
        name = table.state.name
        if table.damaged:
            yield problem("table", damaged_row(name))
        elif table.halted == LOG_ENDED:
            continue
        elif table.halted is not None:
            # What was expected and what was found may be secret still.
            reason = table.halted.partition(": expected ")[0]
            yield problem(
                "table",
                f"the table {name} is halted ({reason}): replay refused its record, its engine gets no answers, and all"
                " other tables go on. Start the service again, which tries the record once more. If it is refused again,"
                " keep a copy of the data folder, and run `foredraw rebuild` with the service stopped",
            )
        elif table.paused and not table.state.ended:
            yield note(
                "table",
                f"the table {name} is paused by an operator: no round of it is opened, and everything else goes on."
                f" `foredraw journal` says who did it and why; `foredraw table resume {name}` ends it, or `foredraw resume`"
                " if all tables were halted",
            )
