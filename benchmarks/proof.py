"""The proof files of rounds: how large they are, how fast they are made and checked."""

from __future__ import annotations

import time
from collections.abc import Iterator

from benchmarks.audit import LARGE
from benchmarks.figure import Figure, lower
from benchmarks.verifier_logs import KEY, log_of
from fairness.player.round_code import RoundCode
from fairness.round.finder import find_table
from fairness.round.prover import prove_round
from verifier.round.proof_check import check_proof
from verifier.round.published import open_log
from verifier.sources.source import FolderSource

_REPEATED = 20
_TRIES = 5
"""The fastest of this many repetitions counts: the others waited for something else on this machine."""


def measure_proof() -> Iterator[Figure]:
    """Rounds at the beginning and at the end of a long log, including the last ones of their batches, and unopened
    rounds.
    """
    log, key = log_of(LARGE), KEY.verifier_key
    source = FolderSource(log.folder)
    largest, longest, slowest = 0, 0.0, 0.0
    for table_id, number in _rounds(log.codes, source):
        took, data = min(_made(source, table_id, number) for _ in range(_TRIES))
        longest = max(longest, took)
        largest = max(largest, len(data))
        started = time.process_time()
        for _ in range(_REPEATED):
            check_proof(data, key)
        slowest = max(slowest, (time.process_time() - started) / _REPEATED)
    name = f"proof file of one round of {log.records:,} records"
    size, made = lower("at most", largest, "bytes"), lower("at most", longest * 1000, "ms", 1)
    checked = lower("CPU time at most", slowest * 1000, "ms", 2)
    yield Figure(f"{name}: its size", [size], "under 10,000 bytes", met=largest < 10_000)
    yield Figure(f"{name}: made", [made], "under 20 ms", met=longest < 0.02)
    yield Figure(f"{name}: checked", [checked], "under 5 ms", met=slowest < 0.005)


def _made(source: FolderSource, table_id: bytes, number: int) -> tuple[float, bytes]:
    """One file, made as by a program that has not read anything of the log yet; and how long it took."""
    started = time.perf_counter()
    log = open_log(source, KEY.verifier_key)
    table = find_table(log, table_id)
    data = bytes((prove_round(log, table, number) if table else None) or b"")
    return time.perf_counter() - started, data


def _rounds(codes: list[str], source: FolderSource) -> Iterator[tuple[bytes, int]]:
    """The rounds of the codes, the last of a batch near each, and one that has not been opened."""
    log = open_log(source, KEY.verifier_key)
    for code in (RoundCode.parse(text) for text in codes):
        (hint,) = log.tables_beginning(code.table_prefix)
        table_id = log.tiles.leaf(hint.table)
        batch = -(-code.round_number // 1000) * 1000
        yield from ((table_id, number) for number in (code.round_number, batch, max(1, batch - 1000)))
