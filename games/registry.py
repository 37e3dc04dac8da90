"""All games, by the name that records and round codes use."""

from __future__ import annotations

from fairness.draws.game import Game, Games
from games.hi_lo import HiLo
from games.keno_express import KenoExpress
from games.multiplier import CRASH, ROCKETON
from games.penalty import Penalty
from games.sic_bo import SicBo

_ALL: tuple[Game, ...] = (CRASH, ROCKETON, HiLo(), SicBo(), Penalty(), KenoExpress())

GAMES: Games = {game.name: game for game in _ALL}
