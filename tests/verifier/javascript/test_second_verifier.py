"""Two implementations of the protocol, one verdict: the JavaScript of ``verifier/browser`` against the Python.

Both read the vectors, honest logs, every lie and case of the dishonest operator, and
changed files. They must name the same check and the same record, and say the same in words.
"""

from __future__ import annotations

import json
import random
import re
import subprocess
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from fairness.checks import FAULT, MEANING, Check, Fault
from fairness.errors import NotShown
from fairness.hashing import leaf_hash, u64
from fairness.log.notes import SigningKey, VerifierKey
from fairness.log.tiles import bundle_of, split_bundle
from fairness.player.round_code import RoundCode
from fairness.policy.policy import Policy, Trust
from fairness.round.finding_aids import RoundPositions, TablePositions, place_in_file, rounds_path, tables_path
from games import GAMES
from tests.lies import BEFORE_PULSES, history, salted_keno
from tests.lies.catalogue import LIES, told
from tests.lies.proofs import LIES as PROOF_LIES
from tests.lies.proofs import forged
from tests.oracles.second_verifier import BROWSER, Json, SecondVerifier, node
from tests.recipes.cases.catalogue import CASES
from tests.recipes.cases.told import FOLDER, Told
from tests.recipes.catalogue import FORMATS
from tests.support.beacons import OURS
from tests.support.codes import BESIDE, code_of, table_beside, three_tables
from tests.support.dishonest_operator import KEY, Operator
from tests.support.log_server import serving
from tests.support.proofs import proof_from, proof_of
from tests.support.verdicts import VKEY, Files, InMemory, Verdict, hexed, ours, receipts_of, theirs
from tests.support.witnesses import LAB, NOON, REGULATOR, cosigned, policy_text
from tests.tiers.selection import Lattice
from verifier.audit.audit import audit_log
from verifier.cli import main
from verifier.commands.command import HELD
from verifier.forks.evidence import check_evidence
from verifier.output.audit import audit_json
from verifier.output.proof import proof_json, proof_verdict
from verifier.output.round import round_json, round_verdict
from verifier.round.bet_check import check_bet
from verifier.round.check import check_round
from verifier.round.proof_check import check_proof
from verifier.round.proof_report import ProofReport
from verifier.round.proving import prove_code, prove_number
from verifier.round.report import RoundReport
from verifier.sources.source import FolderSource

ROUND = ("table", "table_id", "game", "round", "batch", "status", "reason", "outcome", "committed_at", "opened_at")
SAME = (*ROUND, "locked_at", "revealed_at", "lead", "rounds_ahead", "stage", "commitments", "fixed_by")
"""Keys of the Python verdict that the JavaScript report also has, in camel case."""


@pytest.fixture(name="second", scope="module")
def _second() -> Iterator[SecondVerifier]:
    with SecondVerifier() as second:
        yield second


@pytest.fixture(name="operator", scope="module")
def _operator() -> Operator:
    return history()


def camel(key: str) -> str:
    """The name that JavaScript has for a key."""
    return re.sub(r"_([a-z])", lambda found: found[1].upper(), key)


def check_told_alike(report: Json, python: Mapping[str, Any]) -> None:
    """Check that every value, every sentence and the order of the steps agree."""
    for key in SAME:
        if key in python:
            assert report[camel(key)] == python[key], key
    assert report["log"] == python["log"]
    if "salt" in python:
        assert report["salt"] == (python["salt"] and {camel(key): value for key, value in python["salt"].items()})
    assert report["order"] == python.get("order", [])
    assert report["caveats"] == python["not_checked"]
    assert (report["verdict"], report["unknown"]) == (python["verdict"], python["unknown"])
    checked = [each["what"] for each in python["checked"]]
    assert report["sentences"] == checked
    assert [step["number"] for step in report["steps"]] == list(range(1, 9))
    assert report["seen"] == report["steps"]


def check_code(second: SecondVerifier, files: Files, code: RoundCode | str) -> tuple[Verdict, Verdict]:
    """Check that both verdicts on a code agree."""
    python = ours(check_round, InMemory(files), KEY.verifier_key, str(code))
    return python, theirs(second.ask("code", text=str(code), key=VKEY, files=hexed(files)))


def check_file(second: SecondVerifier, data: bytes, key: VerifierKey = KEY.verifier_key) -> tuple[Verdict, Verdict]:
    """Check that both verdicts on a proof file agree."""
    return ours(check_proof, data, key), theirs(second.ask("proof", hex=data.hex(), key=str(key)))


@pytest.mark.lattice
@pytest.mark.parametrize("name", [kind.name for kind in FORMATS])
def test_it_answers_every_vector(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Of each format, through the same pipes as anybody's program."""
    assert main(["conform", f"{node()} {BROWSER / 'conform.js'}", "--format", name, "--json"]) == HELD
    assert json.loads(capsys.readouterr().out)["verdict"] == "held"


MODULES = sorted(BROWSER.rglob("*.js"))


def test_hints_at_newer_records_clear_nobody(second: SecondVerifier) -> None:
    """A table of version 1 has none of its own, and where another table's stands for a round's, the aid is false."""
    operator = Operator()
    operator.table("keno-1", "keno-express")
    for name in ("other", "keno-1"):
        operator.append(f'{{"table":"{name}","type":"pause","v":2}}'.encode())
    operator.batch("keno-1", 6)
    operator.play("keno-1", 5)
    files, table = operator.files(), operator.tables["keno-1"]
    code, size = code_of(operator, "keno-1", 2), RoundPositions.SIZE
    row = place_in_file(2) * size
    rounds, tables = rounds_path(table.table_id, 2), tables_path(table.table_id)
    own = RoundPositions(table.batches[0].index, 0, table.locks[2], table.reveals[2])
    for at in (1, 2):
        for hint in (replace(own, batch=at), replace(own, lock=at), replace(own, reveal=at)):
            false = files | {rounds: files[rounds][:row] + bytes(hint) + files[rounds][row + size :]}
            python, javascript = check_code(second, false, code)
            assert python == javascript
            assert ("round-records" if at == 1 else "record-form") in str(python)
    for at in (1, 2):
        python, javascript = check_code(second, files | {tables: bytes(TablePositions(at))}, code)
        assert python == javascript
        assert "round-records" in str(python)


@pytest.mark.parametrize("module", MODULES, ids=lambda module: module.relative_to(BROWSER).as_posix())
def test_a_module_needs_neither_node_nor_anything_else(module: Path) -> None:
    """It imports only other modules of the verifier, and uses nothing that only Node has; ``conform.js`` is for
    Node.
    """
    text = module.read_text("utf-8")
    code = re.sub(r"^ *(?://|/?\*).*$", "", text, flags=re.MULTILINE)
    imported = re.findall(r'(?:^import |^(?:import|export)\b[^;"()]* from |\bimport\()"([^"]+)"', code, re.MULTILINE)
    foreign = [
        name
        for name in imported
        if not (name.startswith(("./", "../")) and (module.parent / name).resolve() in MODULES)
    ]
    assert foreign == (["node:readline"] if module.name == "conform.js" else [])
    if module.name != "conform.js":
        assert not re.search(r"\b(?:process|Buffer|require)\.", text)


@pytest.mark.nightly("starts Node for each module")
def test_the_modules_are_javascript() -> None:
    """Every one is parsed; ``conform.js`` imports nearly all of the others."""
    for module in MODULES:
        subprocess.run([node(), "--check", str(module)], check=True)


def test_names_and_leads_are_the_specifications(second: SecondVerifier) -> None:
    """Checks with their meanings, games with their leads."""
    names = second.ask("names")
    assert names["meaning"] == {check.value: meaning for check, meaning in MEANING.items()}
    assert names["games"] == {name: [game.lead, game.has_flight] for name, game in GAMES.items()}


def test_every_ended_round_is_reported_alike(second: SecondVerifier, operator: Operator, tmp_path: Path) -> None:
    """Of every game, with every kind of end, from a folder or a server: the same values in the same words."""
    operator.write(tmp_path)
    source, count = FolderSource(tmp_path), 0
    for name, table in operator.tables.items():
        for number in table.reveals:
            code = str(code_of(operator, name, number))
            python = check_round(source, KEY.verifier_key, code)
            report = second.ask("code", text=code, key=VKEY, folder=str(tmp_path))
            check_told_alike(report, round_json(python))
            check_headline(report, python)
            assert [fact.get("records", []) for fact in report["proven"]] == [list(p.records) for p in python.passed]
            count += 1
    assert count == 84
    with serving(tmp_path) as address:
        same = second.ask("code", text=code.upper(), key=VKEY, url=f"{address}/", table=report["table"])
    for key in ("milliseconds", "steps", "seen"):
        report.pop(key), same.pop(key)
    assert same == report


def check_headline(report: Json, python: RoundReport) -> None:
    """Check the verdict in the last line of ``code``."""
    assert report["words"] == round_verdict(python)


@pytest.mark.parametrize(
    ("name", "asked", "verdict"),
    [
        ("quicknet", "", "held"),
        (OURS.chain_hash.hex(), f"beacon {OURS}\n", "held"),
        (OURS.chain_hash.hex(), "", "unknown"),
    ],
    ids=["quicknet", "a beacon of the policy", "an unknown beacon"],
)
def test_salted_rounds_are_reported_alike(
    name: str, asked: str, verdict: str, second: SecondVerifier, tmp_path: Path
) -> None:
    """By their codes, and by their proof files and receipts: before the salt, after it, and to the end."""
    operator = salted_keno(name)
    # Committed, and not salted yet.
    operator.batch("keno", 4)
    source, files = FolderSource(operator.write(tmp_path)), operator.files()
    text = f"log {VKEY}\nquorum none\n{asked}"
    policy = Policy.parse(text.encode())
    for number in operator.tables["keno"].reveals:
        code = str(code_of(operator, "keno", number))
        python = check_round(source, policy, code)
        report = second.ask("code", text=code, policy=text, folder=str(tmp_path))
        check_told_alike(report, round_json(python))
        check_headline(report, python)
        assert [fact.get("records", []) for fact in report["proven"]] == [list(p.records) for p in python.passed]
        assert report["verdict"] == verdict
    for number in range(1, 13):
        data = bytes(proof_from(files, operator.tables["keno"].table_id, number))
        proof = check_proof(data, policy)
        report = second.ask("proof", hex=data.hex(), policy=text)
        check_told_alike(report, proof_json("proof", proof, None))
        assert report["words"] == proof_verdict(proof)
        assert report["verdict"] == verdict
    audit = second.ask("audit", folder=str(tmp_path), policy=text)
    assert audit["verdict"] == verdict
    (table,) = audit_json(audit_log(source, policy, jobs=1), GAMES)["tables"]
    assert audit["tables"]["keno"]["smallest_distance"] == table["smallest_distance"]


@pytest.mark.parametrize("given", [(), (1,), (2,), (1, 3), (1, 2, 3)], ids=str)
def test_unused_rounds_are_reported_as_far_as_they_are_salted(
    given: tuple[int, ...], second: SecondVerifier, tmp_path: Path
) -> None:
    """Of a closed table with three batches: what a later batch would have had is not reported after one without a
    salt.
    """
    operator = Operator(start=BEFORE_PULSES)
    operator.table("keno", "keno-express", salted_by="quicknet")
    for _batch in range(3):
        operator.batch("keno", 4)
    for number in given:
        operator.salt("keno", number)
    operator.end("keno")
    operator.close("keno")
    (table,) = audit_json(audit_log(FolderSource(operator.write(tmp_path)), KEY.verifier_key, jobs=1), GAMES)[
        "tables"
    ]
    found = second.ask("audit", folder=str(tmp_path), key=VKEY)["tables"]["keno"]
    assert found["unused_outcomes"] == table["unused_outcomes"]
    salted_so_far = next((before for before in range(3) if before + 1 not in given), 3)
    assert len(found["unused_outcomes"]) == 4 * salted_so_far


def test_every_proof_and_receipt_is_reported_alike(
    second: SecondVerifier, operator: Operator, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """Of rounds that have ended, are locked, or are only committed; the first one, and those within the first
    lead.
    """
    stages, files = set(), operator.files()
    for table in operator.tables.values():
        for number in {1, 2, 3, 5, 11, 13, table.round, table.round + 1, table.committed_through} - {0}:
            data = bytes(proof_from(files, table.table_id, number))
            python = check_proof(data, KEY.verifier_key)
            report = second.ask("proof", hex=data.hex(), key=VKEY)
            check_told_alike(report, proof_json("proof", python, None))
            check_proof_headline(report, python, capsys, tmp_path / "round.proof", data)
            stages.add(report["stage"])
    assert stages == {"committed", "locked", "ended"}


def check_proof_headline(
    report: Json, python: ProofReport, capsys: pytest.CaptureFixture[str], file: Path, data: bytes
) -> None:
    """Check the last line of ``proof``; steps that have nothing to check are skipped."""
    file.write_bytes(data)
    capsys.readouterr()
    assert main(["proof", str(file), "--key", VKEY]) == HELD
    assert report["words"] == capsys.readouterr().out.splitlines()[-1]
    states = [step["state"] for step in report["steps"]]
    assert states == ["held"] * 8 if python.reveal else ["held"] * 6 + ["skipped"] * 2


@pytest.mark.lattice
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_every_case_has_one_verdict(second: SecondVerifier, case: Told) -> None:
    """What a dishonest operator signed: its log, its proof files, its evidence, and the code that shows it."""
    folder, trust, asked = FOLDER / case.name, trust_of(case), asked_of(case)
    for file in folder.glob("*.proof"):
        python = ours(check_proof, file.read_bytes(), trust)
        assert theirs(second.ask("proof", hex=file.read_bytes().hex(), **asked)) == python, file.name
    for log in (each for each in (folder / "log", folder / "before") if each.is_dir()):
        python = ours(audit_log, FolderSource(log), trust, jobs=1)
        assert theirs(second.ask("audit", folder=str(log), **asked)) == python
    for file in folder.glob("fork.txt"):
        data = file.read_bytes()
        python = ours(check_evidence, data, trust, name="evidence")
        assert theirs(second.ask("evidence", hex=data.hex(), **asked)) == python
    for file in folder.glob("*.bet"):
        python = ours(check_bet, FolderSource(folder / "log"), trust, file.read_bytes())
        assert theirs(second.ask("bet", hex=file.read_bytes().hex(), folder=str(folder / "log"), **asked)) == python
    for _, text, *_ in (command for command in case.commands if command[0] == "code"):
        python = ours(check_round, FolderSource(folder / "log"), trust, text)
        assert theirs(second.ask("code", text=text, folder=str(folder / "log"), **asked)) == python


def trust_of(case: Told) -> Trust:
    """Whom a case's commands believe."""
    return Policy.parse(case.files["policy"]) if "policy" in case.files else KEY.verifier_key


def asked_of(case: Told) -> Json:
    """The same, as the second verifier is asked."""
    return {"policy": case.files["policy"].decode()} if "policy" in case.files else {"key": VKEY}


def test_witnesses_are_told_alike(second: SecondVerifier, operator: Operator, tmp_path: Path) -> None:
    """A code and a proof file with a policy: who cosigned at which time, what two quorums share, what is not
    checked.
    """
    operator.write(tmp_path)
    head = tmp_path / "checkpoint"
    head.write_bytes(cosigned(cosigned(head.read_bytes(), LAB, time=NOON + 7), REGULATOR, LAB))
    custodian = SigningKey("elsewhere.example/custodian", bytes(32)).verifier_key
    text = policy_text(KEY.verifier_key) + f"custodian elsewhere {custodian}\n".encode()
    trust, code = Policy.parse(text), str(code_of(operator, "crash-1", 3))
    for policy in (trust, Policy.parse(policy_text(KEY.verifier_key, asked="any"))):
        asked = {"policy": (text if policy == trust else policy_text(KEY.verifier_key, asked="any")).decode()}
        data, _ = prove_code(FolderSource(tmp_path), policy, code)
        round_told: Mapping[str, Any] = round_json(check_round(FolderSource(tmp_path), policy, code))
        proof_told: Mapping[str, Any] = proof_json("proof", check_proof(data, policy), None)
        answers = (
            second.ask("code", text=code, folder=str(tmp_path), **asked),
            second.ask("proof", hex=data.hex(), **asked),
        )
        for report, python in zip(answers, (round_told, proof_told), strict=True):
            check_told_alike(report, python)
            assert report["shared"] == python["witnessed"]["shared"]
            assert report["witnesses"] == python["witnessed"]["witnesses"]
            assert [each["name"] for each in report["witnesses"]] == ["lab", "regulator"]


def test_every_lie_has_one_verdict(second: SecondVerifier, tmp_path: Path, lattice: Lattice) -> None:
    """An audit of each log with a lie in it names the same check of the same record; so does the check of the round
    in question.
    """
    for number in lattice(range(len(LIES))):
        lie = LIES[number]
        operator, index = told(lie)
        folder = operator.write(tmp_path / str(number))
        python = ours(audit_log, FolderSource(folder), KEY.verifier_key, jobs=1)
        assert theirs(second.ask("audit", folder=str(folder), key=VKEY)) == python, lie.name
        assert python[2] == index
        for code in codes_at_the_edge(operator):
            python = ours(check_round, FolderSource(folder), KEY.verifier_key, code)
            assert theirs(second.ask("code", text=code, folder=str(folder), key=VKEY)) == python, (lie.name, code)


def codes_at_the_edge(operator: Operator) -> list[str]:
    """The codes of the last two rounds that each table revealed: the lies are there."""
    rounds = [(name, number) for name, table in operator.tables.items() for number in sorted(table.reveals)[-2:]]
    return [str(code_of(operator, name, number)) for name, number in rounds if known(operator, name, number)]


def known(operator: Operator, name: str, number: int) -> bool:
    """Whether the round was committed: some lies are about rounds that never were."""
    return number <= operator.tables[name].committed_through


def test_an_honest_log_has_one_verdict(second: SecondVerifier, operator: Operator, tmp_path: Path) -> None:
    """Every count of every table (SPEC 4.7)."""
    operator.write(tmp_path)
    report = audit_json(audit_log(FolderSource(tmp_path), KEY.verifier_key, jobs=1), GAMES)
    found = second.ask("audit", folder=str(tmp_path), key=VKEY)
    assert found["verdict"] == "held"
    for table in report["tables"]:
        counts: dict[str, Any] = {f"void_{kind}": count for kind, count in table["void"].items()}
        counts |= {key: table[key] for key in ("played", "unused", "unused_outcomes", "smallest_distance")}
        counts |= {key: table[key] for key in ("without_digest", "without_bets")}
        counts |= {
            "committed": table["committed_through"],
            "rules_changes": [c["batch"] for c in table["rules_changes"]],
        }
        assert found["tables"][table["table"]] == counts


@pytest.mark.parametrize("tell", [pytest.param(tell, id=name) for name, _, tell in PROOF_LIES])
def test_a_lie_in_a_proof_has_one_verdict(second: SecondVerifier, tell: Callable[[Operator], object]) -> None:
    """Valid signatures and audit paths, and one lie in a record."""
    operator = Operator()
    tell(operator)
    python, javascript = check_file(second, bytes(forged(operator)))
    assert javascript == python
    assert python[0] == "failed"


HOSTILE = three_tables()
HOSTILE_FILES = HOSTILE.files()
HOSTILE_CODE = code_of(HOSTILE, "keno", 3)
NEEDED = [path for path in sorted(HOSTILE_FILES) if not path.startswith("commitments/")]
A_PROOF = bytes(proof_of(HOSTILE, "keno", 3))

hostile = settings(
    max_examples=100,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
    phases=(Phase.explicit, Phase.generate),
)


def changed(data: bytes, seed: int) -> bytes:
    """Changed in a bit, a byte or a number, cut, repeated, or replaced."""
    dice = random.Random(seed)
    at = dice.randrange(len(data))
    return dice.choice(
        (
            data[:at] + bytes([data[at] ^ 1 << dice.randrange(8)]) + data[at + 1 :],
            data[:at] + data[at + 1 :],
            data[:at] + dice.randbytes(1) + data[at:],
            data[:at],
            data + data[:at],
            data[: at // 8 * 8] + u64(dice.choice((*range(40), 1 << 63, (1 << 64) - 1))) + data[at // 8 * 8 + 8 :],
            dice.randbytes(dice.choice((1, 32, len(data)))),
        )
    )


@hostile
@given(path=st.sampled_from(NEEDED), seed=st.none() | st.integers(0, 1 << 64))
def test_a_changed_file_has_one_verdict(path: str, seed: int | None, second: SecondVerifier) -> None:
    """Whatever a server changes, cuts or leaves out: the same check, or the same file that cannot be read.

    A false finding aid proves nothing: the round is not shown, or two records that it leads to contradict each other.
    SPEC 8.2 says which hints are read, so both give the same verdict; which check it names depends on the order of
    reading.
    """
    files = dict(HOSTILE_FILES)
    if seed is None:
        del files[path]
    else:
        files[path] = changed(files[path], seed)
    python, javascript = check_code(second, files, HOSTILE_CODE)
    if path.startswith("find/rounds/"):
        assert python[0] == javascript[0]
        assert python[0] in {"held", "not-shown", "failed"}
    else:
        assert javascript == python


@pytest.fixture(name="long_played", scope="module")
def _long_played() -> tuple[Files, Operator]:
    """600 rounds of three batches, so that the search for the lead doubles its steps and then bisects."""
    operator = Operator()
    operator.table("keno", "keno-express")
    for count in (300, 290, 20):
        operator.batch("keno", count)
        operator.play("keno", count - 5)
    return operator.files(), operator


@pytest.mark.nightly("plays hundreds of rounds before")
@pytest.mark.parametrize("number", [250, 299, 301, 580])
def test_the_same_hints_are_read(number: int, second: SecondVerifier, long_played: tuple[Files, Operator]) -> None:
    """The hint of each earlier lock is missing, past the end, or another record: both verifiers read it, or neither
    does.
    """
    files, operator = long_played
    table = operator.tables["keno"]
    code = code_of(operator, "keno", number)
    assert check_code(second, files, code) == (("held",), ("held",))
    verdicts = []
    for other in sorted({*range(1, number, 37), *range(max(1, number - 5), number), *range(285, 305), 586, 587}):
        path, at = rounds_path(table.table_id, other), RoundPositions.SIZE * place_in_file(other) + 16
        for hint in (0, 1 << 40, table.locks[1], table.locks[table.round]):
            data = files[path][:at] + u64(hint) + files[path][at + 8 :]
            python, javascript = check_code(second, {**files, path: data}, code)
            assert javascript == python, (other, hint)
            verdicts.append(python[0])
    assert set(verdicts) == {"held", "not-shown"}


def test_a_file_that_no_verifier_reads_has_any_form(second: SecondVerifier) -> None:
    """The batch holds the whole lead, so the separate file with the positions of the lead's last round is not
    read.
    """
    operator = Operator()
    operator.table("keno", "keno-express")
    operator.batch("keno", 300)
    operator.play("keno", 256)
    table_id = operator.tables["keno"].table_id
    files = operator.files() | {rounds_path(table_id, 257): b"no positions"}
    assert check_code(second, files, code_of(operator, "keno", 256)) == (("held",), ("held",))


@pytest.mark.parametrize("what", ["a table", "a batch", "a lock"])
def test_another_record_of_the_bundle_may_be_false(what: str, second: SecondVerifier) -> None:
    """Only the records that are read from a bundle are authenticated (SPEC 8.2); an audit reads all of them."""
    (path,) = (path for path in HOSTILE_FILES if path.startswith("tile/entries/"))
    records = split_bundle(HOSTILE_FILES[path], count=len(HOSTILE.records), where=path)
    own = HOSTILE.tables["dice"]
    index = {"a table": own.index, "a batch": own.batches[0].index, "a lock": own.locks[1]}[what]
    records[index] = bytes(len(records[index]))
    files = HOSTILE_FILES | {path: bundle_of(records)}
    assert check_code(second, files, HOSTILE_CODE) == (("held",), ("held",))
    assert ours(audit_log, InMemory(files), KEY.verifier_key)[:2] == ("failed", "bundle")


@pytest.mark.parametrize(
    "path", [path for path in sorted(HOSTILE_FILES) if path.startswith(("commitments/", "find/tables/"))]
)
def test_files_about_a_table_have_one_verdict(path: str, second: SecondVerifier) -> None:
    """The file of commitments or of tables: missing, empty, cut, too long, with one bit changed."""
    data = HOSTILE_FILES[path]
    forms = (None, b"", data[:-1], data[:-32], data + data, bytes([data[0] ^ 1]) + data[1:], data + bytes(24))
    for form in (*forms, u64(1 << 40) + data[8:], data + u64(1 << 40) + bytes(16)):
        files = {**HOSTILE_FILES} if form is None else {**HOSTILE_FILES, path: form}
        if form is None:
            del files[path]
        for name in ("keno", "other", "dice"):
            python, javascript = check_code(second, files, code_of(HOSTILE, name, 3))
            assert javascript == python, (form, name)


@hostile
@given(seed=st.integers(0, 1 << 64))
def test_a_changed_proof_file_has_one_verdict(seed: int, second: SecondVerifier) -> None:
    """A change of one byte, a cut, a repetition, anywhere in the file."""
    python, javascript = check_file(second, changed(A_PROOF, seed))
    assert javascript == python


def test_the_bytes_of_a_proof_file_matter_alike(second: SecondVerifier) -> None:
    """The lowest bit is changed in bytes spread over the whole file."""
    for at in range(0, len(A_PROOF), 7):
        data = A_PROOF[:at] + bytes([A_PROOF[at] ^ 1]) + A_PROOF[at + 1 :]
        python, javascript = check_file(second, data)
        assert javascript == python, at


def test_a_code_with_false_parts_has_one_verdict(second: SecondVerifier) -> None:
    """Another round, seed, table or game; a seed too many; a round that is locked or not yet opened."""
    code = HOSTILE_CODE
    other = HOSTILE.tables["other"].table_id[:4]
    for false in (
        replace(code, round_number=2),
        replace(code, seeds=(bytes(32),)),
        replace(code, seeds=(*code.seeds, bytes(32))),
        replace(code, table_prefix=other),
        replace(code, table_prefix=b"none"),
        replace(code, game="hi-lo"),
        *(replace(code, round_number=number) for number in (5, 12, 13, 300, 1 << 47)),
    ):
        python, javascript = check_code(second, HOSTILE_FILES, false)
        assert javascript == python
        absent = false.table_prefix == b"none" or false.round_number > code.round_number
        assert python[0] == ("not-shown" if absent else "failed"), false


@pytest.mark.parametrize("before", [False, True])
@pytest.mark.parametrize("beside", BESIDE)
def test_a_table_whose_id_begins_alike_changes_no_verdict(
    second: SecondVerifier,
    beside: str,
    before: bool,
) -> None:
    """An operator can easily make such a pair. What the other table is, and where it stands, says nothing about a
    round.
    """
    operator, name, files = table_beside(beside, before=before)
    code = code_of(operator, name, 2)
    assert check_code(second, files, code) == (("held",),) * 2
    for receipt in receipts_of(operator, name, 1):
        python = ours(check_bet, InMemory(files), KEY.verifier_key, receipt)
        assert python == theirs(second.ask("bet", hex=receipt.hex(), key=VKEY, files=hexed(files))) == ("held",)
    false = replace(code, seeds=(bytes(32),))
    python, javascript = check_code(second, files, false)
    assert python == javascript
    # It may be a code of a table of its game whose round is not shown; it is of none of a later version.
    assert python[0] == ("not-shown" if beside == "another table of its game" else "failed")


@pytest.mark.parametrize("before", [False, True])
def test_hints_to_tables_of_later_versions_are_passed_over(second: SecondVerifier, before: bool) -> None:
    """A code, a receipt and an id of version 1 are of no such table; if there are no others, nothing is shown."""
    operator, name, files = table_beside("a newer table", before=before)
    code, table_id = code_of(operator, name, 2), operator.tables[name].table_id
    newer = leaf_hash(operator.records[0 if before else 1])
    files[tables_path(newer)] = bytes(TablePositions(0 if before else 1))
    assert check_code(second, files, code) == (("not-shown", "code-table", None),) * 2
    of_newer = next(iter(receipts_of(operator, name, 1))).replace(table_id.hex().encode(), newer.hex().encode())
    python = ours(check_bet, InMemory(files), KEY.verifier_key, of_newer)
    assert python == theirs(second.ask("bet", hex=of_newer.hex(), key=VKEY, files=hexed(files)))
    assert python == ("not-shown", "bet-round", None)
    with pytest.raises(NotShown) as absent:
        prove_number(InMemory(files), KEY.verifier_key, newer, 1)
    assert absent.value.check is Check.ROUND_RECORDS


@pytest.mark.parametrize("before", [False, True])
@pytest.mark.parametrize("beside", BESIDE)
def test_a_table_whose_id_begins_alike_hides_no_lie(second: SecondVerifier, beside: str, before: bool) -> None:
    """The table that revealed the code's seeds is the code's, whatever else begins alike."""
    operator, name, files = table_beside(beside, before=before, outcome={"number": 0})
    assert (
        check_code(second, files, code_of(operator, name, 3))
        == (("failed", "outcome", len(operator.records) - 1),) * 2
    )
    del files[tables_path(operator.tables[name].table_id)]
    python, javascript = check_code(second, files, code_of(operator, name, 3))
    assert python == javascript == ("not-shown", "code-table", None)


@pytest.mark.parametrize(
    ("swapped", "check"),
    [((), None), ((1, 2), Check.TABLE_KNOWN), ((2, 3), Check.BATCH_NUMBER)],
    ids=["in order", "a batch before its table", "batches exchanged"],
)
def test_the_order_of_batches_is_by_their_places(
    second: SecondVerifier, swapped: tuple[int, ...], check: Check | None
) -> None:
    """Also if their times are the same, so that nothing else shows it. It is the doing of whoever has the key, as in
    an audit.
    """
    operator = Operator()
    operator.table("sic-bo-1", "sic-bo")
    operator.table("keno-1", "keno-express")
    table = operator.tables["keno-1"]
    for _ in range(2):
        operator.batch("keno-1", 4, committed=table.created)
    operator.play("keno-1", 4)
    if swapped:
        one, other = swapped
        operator.records[one], operator.records[other] = operator.records[other], operator.records[one]
        places = {one: other, other: one}
        table.index = places.get(table.index, table.index)
        for batch in table.batches:
            batch.index = places.get(batch.index, batch.index)
    python, javascript = check_code(second, operator.files(), code_of(operator, "keno-1", 3))
    assert python == javascript
    assert python[:2] == (("held",) if check is None else ("failed", check.value))
    if check is not None:
        assert FAULT[check] is Fault.KEY
        assert ours(audit_log, InMemory(operator.files()), KEY.verifier_key, jobs=1)[:2] == python[:2]


@hostile
@given(text=st.text(max_size=80) | st.text("qpzry9x8gf2tvdw0s3jn54khce6mua7l1", max_size=80).map("crash1".__add__))
def test_any_text_as_a_code_has_one_verdict(text: str, second: SecondVerifier) -> None:
    """Refused by the same check, before any file is read."""
    python, javascript = check_code(second, {}, text)
    assert javascript == python


def test_another_key_is_refused_alike(second: SecondVerifier) -> None:
    """A key that did not sign, and texts that are no keys."""
    other = VerifierKey.parse("fore.example/log+3391d0f1+AZuKtTtiquV2gpdd5ZCyfcWsBuafGyFX/vPhMeFCDSpj")
    assert check_file(second, A_PROOF, other) == (("unreadable", "checkpoint"),) * 2
    for text in ("", VKEY[:-1], VKEY + "\n", VKEY.replace("+", " "), " " + VKEY):
        assert second.ask("proof", hex=A_PROOF.hex(), key=text)["verdict"] == "malformed"
