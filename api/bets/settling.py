"""What becomes of bets on a round whose outcome may be known. Changes nothing, and stores nothing."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import msgspec
from msgspec import UNSET

from api.answers import bets as answers
from api.answers.bodies import PlacedBet
from api.answers.rounds import EndedRound
from api.bets.returns import pays
from api.paytables.offered import bets_of
from api.problems import Code, Problem, out_of_order
from api.rounds.admission import ENDED, status_of
from api.rounds.reading import played_before, round_row, table_row
from api.sql.database import Database
from api.store.contents import decode_rules, decode_state
from api.store.models import RoundStatus, TableRow
from api.world.cooperation import yielding
from fairness.draws.game import Outcome
from fairness.limits import LARGEST_INTEGER
from games import GAMES
from games.bets.bet import Bet, BetRefused
from games.bets.game_bets import GameBets
from games.bets.settlement import Settled, settle
from games.multipliers import fraction_text


def ended_round(database: Database, table: str, number: int) -> EndedRound | None:
    """Return a round that has ended; `None` for one that has not. Raises `Problem` for an unknown table, a round that
    is not committed, and one that is never played.
    """
    row = round_row(database, table, number)
    if row is not None:
        return EndedRound(number, row.status, row.ending.outcome) if row.status.has_ended else None
    found = status_of(decode_state(table_row(database, table).queued_state), number, None)
    if found[1] is RoundStatus.UNUSED:
        raise out_of_order(table, expected=(number, ENDED), found=found)
    return None


def settle_bets(
    database: Database, table: str, number: int, status: str, outcome: Outcome, placed: Sequence[PlacedBet]
) -> answers.Settled:
    """Return each bet's result, in order. Raises `Problem` for a bet that the round did not offer, pointing to it."""
    row = table_row(database, table)
    try:
        bets = _bets(database, row)
    except BetRefused as error:
        raise Problem(Code.BET_REFUSED, f"bets[0]: {error}", pointer="/bets/0/bet") from error
    found = []
    for place, each in enumerate(yielding(placed)):
        try:
            settled = settle(_bet(database, row, bets, number, each.bet), outcome, status)
        except BetRefused as error:
            raise Problem(Code.BET_REFUSED, f"bets[{place}]: {error}", pointer=f"/bets/{place}/bet") from error
        _check_payable(settled, each.stake, place)
        found.append(_settled(each, settled))
    return answers.Settled(table, row.table_id, number, status, outcome, found)


def _settled(placed: PlacedBet, settled: Settled) -> answers.SettledBet:
    """Return what became of a bet. What is paid are whole units, which programs read, and what that leaves out.

    A fraction always has its slash: without one it reads as a larger sum in programs that stop at it, ``47/5`` as 47.
    """
    exact = None if settled.pays is None else settled.pays * placed.stake
    return answers.SettledBet(
        bet=placed.bet,
        after=settled.bet.after or UNSET,
        stake=placed.stake,
        result=settled.result,
        odds=UNSET if settled.odds is None else str(settled.odds),
        pays=UNSET if settled.odds is None else pays(settled.odds),
        winnings=UNSET if exact is None else str(exact // 1),
        winnings_exact=UNSET if exact is None else fraction_text(exact),
        winnings_rest=UNSET if exact is None else fraction_text(exact % 1),
        goes_on_as=settled.next or UNSET,
    )


def _check_payable(settled: Settled, stake: int, place: int) -> None:
    """Raise `Problem` for a bet that could pay more than every language reads exactly, whatever became of it."""
    most = settled.bet.most() or settled.pays or Fraction(0)
    if most * stake > LARGEST_INTEGER:
        limit = int(LARGEST_INTEGER / most)
        detail = (
            f"bets[{place}]: {settled.bet.text!r} with a stake of {stake} could pay 2^53 units or more: stake at most"
            f" {limit}"
        )
        raise Problem(Code.BET_REFUSED, detail, pointer=f"/bets/{place}/stake", maximum=limit)


def settle_bet(database: Database, table: str, number: int, status: str, outcome: Outcome, text: str) -> Settled:
    """Return one bet's result. Raises `Problem` for an unknown table, `BetRefused` for a bet that the round did not
    offer.
    """
    row = table_row(database, table)
    return settle(_bet(database, row, _bets(database, row), number, text), outcome, status)


def _bets(database: Database, row: TableRow) -> GameBets:
    """Return the bets of a table. Raises `BetRefused` if it has none."""
    state = decode_state(row.queued_state)
    if (bets := bets_of(database, state)) is None:
        known = "has a paytable that cannot be read here" if state.paytable else "has no paytable, and so no bets"
        raise BetRefused(f"{row.name} {known}")
    return bets


def _bet(database: Database, row: TableRow, bets: GameBets, number: int, text: str) -> Bet:
    played = (msgspec.json.decode(each.outcome) for each in played_before(database, row.name, number))
    return bets.bet(text, decode_rules(GAMES.of(decode_state(row.queued_state)), row.rules), played)
