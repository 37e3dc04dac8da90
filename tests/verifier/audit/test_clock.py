"""How wrong the operator's clock was: compared with the definition, record by record (SPEC 8.1)."""

from __future__ import annotations

import json
from array import array
from pathlib import Path
from random import Random

import pytest

from fairness.policy.policy import Policy
from fairness.policy.witnessed import witnessed_path
from fairness.times import milliseconds
from tests.support.beacons import OURS
from tests.support.dishonest_operator import Operator
from tests.support.logs import write_files
from tests.support.ran import Ran
from tests.support.witnessed import (
    POLICY,
    SALTED_BY,
    TWO,
    pulse_time,
    salted_operator,
    witnessed_file,
    witnessed_files,
    witnessed_log,
)
from tests.support.witnesses import cosigned
from verifier.audit.audit import audit_log
from verifier.audit.bundle_times import TimesAround, own_time
from verifier.audit.clock import Clock, ClockError, NewRecords, Seen, clock_after
from verifier.sources.source import FolderSource

TRUST = Policy.parse(POLICY)
HOUR = 1 / 3600
SeenAt = dict[int, int]
"""By the size of a checkpoint in a witnessed file: the time of its quorum."""


def expected(records: list[bytes], seen: SeenAt) -> tuple[ClockError | None, ClockError | None]:
    """The definition, with a look at every bound for every record."""
    own = [milliseconds(own_time(data)) for data in records]
    pulses: dict[int, int] = {}
    named: dict[tuple[str, int], int] = {}
    for index, record in enumerate(map(json.loads, records)):
        if record["type"] == "batch" and "beacon" in record:
            named[record["table"], record["batch"]] = OURS.time_of(record["beacon"])
        elif record["type"] == "salt":
            pulses[index] = named[record["table"], record["batch"]]
    slow, fast = [], []
    for index, time in enumerate(own):
        slow += [(1000 * pulse - time, -index) for at, pulse in pulses.items() if at < index]
        fast += [(time - 1000 * (last + 1), -index) for size, last in seen.items() if index < size]
    worst = [max(errors, default=(0, 0)) for errors in (slow, fast)]
    found = [ClockError(error, -index) if error > 0 else None for error, index in worst]
    return found[0], found[1]


def mixed(seed: int) -> tuple[Operator, dict[str, bytes], SeenAt]:
    """Three tables, one of whose clocks lags behind, and witnesses who look at odd moments with odd clocks."""
    random, operator = Random(seed), Operator()
    names = ("one", "two", "three")
    for name in names:
        operator.table(name, "keno-express", salted_by=SALTED_BY if name != "three" else "none")
    for _ in range(6):
        operator.batch("three", 20)
        for name in ("one", "two"):
            operator.batch(name, 20)
            operator.salt(name)
            operator.play("one", random.randrange(4) if name == "two" else 0)
        lag = random.randrange(5, 28) * HOUR
        operator.rest(-lag)
        operator.play("three", 6)
        operator.rest(lag)
        for name, rounds in (("one", 13), ("two", 11)):
            operator.play(name, rounds)
    files, seen = witnessed_log(operator), SeenAt()
    for table in operator.tables.values():
        for batch in table.batches:
            if batch.beacon is not None:
                size = random.randrange(batch.index + 1, len(operator.records) + 1)
                time = pulse_time(operator, batch) - random.randrange(10, 60)
                files[witnessed_path(batch.batch_id)] = witnessed_file(operator.records, batch.index, time, size=size)
                seen[size] = min(time, seen.get(size, time))
    return operator, files, seen


@pytest.mark.parametrize("seed", range(8))
def test_an_audit_finds_what_the_definition_says(tmp_path: Path, seed: int) -> None:
    """In one process and in two, over several bundles."""
    operator, files, seen = mixed(seed)
    slow, fast = expected(operator.records, seen)
    assert (slow is None, fast is None, len(operator.records) > 256) == (False, False, True)
    source = FolderSource(write_files(tmp_path, files))
    for jobs in (1, 2):
        clock = audit_log(source, TRUST, jobs=jobs).clock
        assert clock is not None
        assert (clock.slow, clock.fast) == (slow, fast)


@pytest.mark.parametrize("seed", range(3))
def test_an_audit_that_continues_finds_the_same(tmp_path: Path, seed: int) -> None:
    """Whatever part was audited before: bounds of earlier records hold for later ones, and the other way round."""
    operator, files, _ = mixed(seed)
    source = FolderSource(write_files(tmp_path / "whole", files))
    whole = audit_log(source, TRUST)
    ends = [index for index, data in enumerate(operator.records) if b'"type":"reveal"' in data]
    for size in Random(seed).sample(ends, 3):
        part = Operator()
        part.records, part.tables = operator.records[: size + 1], operator.tables
        shown = part.files()
        inside = {path: data for path, data in files.items() if not path.startswith("witnessed/")}
        inside |= witnessed_files(operator)
        earlier = inside | shown | {"checkpoint": cosigned(shown["checkpoint"], *TWO)}
        before = audit_log(FolderSource(write_files(tmp_path / str(size), earlier)), TRUST)
        later = audit_log(source, TRUST, previous=before.state)
        assert later.seen_before == size + 1
        assert later.clock is not None
        assert whole.clock is not None
        # The earlier audit saw other files, of smaller checkpoints, for its batches.
        assert later.clock.slow == whole.clock.slow
        assert later.clock.latest == whole.clock.latest


@pytest.mark.parametrize("size", [511, 512])
def test_a_checkpoint_that_ends_with_a_bundle_shows_the_same(size: int) -> None:
    """The bundle after it has no record yet: what is known is that of the last one."""
    times = array("q", [0, 100_000, 0, 200_000, 255, 1, 200_000, 256, 9_000_000, 300]).tobytes()

    def moments_of(bundle: int) -> list[tuple[int, int]]:
        return [(9_000_000 if index == 300 else 200_000, index) for index in range(256 * bundle, 256 * bundle + 256)]

    new = NewRecords(TimesAround([times], 0, 512), (), [Seen(size, 1000)])
    assert clock_after(Clock(), new, moments_of).fast == ClockError(9_000_000 - 1_001_000, 300)


@pytest.mark.parametrize("key", ["created", "committed", "salted", "locked", "revealed", "ended", "closed"])
def test_places_of_an_outcome_are_no_times(tmp_path: Path, key: str) -> None:
    """Whatever they are called, and whatever is drawn there."""
    for drawn in ("left", "1999-01-01T00:00:00.000Z"):
        operator = salted_operator()
        operator.table("door-1", "door", declared={"draw": [[key, "one", [drawn]]]})
        operator.batch("door-1", 4)
        operator.play("door-1", 2)
        audited = audit_log(FolderSource(write_files(tmp_path / drawn, witnessed_log(operator))), TRUST)
        assert audited.clock is not None
        assert (audited.clock.slow, audited.clock.fast) == (None, None)
        assert audited.clock.latest == (milliseconds(json.loads(operator.records[-1])["revealed"]), 18)


@pytest.mark.parametrize(
    "newer", [b'{"table":"new-1","type":"pause","v":2}', b'{"ended":"1999","table":"new-1","type":"end","v":2}']
)
def test_newer_records_have_no_known_times(tmp_path: Path, newer: bytes) -> None:
    """Also where the records of a bundle are read again, because the clock was set back after a pulse."""
    operator = salted_operator()
    operator.append(newer)
    operator.rest(-20 * HOUR)
    operator.play("sic-bo-1")
    audited = audit_log(FolderSource(write_files(tmp_path, witnessed_log(operator))), TRUST)
    assert audited.clock is not None
    assert audited.clock.slow == ClockError(8000, operator.tables["sic-bo-1"].locks[1])


def test_a_clock_that_is_right_is_called_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """And one that is wrong, with the record that shows it."""
    operator = Operator()
    operator.table("one", "keno-express", salted_by=SALTED_BY)
    operator.batch("one", 4)
    operator.salt("one")
    operator.play("one", 2)
    batch = operator.tables["one"].batches[0]
    (tmp_path / "policy").write_bytes(POLICY)

    def told(late: int) -> str:
        time = milliseconds(own_time(operator.records[batch.index])) // 1000 + late
        files = witnessed_log(operator)
        files[witnessed_path(batch.batch_id)] = witnessed_file(operator.records, batch.index, time)
        log = write_files(tmp_path / str(late), files)
        return " ".join(Ran(capsys, "audit", log, "--policy", tmp_path / "policy").output.split())

    assert "Operator's clock: not wrong, as far as pulses and witnesses show" in told(0)
    assert (
        "Operator's clock - fast by 4.000 s at least, if the witnesses' clocks were right: record 1 had been seen by them"
    ) in told(-5)
