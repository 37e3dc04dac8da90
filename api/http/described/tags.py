"""The groups of calls, by which generators of clients and pages of documentation sort them."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import NamedTuple


class Tag(NamedTuple):
    """A group of calls: what it is for, and the calls by their names."""

    description: str
    calls: tuple[str, ...]


TAGS: Mapping[str, Tag] = {
    "tables": Tag("tables and their rounds", ("listTables", "getTable", "listRounds", "getRound", "getLive", "getTableLive")),
    "engine": Tag(
        "the calls of an engine, which plays rounds",
        ("openRound", "lockRound", "nextThings", "revealRound", "voidRound"),
    ),
    "bets": Tag("what can be bet, what it is worth, and what becomes of it", ("listGames", "getGame", "getBets", "settleBets")),
    "proofs": Tag(
        "what a round is checked with, without this service",
        ("getProof", "getProofByCode", "getLogKey"),
    ),
    "log": Tag(
        "the files of the public log (SPEC 5)",
        (
            *("getCheckpoint", "getTile", "getBundle", "getCommitments", "getWitnessed", "getCustodyNote"),
            *("getCustodyPolicy", "getPaytable", "findTables", "findRounds"),
        ),
    ),
    "description": Tag("which service this is, and what calls take and answer", ("getService", "getDescription", "getOutcomeSchema")),
    "operation": Tag("whether the service works, and figures of it", ("getMetrics", "isLive", "isReady")),
}  # fmt: skip

OF_CALL = {call: name for name, tag in TAGS.items() for call in tag.calls}
"""The group of each call."""


def described(calls: Collection[str]) -> list[dict[str, str]]:
    """Return the groups of these calls, as OpenAPI has them."""
    return [
        {"name": name, "description": tag.description}
        for name, tag in TAGS.items()
        if not set(calls).isdisjoint(tag.calls)
    ]
