"""The audit of honest logs: what it finds, however the work is shared and wherever the files are."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fairness.checks import Check
from fairness.draws.commitments import commitments_path
from fairness.errors import CheckFailed, Missing, Unreadable
from fairness.log.tiles import bundle_path, tile_path
from games import GAMES
from games.registry import GameSet
from tests.lies import history, started
from tests.support.dishonest_operator import KEY, Operator
from tests.support.interrupted import START, interrupting_at
from tests.support.log_server import serving
from tests.support.logs import LOG_KEY, SUMMARY, audited, long_log, write_vector_log
from verifier.audit.audit import audit_log, replay_log
from verifier.audit.history import RulesChange
from verifier.audit.report import Unfinished, UnopenedBatch
from verifier.caveats import report_caveats
from verifier.forks.extension import NotAnExtension
from verifier.sentences import NotChecked
from verifier.sources.source import FolderSource, HttpSource


@pytest.mark.parametrize("jobs", [1, 2, 3, 9])
def test_the_vector_log_has_the_summary_of_the_vectors(jobs: int, tmp_path: Path) -> None:
    """Seven tables with every kind of end: every figure, in any number of processes; and what is unfinished."""
    write_vector_log(tmp_path)
    report = replay_log(FolderSource(tmp_path), LOG_KEY.verifier_key, jobs=jobs)
    assert report.checkpoint.root.hex() == SUMMARY["root"]
    assert report.checkpoint.size == SUMMARY["records"]
    found = {table.name: table for table in report.tables}
    assert found.keys() == SUMMARY["tables"].keys()
    for name, expected in SUMMARY["tables"].items():
        state = found[name].state
        assert {
            "played": state.counts.played,
            "void": state.counts.void,
            "unused": state.counts.unused,
            "committed": state.committed_through,
            "closed": state.closed,
            "smallest_distance": state.smallest_distance,
        } == {"smallest_distance": None, **expected}
    assert [(entry.table, entry.what, entry.round) for entry in report.unfinished] == [
        ("three-a", "not-closed", None),
        ("two-a", "locked-round", 24),
    ]


def test_commitments_that_are_not_published_are_missed(tmp_path: Path) -> None:
    """The vectors publish no file of commitments, so the audit refuses what the replay accepts."""
    write_vector_log(tmp_path)
    with pytest.raises(CheckFailed) as refused:
        audit_log(FolderSource(tmp_path), LOG_KEY.verifier_key)
    assert refused.value.check is Check.COMMITMENTS_FILE
    assert isinstance(refused.value.__cause__, Missing)


def test_every_way_to_audit_finds_the_same(tmp_path: Path) -> None:
    """From a folder or a server, in one process or several, the answer is the same."""
    history().write(tmp_path)
    expected = audited(tmp_path)
    assert audited(tmp_path, jobs=2) == audited(tmp_path, jobs=5) == expected
    with serving(tmp_path) as address:
        for jobs in (1, 2):
            assert audit_log(HttpSource(address), KEY.verifier_key, jobs=jobs) == expected


def test_one_table_alone_is_audited_by_many(tmp_path: Path) -> None:
    """If there are fewer tables than workers, the others check hashes, or nothing."""
    operator = Operator()
    operator.table("alone", "keno-express")
    operator.batch("alone", 400)
    operator.play("alone", 380).write(tmp_path)
    assert audited(tmp_path, jobs=4) == audited(tmp_path)
    assert audited(tmp_path).rounds_ended == 380


def test_an_empty_log_holds(tmp_path: Path) -> None:
    """Nothing has been promised yet."""
    Operator().write(tmp_path)
    report = audited(tmp_path, jobs=2)
    assert (report.checkpoint.size, report.tables, report.unfinished) == (0, [], [])


@pytest.mark.parametrize("jobs", [1, 2])
def test_progress_is_reported_and_ends_with_everything(jobs: int, tmp_path: Path) -> None:
    """The count never goes back, and its last value is the number of records."""
    operator = Operator()
    operator.table("one", "hi-lo")
    operator.batch("one", 300)
    seen = audited(operator.play("one", 150).write(tmp_path)).state
    operator.play("one", 130).write(tmp_path)
    size = len(operator.records)
    for previous, new in ((None, size), (seen, 260)):
        told: list[tuple[int, int]] = []
        audited(tmp_path, jobs=jobs, previous=previous, progress=lambda *now, told=told: told.append(now))
        assert told == sorted(told)
        assert told[-1] == (new, new)
        assert all(done >= 0 for done, _ in told)


def test_rules_and_their_changes_are_reported(tmp_path: Path) -> None:
    """Each change from one batch to the next, with its batch; a batch with the same rules is no change."""
    operator = Operator()
    operator.table("crash-1", "crash")
    first = {"cap": 1_000_000, "rtp": 9700, "version": 1}
    second, third = first | {"rtp": 9500}, first | {"cap": 200}
    for rules in (first, first, second, third, first):
        operator.batch("crash-1", 10, rules=rules)
    (table,) = audited(operator.write(tmp_path)).tables
    assert table.history.rules == first
    assert table.changes == [
        RulesChange(3, first, second),
        RulesChange(4, second, third),
        RulesChange(5, third, first),
    ]


def test_unopened_batches_and_what_is_unfinished_are_reported(tmp_path: Path) -> None:
    """A locked round, an ended table, and every batch whose last seed is not public."""
    operator = started()
    operator.lock("crash-1")
    operator.end("keno-1")
    report = audited(operator.write(tmp_path))
    tables = {table.name: table for table in report.tables}
    assert tables["keno-1"].unopened == [UnopenedBatch(2, 5, 8), UnopenedBatch(3, 9, 12)]
    locked, ended = operator.tables["crash-1"].latest, operator.tables["keno-1"].latest
    assert report.unfinished == [
        Unfinished("crash-1", "locked-round", locked, 3),
        Unfinished("keno-1", "not-closed", ended),
    ]


def test_what_was_not_checked_is_reported(tmp_path: Path) -> None:
    """No salt, no witness, one custodian or several names, bets; and flights only if a game has them."""
    operator = Operator()
    operator.table("dice", "sic-bo")
    operator.write(tmp_path)
    assert report_caveats(audited(tmp_path), GAMES) == [
        NotChecked.NO_SALT,
        NotChecked.NO_WITNESS,
        NotChecked.ONE_CUSTODIAN,
        NotChecked.BETS,
    ]
    told = report_caveats(audited(started().write(tmp_path / "more")), GAMES)
    assert {
        NotChecked.NO_SALT,
        NotChecked.NO_WITNESS,
        NotChecked.ONE_CUSTODIAN,
        NotChecked.SEVERAL_NAMES,
        NotChecked.BETS,
    } < set(told)
    assert any(sentence.startswith("The flight: in crash, the party that runs the engine") for sentence in told)


def test_the_next_audit_reads_only_what_is_new(tmp_path: Path) -> None:
    """At any size, without the old bundles, it gets the same result as an audit from the first record."""
    operator = history()
    earlier = audited(operator.write(tmp_path))
    for rounds in (0, 1, 20, 19):
        operator.play("hi-lo-1" if rounds < 20 else "sic-bo-1", min(rounds, 20))
        if rounds == 19:
            operator.batch("penalty-1", 30, rules={"version": 1})
        operator.write(tmp_path)
        whole = audited(tmp_path)
        again = audited(tmp_path, previous=earlier.state, jobs=1 + rounds % 2)
        assert again.state == whole.state
        assert again.seen_before == earlier.checkpoint.size
        earlier = again
    old = tmp_path / bundle_path(0)
    assert old.is_file()
    old.unlink()
    assert audited(tmp_path, previous=earlier.state).rounds_ended == earlier.rounds_ended


@pytest.mark.parametrize("change", ["the same size", "longer"])
def test_a_log_that_does_not_extend_what_was_seen_is_refused(change: str, tmp_path: Path) -> None:
    """The error carries both signed checkpoints, and the remembered state is unchanged."""
    before, after = Operator(), Operator()
    for operator, rounds in ((before, 5), (after, {"the same size": 5, "longer": 6}[change])):
        operator.table("dice", "sic-bo")
        operator.batch("dice", 30 if operator is before else 31)
        operator.play("dice", rounds)
    seen = audited(before.write(tmp_path / "before"))
    remembered = seen.state.checkpoint
    with pytest.raises(NotAnExtension) as refused:
        audited(after.write(tmp_path / "after"), previous=seen.state)
    assert refused.value.check is Check.LOG_EXTENDS
    assert remembered == seen.state.checkpoint
    fork, served = refused.value.fork, (tmp_path / "after" / "checkpoint").read_bytes()
    assert {fork.smaller, fork.larger} == {remembered.encode(), served}
    assert bool(fork.hashes) == (change == "longer")


def test_a_failure_after_what_was_seen_leaves_the_memory_unharmed(tmp_path: Path) -> None:
    """The state that was passed in is the same after a refused record as before it."""
    operator = started()
    seen = audited(operator.write(tmp_path))
    copy = audited(tmp_path).state
    operator.play("keno-1")
    operator.lock("keno-1", round=99)
    operator.write(tmp_path)
    with pytest.raises(CheckFailed) as refused:
        audited(tmp_path, previous=seen.state)
    assert (refused.value.check, refused.value.index) == (Check.LOCK_NEXT, len(operator.records) - 1)
    assert seen.state == copy


def test_a_state_of_another_key_is_a_misuse(tmp_path: Path) -> None:
    """A state of one log says nothing about another."""
    seen = audited(started().write(tmp_path))
    seen.state.key = str(LOG_KEY.verifier_key)
    with pytest.raises(ValueError, match="remembered state"):
        audited(tmp_path, previous=seen.state)


@pytest.mark.lattice
@pytest.mark.parametrize("jobs", [1, 2, 3])
def test_bytes_that_are_not_the_logs_come_before_a_broken_rule(jobs: int, tmp_path: Path) -> None:
    """Wherever they are. A file that is missing after the broken rule does not hide it; one before it does."""
    operator = long_log()
    folder = operator.write(tmp_path)
    at = len(operator.records) - 1
    with pytest.raises(CheckFailed) as refused:
        audited(folder, jobs=jobs)
    assert (refused.value.check, refused.value.index) == (Check.LOCK_NEXT, at)

    last = next(folder.glob("tile/entries/*.p/*"))
    whole, first = last.read_bytes(), (folder / bundle_path(0)).read_bytes()
    (folder / bundle_path(0)).write_bytes(first[:-3] + b"2" + first[-2:])
    with pytest.raises(CheckFailed) as refused:
        audited(folder, jobs=jobs)
    assert (refused.value.check, refused.value.where) == (Check.BUNDLE, bundle_path(0))
    (folder / bundle_path(0)).unlink()
    with pytest.raises(Unreadable, match=bundle_path(0)):
        audited(folder, jobs=jobs)
    (folder / bundle_path(0)).write_bytes(first)
    last.write_bytes(whole)
    (folder / tile_path(0, 1)).unlink()
    with pytest.raises(Unreadable, match=tile_path(0, 1)):
        audited(folder, jobs=jobs)


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_file_that_is_missing_later_hides_no_broken_rule(jobs: int, tmp_path: Path) -> None:
    """A refused record is a verdict, although the end of the log cannot be read."""
    operator = long_log()
    at = len(operator.records) - 1
    folder = operator.play("one", 130).write(tmp_path)
    next(folder.glob("tile/entries/*.p/*")).unlink()
    with pytest.raises(CheckFailed) as refused:
        audited(folder, jobs=jobs)
    assert (refused.value.check, refused.value.index) == (Check.LOCK_NEXT, at)


@pytest.mark.parametrize("jobs", [1, 2])
def test_of_two_broken_rules_the_first_is_named(jobs: int, tmp_path: Path) -> None:
    """Whichever table is first in the log."""
    operator = started()
    names = list(operator.tables)
    first = operator.lock(names[1], round=99)
    operator.lock(names[2], round=99)
    operator.lock(names[0], round=99)
    with pytest.raises(CheckFailed) as refused:
        audited(operator.write(tmp_path), jobs=jobs)
    assert refused.value.index == first


@pytest.mark.parametrize("module", [START, "verifier.audit.processes"])
def test_an_interrupt_at_the_terminal_is_for_the_first_process_alone(
    module: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """It reaches the others, too, while they start, and they neither end nor show a traceback."""
    folder = history().write(tmp_path / "log")
    expected = audited(folder)
    for name, value in interrupting_at(module, tmp_path).items():
        monkeypatch.setenv(name, value)
    assert audited(folder, jobs=2) == expected
    assert capfd.readouterr().err == ""


def test_other_games_are_not_known_in_other_processes(tmp_path: Path) -> None:
    """So an audit with the caller's own games runs in one process, however many were requested."""
    folder = started().write(tmp_path)
    with pytest.raises(CheckFailed) as refused:
        audit_log(FolderSource(folder), KEY.verifier_key, games=GameSet({}), jobs=2)
    assert (refused.value.check, refused.value.index) == (Check.TABLE_DECLARATION, 0)


FOLDER_FILES = sorted(started().files())


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(path=st.sampled_from(FOLDER_FILES), data=st.binary(max_size=300) | st.binary(min_size=8000, max_size=8300))
def test_hostile_bytes_in_any_file_cause_our_own_errors_only(path: str, data: bytes, tmp_path: Path) -> None:
    """Whatever a file contains, the audit holds or names what is wrong."""
    file = started().write(tmp_path) / path
    file.write_bytes(data)
    with suppress(CheckFailed, Unreadable):
        audited(tmp_path)


@pytest.mark.parametrize("missing", ["a-first", "z-last"])
def test_of_several_files_of_commitments_the_first_decides(missing: str, tmp_path: Path) -> None:
    """In the order of the tables' names (SPEC 8.1): a missing file is a failure, an unreadable one gives no
    verdict.
    """
    operator = Operator()
    for name in ("z-last", "a-first"):
        operator.table(name, "keno-express")
        operator.batch(name, 6)
    operator.write(tmp_path)
    for name, table in operator.tables.items():
        file = tmp_path / commitments_path(table.batches[0].batch_id)
        file.unlink()
        if name != missing:
            # A folder cannot be read as a file.
            file.mkdir()
    with pytest.raises(CheckFailed if missing == "a-first" else Unreadable):
        audit_log(FolderSource(tmp_path), KEY.verifier_key)
