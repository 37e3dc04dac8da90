"""Who makes a witness's signatures: a key in a file, or one in an ssh-agent."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from cryptography.exceptions import InvalidSignature

from fairness.log.ed25519 import verify
from fairness.policy.cosignatures import WitnessKey, cosigned_message
from fairness.spelling import base64_text
from verifier.witness.agent import Agent, AgentFailed, AgentKey

_TIME_SIZE = 8


class CannotSign(Exception):
    """There is no signature now; nothing is wrong with what was to be signed."""


class Signer(Protocol):
    """Signs for one witness."""

    @property
    def key(self) -> WitnessKey:
        """Its public key, with its name."""

    def sign(self, message: bytes) -> bytes:
        """Return the Ed25519 signature, 64 bytes. Raises `CannotSign`."""


@dataclass(frozen=True, slots=True)
class AgentSigner:
    """Signs with a key that an ssh-agent holds."""

    key: WitnessKey
    agent: Agent
    held: AgentKey

    @classmethod
    def find(cls, agent: Agent, fingerprint: str, name: str) -> AgentSigner:
        """Return the key with this fingerprint, or the only one with this comment. Raises `CannotSign`, and
        `Malformed` for a name.
        """
        try:
            keys = agent.keys()
        except AgentFailed as error:
            raise CannotSign(str(error)) from error
        found = [each for each in keys if fingerprint in {each.fingerprint, each.comment}]
        if len(found) != 1:
            names = ", ".join(f"{each.fingerprint} ({each.comment})" for each in keys) or "none"
            raise CannotSign(
                f"the ssh-agent has {len(found)} Ed25519 keys called {fingerprint}; all that it has: {names}"
            )
        return cls(WitnessKey(name, found[0].public_key), agent, found[0])

    def sign(self, message: bytes) -> bytes:
        """Return the signature. Raises `CannotSign`."""
        try:
            signature = self.agent.sign(self.held, message)
            verify(self.key.public_key, signature, message)
        except AgentFailed as error:
            raise CannotSign(str(error)) from error
        except InvalidSignature as error:
            raise CannotSign("the ssh-agent made a signature that does not verify") from error
        return signature


def cosignature_line(signer: Signer, text: str, time: int) -> str:
    """Return the line for a checkpoint's ``text`` as of ``time``, in seconds since 1970. Raises `CannotSign`."""
    signature = signer.sign(cosigned_message(text, time))
    blob = signer.key.key_id + time.to_bytes(_TIME_SIZE) + signature
    return f"\N{EM DASH} {signer.key.name} {base64_text(blob)}\n"
