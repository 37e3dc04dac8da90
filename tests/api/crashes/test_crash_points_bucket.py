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

pytestmark = [pytest.mark.long, pytest.mark.one_database("what is written to a bucket is the same")]


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[S3Server]:
    """An S3 server, to which the environment leads."""
    with s3_server(tmp_path_factory.mktemp("s3")) as made, pytest.MonkeyPatch.context() as patched:
        for name, value in made.variables.items():
            patched.setenv(name, value)
        yield made


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory, server: S3Server) -> Iterator[InProcessService]:
    """A service, stopped, that publishes to a bucket of its own, and is killed again and again."""
    server.make("published")
    with played(tmp_path_factory.mktemp("killed") / "data") as running:
        running.settings = replace(running.settings, publish=Bucket("published", "log"))
        running.start()
        play(running)
        running.stop()
        yield running


def nearly_fill(running: InProcessService) -> None:
    """Play until a bundle is nearly full, for a while without the bucket: that is faster."""
    chosen = running.settings
    running.settings = replace(chosen, publish=None)
    running.start()
    while running.size % WIDTH < WIDTH - 16:
        play(running)
    running.stop()
    running.settings = chosen
    running.start()
    play(running)
    running.stop()


@pytest.mark.parametrize("when", ["before", "after"])
@pytest.mark.parametrize("name", BUCKET)
def test_a_kill_leaves_a_bucket_that_passes_its_audit(
    name: str, when: When, service: InProcessService, server: S3Server
) -> None:
    """Then rounds go on, none lost or doubled; and the bucket has what the folder has."""
    point, address = BUCKET[name], str(service.settings.publish)
    if point.act is fill:
        nearly_fill(service)
    kill_and_check(service, point, when, HttpSource(f"{server.url}/{address.removeprefix('s3://')}"))
    server.check_same(service.settings.log, address)
