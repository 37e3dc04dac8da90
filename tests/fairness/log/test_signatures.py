"""Signatures about which verifiers could disagree: OpenSSL, the one-file verifier and JavaScript agree (SPEC 5.1)."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from fairness.errors import CheckFailed, Malformed
from fairness.hashing import sha256
from fairness.log import ed25519 as rules
from fairness.log.checkpoints import Checkpoint
from fairness.log.fork import Fork
from fairness.log.notes import SigningKey, VerifierKey, open_note
from standalone.stand_ins.cryptography import exceptions
from standalone.stand_ins.cryptography.hazmat.primitives.asymmetric import ed25519 as stand_in
from tests.oracles.second_verifier import SecondVerifier
from tests.oracles.strange_signatures import (
    ORDER,
    PRIME,
    SMALL_ORDER_Y,
    Signer,
    in_a_second_spelling,
    made_without_a_secret,
    no_point,
    of_small_order,
    spelled,
)
from tests.recipes.notes import signature_line, vkey_of
from verifier.cli import main
from verifier.commands.command import USAGE

NAME, TEXT = "fore.example/log", "a text\n"
KEYS = of_small_order() | {"a second spelling": in_a_second_spelling(), "no point": no_point()}


@pytest.fixture(scope="module")
def second() -> Iterator[SecondVerifier]:
    """One process for all tests of this file."""
    with SecondVerifier() as verifier:
        yield verifier


def note(key: bytes, signature: bytes) -> tuple[bytes, str]:
    """A note with this signature, and its vkey."""
    vkey = vkey_of(NAME, key)
    line = signature_line(NAME, bytes.fromhex(vkey.split("+")[1]) + signature)
    return f"{TEXT}\n".encode() + line, vkey


def verdict(data: bytes, vkey: str) -> str:
    """Our own verdict, in the form of the second implementation's answer."""
    try:
        open_note(data, VerifierKey.parse(vkey))
    except Malformed:
        return "malformed"
    except CheckFailed:
        return "failed"
    return "held"


def candidates() -> list[tuple[str, bytes, bytes]]:
    """Names, keys and signatures: honest ones, with parts of small order, in other spellings."""
    text = TEXT.encode()
    points = [spelled(y, negative=negative) for y in SMALL_ORDER_Y for negative in (False, True)]
    points += [spelled(y, negative=negative) for y in range(PRIME, 2**255) for negative in (False, True)]
    found = [(f"key {name}", key, bytes(64)) for name, key in KEYS.items()]
    found += [(f"key {name}", key, made_without_a_secret(key, text)) for name, key in of_small_order().items()]
    for small in (0, 1, 4):
        signer = Signer(small=small)
        for part in (0, 1, 4, 7):
            for cancel in (True, False):
                try:
                    signature = signer.with_parts(text, part, cancel=cancel)
                except ValueError:
                    continue
                s = int.from_bytes(signature[32:], "little")
                found.append((f"parts {small} and {part}, cancelled: {cancel}", signer.key, signature))
                found += [
                    (f"S of {part} above the order", signer.key, signature[:32] + more.to_bytes(32, "little"))
                    for more in (s + ORDER, s + 8 * ORDER)
                ]
        found += [("a strange R", signer.key, signer.sign(text, point, 0)) for point in points]
    return found


@pytest.mark.nightly("asks every implementation about thousands of signatures")
def test_every_implementation_says_the_same(second: SecondVerifier, monkeypatch: pytest.MonkeyPatch) -> None:
    """About every key and signature that only a dishonest signer makes; some of them are valid."""
    cases = [(name, *note(key, signature)) for name, key, signature in candidates()]
    mine = [verdict(data, vkey) for _, data, vkey in cases]
    theirs = [second.ask("note", hex=data.hex(), key=vkey)["verdict"] for _, data, vkey in cases]
    assert [
        (name, one, other) for (name, *_), one, other in zip(cases, mine, theirs, strict=True) if one != other
    ] == []
    monkeypatch.setattr(rules, "Ed25519PublicKey", stand_in.Ed25519PublicKey)
    monkeypatch.setattr(rules, "InvalidSignature", exceptions.InvalidSignature)
    monkeypatch.setattr("fairness.log.notes.InvalidSignature", exceptions.InvalidSignature)
    assert [verdict(data, vkey) for _, data, vkey in cases] == mine
    expected = {
        name: "held" if name.endswith("cancelled: True") else "failed"
        for (name, *_), said in zip(cases, mine, strict=True)
        if said != "malformed"
    }
    assert {name: said for (name, *_), said in zip(cases, mine, strict=True) if said != "malformed"} == expected


@pytest.mark.parametrize("name", KEYS)
def test_such_a_key_is_refused_wherever_one_is_read(name: str, second: SecondVerifier, tmp_path: Path) -> None:
    """By the parser, the program's commands, and the verifier in JavaScript; a signature by such a key proves
    nothing.
    """
    vkey = vkey_of(NAME, KEYS[name])
    with pytest.raises(Malformed, match="verifier key"):
        VerifierKey.parse(vkey)
    assert second.ask("note", hex="00", key=vkey) == {"verdict": "malformed"}
    heads = [Checkpoint(NAME, 1, sha256(text)) for text in (b"one", b"other")]
    smaller, larger = sorted(heads, key=lambda head: head.root)
    stranger = SigningKey(NAME, sha256(b"a stranger's key"))
    (tmp_path / "fork.txt").write_bytes(bytes(Fork(smaller.sign(stranger), larger.sign(stranger))))
    for command in (["evidence", str(tmp_path / "fork.txt")], ["audit", str(tmp_path)]):
        assert main([*command, "--key", vkey]) == USAGE


def test_honest_keys_are_none_of_these() -> None:
    """Every key derived from a secret is accepted, and its signatures are valid."""
    for number in range(50):
        key = SigningKey(NAME, sha256(number.to_bytes(2, "big")))
        assert VerifierKey.parse(str(key.verifier_key)) == key.verifier_key
        assert open_note(key.sign(TEXT), key.verifier_key) == TEXT


def test_only_small_messages_are_remembered() -> None:
    """Checkpoints are verified again and again; a large note may come from anybody, and would fill the memory."""
    key = SigningKey(NAME, bytes(32))
    for size, kept in ((100, 1), (100, 1), (5000, 1)):
        if size == 100:
            rules._verify_again.cache_clear()
        text = "x" * size + "\n"
        open_note(key.sign(text), key.verifier_key)
        assert rules._verify_again.cache_info().currsize == kept
