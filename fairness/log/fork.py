"""Evidence of a fork: two checkpoints of one log that cannot both hold (SPEC 8.5).

A log only grows, so of any two of its checkpoints the smaller is of the beginning of the larger one's
tree. Evidence that it is not is a *valid* consistency proof (RFC 6962) for the larger tree, which
begins with another root than the one that was signed. That convinces somebody who has only the key:
a proof that fails shows nothing, for anybody can make one; this one leads to the larger signed root,
and no two beginnings do.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Self

from fairness.checks import Check
from fairness.errors import CheckFailed, Malformed
from fairness.hashing import HASH_SIZE
from fairness.limits import LARGEST_FORK
from fairness.log.checkpoints import Checkpoint, SignedCheckpoint
from fairness.log.merkle import EMPTY_ROOT
from fairness.log.merkle_proofs import roots_of_consistency
from fairness.log.tiles import AuthenticTiles, root_from_edge
from fairness.newer_file import refuse_newer
from fairness.spelling import base64_text, parse_base64

_KIND = "fork"
_TITLE = f"foredraw/v1/{_KIND}".encode()
_PARTS = 5
"""Between empty lines: the hashes, and of each note its text and its signatures."""


@dataclass(frozen=True, slots=True)
class Fork:
    """Two signed checkpoints, verbatim, and hashes of the larger one's tree."""

    smaller: bytes
    larger: bytes
    hashes: tuple[bytes, ...] = ()
    """The root over the records of the smaller one, as the larger tree has them; then RFC 6962's proof.

    Empty for equal sizes, which need none; and if they could not be obtained: then the file proves nothing yet.
    """

    def __bytes__(self) -> bytes:
        head = b"\n".join([_TITLE, *(base64_text(digest).encode() for digest in self.hashes)])
        return b"\n\n".join((head, self.smaller.removesuffix(b"\n"), self.larger))

    @classmethod
    def parse(cls, data: bytes) -> Self:
        """Read a file of evidence; whether it proves anything is not looked at.

        Raises `Malformed`, and `NewerFile` for one of a later version.
        """
        refuse_newer(data, _KIND)
        title, *hashes = data.partition(b"\n\n")[0].split(b"\n")
        # A signed checkpoint has one empty line, before its signatures.
        parts = data.split(b"\n\n", _PARTS)
        if len(data) > LARGEST_FORK or title != _TITLE or len(parts) != _PARTS:
            expected = f"{_TITLE.decode()}, hashes, and two signed checkpoints, after an empty line each"
            raise Malformed("evidence", expected=expected, found=data)
        _, smaller, its_signatures, larger, signatures = parts
        digests = (parse_base64(line, what="hash of the evidence", size=HASH_SIZE) for line in hashes)
        notes = smaller + b"\n\n" + its_signatures + b"\n", larger + b"\n\n" + signatures
        return cls(*notes, tuple(digests))

    def root_in_larger(self, smaller: Checkpoint, larger: Checkpoint) -> bytes:
        """Return the root over the first ``smaller.size`` records of the larger tree, as the hashes prove it.

        Raises `CheckFailed` (`FORK_PROOF`) if they do not lead to the larger root.
        """
        if smaller.size == larger.size:
            _check_proof(list(self.hashes), [], "no hashes, for the sizes are equal")
            return larger.root
        if smaller.size == 0:
            _check_proof(list(self.hashes), [EMPTY_ROOT], "the root of the empty log")
            return EMPTY_ROOT
        beginning, *path = self.hashes or (b"",)
        try:
            roots = roots_of_consistency(smaller.size, beginning, larger.size, path)
        except Malformed as error:
            raise CheckFailed(Check.FORK_PROOF, expected=error.expected, found=error.found) from error
        _check_proof([*roots], [beginning, larger.root], f"a proof that leads to the root {larger.root.hex()}")
        return beginning


def _check_proof(found: list[bytes], demanded: list[bytes], expected: str) -> None:
    if found != demanded:
        raise CheckFailed(Check.FORK_PROOF, expected=expected, found=", ".join(digest.hex() for digest in found))


def in_order(one: SignedCheckpoint, other: SignedCheckpoint) -> tuple[SignedCheckpoint, SignedCheckpoint]:
    """Return the smaller one first; for equal sizes, the one with the smaller root."""
    ranks = [(head.checkpoint.size, head.checkpoint.root) for head in (one, other)]
    return (one, other) if ranks[0] <= ranks[1] else (other, one)


def fork_between(
    one: SignedCheckpoint, other: SignedCheckpoint, tiles_of: Callable[[Checkpoint], AuthenticTiles]
) -> Fork | None:
    """Return the evidence that both cannot hold, or `None` if the smaller one begins the larger one.

    ``tiles_of`` is asked for the tiles of the larger one, and raises what `AuthenticTiles` does; for
    equal sizes it is not asked.
    """
    smaller, larger = in_order(one, other)
    size, root = smaller.checkpoint.size, smaller.checkpoint.root
    if size == larger.checkpoint.size:
        return None if root == larger.checkpoint.root else Fork(smaller.note, larger.note)
    tiles = tiles_of(larger.checkpoint)
    beginning = root_from_edge(tiles.prefix_edge(size))
    if beginning == root:
        return None
    return Fork(smaller.note, larger.note, (beginning, *tiles.consistency_path(size)))
