"""Cosignatures of witnesses: C2SP tlog-cosignature, Ed25519, ``cosignature/v1`` (SPEC 5.7)."""

from __future__ import annotations

from dataclasses import dataclass

from cryptography.exceptions import InvalidSignature

from fairness.log.ed25519 import verify
from fairness.log.notes import Ed25519Key, Note

_TIME_SIZE = 8
_TIME_LIMIT = 1 << 63


@dataclass(frozen=True, slots=True)
class WitnessKey(Ed25519Key):
    """Who may cosign a checkpoint."""

    TYPE = b"\x04"
    KIND = "an Ed25519 key of a witness (type 04)"

    def times_on(self, note: Note) -> list[int | None]:
        """Return when this witness cosigned the note: seconds since 1970, one per line of its own.

        `None` for a line that is no cosignature that verifies.
        """
        return [self._time_of(signature, note.text) for signature in note.signatures_of(self)]

    def _time_of(self, cosignature: bytes, text: str) -> int | None:
        time = int.from_bytes(cosignature[:_TIME_SIZE])
        try:
            if time >= _TIME_LIMIT:
                raise InvalidSignature
            verify(self.public_key, cosignature[_TIME_SIZE:], cosigned_message(text, time))
        except InvalidSignature:
            return None
        return time


def cosigned_message(text: str, time: int) -> bytes:
    """Return what a witness signs about a checkpoint's ``text``, at ``time`` in seconds since 1970."""
    return f"cosignature/v1\ntime {time}\n{text}".encode()
