"""Proofs about a Merkle tree to somebody who has only its root (RFC 6962, sections 2.1.1 and 2.1.2).

An inclusion proof (an audit path) shows that a leaf stands at a place; a consistency proof shows that
a smaller tree is the beginning of a larger one. Both are lists of hashes, each the root over a range
of leaves. Sizes alone decide which ranges, so a program that has the tree looks those roots up.
"""

from __future__ import annotations

from collections.abc import Iterator

from fairness.errors import Malformed
from fairness.hashing import node_hash
from fairness.log.merkle import root_of_hashes

Range = tuple[int, int]
"""Leaves from the first number on, up to and without the second."""


def inclusion_ranges(index: int, size: int) -> list[Range]:
    """Return the ranges whose roots prove leaf ``index`` in a tree of ``size``, the leaf's sibling first."""
    if not 0 <= index < size:
        raise ValueError(f"no leaf {index} in a tree of {size}")
    ranges, start, end = list[Range](), 0, size
    while end - start > 1:
        middle = start + _split(end - start)
        if index < middle:
            ranges.append((middle, end))
            end = middle
        else:
            ranges.append((start, middle))
            start = middle
    return ranges[::-1]


def consistency_ranges(old: int, size: int) -> list[Range]:
    """Return the ranges whose roots prove that a tree of ``old`` leaves begins one of ``size``, in RFC 6962's
    order.
    """
    if not 0 <= old <= size:
        raise ValueError(f"a tree of {old} leaves cannot begin one of {size}")
    if old == 0:
        return []
    ranges, start, end = list[Range](), 0, size
    while old < end:
        middle = start + _split(end - start)
        if old <= middle:
            ranges.append((middle, end))
            end = middle
        else:
            ranges.append((start, middle))
            start = middle
    # A smaller tree that is one whole subtree from the first leaf on is known by its own root.
    if start > 0:
        ranges.append((start, end))
    return ranges[::-1]


def _split(size: int) -> int:
    """Return the largest power of two below ``size``."""
    return 1 << (size - 1).bit_length() - 1


def perfect_ranges(start: int, end: int) -> Iterator[Range]:
    """Yield the perfect subtrees that make up a range whose start is a multiple of its largest one."""
    while start < end:
        width = 1 << (end - start).bit_length() - 1
        yield start, start + width
        start += width


def inclusion_path(leaves: list[bytes], index: int) -> list[bytes]:
    """Return the audit path of one of these leaf hashes."""
    return [root_of_hashes(leaves[start:end]) for start, end in inclusion_ranges(index, len(leaves))]


def inclusion_paths(leaves: list[bytes]) -> list[list[bytes]]:
    """Return the audit path of each of these leaf hashes, for about two hashes a leaf instead of all of them."""
    paths = [list[bytes]() for _ in leaves]
    level, width = leaves, 1
    while len(level) > 1:
        for index, path in enumerate(paths):
            # An odd last hash has no sibling on its level, and passes up.
            if (sibling := index // width ^ 1) < len(level):
                path.append(level[sibling])
        level, width = [root_of_hashes(level[at : at + 2]) for at in range(0, len(level), 2)], 2 * width
    return paths


def root_of_inclusion(leaf: bytes, index: int, size: int, path: list[bytes]) -> bytes:
    """Return the root of the tree of ``size`` in which ``path`` leads up from the leaf hash at ``index``.

    Raises `Malformed` unless the path has exactly the length that index and size demand.
    """
    ranges = inclusion_ranges(index, size)
    _check_length(path, len(ranges))
    root = leaf
    for (start, _), sibling in zip(ranges, path, strict=True):
        root = node_hash(sibling, root) if start <= index else node_hash(root, sibling)
    return root


def roots_of_consistency(old: int, old_root: bytes, size: int, path: list[bytes]) -> tuple[bytes, bytes]:
    """Return the roots of the trees of ``old`` and of ``size`` leaves that ``path`` leads to from the first's.

    They are those two trees' roots exactly if the first begins the second. Raises `Malformed` unless
    the path has exactly the length that both sizes demand; `ValueError` for an ``old`` of no leaves,
    which begins every tree.
    """
    if old < 1:
        raise ValueError("a tree of no leaves begins every tree, and has no proof")
    ranges = consistency_ranges(old, size)
    _check_length(path, len(ranges))
    hashes = dict(zip(ranges, path, strict=True))
    if not any(end <= old for _, end in ranges):
        # The smaller tree is one subtree of the larger one, whose root the reader has already.
        hashes[0, old] = old_root
    return _root(hashes, 0, old), _root(hashes, 0, size)


def _root(hashes: dict[Range, bytes], start: int, end: int) -> bytes:
    if (start, end) in hashes:
        return hashes[start, end]
    middle = start + _split(end - start)
    return node_hash(_root(hashes, start, middle), _root(hashes, middle, end))


def _check_length(path: list[bytes], length: int) -> None:
    if len(path) != length:
        raise Malformed("proof", expected=f"{length} hashes", found=len(path))
