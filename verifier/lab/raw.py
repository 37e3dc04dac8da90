"""Bytes of streams before a game scales them, computed by the kernel on all cores or by the stream of
``fairness``.
"""

from __future__ import annotations

import itertools
import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor

from fairness.hashing import HASH_SIZE
from verifier.lab.rounds import Round

LARGEST_SHARE = HASH_SIZE << 32
"""The length of one round's stream in bytes: its blocks are numbered in four bytes."""

Blocks = Callable[[bytes, bytes, int, int, int], memoryview]
"""``blocks(seed, context, round, first, size)``: that many bytes of a round's stream from block ``first`` on."""

_PIECE = 1 << 18
"""Bytes that one core makes at once, so that they stay in its cache until they are written."""
_READ_AT_ONCE = 1 << 12

Piece = tuple[Round, int, int]
"""A part of one round's stream: its first block, its size in bytes."""


def reference(rounds: Iterable[Round], size: int, share: int) -> Iterator[bytes]:
    """Yield ``size`` bytes in total: the first ``share`` bytes of each round's stream, round by round."""
    for each, wanted in _shares(rounds, size, share):
        stream = each.stream()
        for at in range(0, wanted, _READ_AT_ONCE):
            yield stream.take(min(_READ_AT_ONCE, wanted - at))


def fast(blocks: Blocks, rounds: Iterable[Round], size: int, share: int) -> Iterator[bytes | memoryview]:
    """Yield the bytes of `reference`, made by one thread per core: ``blocks`` must release Python's lock."""
    cores = len(os.sched_getaffinity(0))
    with ThreadPoolExecutor(cores) as pool:
        coming: deque[Future[bytes | memoryview]] = deque()
        for pieces in _batched(_pieces(rounds, size, share)):
            coming.append(pool.submit(_make, blocks, pieces))
            if len(coming) > 2 * cores:
                yield coming.popleft().result()
        while coming:
            yield coming.popleft().result()


def _shares(rounds: Iterable[Round], size: int, share: int) -> Iterator[tuple[Round, int]]:
    """Return each round, with the number of bytes wanted of its stream."""
    whole, rest = divmod(size, share)
    return zip(rounds, itertools.chain(itertools.repeat(share, whole), [rest] if rest else []), strict=False)


def _pieces(rounds: Iterable[Round], size: int, share: int) -> Iterator[Piece]:
    for each, wanted in _shares(rounds, size, share):
        for at in range(0, wanted, _PIECE):
            yield each, at // HASH_SIZE, min(_PIECE, wanted - at)


def _batched(pieces: Iterable[Piece]) -> Iterator[list[Piece]]:
    """Group small pieces until they are large enough to be worth a thread's time."""
    batch, size = [], 0
    for piece in pieces:
        batch.append(piece)
        size += piece[2]
        if size >= _PIECE:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


def _make(blocks: Blocks, pieces: list[Piece]) -> bytes | memoryview:
    made = [blocks(each.seed, each.batch_context, each.number, first, size) for each, first, size in pieces]
    return made[0] if len(made) == 1 else b"".join(made)
