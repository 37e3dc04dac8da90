"""Reads answers of a later version with clients that openapi-python-client made of the first release's descriptions,
and prints what it was answered, and what it does.

``python -m read_later_answers URL``, like ``play_with_client``.
"""

from __future__ import annotations

import json
import sys
import uuid
from http import HTTPStatus

from made.engines import AuthenticatedClient
from made.engines.api.engine import lock_round, open_round
from made.engines.models import LockBody, LockedOutcome, OpenBody, Problem
from made.public import Client
from made.public.api.bets import settle_bets
from made.public.api.description import get_service
from made.public.api.tables import get_live, get_round
from made.public.models import Live, PlacedBet, Round, Service, SettleBody, Settled, SettledBet

TABLE, NUMBER = "keno-1", 1


def pays(bet: SettledBet) -> int:
    """What is paid for a bet: nothing by a result that is not known."""
    return int(str(bet.winnings)) if bet.result in {"wins", "void"} else 0


def main() -> None:
    """Read one answer of each kind."""
    (url,) = sys.argv[1:]
    everybody, engine = Client(base_url=url), AuthenticatedClient(base_url=url, token="none")
    service = get_service.sync(client=everybody)
    assert isinstance(service, Service), service
    shown = get_round.sync(TABLE, NUMBER, client=everybody)
    assert isinstance(shown, Round), shown
    bets = SettleBody(bets=[PlacedBet(bet="lower 50", stake=100)])
    settled = settle_bets.sync(TABLE, NUMBER, client=everybody, body=bets)
    assert isinstance(settled, Settled), settled
    live = get_live.sync(client=everybody)
    assert isinstance(live, Live), live
    locked = lock_round.sync(TABLE, NUMBER, client=engine, body=LockBody(call=str(uuid.uuid4())))
    assert isinstance(locked, LockedOutcome), locked
    opened = open_round.sync(TABLE, NUMBER, client=engine, body=OpenBody())
    assert isinstance(opened, Problem), opened
    told = {
        "features": service.features,
        "status": shown.status,
        "ended": shown.status in {"played", "void", "unused"},
        "results": [bet.result for bet in settled.bets],
        "paid": [pays(bet) for bet in settled.bets],
        "now": [each.status for table in live.tables for each in table.now],
        "locked": locked.to_dict()["outcome"],
        "code": opened.code,
        "later": {shown.status, opened.code, *(bet.result for bet in settled.bets)} == {"of-next-year"},
        "repeated": opened.status >= HTTPStatus.INTERNAL_SERVER_ERROR,
    }
    sys.stdout.write(f"{json.dumps(told)}\n")


if __name__ == "__main__":
    main()
