"""The call ``add-checkpoint`` of C2SP tlog-witness: what a log asks a witness, and what it is answered.

::

    old 20852014
    PlRNCrwHpqhGrupue0L7gxbjbMiKA9temvuZZDDpkaw=
    jrJZDmY8Y7SyJE0MWLpLozkIVMSMZcD5kvuKxPC3swk=

    example.com/behind-the-sofa
    20852163
    CsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=

— example.com/behind-the-sofa
Az3grlgtzPICa5OS8npVmf1Myq/5IZniMp+ZJurmRDeOoRDe4URYN7u5/Zhcyv2q1gGzGku9nTo+zyWE+xeMcTOAYQ8=
"""

from __future__ import annotations

from dataclasses import dataclass
from http import HTTPStatus
from typing import Self

from fairness.errors import Malformed
from fairness.hashing import HASH_SIZE
from fairness.limits import MOST_HASHES
from fairness.spelling import parse_base64, parse_decimal

LARGEST_REQUEST = 65_536
"""Bytes: sixty-three hashes, and a checkpoint with dozens of signatures."""
TEXT = "text/plain; charset=utf-8"
SIZE = "text/x.tlog.size"
"""The type of an answer that consists of the size that the witness remembers."""
_OLD = b"old "


@dataclass(frozen=True, slots=True)
class Request:
    """Somebody asks for a cosignature on a checkpoint."""

    old: int
    """The size up to which the asker believes that the witness has seen the log."""
    proof: tuple[bytes, ...]
    """The consistency proof from this size to the checkpoint's."""
    note: bytes
    """The signed checkpoint, verbatim."""

    @classmethod
    def parse(cls, body: bytes) -> Self:
        """Read a request's body. Raises `Malformed`; the note is not looked at."""
        if len(body) > LARGEST_REQUEST:
            raise Malformed("request", expected=f"at most {LARGEST_REQUEST} bytes", found=len(body))
        head, divider, note = body.partition(b"\n\n")
        first, *hashes = head.split(b"\n", MOST_HASHES + 1)
        if not divider or not first.startswith(_OLD):
            raise Malformed("request", expected="old SIZE, hashes, an empty line, a signed checkpoint", found=body)
        if len(hashes) > MOST_HASHES:
            raise Malformed("request", expected=f"at most {MOST_HASHES} hashes", found="more")
        old = parse_decimal(first.removeprefix(_OLD), what="old size")
        return cls(old, tuple(parse_base64(line, what="hash of the proof", size=HASH_SIZE) for line in hashes), note)


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer over HTTP."""

    status: HTTPStatus
    content_type: str
    body: bytes

    @classmethod
    def lines(cls, *lines: str) -> Self:
        """Return the cosignature: lines of a signed note."""
        return cls(HTTPStatus.OK, TEXT, "".join(lines).encode())

    @classmethod
    def words(cls, status: HTTPStatus, text: str) -> Self:
        """Return a refusal, for people."""
        return cls(status, TEXT, f"{text}\n".encode())

    @classmethod
    def conflict(cls, size: int) -> Self:
        """Note that the witness has seen the log up to ``size`` records."""
        return cls(HTTPStatus.CONFLICT, SIZE, f"{size}\n".encode())
