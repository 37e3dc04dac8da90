"""Plays a round with clients that openapi-python-client made of both descriptions, and prints what it was answered.

``python -m play_with_client PUBLIC ENGINES TOKEN TABLE BET``. A test makes the clients, ``made.public`` and
``made.engines``, beside a copy of this file, checks the types of all, and starts it in the environment that has what
such clients need.
"""

from __future__ import annotations

import json
import sys
import time
import uuid

from made.engines import AuthenticatedClient
from made.engines.api.engine import lock_round, open_round, reveal_round
from made.engines.models import Ended, LockBody, LockPending, OpenBody, Opened, Pending, Problem
from made.public import Client
from made.public.api.bets import settle_bets
from made.public.api.tables import get_table
from made.public.models import PlacedBet, SettleBody, Settled, TableWithRules

_WAIT_SECONDS = 0.2


def main() -> None:
    """Open, lock, reveal and settle the next round, and open it once more, which is refused."""
    url, engines, token, table, bet = sys.argv[1:]
    engine = AuthenticatedClient(base_url=engines, token=token)
    everybody = Client(base_url=url)
    shown = get_table.sync(table, client=everybody)
    assert isinstance(shown, TableWithRules), shown
    number = shown.next_round
    opened = open_round.sync(table, number, client=engine, body=OpenBody())
    assert isinstance(opened, Opened), opened
    call = LockBody(call=str(uuid.uuid4()))
    while isinstance(locked := lock_round.sync(table, number, client=engine, body=call), LockPending):
        time.sleep(_WAIT_SECONDS)
    assert not isinstance(locked, Problem | None), locked
    while isinstance(ended := reveal_round.sync(table, number, client=engine), Pending):
        time.sleep(_WAIT_SECONDS)
    assert isinstance(ended, Ended), ended
    bets = SettleBody(bets=[PlacedBet(bet=bet, stake=100)])
    settled = settle_bets.sync(table, number, client=everybody, body=bets)
    assert isinstance(settled, Settled), settled
    again = open_round.sync(table, number, client=engine, body=OpenBody())
    assert isinstance(again, Problem), again
    answers = {
        "round": number,
        "opened": opened.status,
        "drawn": locked.to_dict()["outcome"],
        "played": ended.to_dict()["outcome"],
        "round_code": ended.round_code,
        "result": settled.bets[0].result,
        "refused": again.code,
    }
    sys.stdout.write(f"{json.dumps(answers)}\n")


if __name__ == "__main__":
    main()
