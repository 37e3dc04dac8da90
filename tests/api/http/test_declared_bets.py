"""Bets at tables of declared games: offered if the declaration is the catalogue's, settled by the service and the
verifier alike.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from fractions import Fraction

import msgspec
import pytest
from msgspec import UNSET

from api.answers.bets import LARGEST_STAKE
from api.answers.bodies import PlacedBet
from api.bets.par.sheet import ParRefusedError, make_sheet
from api.bets.returns import show_bets
from api.bets.settling import settle_bet, settle_bets
from api.problems import Code, Problem
from api.rounds.tables import TableRefusedError, add_table
from api.store.models import RoundStatus
from fairness.draws.game import Outcome
from fairness.limits import LARGEST_INTEGER
from fairness.log.notes import VerifierKey
from games.bets import BETS, CATALOGUE_BETS, bets_on
from games.bets.bet import BetRefused
from games.bets.settlement import Settled
from games.declared.catalogue import catalogue
from tests.house import HOUSE
from tests.support.in_process_service import InProcessService

OWN = b'{"draw":[["pocket","number",0,99]]}'
RULES = json.loads((HOUSE / "tests" / "vectors" / "catalogue.json").read_text("utf-8"))["rules"]
DECLARATIONS = {each.game: each.declaration.text for each in catalogue()}


@pytest.fixture(scope="module")
def inside(tmp_path_factory: pytest.TempPathFactory) -> Iterator[InProcessService]:
    """A service with every game that has bets, and with an operator's own."""
    made = InProcessService.create(tmp_path_factory.mktemp("bets") / "data", tables=[])
    add_table(made.service.writer, "wheel-1", "roulette")
    add_table(made.service.writer, "wheel-2", "own-wheel", declaration=OWN)
    for game in CATALOGUE_BETS:
        add_table(
            made.service.writer, f"of-{game}", game, rules={"version": 1} | RULES[game] if game in RULES else None
        )
    made.settle()
    yield made
    made.stop()


def test_bets_of_a_declared_game_are_settled(inside: InProcessService) -> None:
    """By the outcome of a round that is played: red, black and the pocket itself."""

    def settle(text: str, pocket: int) -> Settled:
        return settle_bet(inside.service.database, "wheel-1", 1, RoundStatus.PLAYED, {"pocket": pocket}, text)

    assert [settle(text, 18).result for text in ("red", "black", "number 18", "low")] == [
        "wins",
        "loses",
        "wins",
        "wins",
    ]
    assert str(settle("number 18", 18).odds) == "35:1"
    assert settle("even", 0).result == "loses"


def test_a_bet_that_could_pay_too_much_is_refused(inside: InProcessService) -> None:
    """Whatever becomes of it: 2^53 units are no number of every language. If its odds have no limit, one that pays so
    much.
    """

    def settle(game: str, text: str, stake: int, outcome: Outcome) -> object:
        placed = [PlacedBet(text, stake)]
        return settle_bets(inside.service.database, f"of-{game}", 1, RoundStatus.PLAYED, outcome, placed)

    lost: Outcome = {"balls": [*range(7, 42)]}
    limit = int(LARGEST_INTEGER / Fraction("11780651.52"))
    assert limit < LARGEST_STAKE
    settle("lucky-6-of-48", "six 1 2 3 4 5 6 6", limit, lost)
    with pytest.raises(Problem, match=f"could pay 2\\^53 units or more: stake at most {limit}") as refused:
        settle("lucky-6-of-48", "six 1 2 3 4 5 6 6", limit + 1, lost)
    assert refused.value.code is Code.BET_REFUSED
    settle("dream-catcher", "40", LARGEST_STAKE, {"spins": "7x 40"})
    with pytest.raises(Problem, match="could pay"):
        settle("dream-catcher", "40", LARGEST_STAKE, {"spins": "7x " * 12 + "40"})


def test_a_bet_that_outlives_its_round_is_open(inside: InProcessService) -> None:
    """The answer says how it goes on, and pays nothing yet; a later round decides it, and a void one does not."""

    def settle(text: str, dice: list[int], status: RoundStatus = RoundStatus.PLAYED) -> object:
        outcome: Outcome = {"dice": dice}
        settled = settle_bets(inside.service.database, "of-craps", 1, status, outcome, [PlacedBet(text, 100)])
        return msgspec.to_builtins(settled.bets)

    made = {"bet": "pass", "stake": 100, "result": "open", "goes_on_as": "pass on 8"}
    assert settle("pass", [5, 3]) == [made]
    assert settle("pass on 8", [6, 6]) == [made | {"bet": "pass on 8"}]
    assert settle("pass on 8", [1, 6], RoundStatus.VOID) == [made | {"bet": "pass on 8"}]
    paid = {"winnings": "194", "winnings_exact": "194/1", "winnings_rest": "0/1"}
    decided = {
        "bet": "pass on 8",
        "stake": 100,
        "result": "wins",
        "odds": "x 1.94",
        "pays": {"numerator": 97, "denominator": 50},
        **paid,
    }
    assert settle("pass on 8", [4, 4]) == [decided]
    with pytest.raises(Problem):
        settle("pass on 7", [4, 4])


def test_an_own_game_has_no_bets_of_another(inside: InProcessService) -> None:
    """A wheel of a hundred pockets may not be called roulette here, and has no bets under any name."""
    with pytest.raises(TableRefusedError, match="a game of the catalogue"):
        add_table(inside.service.writer, "wheel-3", "roulette", declaration=OWN)
    with pytest.raises(BetRefused, match="wheel-2 has no paytable"):
        settle_bet(inside.service.database, "wheel-2", 1, RoundStatus.PLAYED, {"pocket": 99}, "red")
    answer = show_bets(inside.service.database, "wheel-2")
    assert answer.options == []
    assert answer.bets is UNSET
    with pytest.raises(ParRefusedError):
        make_sheet(inside.service.database, key(inside), "wheel-2", "2026-11-20T00:00:00Z")


@pytest.mark.lattice
@pytest.mark.parametrize("game", CATALOGUE_BETS)
def test_every_game_with_bets_lists_them(inside: InProcessService, game: str) -> None:
    """Over HTTP and as a PAR sheet, with exact figures; and it is plain which games have none."""
    answer = show_bets(inside.service.database, f"of-{game}")
    assert answer.options
    assert answer.bets
    msgspec.json.encode(answer)
    sheet = make_sheet(inside.service.database, key(inside), f"of-{game}", "2026-11-20T00:00:00Z")
    assert sheet.rows


def test_a_name_alone_offers_nothing() -> None:
    """The six are known by their names; any other game's bets need the catalogue's declaration."""
    assert bets_on("roulette", "") is None
    assert bets_on("roulette", DECLARATIONS["roulette"].decode()) is CATALOGUE_BETS["roulette"]
    assert bets_on("roulette", OWN.decode()) is None
    assert bets_on("sic-bo", "") is BETS["sic-bo"]
    assert bets_on("poker", DECLARATIONS["poker"].decode()) is None


def key(inside: InProcessService) -> VerifierKey:
    return inside.key
