"""What everybody but the protocol asks about a game: what it starts with, its outcomes as data, how its bets are written.

Nothing here has a part in an outcome, so a change of it is no new version of the game's rules.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from fairness.draws.game import Outcome, Rules
from games.declared.catalogue import listed
from games.declared.throws import Ends

PLAIN_RULES: Rules = {"version": 1}


def ends_of(game: str) -> tuple[Outcome, ...]:
    """All outcomes of a game of the catalogue that draws one of a list, in the order of the draw."""
    (step,) = listed(game).declaration.steps
    if not isinstance(step, Ends):
        raise TypeError(f"{game}: expected a draw of one of a list of outcomes")
    return tuple(map(dict, step.ends))


def message(english: str) -> str:
    """Mark a sentence for the translators of the pages, which translate it when they show it."""
    return english


@dataclass(frozen=True, slots=True)
class Numbers:
    """Outcomes as whole numbers, which is how statistics keep them, and back."""

    count: int
    """How many numbers an outcome is: one to three."""
    of: Callable[[Outcome], tuple[int, int, int]]
    """The numbers of an outcome; those beyond ``count`` are 0."""
    outcome: Callable[[Sequence[int]], Outcome]
    """The outcome of the numbers."""


@dataclass(frozen=True, slots=True)
class Grouping:
    """Outcomes put together into groups: ``groups`` has, for each outcome, a place in ``labels``."""

    name: str
    labels: tuple[str, ...]
    groups: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Board:
    """The numbers of an outcome as squares of a board; the values of the second number follow those of the first."""

    title: str
    names: tuple[str, ...]
    squares: tuple[tuple[int, int], ...]
    """The row and the column of each."""


@dataclass(frozen=True, slots=True)
class Uniform:
    """Outcomes that are all equally likely, and what statistics ask about them, in the order of ``outcomes``."""

    one: str
    """What an outcome is called: ``card``."""
    outcomes: tuple[Outcome, ...]
    groupings: tuple[Grouping, ...]
    """Groups that mean something to players. The first has each outcome for itself."""
    half: tuple[str, tuple[int, ...]]
    """A split into two halves that are equally likely: 0, 1, or -1 for an outcome of neither."""
    event: tuple[str, tuple[bool, ...]]
    """Something rare that players wait for."""
    scores: tuple[int, ...]
    """Numbers of a symmetric law, for correlations."""
    cells: Grouping
    """The few groups of which pictures and the comparison of void rounds are made."""
    board: Board


@dataclass(frozen=True, slots=True)
class Facts:
    """One game, as the service, its pages and the statistics need to know it."""

    members: tuple[Mapping[str, object], ...]
    """Each form of its outcomes: the members of the object, with their JSON Schema."""
    numbers: Numbers
    uniform: Uniform | None
    """`None` for a multiplier, which has the law of SPEC 3.4."""
    default_rules: Rules = field(default_factory=lambda: PLAIN_RULES)
    """The rules of a new table, unless its operator chooses others."""
    choice_words: tuple[str, ...] = ()
    """Words that several outcomes have in common and that a reader may look for."""
    outcome_example: str = ""
    """Words that a reader might look for."""
    bet_examples: tuple[str, ...] = ()
    """Bets that show how the game's bets are written."""
    bet_note: str = ""
    """Why a bet that is written rightly may not be offered."""
    standard_bet: str = ""
    """The bet that pays twice the stake or nothing; empty for a multiplier, where it is a cash-out."""
    is_paid_beside_stake: bool = False
    """Whether odds are written like 6:1."""
    winning_counts: tuple[int, ...] = ()
    """Where odds depend only on how many outcomes win: the counts that the returns show."""

    @property
    def is_multiplier(self) -> bool:
        """Whether an outcome is a multiplier."""
        return self.uniform is None and bool(self.members)

    @property
    def has_parameters(self) -> bool:
        """Whether the rules have more than a version."""
        return self.default_rules.keys() != PLAIN_RULES.keys()


PLAIN = Facts((), Numbers(0, lambda _outcome: (0, 0, 0), lambda _numbers: {}), None)
"""The facts of a game about which nothing is known but its declaration."""


def grouped(name: str, labels: Iterable[str]) -> Grouping:
    """Outcomes that have the same label are one group; the groups have the order in which they first appear."""
    of_each = tuple(labels)
    distinct = tuple(dict.fromkeys(of_each))
    places = {label: place for place, label in enumerate(distinct)}
    return Grouping(name, distinct, tuple(places[label] for label in of_each))


def place_in(outcomes: Sequence[Outcome]) -> Numbers:
    """The number of an outcome is its place among all."""
    places = {tuple(outcome.values()): (place, 0, 0) for place, outcome in enumerate(outcomes)}
    return Numbers(1, lambda outcome: places[tuple(outcome.values())], lambda numbers: outcomes[numbers[0]])
