"""Programs that nobody of this project wrote read a large log of the service, and refuse changes to it."""

from __future__ import annotations

import base64
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from fairness.checks import Check
from fairness.errors import CheckFailed, Malformed
from fairness.hashing import leaf_hash
from fairness.log.checkpoints import Checkpoint
from fairness.log.notes import SigningKey
from fairness.log.proof import Inclusion, TlogProof
from fairness.log.tiles import WIDTH, AuthenticTiles, bundle_path, tile_path, tile_width
from fairness.round.authentic_log import AuthenticLog
from fairness.round.finder import find_table
from fairness.round.proof import RoundProof
from fairness.round.prover import prove_round
from tests.house import HOUSE
from tests.oracles.other_software import (
    GO_ENVIRONMENT,
    GoReader,
    Refused,
    consistency_proof,
    go,
    openssl,
    proofbundle,
    proofbundle_checkpoint,
)
from tests.support.documents import PAGES, fenced
from tests.support.large_log import RECORDS, LargeLog, large_log
from verifier.audit.audit import audit_log
from verifier.sources.source import FolderSource

CHANGED_BIT = 4
"""Changes of this bit always count, even in a Base64 character whose last bits are spare, which Go ignores."""


@pytest.fixture(scope="module")
def log() -> Iterator[LargeLog]:
    """A log of the real service."""
    with large_log() as made:
        yield made


@pytest.fixture(scope="module")
def tiles(log: LargeLog) -> AuthenticTiles:
    """Its tiles, as our verifier reads them."""
    return AuthenticTiles(Checkpoint.open(log.checkpoints[-1], log.key), FolderSource(log.folder).read)


@pytest.fixture(scope="module")
def reader(log: LargeLog, tmp_path_factory: pytest.TempPathFactory) -> GoReader:
    """Go's reader of it."""
    return GoReader.build(tmp_path_factory.mktemp("go") / "verify_log", log.key, log.folder)


def changed(data: bytes, at: int) -> bytes:
    return data[:at] + bytes([data[at] ^ CHANGED_BIT]) + data[at + 1 :]


@contextmanager
def written(file: Path, data: bytes) -> Iterator[None]:
    """Within this context the file has these bytes."""
    good = file.read_bytes()
    file.write_bytes(data)
    try:
        yield
    finally:
        file.write_bytes(good)


def text_and_signature(note: bytes) -> tuple[bytes, bytes]:
    """The text that a checkpoint's only signature covers, and the signature without its key id."""
    text, _, line = note.rpartition(b"\n\n")
    return text + b"\n", base64.b64decode(line.split()[-1])[4:]


def proof_of(tiles: AuthenticTiles, note: bytes, index: int) -> bytes:
    return bytes(TlogProof(Inclusion(index, tuple(tiles.inclusion_path(index))), note))


def places(size: int) -> list[int]:
    """Records all over the log, and those at the borders of tiles."""
    borders = {border + by for border in (0, WIDTH, WIDTH**2, size) for by in (-1, 0, 1)}
    return sorted({*range(0, size, 97), *borders} & {*range(size)})


@pytest.mark.nightly("compiles programs in Go, and reads a whole log with them")
def test_go_verifies_the_whole_log(log: LargeLog, tiles: AuthenticTiles, reader: GoReader) -> None:
    """The checkpoint's signature, every file below ``tile/``, every record, and proofs that Go makes from the
    tiles.
    """
    assert (log.folder / "checkpoint").read_bytes() == log.checkpoints[-1]
    assert tiles.checkpoint.size >= RECORDS
    files = sum(file.is_file() for file in (log.folder / "tile").rglob("*"))
    signer, records, read, made = reader.verify()
    assert signer == f"signed by {log.key.name}"
    assert records == f"{tiles.checkpoint.size} records"
    assert read == f"{files} files"
    assert made.endswith(" proofs from tiles")
    assert int(made.split()[0]) > 500


@pytest.mark.nightly("compiles programs in Go")
def test_go_verifies_our_proofs(log: LargeLog, tiles: AuthenticTiles, reader: GoReader) -> None:
    """Inclusion proofs of records all over the log, and the consistency with every checkpoint ever signed."""
    inclusion = [proof_of(tiles, log.checkpoints[-1], at) for at in places(tiles.checkpoint.size)]
    sizes = [(note, Checkpoint.open(note, log.key).size) for note in log.checkpoints]
    # The empty tree is a prefix of every tree, so there is nothing to prove.
    consistency = [consistency_proof(note, tiles.consistency_path(size)) for note, size in sizes if size]
    assert min(len(inclusion), len(consistency)) > 500
    said = reader.verify(inclusion=inclusion, consistency=consistency)
    assert said[4:] == [f"{len(inclusion)} inclusion proofs", f"{len(consistency)} consistency proofs"]


@pytest.mark.nightly("thousands of proofs")
def test_proofbundle_verifies_our_proofs(log: LargeLog, tiles: AuthenticTiles) -> None:
    """Each shows its own record, with and without extra bytes, and no other record."""
    note = log.checkpoints[-1]
    for at in places(tiles.checkpoint.size):
        proof, record = proof_of(tiles, note, at), tiles.record(at)
        proofbundle(proof, record, log.key)
        with pytest.raises(Refused):
            proofbundle(proof, record + b" ", log.key)
    inclusion = Inclusion(5, tuple(tiles.inclusion_path(5)))
    proofbundle(bytes(TlogProof(inclusion, note, extra=b"hello")), tiles.record(5), log.key)


@pytest.mark.nightly("a log of 70,000 records")
def test_openssl_verifies_checkpoints(log: LargeLog, tmp_path: Path) -> None:
    """The first, the last and some in between; not with another key."""
    for note in [*log.checkpoints[::100], log.checkpoints[-1]]:
        openssl(*text_and_signature(note), log.key, tmp_path)
        with pytest.raises(Refused, match="Verification Failure"):
            openssl(*text_and_signature(note), SigningKey(log.key.name, bytes(32)).verifier_key, tmp_path)


@pytest.mark.nightly("compiles programs in Go")
def test_a_changed_byte_of_the_checkpoint_is_refused(log: LargeLog, reader: GoReader, tmp_path: Path) -> None:
    """Every byte by Go, proofbundle and us; those of the text and the signature by OpenSSL."""
    good = log.checkpoints[-1]
    proofbundle_checkpoint(good, log.key)
    for at in range(len(good)):
        bad = changed(good, at)
        with pytest.raises(CheckFailed):
            Checkpoint.open(bad, log.key)
        with pytest.raises(Refused):
            proofbundle_checkpoint(bad, log.key)
        with written(log.folder / "checkpoint", bad), pytest.raises(Refused, match="checkpoint: "):
            reader.verify()
    text, signature = text_and_signature(good)
    for at in range(len(text)):
        with pytest.raises(Refused, match="Verification Failure"):
            openssl(changed(text, at), signature, log.key, tmp_path)
    for at in range(len(signature)):
        with pytest.raises(Refused, match="Verification Failure"):
            openssl(text, changed(signature, at), log.key, tmp_path)


def full(size: int) -> int:
    """A full tile of level 0, or a full bundle, in the middle of the log."""
    return size // WIDTH // 2


def last_tile(size: int, level: int) -> str:
    """The partial tile of a level; it exists unless the size is a multiple of the level's tiles."""
    number = size // WIDTH ** (level + 1)
    return tile_path(level, number, tile_width(size, level, number))


def files_of(size: int) -> dict[str, str]:
    """A file of each kind."""
    return {
        "a full tile of level 0": tile_path(0, full(size)),
        "a full tile of level 1": tile_path(1, 0),
        "the partial tile of level 0": last_tile(size, 0),
        "the partial tile of level 1": last_tile(size, 1),
        "the partial tile of level 2": last_tile(size, 2),
        "a full bundle": bundle_path(full(size)),
        "the partial bundle": bundle_path(size // WIDTH, size % WIDTH),
    }


@pytest.mark.nightly("programs in Go read a whole log for each change")
@pytest.mark.parametrize("kind", files_of(RECORDS))
def test_a_changed_byte_of_a_file_is_refused(
    kind: str, log: LargeLog, tiles: AuthenticTiles, reader: GoReader
) -> None:
    """Tiles of each level, full and partial, and bundles, by Go and by our audit."""
    file = log.folder / files_of(tiles.checkpoint.size)[kind]
    good = file.read_bytes()
    check = Check.TILE if "tile" in kind else Check.BUNDLE
    said = r"inconsistent tile|is not the one of|not what follows from the records|a record is cut off"
    with written(file, changed(good, len(good) // 2)):
        with pytest.raises(Refused, match=said):
            reader.verify()
        with pytest.raises(CheckFailed) as failure:
            audit_log(FolderSource(log.folder), log.key)
        assert failure.value.check is check


@pytest.mark.nightly("starts OpenSSL or a program in Go for each byte")
def test_a_changed_byte_of_a_proof_is_refused(log: LargeLog, tiles: AuthenticTiles, reader: GoReader) -> None:
    """Every byte by proofbundle and us; by Go, which reads the whole log each time, one of each kind of line."""
    good, record = proof_of(tiles, log.checkpoints[-1], 40_000), tiles.record(40_000)
    TlogProof.parse(good).check(leaf_hash(record), log.key)
    for at in range(len(good)):
        bad = changed(good, at)
        with pytest.raises((Malformed, CheckFailed)):
            TlogProof.parse(bad).check(leaf_hash(record), log.key)
        with pytest.raises(Refused):
            proofbundle(bad, record, log.key)
    lines = good.splitlines(keepends=True)
    # Format, index, the first hash, the last one, the empty line; origin, size, root, and the signature.
    for number in (0, 1, 2, -7, -6, -5, -4, -3, -1):
        before = len(b"".join(lines[:number]))
        with pytest.raises(Refused, match="inclusion proof 0: "):
            reader.verify(inclusion=[changed(good, before + len(lines[number]) // 2)])


@pytest.mark.nightly("starts programs in Go")
def test_a_changed_consistency_proof_is_refused(log: LargeLog, tiles: AuthenticTiles, reader: GoReader) -> None:
    """A hash too many, one too few, or two in the wrong order."""
    older = log.checkpoints[len(log.checkpoints) // 2]
    path = tiles.consistency_path(Checkpoint.open(older, log.key).size)
    for bad in ([*path, path[0]], path[:-1], [path[1], path[0], *path[2:]]):
        with pytest.raises(Refused, match="consistency proof 0 "):
            reader.verify(consistency=[consistency_proof(older, bad)])


def section(page: str, heading: str) -> str:
    """The text below a heading."""
    return PAGES[Path(page)].partition(f"\n## {heading}\n")[2].partition("\n## ")[0]


@pytest.mark.nightly("starts each command of the document")
def test_the_commands_of_the_document_do_what_it_says(log: LargeLog, tmp_path: Path) -> None:
    """Copied with another key and log, they accept the log, and refuse another checkpoint."""
    given, *commands = fenced(section("docs/auditing.md", "With other people's software"), "sh")
    assert given.startswith("KEY=")
    (tmp_path / "tests").symlink_to(HOUSE / "tests")
    (tmp_path / "copy").symlink_to(log.folder)
    proof = bytes(round_proof(log, 100))
    (tmp_path / "round.proof").write_bytes(proof)
    programs = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])

    def outputs() -> list[tuple[bool, str]]:
        scripts = [["sh", "-euc", f"KEY='{log.key}'\n{command}"] for command in commands]
        environment = {**GO_ENVIRONMENT, "PATH": programs}
        ran = [
            subprocess.run(script, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
            for script in scripts
        ]
        return [(done.returncode == 0, done.stdout + done.stderr) for done in ran]

    by_go, by_openssl, by_proofbundle = outputs()
    assert by_go[0], by_go
    assert by_go[1].startswith(f"signed by {log.key.name}\n")
    assert by_openssl == (True, "Signature Verified Successfully\n")
    assert by_proofbundle[0], by_proofbundle
    assert "[PASS] merkle-inclusion" in by_proofbundle[1]
    good = log.checkpoints[-1]
    other = good.replace(b"\n7", b"\n8", 1)
    (tmp_path / "round.proof").write_bytes(proof.replace(good, other))
    with written(log.folder / "checkpoint", other):
        by_go, by_openssl, by_proofbundle = outputs()
    assert not by_go[0]
    assert "invalid signature" in by_go[1]
    assert not by_openssl[0]
    assert "Signature Verification Failure" in by_openssl[1]
    assert not by_proofbundle[0]
    assert "[FAIL] log-signature" in by_proofbundle[1]


def round_proof(log: LargeLog, number: int) -> RoundProof:
    """The proof file of a round of the log's first table, before which stands the log's own record."""
    authentic = AuthenticLog.open(FolderSource(log.folder).read, log.key)
    table = find_table(authentic, leaf_hash(authentic.tiles.record(1)))
    assert table is not None
    proof = prove_round(authentic, table, number)
    assert proof is not None
    return proof


def test_the_programs_in_go_are_as_go_wants_them() -> None:
    """``gofmt`` and ``go vet`` have no complaint."""
    go("gofmt", "-l", "tests/go")
    for file in sorted((HOUSE / "tests" / "go").glob("*.go")):
        go("go", "vet", str(file))
