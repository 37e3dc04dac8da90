"""An audit that could not read everything: what it keeps, and what the next one makes up for (SPEC 8.1)."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from threading import Lock

import msgspec
import pytest

from fairness.checks import Check
from fairness.draws.commitments import commitments_path
from fairness.errors import CheckFailed, Unreadable
from fairness.log.tiles import WIDTH, bundle_path, tile_path
from fairness.policy.policy import Policy, Trust
from fairness.policy.witnessed import witnessed_path
from tests.support.beacons import OURS
from tests.support.dishonest_operator import KEY, Operator
from tests.support.log_server import answering
from tests.support.logs import write_files
from tests.support.ran import Ran
from tests.support.watching import Watching
from tests.support.witnessed import POLICY, SALTED_BY, witnessed_log
from tests.verifier.sources.hostile.answers import answer, length
from verifier.audit import remembered, state_file
from verifier.audit.audit import audit_log
from verifier.audit.remembered import AuditState, Incomplete
from verifier.audit.report import AuditReport
from verifier.audit.state_file import load_state
from verifier.commands.command import FAILED, HELD, UNREADABLE
from verifier.forks.extension import NotAnExtension
from verifier.sources.source import FolderSource, HttpSource
from verifier.watch.events import EventKind
from verifier.witness.follower import Follower

TRUST = KEY.verifier_key
VKEY = str(TRUST)
WITNESSED = Policy.parse(POLICY)


def played(rounds: int = 300) -> Operator:
    """Two tables, and a bundle and a fifth for each hundred rounds of both."""
    operator = Operator()
    for name in ("one", "two"):
        operator.table(name, "hi-lo")
        operator.batch(name, 500)
    for _ in range(rounds):
        operator.play("one").play("two")
    return operator


class Broken:
    """A folder some of whose files cannot be read, and what was read of it."""

    def __init__(self, folder: Path, *bad: str) -> None:
        self._source, self.bad, self.paths = FolderSource(folder), bad, list[str]()

    @property
    def address(self) -> str:
        """Where the files come from."""
        return self._source.address

    def read(self, path: str) -> bytes:
        """Read the file. Raises `Unreadable` for a bad one."""
        self.paths.append(path)
        if path.startswith(self.bad or "-"):
            raise Unreadable(path, "the server answers 429")
        return self._source.read(path)


@contextmanager
def away(*files: Path) -> Iterator[None]:
    """Files that are not there for a while."""
    for file in files:
        file.rename(file.with_name(f"{file.name}.away"))
    yield
    for file in files:
        file.with_name(f"{file.name}.away").rename(file)


def stopped(
    source: Broken | FolderSource, trust: Trust = TRUST, state: AuditState | None = None, jobs: int = 1
) -> Incomplete:
    """An audit that could not read everything."""
    previous = state or AuditState.empty(Policy.of(trust).log)
    before = msgspec.json.encode(previous)
    with pytest.raises(Incomplete) as failed:
        audit_log(source, trust, previous=previous, jobs=jobs)
    assert msgspec.json.encode(previous) == before
    kept = failed.value.state
    assert msgspec.structs.replace(kept, part=None) == msgspec.structs.replace(previous, part=None)
    # As the file has it.
    failed.value.state = msgspec.json.decode(msgspec.json.encode(kept), type=AuditState)
    return failed.value


def same(report: AuditReport, whole: AuditReport) -> bool:
    """Whether an audit that went on found what one that read everything found."""
    return (report.state, report.clock) == (whole.state, whole.clock) and report.state.part is None


@pytest.mark.parametrize(("bundle", "jobs"), [(0, 1), (1, 1), (3, 1), (1, 2)])
def test_the_next_audit_goes_on_at_the_bundle_that_could_not_be_read(bundle: int, jobs: int, tmp_path: Path) -> None:
    """However many processes; it finds what an audit finds that reads everything."""
    folder = played().write(tmp_path)
    with away(folder / bundle_path(bundle, WIDTH)):
        error = stopped(FolderSource(folder), jobs=jobs)
    assert (error.replayed, error.path) == (bundle * WIDTH, bundle_path(bundle, WIDTH))
    source = Broken(folder)
    report = audit_log(source, TRUST, previous=error.state)
    assert report.seen_before == bundle * WIDTH
    assert not {bundle_path(number, WIDTH) for number in range(bundle)} & {*source.paths}
    assert same(report, audit_log(FolderSource(folder), TRUST))


def test_it_comes_further_each_time(tmp_path: Path) -> None:
    """Also in a log that grows meanwhile, and from what an audit that ended remembered."""
    operator = played(100)
    state = audit_log(FolderSource(operator.write(tmp_path)), TRUST).state
    for bad in (2, 3):
        operator.play("one", 100).play("two", 100)
        error = stopped(Broken(operator.write(tmp_path), bundle_path(bad, WIDTH)), state=state)
        assert error.replayed == bad * WIDTH
        state = error.state
    assert state.part is not None
    assert state.part.start == 404
    report = audit_log(FolderSource(tmp_path), TRUST, previous=state)
    assert same(report, audit_log(FolderSource(tmp_path), TRUST))


@pytest.mark.parametrize("path", [tile_path(0, 1), "commitments/", "tile/0/004.p"])
def test_whatever_could_not_be_read_is_made_up_for(path: str, tmp_path: Path) -> None:
    """Tiles, the commitments of unopened batches; without the log's edge nothing is known, so nothing is kept."""
    folder = played().write(tmp_path)
    if path.endswith(".p"):
        with pytest.raises(Unreadable) as failed:
            audit_log(Broken(folder, path), TRUST, previous=AuditState.empty(TRUST))
        assert not isinstance(failed.value, Incomplete)
        return
    error = stopped(Broken(folder, path))
    source = Broken(folder)
    report = audit_log(source, TRUST, previous=error.state)
    assert report.seen_before == error.replayed
    assert any(path.startswith("commitments/") for path in source.paths)
    assert same(report, audit_log(FolderSource(folder), TRUST))


def test_commitments_that_the_part_left_out_are_demanded(tmp_path: Path) -> None:
    """All its records were replayed, and it was no verdict."""
    operator = played()
    folder = operator.write(tmp_path)
    error = stopped(Broken(folder, "commitments/"))
    assert error.replayed == error.size == len(operator.records)
    (folder / commitments_path(operator.tables["two"].batches[0].batch_id)).unlink()
    with pytest.raises(CheckFailed) as failed:
        audit_log(FolderSource(folder), TRUST, previous=error.state)
    assert failed.value.check is Check.COMMITMENTS_FILE


def test_both_checkpoints_must_be_extended(tmp_path: Path) -> None:
    """Another history after what an audit remembers, but before what was read of it later, is a fork."""
    operator = played(100)
    state = audit_log(FolderSource(operator.write(tmp_path)), TRUST).state
    other = played(100)
    operator.play("one", 200)
    error = stopped(Broken(operator.write(tmp_path / "one"), bundle_path(2, WIDTH)), state=state)
    other.play("two", 250)
    folder = other.write(tmp_path / "other")
    assert audit_log(FolderSource(folder), TRUST, previous=state).seen_before == 404
    for trust in (TRUST, Policy(TRUST, beacons=(OURS,))):
        with pytest.raises(NotAnExtension) as failed:
            audit_log(FolderSource(folder), trust, previous=error.state)
        assert failed.value.fork is not None
        assert failed.value.fork.hashes


def test_what_was_read_by_another_trust_is_read_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """By another policy, or by another version of this program; nobody is accused."""
    folder = played().write(tmp_path)
    state = stopped(Broken(folder, bundle_path(2, WIDTH))).state
    assert audit_log(FolderSource(folder), TRUST, previous=state).seen_before == 2 * WIDTH
    assert audit_log(FolderSource(folder), Policy(TRUST, beacons=(OURS,)), previous=state).seen_before == 0
    monkeypatch.setattr(remembered, "VERSION", "another")
    assert audit_log(FolderSource(folder), TRUST, previous=state).seen_before == 0


@pytest.mark.parametrize("jobs", [1, 2])
def test_where_something_is_wrong_nothing_is_kept(jobs: int, tmp_path: Path) -> None:
    """A bundle cannot be read, and one process found a record after it that breaks a rule; or a false bundle comes
    first.
    """
    operator = played(100)
    operator.lock("two", round=7)
    folder = operator.write(tmp_path)
    with away(folder / bundle_path(0, WIDTH)), pytest.raises(Unreadable) as failed:
        audit_log(FolderSource(folder), TRUST, previous=AuditState.empty(TRUST), jobs=jobs)
    assert failed.value.path == bundle_path(0, WIDTH)
    (folder / bundle_path(0, WIDTH)).write_bytes(
        (folder / bundle_path(1, len(operator.records) - WIDTH)).read_bytes()
    )
    with pytest.raises(CheckFailed) as refused:
        audit_log(Broken(folder, bundle_path(1, WIDTH)), TRUST, previous=AuditState.empty(TRUST))
    assert refused.value.check is Check.BUNDLE


def salted(batches: int) -> Operator:
    """Batches whose files witnesses made."""
    operator = Operator()
    operator.table("salty-1", "keno-express", salted_by=SALTED_BY)
    for _ in range(batches):
        operator.batch("salty-1", 20)
        operator.salt("salty-1")
        operator.play("salty-1", 15)
    return operator


def test_files_of_witnesses_that_held_are_not_read_again(tmp_path: Path) -> None:
    """The third of ten cannot be read: the next audit reads that one alone, and knows as much of the clock."""
    operator = salted(10)
    folder = write_files(tmp_path, witnessed_log(operator))
    third = witnessed_path(operator.tables["salty-1"].batches[2].batch_id)
    error = stopped(Broken(folder, third), WITNESSED)
    assert error.replayed == error.size
    source = Broken(folder)
    report = audit_log(source, WITNESSED, previous=error.state)
    assert [path for path in source.paths if path.startswith("witnessed/")] == [third]
    whole = audit_log(FolderSource(folder), WITNESSED)
    assert same(report, whole)
    assert whole.clock is not None
    assert (report.witnessed_files, report.state.witnessing) == (10, whole.state.witnessing)


@pytest.mark.parametrize("jobs", [1, 2])
def test_batches_that_were_read_before_the_obstacle_are_witnessed(jobs: int, tmp_path: Path) -> None:
    """Their files are asked for at the end of the audit that goes on, and a false one fails it."""
    operator = salted(10)
    folder = write_files(tmp_path, witnessed_log(operator))
    with away(folder / bundle_path(1, len(operator.records) - WIDTH)):
        error = stopped(FolderSource(folder), WITNESSED, jobs=jobs)
    assert error.replayed == WIDTH
    assert same(
        audit_log(FolderSource(folder), WITNESSED, previous=error.state), audit_log(FolderSource(folder), WITNESSED)
    )
    first = operator.tables["salty-1"].batches[0]
    (folder / witnessed_path(first.batch_id)).unlink()
    with pytest.raises(CheckFailed) as failed:
        audit_log(FolderSource(folder), WITNESSED, previous=error.state)
    assert (failed.value.check, failed.value.index) == (Check.BATCH_WITNESSED, first.index)


def test_a_command_keeps_it_in_its_state_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Status 4, and the message says how far it came; an audit that fails leaves the file as it is."""
    folder, file = played().write(tmp_path / "log"), tmp_path / "state"
    arguments = ("audit", folder, "--key", VKEY, "--state", file, "--json")
    bundle = folder / bundle_path(2, WIDTH)
    with away(bundle):
        ran = Ran(capsys, *arguments)
    assert ran.status == UNREADABLE
    assert ran.json["why"] == (
        f"no such file in {folder}; 512 of 1,204 records were replayed, and the next run with {file} goes on from there"
    )
    kept, right = file.read_bytes(), bundle.read_bytes()
    bundle.write_bytes(right.replace(b'"locked"', b'"lacked"', 1))
    assert Ran(capsys, *arguments).status == FAILED
    assert file.read_bytes() == kept
    bundle.write_bytes(right)
    ran = Ran(capsys, *arguments)
    assert (ran.status, ran.json["seen_before"]) == (HELD, 512)
    assert load_state(file) == audit_log(FolderSource(folder), TRUST).state


def test_what_cannot_be_kept_is_said(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The disk is full: how far it came is in the message all the same, and nothing is promised."""
    folder, file = played().write(tmp_path / "log"), tmp_path / "state"

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(state_file, "write_durably", full)
    with away(folder / bundle_path(2, WIDTH)):
        ran = Ran(capsys, "audit", folder, "--key", VKEY, "--state", file, "--json")
    assert (ran.status, ran.json["file"]) == (UNREADABLE, str(file))
    assert ran.json["why"] == (
        f"no such file in {folder}; 512 of 1,204 records were replayed, but this could not be remembered:"
        " No space left on device"
    )


def test_a_watch_keeps_it_too(tmp_path: Path) -> None:
    """Started again, it goes on from there; then nothing of it is left."""
    operator = played()
    folder, bundle = operator.write(tmp_path / "log"), tmp_path / "log" / bundle_path(2, WIDTH)
    watching = Watching(tmp_path, folder)
    with away(bundle):
        assert watching.kinds() == [EventKind.TROUBLE]
        watching.begin()
        assert watching.kinds() == [EventKind.TROUBLE]
    first = folder / bundle_path(0, WIDTH)
    with away(first):
        watching.begin()
        assert watching.kinds() == [EventKind.GREW]
    assert load_state(watching.state_file) == audit_log(FolderSource(folder), TRUST).state


def test_a_witness_goes_on_too(tmp_path: Path) -> None:
    """As long as it runs."""
    operator = played()
    folder = operator.write(tmp_path)
    source = Broken(folder, bundle_path(2, WIDTH))
    follower = Follower(source, Policy(TRUST), AuditState.empty(TRUST))
    head = audit_log(FolderSource(folder), TRUST).head.signed
    with pytest.raises(Unreadable):
        follower.follow(head)
    source.bad, source.paths = (), []
    follower.follow(head)
    assert bundle_path(0, WIDTH) not in source.paths
    assert follower.state == audit_log(FolderSource(folder), TRUST).state


@pytest.mark.parametrize("honest", [0, 1])
def test_a_server_cannot_show_each_process_another_log(honest: int) -> None:
    """Of two that read a bundle, one gets other bets in it: that one does not rely on the hashes that the other
    checked.
    """
    files, path, asked, lock = played().files(), bundle_path(1, WIDTH), list[str](), Lock()
    false = files[path].replace(b'{"bets":{"count":3,', b'{"bets":{"count":4,')

    def respond(request: BaseHTTPRequestHandler) -> None:
        body = files[request.path.lstrip("/")]
        if request.path == f"/{path}":
            with lock:
                asked.append(path)
                body = body if len(asked) == honest + 1 else false
        answer(request, body, length(body))

    with answering(respond) as address, pytest.raises(CheckFailed) as failed:
        audit_log(HttpSource(address), TRUST, jobs=2)
    assert failed.value.check is Check.BUNDLE
