"""A short soak, and that a long one would notice what it looks for; ``make soak`` is the long one."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest

from fairness.log.checkpoints import Checkpoint
from tests.soak.memory import Memory
from tests.soak.run import Size, soak
from tests.soak.watchers import Watchers
from tests.support.dishonest_operator import KEY
from tests.support.running_service import wait_until

pytestmark = [pytest.mark.long, pytest.mark.slow]


def test_a_short_soak_finds_nothing_wrong(capsys: pytest.CaptureFixture[str]) -> None:
    """Engines, watchers and an auditor go on through faults; in the end everything is checked."""
    assert soak(Size(seconds=15, engines=4, watchers=20, pace=0.2, between_faults=2), seed=1) == []
    assert "faults: nothing" not in capsys.readouterr().out


class _Notes(BaseHTTPRequestHandler):
    notes: Iterator[bytes]

    def do_GET(self) -> None:
        """Answer with the next note."""
        note = next(self.notes)
        self.send_response(200)
        self.send_header("Content-Length", str(len(note)))
        self.end_headers()
        self.wfile.write(note)

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@pytest.mark.parametrize(
    ("heads", "words"),
    [
        ([(8, b"a"), (7, b"b")], "a checkpoint of 7 records, after 8"),
        ([(8, b"a"), (8, b"b")], "a checkpoint of 8 records, after 8"),
        ([(8, b"a"), None], "a checkpoint that is none"),
    ],
)
def test_a_watcher_notices_a_log_that_is_another(heads: list[tuple[int, bytes] | None], words: str) -> None:
    """It shrinks, has two roots for one size, or is not signed."""
    notes = [b"no note" if head is None else Checkpoint(KEY.name, head[0], head[1] * 32).sign(KEY) for head in heads]
    handler = type("Handler", (_Notes,), {"notes": iter(notes + [notes[-1]] * 1000), "protocol_version": "HTTP/1.1"})
    with HTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        watchers = Watchers(f"http://127.0.0.1:{server.server_address[1]}/log", KEY.verifier_key, 1, 0.0)
        watchers.start()
        try:
            wait_until(lambda: bool(watchers.wrong), "the watcher to notice")
        finally:
            watchers.stopping.set()
            watchers.join()
            server.shutdown()
            thread.join()
    assert words in watchers.wrong[0]


def test_growing_memory_is_seen() -> None:
    """By how much in the measured half, and how fast; what ran before does not count."""
    memory = Memory({1: [(float(second), 100.0 + second) for second in range(0, 3600, 10)], 2: [(0.0, 50.0)]})
    assert memory.lasting(1800) == [1]
    assert memory.slope(1, 1800) == pytest.approx(3600)
    assert 1200 < memory.growth(1, 1800) < 1500
