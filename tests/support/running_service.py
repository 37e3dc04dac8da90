"""The real service on this machine: gunicorn and the background program, as ``foredraw serve`` starts them.

A test uses it over HTTP, reads its folder, and stops, pauses or kills its processes by their ids.
Everything that its processes write is captured in one file.
"""

from __future__ import annotations

import io
import itertools
import json
import os
import secrets
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import urllib3

from api.access.tokens import ALL_TABLES, Role, create_token
from api.http.crowds import Crowds, Share
from api.http.elsewhere import OF_ENGINES
from api.log.keys import load_verifier_key
from api.programs.setup import initialise
from api.rounds.tables import add_table
from api.server.app import create_app, create_engine_app
from api.server.connection import too_slow
from api.service import Service, open_service
from api.settings import Server, Settings
from api.store.contents import decode_state
from api.world.processor import ProcessorTime
from api.world.published.log_folder import LogFolder
from api.world.supervision import BACKGROUND, ENGINES_API, PUBLIC_API
from fairness.log.checkpoints import Checkpoint
from fairness.log.notes import VerifierKey
from fairness.log.tiles import AuthenticTiles
from fairness.records.record import Record, aside_of, parse_record
from fairness.records.replay import Replay
from fairness.records.table_state import TableState
from games import GAMES
from tests.support import databases
from tests.support.busy import ASK_AGAIN_SECONDS, is_busy
from tests.support.calls import as_sent
from tests.support.databases import default_server, remember
from tests.support.kept_connections import kept_connections

ORIGIN = "fore.example/log"
SIX_TABLES = {f"{game}-1": game for game in ("crash", "rocketon", "hi-lo", "sic-bo", "penalty", "keno-express")}
PATIENCE_SECONDS = 180.0
FOREDRAW = str(Path(sys.executable).with_name("foredraw"))
"""The operator's program, as it is installed."""
_LOOK_SECONDS, _MOST_LOOK_SECONDS = 0.01, 0.05


def wait_until(holds: Callable[[], bool], what: str, seconds: float = PATIENCE_SECONDS) -> None:
    """Wait for a condition; fail with its name when patience ends.

    The longer it takes, the less often it is looked at: the looks of all tests together would keep a processor busy.
    """
    begun = time.monotonic()
    while not holds():
        waited = time.monotonic() - begun
        assert waited < seconds, f"waited {seconds} s for {what}"
        time.sleep(min(max(waited / 10, _LOOK_SECONDS), _MOST_LOOK_SECONDS))


_given_ports = set[int]()


def free_port() -> int:
    """A port of this machine that nobody listens on.

    It is below the range for outgoing connections: tests run in parallel, and a connection of another
    one could otherwise take the port before somebody listens on it.
    """
    while True:
        port = 10_000 + secrets.randbelow(20_000)
        with closing(socket.socket()) as listener, suppress(OSError):
            listener.bind(("127.0.0.1", port))
            if port not in _given_ports:
                _given_ports.add(port)
                return port


def what_fails(health: Mapping[str, Any]) -> list[str]:
    """A sentence for each part that fails, of an answer of `/health/ready`; none of another one."""
    return [check["message"] for check in health.get("checks", {}).values() if check["status"] == "failing"]


@dataclass(frozen=True, slots=True)
class Answer:
    """One call and its answer."""

    method: str
    path: str
    status: int
    headers: Mapping[str, str] = field(repr=False)
    data: bytes

    @property
    def document(self) -> dict[str, Any]:
        """The body as JSON."""
        document: dict[str, Any] = json.loads(self.data)
        return document

    @property
    def media_type(self) -> str:
        """The content type without its parameters."""
        return self.headers.get("Content-Type", "").partition(";")[0]


@dataclass(slots=True)
class RunningService:
    """A service in a separate folder, and a client with an engine's token for all tables."""

    folder: Path
    token: str
    batch_size: int
    options: tuple[str, ...] = ()
    port: int = field(default_factory=free_port)
    engine_port: int = field(default_factory=free_port)
    output_name: str = ""
    under: tuple[str, ...] = ()
    """A command that starts it, like ``setpriv`` with its options."""
    variables: Mapping[str, str] = field(default_factory=dict)
    """Settings of its processes beside the size of its batches."""
    database: Server | None = None
    """Where its database is, if it is not a file of the folder."""
    answers: list[Answer] = field(default_factory=list, repr=False)
    """Every answer so far, in the order in which the calls returned."""
    _process: subprocess.Popen[bytes] | None = None
    _pool: urllib3.PoolManager = field(default_factory=lambda: kept_connections(size=64, timeout=PATIENCE_SECONDS))

    @property
    def url(self) -> str:
        """Where it answers the public."""
        return f"http://127.0.0.1:{self.port}"

    @property
    def engine_url(self) -> str:
        """Where it answers engines."""
        return f"http://127.0.0.1:{self.engine_port}"

    @property
    def bearer(self) -> dict[str, str]:
        """The header of the token for all tables."""
        return {"Authorization": f"Bearer {self.token}"}

    @property
    def settings(self) -> Settings:
        """Its settings, for tests that change its folder."""
        return Settings(self.folder, self.batch_size, server=self.database)

    @property
    def key(self) -> VerifierKey:
        """The key that its log is verified with."""
        return load_verifier_key(self.settings)

    @property
    def output_path(self) -> Path:
        """The file that captures what its processes write."""
        return self.folder.with_name(self.output_name or f"{self.folder.name}.output")

    @property
    def output(self) -> str:
        """What its processes have written."""
        return self.output_path.read_text(encoding="utf-8", errors="replace")

    @property
    def process(self) -> subprocess.Popen[bytes]:
        """``foredraw serve``."""
        assert self._process is not None, "the service was not started"
        return self._process

    def start(self) -> None:
        """Start it, and wait until it can play."""
        begun = time.time()
        self.launch()
        wait_until(lambda: self.process.poll() is not None or self.is_ready_since(begun), "the service to be ready")
        assert self.process.poll() is None, self.output

    def is_ready_since(self, moment: float) -> bool:
        """Whether both listeners answer, and its background program has given a sign of life since then (Unix
        time).
        """
        heartbeat = self.settings.heartbeat
        if not heartbeat.exists() or heartbeat.stat().st_mtime < moment:
            return False
        try:
            return self.is_ready() and self.call("GET", "/", url=self.engine_url, note=False).status == 401
        except urllib3.exceptions.HTTPError:
            return False

    def is_ready(self) -> bool:
        """Whether it says that it can play."""
        return self.get("/health/ready", note=False).status == 200

    @property
    def wrong(self) -> list[str]:
        """What it says is wrong, a sentence each."""
        return what_fails(self.get("/health/ready", note=False).document)

    def says(self, *words: str) -> None:
        """Wait until one of these sentences has all these words."""
        wait_until(
            lambda: any(all(word in why for word in words) for why in self.wrong), f"the service to say {words}"
        )

    def launch(self) -> None:
        """Start it, and wait for nothing."""
        ports = ["--port", str(self.port), "--engine-port", str(self.engine_port)]
        # While other tests run, the public listener, which most of them use, would rarely get the processor.
        arguments = [
            "--data",
            str(self.folder),
            "serve",
            *ports,
            "--niceness",
            "0",
            "--public-share",
            "100",
            *self.options,
        ]
        with self.output_path.open("ab") as output:
            self._process = subprocess.Popen(
                [*self.under, FOREDRAW, *arguments],
                env=self.environment(),
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                start_new_session=True,
            )

    def environment(self) -> dict[str, str]:
        """The environment of its processes."""
        address = {} if self.database is None else {"FOREDRAW_DATABASE": self.database.secret_address}
        return {**os.environ, "FOREDRAW_BATCH_SIZE": str(self.batch_size), **address, **self.variables}

    def foredraw(self, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
        """Run the operator's program on its folder, to the end."""
        return subprocess.run(
            [*self.under, FOREDRAW, "--data", str(self.folder), *arguments],
            env={**self.environment(), **environment},
            capture_output=True,
            text=True,
            check=False,
            timeout=PATIENCE_SECONDS,
        )

    def stop(self, number: int = signal.SIGINT) -> int:
        """Stop it as Ctrl-C does; returns the exit status."""
        if self.process.poll() is None:
            self.process.send_signal(number)
        return self.ended()

    def ended(self) -> int:
        """Wait for its end; returns the exit status."""
        return self.process.wait(PATIENCE_SECONDS)

    def clean_up(self) -> None:
        """Kill whatever still runs of it: the test is over."""
        self._pool.clear()
        if self._process is not None and self._process.poll() is None:
            for pid in family_of(self._process.pid):
                kill(pid, signal.SIGKILL)
            self._process.wait(PATIENCE_SECONDS)

    def children(self) -> dict[str, int]:
        """The process ids of its programs, by what the system calls each, or by the Python module that it runs."""
        # The loader may have ended a moment ago, or end now.
        named = ((_name_of(pid), pid) for pid in _children_of(self.process.pid) if not has_ended(pid))
        return {name: pid for name, pid in named if name is not None}

    @property
    def background(self) -> int:
        """The process id of the background program."""
        return self.children()[BACKGROUND]

    @contextmanager
    def paused(self) -> Iterator[None]:
        """Pause the background program: nothing is published, nothing is committed.

        It is stopped between two of its turns, when it holds no lock.
        """
        self.settle()
        pid = self.background
        os.kill(pid, signal.SIGSTOP)
        try:
            wait_until(lambda: _state_of(pid) == "T", "the background program to stand still")
            yield
        finally:
            os.kill(pid, signal.SIGCONT)

    @contextmanager
    def halted(self) -> Iterator[None]:
        """Halt all its processes, as when its machine hangs: the system still accepts connections, and nothing is
        answered.
        """

        def stand_still() -> bool:
            # Those that were still being started when it was looked are halted at the next look.
            family = family_of(self.process.pid)
            for pid in family:
                kill(pid, signal.SIGSTOP)
            return {_state_of(pid) for pid in family} == {"T"} and family_of(self.process.pid) == family

        try:
            wait_until(stand_still, "its processes to stand still")
            yield
        finally:
            for pid in family_of(self.process.pid):
                kill(pid, signal.SIGCONT)

    def settle(self) -> None:
        """Wait until every table has enough committed rounds, and everything queued is published."""
        wait_until(self._is_settled, "the background program to have nothing to do")

    def _is_settled(self) -> bool:
        for lead, data in self.query("SELECT lead, queued_state FROM tables WHERE halted IS NULL"):
            state = decode_state(data)
            if not state.ended and state.committed_through - state.next_round < lead + max(self.batch_size, lead):
                return False
        waiting = self.query(
            'SELECT count(*) FROM queue LEFT JOIN tables ON name = "table" WHERE position IS NULL AND halted IS NULL'
        )
        return waiting == [(0,)] and self.query("SELECT size FROM head") == [(self.checkpoint().size,)]

    def checkpoint(self) -> Checkpoint:
        """The published checkpoint, verified with the log's key."""
        return Checkpoint.open((self.settings.log / "checkpoint").read_bytes(), self.key)

    def records(self) -> list[bytes]:
        """Every published record, verified against the checkpoint."""
        tiles = AuthenticTiles(self.checkpoint(), LogFolder(self.settings.log).read)
        return [tiles.record(index) for index in range(tiles.checkpoint.size)]

    def table_records(self) -> list[Record]:
        """The same, of tables alone: without what the log says of itself."""
        return [parse_record(data) for data in self.records() if aside_of(data) is None]

    def replay(self) -> dict[str, TableState]:
        """Replay the published log by every rule of the protocol; returns the state of each table."""
        replay = Replay(self.key.name, GAMES)
        for data in self.records():
            if aside_of(data) is None:
                replay.advance(data)
        return replay.tables

    def queued_state(self, table: str) -> TableState:
        """The state of a table after the records queued so far."""
        ((state,),) = self.query("SELECT queued_state FROM tables WHERE name = ?", table)
        return decode_state(state)

    def query(self, statement: str, *values: object) -> list[tuple[Any, ...]]:
        """Query the database without changing it."""
        return databases.query(self.settings, statement, *values)

    def tamper(self, statement: str, *values: object) -> int:
        """Change the database behind the service's back; returns the number of rows."""
        return databases.tamper(self.settings, statement, *values)

    def call(
        self,
        method: str,
        path: str,
        body: object = None,
        *,
        headers: Mapping[str, str] | None = None,
        url: str | None = None,
        note: bool = True,
    ) -> Answer:
        """One call with exactly these headers; a body of bytes, or of an iterator of them (chunked), is sent as it
        is.

        It goes to the public listener, unless ``url`` is given.
        """
        data = body if body is None or isinstance(body, bytes | Iterator) else json.dumps(body).encode()
        response = self._pool.request(method, (url or self.url) + path, body=data, headers=headers, redirect=False)
        answer = Answer(method, path, response.status, dict(response.headers), response.data)
        if note:
            self.answers.append(answer)
        return answer

    def hang_up(self) -> None:
        """Close the client's connections, so that the next call opens a new one."""
        self._pool.clear()

    def get(self, path: str, *, headers: Mapping[str, str] | None = None, note: bool = True) -> Answer:
        """A public call; while the process has no time for it, as on a busy machine, it is repeated, as readers
        do.
        """
        deadline = time.monotonic() + PATIENCE_SECONDS
        while True:
            answer = self.call("GET", path, headers=headers, note=note)
            if not is_busy(answer.status, answer.headers) or time.monotonic() > deadline:
                return answer
            time.sleep(ASK_AGAIN_SECONDS)

    def post(self, path: str, body: object = None, *, token: str | None = None) -> Answer:
        """An engine's call, with the token for all tables unless another is given. A lock that names no `call` has
        its round's.
        """
        headers = {"Authorization": f"Bearer {token or self.token}", "Content-Type": "application/json"}
        return self.call("POST", path, as_sent(path, body), headers=headers, url=self.engine_url)

    def act(self, table: str, number: object, action: str, body: object = None) -> Answer:
        """Do something to a round; after a pending answer the call is repeated, as engines do."""
        path = f"/v1/engine/tables/{table}/rounds/{number}/{action}"
        answer = self.post(path, body)
        deadline = time.monotonic() + PATIENCE_SECONDS
        while answer.status == 202 and time.monotonic() < deadline:
            answer = self.post(path, body)
        return answer

    def play(self, table: str, number: int) -> Answer:
        """Play a whole round; returns the answer of its reveal."""
        for action in ("open", "lock", "reveal"):
            answer = self.act(table, number, action)
            assert answer.status == 200, answer
        return answer

    def next_round(self, table: str) -> int:
        """The first round of a table that has not been locked."""
        return int(self.get(f"/v1/tables/{table}").document["next_round"])


def _children_of(pid: int) -> list[int]:
    try:
        listed = Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="ascii")
    except (FileNotFoundError, ProcessLookupError):
        return []
    return [int(child) for child in listed.split()]


def family_of(pid: int) -> list[int]:
    """A process and all its descendants."""
    return [pid, *(member for child in _children_of(pid) for member in family_of(child))]


def _name_of(pid: int) -> str | None:
    """`None` if the process has ended."""
    try:
        title = Path(f"/proc/{pid}/comm").read_text(encoding="ascii").strip()
        arguments = Path(f"/proc/{pid}/cmdline").read_bytes().decode().split("\0")
    except (FileNotFoundError, ProcessLookupError):
        return None
    if title in {BACKGROUND, ENGINES_API, PUBLIC_API}:
        return title
    return arguments[arguments.index("-m") + 1] if "-m" in arguments else ""


def _state_of(pid: int) -> str:
    return Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(") ")[2][0]


def has_ended(pid: int) -> bool:
    """Whether a process has ended; a zombie counts as ended."""
    try:
        return _state_of(pid) == "Z"
    except (FileNotFoundError, ProcessLookupError):
        return True


def kill(pid: int, *numbers: int) -> None:
    """Send signals to one process, which may have ended."""
    for number in numbers:
        try:
            os.kill(pid, number)
        except ProcessLookupError:
            return


class _TooSlow(io.BytesIO):
    """A body that does not arrive in time."""

    def readinto(self, _: object) -> int:
        raise too_slow()


def asked_slowly(service: RunningService, path: str) -> Answer:
    """The answer to a call whose body does not arrive in time; in this process, without waiting."""
    create = create_engine_app if path.startswith(OF_ENGINES) else create_app
    with opened(service.settings) as inside:
        client = create(inside).test_client()
        answer = client.post(path, headers=service.bearer, input_stream=_TooSlow(b"{"))
    return Answer("POST", path, answer.status_code, dict(answer.headers), answer.data)


def asked_too_much(service: RunningService, path: str, body: object = None) -> Answer:
    """The answer to an expensive call, a POST if it has a ``body``, when its time budget is used up; in this process,
    without using it up.
    """
    method = "GET" if body is None else "POST"
    with opened(service.settings) as inside:
        app = create_app(inside, for_crowds=True)
        ever_more = (ProcessorTime(computed, 0.0) for computed in itertools.count(0.0, 1e9))
        app.extensions["crowds"] = Crowds(Share(clock=lambda: 0.0, spent=ever_more.__next__))
        client = app.test_client()
        client.open(path, method=method, json=body)
        answer = client.open(path, method=method, json=body)
    return Answer(method, path, answer.status_code, dict(answer.headers), answer.data)


@contextmanager
def opened(settings: Settings) -> Iterator[Service]:
    """The parts of the folder in this process, as the operator's program opens them."""
    service = open_service(settings)
    try:
        yield service
    finally:
        service.close()


def initialised(
    folder: Path,
    tables: Mapping[str, str],
    *,
    batch_size: int = 20,
    timeout: int = 300,
    options: tuple[str, ...] = (),
    database: Server | None = None,
    seeds: Server | None = None,
) -> RunningService:
    """A new service with these tables (name and game), not started yet; ``seeds`` has the custodian's store."""
    if database is None and (default := default_server()) is not None:
        database = default.new_database()
    settings = Settings(folder, batch_size, server=remember(folder, database), seeds_server=seeds)
    initialise(settings, ORIGIN)
    with opened(settings) as service:
        for name, game in tables.items():
            add_table(service.writer, name, game, timeout=timeout)
        token = create_token(service.database, service.clock, "all", Role.ENGINE, [ALL_TABLES])
    variables = {} if seeds is None else {"FOREDRAW_CUSTODIAN": seeds.secret_address}
    return RunningService(folder, token, batch_size, options, database=database, variables=variables)


@contextmanager
def running_service(
    folder: Path,
    tables: Mapping[str, str] | None = None,
    *,
    batch_size: int = 20,
    timeout: int = 300,
    options: tuple[str, ...] = ("--workers", "2"),
    under: tuple[str, ...] = (),
    database: Server | None = None,
    variables: Mapping[str, str] | None = None,
) -> Iterator[RunningService]:
    """A running service with these tables (by default one per game), all of which have enough committed rounds."""
    chosen = SIX_TABLES if tables is None else tables
    service = initialised(folder, chosen, batch_size=batch_size, timeout=timeout, options=options, database=database)
    service.under, service.variables = under, dict(variables or {})
    try:
        service.start()
        service.settle()
        yield service
    finally:
        service.clean_up()
