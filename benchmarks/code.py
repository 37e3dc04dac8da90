"""How long one player waits for the check of one round."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Iterator

from benchmarks.audit import LARGE
from benchmarks.figure import Figure, lower
from benchmarks.verifier_logs import KEY, log_of
from verifier.round.check import check_round
from verifier.sources.source import FolderSource


class _Counting:
    """A source that counts what is read."""

    def __init__(self, source: FolderSource) -> None:
        self._source = source
        self.files = 0

    @property
    def address(self) -> str:
        """The address of the source."""
        return self._source.address

    def read(self, path: str) -> bytes:
        """Read and count a file."""
        self.files += 1
        return self._source.read(path)


def measure_code() -> Iterator[Figure]:
    """Rounds at the beginning and at the end of a long log, by the library and by the program."""
    log = log_of(LARGE)
    slowest, files = 0.0, 0
    for code in log.codes:
        source = _Counting(FolderSource(log.folder))
        started = time.perf_counter()
        check_round(source, KEY.verifier_key, code)
        slowest = max(slowest, time.perf_counter() - started)
        files = max(files, source.files)
    program = _program(log.codes[-1], str(log.folder))
    yield Figure(
        f"check of one round against {log.records:,} records",
        [
            lower("", slowest * 1000, "ms"),
            lower("", files, "files"),
            lower("the program with its start", program * 1000, "ms"),
        ],
        "under 1 s",
        met=max(slowest, program) < 1,
    )


def _program(code: str, folder: str) -> float:
    command = [sys.executable, "-m", "verifier", "code", code, "--log", folder, "--key", str(KEY.verifier_key)]
    started = time.perf_counter()
    subprocess.run(command, stdout=subprocess.DEVNULL, check=True)
    return time.perf_counter() - started
