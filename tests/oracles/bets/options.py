"""The winning options that the regulation and the other documents name, option by option, in their order.

A number, a card or a runner to choose stands for all of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import combinations

_INSIDE = ["number 17", "split 17 20", "street 16 17 18", "corner 16 17 19 20", "line 16 17 18 19 20 21"]
_DOZENS, _COLUMNS = ["dozen 1", "dozen 2", "dozen 3"], ["column 1", "column 2", "column 3"]
_EVENS = ["low", "high", "red", "black", "odd", "even"]
_SERIES = ["zero", "voisins", "orphelins", "tier"]
_TABLE = [*_INSIDE, *_DOZENS, *_COLUMNS, *_EVENS]
_SUITS = ["clubs", "diamonds", "hearts", "spades"]
_SHAPES = ["rock", "paper", "scissors"]
_COLOURS = ["white", "green", "red", "blue"]
_EIGHT = ["green", "blue", "red", "purple", "yellow", "orange", "brown", "black"]
_THREE_CARDS = ["pair plus", "6 card"]
_TIGER = ["dragon", "tiger", "draw", "suited draw"]
_POINTS = [4, 5, 6, 8, 9, 10]
_RANKS = "23456789TJQKA"


def _pairs(*words: Iterable[object]) -> list[str]:
    """All texts of one word of each."""
    found = [""]
    for each in words:
        found = [f"{text} {word}".strip() for text in found for word in each]
    return found


def _ranges(size: int) -> list[str]:
    return [f"{low}-{low + size - 1}" for low in range(1, 37, size)]


def _lucky_5_colour(colour: str) -> list[str]:
    exactly = ["1", "not 1", "2", "not 2", "3", "not 3", "4"]
    rest = ["some", "none", "over 1.5", "under 1.5", "over 2.5", "under 2.5", "over 3.5", "5", *exactly]
    return [f"{colour} {each}" for each in rest]


def _lucky_7_colour(colour: str) -> list[str]:
    ends = _pairs(["under", "over"], ["3.5", "2.5", "1.5"])
    return [f"{colour} {each}" for each in (*ends, "none", *range(1, 8))]


def _of_two(one: str, other: str) -> list[str]:
    one, other = sorted((one, other), key=["white", "green", "blue", "red"].index)
    return [f"{one} more than {other}", f"{other} more than {one}", f"{one} equal to {other}"]


def _jokerbet() -> list[str]:
    """76 outcomes of the first card of a whole pack."""
    left = {"joker": 2, "black": 27, "red": 27, "non-digital": 18, "digital": 36}
    ranks = [f"card 1 {rank}, 4 left" for rank in _RANKS]
    cards = [f"card 1 {rank}{suit}, 1 left" for rank in _RANKS for suit in "shdc"]
    jokers = [f"card 1 {joker}, 1 left" for joker in ("Xr", "Xb")]
    suits = [f"card 1 {suit}, 13 left" for suit in ("spades", "hearts", "diamonds", "clubs")]
    return [*ranks, *cards, *jokers, *suits, *(f"card 1 {name}, {number} left" for name, number in left.items())]


_HALF = ["red", "black", *_SUITS, "8", "under 8", "over 8", "picture", "ace or number"]
OPTIONS: Mapping[str, list[str]] = {
    "crash": ["cashout 2.00"],
    "rocketon": ["cashout 2.00", "half 2.00", "half 2.00 cashout 3.00"],
    "hi-lo": ["hi", "lo", "2-9", "J-A", "K-A", *(f"card {rank}" for rank in "23456789JQKA"), "joker", "red", "black"],
    "sic-bo": ["small", "big", "triple 3", "any triple", "pair 3", "sum 10", "combination 1 2", "number 3"],
    "penalty": ["sector 7", "yellow", "blue", "upper row", "middle row", "bottom row", "failure", "bar"],
    "keno-express": ["lower 10", "higher 37", "range 10-37", "outside 10-37"],
    "roulette": [*_TABLE, *_SERIES],
    "french-roulette": [*_TABLE, *_SERIES],
    "electronic-roulette": [*_INSIDE, *_DOZENS, *_EVENS, *_SERIES],
    "american-roulette": [*_TABLE, "five"],
    "lightning-roulette": _TABLE,
    "double-ball-roulette": [*_TABLE, "red or black", "any pair", "pair 17"],
    "lightning-dice": ["sum 3", "sum 10", "sum 18"],
    "one-bet": [
        *("number 0", *_ranges(12), *_COLUMNS, *_ranges(3), *_ranges(6), *_ranges(18)),
        *_pairs(["over", "under"], ["18.5", "14.5", "22.5", "9.5", "27.5"]),
        *("red", "black", "even", "odd"),
    ],
    "wheel": [
        *("number 18", "1-6", "7-12", "13-18", "under 9.5", "over 9.5", "grey", "red", "black", "cup", "even", "odd"),
        *_pairs(["even", "odd"], ["grey", "red", "black"]),
    ],
    "dice-duel": [
        *("red", "draw", "blue", "red 5", "blue 5", "red 5 blue 2"),
        *_pairs(["red", "blue", "sum"], ["odd", "even"]),
        *_pairs(["red", "blue"], ["under 3.5", "over 3.5"]),
        *_pairs(["sum"], ["under", "over"], [f"{low}.5" for low in range(4, 10)]),
    ],
    "craps": [
        *("field", "seven", "craps", "crap 2", "crap 3", "crap 12", "eleven", "c&e"),
        *("pass", "don't pass", "come", "don't come"),
        *_pairs(["take odds", "lay odds", "place", "lose"], _POINTS),
        *_pairs(["hard"], [4, 6, 8, 10]),
    ],
    "rock-paper-scissors": _pairs(["silver", "gold"], _SHAPES),
    "dream-catcher": ["1", "2", "5", "10", "20", "40"],
    "monopoly-live": ["1", "2", "5", "10"],
    "crazy-time": ["1", "2", "5", "10"],
    "keno": [
        f"keno-{table} {' '.join(map(str, range(1, size + 1)))}"
        for table, most in (("8", 8), ("10", 10), ("gold", 10))
        for size in range(1, most + 1)
    ],
    "lucky-5": [
        *("number 7", "not 7", "two 7 36", "three 1 7 36", "more odd", "more even", "sum odd", "sum even"),
        *("sum under 92.5", "sum over 92.5", *(text for colour in _COLOURS for text in _lucky_5_colour(colour))),
        *("three of a colour", "four of a colour", "five of a colour"),
        *("more white or green", "more white or red", "more white or blue"),
        *(text for one, other in combinations(_COLOURS, 2) for text in _of_two(one, other)),
    ],
    "lucky-7": [
        *("number 7", "not 7", "two 7 42", "three 1 7 42", "four 1 2 7 42"),
        *(f"{hits} of 1 2 3 4 5 6 42" for hits in ("none", 1, 2, 3, 4, 5)),
        *_pairs(["yellow", "black"], ["sum"], ["under 73.5", "over 73.5"]),
        *(f"sum under {low}.5" for low in (100, 125, 150, 175, 200)),
        *(f"sum over {low}.5" for low in (125, 150, 175)),
        *(text for colour in ("yellow", "black") for text in _lucky_7_colour(colour)),
        *_pairs(["more", "sum", "first", "last"], ["odd", "even"]),
        *("first two odd", "first two even", "first two odd even", "first two even odd"),
        *("first odd last even", "first even last odd"),
        *_pairs(["first", "last", "more"], ["yellow", "black"]),
        *("first two of one colour", "first two of two colours"),
    ],
    "lucky-6-of-48": [
        *(f"six 1 2 3 4 5 48 {last}" for last in range(6, 36)),
        *_pairs(["first five"], ["over 122.5", "under 122.5"]),
        *_pairs(["first", "last"], ["over 24.5", "under 24.5"]),
        *_pairs(["first", "last", "more"], ["even", "odd"]),
        *_pairs(["first", "last"], _EIGHT),
    ],
    "lucky-6": [
        *_pairs(["zone"], "ABC", ["digit 7", "two 07", "under 9.5", "over 9.5", "even", "odd"]),
        *_pairs(["count 7"], ["over 1.5", "under 1.5", "even", "odd"]),
        *("red under 13.5", "red over 13.5", "blue under 12.5", "blue over 12.5", "sum even", "sum odd"),
        *_pairs(["even balls", "odd balls"], ["under 2.5", "over 2.5"]),
        *_pairs(["sum"], ["under", "over"], ["26.5", "15.5", "38.5"]),
    ],
    "fruitrace": ["7", *_pairs(["matches"], [4, 5, 6, 7, 8, 10])],
    "football-studio": ["home", "away", "draw"],
    "dragon-tiger": _TIGER,
    "kricket-war": _TIGER,
    "war-of-bets": ["dealer", "player", "war", *_pairs(["dealer", "player"], _HALF)],
    "side-bet-city": ["3 cards", "5 cards", "7 cards", "all lose"],
    "speedy-7": ["red 1", "black 7 after 3"],
    "jokerbet": _jokerbet(),
    "three-card-poker": _THREE_CARDS,
    "teen-patti": _THREE_CARDS,
    "casino-holdem": ["bonus"],
    "texas-holdem": ["trips"],
    "caribbean-stud": ["5+1"],
    "casino-stud": ["5+1"],
    "red-dog": ["ante"],
    "in-between": ["seat 1"],
    "top-card-trump": ["main fold", "main war", "raise"],
    "draw-hi-lo": ["higher 1, 4 left", "lower 1, 44 left", "tie 1"],
    "bet-win": ["seat 1, stand", "seat 1, change"],
    "baccarat": [
        *("banker", "player", "tie", "banker pair", "player pair", "perfect pair", "either pair"),
        *("player bonus", "banker bonus"),
    ],
    "punto-banco": ["banker", "player", "egalite", *_pairs(["ur way"], range(10))],
    "twenty-one-bet": [
        *("first", "second", "draw", *_pairs(["cards"], range(2, 6)), *_pairs(["points"], range(17, 22))),
        *("bust", "no bust", "golden"),
    ],
    "andar-bahar": [
        *("andar", "bahar", "cards 1-5", "cards 6-10", "cards 11-15", "cards 16-25", "cards 26-30", "cards 31-35"),
        *("cards 36-40", "cards 41 and more", "winning red", "winning black"),
        *_pairs(["joker"], ["red", "black", *_SUITS]),
        *_pairs(["joker"], ["lower than 7", "7", "higher than 7", "lower than 8", "8", "higher than 8"]),
    ],
    "thirty-two-cards": _pairs(["player"], [8, 9, 10, 11]),
    "blackjack": _pairs(["ideal pair,", "21+3,", "suit'em up,", "lucky lucky,"], ["box 2 of 7"]),
    "racing": [
        *("win 1", "first two 1", "first three 1", "first four 1", "exacta 2 1", "quinella 1 2", "trifecta 3 1 2"),
        *(
            "trio 1 2 3",
            "swinger 1 2",
            "any of 1 2 3",
            "even",
            "odd",
            "over 3.5",
            "under 3.5",
            "over 4.5",
            "under 4.5",
        ),
        *("over 2.5", "under 2.5", "over 2", "under 3", "low", "high"),
    ],
    "table-tennis": [
        *_pairs(["winner"], "AB"),
        *_pairs(["score"], ["7:0", "7:1", "7:2", "7:3", "7:4", "7:5", "8:6", "9:7", "9:8", "0:7", "8:9"]),
        *_pairs(["first and winner"], ["AA", "AB", "BA", "BB"]),
        *_pairs(["first, third and winner"], ["AAA", "BAA", "BBA", "ABA", "BBB", "ABB", "BAB", "AAB"]),
    ],
    "slot-gamble": _pairs(["higher", "red", "black"], [1, 2, 3, 4]),
}
COUNTS = {
    "one-bet": 41,
    "dice-duel": 28,
    "lucky-5": 94,
    "lucky-7": 73,
    # 44 of which two are a colour to choose of eight.
    "lucky-6-of-48": 44 + 2 * 7,
    "lucky-6": 38,
    "war-of-bets": 25,
    "jokerbet": 76,
    "twenty-one-bet": 15,
    "craps": 8 + 4 + 4 * 6 + 4,
    "keno": 8 + 10 + 10,
}
"""How many the documents list."""
NOT_OFFERED = {"sum under 200.5", "yellow over 1.5", "black over 1.5", "sum over 15.5", "sum under 38.5"}
"""Their odds would be below 1.01."""
WITHOUT_BETS = {
    *("backgammon", "first-move", "toto-21", "toto-11", "baron", "belote", "open-belote", "domino", "poker"),
    *("short-deck", "five-card-poker", "exchange-poker", "six-card-poker", "joker-poker", "blackjack-turbo"),
    *("mega-ball", "deal-or-no-deal", "slot", "lotto", "prize-wheel", "numbers"),
}
