"""A PAR sheet for machines: one line for each listed bet, with exact fractions, numerator and denominator. The same
rules give the same bytes.
"""

from __future__ import annotations

import io
import json
from collections.abc import Iterable, Iterator
from itertools import chain

from api.comma_separated import write_csv
from fairness.draws.game import Rules
from games.bets.bet import Bet
from games.bets.worth import Worth

_COLUMNS = (
    *("table", "game", "rules", "bet", "after", "option", "wins"),
    *("odds", "stake_in_odds"),
    *(f"{figure}_{part}" for figure in ("hit_rate", "return", "variance") for part in ("numerator", "denominator")),
)


def csv_of(table: str, game: str, rules: Rules, figures: Iterable[tuple[Bet, Worth]]) -> bytes:
    """Write CSV in UTF-8. If a bet's odds depend on the outcome, semicolons separate them.

    A spreadsheet would take ``4/5`` for a date and ``180:1`` for a time: a fraction has two columns, and odds are
    ``180 to 1``.
    """
    text = io.StringIO()
    write_csv(text, [_COLUMNS, *_rows(table, game, rules, figures)])
    return text.getvalue().encode()


def _rows(table: str, game: str, rules: Rules, figures: Iterable[tuple[Bet, Worth]]) -> Iterator[tuple[object, ...]]:
    spelled = json.dumps(dict(rules), sort_keys=True, separators=(",", ":"))
    for bet, worth in figures:
        odds = [prize.odds for prize in bet.prizes]
        included = "no" if any(each.beside_stake for each in odds) else "yes"
        yield (
            *(table, game, spelled, bet.text, bet.after, bet.option.name, bet.option.wins),
            *("; ".join(str(each).replace(":", " to ") for each in odds), included),
            *chain.from_iterable(
                each.as_integer_ratio() for each in (worth.hit_rate, worth.returned, worth.variance)
            ),
        )
