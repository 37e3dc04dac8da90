"""Our own witness in this process: with a clock that is set by hand, or as a server that others can ask."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass, field
from http import HTTPStatus
from pathlib import Path
from threading import Event as Signal
from threading import Thread

from fairness.log.checkpoints import Checkpoint
from fairness.log.notes import Note, VerifierKey
from fairness.log.tiles import AuthenticTiles
from fairness.policy.policy import Policy, Trust
from fairness.spelling import base64_text
from tests.support.dishonest_operator import KEY
from tests.support.witnesses import LAB, NOON
from verifier.sources.source import FolderSource, Source, open_source
from verifier.watch.events import Event, EventKind
from verifier.witness.key_file import CosigningKey
from verifier.witness.memory import Memory
from verifier.witness.request import Answer
from verifier.witness.server import AddCheckpoint, Server
from verifier.witness.witness import Witness, World

LAB_KEY = CosigningKey(LAB.key.name, LAB.secret)


def request(note: bytes, old: int, *proof: bytes) -> bytes:
    """The body of a request."""
    return b"\n".join([b"old %d" % old, *(base64_text(each).encode() for each in proof), b"", note])


def proof_from(log: Path | Source, note: bytes, old: int, key: VerifierKey = KEY.verifier_key) -> list[bytes]:
    """The consistency proof that a log's files give."""
    source = FolderSource(log) if isinstance(log, Path) else log
    return AuthenticTiles(Checkpoint.open(note, key), source.read).consistency_path(old) if old else []


def asking(log: Path, old: int, key: VerifierKey = KEY.verifier_key) -> bytes:
    """The request for the checkpoint in a log's folder, with a true proof."""
    note = (log / "checkpoint").read_bytes()
    return request(note, old, *proof_from(log, note, min(old, Checkpoint.open(note, key).size), key))


@dataclass
class OurWitness:
    """A witness of one log, whose clocks a test sets and whose events it reads."""

    folder: Path
    log: Path | None
    trust: Trust = KEY.verifier_key
    plain: bool = False
    now: float = NOON
    news: list[Event] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._held = ExitStack()
        self.memory = Memory(self.folder)
        self._held.enter_context(self.memory.held(make=True))
        self.memory.begin(Policy.of(self.trust).log, LAB_KEY.key)
        self.start()

    def start(self) -> None:
        """Start, or start again, with what is remembered."""
        world = World(self.news.append, lambda: self.now, lambda: self.now)
        source = None if self.log is None else FolderSource(self.log)
        self.witness = Witness(self.trust, source, LAB_KEY, self.memory, world, plain=self.plain)
        self.witness.catch_up()

    def restart(self) -> None:
        """End in an orderly way, and start again."""
        self.witness.save()
        self.start()

    def ask(self, old: int | None = None) -> Answer:
        """Ask for a cosignature on the checkpoint in the log's folder, with a true proof."""
        assert self.log is not None
        old = self.witness.size if old is None else old
        return self.witness.add_checkpoint(asking(self.log, old, Policy.of(self.trust).log))

    def cosigned(self) -> int:
        """Ask, and be given a cosignature that verifies; returns its time."""
        answer = self.ask()
        assert answer.status is HTTPStatus.OK, answer.body
        assert self.log is not None
        return time_of(answer, (self.log / "checkpoint").read_bytes())

    @property
    def kinds(self) -> list[EventKind]:
        """What was reported so far."""
        return [event.kind for event in self.news]


def time_of(answer: Answer, note: bytes) -> int:
    """The time of a cosignature, which verifies."""
    (time,) = LAB.key.times_on(Note.parse(note + answer.body))
    assert time is not None
    return time


@dataclass(frozen=True)
class ServedWitness:
    """A witness that answers over HTTP."""

    url: str
    key: CosigningKey
    events: list[Event]

    @property
    def policy_line(self) -> str:
        """Its line in a policy."""
        return f"witness {self.key.name} {self.key.key} {self.url}"


@contextmanager
def serving_witness(
    folder: Path,
    trust: Trust,
    log: str | None,
    *,
    key: CosigningKey = LAB_KEY,
    plain: bool = False,
    now: Callable[[], float] = time.time,
) -> Iterator[ServedWitness]:
    """Run a witness with a memory in ``folder`` that begins here if there is none. ``log`` is an address or a
    folder.
    """
    memory, events = Memory(folder), list[Event]()
    with memory.held(make=True):
        if not memory.file.exists():
            memory.begin(Policy.of(trust).log, key.key)
        source = None if log is None else open_source(log)
        witness = Witness(trust, source, key, memory, World(events.append, now), plain=plain)
        with served(witness) as url:
            yield ServedWitness(url, key, events)
        witness.save()


def served(witness: Witness) -> AbstractContextManager[str]:
    """Answer over HTTP; yields the address."""
    return served_by(witness.add_checkpoint, witness.catch_up)


@contextmanager
def served_by(add_checkpoint: AddCheckpoint, begin: Callable[[], None] = lambda: None) -> Iterator[str]:
    """Answer over HTTP by any function, after it could ``begin``; yields the address."""
    ready, addresses = Signal(), list[str]()
    loop, ended = asyncio.new_event_loop(), asyncio.Event()

    def note(address: str) -> None:
        addresses.append(address)
        ready.set()

    async def run() -> None:
        server = Server(add_checkpoint, "a witness of the tests")
        await server.in_turn(begin)
        await server.serve("127.0.0.1", 0, note, ended)
        assert await server.is_idle(60)

    thread = Thread(target=lambda: loop.run_until_complete(run()), daemon=True)
    thread.start()
    assert ready.wait(60)
    try:
        yield addresses[0]
    finally:
        loop.call_soon_threadsafe(ended.set)
        thread.join(60)
        loop.close()
