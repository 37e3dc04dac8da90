"""Checkpoints: the signed head of the log (C2SP tlog-checkpoint 1.0.0; SPEC 5.1)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Self

from fairness.checks import Check
from fairness.errors import CheckFailed, Malformed, NotThisLogs
from fairness.hashing import HASH_SIZE
from fairness.log.notes import SigningKey, VerifierKey, has_line_of, open_note
from fairness.spelling import base64_text, parse_base64, parse_decimal

CHECKPOINT = "checkpoint"
"""The path of the signed head below the log's prefix (SPEC 5)."""
_CACHED_CHECKPOINTS = 16
_SANDBOX = "/sandbox"


def is_sandbox(origin: str) -> bool:
    """Return whether the log of this name proves nothing, and says so (SPEC 8.3)."""
    return origin.endswith(_SANDBOX)


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """The log ``origin`` had ``size`` records, and this root over them."""

    origin: str
    size: int
    root: bytes

    def __str__(self) -> str:
        return f"{self.origin}\n{self.size}\n{base64_text(self.root)}\n"

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read a checkpoint's three lines. Extension lines are refused: nobody could audit them."""
        match text.split("\n"):
            case [origin, size, root, ""] if origin:
                records = parse_decimal(size.encode(), what="checkpoint size")
                return cls(origin, records, parse_base64(root.encode(), what="checkpoint root", size=HASH_SIZE))
        raise Malformed("checkpoint", expected="three lines: origin, size, root", found=text)

    def sign(self, key: SigningKey) -> bytes:
        """Return the signed note that is served at ``/log/checkpoint``."""
        return key.sign(str(self))

    @classmethod
    @lru_cache(maxsize=_CACHED_CHECKPOINTS)  # one note proves many records, and is opened with each of these proofs
    def open(cls, note: bytes, key: VerifierKey) -> Self:
        """Check a signed checkpoint of the log that ``key`` belongs to; its origin is the key's name.

        Raises `CheckFailed`: `NOTE_FORM`, `NOTE_SIGNATURE`, `CHECKPOINT_FORM`, `CHECKPOINT_ORIGIN`; `NotThisLogs` if
        nothing in it claims to be this log's.
        """
        try:
            text = open_note(note, key)
        except Malformed as error:
            failed = _failed(Check.NOTE_FORM, error)
            if not has_line_of(note, key):
                raise NotThisLogs(
                    failed.check, expected=failed.expected, found=failed.found, where=failed.where
                ) from error
            raise failed from error
        try:
            checkpoint = cls.parse(text)
        except Malformed as error:
            raise _failed(Check.CHECKPOINT_FORM, error) from error
        if checkpoint.origin != key.name:
            raise CheckFailed(Check.CHECKPOINT_ORIGIN, expected=key.name, found=checkpoint.origin, where=CHECKPOINT)
        return checkpoint


@dataclass(frozen=True, slots=True)
class SignedCheckpoint:
    """A checkpoint, and the note in which a log's key signed it, verbatim."""

    note: bytes
    checkpoint: Checkpoint

    @classmethod
    def open(cls, note: bytes, key: VerifierKey) -> Self:
        """Check a note as `Checkpoint.open` does, and keep it."""
        return cls(note, Checkpoint.open(note, key))


def _failed(check: Check, error: Malformed) -> CheckFailed:
    return CheckFailed(check, expected=error.expected, found=f"{error.what} {error.found}", where=CHECKPOINT)
