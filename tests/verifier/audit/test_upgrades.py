"""A state that an older verifier made: what it did not know, a newer one checks from the first record."""

from __future__ import annotations

from pathlib import Path

import pytest

from fairness.checks import Check
from fairness.draws import game
from fairness.errors import CheckFailed
from games import registry
from games.declared import kinds
from tests.support.dishonest_operator import KEY, Operator
from verifier.audit.audit import audit_log
from verifier.audit.remembered import AuditState, must_begin_again
from verifier.audit.report import AuditReport
from verifier.caveats import report_unknown
from verifier.sources.source import FolderSource

NAMES = ["a kind", "rules"]


def log(name: str, *, lies: bool = False) -> Operator:
    """A table of which an older verifier does not know the kind or the rules; its third round may lie."""
    operator = Operator()
    operator.table("new", "roulette" if name == "a kind" else "sic-bo")
    operator.batch("new", 20)
    operator.play("new", 2)
    operator.lock("new")
    operator.reveal("new", **({"outcome": {"pocket": 99}} if lies else {}))
    return operator


def forget(name: str, older: pytest.MonkeyPatch) -> None:
    """Make this verifier an older one."""
    if name == "a kind":
        older.delitem(kinds._KINDS, "number")
    else:
        older.setattr(game, "VERSION", 0)
    clear()


def clear() -> None:
    """Nothing that was parsed before is known."""
    registry._declared.cache_clear()


def older_state(name: str, folder: Path) -> AuditState:
    """What an older verifier remembers of a log."""
    with pytest.MonkeyPatch.context() as older:
        forget(name, older)
        report = audited(folder)
        assert report_unknown(report)
        assert not must_begin_again(report.head.policy, report.state)
    clear()
    return report.state


def audited(folder: Path, previous: AuditState | None = None) -> AuditReport:
    return audit_log(FolderSource(folder), KEY.verifier_key, previous=previous)


@pytest.mark.parametrize("name", NAMES)
def test_what_a_newer_verifier_knows_is_checked_from_the_first_record(tmp_path: Path, name: str) -> None:
    """Then nothing is unknown any more, as without the old state; and the next audit reads only what is new."""
    operator = log(name)
    state = older_state(name, operator.write(tmp_path))
    operator.play("new", 2)
    operator.write(tmp_path)
    report = audited(tmp_path, state)
    assert (report.seen_before, report_unknown(report)) == (0, [])
    assert report.state == audited(tmp_path).state
    assert audited(tmp_path, report.state).seen_before == len(operator.records)


@pytest.mark.parametrize("name", NAMES)
def test_a_lie_that_an_older_verifier_could_not_see_is_found(tmp_path: Path, name: str) -> None:
    """Though its records were read before."""
    state = older_state(name, log(name, lies=True).write(tmp_path))
    with pytest.raises(CheckFailed) as failed:
        audited(tmp_path, state)
    assert failed.value.check is Check.OUTCOME


def test_a_batch_that_an_older_verifier_accepted_is_no_crash(tmp_path: Path) -> None:
    """Its rules lack a parameter of the declaration."""
    operator = Operator()
    declared = {"draw": [["a", "number", 1, "most"]], "rules": {"most": [2, 6]}}
    operator.table("new", "mine", declared=declared, rules={"most": 6})
    operator.batch("new", 12, rules={"version": 1})
    operator.lock("new")
    state = older_state("a kind", operator.write(tmp_path))
    operator.reveal("new")
    with pytest.raises(CheckFailed) as failed:
        audited(operator.write(tmp_path), state)
    assert failed.value.check is Check.BATCH_RULES
