"""The laws of the catalogue's games are the regulation's: by listing every way, or by counting exactly."""

from __future__ import annotations

import itertools
from collections import Counter
from math import comb, perm

import pytest

from fairness.draws.stream import Stream
from games.declared.catalogue import catalogue
from games.declared.deals import DEALS
from games.declared.declaration import Declaration, Drum, Shoe
from games.declared.law import TooMany, law
from games.declared.pile import Pile
from games.declared.scope import Drawing
from games.declared.takes import Take
from tests.oracles.given_stream import GivenStream
from tests.oracles.laws_oracle import COUPS, LAWS, RULES, SPINS, twenty_one

LISTED = {each.game: each.declaration for each in catalogue()}
# Games whose ways are too many to list need no parameters here, but those that have some cannot be asked without.
ASKED = [game for game in LISTED if game in RULES or not LISTED[game].parameters.plain]
TAKEN = [game for game, declaration in LISTED.items() if any(isinstance(step, Take) for step in declaration.steps)]


@pytest.mark.parametrize("game", ASKED)
def test_the_whole_law_is_the_regulations(game: str) -> None:
    """Each outcome with its exact chance, and no others; the oracle has every game that can be listed."""
    rules = RULES.get(game, {}) | {"version": 1}
    LISTED[game].check_rules(rules)
    try:
        found = law(LISTED[game], rules)
    except TooMany:
        assert game not in LAWS
    else:
        assert found == LAWS[game]


@pytest.mark.parametrize("game", SPINS)
def test_wheels_that_are_spun_again_have_these_segments(game: str) -> None:
    """Each of the 54 words of the first spin; what follows is the same wheel again."""
    first: Counter[str] = Counter()
    for word in range(54):
        outcome = LISTED[game].outcome(GivenStream.of_words(word, 0, *[0, 1] * 8), {"version": 1})
        first[str(outcome["spins"]).split()[0]] += 1
    assert first == SPINS[game]


@pytest.mark.parametrize("game", TAKEN)
def test_what_is_taken_is_the_sample(game: str) -> None:
    """All places of a drum or a shoe are, in turn, the first things of `sample` on the same stream."""
    declaration = LISTED[game]
    # A place before the pile's takes its own words from the stream first; `mega-ball` draws a count in between.
    takes = [step for step in declaration.steps if isinstance(step, Take)]
    if declaration.steps[0] != takes[0] or any(isinstance(step.number, tuple) for step in takes):
        takes = [takes[0]]
    rules = {key: bounds.most for key, bounds in declaration.parameters.plain.items()} | {"version": 1}
    rules |= {"count": 80, "of": 90} if game == "lotto" else {}
    declaration.check_rules(rules)
    for number in range(50):
        stream, other = (Stream([bytes(32)], bytes(32), number) for _ in range(2))
        outcome = declaration.outcome(stream, rules)
        if not isinstance(declaration.steps[0], Take):
            other.below(2)
        found = [thing for step in takes for thing in _things(outcome[step.places[0]])]
        assert found == _first(declaration, rules, other, len(found))


def _things(value: str | int | list[int]) -> list[str]:
    return [str(each) for each in value] if isinstance(value, list) else str(value).split()


def _first(declaration: Declaration, rules: dict[str, int], stream: Stream, count: int) -> list[str]:
    pile = declaration.pile
    if isinstance(pile, Drum):
        low, high = (rules.get(str(each), each) for each in (pile.low, pile.high))
        return [str(int(low) + at) for at in stream.sample(int(high) - int(low) + 1, count)]
    assert isinstance(pile, Shoe)
    things = pile.things * int(rules.get(str(pile.packs), pile.packs))
    return [things[at] for at in stream.sample(len(things), count)]


class _Asked(Pile):
    """A shoe whose cards are given; it ends the deal when more are asked for."""

    def __init__(self, cards: tuple[str, ...]) -> None:
        self._cards = iter(cards)

    def next(self) -> str:
        return next(self._cards)


_PACK = {"K": 128} | dict.fromkeys("A23456789", 32)
"""Eight packs by their points: 128 cards of none, and 32 each of the others."""
_POINTS = {"K": 0, "A": 1} | {str(points): points for points in range(2, 10)}


@pytest.mark.nightly("walks through all hands")
def test_punto_banco_has_the_chances_that_are_known_everywhere() -> None:
    """Counted over all orders of six cards of eight packs."""
    counts: Counter[str] = Counter()
    starts: list[tuple[str, ...]] = list(itertools.product(_PACK, repeat=4))
    while starts:
        longer: list[tuple[str, ...]] = []
        for cards in starts:
            try:
                outcome = DEALS["punto-banco"].draw(Drawing(GivenStream(), {}, _Asked(cards), {}))
            except StopIteration:
                longer += [(*cards, card) for card in _PACK]
                continue
            totals = [sum(_POINTS[card] for card in str(outcome[side]).split()) % 10 for side in ("banker", "player")]
            winner = "tie" if totals[0] == totals[1] else "banker" if totals[0] > totals[1] else "player"
            ways = 1
            for card, times in Counter(cards).items():
                ways *= perm(_PACK[card], times)
            counts[winner] += ways * perm(416 - len(cards), 6 - len(cards))
        starts = longer
    assert counts == COUPS
    assert sum(counts.values()) == perm(416, 6)


def test_andar_bahar_ends_with_the_cards_that_the_law_says() -> None:
    """Over all places of the joker's three cards among the other 51: k cards in C(51 - k, 2) of C(51, 3) (12.55)."""
    lengths: Counter[int] = Counter()
    for places in itertools.combinations(range(51), 3):
        cards = ("6s", *("6c" if at in places else "7c" for at in range(51)))
        outcome = DEALS["andar-bahar"].draw(Drawing(GivenStream.of_words(0), {}, _Asked(cards), {}))
        lengths[len(f"{outcome['andar']} {outcome['bahar']}".split())] += 1
    assert lengths == {cards: comb(51 - cards, 2) for cards in range(1, 50)}


def test_a_rally_has_as_many_courses_as_the_law_says() -> None:
    """To seven, or further from six all: 7:k in C(6 + k, k), from 6:6 8:6 in one way, 9:7 in two, 9:8 in four
    (12.61).
    """
    courses: Counter[tuple[int, int]] = Counter()
    open_: list[tuple[int, ...]] = [()]
    while open_:
        words = open_.pop()
        try:
            outcome = DEALS["rally"].draw(Drawing(GivenStream.of_words(*words), {"a": 1}, None, {}))
        except StopIteration:
            open_ += [(*words, 0), (*words, 1)]
            continue
        points = str(outcome["points"])
        courses[points.count("A"), points.count("B")] += 1
    even = comb(12, 6)
    won = {(7, lost): comb(6 + lost, lost) for lost in range(6)} | {(8, 6): even, (9, 7): 2 * even, (9, 8): 4 * even}
    assert courses == won | {(lost, winner): ways for (winner, lost), ways in won.items()}


def test_twenty_one_deals_what_the_oracle_deals() -> None:
    """From the same orders of the pack, thousands of them."""
    deck = [rank + suit for rank in "6789TJQKA" for suit in "cdhs"]
    lengths: Counter[tuple[int, int]] = Counter()
    for number in range(5000):
        order = [deck[at] for at in Stream([bytes(32)], bytes(32), number).sample(36, 36)]
        outcome = LISTED["twenty-one-bet"].outcome(Stream([bytes(32)], bytes(32), number), {"version": 1})
        first, second = twenty_one(order)
        assert outcome == {"first": " ".join(first), "second": " ".join(second)}
        lengths[len(first), len(second)] += 1
    assert {cards for pair in lengths for cards in pair} == {2, 3, 4, 5}
