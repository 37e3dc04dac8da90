"""What a witness is asked, and what counts as its answer (C2SP tlog-witness, ``add-checkpoint``).

The request is the size that the witness saw last, the proof that the new tree extends it, and the checkpoint. The
answer is a line for the checkpoint, or the size that the witness remembers. A witness is trusted with nothing else:
only a line that verifies under its key, for exactly this checkpoint, is kept.
"""

from __future__ import annotations

from dataclasses import dataclass
from http import HTTPStatus

from fairness.errors import ForedrawError, Malformed, quote
from fairness.limits import MOST_SIGNATURES
from fairness.log.checkpoints import SignedCheckpoint
from fairness.log.notes import Note, SignatureLine
from fairness.policy.quorum import Witness
from fairness.spelling import base64_text, parse_decimal

PATH = "add-checkpoint"
LARGEST_ANSWER = 16_384
"""Bytes: lines of some keys of one witness."""
_SIZE_TYPE = "text/x.tlog.size"
_REFUSALS: dict[int, str] = {
    HTTPStatus.BAD_REQUEST: "it calls the request malformed",
    HTTPStatus.FORBIDDEN: "it does not know the key that signed the checkpoint",
    HTTPStatus.NOT_FOUND: "it does not know this log: ask whoever runs it to add the log's origin and key",
    HTTPStatus.UNPROCESSABLE_ENTITY: "it says that this log does not extend the one that it cosigned before, or refuses a record",
}


class NoCosignature(Exception):
    """A witness did not cosign. The message says what came instead."""

    def __init__(self, why: str, *, contradicts: bool = False) -> None:
        super().__init__(why)
        self.contradicts = contradicts
        """Whether the witness says that it has seen another log."""


@dataclass(frozen=True, slots=True)
class Request:
    """A checkpoint that a witness is asked to cosign."""

    witness: Witness
    head: SignedCheckpoint
    old: int
    """The size that the witness remembers, as far as the service knows; 0 for nothing."""
    proof: tuple[bytes, ...] = ()

    def __bytes__(self) -> bytes:
        lines = [f"old {self.old}", *map(base64_text, self.proof)]
        return "".join(f"{line}\n" for line in lines).encode() + b"\n" + self.head.note


@dataclass(frozen=True, slots=True)
class Cosignature:
    """A line of the witness that verifies."""

    line: bytes
    time: int
    """When the witness says that it signed, in seconds since 1970."""


@dataclass(frozen=True, slots=True)
class Remembers:
    """The witness remembers another size than the request named."""

    size: int


Result = Cosignature | Remembers | NoCosignature


@dataclass(frozen=True, slots=True)
class Answer:
    """What became of a request."""

    request: Request
    result: Result


def read_answer(request: Request, status: int, kind: str, body: bytes) -> Result:
    """Return what an answer of this status and content type says, once its line has been verified."""
    if status == HTTPStatus.OK:
        return _cosignature(request, body)
    if status == HTTPStatus.CONFLICT and kind.partition(";")[0].strip().lower() == _SIZE_TYPE:
        try:
            return Remembers(parse_decimal(body.removesuffix(b"\n"), what="size"))
        except Malformed as error:
            return NoCosignature(f"its answer names no size: {error}")
    if status == HTTPStatus.CONFLICT:
        return NoCosignature("it remembers another tree, and does not say of which size")
    # If nothing was cosigned before, there is nothing that this log could fail to extend.
    contradicts = status == HTTPStatus.UNPROCESSABLE_ENTITY and request.old > 0
    said = quote(body.decode("utf-8", "replace").strip().partition("\n")[0])
    why = _REFUSALS.get(status, f"the status {status}")
    return NoCosignature(f"{why}: {said}" if said else why, contradicts=contradicts)


def _cosignature(request: Request, body: bytes) -> Cosignature | NoCosignature:
    key = request.witness.key
    try:
        lines = body.decode("utf-8").removesuffix("\n").split("\n")
        found = [(line, SignatureLine.parse(line)) for line in lines[:MOST_SIGNATURES]]
    except (UnicodeDecodeError, ForedrawError):
        return NoCosignature(f"its answer has no signature lines: {quote(body)}")
    text = Note.parse(request.head.note).text
    own = [(line, read) for line, read in found if (read.name, read.key_id) == (key.name, key.key_id)]
    for line, read in own:
        [time] = key.times_on(Note(text, (read,)))
        if time is not None:
            return Cosignature(f"{line}\n".encode(), time)
    if own:
        return NoCosignature("its line does not verify for this checkpoint under the key of the policy")
    others = ", ".join(f"{read.name}+{read.key_id.hex()}" for _, read in found)
    return NoCosignature(f"it signs as {quote(others)}, and the policy names {key.name}+{key.key_id.hex()}")
