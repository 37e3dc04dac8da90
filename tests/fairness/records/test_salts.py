"""Salts in replay: the log of another implementation, the edges of each rule, and beacons that are not known (SPEC
4.8).
"""

from __future__ import annotations

import random
from datetime import UTC, datetime

import msgspec
import pytest

from fairness.beacon.chain import ONLY_QUICKNET, QUICKNET
from fairness.checks import Check
from fairness.errors import CheckFailed
from fairness.limits import LONGEST_WAIT
from fairness.records.record import LockRecord, SaltRecord, encode_record, parse_record, table_and_type
from fairness.records.replay import Replay
from fairness.records.runs import advance_run
from fairness.times import format_time, milliseconds
from games import GAMES
from tests.house import HOUSE
from tests.lies import BEFORE_PULSES, started_salted
from tests.lies.salts import LIES
from tests.support.beacons import KNOWN, OURS, TRUST
from tests.support.dishonest_operator import Operator

LOG = (HOUSE / "tests" / "vectors" / "log-salted.jsonl").read_bytes().removesuffix(b"\n").split(b"\n")
ORIGIN = "salted.example/log"
SUMMARY = TRUST["log"]


def replayed(records: list[bytes], origin: str = ORIGIN, *, known: bool = True) -> Replay:
    """The state after these records."""
    replay = Replay(origin, GAMES, None, KNOWN if known else ONLY_QUICKNET)
    for data in records:
        replay.advance(data)
    return replay


def stored(replay: Replay) -> bytes:
    """Its tables, as they are stored."""
    return msgspec.json.encode(replay.tables, order="sorted")


def test_the_log_of_another_implementation_is_replayed() -> None:
    """Every count is the one that the other implementation has."""
    replay = replayed(LOG)
    assert len(LOG) == SUMMARY["records"]
    assert {
        name: {
            "played": table.counts.played,
            "void": table.counts.void,
            "unused": table.counts.unused,
            "committed": table.committed_through,
            "least": table.smallest_distance,
            "closed": table.closed,
        }
        for name, table in replay.tables.items()
    } == SUMMARY["tables"]
    assert not any(table.unverified for table in replay.tables.values())


def test_whoever_does_not_know_the_beacon_checks_everything_else() -> None:
    """The same outcomes and counts; the tables with this beacon are marked, and no other."""
    known, unknown = replayed(LOG), replayed(LOG, known=False)
    assert {name for name, table in unknown.tables.items() if table.unverified} == {"crash-s", "two-s"}
    for table in unknown.tables.values():
        table.unverified = False
    assert stored(unknown) == stored(known)


def test_a_false_signature_of_an_unknown_beacon_shows_by_the_outcomes() -> None:
    """The salt is its hash, whoever made it; so with another, the next outcome is wrong."""
    at = next(at for at, data in enumerate(LOG) if isinstance(parse_record(data), SaltRecord))
    salt = parse_record(LOG[at])
    assert isinstance(salt, SaltRecord)
    other = encode_record(msgspec.structs.replace(salt, signature="5a" * 48))
    changed = [*LOG[:at], other, *LOG[at + 1 :]]
    with pytest.raises(CheckFailed) as refused:
        replayed(changed, known=False)
    assert refused.value.check is Check.OUTCOME
    with pytest.raises(CheckFailed) as refused:
        replayed(changed)
    assert refused.value.check is Check.SALT_SIGNATURE


@pytest.mark.parametrize("seed", range(4))
def test_runs_give_the_same_states(seed: int) -> None:
    """An audit's way of replay, wherever its runs are cut."""
    cuts, in_runs, at = random.Random(seed), Replay(ORIGIN, GAMES, None, KNOWN), 0
    while at < len(LOG):
        part = list(enumerate(LOG))[at : at + cuts.choice([1, 7, 50, 400])]
        at += len(part)
        names = {claimed[0] for _, data in part if (claimed := table_and_type(data))}
        for name in names:
            advance_run(in_runs, name, [entry for entry in part if (table_and_type(entry[1]) or ("",))[0] == name])
    assert stored(in_runs) == stored(replayed(LOG))


def test_salts_come_in_any_order_and_after_the_end() -> None:
    """What fixed the rounds of a lead may be an earlier batch's salt; a batch that has none closes like any other."""
    operator = started_salted()
    operator.batch("salty-1", 4)
    operator.end("salty-1")
    operator.salt("salty-1", 4)
    awaiting = replayed(operator.records, operator.origin).tables["salty-1"]
    assert [(batch.number, batch.awaits is None) for batch in awaiting.batches] == [
        (1, True),
        (2, True),
        (3, False),
        (4, True),
    ]
    operator.close("salty-1")
    closed = replayed(operator.records, operator.origin).tables["salty-1"]
    assert (closed.counts.played, closed.counts.unused, closed.closed) == (3, 13, True)


def test_the_unused_outcomes_end_at_a_batch_without_a_salt() -> None:
    """Nobody knows how the table would have gone on from there."""
    operator = started_salted()
    operator.batch("salty-1", 4)
    operator.salt("salty-1", 4)
    operator.end("salty-1")
    operator.close("salty-1")
    entries = [
        (at, data) for at, data in enumerate(operator.records) if (table_and_type(data) or ("",))[0] == "salty-1"
    ]
    notes = advance_run(Replay(operator.origin, GAMES), "salty-1", entries)
    table = operator.tables["salty-1"]
    assert notes.unused == [table.outcome_of(number) for number in range(4, 9)]


def committed_before(pulse_after: int) -> Operator:
    """A table whose first batch is committed so many milliseconds before a pulse of the other chain."""
    begin = datetime.fromtimestamp(OURS.time_of(1000) - 2, UTC)
    operator = Operator(start=begin)
    operator.table("x", "sic-bo", salted_by=OURS.chain_hash.hex())
    moment = 1000 * OURS.time_of(1000) - pulse_after
    time = format_time(datetime.fromtimestamp(moment / 1000, UTC).replace(microsecond=moment % 1000 * 1000))
    assert milliseconds(time) == moment
    operator.tables["x"].latest = time
    operator.batch("x", 6, committed=time, beacon=1000)
    return operator


@pytest.mark.parametrize("wait", [1, 999])
def test_a_pulse_may_be_a_millisecond_after_its_batch(wait: int) -> None:
    """Not at the same moment, nor before."""
    replayed(committed_before(wait).records, "fore.example/log")
    with pytest.raises(CheckFailed) as refused:
        replayed(committed_before(0).records, "fore.example/log")
    assert refused.value.check is Check.BATCH_BEACON


@pytest.mark.parametrize(("seconds", "allowed"), [(LONGEST_WAIT, True), (LONGEST_WAIT + 3, False)])
def test_a_pulse_is_an_hour_after_its_batch_at_most(seconds: int, allowed: bool) -> None:
    """To the second; the limit itself is allowed."""
    operator = Operator(start=datetime.fromtimestamp(OURS.time_of(5000) - seconds - 2, UTC))
    operator.table("x", "sic-bo", salted_by=OURS.chain_hash.hex())
    operator.batch("x", 6, beacon=5000)
    if allowed:
        replayed(operator.records, "fore.example/log")
    else:
        with pytest.raises(CheckFailed) as refused:
            replayed(operator.records, "fore.example/log")
        assert refused.value.check is Check.BATCH_BEACON


def test_a_salt_may_have_the_very_time_of_its_pulse() -> None:
    """A writer takes the later of its clock and that time."""
    operator = Operator(start=BEFORE_PULSES)
    operator.table("x", "sic-bo", salted_by="quicknet")
    operator.batch("x", 6)
    batch = operator.tables["x"].batches[0]
    time = format_time(datetime.fromtimestamp(QUICKNET.time_of(batch.beacon or 0), UTC))
    operator.salt("x", salted=time)
    table = replayed(operator.records, "fore.example/log").tables["x"]
    assert (table.batches[0].fixed, table.latest) == (time, time)


def test_quicknet_may_be_named_by_its_hash() -> None:
    """Its chain hash names it, too."""
    operator = Operator(start=BEFORE_PULSES)
    operator.table("x", "sic-bo", salted_by=QUICKNET.chain_hash.hex())
    operator.batch("x", 6)
    operator.salt("x", signature=lambda honest: honest)
    assert not replayed(operator.records, "fore.example/log").tables["x"].unverified


def test_the_distance_counts_from_the_salt() -> None:
    """Rounds that were locked between a batch and its salt did not wait for anything that was fixed."""
    operator = Operator(start=BEFORE_PULSES)
    operator.table("x", "keno-express", salted_by="quicknet")
    operator.batch("x", 6)
    operator.salt("x")
    operator.batch("x", 4)
    operator.play("x", 3)
    operator.salt("x")
    operator.play("x", 5)
    table = replayed(operator.records, "fore.example/log").tables["x"]
    assert [batch.locks_before for batch in table.batches] == [3]


def test_a_refused_salt_leaves_no_trace() -> None:
    """Each lie about a salt: the state is what it was."""
    for lie in LIES:
        operator = lie.begin()
        lie.tell(operator)
        replay = replayed(operator.records[:-1], operator.origin)
        before = stored(replay)
        with pytest.raises(CheckFailed) as refused:
            replay.advance(operator.records[-1])
        assert refused.value.check is lie.check
        assert stored(replay) == before


def test_a_locked_round_and_an_end_keep_their_time() -> None:
    """Whatever salts and batches follow them."""
    operator = started_salted()
    operator.lock("salty-1")
    locked = operator.tables["salty-1"].latest
    operator.salt("salty-1")
    table = replayed(operator.records, operator.origin).tables["salty-1"]
    assert table.locked is not None
    assert table.locked.since == locked < table.latest
    assert isinstance(parse_record(operator.records[operator.tables["salty-1"].locks[4]]), LockRecord)
