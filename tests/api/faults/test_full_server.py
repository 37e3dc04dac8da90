"""The disk of a server is full, PostgreSQL's or the bucket's: it refuses changes, or ends, until there is room."""

from __future__ import annotations

from pathlib import Path

import pytest

from fairness.log.checkpoints import Checkpoint
from tests.oracles.whole_log import check_whole_log
from tests.support.postgres import PASSWORD, postgres_server
from tests.support.running_service import RunningService, initialised, running_service, wait_until
from tests.support.s3_server import S3Server, s3_server
from tests.support.small_disk import play_on, play_until_refused, small_disk
from verifier.audit.audit import audit_log
from verifier.sources.source import FolderSource

pytestmark = [
    pytest.mark.nightly("a server of its own on a full disk", but="test_a_small_disk_can_be_filled_to_its_last_byte"),
    pytest.mark.slow,
    pytest.mark.one_database("names its own"),
]
DRAW, FLIGHT = "keno-1", "crash-1"
BUCKET = "published"
TABLES = {DRAW: "keno-express", FLIGHT: "crash"}
_BYTES = 256 * 1024 * 1024
"""A cluster that was just made has 40 MB, and its own log grows by 16 MB at a time."""


def test_a_small_disk_can_be_filled_to_its_last_byte(tmp_path: Path) -> None:
    """The tests here rest on that: what is written then fails for want of room, and works again afterwards."""
    place = tmp_path / "place"
    place.mkdir()
    with small_disk(place) as disk:
        disk.fill()
        with pytest.raises(OSError, match="No space left"):
            (place / "file").write_bytes(b"x")
        disk.make_room()
        (place / "file").write_bytes(b"x")


def test_a_full_disk_of_the_server_stops_rounds_until_there_is_room(tmp_path: Path) -> None:
    """Calls get 503 with Retry-After and the reason is said; a lock is answered as before, and play goes on by
    itself.
    """
    with postgres_server() as server:
        database = server.new_database()
        server.stop()
        with small_disk(server.folder, size=_BYTES) as disk:
            server.start()
            with running_service(tmp_path / "data", TABLES, database=database) as service:
                assert service.act(FLIGHT, 1, "open").status == 200
                locked = service.act(FLIGHT, 1, "lock")
                refused = play_until_refused(service, DRAW, disk)
                wait_until(lambda: "has no room left" in service.output, "the service to say it")
                disk.fill()
                service.says("has no room left")
                disk.make_room()
                wait_until(service.is_ready, "the machine to be ready again")
                play_on(service, DRAW, refused)
                assert service.act(FLIGHT, 1, "lock").document == locked.document
                assert service.act(FLIGHT, 1, "reveal").status == 200
                service.settle()
                assert service.stop() == 0
                told = {(FLIGHT, 1): locked.document["outcome"]}
                check_whole_log(service.settings.log, service.key, told=told)
                assert not {word for word in (PASSWORD, "Traceback") if word in service.output}
            server.stop()


def check_bucket(server: S3Server, service: RunningService, folder: Path) -> int:
    """What is in the bucket is a whole log by itself, as a stranger reads it; returns its size."""
    for name in server.names(f"{BUCKET}/log/"):
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        data = server.get(name)
        assert data is not None
        file.write_bytes(data)
    published = folder / BUCKET / "log"
    audit_log(FolderSource(published), service.key)
    return Checkpoint.open((published / "checkpoint").read_bytes(), service.key).size


def test_a_full_disk_of_the_buckets_server_stops_what_is_told(tmp_path: Path) -> None:
    """The bucket has a whole log all the time, the reason is said, and all goes on by itself."""
    place = tmp_path / "store"
    place.mkdir()
    with small_disk(place, size=_BYTES) as disk, s3_server(place) as server:
        server.make(BUCKET)
        service = initialised(tmp_path / "data", {DRAW: "keno-express"}, batch_size=4, options=("--workers", "1"))
        service.variables = {**server.variables, "FOREDRAW_PUBLISH": f"s3://{BUCKET}/log"}
        try:
            service.start()
            service.settle()
            service.play(DRAW, 1)
            refused = play_until_refused(service, DRAW, disk)
            service.says("look at the store")
            assert check_bucket(server, service, tmp_path / "full") > 0
            disk.make_room()
            # Where the index of its files met the end of the disk, this store refuses every change until it is
            # restarted.
            server.kill()
            server.start()
            wait_until(service.is_ready, "the service to go on")
            play_on(service, DRAW, refused)
            service.settle()
            assert service.stop() == 0, service.output
            assert "Traceback" not in service.output
            check_whole_log(service.settings.log, service.key)
            server.check_same(service.settings.log, service.variables["FOREDRAW_PUBLISH"])
        finally:
            service.clean_up()
