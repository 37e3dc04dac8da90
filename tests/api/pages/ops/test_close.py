"""A table is closed."""

from __future__ import annotations

import pytest

from api.rounds.status import GIVEN_UP_GRACE_SECONDS
from tests.api.pages.ops.desk import DRAW, FLIGHT, Desk, halt


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
    assert (answer.status_code, answer.mimetype) == (409, "text/html")
    assert not signed_in.inside.is_closing(DRAW)


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
