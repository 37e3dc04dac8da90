"""The watch, on real servers and in separate processes: what it reports, each event once, and what it survives."""

from __future__ import annotations

import json
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp
from threading import Thread
from typing import Any

import pytest

from fairness.checks import Check
from fairness.draws.commitments import commitments_path
from fairness.errors import CheckFailed
from fairness.log.checkpoints import Checkpoint
from fairness.log.fork import Fork
from fairness.log.notes import VerifierKey
from fairness.log.tiles import bundle_path
from fairness.policy.policy import Policy, Trust
from tests.house import HOUSE
from tests.lies import Lie, started
from tests.lies.catalogue import LIES, told
from tests.recipes.cases.catalogue import CASES
from tests.recipes.cases.told import FOLDER, Told
from tests.support.dishonest_operator import KEY, Operator
from tests.support.forks import forked
from tests.support.log_server import serving
from tests.support.running_service import free_port, running_service, wait_until
from tests.support.watching import PATIENCE, Watching
from verifier.audit.audit import audit_log
from verifier.audit.state_file import load_state, save_state
from verifier.forks.evidence import check_evidence
from verifier.forks.extension import NotAnExtension
from verifier.sources.limits import PATIENCE as SERVER_PATIENCE
from verifier.sources.source import FolderSource
from verifier.watch.alarm_command import MOST_RUNNING, AlarmCommand
from verifier.watch.back_off import LONGEST_PAUSE, BackOff
from verifier.watch.events import Event, EventKind

pytestmark = pytest.mark.long

VKEY = str(KEY.verifier_key)


@pytest.fixture(name="log")
def _log(tmp_path: Path) -> Path:
    return started().write(tmp_path / "log")


def write(operator: Operator, folder: Path) -> None:
    """Replace a folder with another log."""
    rmtree(folder, ignore_errors=True)
    operator.write(folder)


def publish(operator: Operator, link: Path) -> None:
    """Replace a folder with another log atomically, because a watch may be reading it."""
    folder = operator.write(Path(mkdtemp(prefix="log-", dir=link.parent)))
    new = link.with_name("new")
    new.symlink_to(folder)
    new.replace(link)


@pytest.fixture(name="link")
def _link(tmp_path: Path) -> Path:
    publish(started().play("keno-1"), tmp_path / "log")
    return tmp_path / "log"


def test_what_is_new_is_replayed_and_remembered(tmp_path: Path, log: Path) -> None:
    """A turn reports what is new, if anything; the state is that of an audit."""
    watching = Watching(tmp_path, log)
    size = len(started().records)
    assert watching.turn() == [(EventKind.GREW, f"{size} records, {size} of them new, follow the rules")]
    assert watching.turn() == []
    started().play("keno-1", 2).write(log)
    assert watching.turn() == [(EventKind.GREW, f"{size + 4} records, 4 of them new, follow the rules")]
    watching.begin()
    assert watching.turn() == []
    started().play("keno-1", 3).write(log)
    assert watching.turn() == [(EventKind.GREW, f"{size + 6} records, 2 of them new, follow the rules")]
    assert load_state(watching.state_file) == audit_log(FolderSource(log), KEY.verifier_key).state


def test_a_watch_begins_with_what_was_seen(tmp_path: Path, log: Path) -> None:
    """Nothing at first; after a restart, what the state file remembers."""
    watching = Watching(tmp_path, log)
    for seen in ("nothing was", f"{len(started().records)} records were"):
        watching.begin()
        watching.watch.begin()
        assert watching.news[-1].kind is EventKind.BEGUN
        assert watching.news[-1].text == f"watching fore.example/log at {log}; {seen} seen before"
        watching.turn()


def test_a_turn_says_whether_the_log_could_be_read(tmp_path: Path, log: Path) -> None:
    """Only a log that cannot be read is read less often; a false one is read as before."""
    watching = Watching(tmp_path, log)
    old = (log / "checkpoint").read_bytes()
    assert watching.watch.turn()
    started().play("keno-1").write(log)
    assert watching.watch.turn()
    (log / "checkpoint").write_bytes(old)
    assert watching.watch.turn()
    (log / "checkpoint").unlink()
    assert not watching.watch.turn()


@pytest.mark.parametrize("other", [0, 2], ids=["equal size", "longer"])
@pytest.mark.parametrize("restart", [False, True], ids=["one run", "after a restart"])
def test_a_fork_is_reported_at_once_and_once(other: int, restart: bool, tmp_path: Path, log: Path) -> None:
    """Its evidence convinces a third party; further checkpoints of the other history are not reported."""
    write(started().play("keno-1"), log)
    watching = Watching(tmp_path, log)
    watching.turn()
    if restart:
        watching.begin()
    write(forked(started(), rounds=other), log)
    assert watching.kinds() == [EventKind.FORK]
    fork = watching.news[-1]
    assert fork.failure is not None
    assert fork.failure.check is Check.LOG_EXTENDS
    assert fork.evidence is not None
    report = check_evidence(Path(fork.evidence).read_bytes(), KEY.verifier_key, name="evidence")
    assert report.smaller.checkpoint.size == len(started().records) + 2
    write(forked(started(), rounds=other + 1), log)
    assert watching.kinds() == watching.kinds(PATIENCE * 2) == []
    write(started().play("keno-1", 4), log)
    assert watching.kinds() == [EventKind.GREW]
    (log / "checkpoint").unlink()
    assert watching.kinds() == [EventKind.TROUBLE]
    assert watching.kinds(PATIENCE) == [EventKind.UNREADABLE]
    assert watching.news[-1].evidence is None


def test_a_shorter_fork_is_reported_while_its_files_can_be_read(tmp_path: Path, log: Path) -> None:
    """The checkpoint is of another, smaller history; the tiles of the larger one prove it."""
    write(started().play("keno-1", 3), log)
    watching = Watching(tmp_path, log)
    watching.turn()
    (log / "checkpoint").write_bytes(forked(started()).files()["checkpoint"])
    assert watching.kinds() == [EventKind.FORK]


def test_an_old_copy_is_no_alarm_until_it_lasts(tmp_path: Path, log: Path) -> None:
    """A cache may be behind for a moment; a log that stays smaller has shrunk. Its files show that it is no fork."""
    old = (log / "checkpoint").read_bytes()
    write(started().play("keno-1", 3), log)
    new = (log / "checkpoint").read_bytes()
    watching = Watching(tmp_path, log)
    watching.turn()
    for _ in range(2):
        (log / "checkpoint").write_bytes(old)
        ((kind, text),) = watching.turn()
        assert (kind, "the beginning of what was seen" in text) == (EventKind.TROUBLE, True)
        assert watching.kinds(PATIENCE - 1) == []
        assert watching.watch.next_due(watching.now) == watching.now + 1
        assert watching.kinds() == [EventKind.SHRUNK]
        assert watching.news[-1].evidence is None
        assert watching.kinds(PATIENCE * 3) == []
        (log / "checkpoint").write_bytes(new)
        assert EventKind.RECOVERED in watching.kinds()


def test_a_log_that_shrank_and_lost_its_files_leaves_two_checkpoints(tmp_path: Path, log: Path) -> None:
    """Nobody can know which history the smaller one belongs to, so the evidence is both signed checkpoints."""
    write(started().play("keno-1", 3), log)
    watching = Watching(tmp_path, log)
    watching.turn()
    write(started(), log)
    ((kind, text),) = watching.turn()
    assert (kind, "no file shows of which history" in text) == (EventKind.TROUBLE, True)
    watching.begin()
    assert watching.kinds() == [EventKind.TROUBLE]
    assert watching.kinds(PATIENCE) == [EventKind.SHRUNK]
    evidence = watching.news[-1].evidence
    assert evidence is not None
    assert (log / "checkpoint").read_bytes() in Path(evidence).read_bytes()


def test_a_log_that_does_not_grow_is_reported(tmp_path: Path, log: Path) -> None:
    """Once, while tables have rounds to play; again if it grew in between; with what hangs."""
    watching = Watching(tmp_path, log)
    watching.turn()
    assert watching.kinds(PATIENCE - 1) == []
    assert watching.watch.next_due(watching.now) == watching.now + 1
    ((kind, text),) = watching.turn()
    assert (kind, text) == (EventKind.STALLED, f"nothing new for 100 s, after {len(started().records)} records")
    assert watching.kinds(PATIENCE * 2) == []
    operator = started()
    operator.lock("crash-1")
    operator.write(log)
    assert watching.kinds() == [EventKind.GREW, EventKind.RECOVERED]
    ((kind, text),) = watching.turn(PATIENCE)
    assert (kind, "crash-1: round 3 was locked at" in text) == (EventKind.STALLED, True)


def test_a_table_that_hangs_is_reported_while_others_play(tmp_path: Path, log: Path) -> None:
    """A round that is locked and not revealed, and a table that ended and is not closed, until they are."""
    operator = started()
    operator.lock("crash-1")
    operator.end("sic-bo-1")
    operator.write(log)
    watching = Watching(tmp_path, log)
    watching.turn()
    for _ in range(3):
        operator.play("keno-1").write(log)
        assert watching.kinds(PATIENCE / 4) == [EventKind.GREW]
    operator.play("keno-1").write(log)
    (_, (kind, text)) = watching.turn(PATIENCE / 4)
    assert kind is EventKind.STALLED
    assert text.startswith("hanging for 100 s: crash-1: round 3 was locked at")
    assert "; sic-bo-1: ended at" in text
    operator.reveal("crash-1")
    operator.close("sic-bo-1")
    operator.write(log)
    assert watching.kinds() == [EventKind.GREW, EventKind.RECOVERED, EventKind.RECOVERED]


def test_a_log_whose_tables_are_closed_may_rest(tmp_path: Path) -> None:
    """No record is due any more, nor while there is no table."""
    operator = Operator()
    watching = Watching(tmp_path, operator.write(tmp_path / "log"))
    assert watching.kinds() == [EventKind.GREW]
    assert watching.kinds(PATIENCE * 2) == []
    operator.table("dice", "sic-bo")
    operator.end("dice")
    operator.close("dice")
    operator.write(tmp_path / "log")
    assert watching.kinds() == [EventKind.GREW]
    assert watching.kinds(PATIENCE * 2) == []


def test_a_broken_rule_is_reported_at_once_and_the_watch_continues(tmp_path: Path, log: Path) -> None:
    """With its record; later checkpoints are still compared, also after a restart."""
    watching = Watching(tmp_path, log)
    watching.turn()
    operator = started()
    at = operator.lock("keno-1", round=9)
    operator.write(log)
    assert watching.kinds() == [EventKind.BROKEN_RULE]
    failure = watching.news[-1].failure
    assert failure is not None
    assert (failure.check, failure.index) == (Check.LOCK_NEXT, at)
    operator.lock("crash-1")
    operator.write(log)
    assert watching.kinds() == []
    assert watching.kinds(PATIENCE) == [EventKind.STALLED]
    watching.begin()
    assert watching.watch.size == len(operator.records)
    other = started()
    other.lock("keno-1", round=8)
    other.lock("crash-1")
    write(other, log)
    assert watching.kinds() == [EventKind.FORK]


def test_what_follows_a_broken_rule_is_not_replayed(tmp_path: Path, log: Path) -> None:
    """Checkpoints are still compared, so a log that shrinks and recovers is reported as usual."""
    old = (log / "checkpoint").read_bytes()
    operator = started()
    operator.lock("keno-1", round=9)
    operator.write(log)
    new = (log / "checkpoint").read_bytes()
    watching = Watching(tmp_path, log)
    assert watching.kinds() == [EventKind.BROKEN_RULE]
    (log / "checkpoint").write_bytes(old)
    assert watching.kinds() == [EventKind.TROUBLE]
    (log / "checkpoint").write_bytes(new)
    assert watching.kinds() == [EventKind.RECOVERED]


@pytest.mark.slow
@pytest.mark.parametrize("lie", LIES, ids=str)
def test_every_lie_about_a_record_is_reported(lie: Lie, tmp_path: Path) -> None:
    """The same rule and record as in an audit; the honest records before it are remembered."""
    operator, index = told(lie)
    watching = Watching(tmp_path, lie.begin().write(tmp_path / "log"))
    watching.turn()
    operator.write(tmp_path / "log")
    assert watching.kinds() == [EventKind.BROKEN_RULE]
    failure = watching.news[-1].failure
    assert failure is not None
    assert (failure.check, failure.index) == (lie.check, index)


def trust_of(case: Told) -> Trust:
    """Whom the case's commands believe."""
    if "policy" in case.expected:
        return Policy.parse((FOLDER / case.name / "policy").read_bytes())
    return VerifierKey.parse(case.expected["key"])


AUDITED = [
    case for case in CASES if case.check and [command[0] for command in case.expected["commands"]] == ["audit"]
]


@pytest.mark.parametrize("case", AUDITED, ids=lambda case: case.name)
def test_every_case_of_an_audit_is_reported(case: Told, tmp_path: Path) -> None:
    """Exactly its check and its record, in the first turn."""
    ((_, log),) = case.expected["commands"]
    watching = Watching(tmp_path, FOLDER / case.name / log, trust_of(case))
    watching.turn()
    (failure,) = [news.failure for news in watching.news if news.failure is not None]
    assert watching.news[-1].is_alarm
    assert (failure.check, failure.index) == (case.check, case.record)


def test_what_a_watch_saw_counts_in_an_audit(tmp_path: Path, log: Path) -> None:
    """A checkpoint whose records were refused is remembered, and an audit with that state requires it."""
    watching = Watching(tmp_path, log)
    watching.turn()
    operator = started()
    operator.lock("keno-1", round=9)
    operator.write(log)
    watching.turn()
    state = load_state(watching.state_file)
    with pytest.raises(CheckFailed) as refused:
        audit_log(FolderSource(log), KEY.verifier_key, previous=state)
    assert refused.value.check is Check.LOCK_NEXT
    write(started().play("keno-1"), log)
    with pytest.raises(NotAnExtension):
        audit_log(FolderSource(log), KEY.verifier_key, previous=state)


FALSE_FILES: dict[str, Callable[[Path, Operator], Path]] = {
    "a note that is none": lambda log, _: log / "checkpoint",
    "a bundle": lambda log, operator: next((log / f"{bundle_path(0)}.p").glob(str(len(operator.records)))),
    "commitments": lambda log, operator: log / commitments_path(operator.tables["keno-1"].batches[2].batch_id),
}


@pytest.mark.parametrize("which", FALSE_FILES.values(), ids=FALSE_FILES.keys())
def test_false_files_are_reported_until_they_are_right(
    which: Callable[[Path, Operator], Path], tmp_path: Path
) -> None:
    """At once and only once; when they are correct again that is reported, and their records count."""
    operator = started().play("keno-1")
    log = operator.write(tmp_path / "log")
    file = which(log, operator)
    whole = file.read_bytes()
    watching = Watching(tmp_path, log)
    file.write_bytes(whole[:-1] + bytes([whole[-1] ^ 1]))
    assert watching.kinds()[-1] is EventKind.FALSE_FILES
    assert watching.kinds() == watching.kinds() == []
    file.write_bytes(whole)
    assert {EventKind.RECOVERED} <= set(watching.kinds()) <= {EventKind.RECOVERED, EventKind.GREW}
    assert load_state(watching.state_file) == audit_log(FolderSource(log), KEY.verifier_key).state


def test_files_that_are_false_again_are_reported_again(tmp_path: Path, log: Path) -> None:
    """An alarm that is over does not suppress the next one."""
    watching = Watching(tmp_path, log)
    watching.turn()
    whole = (log / "checkpoint").read_bytes()
    for _ in range(2):
        (log / "checkpoint").write_bytes(whole[:-1])
        assert watching.kinds() == [EventKind.FALSE_FILES]
        (log / "checkpoint").write_bytes(whole)
        assert watching.kinds() == [EventKind.RECOVERED]


def test_the_commitments_of_every_new_batch_are_read(tmp_path: Path, log: Path) -> None:
    """Although those of earlier batches were correct."""
    watching = Watching(tmp_path, log)
    assert watching.kinds() == [EventKind.GREW]
    operator = started()
    operator.batch("keno-1", 4)
    operator.write(log)
    (log / commitments_path(operator.tables["keno-1"].batches[-1].batch_id)).unlink()
    assert watching.kinds() == [EventKind.GREW, EventKind.FALSE_FILES]


def test_missing_commitments_hide_no_stall(tmp_path: Path) -> None:
    """A log with false files is still judged as far as it was replayed, and no further."""
    operator = started()
    operator.lock("crash-1")
    log = operator.write(tmp_path / "log")
    (log / commitments_path(operator.tables["keno-1"].batches[2].batch_id)).unlink()
    watching = Watching(tmp_path, log)
    assert watching.kinds() == [EventKind.GREW, EventKind.FALSE_FILES]
    ((kind, text),) = watching.turn(PATIENCE)
    assert (kind, "crash-1: round 3 was locked at" in text) == (EventKind.STALLED, True)
    operator.reveal("crash-1")
    operator.write(log)
    bundle = next((log / f"{bundle_path(0)}.p").glob(str(len(operator.records))))
    bundle.write_bytes(bundle.read_bytes()[:-1])
    assert watching.kinds() == [EventKind.FALSE_FILES, EventKind.RECOVERED]
    assert watching.kinds(PATIENCE) == [EventKind.STALLED]
    assert "crash-1" not in watching.news[-1].text


def test_nothing_is_said_to_hang_that_was_not_replayed(tmp_path: Path, log: Path) -> None:
    """A locked round may have been revealed in a file that is false."""
    operator = started()
    operator.lock("crash-1")
    operator.write(log)
    watching = Watching(tmp_path, log)
    assert watching.kinds() == [EventKind.GREW]
    operator.reveal("crash-1")
    operator.write(log)
    next((log / f"{bundle_path(0)}.p").glob(str(len(operator.records)))).write_bytes(b"")
    assert watching.kinds() == [EventKind.FALSE_FILES]
    ((kind, text),) = watching.turn(PATIENCE)
    assert (kind, "crash-1" in text) == (EventKind.STALLED, False)


def test_a_log_that_cannot_be_read_is_reported_and_then_an_alarm(tmp_path: Path, log: Path) -> None:
    """First the failure, then that it lasts, then that it is over; a restart in between loses nothing."""
    watching = Watching(tmp_path, log)
    watching.turn()
    hidden = log.rename(tmp_path / "hidden")
    assert watching.kinds() == [EventKind.TROUBLE]
    assert watching.kinds(PATIENCE - 1) == []
    assert watching.kinds() == [EventKind.UNREADABLE]
    assert watching.kinds(PATIENCE) == []
    watching.begin()
    assert watching.kinds() == [EventKind.TROUBLE]
    hidden.rename(log)
    started().play("keno-1").write(log)
    assert watching.kinds() == [EventKind.GREW, EventKind.RECOVERED]


def test_checkpoints_without_their_files_are_kept(tmp_path: Path, log: Path) -> None:
    """A larger signed checkpoint whose tiles cannot be read: if it lasts, both checkpoints are kept; they prove nothing yet."""
    watching = Watching(tmp_path, log)
    watching.turn()
    (log / "checkpoint").write_bytes(forked(started()).files()["checkpoint"])
    assert watching.kinds() == [EventKind.TROUBLE]
    assert watching.kinds(PATIENCE) == [EventKind.UNREADABLE]
    evidence = watching.news[-1].evidence
    assert evidence is not None
    assert (log / "checkpoint").read_bytes() in Path(evidence).read_bytes()


def test_what_cannot_be_remembered_is_reported(tmp_path: Path, log: Path) -> None:
    """A full disk does not stop the watch; when there is room again, everything is remembered."""
    watching = Watching(tmp_path, log)
    watching.fails = True
    assert watching.kinds() == [EventKind.NOT_REMEMBERED, EventKind.GREW]
    started().play("keno-1").write(log)
    assert watching.kinds() == [EventKind.GREW]
    watching.fails = False
    assert watching.kinds() == [EventKind.RECOVERED]
    assert load_state(watching.state_file) == audit_log(FolderSource(log), KEY.verifier_key).state


def test_a_fork_whose_evidence_cannot_be_written_is_still_reported(tmp_path: Path, log: Path) -> None:
    """With the reason in its text, and without the name of a file."""
    write(started().play("keno-1"), log)
    watching = Watching(tmp_path, log)
    watching.turn()
    watching.fails = True
    write(forked(started()), log)
    ((kind, text),) = watching.turn()
    assert (kind, watching.news[-1].evidence) == (EventKind.FORK, None)
    assert text == "the log's key signed two histories; the evidence could not be written: No space left on device"


def test_pauses_grow_to_a_limit_and_are_not_in_step() -> None:
    """They double after each failure, randomised between half and the whole; after a success they are as usual."""
    low, high = BackOff(10, lambda: 0.0), BackOff(10, lambda: 1.0)
    for whole in (10, 20, 40, 80, 160, LONGEST_PAUSE, LONGEST_PAUSE):
        assert low.pause(readable=False) == whole / 2
        assert high.pause(readable=False) == whole
    for _ in range(5000):
        assert high.pause(readable=False) == LONGEST_PAUSE
    assert high.pause(readable=True) == 10
    assert high.pause(readable=False) == 10
    rare = BackOff(1000, lambda: 1.0)
    assert [rare.pause(readable=False) for _ in range(3)] == [1000, 1000, 1000]


@pytest.mark.slow
def test_the_documents_list_every_alarm() -> None:
    """In SPEC and docs/auditing.md, in the order of the code."""
    alarms = [kind.value for kind in EventKind if Event(kind, "", 0).is_alarm]
    for page, heading in (("SPEC.md", "### 8.7 Watching"), ("docs/auditing.md", "## Watch")):
        rest = (HOUSE / page).read_text("utf-8").partition(f"\n{heading}\n")[2]
        section = re.split(r"\n###? ", rest)[0]
        assert re.findall(r"^\| `([a-z-]+)` \|", section, re.MULTILINE) == alarms


class Program:
    """``foredraw-verify watch`` in a separate process, and the lines that it printed."""

    def __init__(self, *arguments: str | Path, key: str = VKEY) -> None:
        command = [sys.executable, "-m", "verifier", "watch", *map(str, arguments), "--key", key, "--every", "0.05"]
        self.process = subprocess.Popen(
            command, cwd=HOUSE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, encoding="utf-8"
        )
        self.lines: list[str] = []
        assert self.process.stdout is not None
        self._reader = Thread(target=self._read, args=(self.process.stdout,), daemon=True)
        self._reader.start()

    def _read(self, output: Iterator[str]) -> None:
        self.lines.extend(output)  # each as soon as it is printed

    def wait_for(self, words: str, times: int = 1, seconds: float = 20) -> None:
        """Wait until this many lines with these words were printed."""
        end = time.monotonic() + seconds
        while sum(words in line for line in self.lines) < times:
            assert time.monotonic() < end, f"{words} in {''.join(self.lines)}"
            assert self.process.poll() is None, (words, self.lines)
            time.sleep(0.01)

    def stop(self, number: int = signal.SIGTERM) -> tuple[int, str]:
        """Stop it, and return its exit status and error output."""
        self.process.send_signal(number)
        status = self.process.wait(15)
        self._reader.join(15)
        assert self.process.stderr is not None
        return status, self.process.stderr.read()

    def clean_up(self) -> None:
        """Kill it if it still runs."""
        self.process.kill()
        with self.process:
            self.process.wait()
            self._reader.join(15)

    @property
    def told(self) -> list[dict[str, Any]]:
        """The parsed lines of ``--json``."""
        return [json.loads(line) for line in self.lines]


@contextmanager
def program(*arguments: str | Path, key: str = VKEY) -> Iterator[Program]:
    """A watch that is stopped at the end of the test, whatever happens."""
    running = Program(*arguments, key=key)
    try:
        yield running
    finally:
        running.clean_up()


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_it_with_status_0(number: int, tmp_path: Path, log: Path) -> None:
    """No alarm was raised; the last line says so, and the error output is empty."""
    with serving(log) as address, program(address, "--state", tmp_path / "state") as watch:
        watch.wait_for("of them new, follow the rules")
        assert watch.stop(number) == (0, "")
    assert "watching fore.example/log at http://127.0.0.1" in watch.lines[0]
    assert watch.lines[-1].endswith("ended; no alarm was raised\n")


@pytest.mark.slow
def test_a_signal_ends_it_while_a_server_is_silent(tmp_path: Path) -> None:
    """It does not wait for an answer."""
    listener = socket.create_server(("127.0.0.1", 0))
    with listener, program(f"http://127.0.0.1:{listener.getsockname()[1]}", "--state", tmp_path / "state") as watch:
        watch.wait_for("nothing was seen before")
        connection, _ = listener.accept()
        with connection:
            assert connection.recv(1) == b"G"
            begun = time.monotonic()
            assert watch.stop() == (0, "")
            assert time.monotonic() - begun < SERVER_PATIENCE


@pytest.mark.slow
def test_an_alarm_is_status_3_and_json_a_line(tmp_path: Path, link: Path) -> None:
    """One object per line, all with the same keys; the file of evidence is named."""
    state = tmp_path / "state"
    with serving(link) as address, program(address, "--state", state, "--json") as watch:
        watch.wait_for('"what": "grew"')
        publish(forked(started(), rounds=1), link)
        watch.wait_for('"what": "fork"')
        status, errors = watch.stop()
    assert (status, errors) == (3, "")
    assert [line["what"] for line in watch.told] == ["begun", "grew", "fork", "ended"]
    assert len({tuple(sorted(line)) for line in watch.told}) == 1
    fork = watch.told[2]
    assert (fork["v"], fork["alarm"], fork["check"], fork["log"]) == (1, True, "log-extends", KEY.name)
    assert Fork.parse(Path(fork["evidence"]).read_bytes()).hashes


@pytest.mark.slow
def test_a_server_that_goes_away_and_comes_back(tmp_path: Path, log: Path) -> None:
    """The failure and its end are reported, and the watch continues; a restart in between remembers the failure."""
    state, port = tmp_path / "state", free_port()

    def server() -> subprocess.Popen[bytes]:
        command = [sys.executable, "-m", "http.server", str(port), "--bind", "127.0.0.1", "--directory", str(log)]
        return subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    arguments = (f"http://127.0.0.1:{port}", "--state", state, "--stall", "2")
    with program(*arguments) as watch:
        watch.wait_for("the log cannot be read")
        first = server()
        watch.wait_for("of them new, follow the rules")
        watch.wait_for("the log can be read again")
        first.terminate()
        first.wait()
        watch.wait_for("the log cannot be read", 2)
        watch.wait_for("ALARM unreadable")
        assert watch.stop()[0] == 3
    second = server()
    try:
        started().play("keno-1").write(log)
        with program(*arguments) as watch:
            watch.wait_for(f"; {len(started().records)} records were seen before")
            watch.wait_for(", 2 of them new, follow the rules")
            watch.wait_for("ALARM stalled: nothing new for 2 s")
    finally:
        second.terminate()
        second.wait()


@pytest.mark.slow
def test_a_command_runs_on_each_alarm(tmp_path: Path, link: Path) -> None:
    """With the alarm on its input and in its environment, without a shell."""
    told, script = tmp_path / "told", tmp_path / "script.py"
    script.write_text(
        "import os, sys\n"
        f"with open({str(told)!r}, 'a') as file:\n"
        "    file.write(sys.stdin.read() + os.environ['FOREDRAW_WHAT'] + ' ' + sys.argv[1] + '\\n')\n"
    )
    command = f"{sys.executable} {script} '$(touch {tmp_path}/injected); x'"
    with program(link, "--state", tmp_path / "state", "--json", "--exec", command) as watch:
        watch.wait_for('"what": "grew"')
        publish(forked(started()), link)
        watch.wait_for('"what": "fork"')
        status, errors = watch.stop()
    assert (status, errors) == (3, "")
    alarm, rest = told.read_text().splitlines()
    assert json.loads(alarm) == watch.told[2]
    assert rest == f"fork $(touch {tmp_path}/injected); x"
    assert not (tmp_path / "injected").exists()


@pytest.mark.slow
def test_a_command_that_hangs_stops_nothing_and_one_that_fails_is_reported(tmp_path: Path, link: Path) -> None:
    """The watch continues; at its end a command that still runs is killed with all that it started."""
    for command, complaint in (
        ("sleep 600", "the command for broken-rule was killed with the watch"),
        (f"{sys.executable} -c 'raise SystemExit(7)'", "the command for broken-rule failed with status 7"),
    ):
        publish(started(), link)
        state = tmp_path / command[:5].replace("/", "_")
        with program(link, "--state", state, "--stall", "0.5", "--exec", command) as watch:
            watch.wait_for("follow the rules")
            operator = started()
            operator.lock("keno-1", round=9)
            publish(operator, link)
            watch.wait_for("ALARM broken-rule")
            watch.wait_for("ALARM stalled")
            status, _ = watch.stop()
        assert status == 3
        assert any(complaint in line for line in watch.lines)


def is_gone(pid: str) -> bool:
    """Whether a process has ended; a zombie counts as ended."""
    try:
        return Path(f"/proc/{pid}/stat").read_text("ascii").rpartition(") ")[2][0] == "Z"
    except (FileNotFoundError, ProcessLookupError):
        return True


@pytest.mark.slow
def test_a_command_has_its_time_and_its_number(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """A command that runs too long is killed with all that it started; only a few may run at once; a missing program is reported."""
    told = list[str]()
    pid = tmp_path / "pid"
    sleeper = f"sh -c 'sleep 600 & echo $! >> {pid}; wait'"
    command = AlarmCommand(sleeper, told.append, longest_run=0.5)
    for _ in range(MOST_RUNNING + 1):
        command.run({"what": "fork", "evidence": None})
    assert told == [f"the command was not run for fork: {MOST_RUNNING} of it still run"]
    end = time.monotonic() + 20
    while len(told) <= MOST_RUNNING and time.monotonic() < end:
        command.look_after()
    assert told[1:] == ["the command for fork was killed after 0.5 s"] * MOST_RUNNING
    for number in pid.read_text().split():
        wait_until(partial(is_gone, number), f"process {number} to end")
    script = tmp_path / "script"
    script.write_text("#!/bin/sh\necho heard\n")
    script.chmod(0o755)
    told.clear()
    command = AlarmCommand(str(script), told.append)
    command.run({"what": "fork"})
    command.finish(10)
    script.unlink()
    command.run({"what": "fork"})
    assert told == ["the command could not be run for fork: No such file or directory"]
    assert capfd.readouterr() == ("", "heard\n")


@pytest.mark.slow
@pytest.mark.parametrize(
    "arguments",
    [
        ("--every", "0"),
        ("--every", "1e3"),
        ("--every", "nan"),
        ("--stall", "-1"),
        ("--stall", "10000001"),
        ("--exec", ""),
        ("--exec", "'"),
        ("--exec", "/no/such/program"),
    ],
    ids=" ".join,
)
def test_wrong_usage_is_reported_before_anything_is_watched(arguments: tuple[str, str], tmp_path: Path) -> None:
    """Status 2, a few lines of error output, and nothing is written."""
    command = [sys.executable, "-m", "verifier", "watch", "somewhere", "--state", str(tmp_path / "state")]
    ran = subprocess.run(
        [*command, "--key", VKEY, *arguments], capture_output=True, text=True, check=False, cwd=HOUSE
    )
    assert (ran.returncode, ran.stdout, "Traceback" in ran.stderr) == (2, "", False)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
def test_a_state_that_cannot_be_used_ends_it(tmp_path: Path, log: Path) -> None:
    """Damaged: status 4. Of another log: status 2."""
    state = tmp_path / "state"
    state.write_text("{}")
    run = partial(subprocess.run, capture_output=True, text=True, check=False, cwd=HOUSE)
    command = [sys.executable, "-m", "verifier", "watch", str(log), "--state", str(state), "--key"]
    assert run([*command, VKEY]).returncode == 4
    save_state(state, audit_log(FolderSource(log), KEY.verifier_key).state)
    other = "fore.example/log+3391d0f1+AZuKtTtiquV2gpdd5ZCyfcWsBuafGyFX/vPhMeFCDSpj"
    ran = run([*command, other])
    assert (ran.returncode, ran.stdout) == (2, "")


@pytest.mark.slow
def test_a_service_is_watched_while_it_plays(tmp_path: Path) -> None:
    """A real service: its log grows; its background program stops with a locked round, which is reported; then it continues."""
    with running_service(tmp_path / "data", {"keno-1": "keno-express"}) as service:
        arguments = (f"{service.url}/log", "--state", tmp_path / "state", "--stall", "1.5")
        with program(*arguments, key=str(service.key)) as watch:
            watch.wait_for("follow the rules")
            service.play("keno-1", 1)
            watch.wait_for("follow the rules", 2)
            assert service.act("keno-1", 2, "open").status == 200
            assert service.act("keno-1", 2, "lock").status == 200
            watch.wait_for("keno-1: round 2 was locked at")
            assert service.act("keno-1", 2, "reveal").status == 200
            watch.wait_for("no longer hangs: keno-1: round 2 was locked at")
            assert watch.stop()[0] == 3
        state = load_state(tmp_path / "state")
        assert state is not None
        assert Checkpoint.open(state.checkpoint.encode(), service.key) == service.checkpoint()
        assert (tmp_path / "state").stat().st_size < 10_000
