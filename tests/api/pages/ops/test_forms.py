"""Only forms of our own pages, of this session, do anything."""

from __future__ import annotations

import pytest

from api.http.request_body import LARGEST_BODY
from tests.api.pages.ops.desk import COOKIE, DRAW, FLIGHT, HOME, Desk


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


def test_a_forms_token_does_not_widen_what_the_operators_token_may(desk: Desk) -> None:
    """There is no form for a table that is not the token's, and a forged one does nothing."""
    desk.sign_in(desk.token_for("aram", tables=[FLIGHT]))
    stolen = desk.form_token(f"/ops/tables/{FLIGHT}/close")
    answer = desk.post(f"/ops/tables/{DRAW}/close", {"form_token": stolen, "name": DRAW})
    assert answer.status_code == 403
    assert not desk.inside.is_closing(DRAW)
