"""What becomes of bets on a round whose outcome may be known. Changes nothing, and stores nothing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

import msgspec
from msgspec import Meta, Struct

from api.answer import Answer
from api.problems import Code, Problem
from api.rounds.reading import played_before, round_row, table_row
from api.sql.database import Database
from api.store.rows import RoundStatus, TableRow, decode_rules, decode_state
from api.world.cooperation import yielding
from fairness.draws.game import Outcome
from fairness.limits import LARGEST_INTEGER
from games import GAMES
from games.bets import bets_on
from games.bets.bet import LONGEST_BET, Bet, BetRefused
from games.bets.settlement import Settled, settle

MOST_BETS = 200


class PlacedBet(Struct, forbid_unknown_fields=True):
    """A bet as an engine took it; the stake in whole units of the engine's choice."""

    bet: Annotated[str, Meta(max_length=LONGEST_BET)]
    stake: Annotated[int, Meta(ge=1, le=LARGEST_INTEGER)]


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
    answers: list[Answer] = []
    for place, each in enumerate(yielding(placed)):
        try:
            settled = settle(_bet(database, row, number, each.bet), outcome, status)
        except BetRefused as error:
            raise Problem(Code.BET_REFUSED, f"bets[{place}]: {error}", place=place) from error
        odds = None if settled.odds is None else str(settled.odds)
        after = {"after": settled.bet.after} if settled.bet.after else {}
        about = {"bet": each.bet, **after, "stake": each.stake}
        paid = None if settled.pays is None else str(settled.pays * each.stake)
        following = {"next": settled.next} if settled.next else {}
        answers.append(about | {"result": settled.result, "odds": odds, "winnings": paid, **following})
    return {"table": table, "round": number, "status": status, "outcome": outcome, "bets": answers}


def settle_bet(
    database: Database, table: str, number: int, status: RoundStatus, outcome: Outcome, text: str
) -> Settled:
    """One bet's result. Raises `Problem` for an unknown table, `BetRefused` for a bet that the round did not offer."""
    return settle(_bet(database, table_row(database, table), number, text), outcome, status)


def _bet(database: Database, row: TableRow, number: int, text: str) -> Bet:
    state = decode_state(row.queued_state)
    bets = bets_on(state.game, state.declaration_text)
    if bets is None:
        raise BetRefused(f"the bets of {row.game} are not known here")
    played = (msgspec.json.decode(each.outcome) for each in played_before(database, row.name, number))
    return bets.bet(text, decode_rules(GAMES.of(state), row.rules), played)
