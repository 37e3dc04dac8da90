"""Evidence of a fork: what convinces somebody who has only the file and the key, and what does not."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairness.checks import Check
from fairness.errors import CheckFailed, Malformed, Unreadable
from fairness.hashing import leaf_hash, sha256
from fairness.limits import LARGEST_FORK
from fairness.log.checkpoints import Checkpoint, SignedCheckpoint
from fairness.log.fork import Fork, fork_between, in_order
from fairness.log.merkle import EMPTY_ROOT
from fairness.log.notes import SigningKey
from fairness.log.tiles import AuthenticTiles
from fairness.newer_file import NewerFile
from tests.house import HOUSE
from tests.lies import started
from tests.oracles.merkle_oracle import consistency_proof, tree_hash
from tests.support.dishonest_operator import KEY, ORIGIN, Operator
from tests.support.forks import RECORDS, SIZES, VKEY, log_of
from tests.support.log_server import serving
from verifier.forks.compare import Shown, compare, first_difference
from verifier.forks.evidence import EvidenceReport, check_evidence, keep_evidence
from verifier.forks.extension import NotAnExtension, OlderCopy, check_extends
from verifier.sources.source import FolderSource


def forked_log(old: int, size: int, at: int) -> Fork:
    """A log of ``old`` records, and one of ``size`` records with a different record at index ``at``."""
    one, _ = log_of(RECORDS[:old])
    other, tiles = log_of([*RECORDS[:at], b"another", *RECORDS[at + 1 : size]])
    fork = fork_between(one, other, tiles)
    assert fork is not None
    return fork


def checked(data: bytes) -> EvidenceReport:
    """The evidence, checked with the key."""
    return check_evidence(data, KEY.verifier_key, name="evidence")


@pytest.mark.parametrize(("old", "size"), SIZES)
def test_a_fork_is_proven_wherever_the_histories_part(old: int, size: int) -> None:
    """The hashes are RFC 6962's consistency proof between the larger tree and its own beginning."""
    for at in {0, old // 2, old - 1}:
        fork = forked_log(old, size, at)
        leaves = [leaf_hash(record) for record in [*RECORDS[:at], b"another", *RECORDS[at + 1 : size]]]
        assert list(fork.hashes) == [tree_hash(leaves[:old]), *consistency_proof(old, leaves)]
        assert Fork.parse(bytes(fork)) == fork
        report = checked(bytes(fork))
        assert (report.smaller.checkpoint.size, report.larger.checkpoint.size) == (old, size)
        assert report.root_in_larger == fork.hashes[0] != report.smaller.checkpoint.root


def test_a_fork_of_equal_sizes_needs_no_hashes() -> None:
    """Two roots for one size contradict each other; the file is the same in either order."""
    (one, tiles), (other, _) = log_of(RECORDS[:5]), log_of([*RECORDS[:4], b"another"])
    fork, same = fork_between(one, other, tiles), fork_between(other, one, tiles)
    assert fork == same
    assert fork is not None
    assert fork.hashes == ()
    assert checked(bytes(fork)).root_in_larger == max(one.checkpoint.root, other.checkpoint.root)


def test_an_empty_log_with_a_root_is_a_fork() -> None:
    """Every log begins with the empty one, whose root is known."""
    nothing = Checkpoint(ORIGIN, 0, sha256(b"something"))
    head, tiles = log_of(RECORDS[:3])
    fork = fork_between(SignedCheckpoint(nothing.sign(KEY), nothing), head, tiles)
    assert fork is not None
    assert checked(bytes(fork)).root_in_larger == EMPTY_ROOT
    empty, _ = log_of([])
    assert fork_between(empty, head, tiles) is None


@pytest.mark.parametrize(("old", "size"), [*SIZES, (7, 7)])
def test_no_evidence_accuses_an_honest_log(old: int, size: int) -> None:
    """None can be made from honest checkpoints; a false accusation is refused, whatever its hashes."""
    (one, _), (other, tiles) = log_of(RECORDS[:old]), log_of(RECORDS[:size])
    assert fork_between(one, other, tiles) is None
    path = AuthenticTiles.consistency_path(tiles(other.checkpoint), old)
    honest = [one.checkpoint.root, *path] if old < size else []
    with pytest.raises(CheckFailed) as refused:
        checked(bytes(Fork(one.note, other.note, tuple(honest))))
    assert refused.value.check is Check.FORK_ROOTS
    wrong = [[sha256(b"x"), *path], [*honest, bytes(32)], honest[:-1] if len(honest) > 2 else [bytes(32)]]
    wrong += [[*honest[:at], sha256(b"x"), *honest[at + 1 :]] for at in range(len(honest))]
    for hashes in wrong:
        with pytest.raises(CheckFailed) as refused:
            checked(bytes(Fork(one.note, other.note, tuple(hashes))))
        assert refused.value.check is Check.FORK_PROOF


def test_two_checkpoints_alone_are_no_verdict() -> None:
    """The fork is neither proven nor refuted; the text says what to request from the operator."""
    fork = forked_log(5, 8, 2)
    with pytest.raises(Unreadable, match=r"of 5 and 8 records.* ask the operator for a consistency proof"):
        checked(bytes(Fork(fork.smaller, fork.larger)))


@pytest.mark.parametrize("fork", [forked_log(5, 8, 2), forked_log(4, 4, 3)], ids=["longer", "equal"])
def test_every_changed_byte_is_refused_or_proves_the_same(fork: Fork) -> None:
    """Flipped, cut or doubled: no change gives other evidence."""
    data = bytes(fork)
    expected = checked(data)
    changed = [data[:at] + bytes([data[at] ^ bit]) + data[at + 1 :] for at in range(len(data)) for bit in (1, 4, 32)]
    changed += [data[:at] + data[at + 1 :] for at in range(len(data))]
    changed += [data[:at] + data[at : at + 1] + data[at:] for at in range(len(data))]
    changed += [data[:at] for at in range(len(data))]
    changed += [data + b"\n", b"\n" + data, data + data, data.replace(b"\n", b"\r\n")]
    for other in changed:
        with pytest.raises((CheckFailed, NewerFile, Unreadable)) as refused:
            assert checked(other) != expected, other
        assert not isinstance(refused.value, Unreadable) or len(other) < len(data)


def test_signatures_of_strangers_change_nothing() -> None:
    """Signature lines of witnesses are kept as they are and ignored."""
    fork = forked_log(5, 8, 2)
    stranger = SigningKey("witness.example", bytes(32)).sign("a text\n").rpartition(b"\n\n")[2]
    more = Fork(fork.smaller + stranger, fork.larger, fork.hashes)
    assert Fork.parse(bytes(more)) == more
    assert checked(bytes(more)) == checked(bytes(fork))


def test_the_order_and_the_log_are_given() -> None:
    """The smaller checkpoint is first; those of two logs or of another key prove nothing."""
    fork = forked_log(5, 8, 2)
    with pytest.raises(CheckFailed) as refused:
        checked(bytes(Fork(fork.larger, fork.smaller, fork.hashes)))
    assert refused.value.check is Check.FORK_FORM
    for key in (SigningKey(ORIGIN, bytes(32)), SigningKey("other.example/log", KEY.secret)):
        (one, _), (other, tiles) = log_of(RECORDS[:5]), log_of([b"x", *RECORDS[:7]], key)
        mixed = fork_between(one, other, tiles)
        assert mixed is not None
        with pytest.raises(CheckFailed) as refused:
            checked(bytes(mixed))
        assert (refused.value.check, refused.value.where) == (Check.NOTE_SIGNATURE, "the second checkpoint")


@given(data=st.binary() | st.text().map(str.encode) | st.binary().map(b"foredraw/v1/fork\n".__add__))
def test_hostile_bytes_are_no_evidence(data: bytes) -> None:
    """Nothing but our own error comes out."""
    with pytest.raises(CheckFailed) as refused:
        checked(data)
    assert refused.value.check is Check.FORK_FORM


def test_a_file_has_a_largest_size() -> None:
    """At the limit it is read, and one byte more is refused."""
    fork = forked_log(5, 8, 2)
    fill = LARGEST_FORK - len(bytes(fork))
    assert Fork.parse(bytes(Fork(fork.smaller, fork.larger[:-1] + b"x" * fill + b"\n", fork.hashes)))
    with pytest.raises(Malformed):
        Fork.parse(bytes(Fork(fork.smaller, fork.larger[:-1] + b"x" * (fill + 1) + b"\n", fork.hashes)))


def test_evidence_is_kept_next_to_the_state_and_never_overwritten(tmp_path: Path) -> None:
    """Each pair of checkpoints has its own file; the same pair has the same file."""
    state = tmp_path / "state.json"
    first, second = (keep_evidence(state, forked_log(5, size, 2)) for size in (8, 9))
    assert first != second
    assert keep_evidence(state, forked_log(5, 8, 2)) == first
    assert set(tmp_path.iterdir()) == {first, second}
    assert Fork.parse(first.read_bytes()) == forked_log(5, 8, 2)


@pytest.mark.parametrize(("size", "other"), [(700, 700), (300, 700), (256, 512), (5, 1)])
def test_the_first_record_that_differs_is_found(size: int, other: int) -> None:
    """Wherever it is, across tiles; none if one log is a prefix of the other."""
    head, tiles = log_of(RECORDS[:size])
    for at in (0, 17, 255, 256, 299, 699):
        changed, changed_tiles = log_of([*RECORDS[:at], b"another", *RECORDS[at + 1 :]][:other])
        found = first_difference(tiles(head.checkpoint), changed_tiles(changed.checkpoint))
        assert found == (at if at < min(size, other) else None)
    assert in_order(head, changed)[0].checkpoint.size == min(size, other)


class Faces:
    """A split view: one operator's log as two people see it, different from one record on."""

    def __init__(self, folder: Path, *, rounds: int, other_rounds: int) -> None:
        self.folders = []
        for name, count, bets in (("one", rounds, 3), ("other", other_rounds, 4)):
            operator = started()
            operator.lock("keno-1", bets={"count": bets, "root": sha256(b"bets").hex()})
            operator.reveal("keno-1")
            operator.play("keno-1", count)
            self.folders.append(operator.write(folder / name))
        self.parted = len(started().records)


def test_what_does_not_extend_says_what_was_seen_before() -> None:
    """Which root its beginning should have and which it has, or how few records it has, wherever this is reported."""
    (old, old_tiles), (new, tiles) = log_of(RECORDS[:5]), log_of([b"another", *RECORDS[1:7]])
    with pytest.raises(NotAnExtension) as forked:
        check_extends(old, new, tiles)
    (small, _) = log_of([b"another", *RECORDS[1:3]])
    with pytest.raises(NotAnExtension) as shrunk:
        check_extends(old, small, old_tiles)
    beginning = tree_hash([leaf_hash(record) for record in (b"another", *RECORDS[1:5])])
    for refused, found in ((forked.value, f"root {beginning.hex()}"), (shrunk.value, "only 3 records")):
        for error in (refused, refused.at(index=4, where="there")):
            assert error.expected == f"a log that begins with 5 records of root {old.checkpoint.root.hex()}"
            assert (error.found, error.evidence) == (found, None)
        assert (refused.where, refused.at(index=4).where) == ("checkpoint", "checkpoint")
        assert (error.index, error.where) == (4, "there")


def test_an_older_copy_accuses_nobody() -> None:
    """It is proven to begin what was seen; or nothing can be shown, and both checkpoints are at hand."""
    (old, tiles), (small, _) = log_of(RECORDS[:5]), log_of(RECORDS[:3])
    with pytest.raises(OlderCopy, match="an older copy: 3 records, which begin what was seen, 5 records") as proven:
        check_extends(old, small, tiles)
    assert proven.value.pair is None

    def gone(_: Checkpoint) -> AuthenticTiles:
        raise Unreadable("tile/0/000", "no such file")

    (other, _) = log_of([b"another", *RECORDS[1:3]])
    for each in (small, other):
        with pytest.raises(OlderCopy, match="it cannot be shown that they begin what was seen") as unknown:
            check_extends(old, each, gone)
        assert unknown.value.pair == Fork(each.note, old.note)
    with pytest.raises(Unreadable) as larger:
        check_extends(small, old, gone)
    assert not isinstance(larger.value, OlderCopy)


@pytest.mark.parametrize(("rounds", "other_rounds"), [(0, 0), (0, 3), (3, 1)])
def test_a_comparison_names_the_record_and_the_place(rounds: int, other_rounds: int, tmp_path: Path) -> None:
    """The first record that differs, and who shows the larger log; in either order, and with the evidence."""
    faces = Faces(tmp_path, rounds=rounds, other_rounds=other_rounds)
    one, other = (Shown.at(FolderSource(folder), KEY.verifier_key) for folder in faces.folders)
    for first, second in ((one, other), (other, one)):
        with pytest.raises(NotAnExtension) as refused:
            compare(first, second)
        larger = first if first.size > second.size else second
        assert (refused.value.check, refused.value.index) == (Check.LOG_EXTENDS, faces.parted)
        assert refused.value.where == larger.source.address
        assert refused.value.fork is not None
        assert {refused.value.fork.smaller, refused.value.fork.larger} == {one.head.note, other.head.note}


def test_a_comparison_of_one_history_says_nothing(tmp_path: Path) -> None:
    """Whichever log is behind; a place that shows another log's checkpoint is named."""
    operator = started()
    short = Shown.at(FolderSource(operator.write(tmp_path / "short")), KEY.verifier_key)
    long = Shown.at(FolderSource(operator.play("keno-1", 2).write(tmp_path / "long")), KEY.verifier_key)
    assert long.size == short.size + 4
    for first, second in ((short, long), (long, short), (long, long)):
        compare(first, second)
    other = FolderSource(Operator(origin="other.example/log").write(tmp_path / "other"))
    with pytest.raises(CheckFailed) as refused:
        Shown.at(other, KEY.verifier_key)
    assert refused.value.where == f"checkpoint of {other.address}"


def verify(*arguments: str | Path, folder: Path = HOUSE) -> subprocess.CompletedProcess[str]:
    """Run the program in a separate process."""
    command = [sys.executable, "-m", "verifier", *map(str, arguments), "--key", VKEY]
    environment = {**os.environ, "PYTHONPATH": str(HOUSE)}
    return subprocess.run(
        command, capture_output=True, text=True, check=False, cwd=folder, env=environment, timeout=60
    )


@pytest.mark.lattice
@pytest.mark.slow
@pytest.mark.parametrize(("rounds", "other_rounds"), [(0, 0), (0, 3), (3, 1)])
def test_two_faces_are_compared_and_proven(rounds: int, other_rounds: int, tmp_path: Path) -> None:
    """Two servers give a file, which is then checked on a machine that has only the file and the key."""
    faces = Faces(tmp_path, rounds=rounds, other_rounds=other_rounds)
    evidence, third = tmp_path / "evidence.txt", tmp_path / "third"
    with serving(faces.folders[0]) as one, serving(faces.folders[1]) as other:
        ran = verify("compare", one, other, "-o", evidence)
    assert (ran.returncode, ran.stderr) == (3, "")
    assert "\nFAILED: log-extends\n" in ran.stdout
    assert f"\nRecord     {faces.parted}\n" in ran.stdout
    assert f"\nEvidence   {evidence}\n" in ran.stdout
    third.mkdir()
    evidence.rename(third / "file")
    for folder in faces.folders:
        folder.rename(folder.with_name(f"{folder.name}-gone"))
    ran = verify("evidence", "file", folder=third)
    assert (ran.returncode, ran.stderr) == (0, "")
    assert "\n  5. that is not the root in the first checkpoint\n" in ran.stdout
    assert ran.stdout.splitlines()[-1].startswith(
        "Proven: The holder of the key of fore.example/log signed two histories"
    )
    told = json.loads(verify("evidence", "file", "--json", folder=third).stdout)
    assert (told["verdict"], len(told["checked"])) == ("held", 5)
    assert {told["smaller"]["size"], told["larger"]["size"]} == {
        faces.parted + 2 + 2 * count for count in (rounds, other_rounds)
    }


@pytest.mark.nightly("compares large logs")
def test_the_same_log_is_distinguished_from_a_longer_one(tmp_path: Path) -> None:
    """The output says which is longer and by how much, in words and in JSON; no file is written."""
    short = started().write(tmp_path / "short")
    long = started().play("keno-1", 2).write(tmp_path / "long")
    for one, other, words in (
        (short, long, "Both are of one history; the second is 4 records longer"),
        (long, short, "Both are of one history; the first is 4 records longer"),
        (long, long, "Both show the same log"),
    ):
        ran = verify("compare", one, other, "-o", tmp_path / "evidence")
        assert (ran.returncode, ran.stdout.splitlines()[-1]) == (0, f"Held: {words}.")
    told = json.loads(verify("compare", short, long, "--json").stdout)
    assert told["second"]["size"] - told["first"]["size"] == 4
    assert not (tmp_path / "evidence").exists()


def test_where_files_are_missing_both_checkpoints_are_kept(tmp_path: Path) -> None:
    """There is no verdict, and the file says that it is no proof."""
    faces = Faces(tmp_path, rounds=0, other_rounds=3)
    for file in (faces.folders[1] / "tile" / "0").rglob("*"):
        file.unlink(missing_ok=True) if file.is_file() else None
    evidence = tmp_path / "evidence"
    ran = verify("compare", *faces.folders, "-o", evidence)
    assert ran.returncode == 4
    assert "both signed checkpoints, without any proof, are in" in ran.stderr
    ran = verify("evidence", evidence)
    assert (ran.returncode, "ask the operator for a consistency proof" in ran.stdout) == (4, True)


@pytest.mark.nightly("compares large logs")
def test_comparing_says_what_is_wrong(tmp_path: Path) -> None:
    """A missing place, a checkpoint of another log, a file that is no evidence or cannot be written."""
    short = started().write(tmp_path / "short")
    ran = verify("compare", short, tmp_path / "none")
    assert (ran.returncode, "no such file" in ran.stdout) == (4, True)
    other = Operator(origin="other.example/log").write(tmp_path / "other")
    ran = verify("compare", short, other)
    assert (ran.returncode, f"checkpoint of {other}" in ran.stdout) == (3, True)
    ran = verify("evidence", short / "checkpoint")
    assert (ran.returncode, "\nFAILED: fork-form\n" in ran.stdout) == (3, True)
    assert verify("evidence", tmp_path / "none").returncode == 4
    faces = Faces(tmp_path, rounds=0, other_rounds=3)
    ran = verify("compare", *faces.folders, "-o", tmp_path / "none" / "evidence")
    assert (ran.returncode, "could not be written" in ran.stderr, "Evidence" in ran.stdout) == (3, True, False)
