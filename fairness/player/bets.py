"""The digest of the accepted bets, and a receipt for each of them (SPEC 7).

A lock carries the count and the root over one line of bytes per bet. A receipt leads from one line to
that root, so that players can show that their own bet was among them, without seeing the others::

    foredraw/v1/bet
    table 38f3fb9d40a61bb9f6edc36b5378ef4976adb6c9347b176406149c94e3d27d03
    round 2
    count 2
    index 1
    line YzA1ZTg4ZDE0YjdmYTI5NjNlZDE1ODBjOTdmNGIyYWEgMTAtMzcgMTAwMCBBTUQ=
    r7PrNQdTuswMzHNHJavj79ZEHkD+d3kJetRysJUHBkA=

A line should have a random part: anyone who can guess the line recognises its hash, and a
receipt shows the hash of a neighbour.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

from fairness.errors import Malformed
from fairness.hashing import HASH_SIZE, U48_LIMIT, leaf_hash, parse_hex
from fairness.limits import LARGEST_INTEGER, LARGEST_RECEIPT, LONGEST_LINE
from fairness.log.merkle import EMPTY_ROOT, root_of_hashes
from fairness.log.merkle_proofs import inclusion_paths, inclusion_ranges, root_of_inclusion
from fairness.newer_file import refuse_newer
from fairness.records.record import Bets
from fairness.spelling import base64_text, parse_base64, parse_decimal

_KIND = "bet"
_HEAD = f"foredraw/v1/{_KIND}".encode()
_FORM = re.compile(
    re.escape(_HEAD) + rb"\ntable (.*)\nround (.*)\ncount (.*)\nindex (.*)\nline (.*)\n((?:.+\n)*)", re.ASCII
)


def digest(lines: Sequence[bytes]) -> Bets:
    """Return what an engine gives to ``lock``: the count and the root of the bets' lines, in its order.

    Raises `Malformed` for an invalid line: see `check_line`.
    """
    return Bets(count=len(lines), root=root_of_hashes(_leaves(lines)).hex())


def check_digest(bets: Bets) -> None:
    """Check that no bets have the root `H("")`, and nothing else has it. Raises `Malformed`.

    The service asks this of an engine; replay does not look at roots (SPEC 7).
    """
    if (bets.count == 0) != (bets.root == EMPTY_ROOT.hex()):
        expected = f"the root {EMPTY_ROOT.hex()} for a count of 0, and for no other"
        raise Malformed("digest of bets", expected=expected, found=f"count {bets.count}, root {bets.root}")


def receipts(lines: Sequence[bytes], *, table_id: bytes, round_number: int) -> list[BetReceipt]:
    """Make one receipt per bet, in the same order. Raises `Malformed` as `digest` does."""
    paths = inclusion_paths(_leaves(lines))
    return [
        BetReceipt(table_id, round_number, len(lines), index, line, tuple(path))
        for index, (line, path) in enumerate(zip(lines, paths, strict=True))
    ]


def check_line(line: bytes) -> None:
    """Check that a line is the engine's own bytes: at most 1,024, and no line feed. Raises `Malformed`."""
    if len(line) > LONGEST_LINE:
        raise Malformed("a bet's line", expected=f"at most {LONGEST_LINE} bytes", found=len(line))
    if b"\n" in line:
        raise Malformed("a bet's line", expected="no line feed", found=line)


@dataclass(frozen=True, slots=True)
class BetReceipt:
    """One bet of a round, and the hashes that lead from it to the root in the round's lock."""

    table_id: bytes
    round_number: int
    count: int
    """How many bets the round had."""
    index: int
    """The bet's place among them, from 0."""
    line: bytes
    path: tuple[bytes, ...]
    """The audit path of RFC 6962, section 2.1.1: the leaf's sibling first."""

    def __post_init__(self) -> None:
        if len(self.table_id) != HASH_SIZE or {len(each) for each in self.path} - {HASH_SIZE}:
            raise ValueError(f"a table's id and the hashes of a path have {HASH_SIZE} bytes")
        if not 1 <= self.round_number < U48_LIMIT:
            raise Malformed("bet receipt", expected="a round from 1 to 2^48 - 1", found=self.round_number)
        if not 0 <= self.index < self.count <= LARGEST_INTEGER:
            found = f"index {self.index}, count {self.count}"
            raise Malformed("bet receipt", expected="an index below the count, and that below 2^53", found=found)
        check_line(self.line)
        length = len(inclusion_ranges(self.index, self.count))
        if len(self.path) != length:
            raise Malformed("bet receipt", expected=f"{length} hashes", found=len(self.path))

    def __bytes__(self) -> bytes:
        return str(self).encode()

    def __str__(self) -> str:
        return (
            f"{_HEAD.decode()}\ntable {self.table_id.hex()}\nround {self.round_number}\ncount {self.count}\n"
            f"index {self.index}\nline {base64_text(self.line)}\n"
        ) + "".join(f"{base64_text(each)}\n" for each in self.path)

    @classmethod
    def parse(cls, data: bytes) -> Self:
        """Read a receipt. Raises `Malformed` for any other spelling than `str` gives, `NewerFile` for one of a later
        version.
        """
        refuse_newer(data, _KIND)
        if len(data) > LARGEST_RECEIPT:
            raise Malformed("bet receipt", expected=f"at most {LARGEST_RECEIPT} bytes", found=len(data))
        match = _FORM.fullmatch(data)
        if match is None:
            raise Malformed("bet receipt", expected=f"{_HEAD.decode()}, table, round, count, index, line", found=data)
        table, number, count, index, line, path = match.groups()
        if not table.isascii():
            raise Malformed("bet receipt", expected="the table's id in hexadecimal", found=table)
        return cls(
            table_id=parse_hex(table.decode()),
            round_number=parse_decimal(number, what="bet receipt's round"),
            count=parse_decimal(count, what="bet receipt's count"),
            index=parse_decimal(index, what="bet receipt's index"),
            line=parse_base64(line, what="bet receipt's line") if line else b"",
            path=tuple(
                parse_base64(each, what="bet receipt's path", size=HASH_SIZE) for each in path.split(b"\n")[:-1]
            ),
        )

    @property
    def bets(self) -> Bets:
        """The digest that this bet and its path lead to."""
        root = root_of_inclusion(leaf_hash(self.line), self.index, self.count, list(self.path))
        return Bets(count=self.count, root=root.hex())


def _leaves(lines: Sequence[bytes]) -> list[bytes]:
    for line in lines:
        check_line(line)
    return [leaf_hash(line) for line in lines]
