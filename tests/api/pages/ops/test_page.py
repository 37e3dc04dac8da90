"""What the page shows, and what none of them does."""

from __future__ import annotations

import logging
import re
from typing import Any

import pytest

from api.operations.health import PARTS
from api.world.statuses import write_status
from tests.api.pages.ops.desk import COOKIE, DRAW, FLIGHT, Desk, give_signs_of_life, halt
from tests.support.in_process_service import VOID_REASON
from tests.support.tokens import UNKNOWN


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
        inside.settings.heartbeat_of(part).unlink()
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
    """A clock that has jumped ahead does not prevent signing in; storage failures are in the words of the
    messages.
    """
    inside = desk.inside
    inside.clock.set_date(400 * 86_400)
    write_status(inside.settings.heartbeat_of("sequencer"), inside.service.timekeeper, "the disk is full. Make room")
    write_status(inside.settings.beacon_trouble, inside.service.timekeeper, "no relay answers")
    assert desk.sign_in().status_code == 303
    text = desk.get("/ops", **{"Accept-Language": language}).text
    assert text.count("notice bad") == 3
    assert "no relay answers." in text
    assert "400" in text
    assert "<code>foredraw clock confirm TIME</code>" in text
    assert "the disk is full. Make room." in text


def test_the_headers_of_an_operators_page(signed_in: Desk) -> None:
    """No cache keeps it, no other page frames it or gets it as referrer, and no search engine lists it."""
    for path in ("/ops", "/ops/live", "/ops/login", "/ops/tables/add", f"/ops/tables/{DRAW}/close", "/ops?t=fdo_"):
        headers = signed_in.get(path).headers
        assert headers["Cache-Control"] == "no-store"
        assert headers["Referrer-Policy"] == "same-origin"
        assert headers["X-Robots-Tag"] == "noindex"
        assert "Access-Control-Allow-Origin" not in headers
        if path != "/ops/login":
            assert "frame-ancestors 'none'" in headers["Content-Security-Policy"]
            assert headers["X-Frame-Options"] == "DENY"


def test_nothing_secret_is_in_a_page_or_a_message(desk: Desk, caplog: pytest.LogCaptureFixture) -> None:
    """No token, no cookie, whatever goes wrong."""
    caplog.set_level(logging.DEBUG)
    desk.sign_in(UNKNOWN)
    desk.sign_in()
    desk.inside.void(DRAW, 1, VOID_REASON)
    cookie = desk.browser.get_cookie(COOKIE)
    assert cookie is not None
    texts = [desk.get(path).text for path in ("/ops", "/ops/tables/add", f"/ops/tables/{DRAW}/close", "/nowhere")]
    texts += [desk.close(DRAW, Origin="null").text, desk.close(DRAW).text, caplog.text]
    for text in texts:
        assert desk.token not in text
        assert cookie.value not in text
