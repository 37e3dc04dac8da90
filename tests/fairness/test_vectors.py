"""The values of an implementation that shares no code with this one (``tests/vectors``)."""

from __future__ import annotations

import json
from typing import Any

import pytest

from fairness.draws.commitments import commitments, commitments_root
from fairness.draws.seed_chain import seeds_and_anchor
from fairness.draws.stream import Stream, context
from fairness.errors import CheckFailed, Malformed
from fairness.hashing import leaf_hash, parse_hex, sha256
from fairness.log.edge import LogEdge
from fairness.log.merkle import root_of_hashes
from fairness.player.round_code import NewerCode, RoundCode
from fairness.records.record import BatchRecord, encode_record, parse_record
from fairness.records.replay import Replay
from games import GAMES
from tests.house import HOUSE
from tests.oracles.given_stream import GivenStream

FOLDER = HOUSE / "tests" / "vectors"
VECTORS: dict[str, Any] = json.loads((FOLDER / "protocol.json").read_text())
LOG = [line for line in (FOLDER / "log.jsonl").read_bytes().split(b"\n") if line]

TABLES = [pytest.param(table, id=json.loads(table["table_record"])["game"]) for table in VECTORS["tables"]]


@pytest.mark.parametrize("table", TABLES)
def test_seed_chains_commitments_and_batches(table: dict[str, Any]) -> None:
    """From a batch's last seeds follow its seeds, anchors, commitments, roots, id and context."""
    table_id = leaf_hash(table["table_record"].encode())
    assert table_id.hex() == table["table_id"]
    rounds = {entry["round"]: entry for entry in table["rounds"]}
    for batch in table["batches"]:
        data = batch["record"].encode()
        record = parse_record(data)
        assert isinstance(record, BatchRecord)
        assert encode_record(record) == data
        assert leaf_hash(data).hex() == batch["batch_id"]
        assert context(leaf_hash(data)).hex() == batch["context"]
        for custodian, last_seed in enumerate(batch["last_seeds"]):
            seeds, anchor = seeds_and_anchor(
                parse_hex(last_seed), table_id=table_id, first=record.first, count=record.count
            )
            digests = commitments(seeds, table_id=table_id, first=record.first)
            assert anchor.hex() == record.anchors[custodian]
            assert commitments_root(digests).hex() == record.commitments[custodian]
            for number, (seed, digest) in enumerate(zip(seeds, digests, strict=True), record.first):
                assert seed.hex() == rounds[number]["seeds"][custodian]
                assert digest.hex() == rounds[number]["commitments"][custodian]


@pytest.mark.parametrize("table", TABLES)
def test_streams_outcomes_and_codes(table: dict[str, Any]) -> None:
    """From a round's seeds follow its stream, its outcome and its code."""
    record = json.loads(table["table_record"])
    table_id, game = bytes.fromhex(table["table_id"]), GAMES[record["game"]]
    assert record["lead"] >= game.lead
    for batch in table["batches"]:
        rules = json.loads(batch["record"])["rules"]
        first, count = (json.loads(batch["record"])[key] for key in ("first", "count"))
        for entry in table["rounds"][first - 1 : first - 1 + count]:
            seeds = [bytes.fromhex(seed) for seed in entry["seeds"]]
            batch_context = bytes.fromhex(batch["context"])
            expected = bytes.fromhex(entry["stream"])
            assert Stream(seeds, batch_context, entry["round"]).take(len(expected)) == expected
            assert game.outcome(Stream(seeds, batch_context, entry["round"]), rules) == entry["outcome"]
            code = RoundCode.of(game.name, table_id, entry["round"], seeds)
            assert str(code) == entry["code"]
            assert RoundCode.parse(entry["code"]) == code


def test_a_context_with_salt() -> None:
    """The salt is the hash of the beacon's signature."""
    vector = VECTORS["context_with_salt"]
    salt = sha256(bytes.fromhex(vector["signature"]))
    assert salt.hex() == vector["salt"]
    assert context(bytes.fromhex(vector["batch_id"]), salt).hex() == vector["context"]


@pytest.mark.parametrize("vector", VECTORS["draws"])
def test_draws_from_a_seed(vector: dict[str, Any]) -> None:
    """Every draw, alone and mixed, across block ends and with several custodians."""
    seeds = [bytes.fromhex(seed) for seed in vector["seeds"]]
    stream = Stream(seeds, bytes.fromhex(vector["context"]), vector["round"])
    if "below" in vector:
        assert [stream.below(vector["below"]) for _ in vector["results"]] == vector["results"]
    elif "sample" in vector:
        assert stream.sample(*vector["sample"]) == vector["results"]
    else:
        for draw, argument, result in vector["mixed"]:
            if draw == "below":
                assert stream.below(argument) == result
            else:
                assert stream.multiplier(rtp=argument[0], cap=argument[1]) == result


@pytest.mark.parametrize("vector", VECTORS["from_given_bytes"])
def test_draws_from_given_bytes(vector: dict[str, Any]) -> None:
    """Edge cases: rejected words, the largest and the smallest multiplier, and the bytes left unread."""
    stream = GivenStream(bytes.fromhex(vector["bytes"]), bytes(64))
    if "below" in vector:
        assert stream.below(vector["below"]) == vector["result"]
    else:
        rtp, cap = vector["multiplier"]
        assert stream.multiplier(rtp=rtp, cap=cap) == vector["result"]
    left = vector.get("bytes_left", 0)
    assert stream.take(left) == bytes.fromhex(vector["bytes"])[len(vector["bytes"]) // 2 - left :]
    assert stream.take(64) == bytes(64)


_REFUSED = [vector for vector in VECTORS["codes_to_refuse"] if vector["bug"] != "unknown game"]
"""Since games are declared, every name is that of a game."""


@pytest.mark.parametrize("vector", _REFUSED, ids=lambda vector: vector["bug"])
def test_codes_to_refuse(vector: dict[str, str]) -> None:
    """Each has one fault; a later version is none, but no code of this one either."""
    with pytest.raises(NewerCode if vector["bug"] == "unknown version" else (Malformed, CheckFailed)):
        RoundCode.parse(vector["code"])


@pytest.mark.parametrize("code", VECTORS["codes_to_accept"])
def test_codes_to_accept(code: str) -> None:
    """Upper and lower case are the same code."""
    assert str(RoundCode.parse(code)) == code.lower()


def test_replay_accepts_the_log_with_its_summary() -> None:
    """Seven tables with every kind of end; all figures agree."""
    expected = VECTORS["log"]
    replay, edge = Replay(expected["origin"], GAMES), LogEdge()
    for data in LOG:
        assert encode_record(replay.advance(data)) == data
        edge.append(data)
    assert len(LOG) == expected["records"]
    assert root_of_hashes([leaf_hash(data) for data in LOG]).hex() == edge.root.hex() == expected["root"]
    assert replay.tables.keys() == expected["tables"].keys()
    for name, summary in expected["tables"].items():
        table = replay.tables[name]
        assert {
            "played": table.counts.played,
            "void": table.counts.void,
            "unused": table.counts.unused,
            "committed": table.committed_through,
            "closed": table.closed,
            "smallest_distance": table.smallest_distance,
        } == {"smallest_distance": None, **summary}
    hanging = replay.tables["two-a"].locked
    assert hanging is not None
    assert hanging.number == 24
    assert replay.tables["three-a"].ended
    assert not replay.tables["three-a"].closed
