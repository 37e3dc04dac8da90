"""The catalogue: each of its games gives the outcomes of another program, and the six old ones those of their
classes.
"""

from __future__ import annotations

import json

import pytest
from msgspec import json as spelling

from fairness.draws.stream import Stream
from fairness.hashing import sha256
from fairness.limits import LARGEST_OUTCOME, MOST_DRAWS
from fairness.records.record import Outcome
from games import GAMES
from games.declared.catalogue import Listed, catalogue, listed_as
from games.declared.declaration import Declaration
from games.declared.packs import PACKS
from tests.house import HOUSE
from tests.support.spec_page import rows, section

FILE = json.loads((HOUSE / "games" / "catalogue.json").read_text("utf-8"))
VECTORS = json.loads((HOUSE / "tests" / "vectors" / "catalogue.json").read_text("utf-8"))
LISTED = {each.game: each for each in catalogue()}
ROUNDS = 3000


def stream() -> Stream:
    """That of the vectors."""
    return Stream([bytes.fromhex(VECTORS["seed"])], bytes.fromhex(VECTORS["context"]), VECTORS["round"])


def test_the_catalogue_has_75_games_and_the_vectors_all_but_six() -> None:
    """Those six are the games that a log can have."""
    assert len(LISTED) == len(FILE["games"]) == 75
    assert LISTED.keys() - VECTORS["outcomes"].keys() == GAMES.keys()


@pytest.mark.parametrize("game", VECTORS["outcomes"])
def test_each_game_gives_the_outcome_of_another_program(game: str) -> None:
    """Byte for byte."""
    rules = VECTORS["rules"].get(game, {}) | {"version": 1}
    declaration = LISTED[game].declaration
    declaration.check_rules(rules)
    outcome = declaration.outcome(stream(), rules)
    assert spelling.encode(outcome, order="deterministic").decode() == VECTORS["outcomes"][game]
    assert spelling.decode(VECTORS["outcomes"][game], type=Outcome) == outcome


@pytest.mark.parametrize("game", GAMES)
def test_the_old_games_are_drawn_as_by_their_classes(game: str) -> None:
    """The same bytes of the stream, the same outcome, the same rules, leads and flights; from one custodian or
    two.
    """
    old, new = GAMES[game], LISTED[game]
    flight = [{"cap": cap, "rtp": rtp, "version": 1} for cap, rtp in ((101, 1), (1_000_000, 9700), (10**9, 10_000))]
    choices = flight if old.has_flight else [{"version": 1}]
    assert (old.lead, old.has_flight) == (new.lead, new.declaration.has_flight)
    for number in range(ROUNDS):
        seeds = [sha256(b"%d %d" % (number, custodian)) for custodian in range(1 + number % 2)]
        rules = choices[number % len(choices)]
        new.declaration.check_rules(rules)
        first, second = Stream(seeds, bytes(32), number), Stream(seeds, bytes(32), number)
        assert new.declaration.outcome(second, rules) == old.outcome(first, rules)
        assert first.take(8) == second.take(8)


def test_the_specification_lists_them() -> None:
    """In the order of the file, with section, lead and declaration."""
    listed = [(row[0].strip("`"), row[1], int(row[2]), row[3].strip("`")) for row in rows(section("3.9"))]
    assert listed == [(each.game, each.section, each.lead, each.declaration.text.decode()) for each in catalogue()]
    about = {"game", "lead", "section"}
    for game, (name, place, lead, text) in zip(FILE["games"], listed, strict=True):
        assert (game["game"], game["section"], game.get("lead", 1)) == (name, place, lead)
        assert {key: value for key, value in game.items() if key not in about} == json.loads(text)


def test_the_packs_are_those_of_the_file() -> None:
    """Thing by thing."""
    assert FILE["decks"].keys() == PACKS.keys()
    for name, deck in FILE["decks"].items():
        cards = [rank + suit for rank in deck.get("ranks", "") for suit in "cdhs"] + deck.get("more", [])
        assert list(PACKS[name]) == deck.get("things", cards)


@pytest.mark.parametrize("listed", catalogue(), ids=lambda listed: listed.game)
def test_a_declaration_is_its_own_spelling_and_keeps_the_limits(listed: Listed) -> None:
    """Read again it is the same; its name fits a round code; the longest outcome fits a record many times."""
    declaration = listed.declaration
    assert Declaration.parse(declaration.text) == declaration
    assert listed in listed_as(declaration)
    assert len(listed.game) <= 32
    most = declaration.weigh(declaration.parameters)
    assert most.draws <= MOST_DRAWS
    assert most.size <= LARGEST_OUTCOME


def test_games_that_are_drawn_alike_are_all_named() -> None:
    """A wheel of 37 pockets is three roulettes."""
    found = listed_as(Declaration.parse(b'{"draw":[["pocket","number",0,36]]}'))
    assert [each.game for each in found] == ["roulette", "french-roulette", "electronic-roulette"]
    assert listed_as(Declaration.parse(b'{"draw":[["pocket","number",0,37]]}')) == []
