"""What can be bet on each game: the regulation's winning options, with their odds and their exact worth.

`bet` says what a bet is, `worth` what it is worth; each game's file is its paytable. The protocol does
not know bets: an outcome is what was drawn. ``docs/bets.md`` is for readers.
"""

from __future__ import annotations

from collections.abc import Mapping

from games.bets.bet import Bets
from games.bets.cash_out import CRASH, ROCKETON
from games.bets.hi_lo import HiLoBets
from games.bets.keno_express import KenoExpressBets
from games.bets.penalty import PENALTY
from games.bets.sic_bo import SIC_BO

BETS: Mapping[str, Bets] = {
    "crash": CRASH,
    "rocketon": ROCKETON,
    "hi-lo": HiLoBets(),
    "sic-bo": SIC_BO,
    "penalty": PENALTY,
    "keno-express": KenoExpressBets(),
}
"""By the game's name."""

__all__ = ["BETS"]
