"""Checkpoints: three lines, one spelling, one log."""

from __future__ import annotations

import hashlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairness.checks import Check
from fairness.errors import CheckFailed
from fairness.log.checkpoints import Checkpoint
from fairness.log.merkle import EMPTY_ROOT
from fairness.log.notes import SigningKey

KEY = SigningKey("fore.example/log", hashlib.sha256(b"a key").digest())
OTHER = SigningKey("fore.example/log", hashlib.sha256(b"another key").digest())
ROOT = hashlib.sha256(b"a root").digest()
CHECKPOINT = Checkpoint("fore.example/log", 70_000, ROOT)
BODY = str(CHECKPOINT)

digests = st.binary(min_size=32, max_size=32)


def reading(note: bytes) -> Checkpoint | Check:
    """The checkpoint of a note, or the check that failed."""
    try:
        return Checkpoint.open(note, KEY.verifier_key)
    except CheckFailed as failure:
        return failure.check


def check_that_fails(text: str, key: SigningKey = KEY) -> Check:
    with pytest.raises(CheckFailed) as failure:
        Checkpoint.open(key.sign(text), KEY.verifier_key)
    assert failure.value.where == "checkpoint" or failure.value.check is Check.NOTE_SIGNATURE
    return failure.value.check


@given(size=st.integers(0, (1 << 63) - 1), root=digests)
def test_what_is_signed_is_read(size: int, root: bytes) -> None:
    """From the empty log to the largest size that C2SP allows."""
    checkpoint = Checkpoint(KEY.name, size, root)
    assert Checkpoint.parse(str(checkpoint)) == checkpoint
    assert Checkpoint.open(checkpoint.sign(KEY), KEY.verifier_key) == checkpoint


def test_the_empty_logs_checkpoint_is_that_of_the_specification() -> None:
    """Size 0, and the hash of nothing."""
    text = "fore.example/log\n0\n47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=\n"
    assert str(Checkpoint(KEY.name, 0, EMPTY_ROOT)) == text


@pytest.mark.nightly("each change of each byte")
def test_every_change_of_one_byte_is_refused_although_it_is_signed_again() -> None:
    """Each place, each ASCII character, signed by the log's own key: refused, or another valid checkpoint of this
    log.
    """
    for at in range(len(BODY)):
        for character in map(chr, range(128)):
            text = BODY[:at] + character + BODY[at + 1 :]
            if text == BODY or not text.endswith("\n"):
                continue
            read = reading(KEY.sign(text))
            if isinstance(read, Check):
                assert read in {Check.NOTE_FORM, Check.CHECKPOINT_FORM, Check.CHECKPOINT_ORIGIN}
            else:
                assert str(read) == text
                assert read.origin == KEY.name


def test_every_change_of_one_byte_of_the_note_is_refused() -> None:
    """Without the key, no bit of a signed checkpoint can be changed."""
    note = CHECKPOINT.sign(KEY)
    for at in range(len(note)):
        for bit in range(8):
            with pytest.raises(CheckFailed) as failure:
                Checkpoint.open(note[:at] + bytes([note[at] ^ 1 << bit]) + note[at + 1 :], KEY.verifier_key)
            assert failure.value.check in {Check.NOTE_FORM, Check.NOTE_SIGNATURE}
    for end in range(len(note)):
        with pytest.raises(CheckFailed):
            Checkpoint.open(note[:end], KEY.verifier_key)


@pytest.mark.parametrize(
    "text",
    [
        "fore.example/log\n",
        "fore.example/log\n70000\n",
        BODY + "extension\n",
        BODY + "\n",
        "\n" + BODY,
        BODY.replace("70000", ""),
        BODY.replace("70000", "070000"),
        BODY.replace("70000", "+70000"),
        BODY.replace("70000", "-1"),
        BODY.replace("70000", " 70000"),
        BODY.replace("70000", "70_000"),
        BODY.replace("70000", "7e4"),
        BODY.replace("70000", "0x10"),
        BODY.replace("70000", "\N{FULLWIDTH DIGIT SEVEN}0000"),
        BODY.replace("70000", str(1 << 63)),
        BODY.replace("70000", "9" * 5000),
        BODY.replace("=", ""),
        BODY.replace("=\n", "==\n"),
        BODY.replace("fore.example/log\n", "\n"),
        "fore.example/log\n70000\nAAAA\n",
        "fore.example/log\n70000\n\n",
        f"fore.example/log\n70000\n{'A' * 44}\n",
    ],
)
def test_other_spellings_are_refused(text: str) -> None:
    """Extension lines and other spellings of numbers or roots are refused in spite of a valid signature."""
    assert check_that_fails(text) is Check.CHECKPOINT_FORM


def test_the_root_has_no_second_spelling() -> None:
    """The two spare bits of its last Base64 character are zero."""
    last = BODY[-3]
    alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
    second = alphabet[alphabet.index(last) + 1]
    assert check_that_fails(f"{BODY[:-3]}{second}=\n") is Check.CHECKPOINT_FORM


def test_another_logs_checkpoint_is_refused() -> None:
    """The origin is the key's name, and the key is the expected one."""
    assert check_that_fails(BODY.replace("fore", "four")) is Check.CHECKPOINT_ORIGIN
    assert check_that_fails(BODY, key=OTHER) is Check.NOTE_SIGNATURE


@given(data=st.binary())
def test_any_bytes_are_refused_with_our_own_errors(data: bytes) -> None:
    """Hostile bytes fail a check and cause no other error."""
    with pytest.raises(CheckFailed):
        Checkpoint.open(data, KEY.verifier_key)


@given(text=st.text())
def test_any_signed_text_is_a_checkpoint_or_fails_a_check(text: str) -> None:
    """Even a text signed by the log's own key causes no other error."""
    try:
        note = KEY.sign(f"{text}\n")
    except UnicodeEncodeError:
        return
    with pytest.raises(CheckFailed):
        Checkpoint.open(note, KEY.verifier_key)
