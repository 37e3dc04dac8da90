"""The proof file of one round: everything that shows, offline, that it was fixed in advance (SPEC 5.6).

The same file, with what there is so far, is the receipt of a round that has not ended.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Self

from fairness.errors import Malformed
from fairness.hashing import U48_LIMIT
from fairness.limits import LARGEST_ROUND_PROOF
from fairness.newer_file import refuse_newer
from fairness.records.record import NAME_PATTERN
from fairness.round.proof_sections import (
    CHECKPOINT,
    COMMITMENT,
    DIVIDER,
    WITNESSED,
    Aside,
    CustodySection,
    ProvenCommitment,
    ProvenRecord,
    Sections,
    consistency_section,
    proven_section,
)
from fairness.spelling import parse_decimal

_KIND = "round-proof"
_FIRST_LINE = f"foredraw/v1/{_KIND}".encode()
_FIRST = re.compile(re.escape(_FIRST_LINE) + rb"\nround ([^ \n]*) ([^ \n]*)")
_NAME = re.compile(NAME_PATTERN.encode(), re.ASCII)


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
    consistency: tuple[bytes, ...] | None = None
    """The proof that the log of `checkpoint` extends that of `witnessed`, if there is one and it is smaller."""
    custody: tuple[CustodySection, ...] = ()
    """For each custodian whose note the log has, that note with its policy, in the order of the table's record."""
    asides: tuple[Aside, ...] = ()
    later: tuple[str, ...] = ()
    """The names of sections that a later version added; what they say is not kept."""

    def records(self) -> Iterator[tuple[str, ProvenRecord]]:
        """Yield the records with the names of their sections, in the order of the file."""
        yield "table", self.table
        yield "batch", self.batch
        later = {"salt": self.salt, "lead-lock": self.lead_lock, "lock": self.lock, "reveal": self.reveal}
        for name, section in later.items():
            if section is not None:
                yield name, section

    def __bytes__(self) -> bytes:
        head = _FIRST_LINE + f"\nround {self.table_name} {self.number}\n\n".encode()
        sections = [proven_section(name, record.data, record.inclusion) for name, record in self.records()]
        # They say of the batch, or of its salt, when it was seen.
        seen = [] if self.witnessed is None else [WITNESSED + b"\n" + self.witnessed]
        seen += [] if self.consistency is None else [consistency_section(self.consistency)]
        after = 2 if self.salt is None else 3
        sections[after:after] = seen
        commitment = COMMITMENT.decode()
        sections += [
            proven_section(commitment, each.digest.hex().encode(), each.inclusion) for each in self.commitments
        ]
        sections += [*map(CustodySection.__bytes__, self.custody), *map(Aside.__bytes__, self.asides)]
        return head + b"\n".join([*sections, CHECKPOINT + b"\n" + self.checkpoint])

    @classmethod
    def parse(cls, data: bytes) -> Self:
        """Read a proof file. Raises `Malformed` for anything but the one spelling of 5.6, `NewerFile` for one of a
        later version.
        """
        refuse_newer(data, _KIND)
        if len(data) > LARGEST_ROUND_PROOF:
            raise Malformed("round proof", expected=f"at most {LARGEST_ROUND_PROOF} bytes", found=len(data))
        first, *parts = data.split(DIVIDER)
        table_name, number = _parse_first(first)
        found = Sections.read(parts)
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
            consistency=found.consistency,
            custody=tuple(found.custody),
            asides=tuple(found.asides),
            later=tuple(found.later),
        )
        # A round is locked after all earlier ones, and revealed after its lock, so a file has no gap.
        if proof.reveal is not None and proof.lock is None:
            raise Malformed("round proof", expected="a section lock", found="none")
        if proof.lock is not None and proof.lead_lock is None and number > 1:
            raise Malformed("round proof", expected="a section lead-lock", found="none")
        # Another order, or a section twice: what was read is not what was written.
        if bytes(proof) != DIVIDER.join([first, *found.known]):
            expected = "each section once, in order"
            raise Malformed("round proof", expected=expected, found=", ".join(found.titles))
        return proof


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
    """Return a round's number, from 1 to 2^48 - 1."""
    number = parse_decimal(text, what="round")
    if not 1 <= number < U48_LIMIT:
        raise Malformed("round", expected=f"1 to {U48_LIMIT - 1}", found=number)
    return number
