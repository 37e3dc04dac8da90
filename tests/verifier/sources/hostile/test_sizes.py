"""However large, long, deep or small something claims to be, it costs little, and is refused."""

from __future__ import annotations

import base64
import time
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Self

import pytest

from fairness.errors import CheckFailed, Missing
from fairness.hashing import sha256
from fairness.limits import LARGEST_NOTE, LARGEST_RECORD
from fairness.log.checkpoints import Checkpoint
from fairness.log.tiles import AuthenticTiles
from tests.lies import started
from tests.support.dishonest_operator import KEY, ORIGIN, Operator
from tests.support.ran import Ran
from tests.verifier.sources.hostile.answers import VKEY, code_of
from verifier.audit.audit import audit_log
from verifier.commands.command import FAILED, HELD, NOT_SHOWN, UNREADABLE
from verifier.sources.source import FolderSource

BOUNDED = 30.0
"""Seconds of processor time. What grows with the square of a megabyte takes hours, and what does not, a fraction of a
second.
"""


class Costs:
    """The processor time that something took, and its peak of memory."""

    def __enter__(self) -> Self:
        tracemalloc.start()
        self._started = time.thread_time()
        return self

    def __exit__(self, *_: object) -> None:
        self.seconds = time.thread_time() - self._started
        self.bytes = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()


@pytest.mark.parametrize("size", [1 << 20, (1 << 56) - 1, 1 << 56, 1 << 62, (1 << 63) - 1])
def test_a_huge_log_that_is_not_there_costs_nothing(size: int, log: Path) -> None:
    """Whatever number of records the operator signs, only the tiles of its right edge are requested, and they are
    missing.
    """
    (log / "checkpoint").write_bytes(Checkpoint(ORIGIN, size, sha256(b"")).sign(KEY))
    asked: list[str] = []

    class Asked(FolderSource):
        def read(self, path: str) -> bytes:
            asked.append(path)
            return super().read(path)

    with Costs() as costs, pytest.raises((CheckFailed, Missing)):
        audit_log(Asked(log), KEY.verifier_key)
    assert len(asked) <= 1 + 2 * 8
    assert costs.seconds < BOUNDED
    assert costs.bytes < 5_000_000


def test_every_level_of_the_largest_tree_is_read_once() -> None:
    """The right edge of 2^63 - 1 records is eight tiles, from which the root follows at once."""
    asked: list[str] = []

    def read(path: str) -> bytes:
        asked.append(path)
        width = int(path.rpartition("/")[2]) if ".p/" in path else 256
        return bytes(32) * width

    with Costs() as costs, pytest.raises(CheckFailed, match="root"):
        AuthenticTiles(Checkpoint(ORIGIN, (1 << 63) - 1, bytes(32)), read)
    assert [path.split("/")[1] for path in asked] == [str(level) for level in range(8)]
    assert costs.seconds < BOUNDED


@pytest.mark.parametrize("size", [str(1 << 63), "9" * 19, "9" * 900_000, "-1", "1e9", "0x10", "00"])
def test_a_size_beyond_the_largest_is_no_size(size: str, log: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """However long it is, nothing is computed with it."""
    (log / "checkpoint").write_bytes(KEY.sign(f"{ORIGIN}\n{size}\n{base64.b64encode(bytes(32)).decode()}\n"))
    with Costs() as costs:
        ran = Ran(capsys, "audit", log, "--key", VKEY, "--json")
    assert (ran.status, ran.json["check"]) == (FAILED, "checkpoint-form")
    assert costs.seconds < BOUNDED


LINE = "— witness.example AAAAAAA=\n".encode()
KEY_LINE = Checkpoint(ORIGIN, 0, sha256(b"")).sign(KEY).partition(b"\n\n")[2]
NOTES: dict[str, Callable[[], bytes]] = {
    "line feeds": lambda: b"\n" * LARGEST_NOTE,
    "short lines": lambda: b"x\n" * (LARGEST_NOTE // 2),
    "signatures": lambda: (b"x\n\n" + LINE * LARGEST_NOTE)[: LARGEST_NOTE // len(LINE) * len(LINE) + 3 - len(LINE)],
    "the same signature": lambda: b"x\n\n" + KEY_LINE * 101,
    "one long line": lambda: b"x" * (LARGEST_NOTE - 1) + b"\n",
    "a name without an end": lambda: b"x\n\n" + "— ".encode() + b"y" * 900_000 + b"\n",
    "a signature without an end": lambda: b"x\n\n" + "— y ".encode() + b"A" * 900_000 + b"\n",
    "dashes": lambda: "—".encode() * (LARGEST_NOTE // 3),
    "no text": lambda: b"\xff" * LARGEST_NOTE,
    "one byte too many": lambda: b"\n" * (LARGEST_NOTE + 1),
    "much too many": lambda: b"x\n" * LARGEST_NOTE,
}
"""Notes of the largest size that are slow to read. Made at import, they would take 70 MB of each process of tests."""


@pytest.mark.parametrize("note", NOTES.values(), ids=NOTES)
def test_a_million_lines_are_read_quickly(
    note: Callable[[], bytes], log: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """They are refused with a short sentence, within 30 MB."""
    data = note()
    (log / "checkpoint").write_bytes(data)
    with Costs() as costs:
        ran = Ran(capsys, "audit", log, "--key", VKEY, "--json")
    if KEY_LINE in data:
        assert (ran.status, ran.json["check"]) == (FAILED, "note-form")
    else:
        assert (ran.status, ran.json["file"]) == (UNREADABLE, "checkpoint")
    assert len(ran.output) < 2000
    assert costs.seconds < BOUNDED
    assert costs.bytes < 30_000_000


DEEP = {
    "lists": b"[" * LARGEST_RECORD,
    "objects": (b'{"a":' * LARGEST_RECORD)[:LARGEST_RECORD],
    "a deep outcome": b'{"outcome":{"a":' + b"[" * 65_000 + b'},"table":"crash-1","type":"reveal","v":1}',
    "a whole deep outcome": b'{"outcome":'
    + b'{"a":' * 10_000
    + b"1"
    + b"}" * 10_000
    + b',"table":"x","type":"reveal","v":1}',
    "deep seeds": b'{"closed":"x","seeds":' + b"[" * 65_000 + b',"table":"crash-1","type":"close","v":1}',
    "an unknown deep key": b'{"aaa":' + b"[" * 30_000 + b"]" * 30_000 + b',"table":"crash-1","type":"lock","v":1}',
    "a long number": b'{"round":' + b"9" * 65_000 + b',"table":"crash-1","type":"lock","v":1}',
    "a long exponent": b'{"round":1e' + b"9" * 60_000 + b',"table":"crash-1","type":"lock","v":1}',
}


@pytest.mark.parametrize("data", DEEP.values(), ids=DEEP)
def test_deep_json_is_no_record(data: bytes, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """In a signed log it is refused like any other misspelling, next to honest records and alone."""
    for operator in (started(), Operator()):
        at = operator.append(data)
        log = operator.write(tmp_path / f"log-{at}")
        with Costs() as costs:
            ran = Ran(capsys, "audit", log, "--key", VKEY, "--json")
        assert (ran.status, ran.json["check"], ran.json["record"]) == (FAILED, "record-form", at)
        assert costs.seconds < BOUNDED


@pytest.mark.parametrize("change", [-8192, -32, -1, 1, 32, 8192 * 4])
@pytest.mark.parametrize("path", ["tile/0", "tile/entries", "commitments", "find/rounds"])
def test_a_file_of_another_size_is_refused(
    path: str, change: int, log: Path, operator: Operator, capsys: pytest.CaptureFixture[str]
) -> None:
    """Tiles, bundles, commitments and finding aids have the size that the checkpoint and the records imply."""
    for file in (each for each in (log / path).rglob("*") if each.is_file()):
        data = file.read_bytes()
        file.write_bytes(data + b"\0" * change if change > 0 else data[:change])
    command = ["code", code_of(operator), "--log"] if path.startswith("find") else ["audit"]
    ran = Ran(capsys, *command, log, "--key", VKEY)
    # A hint for another round may be missing, and an extra one is not read. Nobody signs hints.
    hinted = HELD if abs(change) == 32 else NOT_SHOWN
    assert ran.status == (hinted if path.startswith("find") else FAILED), ran.output
