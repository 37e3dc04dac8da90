"""The operator's page over HTTP: who gets access, who does not, and what it does."""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from api.access.sessions import LONGEST_IDLE
from api.access.tokens import ALL_TABLES, Role, create_token, revoke_token
from api.http.request_body import LARGEST_BODY
from api.journal.chain import entries
from api.operations.health import PARTS
from api.pages.ops import login as ops_login
from api.problems import Problem
from api.rounds.status import GIVEN_UP_GRACE_SECONDS
from api.server.app import create_app
from api.store import statements as sql
from api.world.signs import give_sign
from tests.support.in_process_service import VOID_REASON, InProcessService

DRAW, FLIGHT = "keno-1", "crash-1"
HOME = "http://localhost"
COOKIE = "foredraw-ops"


@dataclass
class Desk:
    """A service, and an operator's browser in front of it."""

    inside: InProcessService
    app: Flask
    browser: FlaskClient
    token: str

    def get(self, path: str, **headers: str) -> TestResponse:
        """Get a page."""
        return self.browser.get(path, headers=headers)

    def post(self, path: str, form: dict[str, str], **headers: str) -> TestResponse:
        """Send a form as a browser does, except for the given headers; an empty one is left out."""
        sent = {"Origin": HOME, "Sec-Fetch-Site": "same-origin"} | {
            name.replace("_", "-"): value for name, value in headers.items()
        }
        return self.browser.post(path, data=form, headers={name: value for name, value in sent.items() if value})

    def sign_in(self, token: str | None = None) -> TestResponse:
        """Send the token."""
        return self.post("/ops/login", {"token": self.token if token is None else token})

    def form_token(self, page: str, action: str | None = None) -> str:
        """The form token in the form on a page that is sent to ``action``, or to the page itself."""
        text = self.get(page).text
        (form,) = re.findall(rf'<form[^>]* action="{action or page}".*?</form>', text, re.DOTALL)
        (found,) = re.findall(r'name="form_token" value="([0-9a-f]{64})"', form)
        return str(found)

    def close(self, table: str, **headers: str) -> TestResponse:
        """Close a table with the form of its page."""
        path = f"/ops/tables/{table}/close"
        return self.post(path, {"form_token": self.form_token(path), "name": table}, **headers)

    def add_table(self, change: dict[str, str], **headers: str) -> TestResponse:
        """Send the form for a new table, with its first values except for the name, the game and these changes."""
        path = "/ops/tables/add"
        form = {
            "name": "new",
            "game": "crash",
            "lead": "",
            "timeout": "300",
            "bets": "optional",
            "rtp": "97.00",
            "cap": "10000.00",
        }
        return self.post(path, {**form, **change, "form_token": self.form_token(path)}, **headers)

    def token_for(self, name: str, role: Role = Role.OPERATOR, tables: list[str] | None = None) -> str:
        """A new token."""
        service = self.inside.service
        return create_token(service.database, service.clock, name, role, tables or [ALL_TABLES])

    @property
    def is_in(self) -> bool:
        """Whether the operator is signed in."""
        return self.get("/ops").status_code == 200


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> InProcessService:
    """A stopped service with two tables that can be played."""
    made = InProcessService.create(
        tmp_path_factory.mktemp("ops") / "data", tables=[(DRAW, "keno-express"), (FLIGHT, "crash")]
    )
    made.stop()
    return made


def give_signs_of_life(inside: InProcessService) -> None:
    """Give signs of life like the background program, which does not run here."""
    for part in PARTS:
        give_sign(inside.settings.sign_of_life(part), inside.service.timekeeper)


@pytest.fixture
def desk(prepared: InProcessService, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Desk]:
    """A running copy of that service, and an operator who is not signed in."""
    monkeypatch.setattr(ops_login, "FAILURE_SECONDS", 0.01)
    inside = prepared.copy(tmp_path / "data")
    inside.start()
    give_signs_of_life(inside)
    app = create_app(inside.service)
    made = Desk(inside, app, app.test_client(), "")
    made.token = made.token_for("ani")
    yield made
    inside.stop()


@pytest.fixture
def signed_in(desk: Desk) -> Desk:
    """The same with an operator who is signed in."""
    assert desk.sign_in().status_code == 303
    return desk


def cookie_of(answer: TestResponse) -> dict[str, str]:
    """The one cookie of an answer: its name, value and attributes."""
    (cookie,) = answer.headers.getlist("Set-Cookie")
    parts = [part.strip().partition("=") for part in cookie.split(";")]
    return {"name": parts[0][0], "value": parts[0][2]} | {name: value for name, _, value in parts[1:]}


def halt(inside: InProcessService, table: str, why: str) -> None:
    """Halt a table, as the sequencer does."""
    inside.service.database.write(lambda connection: sql.SET_HALTED.run(connection, where_name=table, new_halted=why))


# Getting in


def test_whoever_is_not_signed_in_is_asked_to(desk: Desk) -> None:
    """At every address of the operator's pages; and nothing else happens."""
    paths = ("/ops", "/ops/live", "/ops/tables/add", f"/ops/tables/{DRAW}/close", "/ops/tables/nowhere/close")
    for path in paths:
        answer = desk.get(path)
        assert (answer.status_code, answer.headers["Location"]) == (303, "/ops/login")
    for path in (*paths[2:], "/ops/logout"):
        answer = desk.post(path, {"name": DRAW})
        assert (answer.status_code, answer.headers["Location"]) == (303, "/ops/login")
    assert not desk.inside.is_closing(DRAW)


def test_a_session_begins_with_an_operators_token(desk: Desk) -> None:
    """The cookie is only for this host and this browser, and contains nothing of the token."""
    answer = desk.sign_in()
    assert (answer.status_code, answer.headers["Location"]) == (303, "/ops")
    cookie = cookie_of(answer)
    value = cookie.pop("value")
    assert re.fullmatch("[0-9a-f]{64}", value)
    assert cookie == {"name": COOKIE, "HttpOnly": "", "Path": "/", "SameSite": "Strict"}
    assert desk.is_in
    assert desk.get("/ops/login").headers["Location"] == "/ops"


def test_behind_tls_the_cookie_is_secure(desk: Desk) -> None:
    """The browser's origin shows that it uses https."""
    headers = {"Host": "casino.example", "Origin": "https://casino.example"}
    cookie = cookie_of(desk.browser.post("/ops/login", data={"token": desk.token}, headers=headers))
    value = cookie.pop("value")
    assert cookie == {
        "name": "__Host-foredraw-ops",
        "HttpOnly": "",
        "Path": "/",
        "SameSite": "Strict",
        "Secure": "",
    }
    other = desk.app.test_client()
    other.set_cookie("__Host-foredraw-ops", value)
    assert other.get("/ops").status_code == 200


@pytest.mark.parametrize(
    "host", ["localhost:8000", "127.0.0.1:8000", "[::1]:8000", "localhost", "127.0.0.1", "[::1]"]
)
def test_on_the_machine_itself_no_tls_is_needed(desk: Desk, host: str) -> None:
    """Nothing leaves the machine."""
    headers = {"Host": host, "Origin": f"http://{host}"}
    assert desk.browser.post("/ops/login", data={"token": desk.token}, headers=headers).status_code == 303


@pytest.mark.parametrize("host", ["casino.example", "casino.example:8000", "10.0.0.7", "localhost.evil.example"])
def test_elsewhere_nobody_signs_in_without_tls(desk: Desk, host: str) -> None:
    """Somebody who tries is told that others may know the token now."""
    headers = {"Host": host, "Origin": f"http://{host}"}
    answer = desk.browser.post("/ops/login", data={"token": desk.token}, headers=headers)
    assert answer.status_code == 403
    assert "revoke it" in answer.text
    assert "Set-Cookie" not in answer.headers


@pytest.mark.parametrize(
    ("name", "words"),
    [("unknown", "unknown or revoked"), ("revoked", "unknown or revoked"), ("engine", "token of an engine")],
)
def test_other_tokens_are_refused(desk: Desk, name: str, words: str, caplog: pytest.LogCaptureFixture) -> None:
    """An unknown one, a revoked one, an engine's; neither the page nor the messages repeat them."""
    if name == "unknown":
        token = "fdt_" + "x" * 43
    else:
        token = desk.token_for(name, Role.ENGINE if name == "engine" else Role.OPERATOR)
    if name == "revoked":
        revoke_token(desk.inside.service.database, desk.inside.clock, name)
    answer = desk.sign_in(token)
    assert answer.status_code == 403
    assert words in answer.text
    assert "Set-Cookie" not in answer.headers
    assert not desk.is_in
    assert token not in answer.text
    assert token not in caplog.text
    assert "wrong token" in caplog.text


def test_wrong_tokens_are_slow_and_the_right_one_is_not(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each makes its sender wait, a few at a time; more are refused; meanwhile the operator can sign in."""
    monkeypatch.setattr(ops_login, "FAILURE_SECONDS", 1.0)

    def attempt(number: int) -> int:
        client = desk.app.test_client()
        return client.post("/ops/login", data={"token": f"guess {number}"}, headers={"Origin": HOME}).status_code

    with ThreadPoolExecutor(12) as threads:
        attempts = [threads.submit(attempt, number) for number in range(12)]
        assert desk.sign_in().status_code == 303
        statuses = sorted(found.result() for found in attempts)
    assert statuses == [403] * ops_login.FAILURES_AT_ONCE + [429] * (12 - ops_login.FAILURES_AT_ONCE)


@pytest.mark.parametrize("cookie", ["0" * 64, "", "x", "fdt_x", "../../etc", "%00", "\u0561"])
def test_a_forged_cookie_is_nobody(signed_in: Desk, cookie: str) -> None:
    """Nor is a token in a cookie, or a cookie with another last character."""
    client = signed_in.app.test_client()
    client.set_cookie(COOKIE, cookie)
    assert client.get("/ops").status_code == 303
    mine = signed_in.browser.get_cookie(COOKIE)
    assert mine is not None
    client.set_cookie(COOKIE, mine.value[:-1] + ("0" if mine.value[-1] != "0" else "1"))
    assert client.get("/ops").status_code == 303
    client.set_cookie(COOKIE, signed_in.token)
    assert client.get("/ops").status_code == 303


def test_a_token_in_a_header_is_no_session(desk: Desk) -> None:
    """The pages accept only the cookie and forms, so no other page's script can use them."""
    assert desk.get("/ops", Authorization=f"Bearer {desk.token}").status_code == 303


@pytest.mark.parametrize("path", ["/ops", "/ops/login", "/ops/tables/add"])
def test_a_token_in_an_address_is_refused(desk: Desk, path: str) -> None:
    """The answer says that the token must be revoked, and does not repeat it."""
    for name in ("token", "x"):
        answer = desk.get(f"{path}?{name}={desk.token}")
        assert answer.status_code == 400
        assert "revoke" in answer.text
        assert desk.token not in answer.text
    answer = desk.post(f"/ops/login?token={desk.token}", {"token": desk.token})
    assert answer.status_code == 400
    assert not desk.is_in


# Staying in


def test_a_revoked_token_ends_its_sessions_at_once(signed_in: Desk) -> None:
    """The next request is not signed in, and the next form does nothing."""
    path = f"/ops/tables/{DRAW}/close"
    form = {"form_token": signed_in.form_token(path), "name": DRAW}
    revoke_token(signed_in.inside.service.database, signed_in.inside.clock, "ani")
    assert signed_in.post(path, form).headers["Location"] == "/ops/login"
    assert not signed_in.is_in
    assert not signed_in.inside.is_closing(DRAW)


def test_an_expired_session_does_nothing(signed_in: Desk) -> None:
    """A form that was left open does nothing after the session's end."""
    path = f"/ops/tables/{DRAW}/close"
    form = {"form_token": signed_in.form_token(path), "name": DRAW}
    signed_in.inside.clock.step((LONGEST_IDLE + timedelta(seconds=1)).total_seconds())
    assert signed_in.post(path, form).headers["Location"] == "/ops/login"
    assert not signed_in.inside.is_closing(DRAW)


def test_a_page_that_looks_again_by_itself_keeps_nobody_signed_in(signed_in: Desk) -> None:
    """Only a click does."""
    for path, stays in (("/ops", True), ("/ops/live", False)):
        for _ in range(3):
            signed_in.inside.clock.step(LONGEST_IDLE.total_seconds() / 2)
            signed_in.get(path)
        assert signed_in.is_in == stays


def test_signing_out_ends_the_session_everywhere(signed_in: Desk) -> None:
    """Also for a copy of the cookie; only with the form of the page, not by a link."""
    cookie = signed_in.browser.get_cookie(COOKIE)
    assert cookie is not None
    assert signed_in.get("/ops/logout").status_code == 405
    form = {"form_token": signed_in.form_token("/ops", "/ops/logout")}
    answer = signed_in.post("/ops/logout", form)
    assert (answer.status_code, answer.headers["Location"]) == (303, "/ops/login")
    assert all("Max-Age=0" in cookie for cookie in answer.headers.getlist("Set-Cookie"))
    assert signed_in.browser.get_cookie(COOKIE) is None
    signed_in.browser.set_cookie(COOKIE, cookie.value)
    assert not signed_in.is_in


# Forms of others


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": ""},
        {"Origin": "null"},
        {"Origin": "http://evil.example"},
        {"Origin": "http://localhost.evil.example"},
        {"Origin": "http://localhost:81"},
        {"Origin": "localhost"},
        {"Origin": "ftp://localhost"},
        {"Origin": f"{HOME}, {HOME}"},
        {"Origin": f"{HOME}/"},
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
        {"Sec-Fetch-Site": "none"},
    ],
    ids=str,
)
def test_a_form_of_another_page_is_refused(signed_in: Desk, headers: dict[str, str]) -> None:
    """Even with the right form token; and another page cannot sign anybody in."""
    answer = signed_in.close(DRAW, **headers)
    assert answer.status_code == 403
    assert "Nothing was done" in answer.text
    assert not signed_in.inside.is_closing(DRAW)
    assert signed_in.post("/ops/login", {"token": signed_in.token}, **headers).status_code == 403


def test_a_form_token_is_of_one_session_and_one_form(signed_in: Desk) -> None:
    """It is refused in another session, after signing in again, or in another form."""
    path = f"/ops/tables/{DRAW}/close"
    first = signed_in.form_token(path)
    other_form = signed_in.form_token(f"/ops/tables/{FLIGHT}/close")
    signed_in.browser.delete_cookie(COOKIE)
    signed_in.sign_in()
    second = signed_in.form_token(path)
    assert first != second
    for token in (first, other_form, second[:-1], second + "0", second.upper(), "", "\u0561"):
        answer = signed_in.post(path, {"form_token": token, "name": DRAW})
        assert answer.status_code == 403
        assert "Nothing was done" in answer.text
    assert not signed_in.inside.is_closing(DRAW)
    assert signed_in.post(path, {"form_token": second, "name": DRAW}).status_code == 303


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"name=keno-1",
        b"form_token=TOKEN",
        b"form_token=TOKEN&name=keno-1&name=keno-1",
        b"form_token=TOKEN&name=keno-1&more=1",
        b"form_token=TOKEN&name=%ff",
        b"form_token=TOKEN&name=\xff",
        b"form_token=TOKEN&name=keno-1&" + b"&".join(b"x=1" for _ in range(100)),
        b'{"form_token":"TOKEN","name":"keno-1"}',
        b"form_token=TOKEN&name",
    ],
)
def test_another_form_is_refused(signed_in: Desk, body: bytes) -> None:
    """With missing, repeated or unknown fields, or something that is no form."""
    path = f"/ops/tables/{DRAW}/close"
    data = body.replace(b"TOKEN", signed_in.form_token(path).encode())
    headers = {"Origin": HOME, "Content-Type": "application/x-www-form-urlencoded"}
    answer = signed_in.browser.post(path, data=data, headers=headers)
    assert answer.status_code == 400
    assert not signed_in.inside.is_closing(DRAW)


@pytest.mark.parametrize("kind", ["multipart/form-data; boundary=x", "application/json", "text/plain", ""])
def test_another_kind_of_form_is_refused(signed_in: Desk, kind: str) -> None:
    """Only one content type is accepted."""
    path = f"/ops/tables/{DRAW}/close"
    data = f"form_token={signed_in.form_token(path)}&name={DRAW}"
    answer = signed_in.browser.post(path, data=data, headers={"Origin": HOME, "Content-Type": kind})
    assert answer.status_code == 400
    assert not signed_in.inside.is_closing(DRAW)


def test_a_huge_form_is_refused(desk: Desk) -> None:
    """Before it is parsed, signed in or not."""
    for size in (LARGEST_BODY + 1, 1_000_000):
        answer = desk.sign_in("x" * size)
        assert (answer.status_code, answer.mimetype) == (413, "text/html")
        assert "too large" in answer.text


# What it shows


def test_no_page_says_anything_of_a_round_that_is_not_over(signed_in: Desk) -> None:
    """Only its number and when it was locked; neither its outcome nor its seed, although the service has them."""
    inside = signed_in.inside
    inside.open(FLIGHT, 1)
    outcome: Any = inside.lock(FLIGHT, 1)
    text = "".join(signed_in.get(path).text for path in ("/ops", "/ops/live", f"/ops/tables/{FLIGHT}/close"))
    assert "round 1" in text
    # A style may have the same number as a size.
    assert outcome["multiplier"] not in re.sub(r"<style.*?</style>", "", text, flags=re.DOTALL)
    inside.reveal(FLIGHT, 1)
    with inside.service.database.read() as connection:
        ((seeds,),) = connection.rows("SELECT seeds FROM rounds", ())
    assert seeds.strip('[]"') not in text


def test_the_page_shows_how_things_are(signed_in: Desk) -> None:
    """Tables with their rounds, pace and lead; health; void rounds with their reasons, as text."""
    inside = signed_in.inside
    inside.clock.step(3600)
    give_signs_of_life(inside)
    signed_in.sign_in()
    for number in range(1, 6):
        inside.play(DRAW)
        inside.void(FLIGHT, number, '<script>alert("1")</script>')
    text = signed_in.get("/ops").text
    row = re.search(rf'<tr id="{DRAW}".*?</tr>', text, re.DOTALL)
    assert row is not None
    words = re.sub(r"<[^>]+>|\s+", " ", row[0]).split()
    assert words[:3] == [DRAW, "keno-express", "in"]
    ahead = inside.state(DRAW).committed_through - 5
    assert words[-7:] == ["1.0", str(ahead), str(ahead - 2), "min", "2", "Pause…", "Close…"]
    assert "All is well" in text
    assert "<script>alert" not in text
    assert "&lt;script&gt;alert(&#34;1&#34;)&lt;/script&gt;" in text


@pytest.mark.parametrize("language", ["en", "hy", "ru"])
def test_every_trouble_has_its_words(signed_in: Desk, language: str) -> None:
    """A silent background program, a round that hangs, a halted table, one that runs out of committed rounds."""
    inside = signed_in.inside
    for part in PARTS:
        inside.settings.sign_of_life(part).unlink()
    while inside.state(DRAW).committed_through - inside.state(DRAW).next_round >= 2:
        inside.play(DRAW)
    inside.open(FLIGHT, 1)
    inside.lock(FLIGHT, 1)
    inside.clock.step(3600)
    halt(inside, FLIGHT, "queue entry 7: outcome: expected 1, found 2")
    signed_in.browser.delete_cookie(COOKIE)
    signed_in.sign_in()
    text = signed_in.get("/ops", **{"Accept-Language": language}).text
    assert text.count("notice bad") == 5
    assert "queue entry 7: outcome" in text
    assert "found 2" not in text


@pytest.mark.parametrize("language", ["en", "hy", "ru"])
def test_the_clock_the_storage_and_the_beacon_have_their_words(desk: Desk, language: str) -> None:
    """A clock that has jumped ahead does not prevent signing in; storage failures are in the words of the messages."""
    inside = desk.inside
    inside.clock.set_date(400 * 86_400)
    give_sign(inside.settings.sign_of_life("sequencer"), inside.service.timekeeper, "the disk is full. Make room")
    give_sign(inside.settings.beacon_trouble, inside.service.timekeeper, "no relay answers")
    assert desk.sign_in().status_code == 303
    text = desk.get("/ops", **{"Accept-Language": language}).text
    assert text.count("notice bad") == 3
    assert "no relay answers." in text
    assert "400" in text
    assert "<code>foredraw clock confirm TIME</code>" in text
    assert "the disk is full. Make room." in text


def test_the_headers_of_an_operators_page(signed_in: Desk) -> None:
    """No cache keeps it, no other page frames it or gets it as referrer, and no search engine lists it."""
    for path in ("/ops", "/ops/live", "/ops/login", "/ops/tables/add", f"/ops/tables/{DRAW}/close", "/ops?t=fdt_"):
        headers = signed_in.get(path).headers
        assert headers["Cache-Control"] == "no-store"
        assert headers["Referrer-Policy"] == "same-origin"
        assert headers["X-Robots-Tag"] == "noindex"
        assert "Access-Control-Allow-Origin" not in headers
        if path != "/ops/login":
            assert "frame-ancestors 'none'" in headers["Content-Security-Policy"]
            assert headers["X-Frame-Options"] == "DENY"


# What it does


def test_a_table_is_closed(signed_in: Desk, caplog: pytest.LogCaptureFixture) -> None:
    """The page says what it means for the current rounds, and the keeper does the rest; a message says who did it."""
    inside = signed_in.inside
    inside.open(DRAW, 1)
    page = signed_in.get(f"/ops/tables/{DRAW}/close").text
    assert "Round 1 is open. It is given up" in page
    answer = signed_in.close(DRAW)
    assert (answer.status_code, answer.headers["Location"]) == (303, f"/ops#{DRAW}")
    assert "the operator ani closes the table keno-1" in caplog.text
    assert "closing" in signed_in.get("/ops").text
    inside.settle()
    inside.clock.step(GIVEN_UP_GRACE_SECONDS + 1)
    inside.settle()
    assert inside.state(DRAW).closed
    assert inside.status(DRAW, 1) == "void"
    assert "closed already" in signed_in.get(f"/ops/tables/{DRAW}/close").text
    assert "table closed" in signed_in.get("/ops").text


def test_a_table_is_not_closed_by_another_name(signed_in: Desk) -> None:
    """Nor without a name."""
    path = f"/ops/tables/{DRAW}/close"
    for name in (FLIGHT, "", "KENO-1"):
        answer = signed_in.post(path, {"form_token": signed_in.form_token(path), "name": name})
        assert answer.status_code == 400
        assert "not closed" in answer.text
    assert not signed_in.inside.is_closing(DRAW)


def test_a_table_that_there_is_not(signed_in: Desk) -> None:
    """It cannot be closed."""
    assert signed_in.get("/ops/tables/nowhere/close").status_code == 404


def test_a_halted_table_is_not_closed(signed_in: Desk) -> None:
    """As with the operator's program, the fault must be repaired first."""
    path = f"/ops/tables/{DRAW}/close"
    form = {"form_token": signed_in.form_token(path), "name": DRAW}
    halt(signed_in.inside, DRAW, "queue entry 7: outcome: expected 1, found 2")
    assert "halted" in signed_in.get(path).text
    answer = signed_in.post(path, form)
    assert (answer.status_code, answer.mimetype) == (503, "text/html")
    assert not signed_in.inside.is_closing(DRAW)


def test_a_table_is_added(signed_in: Desk, caplog: pytest.LogCaptureFixture) -> None:
    """With all options of the operator's program; it can be played a moment later."""
    form = {
        "name": "crash-vip",
        "game": "crash",
        "lead": "20",
        "timeout": "600",
        "bets": "required",
        "rtp": "96.5",
        "cap": "5000",
    }
    answer = signed_in.add_table(form)
    assert (answer.status_code, answer.headers["Location"]) == (303, "/ops#crash-vip")
    assert "the operator ani added the table crash-vip" in caplog.text
    signed_in.inside.settle()
    signed_in.inside.play("crash-vip")
    state = signed_in.inside.state("crash-vip")
    assert (state.game, state.lead, state.batches[0].rules) == (
        "crash",
        20,
        {"cap": 500_000, "rtp": 9650, "version": 1},
    )
    with signed_in.inside.service.database.read() as connection:
        row = sql.ONE_TABLE.one(connection, name="crash-vip")
    assert row.timeout == 600


@pytest.mark.parametrize("game", ["rocketon", "hi-lo", "sic-bo", "penalty", "keno-express"])
def test_a_table_of_each_game_is_added_as_it_stands(signed_in: Desk, game: str) -> None:
    """A name and a game are enough."""
    assert signed_in.add_table({"game": game}).status_code == 303
    signed_in.inside.settle()
    signed_in.inside.play("new")


@pytest.mark.parametrize(
    "change",
    [
        {"name": DRAW},
        {"name": "No"},
        {"name": ""},
        {"name": '"><script>alert(1)</script>'},
        {"game": "pokr"},
        {"lead": "9"},
        {"lead": "1001"},
        {"lead": "1e3"},
        {"lead": "999999999"},
        {"timeout": "0"},
        {"timeout": ""},
        {"timeout": "-1"},
        {"timeout": "١٢"},
        {"rtp": "100.01"},
        {"rtp": "0"},
        {"rtp": "97.001"},
        {"cap": "1.00"},
        {"cap": "0x10"},
    ],
    ids=str,
)
def test_a_table_that_cannot_be_is_not_added(signed_in: Desk, change: dict[str, str]) -> None:
    """The form is shown again with its input as text, and says why."""
    answer = signed_in.add_table(change)
    assert answer.status_code == 400
    assert "No table was added." in answer.text
    assert "<script>" not in answer.text
    assert sorted(signed_in.inside.states()) == sorted([DRAW, FLIGHT])


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"name": DRAW}, "имена никогда не используются повторно"),
        ({"name": "No"}, "от 1 до 32 знаков"),
        ({"game": "pokr"}, "Такой игры нет"),
        ({"lead": "9"}, "не больше 1000"),
        ({"timeout": "0"}, "Тайм-аут — от 1 до"),
        ({"rtp": "0"}, "не больше 100 процентов"),
    ],
    ids=str,
)
def test_why_a_table_is_not_added_is_said_in_the_operators_language(
    signed_in: Desk, change: dict[str, str], words: str
) -> None:
    """Whether the form, the service, or replay refuses it."""
    answer = signed_in.add_table(change, Accept_Language="ru")
    (told,) = re.findall(r'role="alert">(.*?)</p>', answer.text)
    assert words in told


# Pausing


def answered(desk: Desk, path: str, reason: str = "a wheel is stuck", **headers: str) -> TestResponse:
    """Send the form of such a page."""
    return desk.post(path, {"form_token": desk.form_token(path), "reason": reason}, **headers)


def test_a_table_is_paused_and_goes_on(signed_in: Desk, caplog: pytest.LogCaptureFixture) -> None:
    """An open round goes on; the journal has who and why, and a message who."""
    inside, path = signed_in.inside, f"/ops/tables/{FLIGHT}"
    inside.open(FLIGHT, 1)
    assert f'id="pause-{FLIGHT}"' in signed_in.get("/ops").text
    answer = answered(signed_in, f"{path}/pause")
    assert (answer.status_code, answer.headers["Location"]) == (303, f"/ops#{FLIGHT}")
    text = signed_in.get("/ops").text
    assert f'id="resume-{FLIGHT}"' in text
    assert f'id="pause-{DRAW}"' in text
    inside.lock(FLIGHT, 1)
    with pytest.raises(Problem, match="paused"):
        inside.open(FLIGHT, 2)
    assert answered(signed_in, f"{path}/resume", "repaired").status_code == 303
    inside.open(FLIGHT, 2)
    noted = [(row.who, row.act, row.subject, row.reason) for row in entries(inside.service.database)][-2:]
    assert noted == [
        ("operator ani", "table-pause", FLIGHT, "a wheel is stuck"),
        ("operator ani", "table-resume", FLIGHT, "repaired"),
    ]
    assert "the operator ani paused the table crash-1" in caplog.text


def test_all_tables_are_halted_and_go_on(signed_in: Desk) -> None:
    """One that was paused by itself stays paused."""
    inside = signed_in.inside
    answered(signed_in, f"/ops/tables/{DRAW}/pause")
    assert answered(signed_in, "/ops/halt").status_code == 303
    text = signed_in.get("/ops").text
    assert ('id="halt-all"' in text, 'id="resume-all"' in text) == (False, True)
    for table in (DRAW, FLIGHT):
        with pytest.raises(Problem, match="paused"):
            inside.open(table, 1)
    assert answered(signed_in, "/ops/resume").status_code == 303
    inside.open(FLIGHT, 1)
    with pytest.raises(Problem, match="paused"):
        inside.open(DRAW, 1)
    noted = [(row.who, row.act, row.reason) for row in entries(inside.service.database)][-2:]
    assert noted == [("operator ani", "halt", "a wheel is stuck"), ("operator ani", "resume", "a wheel is stuck")]


@pytest.mark.parametrize(
    ("path", "words"),
    [
        ("/ops/halt", "All tables are already halted."),
        ("/ops/resume", "This is so already."),
        (f"/ops/tables/{DRAW}/pause", "This is so already."),
        (f"/ops/tables/{DRAW}/resume", "This is so already."),
    ],
)
def test_what_is_so_already_is_not_reported_as_done(
    signed_in: Desk, caplog: pytest.LogCaptureFixture, path: str, words: str
) -> None:
    """The operator reads that nothing happened, and no message says that something did."""
    if not path.endswith("resume"):
        assert answered(signed_in, path).status_code == 303
    caplog.clear()
    before = len(list(entries(signed_in.inside.service.database)))
    answer = answered(signed_in, path, "another reason")
    assert (answer.status_code, words in answer.text) == (400, True)
    assert "the operator ani" not in caplog.text
    assert len(list(entries(signed_in.inside.service.database))) == before


@pytest.mark.parametrize(
    "path", [f"/ops/tables/{DRAW}/pause", f"/ops/tables/{DRAW}/resume", "/ops/halt", "/ops/resume"]
)
def test_nothing_is_paused_without_a_reason_or_from_another_page(signed_in: Desk, path: str) -> None:
    """Nor with one that is too long, or with the token of another form."""
    before = len(list(entries(signed_in.inside.service.database)))
    for reason in ("", "  ", "x" * 201, "two\nlines"):
        answer = answered(signed_in, path, reason)
        assert (answer.status_code, "1 to 200 characters" in answer.text) == (400, True)
    assert answered(signed_in, path, Origin="https://evil.example").status_code == 403
    other = {"form_token": signed_in.form_token(f"/ops/tables/{FLIGHT}/pause"), "reason": "why not"}
    assert signed_in.post(path, other).status_code == 403
    assert len(list(entries(signed_in.inside.service.database))) == before


def test_a_closed_table_and_one_that_there_is_not_are_not_paused(signed_in: Desk) -> None:
    """The page says why."""
    assert signed_in.get("/ops/tables/nowhere/pause").status_code == 404
    signed_in.close(DRAW)
    answer = answered(signed_in, f"/ops/tables/{DRAW}/pause")
    assert (answer.status_code, "takes no more rounds" in answer.text) == (400, True)


def test_a_token_for_some_tables_pauses_those_only(desk: Desk) -> None:
    """It halts nothing, and another table's page is refused."""
    desk.sign_in(desk.token_for("aram", tables=[FLIGHT]))
    assert "/ops/halt" not in desk.get("/ops").text
    for path in (f"/ops/tables/{DRAW}/pause", "/ops/halt", "/ops/resume"):
        assert desk.get(path).status_code == 403
    assert answered(desk, f"/ops/tables/{FLIGHT}/pause").status_code == 303


# What a token is for


def test_a_token_for_some_tables_closes_those_only(desk: Desk) -> None:
    """It adds none; it sees all tables, because everything shown is public or about the service."""
    desk.sign_in(desk.token_for("aram", tables=[FLIGHT]))
    text = desk.get("/ops").text
    assert f'id="close-{FLIGHT}"' in text
    assert f'id="close-{DRAW}"' not in text
    assert "/ops/tables/add" not in text
    assert desk.get("/ops/tables/add").status_code == 403
    assert desk.get(f"/ops/tables/{DRAW}/close").status_code == 403
    assert desk.close(FLIGHT).status_code == 303
    assert desk.inside.is_closing(FLIGHT)


def test_a_forms_token_does_not_widen_what_the_operators_token_may(desk: Desk) -> None:
    """There is no form for a table that is not the token's, and a forged one does nothing."""
    desk.sign_in(desk.token_for("aram", tables=[FLIGHT]))
    stolen = desk.form_token(f"/ops/tables/{FLIGHT}/close")
    answer = desk.post(f"/ops/tables/{DRAW}/close", {"form_token": stolen, "name": DRAW})
    assert answer.status_code == 403
    assert not desk.inside.is_closing(DRAW)


def test_nothing_secret_is_in_a_page_or_a_message(desk: Desk, caplog: pytest.LogCaptureFixture) -> None:
    """No token, no cookie, whatever goes wrong."""
    caplog.set_level(logging.DEBUG)
    desk.sign_in("fdt_wrong")
    desk.sign_in()
    desk.inside.void(DRAW, 1, VOID_REASON)
    cookie = desk.browser.get_cookie(COOKIE)
    assert cookie is not None
    texts = [desk.get(path).text for path in ("/ops", "/ops/tables/add", f"/ops/tables/{DRAW}/close", "/nowhere")]
    texts += [desk.close(DRAW, Origin="null").text, desk.close(DRAW).text, caplog.text]
    for text in texts:
        assert desk.token not in text
        assert cookie.value not in text
