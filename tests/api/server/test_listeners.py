"""The two listeners of a service: what each answers, and how the engines' listener is configured."""

from __future__ import annotations

import stat
from http.client import HTTPConnection
from pathlib import Path
from socket import AF_UNIX, socket

import pytest

from api.answers.service import FEATURES
from api.problems import Code
from fairness.version import VERSION
from tests.support.calls import body_of
from tests.support.http import is_problem
from tests.support.running_service import PATIENCE_SECONDS, RunningService, initialised, wait_until
from tests.support.shared_services import SharedServices

TABLES = {"keno-1": "keno-express"}
ENGINES_READ = ["tables", "tables/keno-1", "tables/keno-1/rounds/1"]
ENGINE_URL = "https://engines.casino.example:8443"
ACTIONS = ["open", "lock", "reveal", "void"]


@pytest.fixture(scope="module")
def service(shared_service: SharedServices) -> RunningService:
    """The shared service."""
    return shared_service.with_tables(TABLES)


def test_no_call_of_engines_is_answered_to_the_public(service: RunningService) -> None:
    """Not even with a token: the answer says what takes it, as far as that is known; and the round is unchanged."""
    for action in ACTIONS:
        path = f"/v1/engine/tables/keno-1/rounds/1/{action}"
        answer = service.call("POST", path, {"reason": "x"} if action == "void" else None, headers=service.bearer)
        is_problem(answer, Code.WRONG_LISTENER)
        assert answer.document["url"] == service.engine_url
    forwarded = service.call("GET", "/v1/engine/tables", headers={"X-Forwarded-For": "192.0.2.1"})
    is_problem(forwarded, Code.WRONG_LISTENER)
    assert "url" not in forwarded.document
    nameless = service.call("GET", "/v1/engine/tables", headers={"Host": "no name"})
    is_problem(nameless, Code.WRONG_LISTENER)
    assert "url" not in nameless.document
    for path in ("", "/", "/nothing", "/tables?after=keno", "/tables/keno-1/rounds/1", "/openapi.json"):
        for method in ("GET", "HEAD", "OPTIONS", "DELETE", "BREW"):
            answer = service.call(method, f"/v1/engine{path}", headers=service.bearer)
            assert (answer.status, answer.headers.get("Access-Control-Allow-Origin")) == (421, None), answer
    assert service.get("/v1/tables/keno-1/rounds/1").document["status"] == "committed"


@pytest.mark.parametrize(
    ("path", "code"),
    [
        *((path, Code.NOT_FOUND) for path in ("/", "/tables/keno-1", "/ops", "/log/checkpoint", "/metrics")),
        *((path, Code.WRONG_LISTENER) for path in ("/v1/live", "/v1/tables/keno-1", "/v1/tables/keno-1/rounds")),
    ],
)
def test_nothing_of_the_public_is_answered_to_engines(service: RunningService, path: str, code: Code) -> None:
    """Engines need no pages, log or figures, which cost time. A call of programs is told where it is answered, and
    where engines read; without a token the answer does not even say that.
    """
    answer = service.call("GET", path, url=service.engine_url, headers=service.bearer)
    is_problem(answer, code)
    assert "/v1/engine/" in answer.document["detail"]
    is_problem(service.call("GET", path, url=service.engine_url), Code.NO_TOKEN)


@pytest.mark.parametrize("path", ENGINES_READ)
def test_what_engines_read_is_the_same_on_both(service: RunningService, path: str) -> None:
    """After a restart, an engine can read the state of a table on its own listener."""
    mine = service.call("GET", f"/v1/engine/{path}", url=service.engine_url, headers=service.bearer)
    assert (mine.status, mine.data) == (200, service.get(f"/v1/{path}").data)


def test_both_say_which_service_it_is(service: RunningService) -> None:
    """Whoever has one address of it asks there, and a gateway sends engines to theirs; no cache answers."""
    answers = [service.get("/v1")]
    for path in ("/v1", "/v1/engine"):
        answers.append(service.call("GET", path, url=service.engine_url, headers=service.bearer))
        is_problem(service.call("GET", path, url=service.engine_url), Code.NO_TOKEN)
    for answer in answers:
        assert (answer.status, answer.headers["Cache-Control"]) == (200, "no-store")
        told = answer.document
        assert told.pop("time").endswith("Z")
        assert told == {
            "service": VERSION,
            "log": service.key.name,
            "vkey": str(service.key),
            "sandbox": False,
            "features": sorted(set(FEATURES)),
        }
    assert answers[0].headers["Access-Control-Allow-Origin"] == "*"


class UnixConnection(HTTPConnection):
    """HTTP by a Unix socket."""

    def __init__(self, path: Path) -> None:
        super().__init__("localhost", timeout=PATIENCE_SECONDS)
        self._path = path

    def connect(self) -> None:
        """Connect to the socket's path."""
        self.sock = socket(AF_UNIX)
        self.sock.settimeout(PATIENCE_SECONDS)
        self.sock.connect(str(self._path))


def asked(path: Path, method: str, address: str, service: RunningService) -> int:
    """The status of a call over the socket."""
    connection = UnixConnection(path)
    connection.request(method, address, body_of(address), headers=service.bearer)
    status = connection.getresponse().status
    connection.close()
    return status


@pytest.mark.nightly("a service of its own")
def test_engines_may_have_a_socket_instead(tmp_path: Path) -> None:
    """A whole round over it; its mode excludes others; a second service does not take it over; a stale one is
    replaced.
    """
    path = tmp_path / "engines.sock"
    with socket(AF_UNIX) as left_behind:
        left_behind.bind(str(path))
    service = initialised(
        tmp_path / "data", TABLES, options=("--engine-socket", str(path), "--engine-url", ENGINE_URL)
    )
    try:
        service.launch()
        wait_until(lambda: "Foredraw runs at" in service.output, "the service to be ready")
        service.settle()
        for action in ("open", "lock", "reveal"):
            assert asked(path, "POST", f"/v1/engine/tables/keno-1/rounds/1/{action}", service) == 200
        assert stat.S_IMODE(path.stat().st_mode) == 0o770
        answer = service.call("POST", "/v1/engine/tables/keno-1/rounds/2/open")
        assert answer.document["url"] == ENGINE_URL
        second = initialised(tmp_path / "second", TABLES)
        refused = second.foredraw("serve", "--port", str(second.port), "--engine-socket", str(path))
        assert refused.returncode == 1
        assert refused.stderr == f"Error: unix:{path} cannot be listened on: Address already in use\n"
        assert asked(path, "GET", "/v1/engine/tables", service) == 200
        assert service.stop() == 0
        assert not path.exists()
    finally:
        service.clean_up()


@pytest.mark.nightly("a service of its own")
def test_an_address_may_have_its_brackets(tmp_path: Path) -> None:
    """As it is copied from a browser's line; the addresses that are printed have them once, and are answered."""
    brackets = ("--host", "[::1]", "--engine-host", "[::1]")
    service = initialised(tmp_path / "data", TABLES, options=brackets)
    try:
        service.launch()
        wait_until(lambda: "Foredraw runs at" in service.output, "the service to be ready")
        assert f"http://[::1]:{service.port}" in service.output
        public = f"http://[::1]:{service.port}"
        assert service.call("GET", "/health/live", url=public).status == 200
        refused = service.call("GET", "/v1/engine/tables", url=public)
        assert refused.document["url"] == f"http://[::1]:{service.engine_port}"
        assert service.stop() == 0
    finally:
        service.clean_up()


@pytest.mark.lattice
@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--port", "9000", "--engine-port", "9000"], "engines need another port than the public, which has 9000"),
        (["--port", "65535"], "there is no port after 65535, so choose one"),
        (["--demo", "--engine-socket", "engines.sock"], "the demo dealer needs a port: leave out --engine-socket"),
        (["--engine-socket", "nowhere/engines.sock"], "cannot be listened on: No such file or directory"),
        (["--engine-socket", "pyproject.toml"], "cannot be listened on: it exists already, and is no socket"),
        (["--engine-socket", "api"], "cannot be listened on: it exists already, and is no socket"),
        (["--engine-url", "engines.casino.example"], "--engine-url': expected an address like https://"),
        (["--host", "[::1"], "cannot be listened on: Name or service not known"),
    ],
)
def test_listeners_that_cannot_be_are_refused(tmp_path: Path, options: list[str], words: str) -> None:
    """One sentence says why, and nothing is started or created."""
    service = RunningService(tmp_path / "data", "", 20)
    refused = service.foredraw("serve", *options)
    assert refused.returncode in (1, 2)
    assert words in refused.stderr
    assert "Traceback" not in refused.stderr
    assert not service.folder.exists()
