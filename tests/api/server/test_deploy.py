"""The configurations of ``deploy/``, each in its own web server in front of a real service."""

from __future__ import annotations

import gzip
import itertools
import json
import os
import re
import shutil
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, ClassVar

import pytest
import urllib3

from api.access.tokens import ALL_TABLES, Role, create_token
from api.http.request_body import LARGEST_BODY
from api.problems import OF_THE_WEB_SERVER, Code
from tests.support.addresses import NOT_THERE, SECOND_SPELLINGS
from tests.support.calls import body_of
from tests.support.running_service import Answer, RunningService, opened, running_service, wait_until
from tests.support.tokens import UNKNOWN
from tests.support.web_servers import (
    NGINX,
    PROGRAMS,
    WITH_LOG,
    Certificate,
    Ports,
    WebServer,
    caddy_folder,
    nginx_folder,
    web_server,
)

STRANGER, CROWD = "127.0.0.2", "127.0.0.9"
"""An address that may not see ``/ops``, and one that sends a flood."""
# A rate of one per minute, so that slow and fast machines refuse the same: everything beyond the burst.
SLOWEST_RATE = {f"rate={rate}r/s": "rate=1r/m" for rate in (20, 500, 100, 2)}
BURST, TOKEN_BURST, FIGURES_BURST, LIVE_BURST = 100, 200, 20, 200
CONNECTIONS = 64
FEEDS = ("/v1/live", "/v1/tables/keno-1/live")


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningService]:
    """One service for all tests of this file, with a played round."""
    with running_service(tmp_path_factory.mktemp("deploy") / "data", {"keno-1": "keno-express"}) as running:
        running.play("keno-1", 1)
        yield running


def ports_of(service: RunningService) -> Ports:
    """The service's ports, and free ones."""
    return Ports(service.port, service.engine_port)


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Certificate:
    """One certificate for all tests."""
    return Certificate.create(tmp_path_factory.mktemp("certificate"))


@pytest.fixture(scope="module")
def fronts(
    service: RunningService, certificate: Certificate, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[dict[str, WebServer]]:
    """Each web server in front of that service."""
    folder = tmp_path_factory.mktemp("fronts")
    with ExitStack() as stack:
        yield {
            program: stack.enter_context(
                web_server(
                    program,
                    folder / program,
                    certificate,
                    ports_of(service),
                    SLOWEST_RATE if program == "nginx" else {},
                )
            )
            for program in PROGRAMS
        }


@pytest.fixture(params=PROGRAMS)
def front(request: pytest.FixtureRequest, fronts: dict[str, WebServer]) -> WebServer:
    """One web server after the other."""
    return fronts[request.param]


# What they are for


@pytest.mark.parametrize("program", PROGRAMS)
def test_the_programs_own_check_has_nothing_to_say(program: str, certificate: Certificate, tmp_path: Path) -> None:
    """No error, and no warning about deprecated syntax."""
    if program == "nginx":
        command = [*nginx_folder(tmp_path / program, certificate, Ports(), {}), "-t"]
    else:
        command = [
            word.replace("run", "validate") for word in caddy_folder(tmp_path / program, certificate, Ports(), {})
        ]
    environment = {**os.environ, "HOME": str(tmp_path), "XDG_DATA_HOME": str(tmp_path)}
    checked = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    assert checked.returncode == 0, checked.stderr
    said = [line for line in checked.stderr.splitlines() if "OCSP" not in line]
    assert not re.search(r'"level":"(warn|error)"|\[(warn|error|emerg)\]', "\n".join(said)), checked.stderr


def test_pages_are_served_with_the_headers_that_the_service_gives(front: WebServer, service: RunningService) -> None:
    """With the reader's host and scheme; answers that must not be cached say so."""
    direct = service.get("/tables/keno-1")
    assert f"{front.origin}/log" in front.call("/").data.decode()
    for name in ("Content-Security-Policy", "X-Frame-Options", "Cache-Control", "Cross-Origin-Opener-Policy"):
        assert front.call("/tables/keno-1").headers[name] == direct.headers[name]


def test_plain_http_is_redirected(front: WebServer) -> None:
    """To the same address over TLS; nothing else is answered without it."""
    url = f"http://localhost:{front.ports.plain}/tables/keno-1?page=2"
    answer = urllib3.request("GET", url, redirect=False, retries=False)
    assert answer.status in (301, 308)
    assert re.fullmatch(r"https://[a-z.]+(:\d+)?/tables/keno-1\?page=2", answer.headers["Location"])


def test_a_round_is_verified_and_the_log_audited_through_it(front: WebServer, service: RunningService) -> None:
    """With the programs of players and auditors, over TLS."""
    code = service.get("/v1/tables/keno-1/rounds/1").document["round_code"]
    log = f"{front.origin}/log"
    for arguments in (["code", code, "--log", log], ["audit", log]):
        done = subprocess.run(
            [Path(sys.executable).with_name("foredraw-verify"), *arguments, "--key", str(service.key)],
            env={**os.environ, "SSL_CERT_FILE": str(front.certificate.file)},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        assert "Held: " in done.stdout


@pytest.mark.parametrize("path", FEEDS)
def test_watchers_see_every_reveal(front: WebServer, service: RunningService, path: str) -> None:
    """A new state arrives at once, compressed if accepted; an old one is confirmed in a few bytes."""
    number = service.next_round("keno-1")
    service.play("keno-1", number)

    def newest() -> int:
        document = front.call(path).document
        (table,) = document.get("tables", [document])
        return int(table["last"][0]["round"])

    wait_until(lambda: newest() == number, "the live feed to name the round")

    answers: list[Answer] = []

    def are_of_one_state() -> bool:
        """Whether the three answers are about one state: a record may come between two calls, and the web server
        keeps the compressed answer and the plain one a second each, on their own.
        """
        first = front.call(path)
        again = front.call(path, headers={"If-None-Match": first.headers["ETag"]})
        packed = front.call(path, headers={"Accept-Encoding": "gzip"})
        answers[:] = first, again, packed
        same = [front.call(path).document, first.document, json.loads(gzip.decompress(packed.data))]
        # When it was read is no part of the state.
        return all({**each, "as_of": 0} == {**same[0], "as_of": 0} for each in same)

    wait_until(are_of_one_state, "a state that stays for four calls, compressed or not")
    first, again, packed = answers
    assert packed.headers["Content-Encoding"] == "gzip"
    assert (again.status, again.data) == (304, b"")
    assert packed.headers["Cache-Control"] == first.headers["Cache-Control"] == "public, max-age=0, s-maxage=1"


ROUNDS = "/v1/tables/keno-1/rounds"
KEPT = (f"{ROUNDS}/1", f"{ROUNDS}/9999", f"{ROUNDS}?to=2&limit=1", "/v1/tables", "/v1/tables?limit=1", "/v1/games")
"""What nginx keeps: an ended round, one that is unknown, lists with and without a query, and what never changes."""
OLDEST_SECONDS = 3.0
"""By then an answer that a cache may keep for a second is gone, also on a machine that has much to do."""
SENDERS = itertools.cycle(f"127.0.1.{number}" for number in range(1, 255))
"""So many that none of them asks too often."""


def asked(front: WebServer, path: str, **of: Any) -> Answer:  # noqa: ANN401 -- whatever the call takes
    """The answer to the next of many callers."""
    return front.call(path, sender=next(SENDERS), **of)


def request_ids(front: WebServer, path: str) -> set[str]:
    """By how many requests to the service two calls are answered: each has an id."""
    return {asked(front, path).headers["X-Request-Id"] for _ in range(2)}


@pytest.mark.parametrize("path", KEPT)
def test_nginx_answers_for_the_service(fronts: dict[str, WebServer], path: str) -> None:
    """With what it has, whole or 304; another query is another answer."""
    front = fronts["nginx"]
    wait_until(lambda: len(request_ids(front, path)) == 1, "two calls in a second that the answer is kept")
    first = asked(front, path)
    if first.status == 200:
        again = asked(front, path, headers={"If-None-Match": first.headers["ETag"]})
        assert (again.status, again.data) == (304, b"")


def test_each_query_has_an_answer_of_its_own(fronts: dict[str, WebServer]) -> None:
    """However often the other one is asked for."""
    front = fronts["nginx"]
    for _ in range(3):
        for number in (1, 2):
            (found,) = asked(front, f"{ROUNDS}?from={number}&limit=1").document["rounds"]
            assert found["round"] == number


def test_nobody_is_told_for_long_what_is_over(front: WebServer, service: RunningService) -> None:
    """By either web server: a cached round is asked for again when its second is over, and once ended it never seems
    to be locked again. Caddy keeps nothing.
    """
    number = service.next_round("keno-1")
    path = f"{ROUNDS}/{number}"
    for action in ("open", "lock"):
        service.act("keno-1", number, action)
    wait_until(lambda: asked(front, path).document["status"] == "locked", "the lock to be seen")
    service.act("keno-1", number, "reveal")
    revealed = time.monotonic()
    seen: list[str] = []
    while not seen or seen[-1] != "played":
        begun = time.monotonic()
        seen.append(asked(front, path).document["status"])
        assert seen[-1] == "played" or begun - revealed < OLDEST_SECONDS
    assert {asked(front, path).document["status"] for _ in range(5)} == {"played"}
    assert set(seen[:-1]) <= ({"locked"} if front.program == "nginx" else set())
    assert asked(front, path).headers["Cache-Control"] == "public, max-age=0, s-maxage=60"


def test_an_engine_is_never_answered_by_a_cache(fronts: dict[str, WebServer], service: RunningService) -> None:
    """Right after its own call it reads what that has done, each time from the service."""
    front, number = fronts["nginx"], service.next_round("keno-1")
    path, headers = f"/v1/engine/tables/keno-1/rounds/{number}", {"Authorization": f"Bearer {service.token}"}

    def read() -> Answer:
        return front.call(path, headers=headers, port=front.ports.engines)

    for action, status in (("open", "open"), ("lock", "locked"), ("reveal", "played")):
        service.act("keno-1", number, action)
        answers = [read(), read()]
        assert [answer.document["status"] for answer in answers] == [status] * 2
        assert {answer.headers["Cache-Control"] for answer in answers} == {"no-store"}
        assert len({answer.headers["X-Request-Id"] for answer in answers}) == 2


OF_A_FILE = ("Content-Type", "Cache-Control", "Access-Control-Allow-Origin", "Cross-Origin-Resource-Policy")


def test_the_log_may_be_served_from_its_folder(
    service: RunningService, certificate: Certificate, tmp_path: Path
) -> None:
    """Every file with the service's bytes and headers, no other spelling of its path, and no validation by
    modification time.
    """
    log = service.settings.log
    folder = {"/srv/foredraw/data": str(service.folder)}
    with web_server("nginx", tmp_path / "nginx", certificate, ports_of(service), folder, WITH_LOG) as front:
        paths = [f"/log/{file.relative_to(log)}" for file in sorted(log.rglob("*")) if file.is_file()]
        assert len(paths) > 5
        for path in paths:
            direct, through = service.get(path), front.call(path)
            assert (through.status, through.data) == (200, direct.data)
            assert [through.headers.get(name) for name in OF_A_FILE] == [direct.headers[name] for name in OF_A_FILE]
            assert through.headers["X-Content-Type-Options"] == "nosniff"
            assert not {"ETag", "Last-Modified"} & through.headers.keys()
        assert front.call("/log/checkpoint?now").status == 200
        assert front.call("/log/tile/0/999").headers["Access-Control-Allow-Origin"] == "*"
        for path in (*NOT_THERE, "", "tile/", "tile/0/"):
            assert front.call(f"/log/{path}").status in (400, 404), path
        assert front.call("/log/checkpoint", b"x").status == 405


def test_nothing_below_the_logs_folder_is_followed(
    service: RunningService, certificate: Certificate, tmp_path: Path
) -> None:
    """Neither by a link nor by a linked folder, and nobody waits for a pipe; the folder itself may be a link."""
    shutil.copytree(service.settings.log, tmp_path / "shared")
    (tmp_path / "data").mkdir()
    log = tmp_path / "data" / "log"
    log.symlink_to(tmp_path / "shared")
    (tmp_path / "000").write_bytes(b"a secret")
    link, pipe, loop = (f"commitments/{digit * 2}/{digit * 64}" for digit in "012")
    for planted in (link, pipe, loop):
        (log / planted).parent.mkdir(exist_ok=True)
    (log / link).symlink_to(service.settings.signing_key)
    os.mkfifo(log / pipe)
    (log / loop).symlink_to(loop.rpartition("/")[2])
    (log / "tile/9").symlink_to(tmp_path)
    folder = {"/srv/foredraw/data": str(tmp_path / "data")}
    with web_server("nginx", tmp_path / "nginx", certificate, ports_of(service), folder, WITH_LOG) as front:
        assert front.call("/log/checkpoint").data == (log / "checkpoint").read_bytes()
        for path in (link, pipe, loop, "tile/9/000"):
            assert front.call(f"/log/{path}").status in {403, 404}, path
        (log / "checkpoint").unlink()
        (log / "checkpoint").symlink_to(service.settings.signing_key)
        assert front.call("/log/checkpoint").status in {403, 404}


def test_engines_play_through_a_server_of_their_own(fronts: dict[str, WebServer], service: RunningService) -> None:
    """Only from a listed address, with a token, and not on the public server."""
    front, number = fronts["nginx"], service.next_round("keno-1")
    headers = {"Authorization": f"Bearer {service.token}"}
    for action in ("open", "lock", "reveal"):
        path = f"/v1/engine/tables/keno-1/rounds/{number}/{action}"
        assert front.call(path, body_of(path), headers=headers).document["code"] == "wrong-listener"
        assert (
            front.call(path, body_of(path), headers=headers, sender=STRANGER, port=front.ports.engines).status == 403
        )
        assert front.call(path, body_of(path), headers=headers, port=front.ports.engines).status == 200


# The operator's page


def operator(service: RunningService, name: str) -> str:
    """A new token of an operator."""
    with opened(service.settings) as inside:
        return create_token(inside.database, inside.clock, name, Role.OPERATOR, [ALL_TABLES])


def sign_in(front: WebServer, token: str, headers: Mapping[str, str] | None = None) -> tuple[int, str]:
    """Send the form as a browser does, with additional or other headers; returns the status and the cookie."""
    sent = {"Content-Type": "application/x-www-form-urlencoded", "Origin": front.origin, **(headers or {})}
    answer = front.call("/ops/login", f"token={token}".encode(), headers=sent)
    return answer.status, answer.headers.get("Set-Cookie", "")


def test_an_operator_signs_in_over_https(front: WebServer, service: RunningService) -> None:
    """The cookie is only for TLS; a form from another host, another port or without TLS is refused."""
    token = operator(service, f"ani-{front.program}")
    status, cookie = sign_in(front, token)
    assert status == 303
    assert re.fullmatch("__Host-foredraw-ops=[0-9a-f]{64}; Secure; HttpOnly; Path=/; SameSite=Strict", cookie)
    page = front.call("/ops", headers={"Cookie": cookie.partition(";")[0]})
    assert (page.status, page.headers["Cache-Control"]) == (200, "no-store")
    assert front.call("/ops").status == 303
    for origin in ("https://localhost", "https://evil.example", f"http://localhost:{front.port + 1}", "null"):
        assert sign_in(front, token, {"Origin": origin})[0] == 403


def test_a_wrong_token_is_reported_with_the_senders_address(front: WebServer, service: RunningService) -> None:
    """The address by the web server, not by the sender's own headers."""
    said = dict.fromkeys(("X-Forwarded-For", "X_Forwarded_For", "X-Real-IP", "Forwarded"), "203.0.113.77")
    assert sign_in(front, UNKNOWN, said)[0] == 403
    wait_until(lambda: "somebody at 127.0.0.1 tried to sign in" in service.output, "the message of the attempt")
    assert "203.0.113.77" not in service.output


@pytest.mark.parametrize("path", ["/ops", "/ops/", "/ops/login", "/ops/tables/add", "/metrics", "/health/ready"])
def test_strangers_do_not_reach_what_is_for_the_house(front: WebServer, path: str) -> None:
    """Other addresses get only a refusal from the web server."""
    answer = front.call(path, sender=STRANGER)
    assert (answer.status, answer.headers.get("Set-Cookie")) == (403, None)


@pytest.mark.parametrize("target", [*SECOND_SPELLINGS, "/static/../ops", "/x/../ops", "/./ops", "/OPS", "/ops;x"])
def test_no_spelling_leads_strangers_in(front: WebServer, target: str) -> None:
    """However the web server interprets it, the answer has nothing of the operator's page, and no redirect to it."""
    target = target.replace("http://x", front.origin)
    request = f"GET {target} HTTP/1.1\r\nHost: localhost:{front.port}\r\nConnection: close\r\n\r\n"
    assert front.spoken(request, STRANGER).status in (400, 403, 404)
    for name in ("SCRIPT_NAME", "Script-Name"):
        lines = f"Host: localhost:{front.port}\r\n{name}: /x\r\nConnection: close\r\n"
        answer = front.spoken(f"GET /x{target.removeprefix(front.origin)} HTTP/1.1\r\n{lines}\r\n", STRANGER)
        assert answer.status in (400, 403, 404)


# Strangers


def check_refused(answer: Answer) -> None:
    """Nginx's own refusal is a problem document like the service's, and says when to ask again."""
    assert answer.document["code"] == "too-many-requests"
    assert answer.document["status"] == answer.status == 429
    assert answer.document.keys() == {"type", "title", "status", "code", "detail", "retry_after"}
    assert answer.media_type == "application/problem+json"
    assert (answer.headers["Retry-After"], answer.headers["Cache-Control"]) == ("1", "no-store")
    assert answer.document["retry_after"] == 1


@pytest.mark.nightly("more calls than a burst")
def test_a_flood_from_one_address_is_refused_and_another_is_served(fronts: dict[str, WebServer]) -> None:
    """Beyond the burst nginx itself answers 429; nobody else waits. Debian's Caddy cannot do this."""
    front = fronts["nginx"]
    request = f"GET /openapi.json HTTP/1.1\r\nHost: localhost:{front.port}\r\n\r\n"
    answers = [front.spoken(request, CROWD) for _ in range(BURST + 20)]
    assert [answer.status for answer in answers[: BURST + 1]] == [200] * (BURST + 1)
    check_refused(next(answer for answer in answers if answer.status == 429))
    assert front.call("/openapi.json", sender="127.0.0.8").status == 200
    access = (front.output_path.parent / "access.log").read_text("utf-8")
    assert " 200 " in access
    assert " 429 " not in access
    assert "limiting requests" not in front.output


@pytest.mark.nightly("more calls than several bursts")
def test_a_token_that_asks_too_much_is_refused_and_another_is_served(
    fronts: dict[str, WebServer], service: RunningService
) -> None:
    """At the engines' server, and for figures; from one address, so only the token tells them apart."""
    front = fronts["nginx"]
    with opened(service.settings) as inside:
        engines = [create_token(inside.database, inside.clock, name, Role.ENGINE, ["*"]) for name in ("one", "two")]
        people = [
            create_token(inside.database, inside.clock, name, Role.AUDITOR, ["*"]) for name in ("three", "four")
        ]
    for path, (token, other), burst, port in (
        ("/v1/engine/tables", engines, TOKEN_BURST, front.ports.engines),
        ("/metrics", people, FIGURES_BURST, front.port),
    ):
        answers = [
            front.call(path, headers={"Authorization": f"{word} {token}"}, port=port)
            for word, _ in zip(itertools.cycle(("Bearer", "bearer", "BEARER")), range(burst + 5), strict=False)
        ]
        assert [answer.status for answer in answers[: burst + 1]] == [200] * (burst + 1)
        check_refused(next(answer for answer in answers if answer.status == 429))
        assert front.call(path, headers={"Authorization": f"Bearer {other}"}, port=port).status == 200
        assert token not in front.output


def test_a_flood_for_the_live_feed_is_refused(fronts: dict[str, WebServer]) -> None:
    """Beyond the burst of its address, and with a query as without one; nobody else waits."""
    front = fronts["nginx"]
    for path, expected, sender in ((FEEDS[0], 200, "127.0.0.11"), (f"{FEEDS[1]}?x", 400, "127.0.0.13")):
        answers = [front.call(path, sender=sender) for _ in range(LIVE_BURST + 20)]
        assert [answer.status for answer in answers[: LIVE_BURST + 1]] == [expected] * (LIVE_BURST + 1)
        refused = next(answer for answer in answers if answer.status == 429)
        check_refused(refused)
        # Pages of other sites wait as they are told, which they have to be able to read.
        assert refused.headers["Access-Control-Allow-Origin"] == "*"
        assert refused.headers["Access-Control-Expose-Headers"] == "Retry-After"
    assert front.call("/v1/live", sender="127.0.0.12").status == 200


class _Counted(BaseHTTPRequestHandler):
    """A service whose feed, and whose refusals, may be kept for a long time, so that no second can end during the
    test.
    """

    encodings: ClassVar[list[str]] = []
    refused: ClassVar[int] = 0

    def do_GET(self) -> None:
        """Answer, and remember which encoding was asked for; refuse a query."""
        if "?x" in self.path:
            type(self).refused += 1
            self.send_response(400)
            self.send_header("Cache-Control", "public, max-age=31536000")
            self.send_header("Content-Length", "0")
            self.end_headers()
            return
        self.encodings.append(self.headers.get("Accept-Encoding", ""))
        self.send_response(200)
        self.send_header("Cache-Control", "public, max-age=31536000")
        self.send_header("Vary", "Accept-Encoding")
        self.send_header("Content-Length", "2")
        self.end_headers()
        self.wfile.write(b"{}")

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@pytest.mark.parametrize("path", FEEDS)
def test_a_query_is_refused_beside_the_cache_of_the_live_feed(
    path: str, certificate: Certificate, tmp_path: Path
) -> None:
    """Nginx answers what it has, whatever a client claims to accept: packed or not, once each. A query it asks the
    service about.
    """
    accepted = [f"br;q=0.{number}, {packed}" for number in range(10) for packed in ("gzip", "gzip;q=0")]
    with ThreadingHTTPServer(("127.0.0.1", 0), _Counted) as counted:
        thread = threading.Thread(target=counted.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            ports = Ports(counted.server_port, counted.server_port)
            with web_server("nginx", tmp_path / "nginx", certificate, ports) as front:
                _Counted.encodings.clear()
                _Counted.refused = 0
                begun = time.monotonic()
                assert front.call(f"{path}?x=0").status == 400
                for encoding in accepted:
                    answer = front.call(path, headers={"Accept-Encoding": encoding})
                    assert (answer.status, answer.headers["Vary"]) == (200, "Accept-Encoding")
                assert [front.call(f"{path}?x={number}").status for number in range(3)] == [400] * 3
                assert front.call(f"{path}?").status == 200
                seconds = time.monotonic() - begun
        finally:
            counted.shutdown()
            thread.join()
    asked = Counter(_Counted.encodings)
    assert asked.keys() == {"", "gzip"}
    # What is kept for a year is kept under its second all the same.
    assert max(asked.values()) <= seconds + 2
    assert _Counted.refused == 4


class _Slow(BaseHTTPRequestHandler):
    """A service whose answers take a while, and may be kept for a second."""

    asked: ClassVar[list[str]] = []

    def do_GET(self) -> None:
        """Answer after a while with the time."""
        self.asked.append(self.path)
        now = str(time.monotonic()).encode()
        time.sleep(0.1)
        self.send_response(200)
        self.send_header("Cache-Control", "public, max-age=0, s-maxage=1")
        self.send_header("Content-Length", str(len(now)))
        self.end_headers()
        self.wfile.write(now)

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@pytest.mark.nightly("lets seconds pass")
@pytest.mark.parametrize("path", [*FEEDS, "/v1/tables/keno-1/rounds/1", "/log/checkpoint"])
def test_a_crowd_asks_the_service_once_a_second(path: str, certificate: Certificate, tmp_path: Path) -> None:
    """Also when what nginx has becomes too old; and nobody is given what is older than a second."""
    with ThreadingHTTPServer(("127.0.0.1", 0), _Slow) as slow:
        thread = threading.Thread(target=slow.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            ports = Ports(slow.server_port, slow.server_port)
            with web_server("nginx", tmp_path / "nginx", certificate, ports) as front:
                _Slow.asked.clear()
                begun = time.monotonic()

                def ask(number: int) -> list[float]:
                    ages = []
                    while time.monotonic() < begun + 4:
                        asked = time.monotonic()
                        made = float(front.call(path, sender=f"127.0.2.{number}").data)
                        # Less often than an address may ask for pages.
                        time.sleep(0.05)
                        ages.append(asked - made)
                    return ages

                with ThreadPoolExecutor(12) as pool:
                    ages = [age for each in pool.map(ask, range(1, 13)) for age in each]
                seconds = time.monotonic() - begun
        finally:
            slow.shutdown()
            thread.join()
    assert len(ages) > 3 * len(_Slow.asked)
    assert len(_Slow.asked) <= seconds + 2
    assert max(ages) <= 1.1


class _Refusing(BaseHTTPRequestHandler):
    """A service that refuses whatever it is asked, with the code that the path ends in."""

    asked: ClassVar[int] = 0

    def do_GET(self) -> None:
        """Refuse."""
        type(self).asked += 1
        code = next(code for code in Code if self.path.endswith(code.text))
        body = json.dumps({"status": code.status, "code": code.text}).encode()
        self.send_response(code.status)
        self.send_header("Retry-After", "7")
        self.send_header("Content-Type", "application/problem+json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@pytest.mark.parametrize("program", PROGRAMS)
def test_the_services_own_refusals_are_passed_on(program: str, certificate: Certificate, tmp_path: Path) -> None:
    """Each as it is, also where the web server has a refusal of the same status; nobody repeats the call, and the
    machine goes on to be asked.
    """
    codes = [code for code in Code if code.status in {409, 429, 503}]
    with ThreadingHTTPServer(("127.0.0.1", 0), _Refusing) as refusing:
        thread = threading.Thread(target=refusing.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            ports = Ports(refusing.server_port, refusing.server_port)
            with web_server(program, tmp_path / program, certificate, ports) as front:
                before = _Refusing.asked
                for code in codes:
                    answer = front.call(f"/v1/games/{code.text}")
                    assert (answer.status, answer.document["code"]) == (code.status, code.text)
                    assert answer.headers["Retry-After"] == "7"
                assert _Refusing.asked - before == len(codes)
        finally:
            refusing.shutdown()
            thread.join()


def test_the_addresses_of_one_ipv6_subscriber_are_one(fronts: dict[str, WebServer]) -> None:
    """A subscriber with 2⁶⁴ addresses gets no more than others; the neighbouring network is somebody else's."""
    front = fronts["nginx"]

    def ask(sender: str) -> int:
        return front.call("/openapi.json", sender="127.0.0.77", headers={"X-Test-Sender": sender}).status

    statuses = [ask(f"2001:db8:0:a0a::{number:x}") for number in range(1, BURST + 20)]
    assert statuses[: BURST + 1] == [200] * (BURST + 1)
    assert 429 in statuses
    assert ask("2001:db8:0:a0b::1") == 200


def test_connections_of_one_address_are_limited_and_another_is_served(fronts: dict[str, WebServer]) -> None:
    """A stalled request counts only against the limit of its own address."""
    front, sender = fronts["nginx"], "127.0.0.10"
    with ExitStack() as stack:

        def hold() -> None:
            connection = stack.enter_context(front.connect(sender))
            head = f"POST /v1/nothing HTTP/1.1\r\nHost: localhost:{front.port}\r\nContent-Length: 10\r\n\r\n"
            connection.sendall(head.encode() + b"half")

        for _ in range(CONNECTIONS):
            hold()
        wait_until(lambda: front.call("/v1/live", sender=sender).status == 429, "one connection too many")
        assert front.call("/v1/live", sender="127.0.0.8").status == 200


FEW_CALLS = {
    "allow 10.0.0.0/8;": "allow 127.0.0.0/24;",
    "foredraw_token_connections 256;": "foredraw_token_connections 3;",
    "foredraw_engine_connections 256;": "foredraw_engine_connections 3;",
}


def test_calls_at_a_time_are_limited_by_address_and_by_token(
    service: RunningService, certificate: Certificate, tmp_path: Path
) -> None:
    """At the engines' server: an address with many tokens and a token at many addresses; others are answered."""
    with opened(service.settings) as inside:
        names = ("five", "six", "seven", "eight")
        tokens = [create_token(inside.database, inside.clock, name, Role.ENGINE, ["*"]) for name in names]
    addresses = [f"127.0.0.{number}" for number in range(20, 24)]

    def refuses(front: WebServer, sender: str, token: str) -> bool:
        headers = {"Authorization": f"Bearer {token}"}
        answer = front.call("/v1/engine/tables", sender=sender, port=front.ports.engines, headers=headers)
        if answer.status == 429:
            check_refused(answer)
        return answer.status == 429

    def hold(front: WebServer, sender: str, token: str, stack: ExitStack) -> None:
        connection = stack.enter_context(front.connect(sender, port=front.ports.engines))
        head = f"Host: localhost\r\nAuthorization: Bearer {token}\r\nContent-Length: 10\r\n"
        connection.sendall(f"POST /v1/nothing HTTP/1.1\r\n{head}\r\nhalf".encode())

    def refuses_while(front: WebServer, held: list[tuple[str, str]], refused: tuple[str, str]) -> bool:
        # Again for each try: nginx gives a body only so much time.
        with ExitStack() as stack:
            for sender, token in held:
                hold(front, sender, token, stack)
            if not refuses(front, *refused):
                return False
            assert not refuses(front, addresses[3], tokens[3])
            return True

    for held, refused in (
        ([(addresses[0], token) for token in tokens[:3]], (addresses[0], tokens[3])),
        ([(address, tokens[0]) for address in addresses[:3]], (addresses[3], tokens[0])),
    ):
        with web_server("nginx", tmp_path / refused[0], certificate, ports_of(service), FEW_CALLS) as front:
            wait_until(lambda: refuses_while(front, held, refused), "one call too many")  # noqa: B023 -- it is asked before the next turn


@pytest.mark.nightly("halts a service until nginx gives up")
def test_a_service_that_hung_is_asked_again(certificate: Certificate, tmp_path: Path) -> None:
    """Engines and the public are told what to do; and the only machine is never left out."""
    with (
        running_service(tmp_path / "data", {"keno-1": "keno-express"}) as service,
        web_server("nginx", tmp_path / "nginx", certificate, ports_of(service)) as front,
    ):
        paths = {front.port: "/v1/tables", front.ports.engines: "/v1/engine/tables"}

        def answers() -> list[Answer]:
            return [front.call(path, port=port, headers=service.bearer) for port, path in paths.items()]

        with service.halted():
            found = answers()
        assert [(answer.status, answer.document["code"]) for answer in found] == [(504, "repeat-same-body")] * 2
        assert [answer.headers.get("Access-Control-Allow-Origin") for answer in found] == ["*", None]
        assert [answer.status for answer in answers()] == [200, 200]


@pytest.mark.parametrize("file", ["public.conf", "engines.conf"])
def test_what_nginx_answers_itself_is_published(file: str) -> None:
    """Its problem documents have the codes that docs/http.md and the OpenAPI description list, with their
    statuses.
    """
    text = (NGINX / file).read_text("utf-8")
    documents = {status: json.loads(document) for status, document in re.findall(r"return (\d+) '(\{.*\})';", text)}
    assert {each["code"]: each["status"] for each in documents.values()} == OF_THE_WEB_SERVER
    for status, document in documents.items():
        assert document["status"] == int(status)
        assert document["type"] == f"urn:foredraw:problem:{document['code']}"
    assert {str(document["retry_after"]) for document in documents.values()} == set(
        re.findall(r"add_header Retry-After (\d+) always;", text)
    )


SLOW = {
    "half a head": b"GET / HTTP/1.1\r\nHost: localhost\r\nX-Half: ",
    "half a body": b"POST /ops/login HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\nhalf",
    "a chunk that never ends": b"POST /ops/login HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\nff\r\n",
    "nothing": b"",
    "one request, and silence": b"GET /v1/live HTTP/1.1\r\nHost: localhost\r\n\r\n",
    "many requests whose answers nobody takes": b"GET /verify.html HTTP/1.1\r\nHost: localhost\r\n\r\n" * 90,
}
IMPATIENT = {
    "nginx": {
        "client_header_timeout 10s": "client_header_timeout 1s",
        "client_body_timeout 10s": "client_body_timeout 1s",
        "send_timeout 10s": "send_timeout 1s",
        "keepalive_timeout 30s": "keepalive_timeout 1s",
    },
    "caddy": {
        "read_header 10s": "read_header 1s",
        "read_body 10s": "read_body 1s",
        "write 60s": "write 2s",
        "idle 30s": "idle 1s",
    },
}


@pytest.mark.parametrize("program", PROGRAMS)
def test_who_is_slow_is_cut_off(
    program: str, service: RunningService, certificate: Certificate, tmp_path: Path
) -> None:
    """While sending head or body, between two requests, and while reading answers; here after one second instead of
    ten.
    """
    with (
        web_server(program, tmp_path / program, certificate, ports_of(service), IMPATIENT[program]) as front,
        ExitStack() as stack,
    ):
        slow = {what: stack.enter_context(front.connect(receive_buffer=4096)) for what in SLOW}
        for what, connection in slow.items():
            connection.sendall(SLOW[what])
        for what, connection in slow.items():
            wait_until(lambda: not front.is_connected(connection), f"{what} to be cut off")  # noqa: B023 -- it is asked before the next turn
        assert front.call("/v1/live").status == 200


TOO_LARGE = b"token=".ljust(LARGEST_BODY + 1, b"x")
LARGE_BODIES = {
    "announced": f"Content-Length: {len(TOO_LARGE)}\r\n\r\n{TOO_LARGE.decode()}",
    "in chunks": f"Transfer-Encoding: chunked\r\n\r\n{len(TOO_LARGE):x}\r\n{TOO_LARGE.decode()}\r\n0\r\n\r\n",
}


@pytest.mark.parametrize("body", LARGE_BODIES.values(), ids=LARGE_BODIES)
def test_a_body_too_large_is_refused(front: WebServer, body: str) -> None:
    """With a complete answer, whatever length its sender announces; the largest allowed body reaches the service."""
    # The form of a browser: the service refuses any other before it reads the body, perhaps before the web server
    # does.
    form = {"Content-Type": "application/x-www-form-urlencoded", "Origin": front.origin}
    lines = "".join(f"{name}: {value}\r\n" for name, value in form.items())
    head = f"POST /ops/login HTTP/1.1\r\nHost: localhost:{front.port}\r\nConnection: close\r\n{lines}"
    answer = front.spoken(f"{head}{body}")
    assert answer.status == 413
    assert TOO_LARGE[:100] not in answer.data
    allowed = front.call("/ops/login", TOO_LARGE[:LARGEST_BODY], headers=form)
    assert allowed.status == 403
    assert b"Foredraw" in allowed.data
