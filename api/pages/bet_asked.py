"""The bet that a reader of a round's page asks about, and what became of it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from api.bets.settling import settle_bet
from api.pages.bet_words import bet_words
from api.pages.shell import languages
from api.sql.database import Database
from games.bets import BETS
from games.bets.bet import LONGEST_BET, BetRefused
from games.bets.settlement import Settled

USUAL_STAKE = "100"
_STAKE = re.compile(r"[1-9][0-9]{0,11}", re.ASCII)


@dataclass(frozen=True, slots=True)
class BetAsked:
    """What was asked, as it was typed; and ``settled``, or why there is no answer."""

    text: str
    stake: str
    settled: Settled | None = None
    words: str = ""
    trouble: str = ""
    """``stake`` or ``bet``: which of the two is invalid."""

    @property
    def winnings(self) -> Fraction:
        """The whole payment."""
        return Fraction(0) if self.settled is None else self.settled.pays * int(self.stake)


def bet_asked(
    database: Database, game: str, ended: Mapping[str, Any], arguments: Mapping[str, str]
) -> BetAsked | None:
    """Answer the address of a round that has ended; `None` for a game whose bets are not known."""
    if game not in BETS:
        return None
    text = " ".join(arguments.get("bet", "").split())[:LONGEST_BET]
    stake = arguments.get("stake", USUAL_STAKE).strip()
    if not text:
        return BetAsked(text, USUAL_STAKE)
    if not _STAKE.fullmatch(stake):
        return BetAsked(text, stake[:LONGEST_BET], trouble="stake")
    try:
        settled = settle_bet(database, ended["table"], ended["round"], ended["status"], ended["outcome"], text)
    except BetRefused:
        return BetAsked(text, stake, trouble="bet")
    return BetAsked(text, stake, settled, bet_words(settled.bet, languages.gettext))
