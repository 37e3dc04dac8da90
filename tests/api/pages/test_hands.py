"""What is shown of an order in which players decided: the service and the browser choose, draw and say the same."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Sequence
from typing import Any

from api.pages.pictures import drawing, hand_of, looks_of, words_of
from api.pages.pictures.hands import Hand
from fairness.draws.game import Outcome
from games.order import Thing
from tests.house import HOUSE
from tests.support.drawn import DECLARED, SHARED, english

CARDS = ["3s", "7h", "Ts", "Th", "7d", "Ks", "2c", "9d", "As", "4h", "5c", "6s", "Jd", "Qh"]
ORDER = [Thing(position, "cards", card) for position, card in enumerate(CARDS, 1)]
LOOKS = {"cards": "card"}
DEALT = {"player": [1, 3, 5], "dealer": [2, 4]}

IN_BROWSERS = """
import { drawing, handOf, looksOf, outcomeInWords } from "./verifier/browser/pictures/pictures.js";
const asked = JSON.parse(await new Response(process.stdin).text());
console.log(JSON.stringify(asked.map(([game, declaration, order, said]) => {
  const hand = handOf(looksOf(game, declaration), order, said);
  if (hand === null) return null;
  const { looks, outcome, rest, ...others } = hand;
  const shown = [false, true].map((large) => drawing(looks, outcome, undefined, { large }));
  return [others, [...looks], outcome, [...rest], shown, outcomeInWords(looks, outcome)];
})));
"""

Asked = tuple[str, list[Thing], int | None, dict[str, list[int]]]


def order_of(game: str) -> list[Thing]:
    """The order of a round that all verifiers know."""
    outcome: Outcome = json.loads(SHARED[game])
    places = [place for place, *_ in DECLARED[game]["draw"] if place in outcome]
    things = [(place, thing) for place in places for thing in things_of(outcome[place])]
    return [Thing(position, place, thing) for position, (place, thing) in enumerate(things, 1)]


def things_of(value: str | int | list[int]) -> list[Any]:
    return value.split(" ") if isinstance(value, str) else value if isinstance(value, list) else [value]


MOVING = [game for game in SHARED if "moves" in DECLARED[game]]
ASKED: list[Asked] = [
    *((game, order_of(game), given, {}) for game in MOVING for given in (None, 0, 1, 2, len(order_of(game)))),
    *(
        (game, order_of(game), given, {"2": [2], "1": [1], "house-3": [4, 3]})
        for game in ("blackjack", "baron", "domino", "casino-holdem")
        for given in (None, 4, 6)
    ),
    ("blackjack", ORDER[:1], None, {}),
    ("roulette", [], None, {}),
]


def in_browser(asked: Sequence[object]) -> list[object]:
    program = subprocess.run(
        ["node", "--input-type=module", "--eval", IN_BROWSERS],
        cwd=HOUSE,
        input=json.dumps(asked),
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    found: list[object] = json.loads(program.stdout)
    return found


def in_service(game: str, order: list[Thing], given: int | None, dealt: dict[str, list[int]]) -> object:
    hand = hand_of(looks_of(game, DECLARED[game]), order, given=given, dealt=dealt)
    if hand is None:
        return None
    others = {
        "told": hand.told,
        "count": hand.count,
        "others": hand.others,
        "left": hand.left,
        "isNeedless": hand.is_needless,
        "hasCards": hand.has_cards,
    }
    rest = [
        [place, [dict(zip(("position", "thing"), each, strict=True)) for each in things]]
        for place, things in hand.rest.items()
    ]
    shown = [drawing(hand.looks, hand.outcome, english, large=large) for large in (False, True)]
    return [others, list(hand.looks.items()), hand.outcome, rest, shown, words_of(hand.looks, hand.outcome, english)]


def test_the_browser_shows_the_same_hand() -> None:
    """Of every game whose players decide, with hands that were named and without."""
    asked = [
        (game, DECLARED[game], [each._asdict() for each in order], {"given": given, "dealt": dealt})
        for game, order, given, dealt in ASKED
    ]
    for one, found in zip(ASKED, in_browser(asked), strict=True):
        assert found == json.loads(json.dumps(in_service(*one))), one


def hand(given: int | None = None, dealt: dict[str, list[int]] | None = None) -> Hand:
    found = hand_of(LOOKS, ORDER, given=given, dealt=dealt or {})
    assert found is not None
    return found


def test_what_was_given_is_the_hand() -> None:
    """In its order; the rest is what nobody needed."""
    seven = hand(given=7)
    assert (seven.told, seven.outcome, seven.count) == ("given", {"cards": CARDS[:7]}, 7)
    assert words_of(seven.looks, seven.outcome, english) == "3♠ 7♥ 10♠ 10♥ 7♦ K♠ 2♣"
    assert seven.is_needless
    assert seven.rest == {"cards": [(8, "9♦"), (9, "A♠"), (10, "4♥"), (11, "5♣"), (12, "6♠"), (13, "J♦"), (14, "Q♥")]}
    assert hand(given=0).outcome == {}


def test_hands_have_their_names() -> None:
    """The one that was dealt first comes first; what lies in no hand is not forgotten."""
    named = hand(given=7, dealt={"dealer": [2, 4], "player": [1, 3, 5]})
    assert named.told == "dealt"
    assert words_of(named.looks, named.outcome, english) == "player 3♠ 10♠ 7♦, dealer 7♥ 10♥"
    assert (named.others, named.left, named.is_needless) == (["K♠", "2♣"], 7, True)
    whole = hand(dealt=DEALT)
    assert (whole.others, whole.left, whole.is_needless) == ([], 9, False)


def test_an_order_of_which_nothing_is_told_begins() -> None:
    """A short one is shown whole. One thing is no order."""
    assert (hand().told, hand().count, hand().left) == ("order", 8, 6)
    short = hand_of(LOOKS, ORDER[:12], given=None, dealt={})
    assert short is not None
    assert (short.count, short.left) == (12, 0)
    assert hand_of(LOOKS, ORDER[:1], given=1, dealt={}) is None


def test_a_browser_passes_over_what_cannot_be() -> None:
    """Whoever answers in the place of the service cannot put an order wrong, nor say other things by hands' names."""
    names = ("", "<b>", "Player", "__proto__", "n" * 33, "nobody changed this result.")
    hands = [
        *({}, [1], [[1], [2]], None, {f"box {position}": [position] for position in range(1, 15)} | {"$&": [1]}),
        *({"player": positions} for positions in ([], [0], [15], "1", [1, 1])),
        *({name: [1]} for name in names),
    ]
    said = [*({"given": given} for given in (-1, 15, "7", 1.5)), *({"dealt": each} for each in hands), "nothing"]
    order = [each._asdict() for each in ORDER]
    expected = json.loads(json.dumps(in_service("blackjack", ORDER, None, {})))
    for one, found in zip(
        said, in_browser([("blackjack", DECLARED["blackjack"], order, each) for each in said]), strict=True
    ):
        assert found == expected, one
