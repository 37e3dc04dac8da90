"""Replay of salts in JavaScript, on the salted log of an implementation that shares no code with the project (SPEC
4.3, 4.8).
"""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable, Iterator, Sequence
from hashlib import sha256
from typing import Any

import pytest

from fairness.hashing import u64
from fairness.round.finding_aids import RoundPositions, place_in_file, rounds_path
from tests.house import HOUSE
from tests.oracles.second_verifier import Json, SecondVerifier
from tests.support.salted_log import BEACON, ORIGIN, RECORDS, VKEY, SaltedLog
from tests.support.verdicts import hexed

TRUST: dict[str, Any] = json.loads((HOUSE / "tests" / "vectors" / "trust.json").read_text())
CRASH_TABLE, CRASH_BATCH, CRASH_SALT, CRASH_LOCK = 0, 3, 25, 26
"""The indexes of some records: a table, its first batch, the salt and the first lock of this."""
LAST_SALT = 341
"""Its record comes right after the close of two-s."""


@pytest.fixture(name="second", scope="module")
def _second() -> Iterator[SecondVerifier]:
    with SecondVerifier() as second:
        yield second


def replayed(second: SecondVerifier, records: Sequence[str], *beacons: str) -> Json:
    """What a replay of these records finds."""
    return second.ask("replay", origin=ORIGIN, records=records, beacons=list(beacons))


def changed(record: str, **values: object) -> str:
    """The record with other values; a value of None removes its key."""
    whole = json.loads(record) | values
    kept = {key: value for key, value in whole.items() if value is not None}
    return json.dumps(kept, sort_keys=True, separators=(",", ":"))


def pulse(number: int) -> str:
    """The pulse of a round of the beacon, from a salt of the log."""
    batches = {
        (each["table"], each["batch"]): each["beacon"] for each in map(json.loads, RECORDS) if "beacon" in each
    }
    salts = [each for each in map(json.loads, RECORDS) if each["type"] == "salt"]
    found: str = next(each["signature"] for each in salts if batches[each["table"], each["batch"]] == number)
    return found


def test_the_salted_log_of_others_is_replayed(second: SecondVerifier) -> None:
    """Every count is the one that the other program has."""
    answer = replayed(second, RECORDS, BEACON)
    assert answer["verdict"] == "held"
    for name, expected in TRUST["log"]["tables"].items():
        found = answer["tables"][name]
        void = sum(found[f"void_{kind}"] for kind in ("never_opened", "opened", "locked"))
        assert (found["played"], void, found["unused"]) == (expected["played"], expected["void"], expected["unused"])
        assert (found["committed"], found["smallest_distance"]) == (expected["committed"], expected["least"])
        assert (found["unused_outcomes"] is not None) == expected["closed"]


def test_an_unknown_beacon_leaves_everything_else_to_check(second: SecondVerifier) -> None:
    """The counts are the same, and the two tables of the beacon are named; a false outcome is refused all the
    same.
    """
    answer = replayed(second, RECORDS)
    assert answer["verdict"] == "unknown"
    assert answer["unknown"] == ["crash-s", "two-s"]
    assert answer["tables"] == replayed(second, RECORDS, BEACON)["tables"]
    assert replayed(second, RECORDS[:CRASH_BATCH])["verdict"] == "held"
    assert replayed(second, RECORDS[: CRASH_BATCH + 1])["unknown"] == ["crash-s"]
    other = [*RECORDS[:CRASH_SALT], changed(RECORDS[CRASH_SALT], signature=pulse(58)), *RECORDS[CRASH_SALT + 1 :]]
    assert failure(replayed(second, other)) == ("outcome", 27)


def failure(answer: Json, verdict: str = "failed") -> tuple[str, int | None]:
    """The check that failed, or that is not shown to hold, and at which record."""
    assert answer["verdict"] == verdict, answer
    return answer["failure"]["check"], answer["failure"]["index"]


def moved(records: Sequence[str], index: int, to: int) -> list[str]:
    """The records with one of them at another place."""
    rest = [*records[:index], *records[index + 1 :]]
    return [*rest[:to], records[index], *rest[to:]]


def with_record(index: int, **values: object) -> list[str]:
    """The log as far as this record, which has other values."""
    return [*RECORDS[:index], changed(RECORDS[index], **values)]


REFUSED: dict[str, tuple[Callable[[], list[str]], str, int]] = {
    "a table's salt in upper case": (
        lambda: with_record(CRASH_TABLE, salt=TRUST["test_beacon"]["hash"].upper()),
        "table-salt",
        CRASH_TABLE,
    ),
    "a table's salt of another name": (lambda: with_record(CRASH_TABLE, salt="fastnet"), "table-salt", CRASH_TABLE),
    "no round of the beacon": (lambda: with_record(CRASH_BATCH, beacon=None), "batch-beacon", CRASH_BATCH),
    "a round of a beacon without a salt": (lambda: with_record(5, beacon=37), "batch-beacon", 5),
    "a pulse that existed": (lambda: with_record(CRASH_BATCH, beacon=16), "batch-beacon", CRASH_BATCH),
    "a pulse after more than an hour": (lambda: with_record(CRASH_BATCH, beacon=1217), "batch-beacon", CRASH_BATCH),
    "the last round that a record can name": (
        lambda: with_record(CRASH_BATCH, beacon=(1 << 53) - 1),
        "batch-beacon",
        CRASH_BATCH,
    ),
    "the pulse of another round": (
        lambda: with_record(CRASH_SALT, signature=pulse(58)),
        "salt-signature",
        CRASH_SALT,
    ),
    "a pulse of another beacon": (
        lambda: with_record(CRASH_SALT, signature=TRUST["pulses"][0]["signature"]),
        "salt-signature",
        CRASH_SALT,
    ),
    "no point": (lambda: with_record(CRASH_SALT, signature="00" * 48), "salt-signature", CRASH_SALT),
    "infinity": (lambda: with_record(CRASH_SALT, signature="c0" + "00" * 47), "salt-signature", CRASH_SALT),
    "a salt before its pulse": (lambda: early_salt("2026-01-02T03:05:07.999Z"), "salt-time", 7),
    "a second salt": (lambda: [*RECORDS[: CRASH_SALT + 1], RECORDS[CRASH_SALT]], "salt-awaited", CRASH_SALT + 1),
    "a salt of a batch to come": (lambda: with_record(CRASH_SALT, batch=2), "salt-awaited", CRASH_SALT),
    "a salt without a salt": (
        lambda: [*RECORDS[: CRASH_SALT + 1], changed(RECORDS[CRASH_SALT], table="plain-s")],
        "salt-awaited",
        CRASH_SALT + 1,
    ),
    "a salt after the close": (
        lambda: with_record(LAST_SALT, table="two-s"),
        "after-close",
        LAST_SALT,
    ),
    "a lock before the salt": (
        lambda: moved(RECORDS, CRASH_SALT, CRASH_LOCK)[: CRASH_SALT + 1],
        "lead-committed",
        CRASH_SALT,
    ),
    "opened before the salt": (
        lambda: with_record(CRASH_LOCK, opened="2026-01-02T03:05:08.819Z"),
        "lead-opened",
        CRASH_LOCK,
    ),
}


def early_salt(time: str) -> list[str]:
    """The first salt of crash-s, right after the first batches."""
    return [*RECORDS[:7], changed(RECORDS[CRASH_SALT], salted=time)]


@pytest.mark.parametrize("name", REFUSED)
def test_what_salts_must_not_be(second: SecondVerifier, name: str) -> None:
    """Each is refused by its check, at its record."""
    records, check, index = REFUSED[name]
    assert failure(replayed(second, records(), BEACON)) == (check, index)


def test_what_salts_may_be(second: SecondVerifier) -> None:
    """At the moment of the pulse; a pulse at the end of the hour; in another order; after the end of the table."""
    end = json.dumps({"ended": "2026-01-02T03:05:08.801Z", "table": "crash-s", "type": "end", "v": 1}).replace(
        " ", ""
    )
    for records in (
        early_salt("2026-01-02T03:05:08.000Z"),
        [*RECORDS[:CRASH_BATCH], changed(RECORDS[CRASH_BATCH], beacon=17)],
        [*RECORDS[:CRASH_BATCH], changed(RECORDS[CRASH_BATCH], beacon=1216)],
        [*RECORDS[:11], changed(RECORDS[16], salted=json.loads(RECORDS[11])["salted"]), RECORDS[11]],
        [*RECORDS[:CRASH_SALT], end, RECORDS[CRASH_SALT]],
    ):
        assert replayed(second, records, BEACON)["verdict"] == "held"


LOG = SaltedLog()
FILES = LOG.files()
ENDED = [("crash-s", 1), ("crash-s", 6), ("crash-s", 15), ("two-s", 1), ("two-s", 6), ("two-s", 7), ("two-s", 14)]
"""Rounds whose batch has ended, so that its commitments are known: at its ends, and with one batch or two that hold
the lead.
"""


def checked(second: SecondVerifier, code: str, files: dict[str, bytes] | None = None, *beacons: str) -> Json:
    """What the check of a code finds, with the log's beacon unless others are named."""
    files = FILES if files is None else files
    return second.ask("code", text=code, key=VKEY, files=hexed(files), beacons=list(beacons or (BEACON,)))


@pytest.mark.parametrize(("name", "number"), ENDED)
def test_a_salted_round_by_its_code(second: SecondVerifier, name: str, number: int) -> None:
    """It held; the salts that it rests on are named, and how many rounds ahead it was fixed by its salt, not its
    batch.
    """
    report = checked(second, LOG.code(name, number))
    assert report["verdict"] == "held", report["failure"]
    assert report["unknown"] == []
    table = LOG.tables[name]
    batch = table.batch_of(number)
    salt = table.salt_of(batch)
    assert (report["fixedBy"], report["committedAt"]) == (salt, batch.record["committed"])
    assert report["salt"]["saltedAt"] == json.loads(RECORDS[salt])["salted"]
    (salted,) = (fact for fact in report["proven"] if fact["code"] == "salted")
    last = number + table.record["lead"]
    needed = [
        table.salt_of(each) for each in table.batches if each.record["first"] <= last and each.index >= batch.index
    ]
    assert salted["records"] == needed
    after = min(at for at, index in table.locks.items() if index > salt)
    assert (report["firstAfter"], report["roundsAhead"]) == (after, number - after)
    codes = [fact["code"] for fact in report["proven"]]
    assert codes[3:6] == ["rounds-committed", "salted", "lock-and-reveal"]
    assert codes[-1] == "rounds-ahead-salted"
    caveats = [fact["code"] for fact in report["notProven"]]
    assert "salt-by-clock" in caveats
    assert "no-salt" not in caveats


def test_the_salt_is_computed_again_by_a_command(second: SecondVerifier) -> None:
    """A reader's shell gets H(signature), and the context with it."""
    report = checked(second, LOG.code("crash-s", 6))
    (records,) = (step for step in report["steps"] if step["name"] == "records")
    (outcome,) = (step for step in report["steps"] if step["name"] == "outcome")
    salts = [each for each in records["how"] if each["label"] == "salt-hash"]
    (context,) = (each for each in outcome["how"] if each["label"] == "context")
    signatures = [json.loads(RECORDS[index])["signature"] for index in (25, 341)]
    assert [each["prints"] for each in salts] == [sha256(bytes.fromhex(each)).hexdigest() for each in signatures]
    for each in (*salts, context):
        done = subprocess.run(["sh", "-c", each["command"]], capture_output=True, text=True, check=True)
        assert done.stdout == each["prints"] + "\n"
    shown = {value["label"]: value for value in records["values"] if value.get("of") == "record 25"}
    assert shown["beacon-round"]["text"] == "37"
    assert shown["pulse"]["hex"] == signatures[0]
    assert shown["signed-by"]["text"] == TRUST["test_beacon"]["hash"]


def test_a_round_of_an_unknown_beacon(second: SecondVerifier) -> None:
    """Everything else is checked: the verdict is unknown, says why, and no salt counts as a pulse."""
    report = checked(second, LOG.code("crash-s", 6), None, WORDS_OF_QUICKNET)
    assert report["verdict"] == "unknown"
    beacon = TRUST["test_beacon"]["hash"]
    assert report["unknown"][0].startswith(f"The beacon of crash-s, {beacon}: nobody has named it")
    assert len(report["unknown"]) == 1
    assert report["words"].startswith("UNKNOWN: Something is unknown to this verifier")
    codes = [fact["code"] for fact in report["proven"]]
    assert "salted" not in codes
    assert "salted-by-unknown" in codes
    assert all(step["state"] == "held" for step in report["steps"])
    assert not any(value["label"] == "signed-by" for step in report["steps"] for value in step["values"])


WORDS_OF_QUICKNET = " ".join(
    str(TRUST["quicknet"][word]) for word in ("hash", "period", "genesis", "key", "group", "id")
)


def with_hint(name: str, number: int, hint: int) -> dict[str, bytes]:
    """The log's files, but the hint of a round's salt is another."""
    path, at = rounds_path(LOG.table_id(name), number), RoundPositions.SIZE * place_in_file(number) + 8
    return FILES | {path: FILES[path][:at] + u64(hint) + FILES[path][at + 8 :]}


@pytest.mark.parametrize(
    ("number", "at", "hint", "check", "index"),
    [
        (6, 6, 0, "lead-committed", None),
        (6, 16, 0, "lead-committed", None),
        (6, 6, 1 << 40, "lead-committed", None),
        (6, 6, 26, "round-records", 26),
        (6, 6, 341, "round-records", 341),
        (6, 16, 25, "round-records", 25),
    ],
)
def test_hints_of_salts_are_hints(
    second: SecondVerifier, number: int, at: int, hint: int, check: str, index: int | None
) -> None:
    """The hint beside that of a batch leads to the batch's salt, or the round is not shown; the others are not
    read.
    """
    answer = checked(second, LOG.code("crash-s", number), with_hint("crash-s", at, hint))
    assert failure(answer, "not-shown") == (check, index)


def test_hints_of_salts_that_nobody_reads(second: SecondVerifier) -> None:
    """Those of other rounds of the batch, and all of a table without a salt."""
    assert checked(second, LOG.code("crash-s", 6), with_hint("crash-s", 7, 26))["verdict"] == "held"


def test_salts_that_a_code_refuses(second: SecondVerifier) -> None:
    """Signed by the operator all the same: false pulses, salts in the wrong places and at wrong times."""
    cases: list[tuple[list[str], str, int | None]] = [
        ([*RECORDS[:25], changed(RECORDS[25], signature=pulse(58)), *RECORDS[26:]], "salt-signature", 25),
        ([*RECORDS[:25], changed(RECORDS[25], salted="2026-01-02T03:05:07.999Z"), *RECORDS[26:]], "salt-time", 25),
        ([*RECORDS[:25], changed(RECORDS[25], salted="2026-01-02T03:59:00.000Z"), *RECORDS[26:]], "time-order", 26),
        ([*RECORDS[:25], changed(RECORDS[25], batch=2), *RECORDS[26:]], "lead-committed", None),
        (moved(RECORDS, 25, 30), "lead-committed", 25),
        (moved(RECORDS, 25, 3), "salt-awaited", 3),
    ]
    for records, check, index in cases:
        log = SaltedLog(records)
        # A salt of another batch is none of this one, to which no hint leads then.
        verdict = "failed" if index else "not-shown"
        assert failure(checked(second, log.code("crash-s", 1), log.files()), verdict) == (check, index), (
            check,
            index,
        )


@pytest.mark.parametrize(("name", "number"), ENDED)
def test_a_salted_round_by_its_proof_file(second: SecondVerifier, name: str, number: int) -> None:
    """At each stage; without a salt it is committed, and not fixed."""
    for stage in ("reveal", "lock", "salt", "batch"):
        data = LOG.proof(name, number, stage=stage)
        report = second.ask("proof", hex=data.hex(), key=VKEY, beacons=[BEACON])
        assert report["verdict"] == "held", (stage, report["failure"])
        assert report["headline"]["awaitsSalt"] == (stage == "batch")
        assert ("salt-is-pulse" in [fact["code"] for fact in report["proven"]]) == (stage != "batch")
        assert ("not fixed yet" in report["words"]) == (stage == "batch")
        report = second.ask("proof", hex=data.hex(), key=VKEY, beacons=[])
        assert report["verdict"] == "unknown"
        assert "salt-is-pulse" not in [fact["code"] for fact in report["proven"]]


@pytest.mark.parametrize("stage", ["lock", "reveal"])
def test_a_proof_of_a_locked_round_has_its_salt(second: SecondVerifier, stage: str) -> None:
    """A table with a salt needs the section, and one without has none."""
    data = LOG.proof("crash-s", 6, stage=stage, without=["salt"])
    assert failure(second.ask("proof", hex=data.hex(), key=VKEY, beacons=[BEACON])) == ("proof-form", None)


def test_salts_that_a_proof_file_refuses(second: SecondVerifier) -> None:
    """As a code's check does; and a lead-lock between the batch and its salt shows nothing."""
    cases = [
        ([*RECORDS[:25], changed(RECORDS[25], signature=pulse(58)), *RECORDS[26:]], "salt-signature", 25),
        ([*RECORDS[:25], changed(RECORDS[25], salted="2026-01-02T03:05:07.999Z"), *RECORDS[26:]], "salt-time", 25),
        (moved(RECORDS, 25, 30), "lead-committed", 25),
        (moved(RECORDS, 25, 3), "salt-awaited", 3),
    ]
    for records, check, index in cases:
        log = SaltedLog(records)
        answer = second.ask("proof", hex=log.proof("crash-s", 11).hex(), key=VKEY, beacons=[BEACON])
        assert failure(answer) == (check, index), check
