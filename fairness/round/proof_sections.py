"""The sections of a round's proof file, each between empty lines (SPEC 5.6)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Self

from fairness.errors import Malformed
from fairness.hashing import HASH_SIZE, parse_hex
from fairness.limits import (
    LARGEST_RECORD,
    LONGEST_LINE_OF_ASIDE,
    MOST_CUSTODIANS,
    MOST_HASHES,
    MOST_LINES_OF_ASIDE,
)
from fairness.log.proof import Inclusion, TlogProof
from fairness.spelling import base64_text, parse_base64

RECORDS = ("table", "batch", "salt", "lead-lock", "lock", "reveal")
WITNESSED, CONSISTENCY, COMMITMENT, CUSTODY, CHECKPOINT = (
    b"witnessed",
    b"consistency",
    b"commitment",
    b"custody",
    b"checkpoint",
)
DIVIDER = b"\n\n"
_ASIDE = b"aside-"
_PARTS_OF_WITNESSED = 3
"""The proof has an empty line before its checkpoint, and one in it."""
_NAME = re.compile(rb"[a-z0-9-]{1,32}")
_LINE = re.compile(rb"[\x20-\x7e]{1,%d}" % LONGEST_LINE_OF_ASIDE)
_LINES_OF_CUSTODY = 4
_KNOWN = {*(name.encode() for name in RECORDS), WITNESSED, CONSISTENCY, COMMITMENT, CUSTODY, CHECKPOINT}


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
class CustodySection:
    """What one custodian said of the batch (SPEC 5.9): its note, and the policy by which it releases seeds. Both
    verbatim.
    """

    custodian: str
    note: bytes
    policy: bytes

    def __bytes__(self) -> bytes:
        lines = [CUSTODY.decode(), self.custodian, base64_text(self.note), base64_text(self.policy)]
        return "".join(f"{line}\n" for line in lines).encode()

    @classmethod
    def parse(cls, part: bytes) -> Self:
        """Read a section. Raises `Malformed`."""
        lines = part.split(b"\n", _LINES_OF_CUSTODY)
        if len(lines) != _LINES_OF_CUSTODY or not _NAME.fullmatch(lines[1]):
            expected = "custody, a custodian's name, its note and its policy, a line each"
            raise Malformed("round proof", expected=expected, found=part)
        _, name, *both = lines
        note, policy = (parse_base64(line, what="line of custody") for line in both)
        return cls(name.decode(), note, policy)


@dataclass(frozen=True, slots=True)
class Aside:
    """A section that is kept, and not checked (SPEC 4.10)."""

    name: str
    lines: tuple[bytes, ...]

    def __bytes__(self) -> bytes:
        return b"".join(line + b"\n" for line in (self.name.encode(), *self.lines))


@dataclass(slots=True)
class Sections:
    """The sections of a proof file, in whatever order it has them."""

    titles: list[str] = field(default_factory=list)
    records: dict[str, ProvenRecord] = field(default_factory=dict)
    commitments: list[ProvenCommitment] = field(default_factory=list)
    witnessed: bytes | None = None
    consistency: tuple[bytes, ...] | None = None
    custody: list[CustodySection] = field(default_factory=list)
    asides: list[Aside] = field(default_factory=list)
    checkpoint: bytes = b""
    later: list[str] = field(default_factory=list)
    """The names of sections that this version does not know."""
    known: list[bytes] = field(default_factory=list)
    """The parts without the sections of later versions."""

    @classmethod
    def read(cls, parts: Sequence[bytes]) -> Self:
        """Read the parts between empty lines. Raises `Malformed` if the file lacks what every stage of a round
        has.
        """
        found, left = cls(), iter(parts)
        for part in left:
            found._take(part, left)
        if not 1 <= len(found.commitments) <= MOST_CUSTODIANS:
            expected = f"1 to {MOST_CUSTODIANS} commitments"
            raise Malformed("round proof", expected=expected, found=len(found.commitments))
        if not {"table", "batch"} <= found.records.keys():
            raise Malformed("round proof", expected="a table and a batch", found=", ".join(found.titles))
        if [each.name for each in found.asides] != sorted({each.name for each in found.asides}):
            found_names = ", ".join(each.name for each in found.asides)
            raise Malformed("round proof", expected="asides in ascending order, each once", found=found_names)
        return found

    def _take(self, part: bytes, left: Iterator[bytes]) -> None:
        """Read the section that begins with ``part``, and as many of the parts ``left`` as it takes up."""
        title, _, below = part.partition(b"\n")
        if not _NAME.fullmatch(title):
            raise Malformed("round proof", expected="a section's name of a-z, 0-9 and -", found=title)
        name = title.decode()
        if title not in _KNOWN and not title.startswith(_ASIDE):
            self.later.append(_parse_lines(name, below).name)
            return
        self.titles.append(name)
        # The last section has empty lines of its own, and so has the file of the witnesses.
        if title == CHECKPOINT:
            # An empty line below the name would end the section, as below every other name.
            if below:
                self.checkpoint = DIVIDER.join([below, *left])
                part = CHECKPOINT + b"\n" + self.checkpoint
        elif title == WITNESSED:
            part = DIVIDER.join([part, *islice(left, _PARTS_OF_WITNESSED - 1)])
            self.witnessed = _parse_witnessed(part.partition(b"\n")[2])
        elif title == CONSISTENCY:
            self.consistency = _parse_consistency(below)
        elif title == CUSTODY:
            self.custody.append(CustodySection.parse(part))
        elif title.startswith(_ASIDE):
            self.asides.append(_parse_lines(name, below))
        else:
            self._add(*_parse_section(part))
        self.known.append(part)

    def _add(self, name: str, content: bytes, inclusion: Inclusion) -> None:
        """Add a record or a commitment."""
        if name == COMMITMENT.decode():
            self.commitments.append(ProvenCommitment(parse_hex(content.decode("ascii", "replace")), inclusion))
        else:
            self.records[name] = ProvenRecord(content, inclusion)


def checkpoint_in(proof: bytes) -> bytes:
    """Return the checkpoint at the end of a proof file, as far as it has one: nothing is checked, not even the
    form.
    """
    return proof.rpartition(DIVIDER + CHECKPOINT + b"\n")[2]


def proven_section(name: str, content: bytes, inclusion: Inclusion) -> bytes:
    """Return a record or a commitment with its proof, as the file spells it."""
    return name.encode() + b"\n" + content + b"\n" + bytes(inclusion)


def consistency_section(hashes: Sequence[bytes]) -> bytes:
    """Return the hashes of a consistency proof, as the file spells them."""
    return b"".join(line + b"\n" for line in (CONSISTENCY, *(base64_text(each).encode() for each in hashes)))


def _parse_lines(name: str, below: bytes) -> Aside:
    """Return a section whose meaning is unknown: its lines alone have a form."""
    lines = below.split(b"\n", MOST_LINES_OF_ASIDE)
    if len(lines) > MOST_LINES_OF_ASIDE or not all(map(_LINE.fullmatch, lines)):
        expected = f"1 to {MOST_LINES_OF_ASIDE} lines of printable characters below {name}"
        raise Malformed("round proof", expected=expected, found=below)
    return Aside(name, tuple(lines))


def _parse_consistency(below: bytes) -> tuple[bytes, ...]:
    # How many there must be follows from the sizes, so that is the affair of the check.
    lines = below.split(b"\n") if below else []
    return tuple(parse_base64(line, what="hash of consistency", size=HASH_SIZE) for line in lines)


def _parse_witnessed(below: bytes) -> bytes:
    """Return the file of the witnesses: the proof, the checkpoint, its signatures."""
    if below.count(DIVIDER) != _PARTS_OF_WITNESSED - 1 or below.endswith(DIVIDER):
        raise Malformed("round proof", expected="signatures below the checkpoint of witnessed", found="none")
    data = below + b"\n"
    TlogProof.parse(data)
    return data


def _parse_section(part: bytes) -> tuple[str, bytes, Inclusion]:
    """Return a section's name, its content in one line, and its proof."""
    match part.split(b"\n", 2 + 1 + MOST_HASHES):
        case [name, content, index, *hashes]:
            if len(content) > LARGEST_RECORD:
                raise Malformed("record", expected=f"at most {LARGEST_RECORD} bytes", found=len(content))
            return name.decode("ascii", "replace"), content, Inclusion.parse([index, *hashes])
    raise Malformed("round proof", expected="a section of at least three lines", found=part)
