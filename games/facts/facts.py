"""What everybody but the protocol asks about a game beside its declaration: words, examples, usual bets, and names of
outcomes.

Any game of the catalogue may have facts: they are data, ``labels.json``. Nothing here has a part in an outcome, so a
change of it is no new version of the game's rules.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib import resources

import msgspec
from msgspec import Struct, field

from fairness.draws.game import Outcome
from games.declared.catalogue import is_listed, listed
from games.declared.law import law


def message(english: str) -> str:
    """Mark a sentence for the translators of the pages, which translate it when they show it."""
    return english


class Sentence(Struct, frozen=True, forbid_unknown_fields=True):
    """A paragraph about how a game draws; the pages put ``percent`` and ``cap``, of the rules of a flight, in their
    places.
    """

    text: str
    is_soft: bool = False
    """Whether it is an aside."""


class Half(Struct, frozen=True, forbid_unknown_fields=True):
    """Two sides that are equally likely, each some labels of a group; other labels are of neither."""

    name: str
    group: str
    sides: tuple[tuple[str, ...], ...]


class Event(Struct, frozen=True, forbid_unknown_fields=True):
    """Something rare that players wait for: some labels of a group."""

    name: str
    group: str
    labels: tuple[str, ...]


class Board(Struct, frozen=True, forbid_unknown_fields=True):
    """The labels of some groups as squares, one after the other, in so many columns; or in so many rows, column by
    column.
    """

    title: str
    groups: tuple[str, ...]
    columns: int = 0
    rows: int = 0


class Whole(Struct, frozen=True, forbid_unknown_fields=True):
    """An outcome as one thing, whatever it is drawn from: all are equally likely. The places are those of the game's
    law.
    """

    one: str
    """What an outcome is called: ``card``."""
    every: str
    """What all of them are called: ``cards``."""
    labels: tuple[str, ...]
    """The name of each, all different."""
    groups: dict[str, dict[str, tuple[int, ...]]]
    """Groups that mean something to players: by name, the places of each label."""
    half: Half
    event: Event
    cells: str
    """The few groups of which pictures and the comparison of void rounds are made; that may be ``every``."""
    board: Board
    scores: tuple[int, ...] = ()
    """Numbers of a symmetric law, for correlations; the places themselves, if there are none."""


class Facts(Struct, frozen=True, forbid_unknown_fields=True):
    """One game, as the service, its pages and the statistics need to know it. Each member may be missing."""

    rules: tuple[Sentence, ...] = ()
    """How it draws, in plain words."""
    default_rules: dict[str, int] = field(default_factory=lambda: {"version": 1})
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
    """The bet that pays twice the stake or nothing. An ``X`` stands for 2.00, or for the largest multiplier if that
    is less.
    """
    is_paid_beside_stake: bool = False
    """Whether odds are written like 6:1."""
    winning_counts: tuple[int, ...] = ()
    """Where odds depend only on how many outcomes win: the counts that the returns show."""
    whole: Whole | None = None
    """The names of its outcomes, if all are equally likely and players see them as one thing."""

    @property
    def messages(self) -> tuple[str, ...]:
        """The sentences and words that the pages translate."""
        note = (self.bet_note,) if self.bet_note else ()
        return (*(each.text for each in self.rules), *self.choice_words, *note)


def _read() -> dict[str, Facts]:
    data = resources.files("games.facts").joinpath("labels.json").read_bytes()
    return msgspec.json.decode(data, type=dict[str, Facts])


FACTS: Mapping[str, Facts] = _read()
"""By the game's name."""
NOTHING = Facts()
"""The facts of a game about which nothing is known but its declaration."""


def facts_of(game: str, declaration: str = "") -> Facts:
    """Return the facts of a table's game, by its name and the ``declaration`` of its record; of an operator's own
    game nothing is known.
    """
    return NOTHING if is_listed(game, declaration) is False else FACTS.get(game, NOTHING)


def every_outcome(game: str) -> tuple[Outcome, ...]:
    """Return all outcomes of a game of the catalogue without parameters, in the order of its law. Raises `KeyError`,
    and `TooMany` as `law` does.
    """
    return tuple(map(msgspec.json.decode, law(listed(game).declaration, NOTHING.default_rules)))
