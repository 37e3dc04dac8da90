"""``tests/vectors/settlements.json``: for every option of every game bets that win and bets that lose, with the
outcomes.

``.venv/bin/python -m tests.support.settlements`` writes it. It was first written before what a bet pays had a file of
its own in the log, by the program of that time. So whoever writes it again compares: what was settled otherwise
before is a change of the game.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice

from fairness.draws.game import Outcome, Rules
from games.bets import CATALOGUE_BETS
from games.bets.bet import BetRefused
from games.bets.game_bets import GameBets
from games.bets.options import Offer
from games.bets.settlement import Settled, settle
from games.multipliers import fraction_text
from tests.bets import rules_of
from tests.house import HOUSE
from tests.oracles.bets.drawn import some_outcomes

FILE = HOUSE / "tests" / "vectors" / "settlements.json"
OTHER_RULES: Mapping[str, Rules] = {
    "crash": {"cap": 10_000, "rtp": 9900, "version": 1},
    "racing": {"runners": 9, "version": 1, **{f"w{runner}": 7 + runner * runner for runner in range(1, 10)}},
    "table-tennis": {"a": 6200, "version": 1},
}
"""Games whose odds depend on the rules are settled under other rules, too."""
RARE: Mapping[str, Sequence[Outcome]] = {
    "lucky-5": ({"balls": [1, 5, 9, 13, 17]}, {"balls": [4, 8, 12, 16, 20]}, {"balls": [3, 9, 1, 2, 30]}),
    "lucky-7": ({"balls": [4, 1, 3, 2, 5, 20, 30]},),
    "fruitrace": ({"tube": "plum plum plum cherry cherry cherry lemon lemon lemon 7"},),
}
"""Outcomes that win what hardly any drawn one wins."""
IN_ORDER: Outcome = {"order": list(range(1, 10))}
"""Nine runners finish in the order of their numbers."""
_DRAWN, _MOST_ODDS = 1000, 60

Row = tuple[str, str, int, Outcome | None, str, str | None, str | None]
"""An option's form, a bet of it, the place of its outcome, the outcome before it, and what became of it: result,
odds, what is paid or the next bet.
"""


def written() -> str:
    """The file: a game's outcomes, and a line for each bet."""
    usual = [_of_game(game, rules_of(game), RARE.get(game, ())) for game in CATALOGUE_BETS]
    others = [_of_game(game, rules, [IN_ORDER] if game == "racing" else ()) for game, rules in OTHER_RULES.items()]
    return "[\n" + ",\n".join((*usual, *others)) + "\n]\n"


def _of_game(game: str, rules: Rules, rare: Sequence[Outcome]) -> str:
    drawn = [*some_outcomes(game, rules, _DRAWN), *rare]
    rows, used = list[Row](), list[Outcome]()
    for text, outcome, before, settled in _found(CATALOGUE_BETS[game], rules, drawn):
        if outcome not in used:
            used.append(outcome)
        odds = None if settled.odds is None else str(settled.odds)
        paid = settled.next if settled.pays is None else fraction_text(settled.pays)
        rows.append((settled.bet.option.form, text, used.index(outcome), before, settled.result, odds, paid))
    head = f'{{"game":{_line(game)},"rules":{_line(rules)},"outcomes":[\n  '
    return head + ",\n  ".join(map(_line, used)) + '\n ],"settled":[\n  ' + ",\n  ".join(map(_line, rows)) + "\n ]}"


def _line(value: object) -> str:
    return json.dumps(value, separators=(",", ":"))


def _found(
    bets: GameBets, rules: Rules, drawn: Sequence[Outcome]
) -> Iterator[tuple[str, Outcome, Outcome | None, Settled]]:
    """Of each option one bet for each of its odds, one that loses, and one that is still open, as far as they
    occur.
    """
    for offer in bets.offers:
        seen: set[tuple[str, str | None]] = set()
        for text, before in _asked(offer, rules):
            try:
                bet = bets.bet(text, rules, [before] if before else [])
            except BetRefused:
                continue
            for outcome in drawn:
                try:
                    settled = settle(bet, outcome, "played")
                except BetRefused:
                    continue
                kind = (settled.result, str(settled.odds) if len(seen) < _MOST_ODDS else None)
                if kind not in seen:
                    seen.add(kind)
                    yield text, outcome, before, settled


def _asked(offer: Offer, rules: Rules) -> Iterator[tuple[str, Outcome | None]]:
    if offer.after is not None:
        yield from ((offer.form.text, {offer.after["place"]: card}) for card in offer.after["by"])
        return
    texts = list(islice(offer.form.texts(rules), 1000))
    for text in dict.fromkeys((*texts[:2], *texts[-2:], *texts[:: max(1, len(texts) // 12)])):
        yield text, None


if __name__ == "__main__":
    FILE.write_text(written(), "utf-8")
