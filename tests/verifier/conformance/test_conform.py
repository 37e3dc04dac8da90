"""The vectors of every format, and ``conform``: a correct implementation passes, every wrong one is caught."""

from __future__ import annotations

import functools
import io
import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from threading import Event, Thread
from typing import Any

import pytest

from tests.house import HOUSE
from tests.oracles.other_software import go
from tests.recipes import Format
from tests.recipes.catalogue import FOLDER, FORMATS
from tests.support.running_service import PATIENCE_SECONDS, has_ended, wait_until
from verifier.cli import main
from verifier.commands.command import FAILED, HELD, USAGE
from verifier.conformance import driver
from verifier.conformance import subject as conforming
from verifier.conformance.driver import LONGEST_ANSWER, MOST_STARTS, load_vectors

OURS = f"{sys.executable} -m verifier.conformance.subject"
every_format = pytest.mark.parametrize("kind", FORMATS, ids=lambda kind: kind.name)


@every_format
def test_the_vectors_are_what_their_recipes_make(kind: Format) -> None:
    """Nobody edits a vector by hand; ``python -m tests.recipes`` writes them."""
    assert (FOLDER / f"{kind.name}.json").read_text("utf-8") == kind.file()


def test_there_is_a_file_for_each_format_and_no_other() -> None:
    """The installed program contains them, and they are among the other vectors of the tests."""
    assert {path.name for path in FOLDER.iterdir()} == {f"{kind.name}.json" for kind in FORMATS}
    assert [vectors.format for vectors in load_vectors()] == sorted(kind.name for kind in FORMATS)
    assert (HOUSE / "tests" / "vectors" / "formats").resolve() == FOLDER.resolve()


@every_format
def test_every_case_has_its_name_and_every_invalid_one_its_bug(kind: Format) -> None:
    """Names are unique within a format; each format has valid cases, and invalid ones if it can be refused."""
    names = [case.as_json()["name"] for case in kind.cases]
    assert len(set(names)) == len(names)
    assert any(case.catches is None for case in kind.cases)
    assert all(case.catches for case in kind.cases if case.catches is not None)
    if kind.operation in {"parse", "open", "check", "replay", "split"}:
        assert any(case.catches is not None for case in kind.cases)


@every_format
def test_our_own_implementation_is_right(kind: Format) -> None:
    """Every case, valid or invalid, with its result."""
    for case in kind.cases:
        told = case.as_json()
        request = {"format": kind.name, "operation": kind.operation, "input": case.given}
        expected = {key: told[key] for key in ("valid", "result") if key in told}
        found = conforming.answer(json.loads(json.dumps(request)))
        # A valid text of a million bytes is not repeated as its result.
        assert {key: found[key] for key in expected} == expected, told["name"]
        assert found.keys() == expected.keys() or told["name"] == "a-note-of-1000000-bytes"


def ran(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, dict[str, Any]]:
    """The status and the verdict of ``conform --json``."""
    status = main(["conform", *arguments, "--json"])
    verdict: dict[str, Any] = json.loads(capsys.readouterr().out)
    return status, verdict


@pytest.mark.nightly("runs all vectors once more, in a process of its own")
def test_our_own_program_passes(capsys: pytest.CaptureFixture[str]) -> None:
    """Through pipes, like anybody else's."""
    status, verdict = ran(capsys, OURS)
    assert (status, verdict["verdict"]) == (HELD, "held")
    assert {each["format"]: each["passed"] for each in verdict["formats"]} == {
        kind.name: len(kind.cases) for kind in FORMATS
    }


@pytest.fixture(scope="module")
def in_go(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A program that answers with the code of Go's checksum database and none of ours."""
    target = tmp_path_factory.mktemp("go") / "conform_tree"
    go("go", "build", "-o", str(target), "tests/go/conform_tree.go")
    return str(target)


def test_gos_checksum_database_passes(in_go: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Programs that nobody of this project wrote agree with the vectors about trees and proofs."""
    names = ("merkle-root", "inclusion", "consistency")
    assert ran(capsys, in_go, *(word for name in names for word in ("--format", name)))[0] == HELD


def test_gos_notes_are_more_lenient_in_three_cases(in_go: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Version 0.7.0 ignores the bits after the last byte of a signature, and accepts an R of small order and long
    notes.
    """
    status, verdict = ran(capsys, in_go, "--format", "note")
    assert status == FAILED
    assert [failure["case"] for failure in verdict["formats"][0]["failures"]] == [
        "an-R-of-small-order",
        "a-note-of-1000001-bytes",
        "loose-bits-in-the-Base64",
    ]


def test_the_report_for_people(capsys: pytest.CaptureFixture[str]) -> None:
    """One line per format, and the verdict in the last line."""
    assert main(["conform", OURS, "--format", "hex", "--format", "time"]) == HELD
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines[2:4]] == ["hex", "time"]
    assert "Only these formats were tested." in lines
    assert lines[-1].startswith("Held: All ")


def program(folder: Path, body: str) -> str:
    """A program that reads one request per line and runs ``body`` with it."""
    file = folder / "program.py"
    start = "import json, os, sys, time\nfrom verifier.conformance.subject import answer\nn = 0\n"
    file.write_text(f"{start}for line in sys.stdin:\n    n += 1\n    request = json.loads(line)\n    {body}\n")
    return f"{sys.executable} {file}"


def say(expression: str) -> str:
    """The statement that answers with a value."""
    return f"print({expression}, flush=True)"


BUGS = {
    "accepts everything": ("json.dumps({'valid': True})", "hex"),
    "refuses everything": ("json.dumps({'valid': False})", "hex"),
    "says 1 for true": ("json.dumps({'valid': 1 if answer(request)['valid'] else 0})", "hex"),
    "takes upper case": (
        "json.dumps(answer(request | {'input': request['input'] | {'text': request['input']['text'].lower()}}))",
        "hex",
    ),
    "trims": (
        "json.dumps(answer(request | {'input': request['input'] | {'text': request['input']['text'].strip()}}))",
        "time",
    ),
    "gives no results": ("json.dumps({'valid': answer(request)['valid']})", "base64"),
    "gives false results": ("json.dumps(answer(request) | {'result': {'hex': 'ff'}})", "base64"),
    "prints rubbish": ("'\\x1b[2Jvalid, I think'", "hex"),
    "prints a list": ("'[true]'", "hex"),
    "prints deep JSON": ("'[' * 100000", "hex"),
    "prints bytes that are no text": ("'' if os.write(1, b'\\xff\\n') else ''", "hex"),
    "prints nothing but empty lines": ("''", "hex"),
}


@pytest.mark.lattice
@pytest.mark.parametrize(("expression", "name"), BUGS.values(), ids=BUGS.keys())
def test_a_wrong_implementation_is_caught(
    expression: str, name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Each by at least one case that says what was expected, what was found and, for an invalid one, the bug."""
    status, verdict = ran(capsys, program(tmp_path, say(expression)), "--format", name)
    assert (status, verdict["verdict"]) == (FAILED, "failed")
    (told,) = verdict["formats"]
    assert told["failed"] == len(told["failures"]) > 0
    names = {case.as_json()["name"]: case.catches for kind in FORMATS if kind.name == name for case in kind.cases}
    for failure in told["failures"]:
        assert failure.get("catches") == names[failure["case"]]
        assert failure["expected"] != failure["found"]
        assert failure["found"].isprintable()


@pytest.mark.nightly("runs all vectors once more")
def test_a_lenient_verifier_is_told_its_bugs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A verifier with a lenient parser of records fails exactly where it is lenient."""
    body = (
        "given = request['input']; text = given.get('text', '')\n    "
        "try: valid = isinstance(json.loads(text), dict)\n    "
        "except ValueError: valid = False\n    "
        "print(json.dumps({'valid': valid, 'result': answer(request).get('result')}), flush=True)"
    )
    assert main(["conform", program(tmp_path, body), "--format", "record"]) == FAILED
    output = capsys.readouterr().out
    _, verdict = ran(capsys, program(tmp_path, body), "--format", "record")
    bugs = {failure["case"]: failure["catches"] for failure in verdict["formats"][0]["failures"]}
    assert bugs["a-key-twice-different"] == "a parser that takes the last of two keys"
    assert "keys-out-of-order" in bugs
    assert "a-comment" not in bugs
    assert output.splitlines()[-1].startswith("FAILED: ")


class TimerOf:
    """In the place of the driver's timer: a request's time ends when something has happened, however slow the machine
    is.
    """

    def __init__(self, happened: Callable[[], bool], end: Callable[[], None]) -> None:
        self._happened, self._end, self._cancelled = happened, end, Event()

    def start(self) -> None:
        """Look for it from now on."""
        Thread(target=self._look, daemon=True).start()

    def cancel(self) -> None:
        """Look for it no longer."""
        self._cancelled.set()

    def _look(self) -> None:
        while not self._cancelled.wait(0.01):
            if self._happened():
                self._end()
                return


ENDS = {
    "hangs": ("time.sleep(600)", "no answer within 1 s"),
    "dies": ("os._exit(1)", "it ended without an answer"),
    "is killed": ("os.kill(os.getpid(), 9)", "it ended without an answer"),
    "dies in the middle of an answer": ("os.write(1, b'{\"valid\"'); os._exit(0)", "it ended, after"),
    "answers without end": (f"os.write(1, b'x' * {2 * LONGEST_ANSWER}); time.sleep(600)", "an answer of more than"),
    "answers twice": (r"os.write(1, b'{\"valid\": true}\n' * 2)", "more than one line"),
}


@pytest.mark.lattice
@pytest.mark.parametrize(("body", "found"), ENDS.values(), ids=ENDS.keys())
def test_a_program_without_an_answer_is_ended_and_given_up(
    body: str, found: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """After a few restarts in a row it gets no more requests, and every case counts as failed."""
    before = time.monotonic()
    limit = "1" if found == "no answer within 1 s" else "600"
    status, verdict = ran(capsys, program(tmp_path, body), "--format", "hex", "--limit", limit)
    assert time.monotonic() - before < PATIENCE_SECONDS
    (told,) = verdict["formats"]
    assert (status, told["passed"]) == (FAILED, 0)
    reasons = [failure["found"] for failure in told["failures"]]
    assert all(reason.startswith(found) for reason in reasons[:MOST_STARTS])
    assert all(reason.startswith("not sent") for reason in reasons[MOST_STARTS:])


@pytest.mark.nightly("waits for a program that hangs")
def test_one_hanging_case_costs_that_case_only(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The program is started again, and answers the rest."""
    hangs = tmp_path / "hangs"

    def has_hung() -> bool:
        found = hangs.exists()
        hangs.unlink(missing_ok=True)
        return found

    monkeypatch.setattr(driver, "Timer", lambda _, end: TimerOf(has_hung, end))
    hang = f"open({str(hangs)!r}, 'x').close() or time.sleep(600)"
    body = f"'T24' not in line or {hang}\n    " + say("json.dumps(answer(request))")
    status, verdict = ran(capsys, program(tmp_path, body), "--format", "time", "--limit", "5")
    assert status == FAILED
    (failure,) = verdict["formats"][0]["failures"]
    assert (failure["case"], failure["found"]) == ("hour-24", "no answer within 5 s")


@pytest.mark.nightly("waits for a program that hangs")
def test_a_program_that_never_reads_is_ended(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Also while a request larger than a pipe's buffer is being written to it."""
    file = tmp_path / "deaf.py"
    file.write_text("import time\ntime.sleep(600)\n")
    status, verdict = ran(capsys, f"{sys.executable} {file}", "--format", "replay", "--limit", "1")
    assert (status, verdict["formats"][0]["passed"]) == (FAILED, 0)


def test_what_a_program_started_is_ended_with_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A wrapper's child does not outlive it."""
    told, pids = tmp_path / "pid", list[int]()

    def has_started() -> bool:
        if not told.exists() or not (line := told.read_text()).endswith("\n"):
            return False
        pids.append(int(line))
        told.unlink()
        return True

    monkeypatch.setattr(driver, "Timer", lambda _, end: TimerOf(has_started, end))
    child = f"{sys.executable} -c 'import time; time.sleep(600)'"
    wrapper = tmp_path / "wrapper.sh"
    wrapper.write_text(f"{child} &\necho $! > {told}\nwait\n")
    ran(capsys, f"sh {wrapper}", "--format", "base64", "--limit", "1")
    assert len(pids) == MOST_STARTS
    for pid in pids:
        wait_until(functools.partial(has_ended, pid), f"the end of process {pid}")


def test_a_program_that_greets_is_caught(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Nothing but answers is on its standard output."""
    file = tmp_path / "greets.py"
    file.write_text(
        "import sys\nprint('Welcome!', flush=True)\nfrom verifier.conformance.subject import main\nmain()\n"
    )
    status, verdict = ran(capsys, f"{sys.executable} {file}", "--format", "base64")
    assert (status, verdict["formats"][0]["passed"]) == (FAILED, 0)


@pytest.mark.parametrize("command", ["/no/such/program", "", "'", "."])
def test_what_is_no_program_is_wrong_usage(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    """It gets no verdict."""
    assert main(["conform", command]) == USAGE
    assert capsys.readouterr().err.startswith("foredraw-verify: ")


@pytest.mark.parametrize("arguments", [("--limit", "0"), ("--limit", "601"), ("--limit", "x"), ("--format", "poem")])
def test_wrong_options_are_wrong_usage(arguments: tuple[str, str], capsys: pytest.CaptureFixture[str]) -> None:
    """A limit is 1 to 600 seconds, a format is one of ours."""
    try:
        status = main(["conform", OURS, *arguments])
    except SystemExit as stopped:
        status = int(stopped.code or 0)
    assert status == USAGE
    assert capsys.readouterr().err


def test_vectors_are_taken_from_a_folder(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Which has nothing else; without them nothing is tested."""
    assert main(["conform", OURS, "--vectors", str(tmp_path)]) == USAGE
    assert f"no vectors: {tmp_path} has no file .json" in capsys.readouterr().err
    shutil.copy(FOLDER / "hex.json", tmp_path)
    status, verdict = ran(capsys, OURS, "--vectors", str(tmp_path))
    assert (status, [each["format"] for each in verdict["formats"]]) == (HELD, ["hex"])
    (tmp_path / "other.json").write_text("[1]")
    assert main(["conform", OURS, "--vectors", str(tmp_path)]) == USAGE
    assert f"no vectors: {tmp_path} has other files .json, too" in capsys.readouterr().err


def test_our_program_answers_line_by_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """One answer per request, in order."""
    requests = [{"format": "hex", "operation": "parse", "input": {"text": text, "size": 1}} for text in ("00", "0")]
    monkeypatch.setattr(sys, "stdin", io.StringIO("".join(json.dumps(each) + "\n" for each in requests)))
    conforming.main()
    assert capsys.readouterr().out == '{"valid": true}\n{"valid": false}\n'


def test_the_vectors_are_found_from_anywhere(tmp_path: Path) -> None:
    """The program needs no folder of ours."""
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    done = subprocess.run(
        [Path(sys.executable).parent / "foredraw-verify", "conform", OURS, "--format", "hex"],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (HELD, "")


RECEIPTS = "request['input'].get('command') == 'receipt'"


def declining(condition: str) -> str:
    """The statement that declines where the condition holds, and answers otherwise."""
    return say(f"json.dumps({{'declined': True}} if {condition} else answer(request))")


@pytest.mark.nightly("runs all verdicts once more")
def test_a_command_may_be_declined_and_never_passes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The cases are counted and named, and the verdict is on the others alone."""
    body = declining(RECEIPTS)
    status, verdict = ran(capsys, program(tmp_path, body), "--format", "verdict")
    (told,) = verdict["formats"]
    (vectors,) = (each for each in load_vectors() if each.format == "verdict")
    receipts = [case["input"] for case in vectors.cases if case["input"]["command"] == "receipt"]
    whole = sum("whole" in given["options"] for given in receipts)
    declined = {"receipt --log": len(receipts) - whole, "receipt --log --whole": whole}
    assert (status, told["declined"], told["failed"]) == (HELD, declined, 0)
    assert told["passed"] == len(vectors.cases) - len(receipts)
    assert main(["conform", program(tmp_path, body), "--format", "verdict"]) == HELD
    said = capsys.readouterr().out
    assert f"Not tested: the program declined receipt --log --whole (verdict, {whole} cases)." in said
    assert f"Held: All {told['passed']:,} answers are right." in said


DECLINED_WRONGLY = {
    "some cases of a command": ("verdict", f"{RECEIPTS} and n % 2"),
    "a check, but for one of its options": (
        "verdict",
        "request['input'].get('options', {}).get('table') == 'keno-2'",
    ),
    "everything": ("verdict", "True"),
    "a format that has no commands": ("hex", "True"),
}


@pytest.mark.lattice
@pytest.mark.parametrize(("name", "condition"), DECLINED_WRONGLY.values(), ids=DECLINED_WRONGLY.keys())
def test_a_program_cannot_decline_what_is_hard(
    name: str, condition: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A command is declined as a whole, and something must be answered."""
    assert main(["conform", program(tmp_path, declining(condition)), "--format", name]) == FAILED
    assert capsys.readouterr().out.splitlines()[-1].startswith("FAILED: ")


def test_a_case_has_the_files_of_another_but_for_its_own() -> None:
    """A program is sent all of them."""
    kind = next(each for each in FORMATS if each.name == "verdict")
    rows = json.loads(kind.file())["cases"]
    assert any("like" in row["input"] for row in rows)
    (vectors,) = (each for each in load_vectors() if each.format == "verdict")
    assert [case["input"] for case in vectors.cases] == [case.given for case in kind.cases]
