"""``foredraw-verify`` as its users see it: exit status, words, JSON, and never a traceback."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import threading
from contextlib import suppress
from http.server import BaseHTTPRequestHandler
from pathlib import Path

import pytest

from fairness.checks import MEANING, Check
from fairness.hashing import sha256
from fairness.log.checkpoints import Checkpoint
from fairness.log.merkle import EMPTY_ROOT
from fairness.log.notes import SigningKey
from fairness.manifest import VERIFIER, manifest_of_running
from fairness.player.bech32m import encode
from fairness.version import VERSION
from tests.lies import history, started
from tests.support.codes import code_of
from tests.support.dishonest_operator import KEY, Operator
from tests.support.interrupted import START, interrupted_after, interrupted_at
from tests.support.log_server import answering, serving
from tests.support.ran import Ran
from tests.support.running_service import free_port, wait_until
from verifier.audit.state_file import load_state
from verifier.cli import main
from verifier.commands import COMMANDS
from verifier.commands.command import FAILED, HELD, MISTYPED, UNKNOWN, UNREADABLE, USAGE
from verifier.sentences import Means

VKEY = str(KEY.verifier_key)
OTHER_VKEY = str(SigningKey(KEY.name, sha256(b"another")).verifier_key)

PATIENCE = 60.0


@pytest.fixture(name="log")
def _log(tmp_path: Path) -> Path:
    return history().write(tmp_path / "log")


def test_every_verdict_names_its_program(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """Version and manifest: in text the first digits, in JSON all; what is handed on as it is has neither."""
    manifest = manifest_of_running(VERIFIER)
    ran = Ran(capsys, "audit", tmp_path / "none", "--key", VKEY)
    assert ran.program == f"Program    foredraw-verify {VERSION}, manifest {manifest[:16]}\n"
    ran = Ran(capsys, "audit", tmp_path / "none", "--key", VKEY, "--json")
    assert json.loads(ran.output)["program"] == {"version": VERSION, "manifest": manifest}
    (tmp_path / "lines").write_bytes(b"a bet")
    ran = Ran(capsys, "bets", tmp_path / "lines", "--json")
    assert list(json.loads(ran.output)) == ["bets"]


def test_the_version_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    """--version prints the program and its version, like the service's program, and needs no command."""
    ran = Ran(capsys, "--version")
    assert (ran.status, ran.output, ran.errors) == (
        HELD,
        f"foredraw-verify {VERSION}, manifest {manifest_of_running(VERIFIER)}\n",
        "",
    )


def test_an_audit_that_holds(log: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """One line per table, void rounds in their three classes, rules, what is unfinished, what was not checked, a
    verdict.
    """
    ran = Ran(capsys, "audit", log, "--key", VKEY)
    assert (ran.status, ran.errors) == (HELD, "")
    lines = ran.output.splitlines()
    header = next(line for line in lines if line.startswith("table "))
    assert header.split()[2:7] == ["state", "played", "void-unopened", "void-opened", "void-locked"]
    row = next(line for line in lines if line.startswith("keno-express-1 "))
    assert row.split()[2:7] == ["ended", "25", "2", "1", "1"]
    at = lines.index("crash-1: rules cap 1000000, rtp 9700, version 1")
    assert lines[at + 1] == "  - salt: none; custodians: house"
    unfinished = lines[lines.index("Unfinished") : lines.index("Not checked")]
    assert any("round 6 was locked at" in line for line in unfinished)
    assert any(line.startswith("The newest time in this log is 2026-11-2") for line in unfinished)
    # A round may have been locked a second ago: the one mention of hanging is of a later checkpoint.
    assert re.findall(r"\bhang\w*", ran.output, re.IGNORECASE) == ["hangs"]
    assert lines[-1].startswith("Held: All ")
    assert lines[-1].endswith("2 things are unfinished, see above. What was not checked stands above.")


def test_an_audit_as_json(log: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """One object with a version and the same keys for every table."""
    ran = Ran(capsys, "audit", log, "--key", VKEY, "--json", "--jobs", "2")
    assert (ran.status, ran.errors) == (HELD, "")
    verdict = ran.json
    assert {key: verdict[key] for key in ("v", "command", "verdict")} == {
        "v": 1,
        "command": "audit",
        "verdict": "held",
    }
    assert verdict.keys() == {
        *(
            "v",
            "command",
            "verdict",
            "unknown",
            "log",
            "seen_before",
            "rounds_ended",
            "tables",
            "unfinished",
            "silent",
            "asides",
            "never_played",
            "remarks",
            "not_checked",
        )
    }
    (table,) = [table for table in verdict["tables"] if table["table"] == "keno-express-1"]
    assert table["void"] == {"never_opened": 2, "opened": 1, "locked": 1}
    assert verdict["unfinished"][0] == {
        "table": "crash-1",
        "what": "locked-round",
        "round": 6,
        "begun_at": verdict["unfinished"][0]["begun_at"],
    }
    always = {"table", "table_id", "game", "custodians", "bets_required", "played", "void", "unused", "lead", "ended"}
    assert all(table.keys() >= always for table in verdict["tables"])


def test_a_round_that_holds(log: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Table, game, round, outcome, times, how many rounds ahead, each check, what was not checked, and a verdict."""
    operator = history()
    code = str(code_of(operator, "sic-bo-1", 3))
    ran = Ran(capsys, "code", code, "--log", log, "--key", VKEY)
    assert (ran.status, ran.errors) == (HELD, "")
    for words in ("sic-bo-1 of fore.example/log", "3 (sic-bo, batch 1)", '{"dice":[', "Checked", "Not checked"):
        assert words in ran.output
    assert ran.output.splitlines()[-1].startswith(
        "Held: Round 3 of sic-bo-1 was fixed before the table's first round was locked. Its outcome"
    )
    assert "rounds ahead" not in ran.output
    later = Ran(capsys, "code", str(code_of(operator, "keno-express-1", 3)), "--log", log, "--key", VKEY)
    assert "before the table's first round was locked (rounds ahead: 2)." in later.output.splitlines()[-1]
    verdict = Ran(capsys, "code", code, "--log", log, "--key", VKEY, "--json", "--table", "sic-bo-1").json
    assert (verdict["v"], verdict["verdict"], verdict["round"], verdict["rounds_ahead"]) == (1, "held", 3, 2)
    assert verdict["outcome"] == operator.tables["sic-bo-1"].outcome_of(3)


def test_a_failed_check_is_status_3(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The check, the record, what was expected and what was found; in words and in JSON."""
    operator = started()
    operator.lock("keno-1", round=9)
    at = len(operator.records) - 1
    ran = Ran(capsys, "audit", operator.write(tmp_path), "--key", VKEY)
    assert (ran.status, ran.errors) == (FAILED, "")
    failed, meant = (part.splitlines() for part in ran.output.split("\n\n"))
    assert failed == [
        "FAILED: lock-next",
        f"Must hold  {MEANING[Check.LOCK_NEXT]}",
        f"Record     {at}",
        "Expected   round 6",
        "Found      round 9",
    ]
    assert " ".join(meant) == f"What it means: {Means.FAULT_OF_KEY}"
    ran = Ran(capsys, "audit", tmp_path, "--key", VKEY, "--json")
    assert ran.status == FAILED
    assert ran.json == {
        "v": 1,
        "command": "audit",
        "verdict": "failed",
        "check": "lock-next",
        "record": at,
        "meaning": MEANING[Check.LOCK_NEXT],
        "means": Means.FAULT_OF_KEY,
        "expected": "round 6",
        "found": "round 9",
    }


def test_a_code_with_a_typing_error_is_status_8(log: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """It says where, and what may have been meant; it accuses nobody."""
    code = str(code_of(history(), "sic-bo-1", 3))
    wrong = code[:20] + ("q" if code[20] != "q" else "p") + code[21:]
    for command in (("code", wrong), ("prove", wrong, "-o", log / "proof")):
        ran = Ran(capsys, *command, "--log", log, "--key", VKEY)
        assert ran.status == MISTYPED
        assert ran.output.startswith("MISTYPED: code-checksum\n")
        assert "character 21 or so" in ran.output
        assert f"{code} (a guess: compare it with the original)" in " ".join(ran.output.split())
        assert "this says nothing about anybody" in ran.output
    ran = Ran(capsys, "code", wrong.upper(), "--log", log, "--key", VKEY, "--json")
    assert (ran.status, ran.json["verdict"], ran.json["check"]) == (MISTYPED, "mistyped", "code-checksum")
    assert ran.json["typing"] == {"kind": "substitution", "places": [21], "suggestion": code}
    assert Ran(capsys, "code", "sic-bo", "--log", log, "--key", VKEY, "--json").json["typing"]["kind"] == "no-game"


def test_a_code_of_a_later_version_is_status_6(log: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Its checksum holds, and nobody is accused."""
    ran = Ran(capsys, "code", encode("sic-bo", bytes([2]) + bytes(50)), "--log", log, "--key", VKEY, "--json")
    assert (ran.status, ran.json["verdict"]) == (UNKNOWN, "unknown")
    assert ran.json["unknown"] == [
        "This verifier does not know round codes of version 2, which may be newer than it."
    ]


def test_a_code_of_another_table_is_status_3(log: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """If the user names the table."""
    code = str(code_of(history(), "sic-bo-1", 3))
    ran = Ran(capsys, "code", code, "--log", log, "--key", VKEY, "--table", "crash-1", "--json")
    assert (ran.status, ran.json["check"], ran.json["found"]) == (FAILED, "code-table", "a code of sic-bo-1")


@pytest.mark.parametrize(
    "page", [None, b"<html>Sign in</html>\n", b"", b"\xff" * 2_000_000], ids=["key", "page", "empty", "huge"]
)
def test_what_is_not_this_keys_log_is_status_4(
    page: bytes | None, log: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Another key, or a portal's page in the place of a log: nobody is accused, and the message names who should have
    signed.
    """
    key = OTHER_VKEY if page is None else VKEY
    if page is not None:
        log = shutil.copytree(log, tmp_path / "copy")
        (log / "checkpoint").write_bytes(page)
    code = str(code_of(history(), "sic-bo-1", 3))
    for command in (("audit", log), ("code", code, "--log", log), ("audit", log, "--state", tmp_path / "state")):
        ran = Ran(capsys, *command, "--key", key, "--json")
        assert (ran.status, ran.json["verdict"], ran.json["file"]) == (UNREADABLE, "unreadable", "checkpoint")
        assert "this is not signed by the key that you gave" in ran.json["why"] or page == b"\xff" * 2_000_000
    assert not (tmp_path / "state").exists()


def test_a_signature_in_the_logs_name_that_does_not_verify_is_status_3(
    log: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Also if the rest is no note: somebody claims that this log signed it."""
    log = shutil.copytree(log, tmp_path / "copy")
    honest = (log / "checkpoint").read_bytes()
    for note, check in (
        (honest[:-1], "note-form"),
        (honest.replace(b"fore.example/log\n", b"x\n", 1), "note-signature"),
    ):
        (log / "checkpoint").write_bytes(note)
        ran = Ran(capsys, "audit", log, "--key", VKEY, "--json")
        assert (ran.status, ran.json["check"]) == (FAILED, check)


def test_what_cannot_be_read_is_status_4(log: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The error names the file, and there is no verdict."""
    (bundle,) = log.glob("tile/entries/000.p/*")
    bundle.unlink()
    for jobs in ("1", "2"):
        ran = Ran(capsys, "audit", log, "--key", VKEY, "--jobs", jobs)
        assert ran.status == UNREADABLE
        assert str(bundle.relative_to(log)) in ran.output
    ran = Ran(capsys, "audit", log / "none", "--key", VKEY, "--json")
    assert ran.status == UNREADABLE
    assert ran.json == {
        "v": 1,
        "command": "audit",
        "verdict": "unreadable",
        "file": "checkpoint",
        "why": f"no such file in {log / 'none'}",
    }
    ran = Ran(capsys, "audit", "http://127.0.0.1:1/log", "--key", VKEY)
    assert (ran.status, "no connection" in ran.output) == (UNREADABLE, True)


WRONG_USAGE = (
    (),
    ("audit",),
    ("audit", "somewhere"),
    ("audit", "somewhere", "--key", "a key"),
    ("audit", "somewhere", "--key", VKEY[:-1]),
    ("audit", "ftp://example.com/log", "--key", VKEY),
    ("audit", "http://", "--key", VKEY),
    ("audit", "somewhere", "--key", VKEY, "--jobs", "0"),
    ("audit", "somewhere", "--key", VKEY, "--jobs", "+1"),
    ("code", "crash1q", "--key", VKEY),
    ("audit", "somewhere", "--ke", VKEY),
    ("audit", "somewhere", "--key", VKEY, "--job", "2"),
    ("verify",),
)


@pytest.mark.parametrize("arguments", WRONG_USAGE, ids=" ".join)
def test_wrong_usage_is_status_2(arguments: tuple[str, ...], capsys: pytest.CaptureFixture[str]) -> None:
    """It is reported on the error output, in a few lines."""
    ran = Ran(capsys, *arguments)
    assert (ran.status, ran.output) == (USAGE, "")
    assert "foredraw-verify" in ran.errors
    assert "Traceback" not in ran.errors


@pytest.mark.parametrize("arguments", WRONG_USAGE, ids=" ".join)
def test_wrong_usage_is_json_for_programs(arguments: tuple[str, ...], capsys: pytest.CaptureFixture[str]) -> None:
    """What an option that a later version does not have any more does to a program: status 2, and the reason."""
    plain, ran = Ran(capsys, *arguments), Ran(capsys, *arguments, "--json")
    assert ran.status == USAGE
    assert ran.errors == plain.errors
    named = {"command": arguments[0]} if arguments and arguments[0] in COMMANDS else {}
    assert ran.json == {"v": 1, **named, "verdict": "wrong-usage", "why": ran.json["why"]}
    assert ran.json["why"] in ran.errors


def test_what_stands_behind_two_dashes_is_no_option(capsys: pytest.CaptureFixture[str]) -> None:
    """So nobody has asked for JSON there."""
    assert Ran(capsys, "audit", "--", "--json").output == ""


@pytest.mark.parametrize("command", [(), ("audit",), ("code",)], ids=["all", "audit", "code"])
def test_help_tells_every_exit_status(command: tuple[str, ...], capsys: pytest.CaptureFixture[str]) -> None:
    """So does the help of each command."""
    ran = Ran(capsys, *command, "--help")
    assert ran.status == HELD
    for status in ("0  everything", "2  wrong usage", "3  a check failed", "4  a file could not be read"):
        assert status in ran.output


def test_a_state_is_gone_on_from(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The second run says how much it had seen, also over HTTP; a failure does not change the state."""
    operator, state = started(), tmp_path / "state"
    log = operator.write(tmp_path / "log")
    arguments = ("--key", VKEY, "--state", state)
    assert Ran(capsys, "audit", log, *arguments).status == HELD
    seen = len(operator.records)
    operator.play("keno-1", 2).write(log)
    with serving(log) as address:
        verdict = Ran(capsys, "audit", address, *arguments, "--json").json
    assert (verdict["seen_before"], verdict["log"]["size"]) == (seen, seen + 4)
    remembered = state.read_bytes()
    operator.lock("keno-1", round=99)
    operator.write(log)
    assert Ran(capsys, "audit", log, *arguments).status == FAILED
    assert state.read_bytes() == remembered


def test_a_rewritten_log_leaves_evidence(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Both checkpoints, word for word, in a file that the error names, and that anybody with the key can check."""
    state = tmp_path / "state"
    old = started().write(tmp_path / "old")
    new = history().write(tmp_path / "new")
    arguments = ("--key", VKEY, "--state", state)
    assert Ran(capsys, "audit", old, *arguments).status == HELD
    ran = Ran(capsys, "audit", new, *arguments)
    assert ran.status == FAILED
    assert ran.output.startswith("FAILED: log-extends\n")
    (kept,) = tmp_path.glob("state.evidence-*.txt")
    assert str(kept) in ran.output.replace("\n", "")
    evidence = kept.read_bytes()
    assert (old / "checkpoint").read_bytes() in evidence
    assert (new / "checkpoint").read_bytes() in evidence
    assert Ran(capsys, "evidence", kept, "--key", VKEY).status == HELD
    assert Ran(capsys, "audit", old, *arguments).status == HELD
    named = tmp_path / "named"
    assert str(named) in Ran(capsys, "audit", new, *arguments, "--evidence", named).output.replace("\n", "")
    assert named.read_bytes() == evidence
    assert [*tmp_path.glob("state.evidence-*.txt")] == [kept]


def test_an_empty_log_is_called_empty(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Status 0, but not `held`: nobody shall take it for a log of rounds that hold."""
    log = Operator().write(tmp_path)
    ran = Ran(capsys, "audit", log, "--key", VKEY)
    assert (ran.status, "Held" in ran.output) == (HELD, False)
    assert ran.output.splitlines()[-1].startswith("Empty: There is nothing in this log")
    assert Ran(capsys, "audit", log, "--key", VKEY, "--json").json["verdict"] == "empty"


def test_an_older_copy_is_status_4(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """With its tiles it is proven to begin what was seen; without them both checkpoints are kept. What was seen stays
    remembered.
    """
    state, operator = tmp_path / "state", started()
    old = operator.write(tmp_path / "old")
    new = operator.play("keno-1", 3).write(tmp_path / "new")
    arguments = ("--key", VKEY, "--state", state)
    assert Ran(capsys, "audit", new, *arguments).status == HELD
    remembered = state.read_bytes()
    ran = Ran(capsys, "audit", old, *arguments, "--json")
    assert (ran.status, ran.json["verdict"]) == (UNREADABLE, "unreadable")
    (kept,) = tmp_path.glob("state.evidence-*.txt")
    assert f"both signed checkpoints are in {kept}, and prove nothing yet" in ran.json["why"]
    kept.unlink()
    (new / "checkpoint").write_bytes((old / "checkpoint").read_bytes())
    ran = Ran(capsys, "audit", new, *arguments, "--json")
    assert (ran.status, "which begin what was seen" in ran.json["why"]) == (UNREADABLE, True)
    assert not list(tmp_path.glob("state.evidence-*.txt"))
    assert state.read_bytes() == remembered


def test_a_state_that_cannot_be_used_says_what_to_do(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Damaged: it could not be read. Of another log: wrong usage. In a missing folder: it could not be saved."""
    log, state = started().write(tmp_path / "log"), tmp_path / "state"
    state.write_bytes(b"{}")
    ran = Ran(capsys, "audit", log, "--key", VKEY, "--state", state)
    assert (ran.status, "move it away" in ran.output) == (UNREADABLE, True)
    state.unlink()
    assert Ran(capsys, "audit", log, "--key", VKEY, "--state", state).status == HELD
    other_key, other = SigningKey("other.example/log", KEY.secret), tmp_path / "other"
    other.mkdir()
    (other / "checkpoint").write_bytes(Checkpoint(other_key.name, 0, EMPTY_ROOT).sign(other_key))
    ran = Ran(capsys, "audit", other, "--key", str(other_key.verifier_key), "--state", state)
    assert (ran.status, ran.output) == (USAGE, "")
    assert "is of the log fore.example/log" in ran.errors
    ran = Ran(capsys, "audit", log, "--key", VKEY, "--state", tmp_path / "none" / "state")
    assert (ran.status, "nothing could be remembered there" in ran.output) == (UNREADABLE, True)


def test_a_state_is_of_one_run_at_a_time(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """By whatever link: the second is refused, so what the first has seen is never set back. What a crash left is no
    obstacle.
    """
    operator, state, link = started(), tmp_path / "state", tmp_path / "link"
    small = operator.write(tmp_path / "small")
    large = operator.play("keno-1", 2).write(tmp_path / "large")
    link.symlink_to(state)
    (tmp_path / "state.lock").touch()
    refused: list[Ran] = []

    def answer(request: BaseHTTPRequestHandler) -> None:
        if not refused:
            commands = (("audit", small), ("watch", large))
            refused.extend(Ran(capsys, *each, "--key", VKEY, "--state", link) for each in commands)
        data = (large / request.path.lstrip("/")).read_bytes()
        request.send_response(200)
        request.send_header("Content-Length", str(len(data)))
        request.end_headers()
        request.wfile.write(data)

    with answering(answer) as address:
        ran = Ran(capsys, "audit", address, "--key", VKEY, "--state", state)
    assert [(each.status, "another audit or watch uses it" in each.output) for each in refused] == [
        (UNREADABLE, True),
        (UNREADABLE, True),
    ]
    assert ran.status == HELD
    seen = load_state(state)
    assert seen is not None
    assert seen.checkpoint.encode() == (large / "checkpoint").read_bytes()
    assert {each.name for each in tmp_path.iterdir()} == {"state", "link", "small", "large"}
    assert Ran(capsys, "audit", large, "--key", VKEY, "--state", link).status == HELD


def test_a_state_that_was_replaced_meanwhile_stays(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """By hand, or from another machine whose locks are not ours: it may have seen more than this run."""
    operator, state, put = started(), tmp_path / "state", tmp_path / "put"
    small = operator.write(tmp_path / "small")
    large = operator.play("keno-1", 2).write(tmp_path / "large")
    assert Ran(capsys, "audit", large, "--key", VKEY, "--state", put).status == HELD
    more = put.read_bytes()

    def answer(request: BaseHTTPRequestHandler) -> None:
        state.write_bytes(more)
        data = (small / request.path.lstrip("/")).read_bytes()
        request.send_response(200)
        request.send_header("Content-Length", str(len(data)))
        request.end_headers()
        request.wfile.write(data)

    with answering(answer) as address:
        ran = Ran(capsys, "audit", address, "--key", VKEY, "--state", state)
    assert (ran.status, "another program has replaced it meanwhile" in ran.output) == (UNREADABLE, True)
    assert state.read_bytes() == more


def test_the_program_runs_by_itself(log: Path, tmp_path: Path) -> None:
    """Without a terminal, its output has no colours and no wrapped hash; its status is the verdict's."""
    program = [sys.executable, "-m", "verifier"]
    ran = subprocess.run([*program, "audit", log, "--key", VKEY], capture_output=True, text=True, check=False)
    assert (ran.returncode, ran.stderr) == (HELD, "")
    assert "\x1b" not in ran.stdout
    assert any(len(line) == len("Root       ") + 64 for line in ran.stdout.splitlines())
    ran = subprocess.run(
        [*program, "audit", spoilt(log, tmp_path), "--key", VKEY], capture_output=True, text=True, check=False
    )
    assert (ran.returncode, ran.stderr) == (FAILED, "")


def spoilt(log: Path, folder: Path) -> Path:
    """A copy whose checkpoint is no whole note, in the log's name."""
    copy = shutil.copytree(log, folder / "spoilt")
    (copy / "checkpoint").write_bytes((log / "checkpoint").read_bytes()[:-1])
    return copy


def test_an_interrupt_ends_it_cleanly() -> None:
    """Status 130, no traceback, and no waiting for a server that does not answer."""
    asked, done = threading.Event(), threading.Event()

    def silent(_: BaseHTTPRequestHandler) -> None:
        asked.set()
        done.wait(PATIENCE)

    with answering(silent) as address:
        arguments = [sys.executable, "-m", "verifier", "audit", address, "--key", VKEY]
        with subprocess.Popen(arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as program:
            assert asked.wait(PATIENCE)
            program.send_signal(signal.SIGINT)
            output, errors = program.communicate(timeout=PATIENCE / 2)
        done.set()
    assert (program.returncode, output) == (130, "")
    assert errors == "\nforedraw-verify: interrupted, no verdict\n"


PROGRAM = Path(sys.executable).with_name("foredraw-verify")
QUIETLY = (-signal.SIGINT, "", "")
"""Ended by the signal itself; a shell shows that as status 130, too."""
MODULE = (sys.executable, "-m", "verifier")


@pytest.mark.parametrize(
    "module", [START, "runpy", "verifier", "fairness.errors", "verifier.audit.audit", "verifier.cli"]
)
def test_an_interrupt_while_it_starts_ends_it_quietly(module: str, tmp_path: Path) -> None:
    """Python's own start included: no traceback of whatever is being imported."""
    assert interrupted_at(module, [PROGRAM, "--version"], tmp_path) == QUIETLY


@pytest.mark.parametrize("module", ["fairness.errors", "verifier.audit.audit", "verifier.cli"])
def test_an_interrupt_while_python_imports_it_ends_it_quietly(module: str, tmp_path: Path) -> None:
    """As a module it is started by Python alone, which shows its own traceback before our first module."""
    assert interrupted_at(module, [*MODULE, "--version"], tmp_path) == QUIETLY


def test_an_interrupted_import_of_the_library_raises(tmp_path: Path) -> None:
    """A program that imports it has its own way with interrupts, and keeps that."""
    program = (
        "import signal\ntry:\n    from verifier import audit_log\nexcept KeyboardInterrupt:\n"
        "    print(signal.getsignal(signal.SIGINT) is signal.default_int_handler)"
    )
    assert interrupted_at("verifier.audit.audit", [sys.executable, "-c", program], tmp_path) == (0, "True\n", "")


@pytest.mark.nightly("starts the program some hundred times")
def test_an_interrupt_at_any_moment_of_its_start_shows_no_traceback(log: Path) -> None:
    """Each two milliseconds, until it has said what it was asked for: nothing, or one line."""
    command: list[str | Path] = [PROGRAM, "audit", log, "--key", VKEY]
    ended, milliseconds = QUIETLY, 0
    while ended[0] != HELD:
        ended = interrupted_after(milliseconds / 1000, command)
        assert ended[::2] in {
            QUIETLY[::2],
            (130, "\nforedraw-verify: interrupted, no verdict\n"),
            (HELD, ""),
        }
        milliseconds += 2


def test_a_reader_that_leaves_is_no_crash(log: Path) -> None:
    """``foredraw-verify … | head -1`` ends without a traceback and with the verdict's status."""
    read, write = os.pipe()
    os.close(read)
    arguments = [sys.executable, "-m", "verifier", "audit", str(log), "--key", VKEY]
    ran = subprocess.run(arguments, stdout=write, stderr=subprocess.PIPE, text=True, check=False)
    os.close(write)
    assert (ran.returncode, ran.stderr) == (HELD, "")


@pytest.mark.parametrize("status", [UNREADABLE, FAILED], ids=["held", "failed"])
@pytest.mark.parametrize("form", [[], ["--json"]], ids=["words", "json"])
def test_a_verdict_that_cannot_be_written_is_said_to_be_lost(
    log: Path, status: int, form: list[str], tmp_path: Path
) -> None:
    """On a full disk, for instance: nobody has read that it held, so the status is not 0; a failure stays one."""
    audited = log if status == UNREADABLE else spoilt(log, tmp_path)
    arguments = [sys.executable, "-m", "verifier", "audit", str(audited), "--key", VKEY, *form]
    with Path("/dev/full").open("wb") as full:
        ran = subprocess.run(arguments, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert ran.returncode == status
    assert ran.stderr == "foredraw-verify: the verdict cannot be written: No space left on device\n"


@pytest.mark.parametrize("closed", [">&-", "2>&-", "<&- >&-", "<&- 2>&-", "<&- >&- 2>&-"])
def test_without_an_output_nothing_is_checked(log: Path, closed: str) -> None:
    """That is wrong usage, in one line on the stream that is left."""
    ran = with_streams(closed, "audit", str(log), "--key", VKEY)
    assert ran.returncode == USAGE
    sentence = (
        "foredraw-verify: standard output or standard error is closed: redirect it to a file, or to /dev/null\n"
    )
    assert ran.stdout + ran.stderr == ("" if ">&- 2>&-" in closed else sentence)


def test_without_an_input_an_audit_holds_and_lists_of_bets_are_empty(log: Path) -> None:
    """Standard input is closed: nothing can be read there."""
    assert with_streams("<&-", "audit", str(log), "--key", VKEY).returncode == HELD
    ran, empty = with_streams("<&-", "bets", "-"), with_streams("</dev/null", "bets", "-")
    assert (ran.returncode, ran.stdout, ran.stderr) == (empty.returncode, empty.stdout, empty.stderr)


@pytest.mark.parametrize("closed", [">&-", "2>&-", "<&- >&- 2>&-"])
def test_a_witness_goes_on_with_streams_closed(log: Path, closed: str, tmp_path: Path) -> None:
    """It is asked by others, who know nothing of its streams: what it says to people is lost."""
    key, policy, port = tmp_path / "witness.key", tmp_path / "policy", free_port()
    assert main(["witness-key", "w.example", "-o", str(key)]) == HELD
    policy.write_text(f"log {VKEY}\nquorum none\n", encoding="ascii")
    arguments = ["witness", "--log", str(log), "--policy", str(policy), "--sign-with", str(key), "--listen"]
    arguments += [f"127.0.0.1:{port}", "--state", str(tmp_path / "state"), "--begin"]
    with subprocess.Popen([*without(closed), *arguments]) as running:
        try:
            wait_until(lambda: running.poll() is not None or listens(port), "the witness")
            assert running.poll() is None
        finally:
            running.terminate()


def with_streams(closed: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run the program to its end, with its streams as the shell says."""
    return subprocess.run(
        [*without(closed), *arguments], capture_output=True, text=True, check=False, timeout=PATIENCE
    )


def without(closed: str) -> list[str]:
    """How the program is started with its streams as the shell says."""
    return ["sh", "-c", f'exec "$0" "$@" {closed}', sys.executable, "-m", "verifier"]


def listens(port: int) -> bool:
    """Whether somebody listens on this port."""
    with suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=1.0):
        return True
    return False
