"""Pictures of outcomes: the service and the browser draw the same, with existing symbols, and have the same texts."""

from __future__ import annotations

import json
import subprocess
from itertools import product
from typing import Any
from xml.etree import ElementTree as ET

import pytest

from api.pages.pictures import drawing, has_caption, looks_of, picture, side_by_side, words_of
from api.pages.pictures.data import PICTURES
from api.pages.pictures.shapes import SHEET, struck
from games import GAMES
from games.facts.penalty import is_yellow
from tests.house import HOUSE
from tests.support.drawn import ALL, CATALOGUE, DECLARED, OLD, OUTCOMES, SHARED, Declared, english

SVG = "{http://www.w3.org/2000/svg}"

CRASH, HI_LO = looks_of("crash"), looks_of("hi-lo")

IN_BROWSERS = """
import { drawing, hasCaption, looksOf, outcomeInWords, struck } from "./verifier/browser/pictures/pictures.js";
const asked = JSON.parse(await new Response(process.stdin).text());
console.log(JSON.stringify(asked.map(([game, declaration, outcome]) => {
  const looks = looksOf(game, declaration);
  const words = outcomeInWords(looks, outcome);
  const [small, large] = [false, true].map((large) => drawing(looks, outcome, undefined, { large }));
  return [small, large, small && struck(small), words, hasCaption(looks, words), hasCaption(looks, words, { large: true })];
})));
"""


def in_service(game: str, declaration: Declared, outcome: dict[str, Any]) -> list[object]:
    looks = looks_of(game, declaration)
    words = words_of(looks, outcome, english)
    small, large = drawing(looks, outcome, english), drawing(looks, outcome, english, large=True)
    captions = [has_caption(looks, words), has_caption(looks, words, large=True)]
    return [small, large, small and struck(small), words, *captions]


def test_every_game_has_a_picture() -> None:
    """All of the catalogue, and every game that the service serves."""
    assert set(OUTCOMES) | set(SHARED) == set(DECLARED)
    assert set(GAMES) <= set(DECLARED)
    assert [game for game in GAMES if not looks_of(game)] == []
    assert [game for game, declared in DECLARED.items() if not looks_of(game, declared)] == []


def test_the_browser_draws_and_says_the_same() -> None:
    """For every outcome of the six old games, for all of the catalogue, and for games that neither knows."""
    program = subprocess.run(
        ["node", "--input-type=module", "--eval", IN_BROWSERS],
        cwd=HOUSE,
        input=json.dumps(ALL),
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    drawn = json.loads(program.stdout)
    assert len(drawn) == len(ALL)
    for one, found in zip(ALL, drawn, strict=True):
        assert found == json.loads(json.dumps(in_service(*one))), one


@pytest.mark.nightly("draws every outcome of every game")
def test_every_symbol_is_on_the_sheet() -> None:
    """And every symbol on it is used, by a drawing or by another symbol."""
    sheet = parsed((HOUSE / "api" / "pages" / SHEET.removeprefix("/")).read_text("utf-8"))
    symbols = {symbol.attrib["id"] for symbol in sheet.iter(f"{SVG}symbol")}
    inner = {use.attrib["href"].removeprefix("#") for use in sheet.iter(f"{SVG}use")}
    drawn = {
        use.attrib["href"].removeprefix(f"{SHEET}#")
        for large, (game, declaration, outcome) in product((False, True), [*OLD, *CATALOGUE])
        if (shown := picture(looks_of(game, declaration), outcome, "", english, large=large))
        for use in parsed(shown).iter("use")
    }
    assert drawn | inner == symbols


def parsed(markup: str) -> ET.Element:
    return ET.fromstring(markup)  # noqa: S314  (our own)


@pytest.mark.parametrize("large", [False, True])
def test_two_outcomes_look_different(large: bool) -> None:
    """No two outcomes of a game have the same picture; the large one shows a multiplier's number."""
    for game, outcomes in OUTCOMES.items():
        if large or game not in {"crash", "rocketon"}:
            assert len({picture(looks_of(game), outcome, "", large=large) for outcome in outcomes}) == len(
                {json.dumps(outcome) for outcome in outcomes}
            )


def test_colour_never_tells_alone() -> None:
    """A red and a black card of one rank also differ in their marks."""
    for rank in ("2", "Q"):
        marks = [
            {use.attrib["href"] for use in parsed(picture(HI_LO, {"card": rank, "color": color}, "")).iter("use")}
            for color in ("red", "black")
        ]
        assert marks == [{f"{SHEET}#card", f"{SHEET}#heart"}, {f"{SHEET}#card", f"{SHEET}#spade"}]


def test_a_flight_ends_where_its_multiplier_says() -> None:
    """At 1.00 it has not begun, at 1.50 it is half-way up, from 2.00 on it fills the picture."""
    starts = {picture(CRASH, {"multiplier": value}, "") for value in ("1.00", "1.50", "2.00", "21.23")}
    assert len(starts) == 4
    assert "M64 340C64 340" in picture(CRASH, {"multiplier": "1.00"}, "")
    assert " 337 202V340H64z" in picture(CRASH, {"multiplier": "1.50"}, "")
    for value in ("2.00", "21.23", "10000000.00"):
        assert " 530 64V340H64z" in picture(CRASH, {"multiplier": value}, "")


def test_a_void_round_is_struck_through() -> None:
    """Its outcome is shown pale, behind a line across the whole picture."""
    group, line = parsed(picture(looks_of("keno-express"), {"number": 7}, "", void=True))
    assert group.attrib == {"opacity": "0.4"}
    assert "".join(group.itertext()) == "7"
    assert line.attrib["d"] == "M0 100 100 0"


def test_a_picture_is_read_aloud_or_left_out() -> None:
    """With a label it is an image with that name; without one, screen readers skip it. A label is never markup."""
    said = parsed(picture(HI_LO, {"card": "Joker"}, '"><script>'))
    assert (said.attrib["role"], said.attrib["aria-label"]) == ("img", '"><script>')
    unsaid = parsed(picture(HI_LO, {"card": "Joker"}, ""))
    assert unsaid.attrib["aria-hidden"] == "true"


def test_a_game_without_a_picture_shows_its_outcome_in_words() -> None:
    """As `docs/adding-a-game.md` says."""
    looks, outcome = looks_of("own"), {"pocket": 17}
    assert looks == {}
    assert picture(looks, outcome, "17") == ""
    assert words_of(looks, outcome, english) == "pocket 17"


def test_the_goal_is_chequered_as_its_bets_are() -> None:
    """A sector is drawn in the colour by which it pays."""
    drawn = {
        number: parsed(picture(looks_of("penalty"), {"sector": number}))[0].attrib["fill"] for number in range(1, 25)
    }
    colors = {True: "#ffc107", False: PICTURES.colors["blue"]}
    assert drawn == {number: colors[is_yellow(number)] for number in drawn}


def test_suits_differ_in_shape() -> None:
    """Each of the four has a symbol of its own."""
    looks = looks_of("baccarat", DECLARED["baccarat"])
    marks = [
        [
            use.attrib["href"]
            for use in parsed(picture(looks, {"player": f"Q{suit}", "banker": "Xx"}, "", english)).iter("use")
        ][1]
        for suit in "cdhs"
    ]
    assert len(set(marks)) == 4


@pytest.mark.parametrize(
    ("game", "outcome", "words"),
    [
        ("roulette", {"pocket": 17}, "pocket 17"),
        ("baccarat", {"banker": "9h Ks", "player": "6s Td"}, "player 6♠ 10♦, banker 9♥ K♠"),
        ("racing", {"order": [3, 1, 2]}, "3 · 1 · 2"),
        ("rock-paper-scissors", {"gold": "paper", "silver": "rock"}, "silver rock, gold paper"),
        ("table-tennis", {"points": "ABBA"}, "ABBA"),
        ("joker-poker", {"dealer": "Xx 2c", "draws": "3c", "players": "4c"}, "players 4♣, dealer Joker 2♣, draws 3♣"),
        ("keno", {"balls": list(range(1, 23))}, f"{' · '.join(map(str, range(1, 21)))} and 2 more"),
    ],
)
def test_words_are_places_and_things(game: str, outcome: dict[str, Any], words: str) -> None:
    """In the order of the draw; one place with several things needs no name."""
    assert words_of(looks_of(game, DECLARED[game]), outcome, english) == words


@pytest.mark.parametrize(
    ("outcomes", "count"),
    [([], 3), ([{"pocket": 17}], 4), ([{"pocket": 17}, {"pocket": 0}], 4), ([{"pocket": "far too long"}], 1)],
)
def test_small_pictures_fit_side_by_side(outcomes: list[dict[str, Any]], count: int) -> None:
    """On a page 320 pixels wide. What is said in words takes all of it."""
    assert side_by_side(looks_of("roulette", DECLARED["roulette"]), outcomes) == count
