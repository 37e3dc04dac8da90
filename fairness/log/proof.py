"""Proofs that a record stands in the log, in a file that other people's programs read (C2SP tlog-proof; SPEC 5.5).

::

    c2sp.org/tlog-proof@v1
    index 5
    HASH IN BASE64            the audit path, the leaf's sibling first
    …

    CHECKPOINT                the signed note, verbatim

A line ``extra`` with bytes in Base64 may stand below the first. Nothing vouches for it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

from fairness.checks import Check
from fairness.errors import CheckFailed, Malformed
from fairness.hashing import HASH_SIZE
from fairness.limits import LARGEST_EXTRA, LARGEST_TLOG_PROOF, MOST_HASHES
from fairness.log.checkpoints import Checkpoint
from fairness.log.merkle_proofs import root_of_inclusion
from fairness.log.notes import VerifierKey
from fairness.spelling import base64_text, parse_base64, parse_decimal

_FIRST_LINE = b"c2sp.org/tlog-proof@v1"
_EXTRA = b"extra "
_INDEX = b"index "


@dataclass(frozen=True, slots=True)
class Inclusion:
    """Where a record stands in the log, and the audit path that leads from there to the root."""

    index: int
    path: tuple[bytes, ...]

    def __bytes__(self) -> bytes:
        lines = [f"index {self.index}", *map(base64_text, self.path)]
        return "".join(f"{line}\n" for line in lines).encode()

    @classmethod
    def parse(cls, lines: Sequence[bytes]) -> Self:
        """Read the lines ``index N`` and one per hash, without their ends. Raises `Malformed`."""
        if not lines or not lines[0].startswith(_INDEX):
            raise Malformed("inclusion proof", expected="index N", found=lines[0] if lines else "nothing")
        if len(lines) > 1 + MOST_HASHES:
            raise Malformed("inclusion proof", expected=f"at most {MOST_HASHES} hashes", found=len(lines) - 1)
        index = parse_decimal(lines[0].removeprefix(_INDEX), what="index")
        path = (parse_base64(line, what="hash", size=HASH_SIZE) for line in lines[1:])
        return cls(index, tuple(path))

    def check(self, leaf: bytes, checkpoint: Checkpoint) -> None:
        """Raise `CheckFailed` (`INCLUSION`) unless the record of this leaf hash stands here in the checkpoint's
        log.
        """
        if self.index >= checkpoint.size:
            expected = f"one of the {checkpoint.size} records of the checkpoint"
            raise CheckFailed(Check.INCLUSION, expected=expected, found=f"record {self.index}", index=self.index)
        try:
            self.check_leads(leaf, checkpoint.size, checkpoint.root, Check.INCLUSION)
        except CheckFailed as failure:
            raise failure.at(index=self.index) from None

    def check_leads(self, leaf: bytes, size: int, root: bytes, check: Check) -> None:
        """Raise ``check`` unless the path leads from a leaf of a tree of ``size``, which has this one, to
        ``root``.
        """
        try:
            found = root_of_inclusion(leaf, self.index, size, list(self.path))
        except Malformed as error:
            raise CheckFailed(check, expected=error.expected, found=f"{error.found} hashes") from error
        if found != root:
            raise CheckFailed(check, expected=f"hashes that lead to the root {root.hex()}", found=found.hex())


@dataclass(frozen=True, slots=True)
class TlogProof:
    """The proof file of one record. ``checkpoint`` is the signed note, verbatim."""

    inclusion: Inclusion
    checkpoint: bytes
    extra: bytes = b""

    def __bytes__(self) -> bytes:
        extra = [_EXTRA + base64_text(self.extra).encode()] if self.extra else []
        head = b"".join(line + b"\n" for line in [_FIRST_LINE, *extra])
        return head + bytes(self.inclusion) + b"\n" + self.checkpoint

    @classmethod
    def parse(cls, data: bytes) -> Self:
        """Read a proof; nothing is checked yet but its spelling, up to the checkpoint. Raises `Malformed`."""
        if len(data) > LARGEST_TLOG_PROOF:
            raise Malformed("tlog-proof", expected=f"at most {LARGEST_TLOG_PROOF} bytes", found=len(data))
        # A note may have empty lines of its own; what comes before it has none.
        head, divider, checkpoint = data.partition(b"\n\n")
        first, *lines = head.split(b"\n")
        if first != _FIRST_LINE or not divider:
            raise Malformed("tlog-proof", expected=f"{_FIRST_LINE.decode()}, and an empty line", found=head)
        extra = b""
        if lines and lines[0].startswith(_EXTRA):
            extra = parse_base64(lines.pop(0).removeprefix(_EXTRA), what="extra")
            if len(extra) > LARGEST_EXTRA:
                raise Malformed("extra", expected=f"at most {LARGEST_EXTRA} bytes", found=len(extra))
        return cls(Inclusion.parse(lines), checkpoint, extra)

    def check(self, leaf: bytes, key: VerifierKey) -> Checkpoint:
        """Return the checkpoint, once it is known that ``key`` signed it and that the record of this leaf hash stands
        in it.

        Raises `CheckFailed`: `NOTE_FORM`, `NOTE_SIGNATURE`, `CHECKPOINT_FORM`, `CHECKPOINT_ORIGIN`, `INCLUSION`.
        """
        checkpoint = Checkpoint.open(self.checkpoint, key)
        self.inclusion.check(leaf, checkpoint)
        return checkpoint


@dataclass(frozen=True, slots=True)
class Proven:
    """The exact bytes of a record with its proof: together with the log's key, all that shows that it stands
    there.
    """

    data: bytes
    proof: TlogProof
