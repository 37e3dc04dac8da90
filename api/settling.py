"""What becomes of bets on a round whose outcome may be told. Changes nothing, and keeps nothing."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated

import msgspec
from msgspec import Meta, Struct
from sqlalchemy import Connection

from api import statements as sql
from api.ledger import known_table
from api.problems import Code, Problem
from api.service import Service
from fairness.game import Outcome
from fairness.limits import LARGEST_INTEGER
from games.bets import BETS
from games.bets.bet import LONGEST_BET, BetRefused
from games.bets.settlement import settle

Answer = Mapping[str, object]


class PlacedBet(Struct, forbid_unknown_fields=True):
    """A bet as an engine took it; the stake in whole units of the engine's choice."""

    bet: Annotated[str, Meta(max_length=LONGEST_BET)]
    stake: Annotated[int, Meta(ge=1, le=LARGEST_INTEGER)]


@dataclass(frozen=True, slots=True)
class EndedRound:
    """What everybody may know of a round that has ended."""

    status: str
    outcome: Outcome


def ended_round(service: Service, table: str, number: int) -> EndedRound | None:
    """A round that has ended; `None` for one that has not, or is unknown. Raises `Problem` for an unknown table."""
    with service.database.read() as connection:
        known_table(connection, table)
        row = sql.TABLE_AND_ROUND.one(connection, {"of_table": table, "of_round": number})
    if row is None or row.outcome is None:
        return None
    return EndedRound(row.status, msgspec.json.decode(row.outcome))


def settle_bets(
    service: Service, table: str, number: int, status: str, outcome: Outcome, placed: Sequence[PlacedBet]
) -> Answer:
    """Each bet's result, in order. Raises `Problem` for a bet that the round did not offer, naming its place."""
    with service.database.read() as connection:
        row = known_table(connection, table)
        bets, rules = BETS.get(row.game), json.loads(row.rules)
        answers: list[Answer] = []
        for place, each in enumerate(placed):
            try:
                if bets is None:
                    raise BetRefused(f"the bets of {row.game} are not known here")
                bet = bets.bet(each.bet, rules, _played_before(connection, table, number))
            except BetRefused as error:
                raise Problem(Code.BET_REFUSED, f"bets[{place}]: {error}", place=place) from error
            settled = settle(bet, outcome, status)
            odds = None if settled.odds is None else str(settled.odds)
            about = {"bet": each.bet, **({"after": bet.after} if bet.after else {}), "stake": each.stake}
            answers.append(
                about | {"result": settled.result, "odds": odds, "winnings": str(settled.pays * each.stake)}
            )
    return {"table": table, "round": number, "status": status, "outcome": outcome, "bets": answers}


def _played_before(connection: Connection, table: str, number: int) -> Iterator[Outcome]:
    while (row := sql.PLAYED_BEFORE.one(connection, {"of_table": table, "of_round": number})) is not None:
        yield msgspec.json.decode(row.outcome)
        number = row.round
