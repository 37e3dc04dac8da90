"""Winning options as data: each is a form, a figure, and what the figure's values pay. docs/paytable-format.md has
every word.

An option stands in a paytable (`games.bets.paytable`). What people read about it, which of its bets are listed, and
which of its odds are priced by whoever writes the file is in its line of ``games/bets.json``, if it is the
catalogue's.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from fairness.draws.game import Rules
from games.bets.bet import Odds, Option
from games.bets.figures import Figure
from games.bets.forms import KINDS, Form, Letters, bound, choice_of
from games.bets.values import Given, Values

OPEN = "open"
RETURNS = "returns"
_HUNDREDTHS = 100
_WHOLE = re.compile(r"\$([A-Z])(?:\.([a-z]+))?", re.ASCII)


@dataclass(frozen=True, slots=True)
class Pays:
    """A prize before its letters are known."""

    values: Given
    odds: Given
    is_priced: bool
    """Whether the odds are not the regulation's, but follow from the chance that the bet wins."""

    @property
    def chance(self) -> str:
        """The word for the chance that is found when a bet is read; empty if the odds stand in the file."""
        return str(self.odds[2]) if isinstance(self.odds, list) and self.odds[0] == RETURNS else ""


@dataclass(frozen=True, slots=True)
class Offer:
    """A winning option, as the paytable has it."""

    option: Option
    form: Form
    figure: Given
    pays: tuple[Pays, ...]
    after: Mapping[str, Given] | None
    """For a bet that is compared with an earlier round's card: its place, cards that do not count, and by card the
    prize.
    """
    given: tuple[Given, Given] | None
    """A figure and values without which the round did not offer the bet: what was known when it was made."""
    lasts: Mapping[str, Given] | None
    """For a bet that may outlive its round: the values that lose, and how it is written in the next round."""
    since: str
    """For such a bet in a later round: the bet as it was made, whose odds it keeps."""
    cards: tuple[str, ...]
    """The cards after which it is listed."""

    @classmethod
    def of(cls, entry: Mapping[str, Given], line: Mapping[str, Given]) -> Offer:
        """Return the offer that an option of a paytable describes, with its line of ``bets.json``, or an empty
        one.
        """
        form = entry["form"]
        listed = {**_word_order(line), **line.get("listed", {})}
        choices = {name: choice_of(given, listed.get(name)) for name, given in entry.get("choices", {}).items()}
        of_line = [odds for _, odds in line.get("pays", [])] or [line.get("odds")] * len(entry.get("pays", []))
        pays = zip(entry.get("pays", []), of_line, strict=True)
        after = entry.get("after")
        return cls(
            Option(line.get("name", form), form, line.get("wins", "")),
            Form.of(form, choices),
            entry["figure"],
            tuple(Pays(values, odds, given == OPEN) for (values, odds), given in pays),
            after,
            tuple(entry["given"]) if "given" in entry else None,
            entry.get("lasts"),
            line.get("since", ""),
            tuple(line["after"]["by"] if "after" in line else after["by"] if after else ()),
        )

    @property
    def is_always_offered(self) -> bool:
        """Whether its bets are the same in every round, and decided by it: not if other rounds, or what is left,
        count.
        """
        is_of_left = any(each.chance == "left" for each in self.pays)
        return self.after is None and self.given is None and self.lasts is None and not is_of_left


def _word_order(line: Mapping[str, Given]) -> dict[str, list[str]]:
    """Return the words in the order of the line: a file has all keys sorted."""
    choices = line.get("choices", {}).items()
    return {name: list(given) for name, given in choices if isinstance(given, dict) and not KINDS & given.keys()}


def filled(given: Given, letters: Letters) -> Given:
    """Fill in what the letters stand for; JSON, hashable: a figure, or its arguments."""
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
    """Return what ``$N`` stands for, or a part of it: ``$K.card``."""
    return letters[match[1]] if match[2] is None else letters[match[1]][match[2]]


def figure_of(given: Given, letters: Letters, rules: Rules) -> Figure:
    """Return a figure; sets of values in it are objects ``{"in": […]}``."""
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
    """Read values, letters, and ``{"from": 1, "to": 9}``."""
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


def odds_of(given: Given, letters: Letters) -> Odds:
    """Read ``["to", 3500]``, ``["times", [36, 4]]``, ``["times", {"X": 2}]``: beside the stake, or of it; the number
    in hundredths.
    """
    word, amount, *_ = given
    return Odds(_amount(amount, letters), beside_stake=word == "to")


def _amount(given: Given, letters: Letters) -> Fraction:
    if isinstance(given, dict):
        return sum((Fraction(letters[letter], _HUNDREDTHS * by) for letter, by in given.items()), Fraction(0))
    return Fraction(*given) if isinstance(given, list) else Fraction(given, _HUNDREDTHS)


def is_by_value(given: Given) -> bool:
    """Return whether the figure's value multiplies the odds; of odds by words, whether it multiplies any."""
    if isinstance(given, dict):
        return any(map(is_by_value, given.values()))
    # Behind `returns` stands a chance, one of whose bounds may be a parameter of this name.
    return given[0] != RETURNS and "value" in given[2:]
