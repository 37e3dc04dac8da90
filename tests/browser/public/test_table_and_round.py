"""The pages of a table and of a round while rounds are played."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from fairness.round.proof import RoundProof
from tests.support.browser.demo_service import PLAYED, VOID, add_tables
from tests.support.browser.visitor import Visitor
from tests.support.running_service import RunningService

_PICTURE = "[data-last] svg.picture"
_EMPTY_USES = """() => [...document.querySelectorAll("svg.picture use")]
    .filter(use => use.getBBox().width === 0 || use.getBBox().height === 0)
    .map(use => use.getAttribute("href"))"""
"""Symbols that are not drawn because they are on no sheet."""


@pytest.mark.lattice
@pytest.mark.parametrize("game", ["crash", "rocketon", "hi-lo", "sic-bo", "penalty", "keno-express", "blackjack"])
def test_a_played_round_appears(visitor: Visitor, service: RunningService, game: str) -> None:
    """Without a reload, as the last round's picture and first in the history, drawn as by the service; also where the
    feed has no outcome.
    """
    table = f"live-{game}"
    add_tables(service, {table: game})
    _lock(service, table, 1)
    service.act(table, 1, "reveal")
    page = visitor.visit(f"/tables/{table}")
    page.evaluate("window.same = true")
    expect(page.locator("[data-live]")).to_have_text("no round now")
    service.act(table, 2, "open")
    expect(page.locator("[data-live]")).to_have_text("Live")
    expect(page.locator("[data-now]")).to_contain_text("open for bets")
    _lock(service, table, 2)
    locked = {"crash": "in flight", "rocketon": "in flight", "blackjack": "in play"}
    expect(page.locator("[data-now]")).to_contain_text(locked.get(game, "bets are closed"))
    hands = {"dealt": {"player": [1, 3], "dealer": [2, 4]}}
    assert service.act(table, 2, "reveal", hands if game == "blackjack" else None).status == 200
    expect(page.locator("[data-last='2']")).to_be_visible()
    said = (
        ["The game says that it dealt like this. The order was fixed before the bets."] if game == "blackjack" else []
    )
    expect(page.locator("[data-last] > p:not(.outcome, .small)")).to_have_text(said)
    expect(page.locator("#history li").first).to_have_attribute("data-round", "2")
    expect(page.locator("[data-now]")).to_contain_text("Round 3")
    assert page.evaluate("window.same")
    assert page.evaluate(_EMPTY_USES) == []
    live = drawn(page)
    page.reload()
    assert drawn(page) == live


def _lock(service: RunningService, table: str, number: int) -> None:
    """Lock a round; of an order that is kept, the first five things are given."""
    if service.act(table, number, "lock").document.get("code") == "order-kept":
        assert service.act(table, number, "lock", {"keep_back": True}).status == 200
        assert service.act(table, number, "next", {"position": 1, "count": 5}).status == 200


@pytest.mark.nightly("waits for calls that are a second apart")
def test_an_older_answer_of_another_cache_is_left_out(visitor: Visitor, service: RunningService) -> None:
    """Time does not go backwards on a page; what is newer is shown again."""
    table, address = "live-caches", "/v1/tables/live-caches/live"
    add_tables(service, {table: "keno-express"})
    service.act(table, 1, "open")
    page = visitor.visit(f"/tables/{table}")
    expect(page.locator("[data-now]")).to_contain_text("open for bets")
    older = service.get(address).data.decode()
    service.act(table, 1, "lock")
    expect(page.locator("[data-now]")).to_contain_text("bets are closed")
    page.route(f"**{address}", lambda route: route.fulfill(body=older))
    for _ in range(2):
        with page.expect_response(f"**{address}"):
            pass
    expect(page.locator("[data-now]")).to_contain_text("bets are closed")
    expect(page.locator("[data-live]")).to_have_text("Live")
    page.unroute(f"**{address}")
    service.act(table, 1, "reveal")
    expect(page.locator("[data-last='1']")).to_be_visible()


@pytest.mark.nightly("waits for seconds to be counted")
def test_a_clock_that_jumps_changes_no_duration(visitor: Visitor, service: RunningService) -> None:
    """Somebody sets this device's clock two days ahead while the page is open: bets are not open "for 172,801 s"."""
    add_tables(service, {"live-clock": "keno-express"})
    service.act("live-clock", 1, "open")
    page = visitor.visit("/tables/live-clock")
    expect(page.locator("[data-now]")).to_contain_text("open for bets")
    page.evaluate("() => { const now = Date.now; Date.now = () => now() + 172800000 }")
    for _ in range(2):
        with page.expect_response("**/v1/tables/live-clock/live"):
            pass
    expect(page.locator("[data-now]")).to_contain_text(re.compile(r"for \d{1,2} s|\d{1,2} s"))
    expect(page.locator("[data-now]")).not_to_contain_text("172")


def drawn(page: Page) -> list[str]:
    """What a page shows of the last round and of its history."""
    places = [page.locator("[data-last]"), page.locator("#history li").first]
    return [re.sub(r"\s+", " ", place.inner_text()) for place in places] + [
        # The order of attributes does not matter.
        str(page.evaluate("""which => [...document.querySelectorAll(which)].map(each =>
            [each.tagName, [...each.attributes].map(one => one.name + "=" + one.value).sort()])""", selector))
        for selector in (f"{_PICTURE}, {_PICTURE} *", "#history li:first-child svg, #history li:first-child svg *")
    ]  # fmt: skip


def test_a_rounds_page_follows_the_round(visitor: Visitor, service: RunningService) -> None:
    """From open to played, without a reload."""
    add_tables(service, {"live-round": "hi-lo"})
    page = visitor.visit("/tables/live-round/rounds/1")
    expect(page.locator("h1 + .badge")).to_have_text("open for bets")
    service.act("live-round", 1, "lock")
    expect(page.locator("h1 + .badge")).to_have_text("bets are closed")
    revealed = service.act("live-round", 1, "reveal")
    expect(page.locator("h1 + .badge")).to_have_text("played")
    expect(page.locator("#code")).to_have_text(revealed.document["round_code"])
    expect(page.get_by_role("img", name=re.compile("red|black|Joker"))).to_be_visible()


def test_the_code_is_copied(visitor: Visitor, service: RunningService) -> None:
    """With one click, and the page confirms it."""
    page = visitor.visit(f"/tables/still-crash/rounds/{PLAYED}")
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.get_by_role("button", name="Copy the code").click()
    expect(page.get_by_role("status").filter(has_text="Copied.")).to_be_visible()
    code = service.get(f"/v1/tables/still-crash/rounds/{PLAYED}").document["round_code"]
    assert page.evaluate("navigator.clipboard.readText()") == code
    expect(page.get_by_role("link", name="Check this round")).to_have_attribute("href", f"/verify#{code}")


def test_the_proof_is_downloaded(visitor: Visitor, service: RunningService) -> None:
    """The file of the public call, under its name; the log may have grown meanwhile."""
    page = visitor.visit(f"/tables/still-crash/rounds/{PLAYED}")
    with page.expect_download() as downloading:
        page.get_by_role("link", name="Download the proof").click()
    assert downloading.value.suggested_filename == f"still-crash-round-{PLAYED}.proof"
    called = service.get(f"/v1/tables/still-crash/rounds/{PLAYED}/proof").data
    downloaded, again = RoundProof.parse(downloading.value.path().read_bytes()), RoundProof.parse(called)
    assert (downloaded.table_name, downloaded.number) == ("still-crash", PLAYED)
    assert downloaded.reveal is not None
    assert again.reveal is not None
    assert downloaded.reveal.data == again.reveal.data


def test_the_filter_works_without_javascript(visitor: Visitor) -> None:
    """By keyboard: only void rounds are shown, and the choice is kept."""
    page = visitor.visit("/tables/still-keno-express", javascript=False)
    page.get_by_label("Rounds").select_option("void")
    page.get_by_label("Outcome").press("Enter")
    expect(page.get_by_label("Rounds")).to_have_value("void")
    items = page.locator("#history li")
    expect(items).to_have_count(2)
    expect(items.last).to_contain_text(f"Round {VOID}")
    expect(items.last).to_contain_text("void")


@pytest.mark.parametrize("javascript", [True, False])
def test_a_bet_is_looked_up(visitor: Visitor, service: RunningService, *, javascript: bool) -> None:
    """Typed into the form or chosen from the examples, also without JavaScript."""
    dice = service.get(f"/v1/tables/still-sic-bo/rounds/{PLAYED}").document["outcome"]["dice"]
    page = visitor.visit(f"/tables/still-sic-bo/rounds/{PLAYED}", javascript=javascript)
    page.get_by_label("Bet", exact=True).fill(f"number {dice[0]}")
    page.get_by_label("Stake").fill("200")
    page.locator("#bet").get_by_role("button", name="Show").click()
    result = page.locator("#bet [role=status]")
    expect(result).to_contain_text("The bet wins.")
    expect(result.locator("dd").last).to_have_text(str(200 * (1 + dice.count(dice[0]))))
    expect(page.get_by_label("Bet", exact=True)).to_have_value(f"number {dice[0]}")
    page.locator("#bet").get_by_role("link", name="sum 10").click()
    expect(result).to_contain_text("A sum of 10")
    expect(page.get_by_label("Stake")).to_have_value("200")
    page.get_by_role("link", name="All bets of this table").click()
    expect(page.locator("#bets tbody tr").first).to_be_visible()


def test_a_rounds_page_says_why_nothing_goes_on(visitor: Visitor, service: RunningService) -> None:
    """Live and without JavaScript; when it goes on, the page says what it said before."""
    address, halt = "/tables/live-halted/rounds/1", "UPDATE tables SET halted = ? WHERE name = ?"
    add_tables(service, {"live-halted": "crash"})
    service.act("live-halted", 1, "lock")
    page = visitor.visit(address)
    expect(page.locator("h1 + .badge")).to_have_text("in flight")
    service.tamper(halt, "for a test", "live-halted")
    expect(page.locator("[data-why]")).to_contain_text("No round is played until the operator has found out why.")
    expect(page.locator("h1 + .badge")).to_have_text("halted")
    bare = visitor.visit(f"{address}?again", javascript=False)
    expect(bare.locator("[data-why]")).to_contain_text("No round is played until the operator has found out why.")
    expect(bare.locator("h1 + .badge")).to_have_text("halted")
    service.tamper(halt, None, "live-halted")
    expect(page.locator("[data-why]")).to_be_hidden()
    expect(page.locator("h1 + .badge")).to_have_text("in flight")
