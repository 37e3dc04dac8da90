"""Commands with ``--policy`` in the place of ``--key``: what they demand, what they name, what they no longer leave
out.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec import to_builtins

from fairness.checks import Check
from fairness.log.notes import SigningKey
from fairness.player.bets import digest, receipts
from fairness.times import seconds_in_words
from tests.support.codes import code_of
from tests.support.dishonest_operator import KEY, Operator
from tests.support.ran import Ran
from tests.support.witnesses import LAB, NOON, PRESS, REGULATOR, cosigned, policy_text
from verifier.commands.command import FAILED, HELD, UNREADABLE, USAGE
from verifier.sentences import NotChecked

VKEY = str(KEY.verifier_key)
BETS = [b"a bet 1", b"a bet 2"]
WITNESSED = {
    "quorum": "2 of 3: lab, press, regulator",
    "shared": 1,
    "witnesses": [
        {"name": "lab", "vkey": str(LAB.key), "at": seconds_in_words(NOON)},
        {"name": "regulator", "vkey": str(REGULATOR.key), "at": seconds_in_words(NOON)},
    ],
}
NAMED = ("Witness    lab as of 2026-11-20T12:00:00Z\n", "Witness    regulator as of 2026-11-20T12:00:00Z\n")


@pytest.fixture(name="operator", scope="module")
def _operator() -> Operator:
    operator = Operator()
    operator.table("keno-1", "keno-express")
    operator.batch("keno-1", 9)
    operator.play("keno-1", 2)
    operator.lock("keno-1", bets=to_builtins(digest(BETS)))
    operator.reveal("keno-1")
    return operator


@pytest.fixture(name="folder")
def _folder(operator: Operator, tmp_path: Path) -> Path:
    """A log whose head two of three witnesses cosigned, a policy that asks for two, and a bet's receipt."""
    operator.write(tmp_path / "log")
    head = tmp_path / "log" / "checkpoint"
    head.write_bytes(cosigned(head.read_bytes(), LAB, REGULATOR))
    (tmp_path / "policy").write_bytes(policy_text(KEY.verifier_key))
    (tmp_path / "alone").write_text(f"# nobody else\nlog {VKEY}\nquorum none\n")
    table = operator.tables["keno-1"]
    (tmp_path / "1.bet").write_bytes(bytes(receipts(BETS, table_id=table.table_id, round_number=3)[1]))
    return tmp_path


def calls(operator: Operator, folder: Path) -> list[list[str | Path]]:
    """Each command that checks one log, after one another: what one writes the next may read."""
    code, log, proof = str(code_of(operator, "keno-1", 3)), folder / "log", folder / "round.proof"
    return [
        ["audit", log, "--jobs", "1"],
        ["code", code, "--log", log],
        ["prove", code, "--log", log, "-o", proof],
        ["proof", proof],
        ["receipt", proof, "--log", log],
        ["bet", folder / "1.bet", "--log", log],
        ["bet", folder / "1.bet", "--proof", proof],
    ]


def test_every_command_names_the_witnesses(
    operator: Operator, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """With their times, and what two quorums share; what is still the operator's word is said, and no more that there
    is no witness.
    """
    for call in calls(operator, folder):
        told = Ran(capsys, *call, "--policy", folder / "policy", "--json")
        assert (told.status, told.json["witnessed"]) == (HELD, WITNESSED), call
        assert NotChecked.WITNESSED.fill(shared=1) in told.json["not_checked"]
        assert NotChecked.NO_WITNESS not in told.json["not_checked"]
        shown = Ran(capsys, *call, "--policy", folder / "policy").output
        assert [name in shown for name in NAMED] == [True, True], call
        assert "Quorum     2 of 3: lab, press, regulator; any two quorums share 1 witness\n" in shown


def test_a_witness_outside_the_quorum_is_not_named_as_part_of_it(
    operator: Operator, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """It is named among those that cosigned, like the others."""
    alone = folder / "lab-alone"
    alone.write_bytes(policy_text(KEY.verifier_key).replace(b"quorum outsiders", b"quorum lab"))
    for call in calls(operator, folder):
        shown = " ".join(Ran(capsys, *call, "--policy", alone).output.split())
        if call[0] != "audit":
            assert "the policy's quorum; cosigned by lab, regulator" in shown, call


def test_every_command_refuses_a_head_without_the_quorum(
    operator: Operator, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Although the log's key signed it, and one witness did."""
    head = folder / "log" / "checkpoint"
    enough = head.read_bytes()
    for call in calls(operator, folder):
        head.write_bytes(cosigned(enough.partition(LAB.line(enough))[0], PRESS))
        if call[0] in {"proof", "bet", "receipt"}:
            proof = folder / "round.proof"
            Ran(capsys, *calls(operator, folder)[2], "--key", VKEY)
            assert proof.read_bytes().endswith(PRESS.line(enough))
        failed = Ran(capsys, *call, "--policy", folder / "policy", "--json")
        assert (failed.status, failed.json["check"]) == (FAILED, Check.CHECKPOINT_QUORUM.value), call
        assert failed.json["found"] == "those of press"


def test_a_policy_of_the_log_alone_is_the_bare_key(
    operator: Operator, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The same verdict to the byte, which says what it leaves out: that there was no witness."""
    for call in calls(operator, folder):
        for form in ([], ["--json"]):
            key, policy = (Ran(capsys, *call, *trust, *form) for trust in trusts(folder / "alone"))
            assert (policy.status, policy.output) == (key.status, key.output) == (HELD, key.output), call
    assert "witnessed" not in key.json
    assert NotChecked.NO_WITNESS in key.json["not_checked"]


def trusts(policy: Path) -> list[list[str | Path]]:
    """Both ways to say whom to believe."""
    return [["--key", VKEY], ["--policy", policy]]


def test_two_places_with_the_quorum_are_compared(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The verdict names the witnesses of both."""
    told = Ran(capsys, "compare", folder / "log", folder / "log", "--policy", folder / "policy", "--json").json
    assert (told["first"]["witnessed"], told["second"]["witnessed"]) == (WITNESSED, WITNESSED)
    shown = Ran(capsys, "compare", folder / "log", folder / "log", "--policy", folder / "policy").output
    assert shown.count(NAMED[0]) == 2


def test_exactly_one_of_key_and_policy(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Both, or neither, is wrong usage."""
    both = Ran(capsys, "audit", folder / "log", "--key", VKEY, "--policy", folder / "policy")
    neither = Ran(capsys, "audit", folder / "log")
    assert (both.status, neither.status) == (USAGE, USAGE)
    assert "not allowed with argument --key" in both.errors
    assert "one of the arguments --key --policy is required" in neither.errors


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (f"log {VKEY}\ngroop g any lab\n", "policy, line 2: expected a line that begins with log, witness"),
        (f"log {VKEY}\n", "policy: expected one line: quorum NAME|none, found none"),
        (None, "No such file or directory"),
    ],
)
def test_a_policy_that_cannot_be_used_is_wrong_usage(
    text: str | None, told: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The message names the line, what was expected and what was found."""
    file = folder / "a policy"
    if text is not None:
        file.write_text(text)
    ran = Ran(capsys, "audit", folder / "log", "--policy", file)
    assert (ran.status, ran.output) == (USAGE, "")
    assert told in ran.errors


def test_what_was_remembered_with_the_key_is_audited_anew_with_a_policy(
    folder: Path, operator: Operator, capsys: pytest.CaptureFixture[str]
) -> None:
    """With the key alone, no time of a record was compared with a witness's."""
    head = folder / "log" / "checkpoint"
    witnessed, plain = head.read_bytes(), operator.files()["checkpoint"]
    head.write_bytes(plain)
    audit: list[str | Path] = ["audit", folder / "log", "--jobs", "1", "--state", folder / "state"]
    assert Ran(capsys, *audit, "--key", VKEY).status == HELD
    head.write_bytes(witnessed)
    again = Ran(capsys, *audit, "--policy", folder / "policy", "--json")
    assert (again.status, again.json["seen_before"]) == (HELD, 0)


def test_custodians_of_a_policy_are_asked_for_notes(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Of each batch of each table that names them; of no other custodian is anything said."""
    custodian = SigningKey("house.example/custodian", bytes(32)).verifier_key
    file = folder / "custodians"
    file.write_bytes(policy_text(KEY.verifier_key) + f"custodian house {custodian}\n".encode())
    asked = Ran(capsys, "audit", folder / "log", "--jobs", "1", "--policy", file, "--json")
    assert (asked.status, asked.json["check"]) == (FAILED, "custody-note")
    file.write_bytes(policy_text(KEY.verifier_key) + f"custodian elsewhere {custodian}\n".encode())
    told = Ran(capsys, "audit", folder / "log", "--jobs", "1", "--policy", file, "--json")
    assert (told.status, told.json["custody"]) == (HELD, {"notes": 0, "said": []})
    file.write_bytes(policy_text(KEY.verifier_key) + f"custodian house {custodian}\n".encode())
    explained = Ran(capsys, "policy", file)
    assert f"Custodian  house: {custodian}\n" in explained.output
    assert "must have signed a note for each batch" in " ".join(explained.output.split())


def explained(
    folder: Path, capsys: pytest.CaptureFixture[str], asked: int | str
) -> tuple[list[str], list[tuple[bool, bool, bool]]]:
    """What the operator, one, two and three liars could do, in words and as JSON."""
    file = folder / "a policy"
    file.write_bytes(policy_text(KEY.verifier_key, asked=asked))
    told = Ran(capsys, "policy", file, "--json").json
    return told["could"], [(each["stop"], each["two_histories"], each["alone"]) for each in told["liars"]]


@pytest.mark.parametrize(
    ("asked", "alone", "liars"),
    [
        (2, "could not", [(False, True, False), (True, True, True), (True, True, True)]),
        ("any", "could", [(False, True, True), (False, True, True), (True, True, True)]),
        ("all", "could not", [(True, False, False), (True, False, False), (True, True, True)]),
    ],
)
def test_a_policy_is_explained(
    folder: Path,
    capsys: pytest.CaptureFixture[str],
    asked: int | str,
    alone: str,
    liars: list[tuple[bool, bool, bool]],
) -> None:
    """What one, two and three liars could do, and the operator without any."""
    words, found = explained(folder, capsys, asked)
    assert found == liars
    assert words[0].startswith(f"The operator alone {alone} have two histories witnessed")
    assert [text.split(" could ")[0] for text in words[1:]] == [
        "One witness that lies",
        "Two that lie",
        "Three that lie",
    ]


def test_a_policy_without_witnesses_is_explained(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """It says what nobody prevents."""
    shown = Ran(capsys, "policy", folder / "alone")
    assert shown.status == HELD
    assert "Quorum     none\n" in shown.output
    assert "The operator alone could show two histories to two people" in shown.output


@pytest.mark.parametrize(
    ("time", "words"),
    [
        (0, "1970-01-01T00:00:00Z, but the newest record"),
        (4_300_000_000, "2106-04-06T12:26:40Z, but the clock of this device"),
    ],
)
def test_a_time_of_a_witness_that_cannot_be_right_is_remarked(
    time: int, words: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """It counts for the quorum, and no check fails: which of the two clocks is wrong is not known."""
    call = ("audit", folder / "log", "--policy", folder / "policy", "--json")
    head = folder / "log" / "checkpoint"
    text, _, lines = head.read_bytes().partition(b"\n\n")
    note = cosigned(text + b"\n\n" + lines.splitlines(keepends=True)[0], LAB, time=NOON + 86_400)
    head.write_bytes(cosigned(note, REGULATOR, time=NOON + 86_400))
    assert Ran(capsys, *call).json["remarks"] == []
    head.write_bytes(cosigned(note, REGULATOR, time=time))
    ran = Ran(capsys, *call)
    assert (ran.status, len(ran.json["remarks"])) == (HELD, 1)
    assert f"The witness regulator says that it cosigned this checkpoint at {words}" in ran.json["remarks"][0]
    assert "One of the two clocks is wrong." in Ran(capsys, *call[:-1]).output.replace("\n    ", " ")


def test_a_policy_of_several_logs_needs_one_that_is_meant(
    operator: Operator, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """By its name, by its address, or by the checkpoint of a file; another log than the one that is meant is no
    verdict.
    """
    other = SigningKey("other.example/log", bytes(32)).verifier_key
    file, log = folder / "several", folder / "log"
    both = policy_text(KEY.verifier_key).replace(b"\n", f" {log}\nlog {other} http://localhost/other\n".encode(), 1)
    file.write_bytes(both)
    assert Ran(capsys, "audit", log, "--jobs", "1", "--policy", file).status == HELD
    copy = folder / "copy"
    log.rename(copy)
    unclear = Ran(capsys, "audit", copy, "--jobs", "1", "--policy", file)
    assert unclear.status == USAGE
    assert "one of the policy's logs: fore.example/log, other.example/log" in unclear.errors
    named: list[str | Path] = ["audit", copy, "--jobs", "1", "--policy", file, "--log-name"]
    assert Ran(capsys, *named, KEY.name).status == HELD
    assert Ran(capsys, *named, "other.example/log").status == UNREADABLE
    assert Ran(capsys, *named, "third.example/log").status == USAGE
    code, proof = str(code_of(operator, "keno-1", 3)), folder / "round.proof"
    prove = Ran(capsys, "prove", code, "--log", copy, "-o", proof, "--policy", file, "--log-name", KEY.name)
    assert prove.status == HELD
    assert Ran(capsys, "proof", proof, "--policy", file).status == HELD
    assert Ran(capsys, "audit", copy, "--key", VKEY, "--log-name", "other.example/log").status == USAGE
