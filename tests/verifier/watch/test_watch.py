"""The watch, turn by turn: what it reports, each event once, and what it survives."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from fairness.draws.commitments import commitments_path
from fairness.log.tiles import bundle_path
from tests.house import HOUSE
from tests.lies import started
from tests.support.dishonest_operator import KEY, Operator
from tests.support.watching import PATIENCE, Watching
from verifier.audit.audit import audit_log
from verifier.audit.state_file import load_state
from verifier.sources.source import FolderSource
from verifier.watch.back_off import LONGEST_PAUSE, BackOff
from verifier.watch.events import Event, EventKind


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


def test_asides_are_no_growth(tmp_path: Path, log: Path) -> None:
    """Whoever only appends them plays nothing: the log stalls all the same; a record of a table among them is
    growth.
    """
    watching = Watching(tmp_path, log)
    watching.turn()
    operator = started()
    for _ in range(3):
        operator.append(b'{"by":"foredraw 1.0.0","table":"-","type":"aside-made","v":1}')
        operator.write(log)
        assert watching.kinds(PATIENCE / 4) == [EventKind.GREW]
    operator.append(b'{"by":"foredraw 1.0.0","table":"-","type":"aside-made","v":1}')
    operator.write(log)
    assert watching.kinds(PATIENCE / 4) == [EventKind.GREW, EventKind.STALLED]
    operator.append(b'{"by":"foredraw 1.0.0","table":"-","type":"aside-made","v":1}')
    operator.play("keno-1").write(log)
    assert watching.kinds() == [EventKind.GREW, EventKind.RECOVERED]


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
