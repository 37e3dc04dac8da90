"""``make bets``: computes the open odds, and writes what follows from the bets' data.

That is the returns, the vectors of paytables, the tables of docs/bets.md, and what the verifier in JavaScript knows
of the catalogue. The odds are stored, because who settles a bet need not know its law. `tests/games/bets` holds all
of it up to date.
"""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Iterable, Mapping
from fractions import Fraction
from hashlib import sha256
from typing import Any

import msgspec

from fairness.draws.game import Rules
from games.bets import CATALOGUE_BETS as BETS
from games.bets.catalogue import bets_of, data
from games.bets.game_bets import GameBets
from games.bets.options import Offer
from games.bets.paytable.source import lines_of, paytable_of
from games.bets.returns import Line, computed, returns_of, stored
from games.declared.catalogue import catalogue
from tests.house import HOUSE

FILE = HOUSE / "games" / "bets.json"
PAYTABLES = HOUSE / "tests" / "vectors" / "paytables.json"
RETURNS = HOUSE / "games" / "returns.json"
PAGE = HOUSE / "docs" / "bets.md"
NAMES = HOUSE / "verifier" / "browser" / "games" / "catalogue_data.js"
EXAMPLES: Mapping[str, Rules] = {
    "crash": {"cap": 1_000_000, "rtp": 9700, "version": 1},
    "rocketon": {"cap": 1_000_000, "rtp": 9700, "version": 1},
    "in-between": {"decks": 4, "seats": 1, "version": 1},
    "bet-win": {"seats": 1, "version": 1},
    "racing": {"runners": 6, "version": 1, "w1": 30, "w2": 20, "w3": 20, "w4": 15, "w5": 10, "w6": 5},
    "table-tennis": {"a": 5000, "version": 1},
    "mega-ball": {"m10": 30, "m100": 2, "m25": 20, "m5": 40, "m50": 8, "version": 1},
}
"""Rules under which a game's bets are shown; of all others the version alone."""
BY_HAND = ("crash", "rocketon", "hi-lo", "sic-bo", "penalty", "keno-express")
"""Games whose tables in docs/bets.md are not made from the data."""


def rules_of(game: str) -> Rules:
    """Rules to show a game with."""
    return EXAMPLES.get(game, {"version": 1})


def priced() -> dict[str, Any]:
    """The data, with the odds that are stored; those that depend on the rules, or follow from a count, are not."""
    found = copy.deepcopy(dict(data()))
    for game in found["games"]:
        for line, offer in zip(lines_of(found, game), BETS[game].offers, strict=True):
            if line.get("priced") is not None:
                line["priced"] = _prices(BETS[game], offer, rules_of(game))  # type: ignore[index]  # a copy
    return found


def _prices(bets: GameBets, offer: Offer, rules: Rules) -> int | dict[str, int]:
    by_words = bets.priced_words(offer, rules)
    return next(iter(by_words.values())) if len(set(by_words.values())) == 1 else by_words


def written(found: Mapping[str, Any]) -> str:
    """The file: a line for each table, reading and option."""
    tables = [f" {_line(name)}:{_line(table)}" for name, table in found["tables"].items()]
    groups = [f" {_line(name)}:[\n  {_lines(lines)}\n ]" for name, lines in found["groups"].items()]
    games = [
        f' {_line(name)}:{{"drawn":{_line(about["drawn"])},"readings":[\n  {_lines(about["readings"])}\n'
        f' ],"options":[\n  {_lines(about["options"])}\n ]}}'
        for name, about in found["games"].items()
    ]
    parts = (("tables", tables), ("groups", groups), ("games", games))
    return "{" + ",".join(f'"{name}":{{\n' + ",\n".join(lines) + "\n}" for name, lines in parts) + "}\n"


def _line(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _lines(values: Iterable[object]) -> str:
    return ",\n  ".join(map(_line, values))


def tables_of_page() -> str:
    """The part of docs/bets.md that is made from the data."""
    return "\n".join(_section(game) for game in BETS if game not in BY_HAND)


def _section(game: str) -> str:
    bets = BETS[game]
    lines = {line.option.form: line for line in returns_of(game, rules_of(game))}
    rows = [
        f"| `{offer.option.form}` | {offer.option.name} | {offer.option.wins} | {_odds(lines.get(offer.option.form), offer)} |"
        for offer in bets.offers
    ]
    readings = [f"- {reading.decision} *“{reading.sentence}”*" for reading in bets.readings]
    head = (
        f"## {game} ({bets.section})",
        "",
        "| bet | winning option | wins if | odds, return |",
        "|---|---|---|---|",
    )
    return "\n".join((*head, *rows, "", *readings, *([""] if readings else [])))


def _odds(line: Line | None, offer: Offer) -> str:
    """All odds and returns, or the smallest and the largest."""
    if offer.since:
        return f"as `{offer.since}`"
    if line is None:
        return "not offered: its odds would be below 1.01"
    shown = (" to " if line.is_range else ", ").join(line.odds)
    returns = " to ".join(dict.fromkeys(map(_percent, line.returns)))
    return f"{shown}; {returns}" if returns else shown


def returns() -> str:
    """``games/returns.json``: a line for each option of a game of the catalogue."""
    games = (
        f' {_line(game)}:{{"rules":{_line(rules_of(game))},"lines":{{\n  '
        + ",\n  ".join(f"{_line(line.option.form)}:{_line(_stored(line))}" for line in computed(game, rules_of(game)))
        + "\n }}"
        for game in BETS
        if game not in BY_HAND
    )
    return "{\n" + ",\n".join(games) + "\n}\n"


def _stored(line: Line) -> dict[str, object]:
    found: dict[str, object] = {
        "odds": line.odds,
        "chances": [str(each) for each in line.chances],
        "returns": [str(each) for each in line.returns],
    }
    return {**found, "is_range": True} if line.is_range else found


def paytables() -> str:
    """``tests/vectors/paytables.json``: of each game the hash of its paytable, and the file."""
    files = {game: paytable_of(data(), game) for game in BETS}
    lines = (_line([game, sha256(file).hexdigest(), file.decode()]) for game, file in files.items())
    return "[\n" + ",\n".join(lines) + "\n]\n"


def _percent(value: Fraction) -> str:
    return f"{float(value * 100):.2f} %"


_DIGITS = 24
_MADE = re.compile(r"(?<=<!-- made by `make bets` -->\n\n).*", re.DOTALL)


def page() -> str:
    """docs/bets.md, with its made part."""
    return _MADE.sub(lambda _: tables_of_page(), PAGE.read_text("utf-8"))


def names() -> str:
    """The catalogue's declarations and paytables as a module: which are its games and their bets, by the beginnings
    of their SHA-256.
    """
    declared = (f'  "{each.game}": "{_digest(each.declaration.text)}",\n' for each in catalogue())
    paid = (f'  "{game}": "{_digest(paytable_of(data(), game))}",\n' for game in BETS)
    return (
        "// The games of the catalogue: the first 12 bytes of the SHA-256 of each declaration, and of each paytable, as `make bets` writes them.\n\n"
        "export const CATALOGUE = Object.freeze({\n  __proto__: null,\n" + "".join(declared) + "});\n\n"
        "export const PAYTABLES = Object.freeze({\n  __proto__: null,\n" + "".join(paid) + "});\n"
    )


def _digest(data: bytes) -> str:
    return sha256(data).hexdigest()[:_DIGITS]


def main() -> None:
    """Bring all up to date."""
    text = written(priced())
    msgspec.json.decode(text)
    FILE.write_text(text, "utf-8")
    data.cache_clear()
    bets_of.cache_clear()
    PAYTABLES.write_text(paytables(), "utf-8")
    RETURNS.write_text(returns(), "utf-8")
    stored.cache_clear()
    PAGE.write_text(page(), "utf-8")
    NAMES.write_text(names(), "utf-8")


if __name__ == "__main__":
    main()
