"""Values that C2SP, the RFCs, Go and Certificate Transparency published (``tests/vectors/known_values.json``)."""

from __future__ import annotations

import base64
from pathlib import Path
from typing import Any

import pytest

from fairness.errors import CheckFailed, Malformed
from fairness.hashing import leaf_hash
from fairness.log.checkpoints import Checkpoint
from fairness.log.merkle import root_of_hashes
from fairness.log.merkle_proofs import (
    consistency_ranges,
    inclusion_path,
    inclusion_ranges,
    root_of_inclusion,
    roots_of_consistency,
)
from fairness.log.notes import SigningKey, VerifierKey, open_note
from fairness.log.proof import Inclusion
from fairness.log.tiles import WIDTH, number_path, tile_width
from tests.oracles.known_values import KNOWN
from tests.oracles.other_software import openssl

TREES, SEVEN, TILES = KNOWN["trees"], KNOWN["seven_leaves"], KNOWN["tiles"]
LEAVES = [leaf_hash(bytes.fromhex(leaf)) for leaf in TREES["leaves"]]
ROOTS = [bytes.fromhex(root) for root in TREES["roots"]]


@pytest.mark.parametrize("vector", KNOWN["signed_notes"], ids=lambda vector: vector.get("bug", vector["source"]))
def test_signed_notes(vector: dict[str, str], tmp_path: Path) -> None:
    """Valid notes open, also with OpenSSL; invalid ones fail with the stated check."""
    key = VerifierKey.parse(vector["vkey"])
    text, _, signatures = vector["note"].rpartition("\n\n")
    if vector["result"] == "valid":
        assert open_note(vector["note"].encode(), key) == f"{text}\n"
        (line,) = [line for line in signatures.splitlines() if line.startswith(f"— {key.name} ")]
        openssl(f"{text}\n".encode(), base64.b64decode(line.split()[2])[4:], key, tmp_path)
        return
    with pytest.raises((Malformed, CheckFailed)) as failure:
        open_note(vector["note"].encode(), key)
    error = failure.value
    assert (error.check.value if isinstance(error, CheckFailed) else "malformed") == vector["error"]


@pytest.mark.parametrize("vector", KNOWN["signing_keys"], ids=lambda vector: vector["source"])
def test_signing_keys(vector: dict[str, str]) -> None:
    """Ed25519 is deterministic: the same key and text give the same bytes in every program."""
    key = SigningKey.parse(vector["key"])
    assert key.secret_text() == vector["key"]
    assert str(key.verifier_key) == vector["vkey"]
    assert key.sign(vector["text"]).decode() == vector["note"]


@pytest.mark.parametrize("vector", KNOWN["checkpoints"], ids=lambda vector: vector["source"])
def test_checkpoints(vector: dict[str, Any]) -> None:
    """Parsed and written."""
    checkpoint = Checkpoint(vector["origin"], vector["size"], bytes.fromhex(vector["root"]))
    assert Checkpoint.parse(vector["text"]) == checkpoint
    assert str(checkpoint) == vector["text"]


@pytest.mark.parametrize("vector", KNOWN["inclusion_lines"], ids=lambda vector: vector["source"])
def test_lines_of_an_inclusion_proof(vector: dict[str, Any]) -> None:
    """Parsed and written again."""
    inclusion = Inclusion.parse([line.encode() for line in vector["lines"]])
    assert (inclusion.index, len(inclusion.path)) == (vector["index"], vector["hashes"])
    assert bytes(inclusion).decode().splitlines() == vector["lines"]


def test_roots() -> None:
    """For each size, including the empty tree."""
    assert [root_of_hashes(LEAVES[:size]) for size in range(len(ROOTS))] == ROOTS


@pytest.mark.parametrize("vector", TREES["inclusion"])
def test_inclusion_proofs(vector: dict[str, Any]) -> None:
    """The same hashes in the same order, and they lead to the published root."""
    index, size = vector["index"], vector["size"]
    path = [bytes.fromhex(digest) for digest in vector["path"]]
    assert inclusion_path(LEAVES[:size], index) == path
    assert root_of_inclusion(LEAVES[index], index, size, path) == ROOTS[size]


@pytest.mark.parametrize("vector", TREES["consistency"])
def test_consistency_proofs(vector: dict[str, Any]) -> None:
    """The same, leading to both published roots."""
    old, size = vector["old"], vector["size"]
    path = [bytes.fromhex(digest) for digest in vector["path"]]
    assert [root_of_hashes(LEAVES[start:end]) for start, end in consistency_ranges(old, size)] == path
    assert roots_of_consistency(old, ROOTS[old], size, path) == (ROOTS[old], ROOTS[size])


def test_which_nodes_the_rfcs_name() -> None:
    """For their tree of seven leaves, proof by proof."""
    names = {tuple(leaves): name for name, leaves in SEVEN["nodes"].items()}
    for vector in SEVEN["inclusion"]:
        assert [names[node] for node in inclusion_ranges(vector["index"], SEVEN["size"])] == vector["path"]
    for vector in SEVEN["consistency"]:
        assert [names[node] for node in consistency_ranges(vector["old"], SEVEN["size"])] == vector["path"]


def test_tiles() -> None:
    """How a number is spelled in a path, and how many tiles of which width belong to a size."""
    for vector in TILES["paths"]:
        assert number_path(vector["number"]) == vector["path"]
    for vector in TILES["sizes"]:
        for level, expected in enumerate(vector["levels"]):
            full, partial = expected["full"], expected.get("partial", 0)
            assert all(tile_width(vector["size"], level, number) == WIDTH for number in range(full))
            assert max(0, tile_width(vector["size"], level, full)) == partial
        assert tile_width(vector["size"], len(vector["levels"]), 0) <= 0
