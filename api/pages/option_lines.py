"""The winning options of a declared game as its table's page lists them: in groups, if they are many."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import groupby

from api.pages.bet_words import sentence_words
from api.pages.shell import languages
from fairness.draws.game import Rules
from games.bets import CATALOGUE_BETS
from games.bets.game_bets import GameBets
from games.bets.returns import Line, odds_of, returns_of

_MOST_IN_VIEW = 20
_LEAST_OF_A_GROUP = 6
_LONGEST_FRACTION = 12


@dataclass(frozen=True, slots=True)
class OptionLine:
    """One winning option."""

    form: str
    wins: str
    odds: str
    chance: str
    returned: str
    fraction: str
    """The exact return, if it is one, and short enough to read."""


@dataclass(frozen=True, slots=True)
class Group:
    """Options that stand together."""

    lines: tuple[OptionLine, ...]

    @property
    def ends(self) -> tuple[str, str]:
        """How the first and the last of them are written."""
        return self.lines[0].form, self.lines[-1].form


def option_groups(game: str, bets: GameBets | None, rules: Rules) -> tuple[Group, ...]:
    """Return all options in the language of this answer; one group if they are few, none for a game without bets.

    Of bets that are not the catalogue's, nobody has written sentences, and only the odds are listed.
    """
    if bets is None:
        return ()
    is_catalogues = bets is CATALOGUE_BETS.get(game)
    lines = returns_of(game, rules) if is_catalogues else odds_of(bets, tuple(sorted(rules.items())))
    groups = [lines] if len(lines) <= _MOST_IN_VIEW else list(_groups(lines))
    return tuple(Group(tuple(map(_shown, group))) for group in groups)


def _groups(lines: Sequence[Line]) -> Iterator[Sequence[Line]]:
    """Group neighbours whose bets begin with the same word; few ones join those that follow."""
    waiting: list[Line] = []
    for _, alike in groupby(lines, lambda line: line.option.form.split()[0]):
        waiting += alike
        if len(waiting) >= _LEAST_OF_A_GROUP:
            yield waiting
            waiting = []
    if waiting:
        yield waiting


def _shown(line: Line) -> OptionLine:
    exact = str(line.returns[0]) if len(line.returns) == 1 else ""
    return OptionLine(
        line.option.form,
        sentence_words(line.option.wins, languages.gettext),
        (" … " if line.is_range else ", ").join(odds.replace(" ", "\N{NO-BREAK SPACE}") for odds in line.odds),
        _percents(line.chances),
        _percents(line.returns),
        exact if len(exact) <= _LONGEST_FRACTION else "",
    )


def _percents(values: Sequence[Fraction]) -> str:
    return " … ".join(dict.fromkeys(map(languages.percent, values)))
