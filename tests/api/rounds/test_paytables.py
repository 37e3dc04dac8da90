"""What the bets of a new table pay: the catalogue's file, or an operator's own; what is refused; and that bets are
settled by it.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
from msgspec import UNSET

from api.answers.bodies import PlacedBet
from api.bets.par.sheet import ParRefusedError, make_sheet
from api.bets.returns import show_bets
from api.bets.settling import settle_bet, settle_bets
from api.http.view import show_table
from api.paytables.offered import bets_of
from api.problems import Problem
from api.rounds.control import set_table
from api.rounds.tables import TableRefusedError, add_table
from api.store.models import RoundStatus
from fairness.draws.game import Outcome
from fairness.hashing import sha256
from fairness.limits import LARGEST_PAYTABLE
from games.bets import CATALOGUE_BETS
from games.bets.bet import BetRefused
from games.bets.catalogue import catalogue_paytable
from tests.support import databases
from tests.support.commands import foredraw
from tests.support.in_process_service import InProcessService
from tests.support.running_service import initialised

Json = Any
WHEEL = b'{"draw":[["pocket","number",0,"top"]],"rules":{"top":[9,99]}}'


def paytable(times: int) -> bytes:
    """A pocket's number, at these odds."""
    option: Json = {"choices": {"N": [0, "top"]}, "figure": ["value", "pocket"], "form": "number N"}
    option["pays"] = [[["$N"], ["times", times]]]
    return json.dumps({"options": [option]}, sort_keys=True, separators=(",", ":")).encode()


FILE = paytable(5_000)
HASH = sha256(FILE).hex()


@pytest.fixture(scope="module")
def inside(tmp_path_factory: pytest.TempPathFactory) -> Iterator[InProcessService]:
    """A service with a wheel of an operator's own with bets, one without, and Sic Bo with other bets than the
    catalogue's.
    """
    made = InProcessService.create(tmp_path_factory.mktemp("paytables") / "data", tables=(("dice", "sic-bo"),))
    writer = made.service.writer
    add_table(writer, "wheel", "own-wheel", declaration=WHEEL, paytable=FILE, rules={"top": 49, "version": 1})
    add_table(writer, "no-bets", "own-wheel", declaration=WHEEL, rules={"top": 49, "version": 1})
    add_table(writer, "own-dice", "sic-bo", paytable=OWN_DICE)
    made.settle()
    yield made
    made.stop()


OWN_DICE = b'{"options":[{"figure":["sum","dice"],"form":"eleven","pays":[[[11],["times",700]]]}]}'


def settled(inside: InProcessService, table: str, text: str, outcome: Outcome) -> str:
    """What becomes of a bet."""
    found = settle_bet(inside.service.database, table, 1, RoundStatus.PLAYED, outcome, text)
    return f"{found.result} {found.pays}"


def test_the_record_names_the_paytable_and_the_public_answer_shows_it(inside: InProcessService) -> None:
    """By its hash; a game without bets has none."""
    database = inside.service.database
    assert show_table(database, inside.service.openings, "wheel").paytable == HASH
    assert (
        show_table(database, inside.service.openings, "dice").paytable
        == sha256(catalogue_paytable("sic-bo", "") or b"").hex()
    )
    assert show_table(database, inside.service.openings, "no-bets").paytable is UNSET
    assert inside.state("no-bets").paytable == ""


def test_bets_are_settled_by_the_file_alone(inside: InProcessService) -> None:
    """The operator's own wheel, and Sic Bo, at whose table the catalogue's bets are none."""
    assert settled(inside, "wheel", "number 7", {"pocket": 7}) == "wins 50"
    assert settled(inside, "wheel", "number 7", {"pocket": 8}) == "loses 0"
    assert settled(inside, "own-dice", "eleven", {"dice": [5, 5, 1]}) == "wins 7"
    assert settled(inside, "dice", "sum 11", {"dice": [5, 5, 1]}).startswith("wins ")
    with pytest.raises(BetRefused, match="eleven"):
        settled(inside, "own-dice", "sum 11", {"dice": [5, 5, 1]})
    with pytest.raises(BetRefused, match="no-bets has no paytable, and so no bets"):
        settled(inside, "no-bets", "number 7", {"pocket": 7})
    with pytest.raises(Problem, match=r"bets\[0\]: no-bets has no paytable"):
        settle_bets(
            inside.service.database, "no-bets", 1, RoundStatus.PLAYED, {"pocket": 7}, [PlacedBet("number 7", 1)]
        )


def test_what_they_return_is_shown(inside: InProcessService) -> None:
    """As of the catalogue's bets, without the words that nobody has written."""
    answer: Json = msgspec.to_builtins(show_bets(inside.service.database, "own-dice"))
    assert answer["options"] == [{"form": "eleven", "name": "eleven", "wins": ""}]
    assert "section" not in answer
    (bet,) = answer["bets"]
    assert (bet["bet"], bet["odds"], bet["pays_back"]) == ("eleven", ["x 7"], "7/8")
    sheet = make_sheet(inside.service.database, inside.key, "own-dice", "2026-11-20T00:00:00Z")
    assert ("Paytable", sha256(OWN_DICE).hex()) in sheet.facts
    assert [row[0] for row in sheet.rows] == ["eleven"]


def test_what_nobody_can_compute_is_not_shown(inside: InProcessService) -> None:
    """A bet that is made when something is known, on hands that a rule deals: its odds, and no false return."""
    known, figure = ["value", "player 1", "suit"], ["value", "player 3", "suit"]
    option = {"figure": figure, "form": "spade", "given": [known, ["s"]], "pays": [[["s"], ["times", 400]]]}
    file = json.dumps({"options": [option]}, sort_keys=True, separators=(",", ":")).encode()
    add_table(inside.service.writer, "own-baccarat", "baccarat", paytable=file)
    answer: Json = msgspec.to_builtins(show_bets(inside.service.database, "own-baccarat"))
    assert answer["bets"] == [
        {"bet": "spade", "name": "spade", "odds": ["x 4"], "pays": [{"numerator": 4, "denominator": 1}]}
    ]
    with pytest.raises(ParRefusedError, match="cannot be computed"):
        make_sheet(inside.service.database, inside.key, "own-baccarat", "2026-11-20T00:00:00Z")


def test_the_catalogues_own_file_may_be_named(inside: InProcessService) -> None:
    """It is the same table's paytable as without."""
    add_table(inside.service.writer, "dice-named", "sic-bo", paytable=catalogue_paytable("sic-bo", ""))
    assert bets_of(inside.service.database, inside.state("dice-named")) is CATALOGUE_BETS["sic-bo"]


REFUSED = {
    "no paytable at all": (b"[]", "no paytable of own-wheel"),
    "another spelling": (FILE + b"\n", "paytable-form"),
    "an unknown place": (FILE.replace(b'"pocket"', b'"pockets"'), "paytable-form"),
    "a later version": (b'{"bets":[],"version":2}', "does not know paytables of"),
    "an unknown word": (FILE.replace(b'"value"', b'"middle"'), "does not know"),
    "too large": (b" " * (LARGEST_PAYTABLE + 1), "paytable-file"),
    "a bet that returns too much": (paytable(5_001), "number 0 returns 5001/5000 .* at most 100 %"),
}


@pytest.mark.parametrize(("file", "why"), REFUSED.values(), ids=REFUSED)
def test_what_no_table_may_have_is_refused(inside: InProcessService, file: bytes, why: str) -> None:
    """With what is wrong; nothing is queued."""
    with pytest.raises(TableRefusedError, match=why) as refused:
        add_table(
            inside.service.writer,
            "refused",
            "own-wheel",
            declaration=WHEEL,
            paytable=file,
            rules={"top": 49, "version": 1},
        )
    assert refused.value.field == "paytable"
    assert "refused" not in inside.states()


def test_other_rules_are_refused_if_a_bet_would_return_too_much(
    inside: InProcessService, caplog: pytest.LogCaptureFixture
) -> None:
    """Where an operator asks for them; and before a batch is made, if somebody has written them into the database."""
    writer = inside.service.writer
    with pytest.raises(TableRefusedError, match="number 0 returns 5 of the stake") as refused:
        set_table(writer, "wheel", rules={"top": 9, "version": 1})
    assert refused.value.field == "paytable"
    set_table(writer, "no-bets", rules={"top": 9, "version": 1})
    inside.tamper("""UPDATE tables SET rules = '{"top": 9, "version": 1}' WHERE name = 'wheel'""")
    before = inside.state("wheel").committed_through
    with caplog.at_level(logging.ERROR, "foredraw.keeper"):
        for _ in range(before):
            inside.play("wheel")
            inside.settle()
            if "no batch is made" in caplog.text:
                break
    assert (
        "table wheel: no batch is made under its rules in the database: number 0 returns 5 of the stake"
        in caplog.text
    )
    assert inside.state("wheel").committed_through == before
    set_table(writer, "wheel", rules={"top": 99, "version": 1})
    inside.settle()
    assert inside.state("wheel").batches[-1].rules == {"top": 99, "version": 1}


@pytest.mark.nightly("starts a program")
def test_the_command_reads_the_file(tmp_path: Path) -> None:
    """One line end at the end of it is an editor's."""
    file = tmp_path / "own.json"
    file.write_bytes(OWN_DICE + b"\n")
    made = initialised(tmp_path / "data", {})
    data = made.settings.folder
    done = foredraw(data, "table", "add", "by-command", "sic-bo", "--paytable", str(file))
    assert (done.returncode, done.stderr) == (0, "")
    assert databases.query(made.settings, "SELECT hash, data FROM paytables") == [(sha256(OWN_DICE).hex(), OWN_DICE)]
    missing = foredraw(data, "table", "add", "none", "sic-bo", "--paytable", str(tmp_path / "missing"))
    assert missing.returncode == 2
    assert "--paytable" in missing.stderr
    assert "cannot be read" in missing.stderr
