"""Who is let in, and how a session ends."""

from __future__ import annotations

import re
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from threading import Event
from types import SimpleNamespace

import pytest
from werkzeug.test import TestResponse

from api.access.sessions import LONGEST_IDLE
from api.access.tokens import Role, revoke_token
from api.pages.ops import login as ops_login
from tests.api.pages.ops.desk import COOKIE, DRAW, HOME, Desk
from tests.support.running_service import PATIENCE_SECONDS, wait_until
from tests.support.tokens import UNKNOWN

pytestmark = pytest.mark.both_databases("sessions are found by statements of their own")


def cookie_of(answer: TestResponse) -> dict[str, str]:
    """The one cookie of an answer: its name, value and attributes."""
    (cookie,) = answer.headers.getlist("Set-Cookie")
    parts = [part.strip().partition("=") for part in cookie.split(";")]
    return {"name": parts[0][0], "value": parts[0][2]} | {name: value for name, _, value in parts[1:]}


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
    role = Role.ENGINE if name == "engine" else Role.OPERATOR
    token = UNKNOWN if name == "unknown" else desk.token_for(name, role)
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
    waits, over = list[float](), Event()

    def wait(seconds: float) -> None:
        waits.append(seconds)
        assert over.wait(PATIENCE_SECONDS)

    monkeypatch.setattr(ops_login, "time", SimpleNamespace(sleep=wait))

    def attempt(number: int) -> int:
        client = desk.app.test_client()
        return client.post("/ops/login", data={"token": f"guess {number}"}, headers={"Origin": HOME}).status_code

    with ThreadPoolExecutor(12) as threads:
        attempts = [threads.submit(attempt, number) for number in range(12)]
        refused = 12 - ops_login.FAILURES_AT_ONCE
        try:
            wait_until(
                lambda: sum(each.done() for each in attempts) == refused, "those who do not wait to be refused"
            )
            assert desk.sign_in().status_code == 303
        finally:
            over.set()
        statuses = sorted(found.result() for found in attempts)
    assert waits == [ops_login.FAILURE_SECONDS] * ops_login.FAILURES_AT_ONCE
    assert statuses == [403] * ops_login.FAILURES_AT_ONCE + [429] * refused


@pytest.mark.parametrize("cookie", ["0" * 64, "", "x", "fdo_x", "../../etc", "%00", "\u0561"])
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
