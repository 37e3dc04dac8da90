"""What fills the places of a game's outcome: one device for dice, balls, cards, wheels, runners, with what it draws
from.

A device fills a fixed number of places in every round. A pile may give further things in some rounds, such as a third
card. Its things are drawn in one of three ways (SPEC 3.7): each *returned* before the next, *taken* without return,
or *ranked* by weights until all have come.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise, zip_longest
from typing import Literal

from fairness.draws.game import Outcome, Rules
from games.bets.laws.flight import WORDS, words_at_least
from games.declared.deals import (
    SEGMENTS,
    Deal,
    andar_bahar,
    monopoly,
    punto_banco,
    rally,
    thirty_two,
    twenty_one,
)
from games.declared.declaration import Declaration, Drum
from games.declared.law import law
from games.declared.spelling import spelled
from games.declared.takes import Pick, Take
from games.declared.throws import Ends, Flight, Numbers, One, Reels
from games.declared.values import Count, Value
from games.declared.wheels import Chosen, Race, Spin, Wheel, Wheels
from games.multipliers import decimal_text, hundredths_of

MOST_LABELS = 100
"""A range of more numbers is cut into this many parts."""
CASH_OUTS = (101, 110, 125, 150, 200, 300, 500, 1_000, 2_000, 5_000, 10_000, 100_000)
"""The boundaries of the parts of multipliers, in hundredths."""
CASH_OUTS_IN_WORDS = tuple(map(decimal_text, CASH_OUTS))
MOST_FURTHER = 2
_RANKED_EXACTLY = 16
_WHOLE, _RALLY = 10_000, 7

Way = Literal["returned", "taken", "ranked"]
Read = Callable[[Outcome], Sequence[int]]
Dealt = Callable[[Outcome], list[str]]


@dataclass(frozen=True, slots=True, eq=False)
class Device:
    """One device of a game, under one set of rules."""

    name: str
    """The places that it fills: ``dice``; ``home, away``."""
    way: Way
    labels: tuple[str, ...]
    """What can come, each once."""
    counts: tuple[Fraction | int, ...]
    """By label: how many there are, or its weight."""
    size: int
    """How many things it gives in every round."""
    read: Read
    """The indices in ``labels`` of the things of an outcome, in the order in which they were drawn."""
    further: Read | None = None
    """Those that follow in some rounds, the first `MOST_FURTHER` of them: whether one does depends on nothing but
    those before it.
    """

    @property
    def things(self) -> int:
        """How many things a pile has."""
        return int(sum(self.counts))

    @property
    def is_uniform(self) -> bool:
        """Whether all labels are equally likely."""
        return len(set(self.counts)) == 1

    @property
    def has_each_once(self) -> bool:
        """Whether no thing of a pile is there twice."""
        return set(self.counts) == {1}

    @property
    def telling(self) -> int:
        """How many of its first things differ from round to round: of a race the winner, of a whole pile half of
        it.
        """
        if self.way == "ranked":
            return 1
        return self.things // 2 if self.way == "taken" and self.size >= self.things else self.size

    def place(self, at: int) -> str:
        """Return the name of one of its places, from 0."""
        return self.name if self.size == 1 else f"{self.name}, no. {at + 1}"


def devices_of(declaration: Declaration, rules: Rules) -> tuple[Device, ...]:
    """Return the devices of a game, under rules that were checked, in the order of its draws."""
    return tuple(
        device for device in _Reading(declaration, rules).devices() if device.size and len(device.labels) > 1
    )


def whole_outcome(name: str, labels: tuple[str, ...], declaration: Declaration, rules: Rules) -> Device:
    """Return outcomes as one thing, whatever draws them: all of a law that can be listed, equally likely, in its
    order.

    Raises `TooMany` as `law` does.
    """
    places = {text: place for place, text in enumerate(law(declaration, rules))}
    return Device(name, "returned", labels, (1,) * len(labels), 1, lambda outcome: [places[spelled(outcome)]])


class _Reading:
    """A declaration, read under one set of rules."""

    def __init__(self, declaration: Declaration, rules: Rules) -> None:
        self._declaration, self._rules = declaration, rules
        self._sizes: dict[str, tuple[int, bool]] = {}
        """How many things each place has at least, and whether it always has so many."""
        for step in declaration.steps:
            self._note(step)

    def _note(self, step: object) -> None:
        """Note what later steps and the pile, whose device comes first, ask of a place."""
        match step:
            case Numbers(places=(place,), times=number) | Wheels(places=(place,), times=number):
                self._sizes[place] = self._count(number)
            case Pick(places=(place,), number=number):
                self._sizes[place] = self._count(number)
            case Take(places=(place,), number=number, times=times):
                least, is_fixed = self._count(number)
                self._sizes[place] = (least * times, is_fixed)
            case Reels(places=(place,)):
                self._sizes[place] = (len(self._family("reel")), True)
            case Race(places=(place,)):
                self._sizes[place] = (len(self._family("w")), True)

    def devices(self) -> Iterable[Device]:
        """Return the devices: the pile comes first, as all of its places together are one device."""
        return [*self._pile(), *(device for step in self._declaration.steps for device in self._of(step))]

    def _value(self, given: Value) -> int:
        return self._rules[given] if isinstance(given, str) else given

    def _count(self, given: Count | None) -> tuple[int, bool]:
        if given is None:
            return 1, True
        if isinstance(given, tuple):
            return given[0], given[0] == given[1]
        if isinstance(given, str) and given in self._sizes:
            return self._sizes[given]
        return self._value(given), True

    def _family(self, prefix: str) -> list[int]:
        size = self._rules[self._declaration.parameters.families[prefix][0]]
        return [self._rules[f"{prefix}{number}"] for number in range(1, size + 1)]

    def _of(self, step: object) -> Iterable[Device]:
        match step:
            case Numbers(places=(place,)):
                return [self._numbers(place, "returned", step.low, step.high)]
            case Pick(places=(place,)):
                return [self._numbers(place, "taken", step.low, step.high)]
            case Reels(places=(place,)):
                return [self._reel(place, at, stops) for at, stops in enumerate(self._family("reel"))]
            case Flight(places=(place,)):
                return [self._flight(place)]
            case Deal():
                return self._deal(step)
            case _:
                return self._of_labels(step)

    def _of_labels(self, step: object) -> Iterable[Device]:
        match step:
            case Ends():
                words, places = Counter(_words(end, step.places) for end in step.ends), step.places
                index = _index(words)
                return [_device("outcome", "returned", words, 1, lambda outcome: [index[_words(outcome, places)]])]
            case One(places=(place,)):
                return [self._weighted(place, ((label, 1) for label in step.labels))]
            case Wheels(places=(place,)):
                return [self._weighted(place, zip(step.labels, step.weights, strict=True))]
            case Wheel(places=(place,)) | Spin(places=(place,)):
                return [self._weighted(place, step.segments)]
            case _:
                return self._of_family(step)

    def _of_family(self, step: object) -> Iterable[Device]:
        match step:
            case Chosen(places=(place,)):
                return [self._weighted(place, enumerate(self._family("w"), 1))]
            case Race(places=(place,)):
                return [self._race(place)]
            case _:
                # What is taken is in the pile.
                return ()

    def _numbers(self, place: str, way: Way, low: Value, high: Value) -> Device:
        least, most = self._value(low), self._value(high)
        number, size = most - least + 1, self._sizes[place][0]
        if number <= MOST_LABELS:
            labels = Counter({str(each): 1 for each in range(least, most + 1)})
            return _device(place, way, labels, size, lambda outcome: _all(place, outcome, size, lambda x: x - least))
        edges = [least + number * part // MOST_LABELS for part in range(MOST_LABELS + 1)]
        parts = Counter({f"{first}\N{EN DASH}{after - 1}": after - first for first, after in pairwise(edges)})
        return _device(
            place,
            way,
            parts,
            size,
            lambda outcome: _all(place, outcome, size, lambda x: bisect_right(edges, x) - 1),
        )

    def _weighted(self, place: str, segments: Iterable[tuple[object, Value]]) -> Device:
        weights: Counter[str] = Counter()
        for label, weight in segments:
            weights[str(label)] += self._value(weight)
        weights = +weights  # without those that cannot come
        index, size = _index(weights), self._sizes.get(place, (1, True))[0]
        return _device(
            place, "returned", weights, size, lambda outcome: [index[str(x)] for x in _things(outcome, place)[:size]]
        )

    def _reel(self, place: str, at: int, stops: int) -> Device:
        width = -(-stops // MOST_LABELS)
        edges = [*range(0, stops, width), stops]
        labels = {_part(first, after): after - first for first, after in pairwise(edges)}
        return _device(
            f"{place} {at + 1}",
            "returned",
            labels,
            1,
            lambda outcome: [int(str(_things(outcome, place)[at])) // width],
        )

    def _race(self, place: str) -> Device:
        weights = Counter({str(runner): weight for runner, weight in enumerate(self._family("w"), 1)})
        size = len(weights) if len(weights) <= _RANKED_EXACTLY else 1
        way: Way = "ranked" if size > 1 else "returned"
        return _device(place, way, weights, size, lambda outcome: _all(place, outcome, size, lambda x: x - 1))

    def _flight(self, place: str) -> Device:
        rtp, cap = self._rules["rtp"], self._rules["cap"]
        edges = [at for at in CASH_OUTS if at <= cap]
        reached = [Fraction(1), *(Fraction(words_at_least(at, rtp), WORDS) for at in edges), Fraction(0)]
        texts = CASH_OUTS_IN_WORDS[: len(edges)]
        labels = ["1.00", *(f"{low} up to {high}" for low, high in pairwise(texts)), f"{texts[-1]} or more"]
        weights = {label: low - high for label, (low, high) in zip(labels, pairwise(reached), strict=True)}
        return _device(
            place,
            "returned",
            weights,
            1,
            lambda outcome: [bisect_right(edges, hundredths_of(outcome[place]))],
        )

    def _pile(self) -> Iterable[Device]:
        """Return all that is taken from the drum or the shoe, up to the first place that can have more or fewer
        things.
        """
        parts: list[tuple[str, int]] = []
        for step in self._declaration.steps:
            if isinstance(step, Take):
                number, is_fixed = self._sizes[step.places[0]]
                parts.append((step.places[0], number))
                if not is_fixed:
                    break
        if not parts:
            return ()
        name, size = ", ".join(place for place, _ in parts), sum(size for _, size in parts)

        def dealt(outcome: Outcome) -> list[str]:
            *whole, (last, _) = parts
            return [str(x) for place, size in whole for x in _things(outcome, place)[:size]] + list(
                map(str, _things(outcome, last))
            )

        return [self._taken(name, size, dealt)]

    def _taken(self, name: str, size: int, dealt: Dealt) -> Device:
        pack = self._pack()
        index = _index(pack)
        return Device(
            name,
            "taken",
            tuple(pack),
            tuple(pack.values()),
            size,
            lambda outcome: [index[x] for x in dealt(outcome)[:size]],
            lambda outcome: [index[x] for x in dealt(outcome)[size : size + MOST_FURTHER]],
        )

    def _pack(self) -> Counter[str]:
        pile = self._declaration.pile
        if isinstance(pile, Drum):
            return Counter(str(number) for number in range(self._value(pile.low), self._value(pile.high) + 1))
        if pile is None:
            raise ValueError("the declaration was not checked: it takes, and has neither drum nor shoe")
        packs = self._value(pile.packs)
        return Counter({thing: number * packs for thing, number in Counter(pile.things).items()})

    def _deal(self, deal: Deal) -> Iterable[Device]:
        """Return the cards that a deal always gives, in the order of dealing."""
        if deal.draw is rally:
            own = min(self._rules["a"], _WHOLE)
            points = +Counter({"A": own, "B": _WHOLE - own})
            index = _index(points)
            return [
                _device("points", "returned", points, _RALLY, lambda o: [index[x] for x in str(o["points"])[:_RALLY]])
            ]
        if deal.draw is monopoly:
            return [self._weighted("spins", SEGMENTS.items())]
        if deal.draw not in _DEALT:
            return ()
        found = [self._taken(*_DEALT[deal.draw])]
        return [*found, self._weighted("first", (("andar", 1), ("bahar", 1)))] if deal.draw is andar_bahar else found


def _in_turn(*hands: Sequence[str]) -> list[str]:
    """Deal a card to each hand that still gets one, again and again."""
    return [card for cards in zip_longest(*hands) for card in cards if card is not None]


def _hands(outcome: Outcome, *places: str) -> list[list[str]]:
    return [str(outcome[place]).split() for place in places]


def _punto_banco(outcome: Outcome) -> list[str]:
    return _in_turn(*_hands(outcome, "player", "banker"))


def _twenty_one(outcome: Outcome) -> list[str]:
    first, second = _hands(outcome, "first", "second")
    return [*first[:2], *second[:2], *_in_turn(first[2:], second[2:])]


def _thirty_two(outcome: Outcome) -> list[str]:
    return _in_turn(*_hands(outcome, "player-8", "player-9", "player-10", "player-11"))


def _andar_bahar(outcome: Outcome) -> list[str]:
    first = str(outcome["first"])
    return [str(outcome["joker"]), *_in_turn(*_hands(outcome, first, "bahar" if first == "andar" else "andar"))]


_DEALT: Mapping[object, tuple[str, int, Dealt]] = {
    punto_banco: ("first four cards", 4, _punto_banco),
    twenty_one: ("first four cards", 4, _twenty_one),
    thirty_two: ("first four cards", 4, _thirty_two),
    andar_bahar: ("joker and first card", 2, _andar_bahar),
}
"""What each deal always gives, how many cards that are, and all of its cards in the order of dealing."""


def _device(name: str, way: Way, weights: Mapping[str, Fraction | int], size: int, read: Read) -> Device:
    return Device(name, way, tuple(weights), tuple(weights.values()), size, read)


def _index(labels: Iterable[str]) -> dict[str, int]:
    return {label: at for at, label in enumerate(labels)}


def _part(first: int, after: int) -> str:
    return str(first) if after == first + 1 else f"{first}\N{EN DASH}{after - 1}"


def _words(outcome: Mapping[str, object], places: Iterable[str]) -> str:
    """Return what the outcome has at these places; those that it lacks are left out."""
    return " ".join(str(outcome[place]) for place in places if place in outcome)


def _things(outcome: Outcome, place: str) -> Sequence[object]:
    found = outcome[place]
    return found.split() if isinstance(found, str) else found if isinstance(found, list) else [found]


def _all(place: str, outcome: Outcome, size: int, index: Callable[[int], int]) -> list[int]:
    return [index(int(str(each))) for each in _things(outcome, place)[:size]]
