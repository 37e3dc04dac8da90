"""What can be bet on each game: the regulation's winning options, with their odds and their exact worth.

The protocol does not know bets: an outcome is what was drawn. ``docs/bets.md`` is for readers.

`bet`           what a bet is: when it wins, with which odds
`worth`         its exact return, hit rate and variance
`settlement`    what becomes of it when its round has ended
`plain_bets`    games whose bets are a short list
`cash_out`      Crash and Rocketon
`hi_lo`         HI LO
`sic_bo`        Sic Bo
`penalty`       Penalty
`keno_express`  Keno Express
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
