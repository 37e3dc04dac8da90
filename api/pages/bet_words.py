"""Bets in the reader's language: when each one wins, in a few words.

Bets of the six games without a declaration have words of their own. Those of the catalogue have the sentences of
``games/bets.json``: hundreds that differ in a number, a colour or a suit, so translators have one sentence with a
hole for each of these.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from string import ascii_lowercase

from games.bets import BETS, CATALOGUE_BETS
from games.bets.bet import Bet

Translate = Callable[[str], str]

_WITH_OWN_WORDS = frozenset(option for bets in BETS.values() for option in bets.options)
_COLOURS = ("black", "blue", "brown", "green", "grey", "orange", "purple", "red", "white", "yellow")
_SUITS = ("clubs", "diamonds", "hearts", "spades")
_HOLE = re.compile(
    rf"(?P<number>[0-9][0-9., :-]*[0-9]|[0-9])|\b(?P<colour>{'|'.join(_COLOURS)})\b|\b(?P<suit>{'|'.join(_SUITS)})\b"
    r"|(?<=zone )(?P<zone>[A-C])\b"
)


def sentence_words(sentence: str, _: Translate) -> str:
    """Return a sentence of the bets' data, translated; in English as it stands there. Bets of an operator's own have
    none.
    """
    if not sentence:
        return ""
    template, holes = _template(sentence)
    translated = _(template)
    if translated == template:
        return sentence
    return translated % {name: _(message) for name, message in holes.items()}


def _template(sentence: str) -> tuple[str, dict[str, str]]:
    """Return the sentence with holes, and for each what translators find in its place."""
    holes: dict[str, str] = {}

    def hole(match: re.Match[str]) -> str:
        name = ascii_lowercase[len(holes)]
        holes[name] = f"the {match.lastgroup} {match[0]}" if match.lastgroup in ("colour", "suit") else match[0]
        return f"%({name})s"

    return _HOLE.sub(hole, sentence), holes


def sentences(games: Iterable[str], _: Translate) -> dict[str, str]:
    """Return when the bets of these games' options win, by the game and the option's place among its options, from 0:
    ``keno 12``.
    """
    return {
        f"{game} {place}": sentence_words(option.wins, _)
        for game in games
        for place, option in enumerate(CATALOGUE_BETS[game].options)
    }


def sentence_messages() -> Iterable[str]:
    """Return all messages that translators find in the bets' data."""
    declared = [game for game in CATALOGUE_BETS if game not in BETS]
    found = {_template(sentence)[0] for sentence in sentences(declared, str).values()}
    return sorted(found | {f"the colour {each}" for each in _COLOURS} | {f"the suit {each}" for each in _SUITS})


def bet_words(bet: Bet, _: Translate) -> str:
    """Return when a bet wins; the regulation's own words stand in ``docs/bets.md``."""
    if bet.option not in _WITH_OWN_WORDS:
        return sentence_words(bet.option.wins, _)
    if bet.after:
        return _("Higher than the card before, %(card)s") % {"card": bet.after} if bet.text == "hi" else (
            _("Lower than the card before, %(card)s") % {"card": bet.after}
        )  # fmt: skip
    return words_of(*kind_of(bet.text), _)


def kind_of(text: str) -> tuple[str, tuple[str, ...]]:
    """Return a bet without its numbers, and the numbers: ``sum 10`` is a ``sum`` of ``10``."""
    first, *rest = text.split(" ")
    if first == "half" and len(rest) > 1:
        return "half cashout", (rest[0], rest[2])
    if first in ("range", "outside"):
        return first, tuple(rest[0].split("-"))
    if first in _WITH_NUMBERS:
        return first, tuple(rest)
    return text, ()


_WITH_NUMBERS = (
    "cashout",
    "half",
    "card",
    "triple",
    "pair",
    "sum",
    "combination",
    "number",
    "sector",
    "lower",
    "higher",
)


def words_of(kind: str, numbers: Sequence[str], _: Translate) -> str:
    """Return when a bet of this kind wins, with these numbers or with letters in their place; empty for a kind that
    is not known here.
    """
    names = dict(zip("MN" if len(numbers) > 1 else "N", numbers, strict=False))
    return (_all(_).get(kind, "")) % names


def _all(_: Translate) -> dict[str, str]:
    return {
        "cashout": _("The multiplier reaches %(N)s"),
        "half": _("The multiplier reaches %(N)s: half of the stake leaves there, the other half is lost"),
        "half cashout": _(
            "Half of the stake leaves at %(M)s, the other half at %(N)s, each if the multiplier reaches it"
        ),
        "2-9": _("A card from 2 to 9"),
        "J-A": _("J, Q, K or A"),
        "K-A": _("K or A"),
        "card": _("The card %(N)s, red or black"),
        "joker": _("The Joker"),
        "red": _("A red card"),
        "black": _("A black card"),
        "small": _("A sum from 4 to 10, but no three equal dice"),
        "big": _("A sum from 11 to 17, but no three equal dice"),
        "triple": _("%(N)s on all three dice"),
        "any triple": _("Three equal dice"),
        "pair": _("%(N)s on two dice or three"),
        "sum": _("A sum of %(N)s"),
        "combination": _("%(M)s on one die, %(N)s on another"),
        "number": _("%(N)s on one die, on two or on three, each with its own odds"),
        "sector": _("The ball appears in sector %(N)s"),
        "yellow": _("A yellow sector"),
        "blue": _("A blue sector"),
        "upper row": _("A sector of the upper row"),
        "middle row": _("A sector of the middle row"),
        "bottom row": _("A sector of the lower row"),
        "failure": _("The goalkeeper stops the ball, or it goes wide"),
        "bar": _("The ball hits the bar"),
        "lower": _("The number %(N)s, or a lower one"),
        "higher": _("The number %(N)s, or a higher one"),
        "range": _("A number from %(M)s to %(N)s"),
        "outside": _("The number %(M)s or a lower one, or %(N)s or a higher one"),
    }
