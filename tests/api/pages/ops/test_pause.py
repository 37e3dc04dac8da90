"""Tables are paused, one by one or all at once, and go on."""

from __future__ import annotations

import pytest
from werkzeug.test import TestResponse

from api.journal.chain import entries
from api.problems import Problem
from tests.api.pages.ops.desk import DRAW, FLIGHT, Desk


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
