"""The bets of a table as its page lists them: those that pay and return the same stand in one line."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

from api.pages.bet_words import bet_words, kind_of, words_of
from api.pages.shell import languages
from fairness.draws.game import Rules
from games.bets import BETS
from games.bets.bet import Bet
from games.bets.worth import worth
from games.facts import facts_of

_MOST_LISTED = 3
_LONGEST_FRACTION = 12


@dataclass(frozen=True, slots=True)
class Line:
    """Bets that pay and return the same."""

    words: str
    texts: tuple[str, ...]
    """How they are written: all of them, or of many the first and the last."""
    many: bool
    odds: str
    chance: Fraction
    returned: Fraction

    @property
    def fraction(self) -> str:
        """The exact return, if it is short enough to read."""
        text = str(self.returned)
        return text if len(text) <= _LONGEST_FRACTION else ""


@dataclass(frozen=True, slots=True)
class Returns:
    """All lines; and, listed separately, kinds of bets: how they are written, and when they win."""

    lines: tuple[Line, ...]
    forms: tuple[tuple[str, str], ...]

    @property
    def is_exact(self) -> bool:
        """Whether every return stands there as a fraction."""
        return all(line.fraction for line in self.lines)


def returns(game: str, rules: Rules) -> Returns | None:
    """Return the bets of a game, in the language of this answer; `None` for a game whose bets are not known."""
    return _returns(game, tuple(rules.items()), languages.chosen()) if game in BETS else None


@lru_cache(maxsize=256)
def _returns(game: str, rules: tuple[tuple[str, int], ...], _language: str) -> Returns:
    bets = BETS[game].listed(dict(rules))
    counts = facts_of(game).winning_counts
    if not counts:
        return Returns(tuple(_line(group) for group in _alike(bets)), ())
    forms = [option.form for option in BETS[game].options]
    words = [words_of(*kind_of(form), languages.gettext) for form in forms]
    return Returns(tuple(_lines_by_count(bets, counts)), tuple(zip(forms, words, strict=True)))


def _alike(bets: Iterable[Bet]) -> list[list[Bet]]:
    """Group bets of one kind with the same odds. A bet that is compared with a card, and each cash-out, has a line of
    its own.
    """
    groups: dict[object, list[Bet]] = {}
    for bet in bets:
        kind, numbers = kind_of(bet.text)
        alone = (bet.after, numbers if kind in ("cashout", "half", "half cashout") else ())
        groups.setdefault((kind, alone, _odds(bet)), []).append(bet)
    return list(groups.values())


def _line(bets: Sequence[Bet]) -> Line:
    many = len(bets) > _MOST_LISTED
    texts = (bets[0].text, bets[-1].text) if many else tuple(bet.text for bet in bets)
    if len(bets) == 1:
        return _of(bets[0], bet_words(bets[0], languages.gettext), texts)
    kind, numbers = kind_of(bets[0].text)
    letters = "MN"[-len(numbers) :]
    names = letters if many else [languages.any_of([kind_of(bet.text)[1][0] for bet in bets])]
    return _of(bets[0], words_of(kind, names, languages.gettext), texts, many=many)


def _lines_by_count(bets: Sequence[Bet], counts: Iterable[int]) -> Iterator[Line]:
    """Yield one line for each of these counts: some hundred bets have odds that depend only on how many numbers
    win.
    """
    paying = defaultdict[str, list[Bet]](list)
    for bet in bets:
        paying[_odds(bet)].append(bet)
    # Bets with the same odds have the same chance, so one of them is computed.
    winning = {worth(alike[0]).hit_rate * 100: alike for alike in paying.values()}
    for count in counts:
        alike = winning[Fraction(count)]
        words = languages.ngettext(
            "%(count)s number of 100 wins", "%(count)s numbers of 100 win", count
        ) % {"count": count}  # fmt: skip
        yield _of(alike[0], words, tuple(bet.text for bet in alike))


def _of(bet: Bet, words: str, texts: tuple[str, ...], *, many: bool = False) -> Line:
    figures = worth(bet)
    return Line(words, texts, many, _odds(bet), figures.hit_rate, figures.returned)


def _odds(bet: Bet) -> str:
    return ", ".join(str(prize.odds) for prize in bet.prizes)
