"""Logs on which the verifier's figures are measured: made once per run, and removed after it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.made_log import make_log
from fairness.hashing import sha256
from fairness.log.notes import SigningKey

KEY = SigningKey("bench.example/log", sha256(b"the benchmarks' key"))


@dataclass(frozen=True, slots=True)
class BenchLog:
    """A log's folder, and codes of some of its rounds."""

    folder: Path
    records: int
    codes: list[str]


@cache
def _place() -> TemporaryDirectory[str]:
    return TemporaryDirectory(prefix="foredraw-bench-")


@cache
def log_of(rounds: int) -> BenchLog:
    """A log of ``rounds`` rounds of six tables."""
    folder = Path(_place().name) / str(rounds)
    maker = make_log(folder, rounds, KEY)
    return BenchLog(folder, maker.edge.size, list(maker.codes.values()))
