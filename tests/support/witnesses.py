"""Witnesses that cosign what a test gives them, and policies that name them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from fairness.hashing import sha256
from fairness.log.notes import VerifierKey
from fairness.policy.cosignatures import WitnessKey, cosigned_message
from fairness.policy.policy import Policy
from fairness.spelling import base64_text

NOON = 1_795_176_000
"""2026-11-20T12:00:00Z, before everything that the dishonest operator does."""


@dataclass(frozen=True)
class Cosigner:
    """A witness with its secret key, which cosigns whatever it is shown."""

    name: str

    @property
    def secret(self) -> bytes:
        """Its secret key."""
        return sha256(f"the secret of {self.name}".encode())

    @cached_property
    def _secret(self) -> Ed25519PrivateKey:
        return Ed25519PrivateKey.from_private_bytes(self.secret)

    @cached_property
    def key(self) -> WitnessKey:
        """Its public key."""
        return WitnessKey(f"{self.name}.example/witness", self._secret.public_key().public_bytes_raw())

    def line(self, note: bytes, time: int = NOON) -> bytes:
        """Its line for a note: a cosignature at ``time``."""
        text = note.decode().rpartition("\n\n")[0] + "\n"
        return self._spelled(time, self._secret.sign(cosigned_message(text, time)))

    def false_line(self, time: int = NOON) -> bytes:
        """A line in its name that anybody can write, and that does not verify."""
        return self._spelled(time, bytes(64))

    def _spelled(self, time: int, signature: bytes) -> bytes:
        blob = base64_text(self.key.key_id + time.to_bytes(8) + signature)
        return f"\N{EM DASH} {self.key.name} {blob}\n".encode()


LAB, PRESS, REGULATOR = Cosigner("lab"), Cosigner("press"), Cosigner("regulator")
WITNESSES = (LAB, PRESS, REGULATOR)


def policy_text(log: VerifierKey, *, asked: int | str = 2, witnesses: Sequence[Cosigner] = WITNESSES) -> bytes:
    """The policy that asks for so many of these witnesses."""
    lines = [f"log {log}", *(f"witness {each.name} {each.key}" for each in witnesses)]
    lines += [f"group outsiders {asked} {' '.join(each.name for each in witnesses)}", "quorum outsiders", ""]
    return "\n".join(lines).encode()


def policy(log: VerifierKey, *, asked: int | str = 2, witnesses: Sequence[Cosigner] = WITNESSES) -> Policy:
    """The same, read."""
    return Policy.parse(policy_text(log, asked=asked, witnesses=witnesses))


def cosigned(note: bytes, *witnesses: Cosigner, time: int = NOON) -> bytes:
    """The note with the lines of these witnesses."""
    return note + b"".join(each.line(note, time) for each in witnesses)
