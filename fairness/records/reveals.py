"""Seeds that have become public: linked to what was published before, drawn from, remembered (SPEC 4.5).

A reveal publishes the seeds of one round, a close those of all rounds that a table will never play. The functions
take any number of consecutive rounds of one batch at once, because an audit checks long runs of them in a fraction of
the time that it would need one by one. Every rule is checked before anything is changed.
"""

from __future__ import annotations

from collections.abc import Sequence

from fairness.checks import Check
from fairness.draws.commitments import commitment_at
from fairness.draws.game import Game, Outcome, is_known
from fairness.draws.seed_chain import place_of, previous_seed_at, seeds_and_anchor
from fairness.draws.stream import Stream
from fairness.errors import CheckFailed
from fairness.hashing import leaf_hash
from fairness.log.merkle import append_hashes, root_of_peaks
from fairness.records.record import BatchSeeds, RevealRecord
from fairness.records.rules import check_outcome, check_seed_count
from fairness.records.table_state import PendingBatch, TableState


def check_reveals(table: TableState, reveals: Sequence[RevealRecord], game: Game) -> None:
    """End the next rounds of a table's first pending batch: check their seeds and their outcomes."""
    batch, first, last = table.batches[0], reveals[0].round, reveals[-1].round
    places = [place_of(table.table_id, number) for number in range(first, last + 1)]
    seeds = [
        _linked([record.seeds[custodian] for record in reveals], places, known)
        for custodian, known in enumerate(table.previous_seeds or batch.anchors)
    ]
    for record, of_round in zip(reveals, zip(*seeds, strict=True), strict=True):
        check_outcome(record, of_round, batch.context, batch.rules, game)
    peaks = _grown(table.peaks, first - batch.first, places, seeds)
    if last == batch.last:
        _check_roots(batch, peaks)
        table.batches.pop(0)
        table.previous_seeds, table.peaks = [], []
    else:
        table.previous_seeds, table.peaks = [own[-1] for own in seeds], peaks


def _linked(texts: list[str], places: list[bytes], known: bytes) -> list[bytes]:
    """Return one custodian's seeds, each of which hashes to the one before; the first to ``known``."""
    seeds = list(map(bytes.fromhex, texts))
    expected = [known, *seeds[:-1]]
    links = [previous_seed_at(place, seed) for place, seed in zip(places, seeds, strict=True)]
    if links != expected:
        wanted, found = next(pair for pair in zip(expected, links, strict=True) if pair[0] != pair[1])
        raise CheckFailed(Check.SEED_LINK, expected=f"a seed that hashes to {wanted.hex()}", found=found.hex())
    return seeds


def check_unused(table: TableState, batch: PendingBatch, last_seeds: list[bytes]) -> int:
    """Check the last seeds of a batch that is not played to its end; return how many rounds are left over."""
    check_seed_count(last_seeds, len(table.custodians))
    # In the batch that play stopped in, the chain meets the seed that was revealed last.
    begun = bool(table.previous_seeds) and batch is table.batches[0]
    first, known = (table.next_round, table.previous_seeds) if begun else (batch.first, batch.anchors)
    count = batch.last - first + 1
    unused = []
    for last_seed, end in zip(last_seeds, known, strict=True):
        seeds, anchor = seeds_and_anchor(last_seed, table_id=table.table_id, first=first, count=count)
        if anchor != end:
            raise CheckFailed(
                Check.CLOSE_SEEDS,
                expected=f"a seed that unrolls to {end.hex()}",
                found=anchor.hex(),
                where=f"batch {batch.number}",
            )
        unused.append(seeds)
    places = [place_of(table.table_id, number) for number in range(first, batch.last + 1)]
    _check_roots(batch, _grown(table.peaks if begun else [], first - batch.first, places, unused))
    return count


def unused_outcomes(
    table: TableState, closed: Sequence[tuple[PendingBatch, BatchSeeds]], game: Game, wanted: int
) -> list[Outcome]:
    """Return what the first ``wanted`` unused rounds of a closed table would have been, as far as their batches were
    salted.

    ``closed`` are the batches that its close accounts for, each with its last seeds, which `check_unused` accepted.
    """
    outcomes: list[Outcome] = []
    for batch, entry in closed:
        first = max(batch.first, table.next_round)
        # Without its salt a batch has no outcomes, so nobody knows how the table would have gone on from there; with
        # what is newer than this program, this program does not.
        if len(outcomes) >= wanted or batch.awaits is not None or not is_known(game, batch.rules):
            break
        chains = [
            seeds_and_anchor(bytes.fromhex(seed), table_id=table.table_id, first=first, count=batch.last - first + 1)[
                0
            ]
            for seed in entry.seeds
        ]
        of_rounds = zip(*(chain[: wanted - len(outcomes)] for chain in chains), strict=True)
        outcomes += [
            game.outcome(Stream(seeds, batch.context, number), batch.rules)
            for number, seeds in enumerate(of_rounds, first)
        ]
    return outcomes


def _grown(
    trees: list[list[bytes]], size: int, places: list[bytes], seeds: Sequence[list[bytes]]
) -> list[list[bytes]]:
    """Return per custodian the tree over a batch's revealed seeds' commitments, none yet or ``size``, and those of
    more seeds.
    """
    return [
        append_hashes(
            peaks, size, [leaf_hash(commitment_at(place, seed)) for place, seed in zip(places, own, strict=True)]
        )
        for peaks, own in zip(trees or [[] for _ in seeds], seeds, strict=True)
    ]


def _check_roots(batch: PendingBatch, trees: list[list[bytes]]) -> None:
    """Check the commitments root, once all seeds of a batch are public."""
    for root, peaks in zip(batch.roots, trees, strict=True):
        if (found := root_of_peaks(peaks)) != root:
            raise CheckFailed(
                Check.COMMITMENTS_ROOT, expected=root.hex(), found=found.hex(), where=f"batch {batch.number}"
            )
