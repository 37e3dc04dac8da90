"""Whether a table may have a paytable: that none of its bets returns more than is staked, by the exact laws of its
game.

Of files that are not the catalogue's, bets whose law no method here has are refused, like those that are too many to
look at. A bet that is made when something is known already (``given``), and one that another bet has become, are
exempt: nobody knows how often they are offered.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from fractions import Fraction
from functools import lru_cache
from itertools import count, repeat

from fairness.draws.game import Rules
from games.bets.bet import Bet, BetRefused, NoLaw
from games.bets.catalogue import bets_by, is_catalogues
from games.bets.exactness import has_method, is_alike
from games.bets.game_bets import GameBets
from games.bets.options import Offer
from games.bets.worth import worth

MOST_BETS = 20_000
"""Bets of a file that are looked at; those that choose numbers which are all alike count as one."""
_MOST_WORDS = 10 * MOST_BETS
_WHOLE = 10_000
"""100 %, in basis points."""


def refused_return(
    game: str, declaration: str, paytable: str, file: bytes, rules: Rules, default_rules: Rules
) -> str:
    """Return why no table of this game may have a ``file`` under these rules; empty if it may. ``paytable`` is the
    file's hash, in HEX.

    The catalogue's own files were judged under their games' ``default_rules`` when they were made. Raises as
    `bets_by` does.
    """
    if is_catalogues(game, declaration, paytable) and rules == default_rules:
        return ""
    return _refused(game, declaration, paytable, file, tuple(sorted(rules.items())))


@lru_cache(maxsize=256)
def _refused(game: str, declaration: str, paytable: str, file: bytes, items: tuple[tuple[str, int], ...]) -> str:
    rules, bets = dict(items), bets_by(game, declaration, paytable, file)
    try:
        if is_catalogues(game, declaration, paytable):
            _check_all(bet for bet in bets.listed(rules) if _offer_of(bets, bet).given is None)
        else:
            _check_all(_bets(bets, rules))
    except _ReturnRefusedError as error:
        return str(error)
    return ""


class _ReturnRefusedError(Exception):
    """The message says which bet, and why."""


def _check_all(bets: Iterator[Bet]) -> None:
    for bet in bets:
        try:
            returned = worth(bet).returned
        except NoLaw as error:
            raise _ReturnRefusedError(f"{bet.text}: what it returns cannot be computed: {error}") from error
        if returned > 1:
            after = f" after {bet.after}" if bet.after else ""
            raise _ReturnRefusedError(
                f"{bet.text}{after} returns {returned} of the stake, which is {_percent(returned)} %: expected at most 100 %"
            )


def _percent(value: Fraction) -> str:
    """Write with two decimals, rounded up: what is above 100 is so in print."""
    hundredths = -(-value * _WHOLE // 1)
    return f"{hundredths // 100}.{hundredths % 100:02}"


def _offer_of(bets: GameBets, bet: Bet) -> Offer:
    return next(offer for offer in bets.offers if offer.option is bet.option)


def _bets(bets: GameBets, rules: Rules) -> Iterator[Bet]:
    """Yield all bets that are judged, of a file that is not the catalogue's."""
    looked, followers = count(1), _followers(bets)
    for offer in bets.offers:
        if offer.given is not None or _is_by_chance(offer):
            # They are listed, too.
            _count(looked, offer.form.texts(rules, looks=_looks()))
            continue
        if not has_method(bets, offer):
            raise _ReturnRefusedError(
                f"{offer.option.form}: no method here knows the chances of its figure in this game"
            )
        if offer.after is not None:
            yield from bets.compared(offer, rules)
            continue
        texts = (text for text in _texts(bets, offer, rules) if not any(each.fullmatch(text) for each in followers))
        for text in _count(looked, texts):
            try:
                bet = bets.bet(text, rules)
            except BetRefused:
                continue
            # Another option may come first, and have this spelling.
            if bet.option is offer.option:
                yield bet


def _count(looked: Iterator[int], texts: Iterable[str]) -> list[str]:
    found = list[str]()
    for text in texts:
        if next(looked) > MOST_BETS:
            raise _ReturnRefusedError(f"there are more than {MOST_BETS:,} bets, too many to look at each")
        found.append(text)
    return found


def _followers(bets: GameBets) -> list[re.Pattern[str]]:
    """Return what bets become that are judged themselves, each with its followers: no bet that might be a follower
    exempts another, or itself.
    """
    becoming = {
        offer.form.text: re.compile(_following(offer))
        for offer in bets.offers
        if offer.lasts and "as" in offer.lasts and not offer.form.choices
    }
    return [
        pattern for text, pattern in becoming.items() if not any(each.fullmatch(text) for each in becoming.values())
    ]


def _following(offer: Offer) -> str:
    """Return what a bet of this option becomes; nothing, if that might be any word."""
    becomes = str((offer.lasts or {})["as"])
    return re.escape(becomes).replace("\\#", "[0-9A-Za-z-]+") if " " in becomes else ""


def _is_by_chance(offer: Offer) -> bool:
    """Return whether the odds themselves follow from the chance, by a method that both languages have, so that they
    return no more.
    """
    return all(each.chance in ("race", "points") and each.odds[1] <= _WHOLE for each in offer.pays) and bool(
        offer.pays
    )


def _texts(bets: GameBets, offer: Offer, rules: Rules) -> Iterator[str]:
    return offer.form.texts(rules, every=not is_alike(bets, offer), looks=_looks())


def _looks() -> Iterator[None]:
    """Count as many words as are looked at of one option: letters may leave no word to one that follows, again and
    again.
    """
    yield from repeat(None, _MOST_WORDS)
    raise _ReturnRefusedError(f"there are more than {_MOST_WORDS:,} words, too many to look at each")
