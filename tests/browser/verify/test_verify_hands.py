"""What was dealt in a round in which players decided: the service's word, which comes after the verdict."""

from __future__ import annotations

import re
from typing import Any

import pytest
from playwright.sync_api import Page, Request, expect

from tests.support.browser.checking import FIXED, choose, headline
from tests.support.browser.demo_service import DEALT_TABLE, PLAYED
from tests.support.browser.visitor import LANGUAGES, NARROWEST, Visitor
from tests.support.browser.watched import NOTE_SHIFTS, hold
from tests.support.running_service import RunningService

ROUND = re.compile(rf"/v1/tables/{DEALT_TABLE}/rounds/{PLAYED}$")
BEGINS = "The order begins like this."
GIVEN = "The service says that these cards were given, in this order: 5."


def dealt_round(service: RunningService) -> dict[str, Any]:
    """The service's answer, but for the hands that its engine named."""
    found: dict[str, Any] = service.get(f"/v1/tables/{DEALT_TABLE}/rounds/{PLAYED}").document
    return {name: value for name, value in found.items() if name != "dealt"}


def cards_of(round_: dict[str, Any]) -> list[str]:
    """The cards of the order as pages write them."""
    return str(round_["outcome"]["cards"]).translate(str.maketrans("cdhs", "♣♦♥♠")).replace("T", "10").split()


def shown(page: Page) -> str:
    """The cards in the verdict's picture."""
    return page.locator(".outcome-shown svg").get_attribute("aria-label") or ""


@pytest.mark.lattice
@pytest.mark.parametrize("language", LANGUAGES)
def test_the_hand_comes_after_the_verdict_and_moves_nothing(
    visitor: Visitor, service: RunningService, language: str
) -> None:
    """Before, the verdict shows how the order begins."""
    round_ = dealt_round(service)
    page = visitor.visit(width=NARROWEST, language=language)
    page.add_init_script(NOTE_SHIFTS)
    held = hold(page, ROUND)
    with page.expect_request(ROUND):
        page.goto(f"/verify#{round_['round_code']}")
    headline(page)
    assert shown(page) == " ".join(cards_of(round_)[:8])
    before = page.locator("figcaption").inner_text()
    (asked,) = held
    asked.fulfill(json=round_)
    expect(page.locator(f'.outcome-shown svg[aria-label="{" ".join(cards_of(round_)[:5])}"]')).to_be_visible()
    after = page.locator("figcaption").inner_text()
    assert (before, after) == (BEGINS, GIVEN) or language != "en"
    assert before != after
    assert page.evaluate("new Promise((drawn) => requestAnimationFrame(() => setTimeout(() => drawn(shifted))))") == 0


def test_hands_that_the_game_named_have_their_names(visitor: Visitor, service: RunningService) -> None:
    """It is the game's word, and shown as that."""
    round_ = dealt_round(service)
    page = visitor.visit(width=NARROWEST)
    dealt = {"dealer": [2, 4], "player": [1, 3, 5]}
    page.route(ROUND, lambda route: route.fulfill(json=round_ | {"dealt": dealt}))
    page.goto(f"/verify#{round_['round_code']}")
    expect(page.locator("figcaption")).to_have_text("The game says that it dealt like this.")
    first, second, third, fourth, fifth, *_ = cards_of(round_)
    assert shown(page) == f"player {first} {third} {fifth}, dealer {second} {fourth}"


@pytest.mark.parametrize(
    "said", [{"table_id": "0" * 64}, {"given": 500}, {"given": None, "dealt": {"player": [300]}}]
)
def test_what_cannot_be_so_is_passed_over(visitor: Visitor, service: RunningService, said: dict[str, Any]) -> None:
    """The order is proven: whatever else is said leaves it as it is."""
    round_ = dealt_round(service)
    page = visitor.visit(width=NARROWEST)
    page.route(ROUND, lambda route: route.fulfill(json=round_ | said))
    with page.expect_response(ROUND):
        page.goto(f"/verify#{round_['round_code']}")
    headline(page)
    expect(page.locator("figcaption")).to_have_text(BEGINS)
    assert shown(page) == " ".join(cards_of(round_)[:8])


@pytest.mark.parametrize("body", ["null", "[]", '"no"', "<!doctype html>"])
def test_what_is_no_round_leaves_the_verdict(visitor: Visitor, service: RunningService, body: str) -> None:
    """Whatever answers in the place of the service: the verdict does not need it."""
    round_ = dealt_round(service)
    page = visitor.visit(width=NARROWEST)
    page.route(ROUND, lambda route: route.fulfill(body=body, content_type="application/json"))
    with page.expect_response(ROUND):
        page.goto(f"/verify#{round_['round_code']}")
    assert headline(page) == FIXED["en"]
    page.evaluate("new Promise((drawn) => requestAnimationFrame(() => setTimeout(drawn)))")
    expect(page.locator("figcaption")).to_have_text(BEGINS)
    expect(page.locator("#fault")).to_be_hidden()


def test_of_a_file_nobody_is_asked(visitor: Visitor, service: RunningService) -> None:
    """It may be of another log."""
    round_ = dealt_round(service)
    asked: list[Request] = []
    page = visitor.visit("/verify", width=NARROWEST)
    page.on("request", lambda request: asked.append(request) if ROUND.search(request.url) else None)
    choose(page, service.get(f"/v1/proofs/{round_['table_id']}/{PLAYED}").data)
    headline(page)
    expect(page.locator("figcaption")).to_have_text(BEGINS)
    assert asked == []
