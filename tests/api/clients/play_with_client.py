"""Plays a round with a client that openapi-python-client made of ``/openapi.json``, and prints what it was answered.

``python -m play_with_client PUBLIC ENGINES TOKEN TABLE BET``. A test makes the client, the package ``made``, beside a
copy of this file, checks the types of both, and starts it in the environment that has what such clients need.
"""

from __future__ import annotations

import json
import sys
import time
import uuid

from made import AuthenticatedClient
from made.api.bets import settle_bets
from made.api.engine import lock_round, open_round, reveal_round
from made.api.tables import get_table
from made.models import (
    Ended,
    LockBody,
    LockPending,
    OpenBody,
    Opened,
    Pending,
    PlacedBet,
    Problem,
    SettleBody,
    Settled,
    TableWithRules,
)

_WAIT_SECONDS = 0.2


def main() -> None:
    """Open, lock, reveal and settle the next round, and open it once more, which is refused."""
    url, engines, token, table, bet = sys.argv[1:]
    engine = AuthenticatedClient(base_url=engines, token=token)
    # The maker wants a token for each call that may have one; the public's listener reads none.
    everybody = AuthenticatedClient(base_url=url, token="none")
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
        "code": ended.code,
        "result": settled.bets[0].result,
        "refused": again.code,
    }
    sys.stdout.write(f"{json.dumps(answers)}\n")


if __name__ == "__main__":
    main()
