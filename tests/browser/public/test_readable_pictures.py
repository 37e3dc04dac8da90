"""On the narrowest phone, each picture of each game is large enough to be read; or words stand in its place."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

import pytest
from playwright.sync_api import Browser

from api.pages.files.assets import STATIC
from api.pages.pictures import looks_of, picture
from api.pages.pictures.looks import Looks
from api.pages.pictures.shapes import SHEET
from tests.support.browser.visitor import NARROWEST
from tests.support.drawn import DECLARED, OUTCOMES, OWN, SHARED, Declared, drawn_outcomes, english

LETTERS, SUITS, DICE, HIGHEST = 10, 10, 20, 182
"""The smallest letters, marks of suits, and dice, and the highest large picture, in CSS pixels."""
STYLES = "".join((STATIC / f"{name}.css").read_text("utf-8") for name in ("foredraw", "home", "table", "pictures"))
MEASURED = """
() => Array.from(document.querySelectorAll("[data-game] svg.picture"), (drawn) => {
  const scale = drawn.getScreenCTM().a;
  const sizes = (name, selector) => Array.from(drawn.querySelectorAll(selector), (each) => each.getAttribute(name) * scale);
  return {
    of: drawn.closest("[data-game]").dataset.game,
    letters: sizes("font-size", "text"),
    suits: sizes("height", '[href="#heart"], [href="#spade"], [href="#diamond"], [href="#club"]'),
    dice: sizes("height", '[href^="#die-"]'),
    height: drawn.getBoundingClientRect().height,
    beyond: drawn.getBoundingClientRect().right - innerWidth,
  };
})
"""


def test_a_round_of_each_game_can_be_read(browser: Browser) -> None:
    """Of all games of the catalogue: letters, suits and dice, in a strip, in a history and by themselves."""
    measured = shown(browser, ((game, DECLARED[game], [json.loads(outcome)]) for game, outcome in SHARED.items()))
    assert too_small(measured) == []
    assert {each["of"] for each in measured} == set(SHARED)


@pytest.mark.nightly("draws many outcomes of every game")
def test_every_picture_can_be_read(browser: Browser) -> None:
    """Under the narrowest and the widest rules; of games that are known by their names; and of operators' own."""
    games = [
        *((game, DECLARED[game], drawn_outcomes(game)) for game in SHARED),
        *((game, None, outcomes[::97]) for game, outcomes in OUTCOMES.items()),
        *((game, declaration, [outcome]) for game, declaration, outcome in OWN),
    ]
    assert too_small(shown(browser, games)) == []


def shown(browser: Browser, games: Iterable[tuple[str, Declared, list[dict[str, Any]]]]) -> list[dict[str, Any]]:
    """Measure pictures of these outcomes on a page of a phone."""
    places = [
        places_of(game, looks_of(game, declaration), outcome)
        for game, declaration, outcomes in games
        for outcome in outcomes
    ]
    sheet = f'<div style="height: 0; overflow: hidden">{(STATIC / "pictures.svg").read_text("utf-8")}</div>'
    page = browser.new_page(viewport={"width": NARROWEST, "height": 640})
    page.set_content(f'<style>{STYLES}</style>{sheet}<main class="wide">{"".join(places)}</main>')
    measured: list[dict[str, Any]] = page.evaluate(MEASURED)
    page.close()
    return measured


def places_of(game: str, looks: Looks, outcome: dict[str, Any]) -> str:
    """The places of our pages that have pictures."""
    small, large = (
        picture(looks, outcome, "", english, large=is_large).replace(SHEET, "") for is_large in (False, True)
    )
    return f"""
        <section class="card" data-game="{game}">
          <ol class="plain strip"><li><a>{small}</a></li></ol>
          <ol class="plain rounds"><li><a class="card"><span class="outcome">{small}</span></a></li></ol>
          <figure class="drawn">{large}</figure>
        </section>
    """


def too_small(measured: Iterable[dict[str, Any]]) -> list[object]:
    """What cannot be read, or takes more than its place."""
    return [
        each
        for each in measured
        if min(each["letters"], default=LETTERS) < LETTERS
        or min(each["suits"], default=SUITS) < SUITS
        or min(each["dice"], default=DICE) < DICE
        or each["height"] > HIGHEST
        or each["beyond"] > 0
    ]
