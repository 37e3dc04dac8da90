"""A service that publishes to S3: what is in the bucket is the log, whatever fails, and an audit of it passes."""

from __future__ import annotations

import errno
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from api.log.keys import load_signing_key, load_verifier_key
from api.log.recovery import RecoveryError
from api.programs.background.terms import start_sequencer
from api.programs.doctor.examine import examine
from api.programs.setup import initialise
from api.rounds.tables import add_table
from api.service import open_service
from api.settings import Bucket, Settings
from api.store.statements import KEPT
from api.world.published.log_folder import LogFolder
from api.world.published.mirrored_log import MirroredLog, open_objects
from api.world.storage_failures import ChangedElsewhereError
from fairness.log.checkpoints import CHECKPOINT, Checkpoint
from fairness.log.tiles import WIDTH
from tests.oracles.whole_log import check_whole_log
from tests.support.running_service import ORIGIN, RunningService, initialised, wait_until
from tests.support.s3_server import ACCESS, SECRET, S3Server, refusing, s3_server
from tests.support.witness_server import away
from tests.support.witnessed_service import witnessed_service

TABLE = "keno-1"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[S3Server]:
    with s3_server(tmp_path_factory.mktemp("s3")) as made:
        yield made


def made_for(tmp_path: Path, server: S3Server) -> str:
    """A new bucket of a test."""
    bucket = re.sub("[^a-z0-9]+", "-", tmp_path.name.lower()).strip("-")
    server.make(bucket)
    return bucket


@pytest.fixture
def service(tmp_path: Path, server: S3Server) -> Iterator[RunningService]:
    """A service that publishes to a bucket of its own, not started yet."""
    bucket = made_for(tmp_path, server)
    made = initialised(tmp_path / "data", {TABLE: "keno-express"}, batch_size=300, options=("--workers", "1"))
    made.variables = {**server.variables, "FOREDRAW_PUBLISH": f"s3://{bucket}/log"}
    try:
        yield made
    finally:
        made.clean_up()


def published(service: RunningService, server: S3Server) -> Checkpoint:
    """The bucket's checkpoint."""
    note = server.get(in_bucket(service, CHECKPOINT))
    assert note is not None
    return Checkpoint.open(note, service.key)


def in_bucket(service: RunningService, path: str) -> str:
    """A file of the log, as a name for the server."""
    return f"{service.variables['FOREDRAW_PUBLISH'].removeprefix('s3://')}/{path}"


def files(folder: Path) -> dict[str, bytes]:
    """Every file of a log's folder."""
    return {str(file.relative_to(folder)): file.read_bytes() for file in folder.rglob("*") if file.is_file()}


def audit(service: RunningService) -> None:
    """What an auditor says of the bucket, who knows only its address and the log's key."""
    address = f"{service.variables['AWS_ENDPOINT_URL']}/{in_bucket(service, '')}".rstrip("/")
    done = subprocess.run(
        [sys.executable, "-m", "verifier", "audit", address, "--key", str(service.key)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.nightly("an S3 server, which stops and starts")
def test_the_bucket_is_the_log(service: RunningService, server: S3Server) -> None:
    """What is told is in it, over the first full bundle; while it is away rounds wait; and an audit of it passes."""
    service.start()
    service.settle()
    for number in range(1, 4):
        before = published(service, server).size
        assert service.act(TABLE, number, "open").status == 200
        assert service.act(TABLE, number, "lock").status == 200
        assert published(service, server).size > before
        assert service.act(TABLE, number, "reveal").status == 200
    with server.away():
        assert service.act(TABLE, 4, "open").status == 200
        locked = service.post(f"/v1/engine/tables/{TABLE}/rounds/4/lock")
        assert locked.status == 202
        assert "outcome" not in locked.document
        service.says("look at the store")
    for action in ("lock", "reveal"):
        assert service.act(TABLE, 4, action).status == 200
    wait_until(lambda: service.wrong == [], "the service to go on")
    for number in range(5, 130):
        service.play(TABLE, number)
    service.settle()
    assert service.stop() == 0, service.output
    assert published(service, server).size > 256
    server.check_same(service.settings.log, service.variables["FOREDRAW_PUBLISH"])
    assert not [name for name in server.names(in_bucket(service, "tile/")) if "/0/000.p/" in name]
    assert len(server.names(in_bucket(service, "paytables/"))) == 1
    audit(service)
    assert not {word for word in (SECRET, ACCESS, "Traceback") if word in service.output}


# Starts, each of a sequencer in this process


class NamedLocks:
    """A service in this process, whose log grows by a table and its first batch at a time."""

    def __init__(self, folder: Path, bucket: Bucket | None) -> None:
        self.settings = Settings(folder, 20, publish=bucket)
        self._tables = 0
        initialise(self.settings, ORIGIN)

    def grow(self) -> None:
        """Start as the background program does, append two records, and end."""
        self._tables += 1
        with closing(open_service(self.settings, publishes=True)) as service:
            service.custodian.open()
            sequencer = start_sequencer(service, load_signing_key(self.settings))
            add_table(service.writer, f"keno-{self._tables}", "keno-express")
            for _ in range(2):
                sequencer.turn()
                service.keeper().turn()
            while sequencer.turn():
                pass


@pytest.fixture
def bucket(server: S3Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Bucket:
    """An empty bucket, and an environment that leads to it."""
    for name, value in server.variables.items():
        monkeypatch.setenv(name, value)
    return Bucket(made_for(tmp_path, server), "log")


def test_a_log_that_is_there_is_published_to_a_new_bucket(tmp_path: Path, server: S3Server, bucket: Bucket) -> None:
    """And again after a time without: nothing is forgotten."""
    turns = NamedLocks(tmp_path / "data", None)
    for publish in (None, bucket, None, bucket):
        turns.settings = replace(turns.settings, publish=publish)
        turns.grow()
    server.check_same(turns.settings.log, str(bucket))


@pytest.mark.parametrize("lost", ["the folder", "the last checkpoint", "nothing"])
def test_a_folder_is_brought_forward_from_the_bucket(
    tmp_path: Path, server: S3Server, bucket: Bucket, lost: str
) -> None:
    """It is another machine's and empty; or a crash kept it from the checkpoint that the bucket has."""
    turns = NamedLocks(tmp_path / "data", bucket)
    turns.grow()
    checkpoint = turns.settings.log / CHECKPOINT
    old = checkpoint.read_bytes()
    turns.grow()
    if lost == "the folder":
        shutil.rmtree(turns.settings.log)
        turns.settings.log.mkdir()
    elif lost == "the last checkpoint":
        checkpoint.write_bytes(old)
    turns.grow()
    server.check_same(turns.settings.log, str(bucket))
    check_whole_log(turns.settings.log, load_verifier_key(turns.settings))


def test_the_queue_forgets_only_what_is_in_the_bucket(tmp_path: Path, server: S3Server, bucket: Bucket) -> None:
    """Also while the witnesses are away, when no checkpoint is published that would bring the files there."""
    with witnessed_service(tmp_path) as running:
        service = replace(running.service, log=MirroredLog(running.settings.log, open_objects(bucket)))
        running.publisher = service.publisher(running.askers)
        running.sequencer = start_sequencer(service, load_signing_key(running.settings), running.publisher)
        running.publish()
        running.settle()
        for witness in running.witnesses:
            witness.behaves = away
        for name in [*(f"x-{number}" for number in range(300)), "last"]:
            add_table(service.writer, name, "keno-express")
            if name in {"x-299", "last"}:
                running.turn()
        with service.database.read() as connection:
            positions = [position for position, _data in KEPT.all(connection)]
        assert positions[0] == WIDTH
        for path in ("tile/0/000", "tile/entries/000"):
            assert server.get(f"{bucket.name}/{bucket.prefix}/{path}") == service.log.read(path)
        # Another bucket gets what the queue has forgotten, too, although no checkpoint covers it yet.
        other = replace(bucket, prefix="other")
        log = MirroredLog(running.settings.log, open_objects(other))
        start_sequencer(replace(service, log=log), load_signing_key(running.settings), running.publisher)
        for path in ("tile/0/000", "tile/entries/000"):
            assert server.get(f"{other.name}/{other.prefix}/{path}") == log.read(path)


def test_a_disk_that_is_full_after_the_bucket_has_the_checkpoint(
    tmp_path: Path, server: S3Server, bucket: Bucket, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The next start of the sequencer brings it from there, and the publisher, which had failed, goes on with it."""
    with witnessed_service(tmp_path) as running:
        log = MirroredLog(running.settings.log, open_objects(bucket))
        service, key = replace(running.service, log=log), load_signing_key(running.settings)
        running.publisher = service.publisher(running.askers)
        running.sequencer = start_sequencer(service, key, running.publisher)
        running.settle()
        write, full = LogFolder.write, [True]

        def write_or_fail(folder: LogFolder, path: str, data: bytes) -> None:
            if full and path == CHECKPOINT:
                raise OSError(errno.ENOSPC, "no room", path)
            write(folder, path, data)

        monkeypatch.setattr(LogFolder, "write", write_or_fail)
        add_table(service.writer, "more", "keno-express")
        publisher, before = running.publisher, running.size
        assert publisher is not None
        assert running.sequencer.turn() == 1
        with pytest.raises(OSError, match="no room"):
            publisher.drain(60)
        full.clear()
        running.sequencer = start_sequencer(service, key, publisher)
        publisher.drain(60)
        assert running.published.checkpoint.size == before + 1
        running.settle()
        running.play("more")
        running.settle()
        assert server.get(f"{bucket.name}/{bucket.prefix}/{CHECKPOINT}") == log.read(CHECKPOINT)


@pytest.mark.parametrize("other", ["of another key", "of the same key"])
def test_two_logs_never_share_a_bucket(tmp_path: Path, server: S3Server, bucket: Bucket, other: str) -> None:
    """Nothing is signed, and nothing of the published log changes; the refusal says what to do."""
    NamedLocks(tmp_path / "data", bucket).grow()
    before = {name: server.get(name) for name in server.names(f"{bucket.name}/")}
    second = NamedLocks(tmp_path / "second", None)
    if other == "of the same key":
        shutil.rmtree(second.settings.signing_key.parent)
        shutil.copytree(tmp_path / "data" / "keys", second.settings.signing_key.parent)
    second.grow()
    second.settings = replace(second.settings, publish=bucket)
    with pytest.raises(RecoveryError, match="is not ours" if other == "of another key" else "are not the same log"):
        second.grow()
    assert {name: server.get(name) for name in server.names(f"{bucket.name}/")} == before


def test_nothing_is_published_over_what_another_one_published(
    tmp_path: Path, server: S3Server, bucket: Bucket
) -> None:
    """The turn ends the sequencer, and a start refuses a checkpoint that is not this log's."""
    turns, foreign = NamedLocks(tmp_path / "data", bucket), b"of somebody else"
    turns.grow()
    with closing(open_service(turns.settings, publishes=True)) as service:
        service.custodian.open()
        sequencer = start_sequencer(service, load_signing_key(turns.settings))
        server.put(f"{bucket.name}/log/{CHECKPOINT}", foreign)
        before = (turns.settings.log / CHECKPOINT).read_bytes()
        add_table(service.writer, "sic-bo-1", "sic-bo")
        with pytest.raises(ChangedElsewhereError, match="checkpoint is not what this service left there"):
            sequencer.turn()
    with pytest.raises(RecoveryError, match=f"the checkpoint in {bucket} is not ours"):
        turns.grow()
    assert server.get(f"{bucket.name}/log/{CHECKPOINT}") == foreign
    assert (turns.settings.log / CHECKPOINT).read_bytes() == before


def test_the_doctor_compares_folder_and_bucket(tmp_path: Path, server: S3Server, bucket: Bucket) -> None:
    """And says what the next start does; a foreign checkpoint and a missing bucket are problems."""
    turns = NamedLocks(tmp_path / "data", None)
    turns.grow()
    turns.settings = replace(turns.settings, publish=bucket)
    assert told(turns.settings) == [
        ("note", f"{bucket} has no checkpoint yet: the next start of the service uploads the whole log.")
    ]
    turns.grow()
    assert told(turns.settings) == []
    turns.settings = replace(turns.settings, publish=None)
    turns.grow()
    turns.settings = replace(turns.settings, publish=bucket)
    ((level, says),) = told(turns.settings)
    assert (level, says.endswith("the next start uploads the rest.")) == ("note", True)
    server.put(f"{bucket.name}/log/{CHECKPOINT}", b"of somebody else")
    ((level, says),) = told(turns.settings)
    assert (level, "is not ours" in says) == ("problem", True)
    ((level, says),) = told(replace(turns.settings, publish=Bucket("nowhere", "log")))
    assert (level, "make the bucket" in says) == ("problem", True)


def test_a_store_that_refuses_what_is_missing_is_complained_of(
    tmp_path: Path,
    server: S3Server,
    bucket: Bucket,
    caplog: pytest.LogCaptureFixture,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """By a start, which goes on, and by the doctor."""
    turns, words = NamedLocks(tmp_path / "data", bucket), f"{bucket} does not answer everybody with 404"
    turns.grow()
    assert (words in caplog.text, told(turns.settings)) == (False, [])
    with refusing(server, unsigned_alone=True) as address:
        monkeypatch.setenv("AWS_ENDPOINT_URL", address)
        turns.grow()
        ((level, says),) = told(turns.settings)
    assert (words in caplog.text, level, says.startswith(words)) == (True, "problem", True)


def told(settings: Settings) -> list[tuple[str, str]]:
    """What the doctor finds of the bucket."""
    return [(each.level, each.says) for each in examine(settings).findings if each.about == "bucket"]
