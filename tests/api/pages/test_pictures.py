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
from fairness.draws.stream import Stream
from games import GAMES
from games.declared.catalogue import catalogue
from games.declared.declaration import Declaration
from games.facts.hi_lo import DECK
from games.facts.penalty import ENDS, is_yellow
from tests.house import HOUSE

SVG = "{http://www.w3.org/2000/svg}"

CRASH, HI_LO = looks_of("crash"), looks_of("hi-lo")
EDGES = [100, 101, 123, 125, 150, 175, 199, 200, 201, 317, 2123, 9_999, 10_000, 123_456, 999_999_999, 1_000_000_000]
FLIGHTS = [{"multiplier": f"{hundredths // 100}.{hundredths % 100:02}"} for hundredths in [*range(100, 400), *EDGES]]
OUTCOMES: dict[str, list[dict[str, Any]]] = {
    "crash": FLIGHTS,
    "rocketon": FLIGHTS,
    "hi-lo": [dict(card) for card in DECK],
    "sic-bo": [{"dice": list(dice)} for dice in product(range(1, 7), repeat=3)],
    "penalty": [*map(dict, ENDS)],
    "keno-express": [{"number": n} for n in range(1, 101)],
}
Declared = dict[str, Any] | None
Asked = tuple[str, Declared, dict[str, Any]]
"""A game, its declaration if its tables have one, and an outcome."""
OLD: list[Asked] = [(game, None, outcome) for game, outcomes in OUTCOMES.items() for outcome in outcomes]
SHARED = json.loads((HOUSE / "tests" / "vectors" / "catalogue.json").read_text("utf-8"))["outcomes"]
DECLARED = {each.game: json.loads(each.declaration.text) for each in catalogue()}
ROUNDS = 6


def drawn_outcomes(game: str) -> list[dict[str, Any]]:
    """Outcomes of a game of the catalogue, under the narrowest and the widest rules."""
    declaration = Declaration.of(DECLARED[game])
    rules = [rules_at(DECLARED[game].get("rules", {}), bound) for bound in (0, 1)]
    for each in rules:
        declaration.check_rules(each)
    streams = (Stream([bytes(32)], bytes(32), number) for number in range(ROUNDS))
    return [dict(declaration.outcome(stream, each)) for stream, each in product(streams, rules)]


def rules_at(ranges: dict[str, list[int]], bound: int) -> dict[str, int]:
    """Rules with each parameter at the lower or at the upper end of its range."""
    rules = {"version": 1} | {name: ends[bound] for name, ends in ranges.items() if "*" not in name}
    for name, ends in ranges.items():
        prefix, star, size = name.partition("*")
        rules |= {f"{prefix}{number}": ends[bound] for number in range(1, rules[size] + 1)} if star else {}
    return rules


CATALOGUE: list[Asked] = [
    *((game, DECLARED[game], json.loads(outcome)) for game, outcome in SHARED.items()),
    *((game, DECLARED[game], outcome) for game in SHARED for outcome in drawn_outcomes(game)),
]
OWN: list[Asked] = [
    (
        "own",
        {"draw": [["5", "one", ["left", "right"]], ["next-one", "numbers", 4, 0, 99999]]},
        {"5": "left", "next-one": [7, 99999, 3, 0]},
    ),
    ("own", {"draw": [["dice", "numbers", 7, 1, 6]]}, {"dice": [1, 2, 3, 4, 5, 6, 6]}),
    ("own", {"draw": [["hand", "take", 3]], "shoe": [1, ["cat", "dog", "Xx"]]}, {"hand": "dog Xx cat"}),
    ("own", {"draw": [["*", "ends", [{"a": "win"}, {"a": "lose", "b": 3}]]]}, {"a": "lose", "b": 3}),
    ("own", {"draw": [["*", "ends", [{"multiplier": 2}, {"bonus": "x"}]]]}, {"bonus": "x"}),
    ("own", {"draw": [["*", "ends", [{"result": "in", "sector": "left"}]]]}, {"result": "in", "sector": "left"}),
    (
        "own",
        {"draw": [["*", "ends", [{"result": "win", "sector": 1}, {"result": "lose"}]]]},
        {"result": "win", "sector": 1},
    ),
    ("own", {"draw": [["*", "ends", [{"result": "saved"}]]]}, {"result": "saved"}),
    ("own", {"draw": [["*", "ends", [{"card": "A", "color": "red"}, {"color": "red"}]]]}, {"color": "red"}),
    ("own", {"draw": [["*", "ends", [{"card": "5", "color": "blue"}]]]}, {"card": "5", "color": "blue"}),
    ("own", {"draw": [["*", "ends", [{"card": 2, "color": 7}]]]}, {"card": 2, "color": 7}),
    ("own", {"draw": [["multiplier", "flight"], ["z", "number", 0, 9]]}, {"multiplier": "5.00", "z": 3}),
    ("own", {"draw": [["multiplier", "one", [2, 3]], ["prize", "one", ["a"]]]}, {"multiplier": 2, "prize": "a"}),
    ("own", {"draw": [["height", "flight"]]}, {"height": "5.00"}),
    (
        "own",
        {"draw": [["b", "number", 0, 9], ["10", "number", 0, 9], ["9", "take", 1]], "drum": [0, 9]},
        {"10": 1, "9": [2], "b": 3},
    ),
    ("own", {"draw": [["*", "ends", [{"10": "x", "9": 1, "a": 0}]]]}, {"10": "x", "9": 1, "a": 0}),
    ("own", {"draw": [["new", "of-tomorrow"]]}, {"10": "x", "9": 1, "a": 0}),
    (
        "own",
        {"draw": [["*", "ends", [{"sector": 3}, {"result": "bar"}]], ["z", "number", 0, 9]]},
        {"sector": 3, "z": 4},
    ),
    ("own", {"draw": [["*", "ends", [{"sector": 3}]], ["result", "one", ["won"]]]}, {"result": "won", "sector": 3}),
    ("own", {"draw": [["constructor", "number", 0, 9]]}, {"constructor": 4}),
    ("own", {"draw": [["a", "number", 0, 9]]}, {"a": 1, "constructor": 4}),
    ("own", {"draw": [["new", "of-tomorrow"]]}, {"new": "x" * 64}),
    (
        "own",
        {"draw": [["hand", "take", 24]], "shoe": [8, ["$&", "{t0}", "$'"]]},
        {"hand": " ".join(["$& {t0} $'"] * 8)},
    ),
    ("own", {"draw": [["m", "flight"], ["o", "flight"]]}, {"m": "1.00", "o": "25.00"}),
    ("own", None, {"pocket": 17}),
]
ALL = [*OLD, *CATALOGUE, *OWN]

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


def english(message: str) -> str:
    return message


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
