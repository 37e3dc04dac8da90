"""``game``: a declaration in words, its exact law, whose it is; what is refused, and what is unknown."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path

import pytest

from games.declared.catalogue import Listed, catalogue
from games.declared.declaration import Declaration
from games.declared.law import TooMany, law
from tests.support.declarations import spelled
from tests.support.dishonest_operator import KEY, Operator
from tests.support.ran import Ran
from verifier.commands.command import FAILED, HELD, UNKNOWN, UNREADABLE, USAGE

ROULETTE = '{"draw":[["pocket","number",0,36]]}'
RACE = '{"draw":[["order","race"]],"rules":{"runners":[2,16],"w*runners":[1,1000]}}'
RULES = '{"runners":2,"version":1,"w1":1,"w2":3}'


@pytest.fixture(name="file")
def _file(tmp_path: Path) -> Path:
    return tmp_path / "declaration.json"


def test_a_declaration_in_words(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What is drawn, in which games of the catalogue, each outcome's chance, the entropy; a line feed may follow."""
    file.write_text(ROULETTE + "\n")
    ran = Ran(capsys, "game", file)
    assert ran.status == HELD
    for text in (
        "Catalogue  roulette (12.1, lead 1), french-roulette (12.1, lead 1), electronic-roulette (12.18, lead 1)",
        "At most    1 draw a round, 13 bytes of outcome, repeats by chance not counted",
        "- pocket: a number from 0 to 36",
        'Law: 37 outcomes, each 1/37, under the rules {"version":1}',
        '- 1/37  {"pocket":36}',
        "5.2 bits a round, in 1 draw, in 1,000 sample rounds; a seed has 256",
        "checks nothing of a log",
    ):
        assert text in ran.output


def test_the_law_under_the_rules_of_a_batch(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Without them it is not listed; ones that a batch could not have are wrong usage."""
    file.write_text(RACE)
    assert "Law: give --rules" in Ran(capsys, "game", file).output
    told = Ran(capsys, "game", file, "--rules", RULES, "--json").json
    assert told["law"] == [['{"order":[2,1]}', "3/4"], ['{"order":[1,2]}', "1/4"]]
    assert told["rules"] == {"runners": 2, "version": 1, "w1": 1, "w2": 3}
    assert told["catalogue"] == []
    for rules in ("{}", '{"runners":2,"version":1,"w1":1,"w2":1001}', "[]", "x", '{"runners":2.0}'):
        assert Ran(capsys, "game", file, "--rules", rules).status == USAGE


def test_a_line_that_is_spelled_otherwise_is_given_its_one_spelling(
    file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """With line breaks, spaces, and keys in another order; a line break within a word is no spelling of anything."""
    file.write_text('{\n\t"moves": 1,\n\t"draw": [["n", "number", 1, 6]]\n}')
    ran = Ran(capsys, "game", file)
    assert (ran.status, 'Expected   {"draw":[["n","number",1,6]],"moves":1}' in ran.output) == (FAILED, True)
    file.write_text('{"draw":[["n","one",["a\nb"]]]}')
    ran = Ran(capsys, "game", file)
    assert (ran.status, "Expected   JSON" in ran.output) == (FAILED, True)


def test_what_is_refused_and_what_is_unknown(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Each with its own status and words, also as JSON; a file that is not there could not be read."""
    file.write_text('{"draw":[]}')
    ran = Ran(capsys, "game", file)
    assert ran.status == FAILED
    assert (
        ran.output
        == "FAILED: this is no declaration (SPEC 3.6)\nExpected   draw: an array of 1 to 64\nFound      []\n"
    )
    assert Ran(capsys, "game", file, "--json").json["verdict"] == "failed"
    file.write_text('{"draw":[["p","laser"]]}')
    ran = Ran(capsys, "game", file)
    assert ran.status == UNKNOWN
    assert "- the kind laser" in ran.output
    assert Ran(capsys, "game", file, "--json").json["unknown"] == ["the kind laser"]
    assert Ran(capsys, "game", file.parent / "none").status == UNREADABLE
    file.write_text(ROULETTE + "\n\n")
    assert Ran(capsys, "game", file).status == FAILED
    file.write_text("[" * 10**6)
    assert Ran(capsys, "game", file).status == FAILED


def test_the_game_of_a_table_of_a_log(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Declared in its record, or known by its name; a newer one is unknown, one that is not there is wrong usage."""
    operator = Operator()
    operator.table("keno-1", "keno-express")
    operator.table("roulette-1", "roulette", declared=json.loads(ROULETTE))
    operator.table("kind-1", "jumps", declared={"draw": [["height", "jump", 3]]})
    operator.append(b'{"table":"new-1","type":"table","v":2}')
    operator.table("false-1", "keno-express", game="nameless")
    operator.table("false-2", "keno-express", declaration=json.loads(ROULETTE))
    operator.table("false-3", "keno-express", declaration={"drew": 1}, game="roulette")
    log = ["--log", str(operator.write(tmp_path / "log")), "--key", str(KEY.verifier_key)]
    ran = Ran(capsys, "game", "roulette-1", *log)
    assert ran.status == HELD
    assert "Table      roulette-1, which plays roulette (record 1)" in ran.output
    assert "Nothing else of the log" in ran.output
    told = Ran(capsys, "game", "keno-1", *log, "--json").json
    assert (told["table"], told["game"], told["record"]) == ("keno-1", "keno-express", 0)
    assert told["catalogue"][0]["game"] == "keno-express"
    for newer in ("kind-1", "new-1"):
        assert Ran(capsys, "game", newer, *log).status == UNKNOWN
    for false in ("false-1", "false-2", "false-3"):
        ran = Ran(capsys, "game", false, *log)
        assert ran.status == FAILED
        assert "table-declaration" in ran.output
    for wrong in (("keno-2", *log), ("keno-\udcff", *log), ("keno-1", *log[:2]), ("keno-1", *log[2:])):
        assert Ran(capsys, "game", *wrong).status == USAGE
    (bundle,) = (file for file in (tmp_path / "log" / "tile" / "entries").rglob("*") if file.is_file())
    bundle.write_bytes(bundle.read_bytes().replace(b"keno", b"kino"))
    assert Ran(capsys, "game", "keno-1", *log).status == FAILED


REPEATING = {"dream-catcher", "monopoly-live", "thirty-two-cards"}
"""What they draw can be drawn again, by chance."""
RULES_OF = {
    "lotto": {"count": 2, "of": 5},
    "mega-ball": {"m5": 40, "m10": 30, "m25": 20, "m50": 8, "m100": 2},
    "racing": {"runners": 4, "w1": 4, "w2": 3, "w3": 2, "w4": 1},
    "table-tennis": {"a": 5200},
    "prize-wheel": {"segments": 2, "w1": 70, "w2": 30},
    "slot": {"reels": 2, "reel1": 32, "reel2": 40},
    "numbers": {"count": 2, "of": 10},
    "in-between": {"decks": 4, "seats": 3},
    "crash": {"cap": 1_000_000, "rtp": 9700},
    "rocketon": {"cap": 1_000_000, "rtp": 9700},
}


@pytest.mark.parametrize("listed", catalogue(), ids=lambda listed: listed.game)
def test_every_game_of_the_catalogue_is_explained(
    listed: Listed, file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """In words for each step; where its law is listed, the chances are all there are."""
    file.write_bytes(listed.declaration.text)
    rules = RULES_OF.get(listed.game, {"seats": 2} if "seats" in listed.declaration.parameters.plain else {})
    given = ["--rules", spelled(rules | {"version": 1}).decode()] if rules else []
    told = Ran(capsys, "game", file, *given, "--json").json
    assert {"game": listed.game, "lead": listed.lead, "section": listed.section} in told["catalogue"]
    assert len(told["draw"]) == len(listed.declaration.steps)
    assert "law" not in told or sum(Fraction(chance) for _, chance in told["law"]) == 1
    assert told["entropy"]["draws"][1] <= told["most"]["draws"] or listed.game in REPEATING
    assert Ran(capsys, "game", file, *given).status == HELD


@pytest.mark.parametrize(
    ("text", "ways"),
    [
        (b'{"draw":[["p","number",1,100000]]}', 100_000),
        (b'{"draw":[["p","number",1,100001]]}', None),
        (b'{"draw":[["p","spin",[["a",1],["b",1]],["a"]]]}', None),
        (b'{"draw":[["p","numbers",1000,0,0],["q","number",1,900]]}', 900),
        (b'{"draw":[["p","numbers",1000,0,0],["q","number",1,1100]]}', None),
    ],
)
def test_a_law_is_listed_up_to_a_limit(text: bytes, ways: int | None) -> None:
    """100,000 ways, or a million draws; what repeats itself has no end."""
    declaration = Declaration.parse(text)
    if ways is None:
        with pytest.raises(TooMany):
            law(declaration, {"version": 1})
    else:
        assert len(law(declaration, {"version": 1})) == ways
