"""Sealing every seed again, under another key: what ``foredraw key rotate`` does to the store."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from api.custody.chain import ChainId
from api.custody.seed_store import SeedStore, SeedsUnavailableError
from api.custody.source import Source

NONCE_SIZE = 12


class Resealed(NamedTuple):
    """What a rotation found in the store."""

    seeds: int
    """Sealed under the new key now."""
    unknown: int
    """Seeds that no batch points at: a crash left them, and nobody can open them."""


def reseal(store: SeedStore, old: bytes, new: bytes, chains: Iterable[ChainId], source: Source) -> Resealed:
    """Seal the last seed of each of these chains under ``new``, in one transaction, and open all of them again.

    A seed that is sealed under ``new`` already stays, so this may be repeated after a crash. Raises
    `SeedsUnavailableError`, and changes nothing, if neither key opens one, or if the ``source`` of nonces fails a
    health test: two seeds with one nonce under one key would be two that nothing hides any more.
    """
    known = {chain.anchor: chain for chain in chains}
    ciphers = AESGCM(new), AESGCM(old)

    def again(anchor: bytes, nonce: bytes, sealed: bytes) -> tuple[bytes, bytes] | None:
        chain = known.get(anchor)
        if chain is None or _opened(ciphers[0], chain, nonce, sealed) is not None:
            return None
        seed = _opened(ciphers[1], chain, nonce, sealed)
        if seed is None:
            raise SeedsUnavailableError(
                f"the seeds of the batch with anchor {anchor.hex()} open with neither key, so no seed was changed: put"
                " the newest copies of the key and of the custodian's folder back"
            )
        fresh = source.take(NONCE_SIZE)
        return fresh, ciphers[0].encrypt(fresh, seed, bytes(chain))

    store.reseal(again)
    # What is read back now is what the old key must not be needed for.
    rows = store.chains()
    for row in rows:
        chain = known.get(row.anchor)
        if chain is not None and _opened(ciphers[0], chain, row.nonce, row.sealed) is None:
            raise SeedsUnavailableError(f"the seeds of the batch with anchor {row.anchor.hex()} do not open again")
    seeds = sum(row.anchor in known for row in rows)
    return Resealed(seeds, len(rows) - seeds)


def _opened(cipher: AESGCM, chain: ChainId, nonce: bytes, sealed: bytes) -> bytes | None:
    try:
        return cipher.decrypt(nonce, sealed, bytes(chain))
    except InvalidTag:
        return None
