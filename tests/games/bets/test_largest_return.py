"""No new table has a bet that returns more than is staked: what is refused, and that nothing unknown passes."""

from __future__ import annotations

import json
from typing import Any

import pytest

from fairness.draws.game import Rules
from fairness.hashing import sha256
from games.bets import BETS, CATALOGUE_BETS, largest_return
from games.bets.catalogue import catalogue_paytable
from games.bets.largest_return import MOST_BETS, refused_return
from games.bets.returns import computed, stored
from games.declared.catalogue import listed
from games.facts import FACTS, facts_of
from tests.house import HOUSE

Json = Any
PLAIN_RULES = {"version": 1}
SIDES: Json = {"draw": [["side", "number", 1, 6]]}
DRUM: Json = {"draw": [["balls", "take", 5]], "drum": [1, 36]}
WEIGHTED: Json = {"draw": [["pick", "pick", 2, 1, 5], ["side", "number", 1, 6]]}
BACCARAT = "baccarat"


def spelled(value: Json) -> bytes:
    """In the one spelling."""
    return json.dumps(value, sort_keys=True, separators=(",", ":")).encode()


def refused(
    declaration: Json, *options: Json, rules: Rules | None = None, game: str = "own", tables: Json = None
) -> str:
    """Why an operator's own paytable is refused; empty if it is not."""
    file = spelled({"options": list(options), **({"tables": tables} if tables else {})})
    text = declaration if isinstance(declaration, str) else spelled(declaration).decode()
    return refused_return(game, text, sha256(file).hex(), file, rules or PLAIN_RULES, PLAIN_RULES)


def wins(form: str, figure: Json, values: Json, odds: Json, **more: Json) -> Json:
    """An option with one prize."""
    return {"figure": figure, "form": form, "pays": [[values, odds]], **more}


SIX = ("six", ["value", "side"], [6])


def test_exactly_what_is_staked_may_be_returned() -> None:
    """Six times the stake for one side of six; a hundredth more is refused, with the bet and what it returns."""
    assert refused(SIDES, wins(*SIX, ["times", 600])) == ""
    assert refused(SIDES, wins(*SIX, ["to", 500])) == ""
    why = refused(SIDES, wins(*SIX, ["times", 601]))
    assert why == "six returns 601/600 of the stake, which is 100.17 %: expected at most 100 %"


def test_each_bet_of_an_option_is_looked_at() -> None:
    """The one with the most numbers returns too much."""
    option = wins("up to N", ["value", "side"], [{"to": "$N"}], ["times", 200], choices={"N": [1, 6]})
    assert refused(SIDES, option).startswith("up to 4 returns 4/3 ")


def test_all_prizes_count() -> None:
    """Together they return 7/6."""
    option = {"figure": ["value", "side"], "form": "both", "pays": [[[6], ["times", 600]], [[1], ["times", 100]]]}
    assert refused(SIDES, option).startswith("both returns 7/6 ")


def test_numbers_that_are_not_alike_are_all_tried() -> None:
    """By a table only ball 7 counts, so that it matters which is chosen; by being drawn all are alike."""
    choices = {"N": {"choose": 1, "of": [1, 36]}}
    fair = ["tally", "balls", {"in": ["$N"]}]
    assert refused(DRUM, wins("ball N", fair, [1], ["times", 720], choices=choices)) == ""
    assert refused(DRUM, wins("ball N", fair, [1], ["times", 721], choices=choices)).startswith(
        "ball 1 returns 721/720 "
    )
    lucky = wins("ball N", ["sum", "balls 1"], ["$N"], ["times", 3_000], choices=choices)
    assert refused(DRUM, lucky) == ""
    tables = {"seven": {"thing": {str(ball): 7 for ball in range(1, 19)}}}
    lucky = wins("ball N", ["sum", "balls 1", "seven"], ["$N"], ["times", 3_000], choices=choices)
    assert refused(DRUM, lucky, tables=tables).startswith("ball 7 returns 15 ")


def test_too_many_bets_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """They cannot all be looked at."""
    monkeypatch.setattr(largest_return, "MOST_BETS", 500)

    def of(most: int) -> Json:
        return wins("N", ["value", "side"], ["$N"], ["times", 500], choices={"N": [1, most]})

    assert refused(SIDES, of(500)) == ""
    assert refused(SIDES, of(501)) == "there are more than 500 bets, too many to look at each"


def test_bets_that_are_exempt_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pages and calls list them, too."""
    monkeypatch.setattr(largest_return, "MOST_BETS", 500)

    def of(most: int) -> Json:
        given = [["value", "side"], [6]]
        return wins("N", ["value", "side"], ["$N"], ["times", 500], choices={"N": [1, most]}, given=given)

    assert refused(SIDES, of(500)) == ""
    assert "more than 500 bets" in refused(SIDES, of(501))


def test_too_many_ways_are_refused() -> None:
    """Seven dice can be listed no more than the poker hand of any cards."""
    assert "too many outcomes" in refused(
        {"draw": [["dice", "numbers", 7, 1, 6]]}, wins("sum", ["sum", "dice"], [7], ["times", 200])
    )


HANDS = listed(BACCARAT).declaration.text.decode()


def test_of_hands_that_a_rule_deals_only_the_catalogues_figures_are_known() -> None:
    """The law stands for all that those do not distinguish: of another figure it would be false."""
    tables = json.loads(catalogue_paytable(BACCARAT, HANDS) or b"")["tables"]
    sum_of = ["minus", ["sum", "player", "baccarat", 10], ["sum", "banker", "baccarat", 10]]
    assert refused(HANDS, wins("tie", sum_of, [0], ["times", 900]), game=BACCARAT, tables=tables) == ""
    assert refused(HANDS, wins("tie", sum_of, [0], ["times", 1_100]), game=BACCARAT, tables=tables).startswith("tie ")
    spade = wins("spade", ["value", "player", "suit"], ["s"], ["times", 390])
    assert "no method here knows" in refused(HANDS, spade, game=BACCARAT, tables=None)
    other = {"baccarat": {"rank": {"A": 9}}}
    assert "no method here knows" in refused(
        HANDS, wins("tie", sum_of, [0], ["times", 101]), game=BACCARAT, tables=other
    )


def test_what_is_known_when_a_bet_is_made_exempts_it() -> None:
    """Nobody knows how often it is offered; without that, odds of what is left are believed by nobody."""
    option = wins(*SIX, ["times", 9_900], given=[["value", "side"], [{"from": 5}]])
    assert refused(SIDES, option) == ""
    left = wins("L left", ["value", "side"], [6], ["returns", 9_600, "left", "$L", 1, 6], choices={"L": [1, 6]})
    assert "no method here knows" in refused(SIDES, left)


def test_a_bet_that_goes_on_is_followed_to_its_end() -> None:
    """With the odds of what it becomes, which nobody can bet on at first."""

    def craps(later: int) -> str:
        first = wins("pass", ["sum", "dice"], [7, 11], ["times", 194], lasts={"as": "pass on #", "loses": [2, 3, 12]})
        choices = {"N": [4, 10]}
        on = wins("pass on N", ["sum", "dice"], ["$N"], ["times", later], choices=choices, lasts={"loses": [7]})
        return refused({"draw": [["dice", "numbers", 2, 1, 6]]}, first, on)

    dice = {"draw": [["dice", "numbers", 2, 1, 6]]}
    anything = wins("seven", ["sum", "dice"], [7], ["times", 100], lasts={"as": "#", "loses": [2]})
    assert refused(dice, wins("ten", ["sum", "dice"], [10], ["times", 9_900]), anything).startswith("ten returns ")
    assert craps(194) == ""
    assert craps(220).startswith("pass returns ")


FLIGHT: Json = json.loads(listed("crash").declaration.text)
CASH_OUT = {"X": {"hundredths": [101, "cap"]}}
FLIES = {"cap": 10_000, "rtp": 9_700, "version": 1}


def test_a_prize_that_another_one_shadows_takes_nothing_back() -> None:
    """The first prize is won from 1.01 on, whatever the second one promises."""
    option = {
        "figure": ["hundredths", "multiplier"],
        "form": "go",
        "pays": [[[{"from": 101}], ["times", 200]], [[{"from": 10_000}], ["times", 900_000]]],
    }
    assert refused(FLIGHT, option, rules=FLIES).startswith("go returns ")
    cash_out = wins("out X", ["hundredths", "multiplier"], [{"from": "$X"}], ["times", {"X": 1}], choices=CASH_OUT)
    assert refused(FLIGHT, cash_out, rules=FLIES) == ""
    double = wins("out X", ["hundredths", "multiplier"], [{"from": "$X"}], ["times", 200], choices=CASH_OUT)
    assert refused(FLIGHT, double, rules=FLIES).startswith("out 1.01 returns ")


def test_a_cash_out_belongs_to_a_flight() -> None:
    """Elsewhere the most that it returns lies anywhere between its ends."""
    assert "no method here knows" in refused(
        SIDES, wins("X", ["value", "side"], [6], ["times", {"X": 1}], choices={"X": {"hundredths": [101, 600]}})
    )


def test_a_thing_that_is_not_drawn_is_no_card() -> None:
    """The sixth of five balls does not exist, so that its sum is always 0."""
    assert refused(DRUM, wins("none", ["sum", "balls 6"], [0], ["times", 101])).startswith("none returns 101/100 ")


@pytest.mark.parametrize("game", [game for game in CATALOGUE_BETS if game in stored()])
def test_no_game_of_the_catalogue_returns_more_than_is_staked_under_its_usual_rules(game: str) -> None:
    """So that nobody computes it when a table is made; but for bets that are made when something is known."""
    given = {offer.form.text for offer in CATALOGUE_BETS[game].offers if offer.given is not None}
    returns = [line.returns for form, line in stored()[game].lines.items() if form not in given]
    assert all(numerator <= denominator for each in returns for numerator, denominator in map(parts, each))


def parts(fraction: str) -> tuple[int, int]:
    """Of ``36/37``, or of a whole number."""
    numerator, _, denominator = fraction.partition("/")
    return int(numerator), int(denominator or 1)


@pytest.mark.parametrize("game", [game for game in BETS if game != "keno-express"])
def test_nor_do_the_games_without_stored_returns(game: str) -> None:
    """They are quick to compute."""
    assert all(value <= 1 for line in computed(game, FACTS[game].default_rules) for value in line.returns)


@pytest.mark.nightly("computes the laws of all games")
@pytest.mark.parametrize("game", CATALOGUE_BETS)
def test_a_copy_of_the_catalogues_paytable_is_no_worse(game: str) -> None:
    """As a file of an operator's own, each is judged without what the catalogue knows beside it; one bet has no
    law.
    """
    declaration = listed(game).declaration.text.decode() if game not in BETS else ""
    file = json.loads(catalogue_paytable(game, declaration) or b"")
    kept, of_facts = stored().get(game), facts_of(game).default_rules
    # Another order of the tables' names would be no other file: another table is.
    changed = spelled({**file, "tables": {**file.get("tables", {}), "of-my-own": {"thing": {"a": 1}}}})
    rules = dict(kept.rules) if kept else dict(of_facts)
    why = refused_return(game, declaration, sha256(changed).hex(), changed, rules, of_facts)
    assert ("all lose" in why) if game == "side-bet-city" else why == ""


def test_the_documents_state_the_bounds() -> None:
    """docs/paytable-format.md says what is refused, and from where on."""
    text = (HOUSE / "docs" / "paytable-format.md").read_text("utf-8")
    assert f"{MOST_BETS:,} bets" in text


def test_letters_without_end_are_refused_at_once() -> None:
    """A first letter of ten digits that leaves no word to the second; numbers of ten digits of which some are
    chosen.
    """
    choices: Json = {"M": [5, 9_999_999_999], "N": ["$M", 4]}
    assert "too many" in refused(SIDES, wins("from M to N", ["value", "side"], ["$N"], ["to", 1], choices=choices))
    chosen: Json = {"N": {"choose": 2, "of": [1, 9_999_999_999]}}
    assert "too many" in refused(SIDES, wins("any N", ["value", "side"], ["$N"], ["to", 1], choices=chosen))


def test_no_bet_exempts_itself() -> None:
    """What becomes a bet of its own form is looked at, and so are two that become each other."""
    generous: Json = [["value", "side"], [6], ["to", 100_000]]
    own = wins("a N", *generous, choices={"N": [1, 6]}, lasts={"as": "a #", "loses": [1]})
    assert refused(SIDES, own) != ""
    words: Json = {"choices": {"N": {"words": {"x": 1, "y": 2}}}}
    each_other = [
        wins(f"{one} N", *generous, **words, lasts={"as": f"{other} #", "loses": [1]}) for one, other in ("ab", "ba")
    ]
    assert refused(SIDES, *each_other) != ""
    plain = [wins(f"{one} 2", *generous, lasts={"as": f"{other} #", "loses": [1]}) for one, other in ("ab", "ba")]
    assert refused(SIDES, *plain) != ""
