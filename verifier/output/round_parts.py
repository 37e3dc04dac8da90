"""What the verdicts on a round share, whether it was checked in the log or in a file."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import groupby
from operator import attrgetter
from typing import TYPE_CHECKING

from games.declared.catalogue import is_listed
from games.multipliers import fraction_text, odds_text
from verifier.output.printing import Console, count, heading, line, plain
from verifier.sentences import Verdict

if TYPE_CHECKING:
    from games.bets.settlement import Settled
    from games.order import Thing
    from verifier.answers.parts import BetsSettled, Order, SettledBet, Step, ThingShown
    from verifier.round.proof_report import ProofReport
    from verifier.round.report import Passed, RoundReport


_BY_NAME = "one of the games that every verifier knows by name"
_AS_LISTED = "as the catalogue of this verifier declares it"
NOT_LISTED = "which the catalogue of this verifier does not declare so: the operator's own, or newer"
"""Of a game that is declared otherwise, or of none of the catalogue."""
_THINGS_IN_A_ROW = 13


def show_settled(console: Console, settled: Settled) -> None:
    """Show what becomes of a bet, in words."""
    name = settled.bet.text + (f" after {settled.bet.after}" if settled.bet.after else "")
    if settled.pays is None:
        line(console, "Bet", f"{name}: still open; in the next round it is written {settled.next}")
    elif settled.odds is not None:
        line(
            console,
            "Bet",
            f"{name}: wins {settled.odds}, and pays {odds_text(settled.pays)} for each 1 of the stake",
        )
    elif settled.result == "void":
        line(console, "Bet", f"{name}: void, and the stake is returned")
    else:
        line(console, "Bet", f"{name}: loses")


def show_game(console: Console, game: str, declaration: str) -> None:
    """Show whether the catalogue declares it so; or, without a declaration, that it is known by its name."""
    whose = {None: _BY_NAME, True: _AS_LISTED, False: NOT_LISTED}[is_listed(game, declaration)]
    line(console, "Game", f"{game}, {whose}")


def show_order(console: Console, order: Sequence[Thing]) -> None:
    """Show the history of a hand: the things of the order, each line with the position of its first one."""
    if order:
        console.print()
        heading(console, "Order", f"{count(len(order), 'thing')}, each line with its first position")
    for place, of_place in groupby(order, attrgetter("place")):
        things = list(of_place)
        for row in (things[at : at + _THINGS_IN_A_ROW] for at in range(0, len(things), _THINGS_IN_A_ROW)):
            plain(console, f"  {row[0].position:>4}  {place}: {' '.join(str(each.thing) for each in row)}")


def order_json(order: Sequence[Thing]) -> Order:
    """Return the order for programs; nothing without an order."""
    things: list[ThingShown] = [
        {"position": each.position, "place": each.place, "thing": each.thing} for each in order
    ]
    return {"order": things} if things else {}


def bets_json(report: RoundReport | ProofReport) -> BetsSettled:
    """Return the results, and whether the paytable is the catalogue's of this game, or the operator's own."""
    if report.is_own is None:
        return {}
    return {"bets": [_settled(each) for each in report.bets], "paytable_in_catalogue": not report.is_own}


def _settled(settled: Settled) -> SettledBet:
    """Return the JSON: ``odds`` is absent for a bet that does not win; ``winnings_exact`` is all that
    is paid for a stake of 1, as `settle` of the service has it, a fraction that always has its slash.

    Without one it reads as a larger sum in programs that stop at it. It is absent while the bet is open.
    """
    return {
        "bet": settled.bet.text,
        "after": settled.bet.after or None,
        "result": settled.result,
        "odds": None if settled.odds is None else str(settled.odds),
        "winnings_exact": None if settled.pays is None else fraction_text(settled.pays),
        "goes_on_as": settled.next or None,
    }


def before_first(number: int, table: str, ahead: int, lead: int) -> str:
    """Return the lead; a table's first rounds get no number: no round before them could show the lead, and theirs is
    smaller.
    """
    if ahead < lead:
        return Verdict.FIXED_BEFORE_FIRST.fill(round=number, table=table)
    return Verdict.FIXED_AHEAD_OF_FIRST.fill(round=number, table=table, ahead=ahead)


def checked_json(passed: Iterable[Passed]) -> list[Step]:
    """Return what was checked: the name that it would have failed by, the words, and the records that it rests on."""
    return [{"check": each.check.value, "what": each.text, "records": list(each.records)} for each in passed]


def records_in_words(passed: Passed) -> str:
    """Return the records that something rests on."""
    records = ", ".join(map(str, passed.records))
    return f" (record{'s' if len(passed.records) > 1 else ''} {records})" if records else ""
