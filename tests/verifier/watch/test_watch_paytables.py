"""What a watch says of the files that say what bets pay: of a new table's at once, and again only when it was
right.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.recipes.cases.paytables import GENEROUS, NEWER_WORD
from tests.support.dishonest_operator import KEY, Operator
from tests.support.watching import Watching
from verifier.audit.audit import audit_log
from verifier.caveats import report_unknown
from verifier.output.kind import kind_of
from verifier.sources.source import FolderSource
from verifier.watch.events import EventKind


def written(folder: Path, paytable: bytes) -> Path:
    """A log with one table that pays so; returns its file's place."""
    operator = Operator()
    operator.table("dice-1", "sic-bo", betting=paytable)
    operator.batch("dice-1", 20)
    log = operator.play("dice-1", 2).write(folder)
    (path,) = operator.paytables
    return log / path


def test_a_file_that_is_missing_is_an_alarm_until_it_is_there(tmp_path: Path) -> None:
    """It may be the server's fault, and be gone in the next turn."""
    log = tmp_path / "log"
    file = written(log, GENEROUS)
    file.unlink()
    watching = Watching(tmp_path, log)
    assert watching.kinds() == [EventKind.GREW, EventKind.FALSE_FILES]
    assert watching.kinds() == []
    file.write_bytes(GENEROUS)
    assert watching.kinds() == [EventKind.RECOVERED]
    # Judged once in a run: what is right cannot become wrong but by a server that lost it.
    file.unlink()
    assert watching.kinds() == []


def test_what_is_newer_is_reported_once(tmp_path: Path) -> None:
    """And the audit ends as unknown, while the rounds follow the rules."""
    log = tmp_path / "log"
    written(log, NEWER_WORD)
    watching = Watching(tmp_path, log)
    assert watching.kinds() == [EventKind.GREW, EventKind.UNKNOWN]
    assert watching.kinds() == []
    report = audit_log(FolderSource(log), KEY.verifier_key)
    (sentence,) = report_unknown(report)
    assert sentence.startswith("What bets at dice-1 pay: this verifier does not know the figure median")
    assert (str(kind_of(report.head, [sentence])), report.drawn) == ("unknown", 2)


@pytest.mark.parametrize("size", [65_536, 65_537])
def test_a_file_of_another_hash_is_none(tmp_path: Path, size: int) -> None:
    """Whatever its size: nothing of it is read."""
    log = tmp_path / "log"
    written(log, GENEROUS).write_bytes(b"[" * size)
    watching = Watching(tmp_path, log)
    assert watching.kinds() == [EventKind.GREW, EventKind.FALSE_FILES]
    failure = watching.news[-1].failure
    assert failure is not None
    assert (failure.check.value, failure.index) == ("paytable-file", None)
