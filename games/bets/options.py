"""Winning options as data (``games/bets.json``): each is a form, a figure, and what the figure's values pay.

    {"form": "number N", "choices": {"N": [0, 36]}, "figure": ["value", "pocket"], "on": ["$N"], "odds": "35:1"}

``$N`` is what a letter stands for; a list is put in where it stands. ``on`` with ``odds`` is one prize, ``pays`` is a list of them.
Odds are ``35:1`` or ``x 3``; ``x $X`` are a letter's hundredths; an object has them by the letters' words; ``open`` are odds that the
regulation leaves to the table: ``priced`` has them in hundredths, or they follow from the law at hand (`games.bets.pricing`).

A bet that may outlive its round has ``"lasts": {"loses": […], "as": "pass on #"}``: other values than these, and than those that
win, leave it open, and ``as`` is how it is written in the next round, if otherwise; ``since`` is how that one was written when made.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction

from fairness.draws.game import Rules
from games.bets.bet import Odds, Option
from games.bets.figures import Figure
from games.bets.forms import Form, Letters, bound, choice_of
from games.bets.values import Given, Values

OPEN = "open"
_BESIDE = re.compile(r"([0-9.]+):1", re.ASCII)
_TERM = re.compile(r"(?:([0-9.]+)|\$([A-Z]))(?:/([0-9]+))?", re.ASCII)
_WHOLE = re.compile(r"\$([A-Z])(?:\.([a-z]+))?", re.ASCII)


@dataclass(frozen=True, slots=True)
class Pays:
    """A prize before its letters are known."""

    values: Given
    odds: Given


@dataclass(frozen=True, slots=True)
class Offer:
    """A winning option, as its line has it."""

    option: Option
    form: Form
    figure: Given
    pays: tuple[Pays, ...]
    priced: Given
    """The stored price, in hundredths: a number, or numbers by the letters' words; `None` if it follows from the law."""
    is_multiplied: bool
    is_of_numbers: bool
    """Whether the figure's value is one of some numbers that are all equally likely."""
    after: Mapping[str, Given] | None
    """For a bet that is compared with an earlier round's card: its place, cards that do not count, and by card the prize."""
    given: tuple[Given, Given] | None
    """A figure and values without which the round did not offer the bet: what was known when it was made."""
    lasts: Mapping[str, Given] | None
    """For a bet that may outlive its round: the values that lose, and how it is written in the next round."""
    since: str
    """For such a bet in a later round: the bet as it was made, whose odds it keeps."""

    @classmethod
    def of(cls, line: Mapping[str, Given]) -> Offer:
        """The offer that a line of ``bets.json`` describes."""
        listed = line.get("listed", {})
        choices = {name: choice_of(given, listed.get(name)) for name, given in line.get("choices", {}).items()}
        form = line["form"]
        pays = [[line["on"], line["odds"]]] if "on" in line else line.get("pays", [])
        return cls(
            Option(line.get("name", form), form, line["wins"]),
            Form.of(form, choices),
            line["figure"],
            tuple(Pays(values, odds) for values, odds in pays),
            line.get("priced"),
            "times" in line,
            "among" in line,
            line.get("after"),
            tuple(line["given"]) if "given" in line else None,
            line.get("lasts"),
            line.get("since", ""),
        )

    @property
    def is_always_offered(self) -> bool:
        """Whether its bets are the same in every round, and decided by it: not if other rounds, or what is left, count."""
        is_of_left = any(isinstance(each.odds, dict) and "left" in each.odds for each in self.pays)
        return self.after is None and self.given is None and self.lasts is None and not is_of_left

    @property
    def is_open(self) -> bool:
        """Whether the regulation leaves its odds to the table."""
        return any(each.odds == OPEN for each in self.pays)


def filled(given: Given, letters: Letters) -> Given:
    """JSON with what the letters stand for, hashable: a figure, or its arguments."""
    if isinstance(given, str):
        whole = _WHOLE.fullmatch(given)
        if whole:
            return _meaning(whole, letters)
        return _WHOLE.sub(lambda match: str(_meaning(match, letters)), given)
    if isinstance(given, list):
        found: list[Given] = []
        for each in given:
            value = filled(each, letters)
            found += value if isinstance(value, list) else [value]
        return tuple(found)
    return given


def _meaning(match: re.Match[str], letters: Letters) -> Given:
    """What ``$N`` stands for, or a part of it: ``$K.card``."""
    return letters[match[1]] if match[2] is None else letters[match[1]][match[2]]


def figure_of(given: Given, letters: Letters, rules: Rules) -> Figure:
    """A figure; sets of values in it are objects ``{"in": […]}``."""
    if isinstance(given, dict):
        return values_of(given["in"], letters, rules)  # type: ignore[return-value]  # an argument of one
    if isinstance(given, list):
        found: list[Given] = []
        for each in given:
            value = figure_of(each, letters, rules)
            found += value if isinstance(each, str) and isinstance(value, tuple) else [value]
        return tuple(found)
    whole = filled(given, letters)
    return tuple(whole) if isinstance(whole, list) else whole


def values_of(given: Given, letters: Letters, rules: Rules) -> Values:
    """Values, letters, and ``{"from": 1, "to": 9}``."""
    listed: list[Given] = []
    ranges: list[tuple[int | None, int | None]] = []
    for each in given:
        if isinstance(each, dict):
            ends = [bound(each[key], letters, rules) if key in each else None for key in ("from", "to")]
            ranges.append((ends[0], ends[1]))
        else:
            found = filled(each, letters)
            listed += found if isinstance(found, list) else [found]
    return Values(frozenset(listed), tuple(ranges))


def odds_of(given: str, letters: Letters) -> Odds:
    """``35:1``, ``x 3``, ``x $X/2+$Y/2``."""
    beside = _BESIDE.fullmatch(given)
    if beside:
        return Odds.to_one(Fraction(beside[1]))
    return Odds.times(sum((_term(each, letters) for each in given.removeprefix("x ").split("+")), Fraction(0)))


def _term(text: str, letters: Letters) -> Fraction:
    match = _TERM.fullmatch(text)
    if match is None:
        raise ValueError(f"{text!r} are no odds")
    value = Fraction(match[1]) if match[1] else Fraction(letters[match[2]], 100)
    return Fraction(value, int(match[3] or 1))


def offers_of(data: Mapping[str, Given], game: str) -> Iterator[Offer]:
    """The options of a game: its own lines, and named groups that several games have."""
    for each in data["games"][game]["options"]:
        lines = data["groups"][each] if isinstance(each, str) else [each]
        yield from map(Offer.of, lines)
