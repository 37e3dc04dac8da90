"""Paytables: the file of each game and its hash, what was settled before by these files alone, and what is
refused.
"""

from __future__ import annotations

import contextlib
import json
import time
from hashlib import sha256
from typing import Any

import pytest

from fairness.checks import Check
from fairness.errors import CheckFailed, Malformed, Unknown
from fairness.limits import LARGEST_PAYTABLE
from games.bets import CATALOGUE_BETS
from games.bets.bet import BetRefused
from games.bets.catalogue import data
from games.bets.game_bets import GameBets
from games.bets.paytable.read import Paytable
from games.bets.paytable.source import paytable_of
from games.bets.paytable.words import WORDS
from games.bets.settlement import settle
from games.declared.catalogue import listed
from games.declared.declaration import Declaration
from games.multipliers import fraction_text
from tests.bets import PAYTABLES, rules_of
from tests.oracles.bets.drawn import some_outcomes
from tests.support.hostile_paytables import (
    AT_THE_LIMIT,
    COSTLY,
    DICE,
    NEWER,
    REFUSED,
    WRONG_BESIDE_NEW,
    looks,
    padded,
    paytable,
    spelled,
)
from tests.support.settlements import FILE

FILES: dict[str, tuple[str, bytes]] = {
    game: (hashed, file.encode()) for game, hashed, file in json.loads(PAYTABLES.read_text("utf-8"))
}
SETTLED: list[dict[str, Any]] = json.loads(FILE.read_text("utf-8"))
MOST_SECONDS = 0.1

HUGE = spelled({"bets": ["x" * 1000] * 1100, "version": 2})


@pytest.mark.parametrize("game", list(data()["games"]))
def test_the_file_of_a_game_and_its_hash(game: str) -> None:
    """As the vectors have them; and it is read, under the declaration of the catalogue."""
    hashed, file = FILES[game]
    assert paytable_of(data(), game) == file
    assert sha256(file).hexdigest() == hashed
    assert len(Paytable.parse(file, listed(game).declaration).options) == len(CATALOGUE_BETS[game].options)
    assert len(file) < LARGEST_PAYTABLE // 4


@pytest.mark.parametrize("each", SETTLED, ids=lambda each: each["game"])
def test_a_file_alone_settles_what_was_settled_before(each: dict[str, Any]) -> None:
    """Nothing else of the catalogue but the declaration is asked."""
    game = each["game"]
    bets = GameBets.of(Paytable.parse(FILES[game][1], listed(game).declaration))
    for form, text, at, before, *expected in each["settled"]:
        bet = bets.bet(text, each["rules"], [before] if before else [])
        settled = settle(bet, each["outcomes"][at], "played")
        paid = settled.next if settled.pays is None else fraction_text(settled.pays)
        assert [bet.option.form, settled.result, settled.odds and str(settled.odds), paid] == [form, *expected], text


@pytest.mark.parametrize(("good", "bad"), AT_THE_LIMIT.values(), ids=AT_THE_LIMIT)
def test_a_limit_at_it_and_one_beyond(good: bytes, bad: bytes) -> None:
    """What keeps it is a paytable; what is one beyond is refused."""
    Paytable.parse(good, DICE)
    with pytest.raises(Malformed, match=r"^paytable: expected"):
        Paytable.parse(bad, DICE)


@pytest.mark.parametrize("file", REFUSED.values(), ids=REFUSED)
def test_what_breaks_a_rule_is_refused(file: bytes) -> None:
    """With what was expected, and what was found."""
    with pytest.raises(Malformed, match=r"^paytable: expected"):
        Paytable.parse(file, DICE)


@pytest.mark.parametrize(("file", "what"), NEWER.values(), ids=NEWER)
def test_what_is_newer_is_unknown_and_not_refused(file: bytes, what: str) -> None:
    """It says what it does not know."""
    with pytest.raises(Unknown, match=f"^unknown to this program: {what}$"):
        Paytable.parse(file, DICE)


@pytest.mark.parametrize("file", WRONG_BESIDE_NEW.values(), ids=WRONG_BESIDE_NEW)
def test_what_is_wrong_is_refused_beside_something_new(file: bytes) -> None:
    """A new word excuses nothing else."""
    with pytest.raises(Malformed):
        Paytable.parse(file, DICE)


@pytest.mark.parametrize(("file", "declaration"), COSTLY.values(), ids=COSTLY)
def test_the_worst_files_are_judged_at_once(file: bytes, declaration: Declaration) -> None:
    """In less than 100 ms of a processor's time, whatever their 65,536 bytes are; all but a few are refused."""
    assert len(file) <= LARGEST_PAYTABLE
    taken = []
    for _ in range(3):
        start = time.thread_time()
        with contextlib.suppress(Malformed):
            Paytable.parse(file, declaration)
        taken.append(time.thread_time() - start)
    assert min(taken) < MOST_SECONDS


_ARGUMENTS = ("", "t", 7, "above", "AK", "golden", {"in": [1, "A", {"from": 2}]}, [1, 2])


def _strange(declaration: Declaration) -> list[Any]:
    """Figures: every word that takes one of these arguments, on some places of a game."""
    places = [place for step in declaration.steps for place in step.places]
    found: list[Any] = []
    for word, (least, most, _) in WORDS.items():
        for selection in (places[-1], f"letters {places[0]}", [f"{places[0]} 1-3"]):
            for argument in _ARGUMENTS:
                for number in range(least, most + 1):
                    one = [word, selection, *[argument, "above", "t"][:number]]
                    other = [word, selection, *[argument, *[places[0]] * 2][:number]]
                    duel = [word, selection, *[places[0], "t", argument][:number]]
                    found += [one, other, duel]
    return [figure for at, figure in enumerate(found) if figure not in found[:at]]


@pytest.mark.parametrize(
    "game", ["red-dog", "sic-bo", "penalty", "baccarat", "dream-catcher", "crash", "table-tennis"]
)
def test_whatever_a_file_asks_of_an_outcome_has_an_answer(game: str) -> None:
    """Strange figures of any places settle bets, without an error."""
    declaration, rules = listed(game).declaration, rules_of(game)
    drawn, read = some_outcomes(game, rules, 4), 0
    for figure in _strange(declaration):
        pays: list[Any] = [[[{"from": "-9"}, "A"], ["to", 100, "value"]]]
        options: list[dict[str, Any]] = [
            {"form": "x", "figure": figure},
            {"form": "y", "figure": ["minus", figure, figure]},
        ]
        file = paytable(*({**each, "pays": pays} for each in options), tables={"t": {"rank": {"A": "x", "K": 3}}})
        try:
            bets = GameBets.of(Paytable.parse(file, declaration))
        except Malformed:
            continue
        read += 1
        for text in "xy":
            for outcome in drawn:
                settled = settle(bets.bet(text, rules), outcome, "played")
                assert settled.pays is not None
                assert settled.pays >= 0
    assert read > 30


def test_a_bet_that_is_not_offered_is_refused() -> None:
    """With odds of 0, and with a word that the odds do not have."""
    choices = {"N": {"words": {"a": 1, "b": 2}}}
    file = paytable(
        {"form": "none", "figure": ["sum", "dice"], "pays": [[[4], ["times", 0]]]},
        {"form": "N", "choices": choices, "figure": ["sum", "dice"], "pays": [[[4], {"a": ["to", 100]}]]},
    )
    bets = GameBets.of(Paytable.parse(file, DICE))
    assert str(bets.bet("a", {"version": 1}).prizes[0].odds) == "1:1"
    for text in ("none", "b"):
        with pytest.raises(BetRefused, match="not offered"):
            bets.bet(text, {"version": 1})
    for text in ("c", "a" * 65):
        with pytest.raises(BetRefused, match="no bet of this game"):
            bets.bet(text, {"version": 1})


def test_the_ends_of_a_flight_stand_in_its_own_place() -> None:
    """An operator may call the place of a multiplier as it likes."""
    declared = {"draw": [["height", "flight"]], "moves": 1, "rules": {"cap": [101, 500], "rtp": [9000, 10_000]}}
    option = {"form": "rise", "figure": ["hundredths", "height"], "pays": [[[{"from": 200}], ["to", 100]]]}
    bets = GameBets.of(Paytable.parse(paytable(option), Declaration.parse(spelled(declared))))
    rules = {"cap": 500, "rtp": 9700, "version": 1}
    ends = [outcome for outcome, _ in bets.chances(rules)]
    assert ends == [{"height": "1.00"}, {"height": "5.00"}]
    assert [bets.bet("rise", rules).odds(end) is not None for end in ends] == [False, True]


@pytest.mark.parametrize(
    ("file", "check"),
    [
        (paytable() + b"\n", Check.PAYTABLE_FORM),
        (padded(LARGEST_PAYTABLE), None),
        (padded(LARGEST_PAYTABLE + 1), Check.PAYTABLE_FILE),
        (b"x" * (LARGEST_PAYTABLE + 1), Check.PAYTABLE_FILE),
        (HUGE, Check.PAYTABLE_FILE),
        (b'{"version":2, "bets":[]}', Check.PAYTABLE_FORM),
        (looks("sum", "cards"), Check.PAYTABLE_FORM),
    ],
)
def test_which_check_a_named_file_fails(file: bytes, check: Check | None) -> None:
    """Too many bytes are another file than a paytable; all else is the form of the one that the record names."""
    hashed = sha256(file).hexdigest()
    if check is None:
        assert Paytable.checked(file, hashed, DICE).options
        return
    with pytest.raises(CheckFailed) as failed:
        Paytable.checked(file, hashed, DICE)
    assert (failed.value.check, failed.value.where) == (check, f"paytables/{hashed}")


def test_a_file_is_the_one_that_the_record_names() -> None:
    """Whatever is in it: of another hash nothing is read. And without a known declaration its spelling alone is
    judged.
    """
    file, other = paytable(), sha256(b"").hexdigest()
    with pytest.raises(
        CheckFailed, match=f"^paytables/{other}: paytable-file: expected a file with the SHA-256 {other}"
    ):
        Paytable.checked(file, other, DICE)
    for known in (file, looks("sum", "cards")):
        with pytest.raises(Unknown, match="what the game of a paytable declares"):
            Paytable.checked(known, sha256(known).hexdigest(), None)
    with pytest.raises(CheckFailed) as failed:
        Paytable.checked(file + b" ", sha256(file + b" ").hexdigest(), None)
    assert failed.value.check is Check.PAYTABLE_FORM
