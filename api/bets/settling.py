"""What becomes of bets on a round whose outcome may be known. Changes nothing, and stores nothing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Annotated

import msgspec
from msgspec import Meta, Struct

from api.answer import Answer
from api.paytables.offered import bets_of
from api.problems import Code, Problem
from api.rounds.reading import played_before, round_row, table_row
from api.sql.database import Database
from api.store.rows import RoundStatus, TableRow, decode_rules, decode_state
from api.world.cooperation import yielding
from fairness.draws.game import Outcome
from fairness.limits import LARGEST_INTEGER
from games import GAMES
from games.bets.bet import LONGEST_BET, Bet, BetRefused
from games.bets.game_bets import GameBets
from games.bets.settlement import Settled, settle
from games.multipliers import fraction_text

MOST_BETS = 200
LARGEST_STAKE = 10**11
"""So that a stake, and what it wins, is a number that every language reads exactly."""


class PlacedBet(Struct, forbid_unknown_fields=True):
    """A bet as an engine took it; the stake in whole units of the engine's choice."""

    bet: Annotated[str, Meta(max_length=LONGEST_BET)]
    stake: Annotated[int, Meta(ge=1, le=LARGEST_STAKE)]


class _SettleBody(Struct, forbid_unknown_fields=True):
    bets: Annotated[list[PlacedBet], Meta(min_length=1, max_length=MOST_BETS)]


SETTLE_BODY = msgspec.json.Decoder(_SettleBody)


@dataclass(frozen=True, slots=True)
class EndedRound:
    """What is public about a round that has ended."""

    status: RoundStatus
    outcome: Outcome


def ended_round(database: Database, table: str, number: int) -> EndedRound | None:
    """A round that has ended; `None` for one that has not, or is unknown. Raises `Problem` for an unknown table."""
    row = round_row(database, table, number)
    return EndedRound(row.status, row.ending.outcome) if row is not None and row.status.has_ended else None


def settle_bets(
    database: Database, table: str, number: int, status: RoundStatus, outcome: Outcome, placed: Sequence[PlacedBet]
) -> Answer:
    """Each bet's result, in order. Raises `Problem` for a bet that the round did not offer, naming its place."""
    row = table_row(database, table)
    try:
        bets = _bets(database, row)
    except BetRefused as error:
        raise Problem(Code.BET_REFUSED, f"bets[0]: {error}", place=0) from error
    answers: list[Answer] = []
    for place, each in enumerate(yielding(placed)):
        try:
            settled = settle(_bet(database, row, bets, number, each.bet), outcome, status)
            _check_payable(settled, each.stake)
        except BetRefused as error:
            raise Problem(Code.BET_REFUSED, f"bets[{place}]: {error}", place=place) from error
        odds = None if settled.odds is None else str(settled.odds)
        after = {"after": settled.bet.after} if settled.bet.after else {}
        about = {"bet": each.bet, **after, "stake": each.stake}
        following = {"next": settled.next} if settled.next else {}
        answers.append(about | {"result": settled.result, "odds": odds, **_paid(settled, each.stake), **following})
    return {"table": table, "round": number, "status": status, "outcome": outcome, "bets": answers}


def _paid(settled: Settled, stake: int) -> Answer:
    """What is paid: whole units, which programs read, and what that leaves out. A fraction always has its slash.

    Without one it reads as a larger sum in programs that stop at it: ``47/5`` as 47.
    """
    if settled.pays is None:
        return {"winnings": None, "winnings_exact": None, "winnings_rest": None}
    exact = settled.pays * stake
    whole = exact // 1
    return {
        "winnings": str(whole),
        "winnings_exact": fraction_text(exact),
        "winnings_rest": fraction_text(exact - whole),
    }


def _check_payable(settled: Settled, stake: int) -> None:
    """Raise `BetRefused` for a bet that could pay more than every language reads exactly, whatever became of it."""
    most = settled.bet.most() or settled.pays or Fraction(0)
    if most * stake > LARGEST_INTEGER:
        limit = int(LARGEST_INTEGER / most)
        raise BetRefused(
            f"{settled.bet.text!r} with a stake of {stake} could pay 2^53 units or more: stake at most {limit}"
        )


def settle_bet(
    database: Database, table: str, number: int, status: RoundStatus, outcome: Outcome, text: str
) -> Settled:
    """One bet's result. Raises `Problem` for an unknown table, `BetRefused` for a bet that the round did not offer."""
    row = table_row(database, table)
    return settle(_bet(database, row, _bets(database, row), number, text), outcome, status)


def _bets(database: Database, row: TableRow) -> GameBets:
    """The bets of a table. Raises `BetRefused` if it has none."""
    state = decode_state(row.queued_state)
    if (bets := bets_of(database, state)) is None:
        known = "has a paytable that cannot be read here" if state.paytable else "has no paytable, and so no bets"
        raise BetRefused(f"{row.name} {known}")
    return bets


def _bet(database: Database, row: TableRow, bets: GameBets, number: int, text: str) -> Bet:
    played = (msgspec.json.decode(each.outcome) for each in played_before(database, row.name, number))
    return bets.bet(text, decode_rules(GAMES.of(decode_state(row.queued_state)), row.rules), played)
