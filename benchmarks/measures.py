"""Everything that ``make bench`` measures, in this order."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from benchmarks.audit import (
    measure_audit,
    measure_audit_of_games,
    measure_costliest_declaration,
    measure_salted_audit,
)
from benchmarks.badges import measure_badges
from benchmarks.browser_code import (
    measure_browser_code,
    measure_browser_code_on_a_phone,
    measure_browser_witnessed_code,
)
from benchmarks.code import measure_code
from benchmarks.collect import measure_collect
from benchmarks.figure import Figure
from benchmarks.hostile import measure_hostile, measure_hostile_postgres
from benchmarks.postgres import measure_history, measure_postgres
from benchmarks.proof import measure_proof
from benchmarks.sequencer import measure_many_tables, measure_sequencer
from benchmarks.service import measure_batches, measure_log_size, measure_play, measure_position
from benchmarks.single_file import measure_single_file
from benchmarks.start import measure_start
from benchmarks.static_log import measure_static_log
from benchmarks.stats import measure_stats
from benchmarks.watchers import measure_watchers
from benchmarks.witnesses import measure_witnesses

MEASURES: list[Callable[[], Iterator[Figure]]] = [
    *(measure_audit, measure_salted_audit, measure_audit_of_games, measure_costliest_declaration, measure_code),
    *(measure_browser_code, measure_browser_witnessed_code, measure_browser_code_on_a_phone),
    *(measure_proof, measure_single_file, measure_start, measure_stats),
    *(
        measure_play,
        measure_postgres,
        measure_history,
        measure_sequencer,
        measure_many_tables,
        measure_batches,
        measure_position,
        measure_log_size,
        measure_watchers,
        measure_badges,
        measure_witnesses,
        measure_static_log,
    ),
    *(measure_collect, measure_hostile, measure_hostile_postgres),
]
