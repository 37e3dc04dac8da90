"""A watch compares the log's index with what it replays; what does not lead there for more than a minute is an
alarm.
"""

from __future__ import annotations

from pathlib import Path
from shutil import rmtree

from fairness.round.finding_aids import rounds_path, tables_path
from tests.lies import started
from tests.support.dishonest_operator import Operator
from tests.support.watching import Watching
from verifier.watch.aids import AIDS_PATIENCE
from verifier.watch.events import EventKind


def played(rounds: int) -> Operator:
    return started().play("keno-1", rounds)


def write_but_the_aids(operator: Operator, log: Path) -> None:
    """Write what is new, and leave the finding aids as they are."""
    for path, data in operator.files().items():
        if not path.startswith("find/"):
            (log / path).parent.mkdir(parents=True, exist_ok=True)
            (log / path).write_bytes(data)


def test_an_index_that_lags_for_a_moment_is_no_news(tmp_path: Path, log: Path) -> None:
    """It was right at the next look, a minute later at the latest."""
    watching = Watching(tmp_path, log)
    assert watching.kinds() == [EventKind.GREW]
    write_but_the_aids(played(2), log)
    assert watching.kinds() == [EventKind.GREW]
    assert watching.kinds(AIDS_PATIENCE - 1) == []
    played(2).write(log)
    assert watching.kinds() == []
    assert watching.kinds(AIDS_PATIENCE / 2) == []


def test_a_lag_of_ever_other_rounds_is_no_news(tmp_path: Path, log: Path) -> None:
    """Each of them is right soon, although there is always one that is not."""
    watching = Watching(tmp_path, log)
    watching.turn()
    for rounds in range(1, 4):
        write_but_the_aids(played(rounds), log)
        assert watching.kinds(AIDS_PATIENCE / 2) == [EventKind.GREW]
        for path, data in played(rounds).files().items():
            if path.startswith("find/"):
                (log / path).write_bytes(data)


def test_an_index_that_stays_old_is_an_alarm_once(tmp_path: Path, log: Path) -> None:
    """It names table and rounds, also when more rounds follow; and it is over when all of them are led to."""
    watching = Watching(tmp_path, log)
    watching.turn()
    operator = played(2)
    last = operator.tables["keno-1"].round
    write_but_the_aids(operator, log)
    assert watching.kinds() == [EventKind.GREW]
    assert watching.watch.next_due(watching.now) == watching.now + AIDS_PATIENCE
    ((kind, text),) = watching.turn(AIDS_PATIENCE)
    assert kind is EventKind.FALSE_FILES
    assert f"for 60 s: keno-1, rounds {last - 1} to {last} (old);" in text
    assert "nobody signs" in text
    write_but_the_aids(played(3), log)
    assert watching.kinds() == [EventKind.GREW]
    assert watching.kinds(AIDS_PATIENCE) == []
    played(3).write(log)
    assert watching.turn() == [(EventKind.RECOVERED, "the log's index leads to its records again")]
    assert watching.kinds() == []


def test_a_missing_or_false_index_is_an_alarm(tmp_path: Path, log: Path) -> None:
    """From the first look on; an index that is ahead of the checkpoint is neither."""
    operator = started()
    keno = operator.tables["keno-1"]
    (log / tables_path(keno.table_id)).unlink()
    path = log / rounds_path(keno.table_id, 1)
    path.write_bytes(bytes(len(path.read_bytes())))
    watching = Watching(tmp_path, log)
    assert watching.kinds() == [EventKind.GREW]
    ((kind, text),) = watching.turn(AIDS_PATIENCE)
    assert kind is EventKind.FALSE_FILES
    assert "keno-1 (missing); keno-1, rounds 1 to" in text
    head = operator.files()["checkpoint"]
    played(2).write(log)
    (log / "checkpoint").write_bytes(head)
    assert watching.kinds() == [EventKind.RECOVERED]


def test_after_a_restart_only_what_is_new_is_compared(tmp_path: Path, log: Path) -> None:
    """What was replayed before is for an audit; of what is new, also the ends of tables that were made before."""
    watching = Watching(tmp_path, log)
    watching.turn()
    rmtree(log / "find")
    watching.begin()
    assert watching.kinds(AIDS_PATIENCE) == []
    operator = started()
    operator.end("sic-bo-1")
    write_but_the_aids(operator, log)
    assert watching.kinds() == [EventKind.GREW]
    assert [kind for kind, text in watching.turn(AIDS_PATIENCE) if "sic-bo-1 (missing)" in text] == [
        EventKind.FALSE_FILES
    ]
    operator.write(log)
    assert EventKind.RECOVERED in watching.kinds()


def test_aids_that_cannot_be_read_are_unreadable(tmp_path: Path, log: Path) -> None:
    """Not false: the log's files could not be read."""
    watching = Watching(tmp_path, log)
    watching.turn()
    operator = played(1)
    write_but_the_aids(operator, log)
    path = log / rounds_path(operator.tables["keno-1"].table_id, 1)
    path.unlink()
    path.mkdir()
    assert watching.kinds() == [EventKind.GREW, EventKind.TROUBLE]
    path.rmdir()
    operator.write(log)
    assert watching.kinds() == [EventKind.RECOVERED]
