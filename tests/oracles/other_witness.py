"""A witness that nobody of this project wrote: Python's package ``witness-log``, behind a server of the standard
library.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

from witness_log import WitnessService

from fairness.log.notes import VerifierKey
from fairness.policy.cosignatures import WitnessKey
from fairness.policy.quorum import Witness


@dataclass(frozen=True)
class OtherWitness:
    """A witness of one log."""

    service: WitnessService

    @classmethod
    def of(cls, log: VerifierKey, folder: Path, name: str = "other.example/witness") -> OtherWitness:
        """A new one, which remembers in ``folder``."""
        state = str(folder / "other-witness")
        WitnessService.create_state(state)
        service = WitnessService.new(name, bytes(range(32)), state)
        service.add_log(log.name, str(log))
        return cls(service)

    @property
    def key(self) -> WitnessKey:
        """Its key, as it prints it itself."""
        return WitnessKey.parse(self.service.vkey())

    def answer(self, body: bytes, now: int | None = None) -> tuple[int, str, bytes]:
        """The status, the content type and the body of its answer to ``add-checkpoint``."""
        status, kind, text = self.service.handle_add_checkpoint_http(body.decode(), now)
        return status, kind, text.encode()


@contextmanager
def serving(other: OtherWitness) -> Iterator[Witness]:
    """Answer over HTTP; yields the witness as a policy names it."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True

        def do_POST(self) -> None:
            """Only one call is asked for."""
            status, kind, body = other.answer(self.rfile.read(int(self.headers["Content-Length"])))
            self.send_response(status if self.path == "/add-checkpoint" else 404)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    class Server(ThreadingHTTPServer):
        daemon_threads = True
        block_on_close = False

    with Server(("127.0.0.1", 0), Handler) as server:
        thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
        thread.start()
        yield Witness("other", other.key, f"http://127.0.0.1:{server.server_address[1]}")
        server.shutdown()
        thread.join()
