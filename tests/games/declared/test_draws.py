"""What the kinds and the deals draw: whole laws by enumeration, the deals card by card."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator
from fractions import Fraction

import pytest

from fairness.draws.game import Rules
from fairness.draws.stream import Stream
from games.declared.catalogue import catalogue
from games.declared.deals import DEALS
from games.declared.declaration import Declaration
from games.declared.pile import Pile, Shuffle
from games.declared.scope import Drawing
from games.declared.values import Members
from tests.oracles.given_stream import GivenStream
from tests.support.declarations import Json, spelled

VERSION: Rules = {"version": 1}


def drawn(words: Iterable[int], *steps: Json, rules: Rules = VERSION, **more: Json) -> Members:
    """The outcome of given words, all of which are read."""
    declaration = Declaration.parse(spelled({"draw": list(steps)} | more))
    declaration.check_rules(rules)
    stream = GivenStream.of_words(*words)
    outcome = declaration.outcome(stream, rules)
    with pytest.raises(StopIteration):
        stream.take(1)
    return outcome


@pytest.mark.parametrize(("size", "count"), [(1, 1), (2, 2), (6, 6), (52, 52), (416, 208), (416, 6), (4096, 1024)])
def test_a_shuffle_that_is_read_on_is_the_sample(size: int, count: int) -> None:
    """Number by number; and it reads nothing that it does not need."""
    for number in range(20):
        shuffle = Shuffle(stream := Stream([bytes(32)], bytes(32), number), size)
        other = Stream([bytes(32)], bytes(32), number)
        assert [shuffle.next() for _ in range(count)] == other.sample(size, count)
        assert shuffle.left == size - count
        assert stream.take(4) == other.take(4)


def test_nothing_comes_after_the_last_thing() -> None:
    """Nobody asks: a declaration was checked."""
    shuffle = Shuffle(GivenStream.of_words(0), 1)
    assert shuffle.next() == 0
    with pytest.raises(ValueError, match="below"):
        shuffle.next()


def test_the_kinds_read_these_words() -> None:
    """One word for each draw, in the order of the steps, a count's first."""
    assert drawn([5], ["p", "number", 10, 19]) == {"p": 15}
    assert drawn([1, 3, 4], ["p", "numbers", [1, 2], 1, 6]) == {"p": [4, 5]}
    assert drawn([2], ["p", "one", ["a", 7, "b"]]) == {"p": "b"}
    assert drawn([1], ["*", "ends", [{"a": 1}, {"b": "x", "c": 2}]]) == {"b": "x", "c": 2}
    assert drawn([3], ["p", "wheel", [["a", 3], ["b", 0], [9, 2]]]) == {"p": 9}
    assert drawn([2, 3], ["p", "wheels", 2, [[8, 3], [9, 2]]]) == {"p": [8, 9]}
    assert drawn([0, 0, 1], ["p", "spin", [["a", 1], ["b", 1]], ["a"]]) == {"p": "a a b"}
    assert drawn([0, 1, 0], ["p", "take", 2], ["q", "take", 1], drum=[7, 9]) == {"p": [7, 9], "q": [8]}
    assert drawn([3, 0], ["p", "take", 1, 2], shoe=[2, ["a", "b"]]) == {"p": "b b"}
    assert drawn([], ["p", "take", 0], shoe=[2, ["a", "b"]]) == {"p": ""}
    assert drawn([], ["p", "take", 0], drum=[1, 2]) == {"p": []}
    assert drawn([2, 1], ["p", "pick", 2, 5, 7]) == {"p": [7, 5]}
    weights = {"n": [3, 3], "w*n": [1, 9]}
    rules = {"n": 3, "w1": 2, "w2": 3, "w3": 5, "version": 1}
    race = Declaration.parse(spelled({"draw": [["p", "chosen"], ["q", "race"]], "rules": weights}))
    assert race.outcome(GivenStream.of_words(4, 4, 6, 0), rules) == {"p": 2, "q": [2, 3, 1]}
    reels = Declaration.parse(spelled({"draw": [["p", "reels"]], "rules": {"n": [1, 2], "reel*n": [1, 9]}}))
    assert reels.outcome(GivenStream.of_words(8, 2), {"n": 2, "reel1": 9, "reel2": 3, "version": 1}) == {"p": [8, 2]}


class _Branching(Stream):
    """A stream whose draws are chosen; it notes among how many each was."""

    def __init__(self, chosen: list[int]) -> None:
        self.chosen, self.limits = chosen, list[int]()

    def below(self, limit: int) -> int:
        self.limits.append(limit)
        if len(self.limits) > len(self.chosen):
            self.chosen.append(0)
        return self.chosen[len(self.limits) - 1]


def law(declaration: Declaration, rules: Rules) -> dict[str, Fraction]:
    """Every outcome with its chance, by every way through its draws."""
    chances: dict[str, Fraction] = {}
    chosen: list[int] = []
    while True:
        stream = _Branching(chosen)
        outcome = repr(declaration.outcome(stream, rules))
        chance = Fraction(1)
        for limit in stream.limits:
            chance /= limit
        chances[outcome] = chances.get(outcome, Fraction(0)) + chance
        while chosen and chosen[-1] == stream.limits[len(chosen) - 1] - 1:
            chosen.pop()
        if not chosen:
            return chances
        chosen[-1] += 1


def test_the_law_of_two_balls_of_fruitrace_and_of_a_race() -> None:
    """Without return: hypergeometric, and Harville's chances."""
    fruits = law(Declaration.parse(b'{"draw":[["p","take",2]],"shoe":[1,"fruits"]}'), VERSION)
    assert fruits["{'p': 'plum plum'}"] == Fraction(3 * 2, 10 * 9)
    assert fruits["{'p': '7 plum'}"] == Fraction(3, 90)
    assert sum(fruits.values()) == 1
    race = Declaration.parse(b'{"draw":[["p","race"]],"rules":{"n":[3,3],"w*n":[1,9]}}')
    weights = {1: 5, 2: 3, 3: 1}
    found = law(race, {"n": 3, "version": 1} | {f"w{runner}": weight for runner, weight in weights.items()})
    for order in itertools.permutations(weights):
        first, second, _ = (weights[runner] for runner in order)
        assert found[repr({"p": list(order)})] == Fraction(first, 9) * Fraction(second, 9 - first)


@pytest.mark.parametrize(
    ("game", "ways"),
    [
        *(("roulette", 37), ("american-roulette", 38), ("double-ball-roulette", 37 * 37), ("wheel", 19)),
        *(("dice-duel", 36), ("craps", 36), ("rock-paper-scissors", 9), ("first-move", 2), ("sic-bo", 216)),
        *(("penalty", 26), ("hi-lo", 25), ("keno-express", 100)),
    ],
)
def test_throws_are_uniform(game: str, ways: int) -> None:
    """Each of these outcomes has one way, and there are so many."""
    (listed,) = [each for each in catalogue() if each.game == game]
    assert {*law(listed.declaration, VERSION).values()} == {Fraction(1, ways)}


def test_the_wheels_have_the_regulations_segments() -> None:
    """Dream Catcher and Crazy Time: 54 segments, of these numbers (12.22, 12.31)."""
    crazy = {"1": 21, "2": 13, "5": 7, "10": 4, "cash-hunt": 2, "pachinko": 2, "coin-flip": 4, "crazy-time": 1}
    (listed,) = [each for each in catalogue() if each.game == "crazy-time"]
    assert law(listed.declaration, VERSION) == {
        repr({"segment": label}): Fraction(weight, 54) for label, weight in crazy.items()
    }


class _Rigged(Pile):
    """A shoe with these cards; a new shuffle goes on with what follows the bar."""

    def __init__(self, *shuffles: str) -> None:
        self._shuffles: Iterator[list[str]] = iter([shuffle.split() for shuffle in shuffles])
        self.shuffle()

    def shuffle(self) -> None:
        self._cards = next(self._shuffles)

    @property
    def left(self) -> int:
        return len(self._cards)

    def next(self) -> str:
        return self._cards.pop(0)


def dealt(
    deal: str, *shuffles: str, words: Iterable[int] = (), rules: Rules = VERSION
) -> list[str | int | list[int]]:
    """The places of a deal, all of whose cards and words are used."""
    pile, stream = _Rigged(*shuffles) if shuffles else None, GivenStream.of_words(*words)
    outcome = DEALS[deal].draw(Drawing(stream, rules, pile, {}))
    assert pile is None or pile.left == 0
    with pytest.raises(StopIteration):
        stream.take(1)
    assert {*outcome} == {*DEALS[deal].places}
    return [outcome[place] for place in sorted(outcome)]


BANK = {  # the rows of the bank's table, 12.13: on which third cards of the player it draws
    **dict.fromkeys((0, 1, 2), "0123456789"),
    3: "012345679",
    4: "234567",
    5: "4567",
    6: "67",
    7: "",
}
VALUES = "0123456789"
CARD = {"0": "K", "1": "A"} | {value: value for value in "23456789"}


def test_every_pattern_of_a_coup_of_punto_banco() -> None:
    """All 10,000 first four cards, and of each all third cards: who gets how many."""
    for first, second, third, fourth in itertools.product(VALUES, repeat=4):
        player, banker = (int(first) + int(third)) % 10, (int(second) + int(fourth)) % 10
        start = [CARD[value] + "h" for value in (first, second, third, fourth)]
        if max(player, banker) >= 8:
            cases = [("", 2, 2)]
        elif player >= 6:
            cases = [("5h", 2, 3)] if banker <= 5 else [("", 2, 2)]
        else:
            cases = [
                (f"{CARD[value]}h" + " 9h" * (value in BANK[banker]), 3, 2 + (value in BANK[banker]))
                for value in VALUES
            ]
        for more, of_player, of_banker in cases:
            hands = dealt("punto-banco", " ".join([*start, more]))
            assert [len(str(hand).split()) for hand in hands] == [of_banker, of_player], (start, more)
            assert [str(hand)[:5] for hand in hands] == [f"{start[1]} {start[3]}", f"{start[0]} {start[2]}"]


@pytest.mark.parametrize(
    ("cards", "first", "second"),
    [
        ("As Ah 6c 7c", "As Ah", "6c 7c"),
        ("6c 7c As Ah", "6c 7c", "As Ah"),
        ("Ts 7s 9s 8s", "Ts 7s", "9s 8s"),
        ("Js Tc 7s 6s Kd Qd 9d", "Js Tc Kd 9d", "7s 6s Qd"),
        ("Js Jc Js Jc Jd Jd Jh Jh Qh Qh", "Js Jc Jd Jh Qh", "Js Jc Jd Jh Qh"),
        ("As Js 9s 8s Ts Qs Jd", "As Js Ts Qs Jd", "9s 8s"),
        ("Ts 9s 9c Qs 9h", "Ts 9s", "9c Qs 9h"),
        ("Ts 6s 8s 8c Th", "Ts 6s Th", "8s 8c"),
        ("Js Qs Ts Kc 6h Kh Kd Jh", "Js Qs 6h Kd Jh", "Ts Kc Kh"),
    ],
)
def test_twenty_one(cards: str, first: str, second: str) -> None:
    """Two aces end it; 17 points stand; over 21 ends it at once; an ace is 1 where 11 would be over 21; five cards at
    most.
    """
    assert dealt("twenty-one", cards) == [first, second]


@pytest.mark.parametrize(
    ("word", "cards", "andar", "bahar"),
    [
        (0, "6s 6c", "6c", ""),
        (1, "6s 6c", "", "6c"),
        (1, "6s Qc Td 6c", "Td", "Qc 6c"),
        (0, "6s Qc Td Kd 6c", "Qc Kd", "Td 6c"),
    ],
)
def test_andar_bahar(word: int, cards: str, andar: str, bahar: str) -> None:
    """Side by side in turn, up to the joker's rank; the side that begins is drawn after the joker."""
    assert dealt("andar-bahar", cards, words=[word]) == [andar, bahar, ["andar", "bahar"][word], "6s"]


@pytest.mark.parametrize(
    ("shuffles", "eight", "nine", "ten", "eleven"),
    [
        (["Jc 9c 6c 6d"], "Jc", "9c", "6c", "6d"),
        (["6c 6d 6s Jc"], "6c", "6d", "6s", "Jc"),
        (["Tc 9c 6c 6d 7d Kc"], "Tc 7d", "9c Kc", "6c", "6d"),
        (["Tc 9c 8c 6d 7d 7s Kc"], "Tc 7d", "9c 7s", "8c Kc", "6d"),
        (["9c 8c 7c 6c 7d 7s 7h Kc"], "9c 7d", "8c 7s", "7c 7h", "6c Kc"),
        (["Tc 9c 6c 6d 7d 7s Kc Qc"], "Tc 7d Kc", "9c 7s Qc", "6c", "6d"),
        (["Tc 9c 6c 6d", "Kc Qc"], "Tc Kc", "9c Qc", "6c", "6d"),
    ],
)
def test_thirty_two(shuffles: list[str], eight: str, nine: str, ten: str, eleven: str) -> None:
    """A tie of two, three and four, a tie again, and a deck that has ended."""
    assert dealt("thirty-two", *shuffles) == [ten, eleven, eight, nine]


@pytest.mark.parametrize(
    ("words", "dice", "spins"),
    [
        ([0], [], "1"),
        ([21], [], "1"),
        ([22], [], "2"),
        ([47], [], "10"),
        ([48, 49, 44], [], "chance chance 10"),
        ([50, 0, 1, 2, 2, 4, 3], [1, 2, 3, 3, 5, 4], "2-rolls"),
        ([53, 0, 1, 1, 0, 0, 1, 1, 0], [1, 2, 2, 1, 1, 2, 2, 1], "4-rolls"),
    ],
)
def test_monopoly(words: list[int], dice: list[int], spins: str) -> None:
    """A chance card spins again; doubles do not count as a roll."""
    assert dealt("monopoly", words=words) == [dice, spins]


@pytest.mark.parametrize(
    "points",
    ["AAAAAAA", "BBBBBAAAAABB", "ABABABABABABAA", "ABABABABABABBABB", "ABABABABABABABABA", "ABABABABABABABABB"],
)
def test_rally(points: str) -> None:
    """7:0, 5:7, 8:6, 7:9, 9:8 and 8:9; a word below `a` is A's."""
    words = [5199 if point == "A" else 5200 for point in points]
    assert dealt("rally", words=words, rules={"a": 5200, "version": 1}) == [points]
