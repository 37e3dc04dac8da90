"""Proof files of single records: one spelling, and every kind of damage."""

from __future__ import annotations

import base64
from contextlib import suppress
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairness.checks import Check
from fairness.errors import CheckFailed, Malformed
from fairness.hashing import leaf_hash, sha256
from fairness.limits import LARGEST_DECIMAL, LARGEST_EXTRA, LARGEST_NOTE, LARGEST_TLOG_PROOF, MOST_HASHES
from fairness.log.checkpoints import Checkpoint
from fairness.log.edge import LogEdge
from fairness.log.notes import SigningKey
from fairness.log.proof import Inclusion, TlogProof
from fairness.log.tiles import AuthenticTiles

KEY = SigningKey("fore.example/log", sha256(b"a key of the tests"))
VKEY = KEY.verifier_key
RECORDS = [str(number).encode() for number in range(300)]


def proofs_of(size: int) -> list[TlogProof]:
    """A proof of every record of a log."""
    edge, files = LogEdge(), dict[str, bytes]()
    for record in RECORDS[:size]:
        files.update(edge.append(record))
    files.update(edge.partial_files())
    checkpoint = Checkpoint(KEY.name, edge.size, edge.root)
    tiles = AuthenticTiles(checkpoint, files.__getitem__)
    note = checkpoint.sign(KEY)
    return [TlogProof(Inclusion(index, tuple(tiles.inclusion_path(index))), note) for index in range(size)]


PROOF = proofs_of(13)[4]
LEAF = leaf_hash(RECORDS[4])


@pytest.mark.parametrize("size", [1, 2, 13, 300])
def test_every_record_of_a_log_is_proven(size: int) -> None:
    """The proof is parsed as it was written, and proves its own record and no other."""
    for index, proof in enumerate(proofs_of(size)):
        assert TlogProof.parse(bytes(proof)) == proof
        assert proof.check(leaf_hash(RECORDS[index]), VKEY).size == size
        with pytest.raises(CheckFailed) as failure:
            proof.check(leaf_hash(b"another"), VKEY)
        assert failure.value.check is Check.INCLUSION


def test_the_file_is_what_c2sp_says() -> None:
    """Each line in its place."""
    hashes = [base64.b64encode(digest).decode() for digest in PROOF.inclusion.path]
    lines = ["c2sp.org/tlog-proof@v1", "index 4", *hashes, "", PROOF.checkpoint.decode()]
    assert bytes(PROOF).decode() == "\n".join(lines)
    lines.insert(1, "extra aGVsbG8=")
    assert bytes(replace(PROOF, extra=b"hello")).decode() == "\n".join(lines)


@pytest.mark.nightly("every value of every byte")
def test_every_change_of_one_byte_is_refused() -> None:
    """Each place, each of 256 values."""
    good = bytes(PROOF)
    for at in range(len(good)):
        for value in range(256):
            if value != good[at]:
                with pytest.raises((Malformed, CheckFailed)):
                    TlogProof.parse(good[:at] + bytes([value]) + good[at + 1 :]).check(LEAF, VKEY)


def test_every_part_is_refused() -> None:
    """Cut at any start or any end, it proves nothing."""
    good = bytes(PROOF)
    for at in range(1, len(good)):
        for part in (good[at:], good[:at]):
            with pytest.raises((Malformed, CheckFailed)):
                TlogProof.parse(part).check(LEAF, VKEY)


@pytest.mark.parametrize(
    "index", [b"+4", b"04", b" 4", b"4 ", b"4_0", b"", b"-4", "\uff14".encode(), str(LARGEST_DECIMAL + 1).encode()]
)
def test_an_index_has_one_spelling(index: bytes) -> None:
    """What Python's ``int`` would also accept is refused."""
    with pytest.raises(Malformed, match="index"):
        TlogProof.parse(bytes(PROOF).replace(b"index 4\n", b"index " + index + b"\n"))


def test_a_hash_has_one_spelling() -> None:
    """32 bytes, padded, with zero padding bits, one per line."""
    good, line = bytes(PROOF), base64.b64encode(PROOF.inclusion.path[0])
    loose = line[:-2] + bytes([line[-2] + 1]) + b"="
    assert base64.b64decode(loose) == PROOF.inclusion.path[0]
    for wrong in (loose, line[:-1], line + b"=", line + b" ", line + b"\r", b" " + line, line[:40], line + line[-4:]):
        with pytest.raises(Malformed, match="hash"):
            TlogProof.parse(good.replace(line, wrong))


def test_a_path_of_another_length_is_refused() -> None:
    """One hash too many, one too few, or none."""
    path = PROOF.inclusion.path
    for wrong in (path[:-1], (*path, path[0]), ()):
        with pytest.raises(CheckFailed, match="hashes") as failure:
            replace(PROOF, inclusion=Inclusion(4, wrong)).check(LEAF, VKEY)
        assert failure.value.check is Check.INCLUSION


@pytest.mark.parametrize("index", [0, 5, 12, 13, LARGEST_DECIMAL])
def test_another_place_is_refused(index: int) -> None:
    """Also an index that the log does not have."""
    with pytest.raises(CheckFailed) as failure:
        replace(PROOF, inclusion=Inclusion(index, PROOF.inclusion.path)).check(LEAF, VKEY)
    assert failure.value.check is Check.INCLUSION


def test_the_checkpoint_is_the_logs() -> None:
    """Another key's signature, or a checkpoint of another log or size."""
    other = SigningKey(KEY.name, sha256(b"another key"))
    checkpoint = Checkpoint.open(PROOF.checkpoint, VKEY)
    for note, check in (
        (checkpoint.sign(other), Check.NOTE_SIGNATURE),
        (replace(checkpoint, origin="other.example/log").sign(KEY), Check.CHECKPOINT_ORIGIN),
        (KEY.sign(f"{checkpoint}more\n"), Check.CHECKPOINT_FORM),
        (b"nothing", Check.NOTE_FORM),
        (proofs_of(12)[4].checkpoint, Check.INCLUSION),
    ):
        with pytest.raises(CheckFailed) as failure:
            replace(PROOF, checkpoint=note).check(LEAF, VKEY)
        assert failure.value.check is check


def test_limits() -> None:
    """Each at its limit and one above it."""
    most = Inclusion(LARGEST_DECIMAL, (bytes(32),) * MOST_HASHES)
    largest = TlogProof(most, b"x" * LARGEST_NOTE, b"x" * LARGEST_EXTRA)
    assert TlogProof.parse(bytes(largest)) == largest
    with pytest.raises(Malformed, match="63 hashes"):
        TlogProof.parse(bytes(replace(largest, inclusion=Inclusion(0, (bytes(32),) * (MOST_HASHES + 1)))))
    with pytest.raises(Malformed, match="65536 bytes"):
        TlogProof.parse(bytes(replace(largest, extra=b"x" * (LARGEST_EXTRA + 1))))
    short = bytes(PROOF)
    padded = short + b"x" * (LARGEST_TLOG_PROOF - len(short))
    assert len(bytes(TlogProof.parse(padded))) == LARGEST_TLOG_PROOF
    with pytest.raises(Malformed, match="1100000 bytes"):
        TlogProof.parse(padded + b"x")


@given(st.binary() | st.binary().map(lambda tail: b"c2sp.org/tlog-proof@v1\n" + tail))
def test_hostile_bytes_are_malformed_or_printed_as_they_came(data: bytes) -> None:
    """The parser has no other result."""
    with suppress(Malformed):
        assert bytes(TlogProof.parse(data)) == data
