"""Pictures of outcomes: the service and the browser draw the same, with existing symbols, and have the same texts."""

from __future__ import annotations

import json
import subprocess
from itertools import product
from typing import Any
from xml.etree import ElementTree as ET

import pytest

from api.pages.pictures import SHEET, drawing, has_caption, in_words, picture, struck
from games import GAMES
from games.hi_lo import DECK
from games.keno_express import NUMBERS
from games.penalty import SECTORS
from tests.house import HOUSE

SVG = "{http://www.w3.org/2000/svg}"

EDGES = [100, 101, 123, 125, 150, 175, 199, 200, 201, 317, 2123, 9_999, 10_000, 123_456, 999_999_999, 1_000_000_000]
FLIGHTS = [{"multiplier": f"{hundredths // 100}.{hundredths % 100:02}"} for hundredths in [*range(100, 400), *EDGES]]
OUTCOMES: dict[str, list[dict[str, Any]]] = {
    "crash": FLIGHTS,
    "rocketon": FLIGHTS,
    "hi-lo": [dict(card) for card in DECK],
    "sic-bo": [{"dice": list(dice)} for dice in product(range(1, 7), repeat=3)],
    "penalty": [*({"sector": n} for n in range(1, SECTORS + 1)), {"result": "bar"}, {"result": "failure"}],
    "keno-express": [{"number": n} for n in range(1, NUMBERS + 1)],
}
ALL = [(game, outcome) for game, outcomes in OUTCOMES.items() for outcome in outcomes]
WHEEL = ("wheel", {"pocket": 17})

IN_BROWSERS = """
import { drawing, hasCaption, inWords, struck } from "./verifier/browser/games/pictures.js";
const asked = JSON.parse(await new Response(process.stdin).text());
console.log(JSON.stringify(asked.map(([game, outcome]) => {
  const [small, large] = [false, true].map((large) => drawing(game, outcome, { large }));
  return [small, large, small && struck(small), inWords(game, outcome), hasCaption(game), hasCaption(game, { large: true })];
})));
"""


def english(message: str) -> str:
    return message


def in_service(game: str, outcome: dict[str, Any]) -> list[object]:
    small, large = drawing(game, outcome), drawing(game, outcome, large=True)
    captions = [has_caption(game), has_caption(game, large=True)]
    return [small, large, small and struck(small), in_words(game, outcome, english), *captions]


def test_every_game_has_a_picture() -> None:
    """It fails if a new game's outcomes have no picture yet."""
    assert set(OUTCOMES) == set(GAMES)


def test_the_browser_draws_and_says_the_same() -> None:
    """For every outcome of each game, for multipliers up to the largest cap, and for a game that neither knows."""
    asked = [*ALL, WHEEL]
    program = subprocess.run(
        ["node", "--input-type=module", "--eval", IN_BROWSERS],
        cwd=HOUSE,
        input=json.dumps(asked),
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    drawn = json.loads(program.stdout)
    assert len(drawn) == len(asked)
    for (game, outcome), found in zip(asked, drawn, strict=True):
        assert found == json.loads(json.dumps(in_service(game, outcome))), (game, outcome)


def test_every_symbol_is_on_the_sheet() -> None:
    """And every symbol on it is used, by a drawing or by another symbol."""
    sheet = parsed((HOUSE / "api" / "pages" / SHEET.removeprefix("/")).read_text("utf-8"))
    symbols = {symbol.attrib["id"] for symbol in sheet.iter(f"{SVG}symbol")}
    inner = {use.attrib["href"].removeprefix("#") for use in sheet.iter(f"{SVG}use")}
    drawn = {
        use.attrib["href"].removeprefix(f"{SHEET}#")
        for large, (game, outcome) in product((False, True), ALL)
        for use in parsed(picture(game, outcome, "", large=large)).iter("use")
    }
    assert drawn | inner == symbols


def parsed(markup: str) -> ET.Element:
    return ET.fromstring(markup)  # noqa: S314  (our own)


@pytest.mark.parametrize("large", [False, True])
def test_two_outcomes_look_different(large: bool) -> None:
    """No two outcomes of a game have the same picture; the large one shows a multiplier's number."""
    for game, outcomes in OUTCOMES.items():
        if large or game not in {"crash", "rocketon"}:
            assert len({picture(game, outcome, "", large=large) for outcome in outcomes}) == len(
                {json.dumps(outcome) for outcome in outcomes}
            )


def test_colour_never_tells_alone() -> None:
    """A red and a black card of one rank also differ in their marks."""
    for rank in ("2", "Q"):
        marks = [
            {use.attrib["href"] for use in parsed(picture("hi-lo", {"card": rank, "color": color}, "")).iter("use")}
            for color in ("red", "black")
        ]
        assert marks == [{f"{SHEET}#card", f"{SHEET}#heart"}, {f"{SHEET}#card", f"{SHEET}#spade"}]


def test_a_flight_ends_where_its_multiplier_says() -> None:
    """At 1.00 it has not begun, at 1.50 it is half-way up, from 2.00 on it fills the picture."""
    starts = {picture("crash", {"multiplier": value}, "") for value in ("1.00", "1.50", "2.00", "21.23")}
    assert len(starts) == 4
    assert "M64 340C64 340" in picture("crash", {"multiplier": "1.00"}, "")
    assert " 337 202V340H64z" in picture("crash", {"multiplier": "1.50"}, "")
    for value in ("2.00", "21.23", "10000000.00"):
        assert " 530 64V340H64z" in picture("crash", {"multiplier": value}, "")


def test_a_void_round_is_struck_through() -> None:
    """Its outcome is shown pale, behind a line across the whole picture."""
    group, line = parsed(picture("keno-express", {"number": 7}, "", void=True))
    assert group.attrib == {"opacity": "0.4"}
    assert "".join(group.itertext()) == "7"
    assert line.attrib["d"] == "M0 100 100 0"


def test_a_picture_is_read_aloud_or_left_out() -> None:
    """With a label it is an image with that name; without one, screen readers skip it. A label is never markup."""
    said = parsed(picture("hi-lo", {"card": "Joker"}, '"><script>'))
    assert (said.attrib["role"], said.attrib["aria-label"]) == ("img", '"><script>')
    unsaid = parsed(picture("hi-lo", {"card": "Joker"}, ""))
    assert unsaid.attrib["aria-hidden"] == "true"


def test_a_game_without_a_picture_shows_its_outcome_in_words() -> None:
    """As `docs/adding-a-game.md` says."""
    game, outcome = WHEEL
    assert picture(game, outcome, "17") == ""
    assert in_words(game, outcome, english) == "17"
