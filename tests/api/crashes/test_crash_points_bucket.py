"""SIGKILL before and after each step that publishes to a bucket: at once, what it serves passes its audit."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest

from api.settings import Bucket
from fairness.log.tiles import WIDTH
from tests.support.durable_steps import BUCKET, fill, kill_and_check, play, played
from tests.support.faulty_world import When
from tests.support.in_process_service import InProcessService
from tests.support.s3_server import S3Server, s3_server
from verifier.sources.source import HttpSource

pytestmark = [pytest.mark.one_database("what is written to a bucket is the same")]


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[S3Server]:
    """An S3 server, to which the environment leads."""
    with s3_server(tmp_path_factory.mktemp("s3")) as made, pytest.MonkeyPatch.context() as patched:
        for name, value in made.variables.items():
            patched.setenv(name, value)
        yield made


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory, server: S3Server) -> InProcessService:
    """A service, stopped, whose copies are killed."""
    server.make("published")
    return played(tmp_path_factory.mktemp("killed") / "data")


def begin_publishing(running: InProcessService, place: str, size: int) -> None:
    """Let it play up to a size, which is faster without a bucket, and then publish to a place there."""
    running.start()
    while running.size < size:
        play(running)
    running.settings = replace(running.settings, publish=Bucket("published", place))
    running.restart()
    play(running)
    running.stop()


@pytest.mark.lattice
@pytest.mark.parametrize("when", ["before", "after"])
@pytest.mark.parametrize("name", BUCKET)
def test_a_kill_leaves_a_bucket_that_passes_its_audit(
    name: str, when: When, running: InProcessService, server: S3Server
) -> None:
    """Then rounds go on, none lost or doubled; and the bucket has what the folder has."""
    point, place = BUCKET[name], f"{list(BUCKET).index(name)}-{when}"
    begin_publishing(running, place, WIDTH - 16 if point.act is fill else 0)
    kill_and_check(running, point, when, HttpSource(f"{server.url}/published/{place}"))
    server.check_same(running.settings.log, f"s3://published/{place}")
