"""The proof file of one round: everything that shows, offline, that it was fixed in advance (SPEC 5.6).

The same file, with what there is so far, is the receipt of a round that has not ended.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Self

from fairness.errors import Malformed
from fairness.hashing import U48_LIMIT, parse_hex
from fairness.limits import LARGEST_RECORD, LARGEST_ROUND_PROOF, MOST_CUSTODIANS, MOST_HASHES
from fairness.log.proof import Inclusion, TlogProof
from fairness.records.record import NAME_PATTERN
from fairness.spelling import parse_decimal

_FIRST_LINE = b"foredraw/v1/round-proof"
_FIRST = re.compile(re.escape(_FIRST_LINE) + rb"\nround ([^ \n]*) ([^ \n]*)")
_CHECKPOINT = b"checkpoint"
_WITNESSED = b"witnessed"
_DIVIDER = b"\n\n"
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
    witnessed: bytes | None = None
    """The file that shows when witnesses saw the batch (SPEC 5.8), verbatim, if the log has one."""

    def records(self) -> Iterator[tuple[str, ProvenRecord]]:
        """The records with the names of their sections, in the order of the file."""
        yield "table", self.table
        yield "batch", self.batch
        later = {"salt": self.salt, "lead-lock": self.lead_lock, "lock": self.lock, "reveal": self.reveal}
        for name, section in later.items():
            if section is not None:
                yield name, section

    def __bytes__(self) -> bytes:
        head = _FIRST_LINE + f"\nround {self.table_name} {self.number}\n\n".encode()
        sections = [_section(name, record.data, record.inclusion) for name, record in self.records()]
        if self.witnessed is not None:
            sections.insert(2 if self.salt is None else 3, _WITNESSED + b"\n" + self.witnessed)
        sections += [_section(_COMMITMENT, each.digest.hex().encode(), each.inclusion) for each in self.commitments]
        return head + b"\n".join([*sections, _CHECKPOINT + b"\n" + self.checkpoint])

    @classmethod
    def parse(cls, data: bytes) -> Self:
        """Read a proof file. Raises `Malformed` for anything but the one spelling of 5.6."""
        if len(data) > LARGEST_ROUND_PROOF:
            raise Malformed("round proof", expected=f"at most {LARGEST_ROUND_PROOF} bytes", found=len(data))
        first, *parts = data.split(_DIVIDER)
        table_name, number = _parse_first(first)
        found = _Sections.read(parts)
        proof = cls(
            table_name,
            number,
            table=found.records["table"],
            batch=found.records["batch"],
            salt=found.records.get("salt"),
            lead_lock=found.records.get("lead-lock"),
            lock=found.records.get("lock"),
            reveal=found.records.get("reveal"),
            commitments=tuple(found.commitments),
            checkpoint=found.checkpoint,
            witnessed=found.witnessed,
        )
        # A round is locked after all earlier ones, and revealed after its lock, so a file has no gap.
        if proof.reveal is not None and proof.lock is None:
            raise Malformed("round proof", expected="a section lock", found="none")
        if proof.lock is not None and proof.lead_lock is None and number > 1:
            raise Malformed("round proof", expected="a section lead-lock", found="none")
        # Another order, a section twice or of another name: what was read is not what was written.
        if bytes(proof) != data:
            raise Malformed(
                "round proof", expected="each section once, in order, and no other", found=", ".join(found.titles)
            )
        return proof


@dataclass(slots=True)
class _Sections:
    """The sections of a proof file, in whatever order it has them."""

    titles: list[str] = field(default_factory=list)
    records: dict[str, ProvenRecord] = field(default_factory=dict)
    commitments: list[ProvenCommitment] = field(default_factory=list)
    witnessed: bytes | None = None
    checkpoint: bytes = b""

    @classmethod
    def read(cls, parts: Sequence[bytes]) -> Self:
        """Read the parts between empty lines. Raises `Malformed` if the file lacks what every stage of a round has."""
        found, left = cls(), iter(parts)
        for part in left:
            title, _, below = part.partition(b"\n")
            found.titles.append(title.decode("ascii", "replace"))
            # The last section has empty lines of its own, and so has the file of the witnesses.
            if title == _CHECKPOINT:
                found.checkpoint = _DIVIDER.join([below, *left])
            elif title == _WITNESSED:
                found.witnessed = _parse_witnessed([below, *islice(left, 2)])
            else:
                found.add(*_parse_section(part))
        if not 1 <= len(found.commitments) <= MOST_CUSTODIANS:
            expected = f"1 to {MOST_CUSTODIANS} commitments"
            raise Malformed("round proof", expected=expected, found=len(found.commitments))
        if not {"table", "batch"} <= found.records.keys():
            raise Malformed("round proof", expected="a table and a batch", found=", ".join(found.titles))
        return found

    def add(self, name: str, content: bytes, inclusion: Inclusion) -> None:
        """Add a record or a commitment."""
        if name == _COMMITMENT:
            self.commitments.append(ProvenCommitment(parse_hex(content.decode("ascii", "replace")), inclusion))
        else:
            self.records[name] = ProvenRecord(content, inclusion)


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


def _parse_witnessed(parts: Sequence[bytes]) -> bytes:
    """The file of the witnesses from what its empty lines separate: the proof, the checkpoint, its signatures."""
    if not parts[-1]:
        raise Malformed("round proof", expected="signatures below the checkpoint of witnessed", found="none")
    data = _DIVIDER.join(parts) + b"\n"
    TlogProof.parse(data)
    return data


def _parse_section(part: bytes) -> tuple[str, bytes, Inclusion]:
    """A section's name, its content in one line, and its proof."""
    match part.split(b"\n", 2 + 1 + MOST_HASHES):
        case [name, content, index, *hashes]:
            if len(content) > LARGEST_RECORD:
                raise Malformed("record", expected=f"at most {LARGEST_RECORD} bytes", found=len(content))
            return name.decode("ascii", "replace"), content, Inclusion.parse([index, *hashes])
    raise Malformed("round proof", expected="a section of at least three lines", found=part)
