"""What can be bet on games, what it is worth, and what became of bets on a round."""

from __future__ import annotations

from typing import Annotated

from msgspec import UNSET, Meta, UnsetType

from api.answers import fields
from api.answers.fields import Answer, Lead, Natural, Outcome, Rules
from api.answers.rounds import OfRound
from games.bets.bet import LONGEST_BET

LARGEST_STAKE = 10**11
"""So that a stake, and what it wins, is a number that every language reads exactly."""

BetText = Annotated[str, Meta(max_length=LONGEST_BET)]
Stake = Annotated[int, Meta(ge=1, le=LARGEST_STAKE)]
_Fraction = Annotated[str, Meta(pattern="^(0|[1-9][0-9]*)(/[1-9][0-9]*)?$", description="exact, in lowest terms")]
_WithSlash = Annotated[str, Meta(pattern="^(0|[1-9][0-9]*)/[1-9][0-9]*$", description="exact, in lowest terms")]
_Odds = Annotated[
    str, Meta(description="`x 12` has the stake in it, `11:1` has not; another: show it, and count with `pays`")
]


class Pays(Answer, frozen=True):
    """What odds pay for each unit of the stake, the stake included if it is returned: 36/1 for 35:1."""

    numerator: Natural
    denominator: Annotated[int, Meta(ge=1)]


class Option(Answer, frozen=True):
    """A way to bet: how it is written, what it is called, when it wins."""

    form: str
    name: str
    wins: str


class Game(Answer, frozen=True, kw_only=True):
    """A game, and how its bets are written."""

    game: str
    lead: Lead
    section: Annotated[str, Meta(description="of the regulation")] | UnsetType = UNSET
    options: list[Option]


class GameList(Answer, frozen=True):
    """The games that are known by their names."""

    games: list[Game]


class Chance(Answer, frozen=True):
    """An outcome, and how likely it is."""

    outcome: Outcome
    chance: _Fraction


class Outcomes(Answer, frozen=True):
    """What a game can come to."""

    count: Annotated[int, Meta(ge=1)]
    listed: Annotated[list[Chance], Meta(description="all, or the first and the last if there are too many")]


class Bet(Answer, frozen=True, kw_only=True):
    """A bet, with its odds and its exact worth."""

    bet: BetText
    after: Annotated[str, Meta(description="the card before, which it is compared with")] | UnsetType = UNSET
    name: str
    odds: Annotated[list[_Odds], Meta(min_length=1)]
    pays: Annotated[list[Pays], Meta(min_length=1)]
    pays_back: _Fraction | UnsetType = UNSET
    hit_rate: _Fraction | UnsetType = UNSET
    variance: _Fraction | UnsetType = UNSET


class Returns(Game, frozen=True, kw_only=True):
    """A game under certain rules: what can be bet on it, and what that returns."""

    rules: Rules
    outcomes: Outcomes | UnsetType = UNSET
    bets: Annotated[list[Bet], Meta(description="each bet, or one for all that are alike")] | UnsetType = UNSET


class SettledBet(Answer, frozen=True, kw_only=True):
    """What became of a bet; what it pays is absent while it is open."""

    bet: BetText
    after: str | UnsetType = UNSET
    stake: Stake
    result: Annotated[
        str, fields.open_list("wins", "loses", "void", "open", another="neither pay nor take, and ask a person")
    ]
    odds: _Odds | UnsetType = UNSET
    pays: Pays | UnsetType = UNSET
    winnings: (
        Annotated[str, Meta(pattern="^(0|[1-9][0-9]*)$", description="whole units, rounded down")] | UnsetType
    ) = UNSET
    winnings_exact: _WithSlash | UnsetType = UNSET
    winnings_rest: _WithSlash | UnsetType = UNSET
    goes_on_as: str | UnsetType = UNSET


class Settled(OfRound, frozen=True):
    """What became of bets on a round."""

    status: fields.FromTheLockOn
    outcome: Outcome
    bets: list[SettledBet]
