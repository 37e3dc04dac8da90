"""What the service, its pages and the statistics ask about each game.

Nobody else compares a game's name: what differs between games is a property here. No verdict depends on it.

`facts`         what is known of every game
`multiplier`    Crash and Rocketon
`hi_lo`         HI LO
`sic_bo`        Sic Bo
`penalty`       Penalty
`keno_express`  Keno Express
"""

from collections.abc import Mapping

from games.facts import hi_lo, keno_express, multiplier, penalty, sic_bo
from games.facts.facts import PLAIN, Facts

FACTS: Mapping[str, Facts] = {
    "crash": multiplier.CRASH,
    "rocketon": multiplier.ROCKETON,
    "hi-lo": hi_lo.FACTS,
    "sic-bo": sic_bo.FACTS,
    "penalty": penalty.FACTS,
    "keno-express": keno_express.FACTS,
}
"""By the game's name."""

__all__ = ["FACTS", "PLAIN"]
