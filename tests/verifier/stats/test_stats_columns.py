"""The columns that statistics are computed from agree with the records."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

from fairness.policy.policy import Policy
from tests.lies import BEFORE_PULSES
from tests.support.beacons import OURS
from tests.support.dishonest_operator import KEY, Operator
from tests.support.logs import LOG_KEY, VECTORS, write_vector_log
from verifier.audit.audit import audit_log, replay_log
from verifier.sources.source import FolderSource
from verifier.stats.conduct.timing import timing_of
from verifier.stats.numbers.columns import TableColumns

RECORDS = [json.loads(line) for line in (VECTORS / "log.jsonl").read_bytes().split(b"\n") if line]


def milliseconds(time: str | None) -> int:
    """A time of a record, -1 for none."""
    if time is None:
        return -1
    moment = datetime.fromisoformat(time) - datetime(1970, 1, 1, tzinfo=UTC)
    return moment.days * 86_400_000 + moment.seconds * 1000 + moment.microseconds // 1000


@pytest.mark.parametrize("jobs", [1, 2])
def test_every_column_is_what_the_records_say(jobs: int, tmp_path: Path) -> None:
    """Compared with a second reading of the vectors' log, record by record: void rounds, changes of rules, one or two
    processes.
    """
    write_vector_log(tmp_path)
    report = replay_log(FolderSource(tmp_path), LOG_KEY.verifier_key, jobs=jobs, gathers=True)
    assert report.rounds.keys() == report.state.tables.keys()
    for name, gathered in report.rounds.items():
        table = TableColumns.of(name, gathered)
        places = {
            (record["type"], record["round"]): (position, record)
            for position, record in enumerate(RECORDS)
            if record["table"] == name and record["type"] in {"lock", "reveal"}
        }
        assert len(table) == sum(kind == "reveal" for kind, _ in places)
        for row, number in enumerate(table.round.tolist()):
            (lock_position, lock), (reveal_position, reveal) = places["lock", number], places["reveal", number]
            assert (table.lock_position[row], table.reveal_position[row]) == (lock_position, reveal_position)
            assert table.outcomes[table.outcome[row]] == reveal["outcome"]
            assert table.played[row] == (reveal["status"] == "played")
            assert table.given_up[row] == ("reason" in lock)
            reason = lock.get("reason", reveal.get("reason"))
            assert (table.reasons[table.reason[row]] if table.reason[row] >= 0 else None) == reason
            times = (milliseconds(lock.get("opened")), milliseconds(lock["locked"]), milliseconds(reveal["revealed"]))
            assert (table.opened[row], table.locked[row], table.revealed[row]) == times
            batch = table.batches[table.batch[row]]
            assert batch.first <= number <= batch.last
            assert RECORDS[batch.position]["rules"] == batch.rules
        asked = table.lead_kept[table.lead_kept >= 0]
        # A round that is locked and not revealed has a distance but no row.
        if len(asked) and report.state.tables[name].locked is None:
            assert asked.min() == report.state.tables[name].smallest_distance


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_salt_fixes_the_rounds_of_its_batch(jobs: int, tmp_path: Path) -> None:
    """The lead counts from there, as the audit's does."""
    operator = Operator(start=BEFORE_PULSES)
    operator.table("s", "keno-express", salted_by=OURS.chain_hash.hex())
    operator.batch("s", 6)
    operator.salt("s")
    operator.batch("s", 6)
    operator.batch("s", 6)
    operator.batch("s", 6)
    operator.salt("s", 3)
    operator.play("s", 4)
    operator.salt("s", 2)
    operator.drop("s", 2)
    operator.play("s", 3)
    policy = Policy(KEY.verifier_key, beacons=(OURS,))
    report = audit_log(FolderSource(operator.write(tmp_path)), policy, jobs=jobs, gathers=True)
    table = TableColumns.of("s", report.rounds["s"])
    assert table.lead_kept.tolist() == [-1, -1, 2, 3, -1, -1, 0, 1, 2]
    (state,) = (each.state for each in report.tables)
    assert timing_of(table).lead_least == state.smallest_distance == 0


def test_a_table_without_a_round_has_empty_columns(tmp_path: Path) -> None:
    """No test assumes that a table has rounds."""
    operator = Operator()
    operator.table("keno-1", "keno-express")
    operator.table("hi-lo-1", "hi-lo")
    operator.batch("hi-lo-1", 20)
    report = audit_log(FolderSource(operator.write(tmp_path)), KEY.verifier_key, gathers=True)
    for name, batches in (("keno-1", 0), ("hi-lo-1", 1)):
        table = TableColumns.of(name, report.rounds[name])
        assert (len(table), len(table.final), len(table.batches)) == (0, 0, batches)


def test_nothing_is_gathered_unasked(tmp_path: Path) -> None:
    """An audit alone gathers no rounds."""
    write_vector_log(tmp_path)
    assert replay_log(FolderSource(tmp_path), LOG_KEY.verifier_key).rounds == {}
