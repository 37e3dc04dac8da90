"""Witnessed batches in JavaScript, on the log of an implementation that shares no code with the project (SPEC 5.8,
8).
"""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from random import Random
from typing import Any

import pytest

from fairness.errors import CheckFailed
from fairness.hashing import leaf_hash
from fairness.log.proof import TlogProof
from fairness.policy.custody import custody_path, policy_hash_in, policy_path
from fairness.policy.policy import Policy
from fairness.policy.witnessed import check_witnessed, witnessed_path
from fairness.round.proof_sections import CustodySection
from tests.house import HOUSE
from tests.oracles.merkle_oracle import consistency_proof
from tests.oracles.second_verifier import Json, SecondVerifier
from tests.support.codes import code_of, three_tables
from tests.support.dishonest_operator import Operator
from tests.support.logs import write_files
from tests.support.proofs import proof_from, proof_of, seen_sections
from tests.support.salted_log import RECORDS, SaltedLog
from tests.support.verdicts import VKEY, Verdict, hexed, ours, theirs
from tests.support.witnessed import EARLY, SALTED_BY, pulse_time, salted_operator, witnessed_file, witnessed_log
from tests.support.witnessed import POLICY as OURS_ASKED
from tests.support.witnesses import LAB
from verifier.audit.audit import audit_log
from verifier.output.proof import proof_json
from verifier.output.round import round_json
from verifier.round.check import check_round
from verifier.round.proof_check import check_proof
from verifier.sources.source import FolderSource

VECTORS = HOUSE / "tests" / "vectors"
SALTED = VECTORS / "log-salted"
TRUST: dict[str, Any] = json.loads((VECTORS / "trust.json").read_text())
OF_TRUST: str = TRUST["policies"][0]["policy"]
POLICY = (SALTED / "policy").read_text()
LOG = SaltedLog()
CRASH_BATCH = 3
WITNESSED = {file.relative_to(SALTED).as_posix(): file.read_bytes() for file in (SALTED / "witnessed").glob("*/*")}
CUSTODY = {
    file.relative_to(SALTED).as_posix(): file.read_bytes()
    for folder in ("custody", "policies")
    for file in (SALTED / folder).rglob("*")
    if file.is_file()
}
FILES = LOG.files() | WITNESSED | CUSTODY | {"checkpoint": (SALTED / "checkpoint").read_bytes()}
"""The log with the checkpoint that its own witnesses cosigned."""
OF_CRASH = witnessed_path(leaf_hash(RECORDS[CRASH_BATCH].encode()))
GOOD = next(case for case in TRUST["witnessed"] if case["valid"])
ROUND = ("crash-s", 6)


@pytest.fixture(name="second", scope="module")
def _second() -> Iterator[SecondVerifier]:
    with SecondVerifier() as second:
        yield second


def asked(second: SecondVerifier, data: bytes | None, **changes: object) -> Json:
    """What the check of a good case finds in another file."""
    given = {"record": GOOD["batch_record"], "index": GOOD["index"], "pulse": GOOD["pulse_time"], "policy": OF_TRUST}
    return second.ask("witnessed", hex=None if data is None else data.hex(), **(given | changes))


def is_refused(answer: Json) -> bool:
    """Whether the batch was not witnessed; nothing else may be wrong."""
    if answer["verdict"] == "held":
        return False
    failure = answer["failure"]
    assert (failure["check"], failure["index"]) == ("batch-witnessed", GOOD["index"]), failure
    return True


def python_refuses(data: bytes) -> bool:
    """The same, in Python."""
    batch_id, policy = leaf_hash(GOOD["batch_record"].encode()), Policy.parse(OF_TRUST.encode())
    try:
        check_witnessed(data, batch_id=batch_id, index=GOOD["index"], pulse=GOOD["pulse_time"], policy=policy)
    except CheckFailed:
        return True
    return False


@pytest.mark.parametrize("case", TRUST["witnessed"], ids=lambda case: case.get("bug", "valid"))
def test_the_files_of_another_implementation(second: SecondVerifier, case: Json) -> None:
    """With times before and after what the policy and the pulse allow."""
    changes = {"record": case["batch_record"], "index": case["index"], "pulse": case["pulse_time"]}
    answer = asked(second, case["file"].encode(), **changes)
    assert is_refused(answer) != case["valid"]
    if case["valid"]:
        assert answer["time"] <= case["pulse_time"] - 10


def test_the_pulse_decides(second: SecondVerifier) -> None:
    """Ten seconds after the quorum is the earliest pulse; of an unknown beacon any time will do."""
    file = GOOD["file"].encode()
    time = asked(second, file)["time"]
    assert not is_refused(asked(second, file, pulse=time + 10))
    assert is_refused(asked(second, file, pulse=time + 9))
    assert not is_refused(asked(second, file, pulse=None))


def lines_changed(data: bytes) -> Iterator[bytes]:
    """The file with one line removed, repeated, swapped with the next, cut or lengthened; and one line of text
    more.
    """
    lines = data.decode().splitlines(keepends=True)
    for at, line in enumerate(lines):
        before, after = lines[:at], lines[at + 1 :]
        yield "".join([*before, *after]).encode()
        yield "".join([*before, line, line, *after]).encode()
        yield "".join([*before, *after[:1], line, *after[1:]]).encode()
        yield "".join([*before, line[:-2], "\n", *after]).encode()
        yield "".join([*before, line[:-1], " \n", *after]).encode()
        yield "".join([*before, line, "extra c29tZXRoaW5n\n", *after]).encode()


@pytest.mark.nightly("asks Node about each of many files")
def test_both_implementations_refuse_the_same_files(second: SecondVerifier) -> None:
    """Of a good file, each line of which was changed in several ways, and each byte; among them are ones that are not
    refused.
    """
    good = GOOD["file"].encode()
    changed = [*lines_changed(good)]
    changed += [good[:at] + bytes([good[at] ^ 1]) + good[at + 1 :] for at in range(0, len(good), 5)]
    verdicts = [(is_refused(asked(second, data)), python_refuses(data)) for data in changed]
    assert [pair for pair in verdicts if pair[0] != pair[1]] == []
    assert {pair[0] for pair in verdicts} == {True, False}


@pytest.mark.parametrize(
    "data", [None, b"", b"no proof\n", bytes(1_100_001)], ids=["none", "empty", "words", "large"]
)
def test_what_is_no_file(second: SecondVerifier, data: bytes | None) -> None:
    """It fails the check of the batch, whatever it is."""
    assert is_refused(asked(second, data))


def checked(second: SecondVerifier, files: dict[str, bytes], policy: str = POLICY) -> Json:
    """The check of a round by its code."""
    return second.ask("code", text=LOG.code(*ROUND), policy=policy, files=hexed(files))


def test_a_round_by_its_code(second: SecondVerifier) -> None:
    """Who saw its batch, and when; and which pulse it had to wait for."""
    report = checked(second, FILES)
    assert report["verdict"] == "held", report["failure"]
    assert report["batchWitnessed"]["at"] == "2026-01-02T03:04:06Z"
    assert [(each["name"], each["at"][-9:]) for each in report["batchWitnessed"]["witnesses"]] == [
        ("regulator", "03:04:05Z"),
        ("lab", "03:04:06Z"),
    ]
    assert report["pulse"] == {"round": 37, "at": "2026-01-02T03:05:08Z"}
    assert OF_CRASH in report["paths"]
    assert any("by the clocks of outsiders" in each for each in report["sentences"])
    assert [fact["code"] for fact in report["notProven"]][1:3] == ["salt-witnessed", "witnessed"]
    (records,) = (step for step in report["steps"] if step["name"] == "records")
    shown = {value["label"]: value for value in records["values"]}
    assert shown["witnessed"]["text"].encode() == FILES[OF_CRASH]


def test_only_a_policy_with_a_quorum_asks_for_the_file(second: SecondVerifier) -> None:
    """With a bare quorum of none it is not even read, and the verdict says what was left out."""
    policy = POLICY.replace("quorum all-of-them", "quorum none")
    report = checked(second, {path: data for path, data in FILES.items() if path not in WITNESSED}, policy)
    assert (report["verdict"], report["batchWitnessed"]) == ("held", None)
    assert not any(path.startswith("witnessed/") for path in report["paths"])
    assert [fact["code"] for fact in report["notProven"]][1:4] == [
        "witnessed-not-read",
        "salt-by-clock",
        "no-witness",
    ]


def test_a_batch_that_nobody_saw(second: SecondVerifier) -> None:
    """Without its file, or with that of another batch."""
    other = next(path for path in WITNESSED if path != OF_CRASH)
    for files in ({**FILES}, FILES | {OF_CRASH: FILES[other]}):
        if files == FILES:
            del files[OF_CRASH]
        failure = checked(second, files)["failure"]
        assert (failure["check"], failure["index"], failure["where"]) == ("batch-witnessed", CRASH_BATCH, OF_CRASH)


def custody_of(name: str) -> CustodySection:
    """The section with what a custodian said of the batch."""
    note = CUSTODY[custody_path(leaf_hash(RECORDS[CRASH_BATCH].encode()), name)]
    return CustodySection(name, note, CUSTODY[policy_path(policy_hash_in(note) or b"")])


def with_witnessed(proof: bytes, file: bytes) -> bytes:
    """A round's proof file with the section that shows who saw the batch, and the checkpoint of the log's own
    witnesses.
    """
    head, _, rest = proof.partition(b"\nlead-lock\n")
    sections, _, _ = rest.partition(b"\ncheckpoint\n")
    sections += b"\n" + bytes(custody_of("house"))
    size = int(TlogProof.parse(file).checkpoint.split(b"\n")[1])
    hashes = consistency_proof(size, [leaf_hash(record.encode()) for record in RECORDS])
    consistency = b"".join(b64encode(each) + b"\n" for each in hashes)
    parts = [head, b"witnessed\n" + file, b"consistency\n" + consistency]
    return b"\n".join([*parts, b"lead-lock\n" + sections, b"checkpoint\n" + FILES["checkpoint"]])


LATE = 15
PROOF = with_witnessed(LOG.proof("crash-s", LATE), FILES[OF_CRASH])


def proven(second: SecondVerifier, data: bytes, policy: str = POLICY) -> Json:
    """The check of a proof file."""
    return second.ask("proof", hex=data.hex(), policy=policy)


def test_a_round_by_its_proof_file(second: SecondVerifier) -> None:
    """The section is three parts between empty lines; with a bare key it is only parsed."""
    report = proven(second, PROOF)
    assert report["verdict"] == "held", report["failure"]
    assert report["batchWitnessed"]["at"] == "2026-01-02T03:04:06Z"
    (file,) = (step for step in report["steps"] if step["name"] == "file")
    assert {value["label"]: value["text"] for value in file["values"]}["sections"] == (
        "table, batch, salt, witnessed, consistency, lead-lock, lock, reveal, commitment, custody"
    )
    unasked = proven(second, PROOF, POLICY.replace("quorum all-of-them", "quorum none"))
    assert (unasked["verdict"], unasked["batchWitnessed"]) == ("held", None)


CHANGES: dict[str, tuple[Callable[[bytes], bytes], str]] = {
    "without the section": (
        lambda proof: proof.replace(seen_sections(proof), b""),
        "batch-witnessed",
    ),
    "twice": (
        lambda proof: proof.replace(
            b"witnessed\n" + FILES[OF_CRASH] + b"\n", 2 * (b"witnessed\n" + FILES[OF_CRASH] + b"\n")
        ),
        "proof-form",
    ),
    "after the lead-lock's name": (
        lambda proof: proof.replace(b"witnessed\nc2sp", b"witnessed\n\nc2sp"),
        "proof-form",
    ),
    "another index": (
        lambda proof: proof.replace(b"proof@v1\nindex 3\n", b"proof@v1\nindex 4\n"),
        "batch-witnessed",
    ),
    "another first line": (lambda proof: proof.replace(b"proof@v1\n", b"proof@v2\n"), "proof-form"),
    "without its signatures": (
        lambda proof: proof.replace(FILES[OF_CRASH].rpartition(b"\n\n")[2] + b"\n", b"", 1),
        "batch-witnessed",
    ),
    "with an empty line for its signatures": (
        lambda proof: proof.replace(FILES[OF_CRASH].rpartition(b"\n\n")[2], b"\n", 1),
        "proof-form",
    ),
}


@pytest.mark.parametrize("name", CHANGES)
def test_sections_that_are_refused(second: SecondVerifier, name: str) -> None:
    """By the form of the file, or because they do not show that the batch was witnessed."""
    change, check = CHANGES[name]
    changed = change(PROOF)
    assert changed != PROOF
    assert proven(second, changed)["failure"]["check"] == check


def test_a_table_without_a_salt_has_no_such_section(second: SecondVerifier) -> None:
    """Nobody demands it, so it may not be there."""
    plain = bytes(proof_of(three_tables(), "keno", 3))
    assert second.ask("proof", hex=plain.hex(), key=VKEY)["verdict"] == "held"
    data = plain.replace(b"\nlead-lock\n", b"\nwitnessed\n" + FILES[OF_CRASH] + b"\nlead-lock\n")
    assert data != plain
    assert second.ask("proof", hex=data.hex(), key=VKEY)["failure"]["check"] == "proof-form"


TRUSTED = Policy.parse(OURS_ASKED)


def both_audits(second: SecondVerifier, files: dict[str, bytes], folder: Path) -> tuple[Verdict, Json]:
    """An audit in Python, and in JavaScript."""
    write_files(folder, files)
    python = ours(audit_log, FolderSource(folder), TRUSTED, jobs=1)
    return python, second.ask("audit", folder=str(folder), policy=OURS_ASKED.decode())


def replaced(operator: Operator, make: Callable[[list[bytes], int, int], bytes | None]) -> dict[str, bytes]:
    """The log with another file for the second batch of the salted table: made from its index and its pulse's time,
    or none.
    """
    batch = operator.tables["salty-1"].batches[1]
    files = witnessed_log(operator)
    data = make(operator.records, batch.index, pulse_time(operator, batch))
    del files[witnessed_path(batch.batch_id)]
    return files | ({} if data is None else {witnessed_path(batch.batch_id): data})


def of_another_history(records: list[bytes], index: int, pulse: int) -> bytes:
    """Whose first record is another one."""
    return witnessed_file([records[0].replace(b"salty", b"silty"), *records[1:]], index, pulse - EARLY)


LONGER = salted_operator().play("sic-bo-1", 1).records
AUDITS: dict[str, tuple[Callable[[list[bytes], int, int], bytes | None], str]] = {
    "missing": (lambda *_: None, "batch-witnessed"),
    "rubbish": (lambda *_: b"rubbish", "batch-witnessed"),
    "a second too late": (
        lambda records, index, pulse: witnessed_file(records, index, pulse - 9),
        "batch-witnessed",
    ),
    "by one witness": (
        lambda records, index, pulse: witnessed_file(records, index, pulse - EARLY, witnesses=[LAB, LAB]),
        "batch-witnessed",
    ),
    "of another record": (
        lambda records, index, pulse: witnessed_file(records, index + 1, pulse - EARLY),
        "batch-witnessed",
    ),
    "of a larger log": (
        lambda _records, index, pulse: witnessed_file(LONGER, index, pulse - EARLY, size=len(LONGER)),
        "batch-witnessed",
    ),
    "of another history": (of_another_history, "log-extends"),
}


@pytest.mark.parametrize("name", AUDITS)
def test_an_audit_refuses_the_same_files(second: SecondVerifier, tmp_path: Path, name: str) -> None:
    """The same check of the same record in both languages."""
    make, check = AUDITS[name]
    python, answer = both_audits(second, replaced(salted_operator(), make), tmp_path)
    assert theirs(answer) == python
    assert python[1] == check


def test_a_later_checkpoint_will_do(second: SecondVerifier, tmp_path: Path) -> None:
    """As the first one with the quorum may be larger; and a writer may have added a line of its own."""
    files = replaced(
        salted_operator(),
        lambda records, index, pulse: witnessed_file(
            records, index, pulse - EARLY, size=len(records), extra=b"something"
        ),
    )
    python, answer = both_audits(second, files, tmp_path)
    assert theirs(answer) == python == ("held",)
    assert answer["never_played"] == ["sic-bo-1"]


def lagging(seed: int) -> dict[str, bytes]:
    """Two tables, one of whose clocks lags behind, and witnesses who look at odd moments with odd clocks."""
    random, operator = Random(seed), Operator()
    operator.table("one", "keno-express", salted_by=SALTED_BY)
    operator.table("two", "keno-express")
    operator.batch("two", 20)
    for _ in range(4):
        operator.batch("one", 20)
        operator.salt("one")
        lag = random.randrange(20, 28) / 3600
        operator.rest(-lag)
        operator.play("two", 3)
        operator.rest(lag)
        operator.play("one", random.randrange(5, 12))
    files = witnessed_log(operator)
    for batch in operator.tables["one"].batches:
        size = random.randrange(batch.index + 1, len(operator.records) + 1)
        time = pulse_time(operator, batch) - random.randrange(10, 60)
        files[witnessed_path(batch.batch_id)] = witnessed_file(operator.records, batch.index, time, size=size)
    return files


@pytest.mark.parametrize("seed", range(6))
def test_both_say_how_wrong_the_operators_clock_was(second: SecondVerifier, tmp_path: Path, seed: int) -> None:
    """To the millisecond, slow and fast."""
    write_files(tmp_path, lagging(seed))
    clock = audit_log(FolderSource(tmp_path), TRUSTED, jobs=1).clock
    assert clock is not None
    assert clock.slow is not None
    assert clock.fast is not None
    answer = second.ask("audit", folder=str(tmp_path), policy=OURS_ASKED.decode())
    assert answer["clock"] == {"slow": clock.slow.milliseconds, "fast": clock.fast.milliseconds}


def told_alike(report: Json, python: Mapping[str, Any]) -> bool:
    """Whether both say the same in the same words, and name the same witnesses of the batch."""
    assert report["sentences"] == [each["what"] for each in python["checked"]]
    assert report["caveats"] == python["not_checked"]
    assert (report["verdict"], report["unknown"]) == (python["verdict"], python["unknown"])
    seen = python["batch_witnessed"]
    assert report["batchWitnessed"] == seen
    return True


@pytest.mark.parametrize("known", [True, False], ids=["a beacon of the policy", "an unknown beacon"])
def test_witnessed_rounds_are_reported_alike(second: SecondVerifier, tmp_path: Path, *, known: bool) -> None:
    """By their codes, by their proof files, and by receipts before the salt."""
    text = OURS_ASKED if known else OURS_ASKED.partition(b"beacon ")[0]
    asked, trust = {"policy": text.decode()}, Policy.parse(text)
    operator = salted_operator()
    operator.batch("salty-1", 4)
    source = FolderSource(write_files(tmp_path, witnessed_log(operator)))
    table_id = operator.tables["salty-1"].table_id
    for number in (1, 3):
        code = str(code_of(operator, "salty-1", number))
        report = second.ask("code", text=code, folder=str(tmp_path), **asked)
        assert report["verdict"] == ("held" if known else "unknown")
        assert told_alike(report, round_json(check_round(source, trust, code)))
    for number in (1, 3, 5, 9, 12):
        data = bytes(proof_from(witnessed_log(operator), table_id, number))
        report = second.ask("proof", hex=data.hex(), **asked)
        assert told_alike(report, proof_json("proof", check_proof(data, trust), None))
