"""What is in the bucket before witnesses are asked, whatever happens between two uploads: the log, and nothing but
the log.

One of the two witnesses that the policy demands replays what is in the bucket, so nothing is published before it is
there.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from itertools import count
from pathlib import Path

import pytest

from api.log.keys import load_signing_key
from api.log.leadership import Leadership
from api.programs.background.terms import start_sequencer
from api.settings import Bucket
from api.world.published.mirrored_log import MirroredLog, open_objects
from fairness.log.edge import LogEdge
from fairness.log.notes import VerifierKey
from fairness.log.tiles import WIDTH, bundles_of, read_bundle
from tests.support.crash_points import dies_at
from tests.support.durable_steps import DRAW, FLIGHT, MIRROR, check_goes_on, play, played
from tests.support.faulty_world import When
from tests.support.in_process_service import InProcessService
from tests.support.our_witness import LAB_KEY, serving_witness
from tests.support.running_service import RunningService, initialised, wait_until
from tests.support.s3_server import S3Server, s3_server
from tests.support.witness_server import LocalWitness, listening
from tests.support.witnesses import PRESS
from verifier.cli import main
from verifier.sources.source import HttpSource

pytestmark = [pytest.mark.nightly("an S3 server", but="test_a_leader_is_deposed_between_two_uploads")]
BUCKET, TABLE = "published", "keno-1"
_TURNS = 20
"""Of a publisher that may publish nothing any more."""


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[S3Server]:
    """An S3 server, to which the environment leads."""
    with s3_server(tmp_path_factory.mktemp("s3")) as made, pytest.MonkeyPatch.context() as patched:
        for name, value in made.variables.items():
            patched.setenv(name, value)
        made.make(BUCKET)
        yield made


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> InProcessService:
    """A service, stopped, whose copies are published to a bucket."""
    return played(tmp_path_factory.mktemp("played") / "data")


@contextmanager
def two_of_two(folder: Path, key: VerifierKey, address: str, now: Callable[[], float] = time.time) -> Iterator[Path]:
    """A policy that demands the press, and a lab that replays the log at an address."""
    press, policy = LocalWitness(PRESS, lambda: int(now())), folder / "policy"
    press.log = key
    with listening(press), serving_witness(folder / "witness", key, address, now=now) as lab:
        lines = [f"log {key}", f"witness lab {LAB_KEY.key} {lab.url}", f"witness press {PRESS.key} {press.url}"]
        policy.write_text("\n".join([*lines, "group both all lab press", "quorum both", ""]), encoding="utf-8")
        yield policy


@pytest.fixture
def published(running: InProcessService, store: S3Server, tmp_path: Path) -> Iterator[InProcessService]:
    """A service whose log is in a bucket, and is replayed there by one of its two witnesses; it runs."""
    bucket = Bucket(BUCKET, tmp_path.name)
    address = f"{store.url}/{BUCKET}/{bucket.prefix}"

    def now() -> float:
        return running.clock.date.timestamp()

    with two_of_two(tmp_path, running.key, address, now) as policy:
        running.settings = replace(running.settings, publish=bucket, policy=policy)
        running.start()
        play(running)
        yield running
        running.stop()


def check_bucket(running: InProcessService, store: S3Server) -> None:
    """Each tile and bundle in the bucket is one of this log's, of whatever size it was made for."""
    assert running.settings.publish is not None
    place = str(running.settings.publish).removeprefix("s3://")
    log, edge, true = running.service.log, LogEdge(0, [[]]), dict[str, bytes]()
    size = running.size
    for number, width in bundles_of(0, size):
        for record in read_bundle(log.read, number, width):
            true |= dict(edge.append(record))
            true |= dict(edge.partial_files())
    names = store.names(f"{place}/tile/")
    assert len(names) > 2
    for name in names:
        assert store.get(name) == true[name.removeprefix(f"{place}/")], name


@pytest.mark.lattice
@pytest.mark.parametrize("when", ["before", "after"])
@pytest.mark.parametrize("upload", range(6))
def test_a_kill_between_two_uploads(upload: int, when: When, published: InProcessService, store: S3Server) -> None:
    """The next start uploads what is missing, the witness that reads the bucket cosigns, and rounds go on."""
    assert published.settings.publish is not None
    size = published.size
    published.stop()
    # A start uploads the partial files of every size, two for each record, that were there before.
    dies_at(published, f"{MIRROR}._put create", when, play, spared=2 * size + upload)
    check_goes_on(published, HttpSource(f"{store.url}/{BUCKET}/{published.settings.publish.prefix}"))
    published.start()
    check_bucket(published, store)


class Leader:
    """A sequencer and its publisher, as on a machine of its own."""

    def __init__(self, running: InProcessService) -> None:
        """Lead from now on."""
        assert running.settings.publish is not None
        self.log = MirroredLog(running.settings.log, open_objects(running.settings.publish))
        name = Leadership(lambda: 1, running.service.database, self.log).name()
        service = replace(running.service, log=self.log)
        self.publisher = service.publisher(running.askers)
        self.sequencer = start_sequencer(service, load_signing_key(running.settings), self.publisher, name)

    def publish(self) -> None:
        """Have cosigned and published what is handed over."""
        assert self.publisher is not None
        while not self.publisher.is_idle:
            self.publisher.turn(0)


def lock(running: InProcessService, table: str) -> None:
    """Queue a record."""
    with running.background_paused():
        running.locking(table, running.state(table).next_round)


@pytest.mark.both_databases("who leads is a row")
@pytest.mark.parametrize("upload", range(2))
def test_a_leader_is_deposed_between_two_uploads(
    upload: int, published: InProcessService, store: S3Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its successor has other records queued, and publishes; what the deposed one uploads later is the same log's."""
    for table in (FLIGHT, DRAW):
        published.open(table, published.state(table).next_round)
    published.sequencer = published.publisher = None
    deposed, size = Leader(published), published.size
    deposed.publish()
    create, uploads, successors = deposed.log.objects.create, count(), list[Leader]()

    def create_late(path: str, data: bytes) -> None:
        if next(uploads) == upload:
            lock(published, DRAW)
            successors.append(Leader(published))
            successors[0].publish()
            assert successors[0].sequencer.turn() == 1
            successors[0].publish()
            assert published.size == size + 2
        create(path, data)

    monkeypatch.setattr(deposed.log.objects, "create", create_late)
    lock(published, FLIGHT)
    assert deposed.sequencer.turn() == 1
    assert deposed.publisher is not None
    for _ in range(_TURNS):
        deposed.publisher.turn(0)
    assert published.size == size + 2
    assert successors
    check_bucket(published, store)


# The same of a service with all its processes


@pytest.fixture
def service(store: S3Server, tmp_path: Path) -> Iterator[RunningService]:
    """It has started, with the same policy."""
    made = initialised(tmp_path / "data", {TABLE: "keno-express"}, batch_size=300, options=("--workers", "1"))
    address = f"{BUCKET}/{tmp_path.name}"
    try:
        with two_of_two(tmp_path, made.key, f"{store.url}/{address}") as policy:
            published = {"FOREDRAW_PUBLISH": f"s3://{address}", "FOREDRAW_POLICY": str(policy)}
            made.variables = {**store.variables, **published}
            made.start()
            made.settle()
            yield made
    finally:
        made.clean_up()


def check_published(service: RunningService, store: S3Server) -> None:
    """It ends; its bucket is what its folder is, and an audit with the policy holds."""
    assert service.stop() == 0, service.output
    address = service.variables["FOREDRAW_PUBLISH"]
    store.check_same(service.settings.log, address)
    url = address.replace("s3:/", store.url)
    assert main(["audit", url, "--policy", service.variables["FOREDRAW_POLICY"]]) == 0


def test_rounds_are_played(service: RunningService, store: S3Server) -> None:
    """Over the first full bundle, and the witness that reads the bucket always finds what it is asked about."""
    for number in range(1, 130):
        service.play(TABLE, number)
    assert service.checkpoint().size > WIDTH
    assert "the log cannot be read" not in service.output
    check_published(service, store)


def test_rounds_go_on_when_the_store_was_killed(service: RunningService, store: S3Server) -> None:
    """A lock waits while it is away, and is answered once it is back; what it had answered before is there."""
    service.play(TABLE, 1)
    service.act(TABLE, 2, "open")
    store.kill()
    assert service.post(f"/v1/engine/tables/{TABLE}/rounds/2/lock").status == 202
    service.says("look at the store")
    store.start()
    wait_until(
        lambda: service.post(f"/v1/engine/tables/{TABLE}/rounds/2/lock").status == 200, "the lock to be answered"
    )
    assert service.act(TABLE, 2, "reveal").status == 200
    wait_until(service.is_ready, "the service to go on")
    service.play(TABLE, 3)
    service.settle()
    check_published(service, store)
