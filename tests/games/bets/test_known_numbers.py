"""Returns, chances and counts that were worked out beforehand, by hand or by other programs, for the readings of the
documents.
"""

from __future__ import annotations

import itertools
from collections import Counter, defaultdict
from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache
from math import comb, factorial, gcd, log2, perm

import pytest

from games.bets import CATALOGUE_BETS
from games.bets.bet import Bet
from games.bets.laws.law import spin_law
from games.bets.worth import worth
from games.declared.catalogue import catalogue
from tests.bets import rules_of
from tests.house import HOUSE
from tests.oracles.bets.against_dealer import ORDER, best_play, most_below_ace_king
from tests.oracles.bets.drawn import some_outcomes

RETURNS = {
    ("double-ball-roulette", "red or black"): "94.67",
    ("double-ball-roulette", "any pair"): "97.30",
    ("baccarat", "player pair"): "89.64",
    ("baccarat", "banker pair"): "89.64",
    ("baccarat", "either pair"): "86.29",
    ("baccarat", "player bonus"): "99.14",
    ("baccarat", "banker bonus"): "92.41",
    ("casino-stud", "5+1"): "91.44",
    ("caribbean-stud", "5+1"): "91.44",
    ("side-bet-city", "3 cards"): "96.69",
    ("dragon-tiger", "suited draw"): "86.02",
    ("texas-holdem", "trips"): "96.50",
}
"""In per cent."""


def bet_of(game: str, text: str) -> Bet:
    return CATALOGUE_BETS[game].bet(text, rules_of(game))


def returned(game: str, text: str) -> Fraction:
    return worth(bet_of(game, text)).returned


def stated(percent: str) -> str:
    """This percentage, which docs/bets.md has."""
    assert f" {percent} %" in (HOUSE / "docs" / "bets.md").read_text("utf-8")
    return f"{percent}%"


@pytest.mark.nightly("computes long returns")
@pytest.mark.parametrize(("game", "text"), RETURNS)
def test_a_return_is_the_one_that_was_stated(game: str, text: str) -> None:
    """To two decimals."""
    assert f"{float(returned(game, text)):.2%}" == f"{RETURNS[game, text]}%"


def test_a_bonus_after_a_fold_has_its_exact_return() -> None:
    """5+1, in the document of Casino Stud 91.44 %."""
    assert returned("casino-stud", "5+1") == Fraction(136879, 149695)


def test_five_cards_against_a_dealer_return_what_was_stated() -> None:
    """Casino Stud of all that is bet; 12.3 of the ante, its multiples read to one and of the raise."""
    stud = (1, 2, 3, 4, 5, 7, 20, 50, 100)
    multiples = (2, 3, 4, 5, 6, 8, 30, 75, 125)
    gain, calls = _best(stud)
    assert f"{float(1 + gain / (1 + 2 * calls)):.4%}" == stated("97.4447")
    assert f"{float(1 + _best(multiples)[0]):.2%}" == stated("126.73")
    assert f"{float(1 + _best([odds - 1 for odds in multiples])[0]):.2%}" == stated("95.07")
    # Below ace-king a call gains less than nothing against a fold, as the dealer seldom fails to qualify.
    assert most_below_ace_king() < Fraction(1, 2)


def _best(call: Sequence[int]) -> tuple[Fraction, Fraction]:
    """From a pair or less to a royal flush."""
    return best_play(dict(zip(ORDER[2:], call, strict=True)))


def test_the_main_round_of_mega_ball_returns_what_was_stated() -> None:
    """Of 1 to 51, 20 balls against a card of 24 numbers, by how many of its twelve lines are full
    (inclusion-exclusion).
    """
    cells = set(itertools.product(range(-2, 3), repeat=2))
    lines = [{cell for cell in cells if cell[axis] == at} for axis in (0, 1) for at in range(-2, 3)]
    lines += [{(at, sign * at) for at in range(-2, 3)} for sign in (1, -1)]
    full: defaultdict[int, Fraction] = defaultdict(Fraction)
    for count in range(13):
        for chosen in itertools.combinations(lines, count):
            # The middle is free.
            numbers = len(set().union(*chosen) - {(0, 0)})
            full[count] += Fraction(comb(20, numbers), comb(51, numbers))
    exactly = {n: sum((-1) ** (m - n) * comb(m, n) * full[m] for m in range(n, 13)) for n in range(13)}
    assert sum(exactly.values()) == 1
    paid = {0: 0, 1: 1, 2: 5, 3: 50, 4: 250, 5: 1000}
    assert f"{float(sum(chance * paid.get(n, 10_000) for n, chance in exactly.items())):.1%}" == "16.3%"


@pytest.mark.parametrize("game", ["roulette", "electronic-roulette", "lightning-roulette"])
def test_every_bet_of_a_wheel_of_37_returns_36_of_37(game: str) -> None:
    """Also a lucky number's, whose multiplier takes the place of 29:1: a number is lucky in 3 of 37 rounds."""
    forms = {bet.option.form: bet for bet in CATALOGUE_BETS[game].listed(rules_of(game))}
    assert {worth(bet).returned for bet in forms.values()} == {Fraction(36, 37)}
    if game == "lightning-roulette":
        law = dict(bet_of(game, "number 17").law())
        assert sum(chance for pays, chance in law.items() if pays > 30) == Fraction(3, 37) * Fraction(1, 37)


def test_what_the_text_as_printed_would_pay_is_why_it_is_read_otherwise() -> None:
    """The figures of docs/bets.md, and of Don't pass, where 2 and 3 pay double, 12 is returned and all else loses."""

    def wins(game: str, text: str) -> Fraction:
        return worth(bet_of(game, text)).hit_rate

    line, dozen = wins("roulette", "line 1 2 3 4 5 6"), wins("roulette", "dozen 1")
    keno = [worth(bet) for bet in CATALOGUE_BETS["keno"].listed(rules_of("keno"))]
    least, most = min(each.returned for each in keno), max(each.returned for each in keno)
    to_one = max(each.returned + each.hit_rate for each in keno)
    stated = (
        f"six numbers would return {_percent(5 * line)} and twelve {_percent(3 * dozen)}",
        f"it would return {_percent(3 * wins('double-ball-roulette', 'red or black'))}",
        f"a player's pair at 25:1 would return {_percent(26 * wins('baccarat', 'player pair'))}",
        f"{_percent(least)} to {_percent(most, 1)}, and to one it would be up to {_percent(to_one)}",
    )
    page = (HOUSE / "docs" / "bets.md").read_text("utf-8")
    assert [each for each in stated if each not in page] == []
    craps = [wins("craps", f"crap {total}") for total in (2, 3, 12)]
    assert _percent(2 * craps[0] + 2 * craps[1] + craps[2], 1) == "19.4 %"


def _percent(share: Fraction, decimals: int = 0) -> str:
    return f"{100 * float(share):.{decimals}f} %"


def test_a_multiplied_spin_has_the_mean_that_was_stated() -> None:
    """Of 2x and 7x among 54 segments: 52/45."""
    (declaration,) = (each.declaration for each in catalogue() if each.game == "dream-catcher")
    for label in ("1", "40"):
        chance, mean, _ = spin_law(declaration, {"version": 1}, label)
        assert mean / chance == Fraction(52, 45)


def test_lightning_dice_prices_with_the_mean_of_its_factors() -> None:
    """A sum is lucky with 3/16, its multiplier is 3.2 on average: 565/400 of the odds."""
    law = dict(bet_of("lightning-dice", "sum 10").law())
    wins = 1 - law[Fraction(0)]
    plain = min(pays for pays in law if pays)
    assert 1 - law[plain] / wins == Fraction(3, 16)
    mean = sum((pays * chance for pays, chance in law.items()), Fraction(0)) / (wins * plain)
    assert mean == Fraction(565, 400)


def test_the_six_numbers_come_with_the_kth_ball_as_stated() -> None:
    """C(k - 1, m - 1) of C(n, m)."""
    for last in (6, 20, 35):
        assert worth(bet_of("lucky-6-of-48", f"six 1 2 3 4 5 6 {last}")).hit_rate == Fraction(
            comb(last - 1, 5), comb(48, 6)
        )


def test_hands_of_five_cards_are_134459_but_for_their_suits() -> None:
    """Counted by the permutations of four suits that leave a hand as it is (Burnside)."""
    fixed = 0
    for permutation in itertools.permutations(range(4)):
        lengths = Counter(_cycle(permutation, suit) for suit in range(4))
        # Each cycle of suits is 13 cycles of cards.
        cycles = {length: 13 * times // length for length, times in lengths.items()}
        fixed += _choices(cycles, 5)
    assert Fraction(fixed, 24) == 134459
    assert gcd(fixed, 24) == 24


def _cycle(permutation: tuple[int, ...], suit: int) -> int:
    at, length = permutation[suit], 1
    while at != suit:
        at, length = permutation[at], length + 1
    return length


def _choices(cycles: dict[int, int], cards: int) -> int:
    """Sets of so many cards that are made of whole cycles."""
    ways = [1, *[0] * cards]
    for length, number in cycles.items():
        ways = [
            sum(comb(number, more) * ways[at - more * length] for more in range(at // length + 1))
            for at in range(cards + 1)
        ]
    return ways[cards]


def test_bust_it_would_return_more_than_it_takes() -> None:
    """As printed 111.12 %; with 3 cards at 1:1 and 4 at 2:1 93.82 %. The dealer draws to 16 from eight packs."""
    chances = _busts((32,) * 9 + (128,), 0, 0, 0)
    more = sum(
        (chance * {5: 10, 6: 51, 7: 101}.get(cards, 251) for cards, chance in chances if cards > 4), Fraction(0)
    )
    few = {cards: sum(chance for each, chance in chances if each == cards) for cards in (3, 4)}
    assert f"{float(more + 3 * (few[3] + few[4])):.2%}" == stated("111.12")
    assert f"{float(more + 2 * few[3] + 3 * few[4]):.2%}" == stated("93.82")


@lru_cache(None)
def _busts(left: tuple[int, ...], total: int, aces: int, cards: int) -> tuple[tuple[int, Fraction], ...]:
    """The chances that the dealer goes over 21 with so many cards in all; ``left`` are the cards of 1 to 10
    points.
    """
    best = total + 10 if aces and total + 10 <= 21 else total
    if best >= 17:
        return ((cards, Fraction(1)),) if best > 21 else ()
    found: defaultdict[int, Fraction] = defaultdict(Fraction)
    for worth_, number in enumerate(left, 1):
        rest = (*left[: worth_ - 1], number - 1, *left[worth_:])
        for each, chance in _busts(rest, total + worth_, aces + (worth_ == 1), cards + 1):
            found[each] += chance * Fraction(number, sum(left))
    return tuple(found.items())


def test_orders_of_packs_have_the_bits_that_are_stated() -> None:
    """As SECURITY.md says, equal cards told apart or not; and the cards of a round that every seed's stream can
    reach.
    """

    def bits(number: int) -> str:
        return f"{log2(number):.1f}"

    orders = [factorial(52), factorial(54), factorial(208), factorial(416)]
    assert [bits(each) for each in orders] == ["225.6", "237.1", "1306.8", "3024.9"]
    alike = [factorial(52 * packs) // factorial(packs) ** 52 for packs in (4, 6, 8)]
    assert [bits(each) for each in alike] == ["1068.4", "1646.8", "2229.3"]
    assert [bits(perm(416, cards)) for cards in (6, 10, 29)] == ["52.2", "86.8", "250.9"]
    assert log2(perm(416, 27)) < 256 - log2(65536 / 2) == 241 < log2(perm(416, 28))
    assert 5 * 256 > log2(alike[0]) > 4 * 256
    assert 7 * 256 > log2(alike[1]) > 6 * 256
    assert log2(alike[2]) > 8 * 256
    stated = (HOUSE / "SECURITY.md").read_text("utf-8")
    assert all(number in stated for number in ("225.6", "237.1", "2,229", "52.2", "86.8", "250.9", "241 bits"))


def test_the_longest_outcome_of_fixed_length_has_623_characters() -> None:
    """Blackjack's 208 cards."""
    (outcome,) = some_outcomes("blackjack", {"version": 1}, 1)
    assert len(str(outcome["cards"])) == 623
