"""What becomes of bets on a round whose outcome may be known. Changes nothing, and stores nothing."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated

import msgspec
from msgspec import Meta, Struct

from api.problems import Code, Problem
from api.rounds.change import known_table
from api.service import Service
from api.sql.connection import Connection
from api.store import statements as sql
from api.store.rows import TableRow, decode_rules
from api.world.cooperation import yielding
from fairness.draws.game import Outcome
from fairness.limits import LARGEST_INTEGER
from games.bets import BETS
from games.bets.bet import LONGEST_BET, Bet, BetRefused
from games.bets.settlement import Settled, settle

MOST_BETS = 200

Answer = Mapping[str, object]


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

    status: str
    outcome: Outcome


def ended_round(service: Service, table: str, number: int) -> EndedRound | None:
    """A round that has ended; `None` for one that has not, or is unknown. Raises `Problem` for an unknown table."""
    with service.database.read() as connection:
        known_table(connection, table)
        row = sql.ONE_ROUND.find(connection, table=table, round=number)
    if row is None or row.outcome is None:
        return None
    return EndedRound(row.status, msgspec.json.decode(row.outcome))


def settle_bets(
    service: Service, table: str, number: int, status: str, outcome: Outcome, placed: Sequence[PlacedBet]
) -> Answer:
    """Each bet's result, in order. Raises `Problem` for a bet that the round did not offer, naming its place."""
    with service.database.read() as connection:
        row = known_table(connection, table)
        answers: list[Answer] = []
        for place, each in enumerate(yielding(placed)):
            try:
                settled = settle(_bet(service, connection, row, number, each.bet), outcome, status)
            except BetRefused as error:
                raise Problem(Code.BET_REFUSED, f"bets[{place}]: {error}", place=place) from error
            odds = None if settled.odds is None else str(settled.odds)
            after = {"after": settled.bet.after} if settled.bet.after else {}
            about = {"bet": each.bet, **after, "stake": each.stake}
            answers.append(
                about | {"result": settled.result, "odds": odds, "winnings": str(settled.pays * each.stake)}
            )
    return {"table": table, "round": number, "status": status, "outcome": outcome, "bets": answers}


def settle_bet(service: Service, table: str, number: int, status: str, outcome: Outcome, text: str) -> Settled:
    """One bet's result. Raises `Problem` for an unknown table, `BetRefused` for a bet that the round did not offer."""
    with service.database.read() as connection:
        return settle(_bet(service, connection, known_table(connection, table), number, text), outcome, status)


def _bet(service: Service, connection: Connection, row: TableRow, number: int, text: str) -> Bet:
    bets = BETS.get(row.game)
    if bets is None:
        raise BetRefused(f"the bets of {row.game} are not known here")
    return bets.bet(
        text, decode_rules(service.games[row.game], row.rules), _played_before(connection, row.name, number)
    )


def _played_before(connection: Connection, table: str, number: int) -> Iterator[Outcome]:
    while (row := sql.PLAYED_BEFORE.find(connection, table=table, before_round=number)) is not None:
        yield msgspec.json.decode(row.outcome)
        number = row.round
