"""A seed chain in memory has every seed and takes little memory."""

from __future__ import annotations

import tracemalloc
from contextlib import closing
from hashlib import sha256
from pathlib import Path

import pytest

from api.custody.chain import ChainId
from api.custody.custodian import _CACHED_CHAINS, Custodian
from api.custody.kept_chain import STEP, KeptChain
from fairness.draws.seed_chain import seeds_and_anchor
from fairness.limits import LARGEST_BATCH
from tests.support.dishonest_operator import KEY

TABLE_ID = sha256(b"a table").digest()
LAST_SEED = sha256(b"a last seed").digest()
MOST_MEMORY = 24 << 20
"""The memory for all chains of one process, in bytes."""


@pytest.mark.parametrize("first", [1, 1001])
@pytest.mark.parametrize("count", [1, 2, STEP - 1, STEP, STEP + 1, 3 * STEP, 1000])
def test_every_seed_of_a_batch_is_there(first: int, count: int) -> None:
    """Both stored and computed ones, whether or not the last run is complete."""
    seeds, _ = seeds_and_anchor(LAST_SEED, table_id=TABLE_ID, first=first, count=count)
    chain = KeptChain.of(seeds, table_id=TABLE_ID, first=first)
    assert [chain.seed(number) for number in range(first, first + count)] == seeds


@pytest.mark.parametrize("round_number", [10, 20])
def test_a_round_of_another_batch_has_no_seed_here(round_number: int) -> None:
    """Neither the round before the first one, whose seed would be the anchor, nor the one after the last."""
    seeds, _ = seeds_and_anchor(LAST_SEED, table_id=TABLE_ID, first=11, count=9)
    with pytest.raises(ValueError, match=f"round {round_number} is not one of the 9 from 11"):
        KeptChain.of(seeds, table_id=TABLE_ID, first=11).seed(round_number)


def test_the_chains_of_a_process_take_little_memory(tmp_path: Path) -> None:
    """Even if all chains that a custodian keeps had the largest size, they would take less than 24 MiB."""
    store = tmp_path / "custodian" / "seeds.db"
    with closing(Custodian(store, lambda: bytes(32), KEY.verifier_key)) as custodian:
        chains = []
        for first in (1, 1 + LARGEST_BATCH):
            made = custodian.commit("crash-1", TABLE_ID, first=first, count=LARGEST_BATCH)
            chains.append(ChainId("crash-1", TABLE_ID, first, LARGEST_BATCH, made.anchor))
        tracemalloc.start()
        try:
            for chain in chains:
                custodian.check_holds(chain)
            taken, _ = tracemalloc.get_traced_memory()
        finally:
            tracemalloc.stop()
    assert 0 < taken / len(chains) * _CACHED_CHAINS < MOST_MEMORY
