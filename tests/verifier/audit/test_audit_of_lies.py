"""What a dishonest operator publishes, as an auditor sees it: signed files, and nothing else.

The lies about records are those of ``tests/lies``; the lies about files are here.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from shutil import rmtree

import pytest

from fairness.checks import Check
from fairness.draws.commitments import commitments_path
from fairness.errors import CheckFailed, Unreadable
from fairness.hashing import sha256
from fairness.log.checkpoints import Checkpoint
from fairness.log.notes import SigningKey
from fairness.records.replay import Replay
from games import GAMES
from tests.lies import Lie, history, started
from tests.lies.catalogue import LIES, told
from tests.support.dishonest_operator import KEY, ORIGIN, Operator
from verifier.audit.audit import audit_log
from verifier.audit.report import AuditReport
from verifier.forks.extension import NotAnExtension
from verifier.sources.source import FolderSource

every_lie = pytest.mark.parametrize("lie", LIES, ids=str)


def audited(folder: Path) -> AuditReport:
    """The verdict on a folder."""
    return audit_log(FolderSource(folder), KEY.verifier_key)


@every_lie
def test_the_audit_refuses_the_lie(lie: Lie, tmp_path: Path) -> None:
    """With only the signed files and the key, an auditor finds the same rule and the same record."""
    operator, index = told(lie)
    with pytest.raises(CheckFailed) as refused:
        audited(operator.write(tmp_path))
    assert (refused.value.check, refused.value.index) == (lie.check, index)


@pytest.mark.lattice
@pytest.mark.parametrize("lie", LIES[:: len(LIES) // 5], ids=str)
def test_an_audit_in_two_processes_refuses_the_lie(lie: Lie, tmp_path: Path) -> None:
    """The way the work is shared does not change the verdict."""
    operator, index = told(lie)
    with pytest.raises(CheckFailed) as refused:
        audit_log(FolderSource(operator.write(tmp_path)), KEY.verifier_key, jobs=2)
    assert (refused.value.check, refused.value.index) == (lie.check, index)


def test_the_audit_of_an_honest_history_finds_what_replay_finds(tmp_path: Path) -> None:
    """Every count of every table, and what is unfinished."""
    operator, replay = history(), Replay(ORIGIN, GAMES)
    for data in operator.records:
        replay.advance(data)
    report = audited(operator.write(tmp_path))
    assert report.state.tables == replay.tables
    assert [(entry.table, entry.what, entry.round) for entry in report.unfinished] == [
        ("crash-1", "locked-round", 6),
        ("keno-express-1", "not-closed", None),
    ]


FALSE_COMMITMENTS: dict[str, Callable[[bytes], bytes]] = {
    "a flipped bit": lambda data: bytes([data[0] ^ 1]) + data[1:],
    "a commitment too few": lambda data: data[:-32],
    "a byte too few": lambda data: data[:-1],
    "a byte too many": lambda data: data + b"\0",
    "a custodian too few": lambda data: data[: len(data) // 2],
    "the custodians exchanged": lambda data: data[len(data) // 2 :] + data[: len(data) // 2],
    "two rounds exchanged": lambda data: data[32:64] + data[:32] + data[64:],
    "nothing": lambda _: b"",
}


@pytest.mark.parametrize("lie", FALSE_COMMITMENTS.values(), ids=FALSE_COMMITMENTS.keys())
def test_a_false_file_of_commitments(lie: Callable[[bytes], bytes], tmp_path: Path) -> None:
    """Before a batch is opened its published commitments must be those of its record."""
    operator = started()
    batch = operator.tables["keno-1"].batches[2]
    file = operator.write(tmp_path) / commitments_path(batch.batch_id)
    file.write_bytes(lie(file.read_bytes()))
    with pytest.raises(CheckFailed) as refused:
        audited(tmp_path)
    assert (refused.value.check, refused.value.index) == (Check.COMMITMENTS_FILE, batch.index)


def test_a_missing_file_of_commitments(tmp_path: Path) -> None:
    """A commitment that nobody can read is no commitment."""
    operator = started()
    batch = operator.tables["keno-1"].batches[1]
    (operator.write(tmp_path) / commitments_path(batch.batch_id)).unlink()
    with pytest.raises(CheckFailed) as refused:
        audited(tmp_path)
    assert (refused.value.check, refused.value.index) == (Check.COMMITMENTS_FILE, batch.index)


def _head(operator: Operator) -> Checkpoint:
    return Checkpoint.open(operator.files()["checkpoint"], KEY.verifier_key)


OTHER_KEY = SigningKey(KEY.name, sha256(b"another key"))
FALSE_HEADS: dict[str, tuple[Check, Callable[[Checkpoint], bytes]]] = {
    "another origin": (
        Check.CHECKPOINT_ORIGIN,
        lambda head: Checkpoint("other.example/log", head.size, head.root).sign(KEY),
    ),
    "another key of the same name": (Check.NOTE_SIGNATURE, lambda head: head.sign(OTHER_KEY)),
    "another name of the same key": (
        Check.NOTE_SIGNATURE,
        lambda head: head.sign(SigningKey("other.example/log", KEY.secret)),
    ),
    "a signature of another head": (
        Check.NOTE_SIGNATURE,
        lambda head: head.sign(KEY).replace(b"\n%d\n" % head.size, b"\n%d\n" % (head.size - 1)),
    ),
    "another root": (Check.TILE, lambda head: Checkpoint(head.origin, head.size, sha256(head.root)).sign(KEY)),
    "a line more": (Check.CHECKPOINT_FORM, lambda head: KEY.sign(f"{head}an extension\n")),
    "a size with a leading zero": (Check.CHECKPOINT_FORM, lambda head: KEY.sign(str(head).replace("\n", "\n0", 1))),
    "no line feed at its end": (Check.NOTE_FORM, lambda head: head.sign(KEY)[:-1]),
}


@pytest.mark.parametrize(("check", "lie"), FALSE_HEADS.values(), ids=FALSE_HEADS.keys())
def test_a_false_checkpoint(check: Check, lie: Callable[[Checkpoint], bytes], tmp_path: Path) -> None:
    """Signed checkpoints of another log, malformed ones, and ones with a false root or size are refused."""
    operator = started()
    (operator.write(tmp_path) / "checkpoint").write_bytes(lie(_head(operator)))
    with pytest.raises(CheckFailed) as refused:
        audited(tmp_path)
    assert refused.value.check is check


EVERY_FILE = {
    "checkpoint": {Check.NOTE_FORM, Check.NOTE_SIGNATURE},
    "tile/entries/000": {Check.BUNDLE},
    "tile/entries/001.p": {Check.BUNDLE},
    "tile/0/000": {Check.TILE},
    "tile/0/001.p": {Check.TILE},
    "tile/1/000.p": {Check.TILE},
    "commitments": {Check.COMMITMENTS_FILE},
}


@pytest.mark.parametrize(("prefix", "checks"), EVERY_FILE.items(), ids=EVERY_FILE.keys())
def test_every_file_counts(prefix: str, checks: set[Check], tmp_path: Path) -> None:
    """One flipped bit in any file, one byte too few or too many, or no file at all: refused."""
    operator = history()
    operator.play("hi-lo-1", 20).play("sic-bo-1", 20)
    report = audited(operator.write(tmp_path))
    pending = {commitments_path(batch.batch_id) for table in report.tables for batch in table.state.batches}
    files = {path: data for path, data in operator.files().items() if path.startswith(prefix)}
    if prefix == "commitments":
        files = {path: data for path, data in files.items() if path in pending}
    assert files
    for path, data in files.items():
        file = tmp_path / path
        flipped = (bytes([data[0] ^ 1]) + data[1:], data[:-1] + bytes([data[-1] ^ 1]))
        for damaged in (*flipped, data[:-1], data + b"\0"):
            file.write_bytes(damaged)
            with pytest.raises(CheckFailed) as refused:
                audited(tmp_path)
            assert refused.value.check in checks
        file.unlink()
        with pytest.raises((CheckFailed, Unreadable), match=path):
            audited(tmp_path)
        file.write_bytes(data)


def test_finding_aids_prove_nothing(tmp_path: Path) -> None:
    """An audit needs none of them."""
    rmtree(history().write(tmp_path) / "find")
    assert audited(tmp_path).rounds_ended == 84


@pytest.mark.parametrize("kept", [10, 25], ids="{} records kept".format)
def test_a_rewritten_history(kept: int, tmp_path: Path) -> None:
    """A log that does not begin with what was seen is refused, although it is consistent and signed."""
    seen = audited(started().write(tmp_path / "before"))
    rewritten = Operator()
    rewritten.table("another", "crash")
    rewritten.batch("another", 30)
    rewritten.play("another", kept)
    with pytest.raises(NotAnExtension) as refused:
        audit_log(FolderSource(rewritten.write(tmp_path / "after")), KEY.verifier_key, previous=seen.state)
    assert refused.value.check is Check.LOG_EXTENDS
