"""The proof file of one round: everything that shows, offline, that it was fixed in advance (SPEC 5.6).

The same file, with what there is so far, is the receipt of a round that has not ended.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Self

from fairness.errors import Malformed
from fairness.hashing import U48_LIMIT, parse_hex
from fairness.limits import LARGEST_RECORD, LARGEST_ROUND_PROOF, MOST_CUSTODIANS, MOST_HASHES
from fairness.log.proof import Inclusion, TlogProof
from fairness.records.record import NAME_PATTERN
from fairness.spelling import parse_decimal

_FIRST_LINE = b"foredraw/v1/round-proof"
_FIRST = re.compile(re.escape(_FIRST_LINE) + rb"\nround ([^ \n]*) ([^ \n]*)")
_CHECKPOINT = b"\n\ncheckpoint\n"
_COMMITMENT = "commitment"
_NAME = re.compile(NAME_PATTERN.encode(), re.ASCII)


@dataclass(frozen=True, slots=True)
class ProvenRecord:
    """The exact bytes of a record, and the proof that it stands in the log."""

    data: bytes
    inclusion: Inclusion


@dataclass(frozen=True, slots=True)
class ProvenCommitment:
    """One custodian's commitment to a round, and its audit path to the root in the batch record."""

    digest: bytes
    inclusion: Inclusion


@dataclass(frozen=True, slots=True)
class RoundProof:
    """The proof of round ``number`` of ``table``, as far as the log of ``checkpoint`` has come.

    ``checkpoint`` is the signed note, verbatim. Nothing is checked here but the form.
    """

    table_name: str
    number: int
    table: ProvenRecord
    batch: ProvenRecord
    salt: ProvenRecord | None
    """The salt of the batch, if the table has one and the batch awaits it no more."""
    lead_lock: ProvenRecord | None
    """The lock of the round that was played ``lead`` rounds before this one, or of the table's first."""
    lock: ProvenRecord | None
    reveal: ProvenRecord | None
    commitments: tuple[ProvenCommitment, ...]
    checkpoint: bytes

    def records(self) -> Iterator[tuple[str, ProvenRecord]]:
        """The records with the names of their sections, in the order of the file."""
        yield "table", self.table
        yield "batch", self.batch
        later = {"salt": self.salt, "lead-lock": self.lead_lock, "lock": self.lock, "reveal": self.reveal}
        for name, section in later.items():
            if section is not None:
                yield name, section

    def tlog_proof(self, record: ProvenRecord) -> TlogProof:
        """The proof file of one of the records, for other people's programs."""
        return TlogProof(record.inclusion, self.checkpoint)

    def __bytes__(self) -> bytes:
        head = _FIRST_LINE + f"\nround {self.table_name} {self.number}\n\n".encode()
        sections = [_section(name, record.data, record.inclusion) for name, record in self.records()]
        sections += [_section(_COMMITMENT, each.digest.hex().encode(), each.inclusion) for each in self.commitments]
        return head + b"\n".join(sections) + _CHECKPOINT[1:] + self.checkpoint

    @classmethod
    def parse(cls, data: bytes) -> Self:
        """Read a proof file. Raises `Malformed` for anything but the one spelling of 5.6."""
        if len(data) > LARGEST_ROUND_PROOF:
            raise Malformed("round proof", expected=f"at most {LARGEST_ROUND_PROOF} bytes", found=len(data))
        head, divider, checkpoint = data.partition(_CHECKPOINT)
        first, *parts = head.split(b"\n\n")
        if not divider:
            raise Malformed("round proof", expected="sections, and the checkpoint as the last", found="no checkpoint")
        table_name, number = _parse_first(first)
        records: dict[str, ProvenRecord] = {}
        commitments: list[ProvenCommitment] = []
        for part in parts:
            name, content, inclusion = _parse_section(part)
            if name == _COMMITMENT:
                digest = parse_hex(content.decode("ascii", "replace"))
                commitments.append(ProvenCommitment(digest, inclusion))
            else:
                records[name] = ProvenRecord(content, inclusion)
        if not 1 <= len(commitments) <= MOST_CUSTODIANS:
            expected = f"1 to {MOST_CUSTODIANS} commitments"
            raise Malformed("round proof", expected=expected, found=len(commitments))
        if not {"table", "batch"} <= records.keys():
            raise Malformed("round proof", expected="a table and a batch", found=", ".join(records))
        proof = cls(
            table_name,
            number,
            table=records["table"],
            batch=records["batch"],
            salt=records.get("salt"),
            lead_lock=records.get("lead-lock"),
            lock=records.get("lock"),
            reveal=records.get("reveal"),
            commitments=tuple(commitments),
            checkpoint=checkpoint,
        )
        # Another order, a section twice or of another name: what was read is not what was written.
        if bytes(proof) != data:
            raise Malformed("round proof", expected="each section once, in order, and no other", found=head)
        return proof


def _section(name: str, content: bytes, inclusion: Inclusion) -> bytes:
    return name.encode() + b"\n" + content + b"\n" + bytes(inclusion)


def _parse_first(part: bytes) -> tuple[str, int]:
    found = _FIRST.fullmatch(part)
    if found is None:
        expected = f"{_FIRST_LINE.decode()}, and a line: round TABLE NUMBER"
        raise Malformed("round proof", expected=expected, found=part)
    name, number = found.groups()
    if not _NAME.fullmatch(name):
        raise Malformed("table name", expected="1 to 32 of a-z, 0-9 and -", found=name)
    return name.decode(), parse_round_number(number)


def parse_round_number(text: bytes) -> int:
    """A round's number, from 1 to 2^48 - 1."""
    number = parse_decimal(text, what="round")
    if not 1 <= number < U48_LIMIT:
        raise Malformed("round", expected=f"1 to {U48_LIMIT - 1}", found=number)
    return number


def _parse_section(part: bytes) -> tuple[str, bytes, Inclusion]:
    """A section's name, its content in one line, and its proof."""
    match part.split(b"\n", 2 + 1 + MOST_HASHES):
        case [name, content, index, *hashes]:
            if len(content) > LARGEST_RECORD:
                raise Malformed("record", expected=f"at most {LARGEST_RECORD} bytes", found=len(content))
            return name.decode("ascii", "replace"), content, Inclusion.parse([index, *hashes])
    raise Malformed("round proof", expected="a section of at least three lines", found=part)
