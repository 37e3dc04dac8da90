"""Witnesses on this machine: each honest as C2SP tlog-witness demands, until a test tells it to misbehave."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Event, Thread

from fairness.errors import Malformed
from fairness.log.checkpoints import Checkpoint
from fairness.log.merkle_proofs import roots_of_consistency
from fairness.log.notes import VerifierKey
from fairness.spelling import parse_base64, parse_decimal
from tests.support.witnesses import WITNESSES, Cosigner

Response = tuple[int, str, bytes]
"""Status, content type, body."""
TEXT, SIZE = "text/plain; charset=utf-8", "text/x.tlog.size"


class LocalWitness:
    """A witness of one log, and what it remembers of it."""

    def __init__(self, cosigner: Cosigner, now: Callable[[], int]) -> None:
        self.cosigner, self._now = cosigner, now
        self.log: VerifierKey | None = None
        self.seen: Checkpoint | None = None
        self.asked: list[bytes] = []
        """Every request, as it came."""
        self.cosigned: list[Checkpoint] = []
        self.ahead = 0
        """By how many seconds its clock is wrong."""
        self.behaves: Callable[[LocalWitness, bytes], Response | None] = LocalWitness.answer
        """What it does instead of answering honestly; `None` hangs up."""
        self.url = ""
        self.connections = 0
        """How many have been opened."""

    @property
    def name(self) -> str:
        """What policies call it."""
        return self.cosigner.name

    def answer(self, body: bytes) -> Response | None:
        """The answer of an honest witness."""
        head, _, note = body.partition(b"\n\n")
        first, *hashes = head.split(b"\n")
        old = parse_decimal(first.removeprefix(b"old "), what="old")
        path = [parse_base64(line, what="hash", size=32) for line in hashes]
        assert self.log is not None
        checkpoint = Checkpoint.open(note, self.log)
        if old > checkpoint.size:
            return 400, TEXT, b"old is larger than the checkpoint\n"
        if old != (self.seen.size if self.seen else 0):
            return 409, SIZE, f"{self.seen.size if self.seen else 0}\n".encode()
        if self.seen and self.seen.size == checkpoint.size and self.seen.root != checkpoint.root:
            return 409, SIZE, f"{self.seen.size}\n".encode()
        if not self._extends(checkpoint, path):
            return 422, TEXT, b"the proof does not verify\n"
        self.seen = checkpoint
        self.cosigned.append(checkpoint)
        return 200, TEXT, self.line(note)

    def _extends(self, checkpoint: Checkpoint, path: list[bytes]) -> bool:
        if self.seen is None:
            return not path
        if self.seen.size == checkpoint.size:
            return not path and self.seen.root == checkpoint.root
        try:
            old, new = roots_of_consistency(self.seen.size, self.seen.root, checkpoint.size, path)
        except Malformed:
            return False
        return (old, new) == (self.seen.root, checkpoint.root)

    def line(self, note: bytes) -> bytes:
        """Its line for a note, by its clock."""
        return self.cosigner.line(note, self._now() + self.ahead)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    # Head and body are two writes: without this, the second waits for the client's acknowledgement of the first.
    disable_nagle_algorithm = True
    server: _Server

    def setup(self) -> None:
        """A new connection."""
        super().setup()
        self.server.witness.connections += 1

    def do_POST(self) -> None:
        """Answer, or hang up."""
        body = self.rfile.read(int(self.headers["Content-Length"]))
        witness = self.server.witness
        witness.asked.append(body)
        response = witness.behaves(witness, body) if self.path == "/add-checkpoint" else (404, TEXT, b"")
        if response is None:
            self.close_connection = True
            return
        status, kind, data = response
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_: object) -> None:
        """Say nothing."""


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False

    def __init__(self, witness: LocalWitness, host: str) -> None:
        super().__init__((host, 0), _Handler)
        self.witness = witness

    def handle_error(self, *_: object) -> None:
        """Ignore clients that have disconnected."""


@contextmanager
def listening(witness: LocalWitness, host: str = "127.0.0.1") -> Iterator[LocalWitness]:
    """The witness answers on a free port."""
    with _Server(witness, host) as server:
        thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
        thread.start()
        witness.url = f"http://{host}:{server.server_address[1]}"
        try:
            yield witness
        finally:
            server.shutdown()
            thread.join()


@contextmanager
def three_witnesses(now: Callable[[], int]) -> Iterator[list[LocalWitness]]:
    """Lab, press and regulator."""
    with ExitStack() as stack:
        yield [stack.enter_context(listening(LocalWitness(each, now))) for each in WITNESSES]


def write_policy(
    path: Path, log: VerifierKey, witnesses: list[LocalWitness], asked: int | str = 2, more: str = ""
) -> None:
    """A policy with the addresses of these witnesses, of which so many are asked for, and with the lines ``more``.

    They learn of the log.
    """
    lines = [f"log {log}", *(f"witness {each.name} {each.cosigner.key} {each.url}" for each in witnesses)]
    lines += [f"group outsiders {asked} {' '.join(each.name for each in witnesses)}", "quorum outsiders", more]
    for each in witnesses:
        each.log = log
    # As an operator should: in one piece.
    fresh = path.with_name("policy.new")
    fresh.write_text("\n".join(lines), encoding="utf-8")
    fresh.replace(path)


def away(_: LocalWitness, __: bytes) -> None:
    """Hangs up."""


def rubbish(_: LocalWitness, __: bytes) -> Response:
    """Answers something else."""
    return 200, TEXT, b"\xff\x00 of course"


def another_tree(witness: LocalWitness, body: bytes) -> Response:
    """Signs a checkpoint that it was not shown."""
    assert witness.log is not None
    size = Checkpoint.open(body.partition(b"\n\n")[2], witness.log).size
    other = f"{Checkpoint(witness.log.name, size, bytes(32))}\n".encode()
    return 200, TEXT, witness.line(other)


def as_somebody_else(witness: LocalWitness, body: bytes) -> Response:
    """Signs with a key that the policy does not name."""
    return 200, TEXT, Cosigner("stranger").line(body.partition(b"\n\n")[2], witness._now())


def forgets(witness: LocalWitness, body: bytes) -> Response | None:
    """Forgets what it has seen, before each request."""
    witness.seen = None
    return witness.answer(body)


def slow_until(event: Event) -> Callable[[LocalWitness, bytes], Response | None]:
    """Waits for an event before it answers."""

    def answer(witness: LocalWitness, body: bytes) -> Response | None:
        event.wait(60)
        return witness.answer(body)

    return answer
