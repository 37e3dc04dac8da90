"""The bet that a reader of a round's page asks about, and what became of it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction

from api.answers.rounds import EndedRound
from api.bets.settling import settle_bet
from api.pages.bet_words import bet_words
from api.pages.shell import languages
from api.paytables.offered import are_catalogues, bets_of
from api.rounds.reading import table_row
from api.sql.database import Database
from api.store.contents import decode_rules
from fairness.records.table_state import TableState
from games import GAMES
from games.bets.bet import LONGEST_BET, BetRefused
from games.bets.settlement import Settled
from games.facts import facts_of

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
    is_own: bool = False
    """Whether the table's bets are not the catalogue's, so that nobody has written about them."""
    examples: tuple[str, ...] = ()
    """Bets that show how the game's bets are written."""

    @property
    def winnings(self) -> Fraction | None:
        """The whole payment; `None` while the bet is open."""
        pays = None if self.settled is None else self.settled.pays
        return None if pays is None else pays * int(self.stake)


def bet_asked(
    database: Database, state: TableState, ended: EndedRound, arguments: Mapping[str, str]
) -> BetAsked | None:
    """Answer the address of a round that has ended; `None` for a game whose bets are not known."""
    bets = bets_of(database, state)
    if bets is None:
        return None
    examples = facts_of(state.game).bet_examples if are_catalogues(state) else ()
    rules = decode_rules(GAMES.of(state), table_row(database, state.name).rules)
    is_own = not are_catalogues(state)
    return replace(
        _answer(database, state.name, ended, arguments), is_own=is_own, examples=examples or bets.examples(rules)
    )


def _answer(database: Database, table: str, ended: EndedRound, arguments: Mapping[str, str]) -> BetAsked:
    text = " ".join(arguments.get("bet", "").split())[:LONGEST_BET]
    stake = arguments.get("stake", USUAL_STAKE).strip()
    if not text:
        return BetAsked(text, USUAL_STAKE)
    if not _STAKE.fullmatch(stake):
        return BetAsked(text, stake[:LONGEST_BET], trouble="stake")
    try:
        settled = settle_bet(database, table, ended.round, ended.status, ended.outcome, text)
    except BetRefused:
        return BetAsked(text, stake, trouble="bet")
    return BetAsked(text, stake, settled, bet_words(settled.bet, languages.gettext))
