"""Bets on a round that is checked by its code: how they end, and the earlier rounds that count for them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from fairness.checks import Check
from fairness.draws.game import Outcome
from fairness.errors import CheckFailed
from fairness.player.round_code import RoundCode
from games.bets.bet import BetRefused
from tests.oracles.bets import six as oracle
from tests.support.dishonest_operator import KEY, Operator
from verifier.cli import main
from verifier.commands.command import UNKNOWN
from verifier.round.bets import BETS_UNKNOWN
from verifier.round.check import check_round
from verifier.round.report import RoundReport
from verifier.sentences import Checked, Unknown
from verifier.sources.source import FolderSource

ROUNDS = 120


def cards() -> Operator:
    """A table of HI LO with void rounds: every seventh was locked, every eleventh never opened."""
    operator = Operator()
    operator.table("cards", "hi-lo", betting="catalogue")
    operator.batch("cards", ROUNDS + 10)
    for number in range(1, ROUNDS + 1):
        if number % 11 == 0:
            operator.drop("cards")
        else:
            operator.lock("cards")
            (operator.void if number % 7 == 0 else operator.reveal)("cards")
    return operator


def code_of(operator: Operator, name: str, number: int) -> str:
    table = operator.tables[name]
    return str(RoundCode.of(table.game, table.table_id, number, table.seeds_of(number)))


def checked(folder: Path, code: str, *bets: str) -> RoundReport:
    return check_round(FolderSource(folder), KEY.verifier_key, code, bets=bets)


def card_of(operator: Operator, number: int) -> tuple[str, str | None]:
    outcome = operator.tables["cards"].outcome_of(number)
    assert isinstance(outcome, dict)
    return ("*" if outcome["card"] == "Joker" else outcome["card"], outcome.get("color"))


def is_void(number: int) -> bool:
    return number % 7 == 0 or number % 11 == 0


def test_hi_and_lo_of_every_round(tmp_path: Path) -> None:
    """Compared with the second reading: the card that counts is the last one of a played round that is no Joker."""
    operator = cards()
    operator.write(tmp_path)
    counting, jokers_passed, voids_passed = "", 0, 0
    for number in range(1, ROUNDS + 1):
        code, card = code_of(operator, "cards", number), card_of(operator, number)
        # After a plain round, the first few rounds are enough.
        plain = number > 15 and not is_void(number - 1) and card_of(operator, number - 1)[0] != "*"
        for text, odds in (("hi", oracle.HIGH), ("lo", oracle.LOW)):
            if plain:
                continue
            if not counting or odds[counting] is None:
                with pytest.raises(BetRefused):
                    checked(tmp_path, code, text)
                continue
            report = checked(tmp_path, code, text, "red")
            settled = report.bets[0]
            assert settled.bet.after == counting
            paid = 1 if is_void(number) else oracle.hi_lo([text], *card, 1, counting)
            assert settled.pays == paid
            assert settled.result == ("void" if is_void(number) else "wins" if paid else "loses")
            assert report.bets[1].pays == (1 if is_void(number) else oracle.hi_lo(["red"], *card, 1))
            looked_back = len(report.passed) - len(checked(tmp_path, code).passed) - 1
            jokers_passed += looked_back > 1 and card_of(operator, number - 1)[0] == "*"
            voids_passed += looked_back > 1 and is_void(number - 1)
        if not is_void(number) and card[0] != "*":
            counting = card[0]
    assert jokers_passed
    assert voids_passed


def test_a_false_card_before_is_found(tmp_path: Path) -> None:
    """The previous round is checked like the round itself: a signed lie in it fails the check, but only if that round
    counts.
    """
    operator = Operator()
    operator.table("cards", "hi-lo", betting="catalogue")
    operator.batch("cards", 30)
    operator.play("cards", 4)
    operator.lock("cards")
    lie: Outcome = {"card": "2", "color": "black"}
    operator.reveal("cards", outcome=lie)
    operator.play("cards")
    operator.write(tmp_path)
    code = code_of(operator, "cards", 6)
    assert operator.tables["cards"].outcome_of(5) != lie
    assert checked(tmp_path, code, "red").bets
    with pytest.raises(CheckFailed) as failed:
        checked(tmp_path, code, "hi")
    assert failed.value.check is Check.OUTCOME
    assert failed.value.index == operator.tables["cards"].reveals[5]


def test_bets_of_every_game(tmp_path: Path) -> None:
    """A crash bet uses the cap of the round's batch; each game accepts only its own bets."""
    operator = Operator()
    texts = {"crash": "cashout 1.01", "sic-bo": "big", "penalty": "blue", "keno-express": "lower 50"}
    for game in texts:
        operator.table(game, game, betting="catalogue")
        operator.batch(game, 20)
        operator.play(game)
    operator.write(tmp_path)
    for game, text in texts.items():
        code = code_of(operator, game, 1)
        outcome: Any = operator.tables[game].outcome_of(1)
        (settled,) = checked(tmp_path, code, text).bets
        assert (settled.odds is None) == (settled.bet.odds(outcome) is None)
        with pytest.raises(BetRefused):
            checked(tmp_path, code, "hi")
    with pytest.raises(BetRefused, match="cap"):
        checked(tmp_path, code_of(operator, "crash", 1), "cashout 10000.01")


@pytest.fixture
def dice(tmp_path: Path) -> list[str]:
    """The arguments that check a round of Sic Bo."""
    operator = Operator()
    operator.table("dice", "sic-bo", betting="catalogue")
    operator.batch("dice", 20)
    operator.play("dice", 5)
    folder = operator.write(tmp_path)
    assert operator.tables["dice"].outcome_of(5) == {"dice": [1, 4, 1]}
    return ["code", code_of(operator, "dice", 5), "--log", str(folder), "--key", str(KEY.verifier_key)]


def test_the_command_says_what_becomes_of_bets(dice: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    """In the order of the arguments, and with what remains unknown."""
    bets = ["--bet", "sum 6", "--bet", "pair 1", "--bet", "big", "--bet", "number 1"]
    assert main([*dice, *bets]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [" ".join(line.split()) for line in lines if line.startswith("Bet")] == [
        "Bet sum 6: wins 17:1, and pays 18 for each 1 of the stake",
        "Bet pair 1: wins 10:1, and pays 11 for each 1 of the stake",
        "Bet big: loses",
        "Bet number 1: wins 2:1, and pays 3 for each 1 of the stake",
    ]
    assert main([*dice, *bets, "--json"]) == 0
    verdict: dict[str, Any] = json.loads(capsys.readouterr().out)
    assert verdict["bets"][0] == {"bet": "sum 6", "result": "wins", "odds": "17:1", "winnings_exact": "18/1"}
    assert (verdict["paytable_in_catalogue"], verdict["checked"][-1]["what"]) == (True, Checked.PAYTABLE_CATALOGUES)
    assert verdict["bets"][2] == {"bet": "big", "result": "loses", "winnings_exact": "0/1"}
    assert verdict["not_checked"][-1] == BETS_UNKNOWN
    assert main([*dice, "--json"]) == 0
    assert "bets" not in json.loads(capsys.readouterr().out)


def test_the_command_says_that_a_bet_is_still_open(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """In Craps: it guesses nothing, and says how the bet is written in the next round."""
    operator = Operator()
    operator.table("craps-1", "craps", betting="catalogue")
    operator.batch("craps-1", 30)
    operator.play("craps-1", 9)
    folder = operator.write(tmp_path)
    totals = {
        number: sum(json.loads(json.dumps(operator.tables["craps-1"].outcome_of(number)))["dice"])
        for number in range(1, 10)
    }
    number, total = next((number, total) for number, total in totals.items() if total in (4, 5, 6, 8, 9, 10))
    asked = ["code", code_of(operator, "craps-1", number), "--log", str(folder), "--key", str(KEY.verifier_key)]
    assert main([*asked, "--bet", "come"]) == 0
    assert f"come: still open; in the next round it is written come on {total}" in capsys.readouterr().out
    assert main([*asked, "--bet", "come", "--json"]) == 0
    (found,) = json.loads(capsys.readouterr().out)["bets"]
    assert found == {
        "bet": "come",
        "result": "open",
        "goes_on_as": f"come on {total}",
    }


def test_what_is_no_bet_is_wrong_usage(dice: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    """The error lists the forms of valid bets."""
    assert main([*dice, "--bet", "sum 3"]) == 2
    error = capsys.readouterr().err
    assert error.startswith(
        "foredraw-verify: --bet 'sum 3' is no bet of this game; its bets are: small; big; triple N;"
    )


@pytest.mark.parametrize(
    ("game", "bet", "outcome"),
    [("sic-bo", "triple 6", {"dice": [6, 6, 6]}), ("crash", "cashout 2.00", {"x": 1}), ("hi-lo", "red", {"card": 7})],
)
def test_no_bet_on_an_outcome_that_was_not_checked(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], game: str, bet: str, outcome: Outcome
) -> None:
    """Rules that are newer than the verifier may name anything an outcome: no bet wins by it, in words."""
    operator = Operator()
    operator.table("new", game, betting="catalogue")
    operator.batch("new", 24, rules={"version": 2})
    operator.lock("new")
    operator.reveal("new", outcome=outcome)
    operator.write(tmp_path)
    code = code_of(operator, "new", 1)
    assert not checked(tmp_path, code).is_outcome_known
    status = main(["code", code, "--log", str(tmp_path), "--key", str(KEY.verifier_key), "--bet", bet])
    told = capsys.readouterr()
    assert (status, told.err) == (UNKNOWN, "")
    assert "what decides the outcome of round 1" in " ".join(told.out.split())
    assert not any(word in told.out for word in ("wins", "loses", "pays"))


def test_no_bet_that_compares_with_a_card_that_was_not_checked(tmp_path: Path) -> None:
    """The card before was drawn by newer rules; the colour alone is settled."""
    operator = Operator()
    operator.table("cards", "hi-lo", betting="catalogue")
    operator.batch("cards", 1, rules={"version": 2})
    operator.batch("cards", 20)
    operator.play("cards", 2)
    operator.write(tmp_path)
    code = code_of(operator, "cards", 2)
    assert checked(tmp_path, code, "red").bets
    report = checked(tmp_path, code, "hi")
    assert (report.bets, report.unknown[-1]) == ((), Unknown.UNSETTLED.fill(round=1))


@pytest.mark.parametrize("own", [False, True])
def test_a_declared_game_has_the_catalogues_bets_if_it_is_declared_like_it(tmp_path: Path, own: bool) -> None:
    """A wheel of the operator's own may have the name of another game, and has no bets here."""
    operator = Operator()
    declared = {"draw": [["pocket", "number", 0, 99]]} if own else None
    operator.table("wheel", "roulette", declared=declared, betting=None if own else "catalogue")
    operator.batch("wheel", 10)
    operator.lock("wheel")
    operator.reveal("wheel")
    operator.write(tmp_path)
    code = code_of(operator, "wheel", 1)
    if own:
        with pytest.raises(BetRefused, match="names no paytable, so this table has no bets"):
            checked(tmp_path, code, "red")
        return
    outcome = operator.tables["wheel"].outcome_of(1)
    assert isinstance(outcome, dict)
    report = checked(tmp_path, code, f"number {outcome['pocket']}", "zero")
    assert [str(each.odds) for each in report.bets[:1]] == ["35:1"]
    assert report.bets[0].result == "wins"
