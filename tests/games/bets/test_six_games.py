"""The winning options of the regulation: what each pays, and its return, against a second reading of the text."""

from __future__ import annotations

import itertools
import re
from collections import Counter
from collections.abc import Callable, Iterator
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairness.draws.game import Outcome
from games import GAMES
from games.bets import BETS
from games.bets.bet import LONGEST_BET, Bet, BetRefused, Odds
from games.bets.laws.flight import words_at_least
from games.bets.worth import worth
from games.facts.penalty import is_yellow
from tests.house import HOUSE
from tests.oracles.bets import six as oracle
from tests.oracles.given_stream import GivenStream

PLAIN = {"version": 1}
CRASH_RULES = {"cap": 1_000_000, "rtp": 9700, "version": 1}
RULES = {game: CRASH_RULES if game in ("crash", "rocketon") else PLAIN for game in GAMES}
JOKER: Outcome = {"card": "Joker"}

Paid = list[Fraction | int]


def hi_lo_paid(bet: Bet) -> Paid:
    cards = [(card, color) for card in oracle.ORDER for color in ("red", "black")]
    return [oracle.hi_lo(bet.text.split(), *card, 1, bet.after) for card in (*cards, ("*", None))]


def sic_bo_paid(bet: Bet) -> Paid:
    return [oracle.sic_bo(bet.text.split(), dice, 1) for dice in itertools.product(range(1, 7), repeat=3)]


def penalty_paid(bet: Bet) -> Paid:
    return [oracle.penalty(bet.text.split(), end, 1) for end in (*range(1, 25), "bar", "failure")]


def keno_paid(bet: Bet) -> Paid:
    return [oracle.keno_express(bet.text.split(), number, 1) for number in range(1, 101)]


ORACLES: dict[str, tuple[tuple[int, int], Callable[[Bet], Paid]]] = {
    "hi-lo": ((25, 1), hi_lo_paid),
    "sic-bo": ((6, 3), sic_bo_paid),
    "penalty": ((26, 1), penalty_paid),
    "keno-express": ((100, 1), keno_paid),
}
LISTED = [(game, bet) for game in ORACLES for bet in BETS[game].listed(RULES[game])]


def drawn(game: str) -> list[Outcome]:
    """The game's outcome for every draw, in order."""
    limit, count = ORACLES[game][0]
    words = itertools.product(range(limit), repeat=count)
    return [GAMES[game].outcome(GivenStream.of_words(*each), PLAIN) for each in words]


def card(name: str) -> Outcome:
    return {"card": name, "color": "red"}


def test_every_game_has_its_winning_options() -> None:
    """As many as the regulation lists: 20 in HI LO (its words), 8 in Sic Bo, 4 in Keno Express, 7 in Penalty, whose
    colors are two here.
    """
    options = {game: len(BETS[game].options) for game in RULES}
    assert options == {"crash": 1, "rocketon": 3, "hi-lo": 20, "sic-bo": 8, "penalty": 8, "keno-express": 4}
    counts = {game: len(BETS[game].listed(RULES[game])) for game in ORACLES}
    assert counts == {"hi-lo": 18 + 11 + 11, "sic-bo": 50, "penalty": 31, "keno-express": 95 + 95 + 94 + 94}


@pytest.mark.parametrize("game", ORACLES)
def test_the_law_of_a_bet_is_every_draw_of_the_game(game: str) -> None:
    """The law enumerates the draws: each once, none left out."""
    outcomes = drawn(game)
    assert BETS[game].count(PLAIN) == len(outcomes)
    assert BETS[game].chances(PLAIN) == tuple((outcome, Fraction(1, len(outcomes))) for outcome in outcomes)


@pytest.mark.parametrize(("game", "bet"), LISTED, ids=lambda value: getattr(value, "text", value))
def test_every_bet_pays_what_the_second_reading_pays(game: str, bet: Bet) -> None:
    """For every outcome; its return, hit rate and variance are those of the list of payments."""
    paid = ORACLES[game][1](bet)
    assert [bet.winnings(outcome, 1) for outcome in drawn(game)] == paid
    figures = worth(bet)
    mean = Fraction(sum(paid), len(paid))
    assert figures.returned == mean
    assert figures.hit_rate == Fraction(sum(each > 0 for each in paid), len(paid))
    assert figures.variance == sum((each - mean) ** 2 for each in paid) / len(paid)


def test_known_returns() -> None:
    """Worked out by hand."""
    expected = {
        ("hi-lo", "2-9"): "24/25",
        ("sic-bo", "small"): "35/36",
        ("sic-bo", "triple 5"): "181/216",
        ("sic-bo", "any triple"): "31/36",
        ("sic-bo", "pair 2"): "22/27",
        ("sic-bo", "sum 10"): "7/8",
        ("sic-bo", "combination 1 2"): "5/6",
        ("sic-bo", "number 4"): "199/216",
        ("penalty", "yellow"): "12/13",
        ("penalty", "bar"): "12/13",
        ("keno-express", "lower 10"): "24/25",
        ("keno-express", "range 10-37"): "1197/1250",
        ("keno-express", "outside 10-37"): "4773/5000",
    }
    found = {(game, text): str(worth(BETS[game].bet(text, PLAIN)).returned) for game, text in expected}
    assert found == expected


def test_the_two_kinds_of_odds() -> None:
    """`x 12` multiplies the stake; `30:1` is paid in addition to it."""
    joker, triple = BETS["hi-lo"].bet("joker", PLAIN), BETS["sic-bo"].bet("any triple", PLAIN)
    assert (str(joker.odds(JOKER)), str(joker.winnings(JOKER, 100))) == ("x 24", "2400")
    threes: Outcome = {"dice": [3, 3, 3]}
    assert (str(triple.odds(threes)), str(triple.winnings(threes, 100))) == ("30:1", "3100")
    assert triple.odds({"dice": [3, 3, 2]}) is None
    assert triple.winnings({"dice": [3, 3, 2]}, 100) == 0


def test_odds_are_spelled_exactly() -> None:
    """As short as the regulation writes them; as a fraction where decimals do not end."""
    assert [str(Odds.times(each)) for each in ("1.09", "1.20", "12", "0.05", "2.255")] == [
        *("x 1.09", "x 1.2", "x 12", "x 0.05", "x 2.255")
    ]
    assert str(Odds.times(Fraction(8, 3))) == "x 8/3"


@pytest.mark.parametrize("previous", oracle.ORDER)
def test_hi_and_lo_are_compared_with_the_card_before(previous: str) -> None:
    """After Jokers, however many, the card before them counts; after A there is no HI, after 2 no LO."""
    bets = BETS["hi-lo"]
    for before in ([card(previous)], [JOKER, JOKER, card(previous), card("5")]):
        for text, odds in (("hi", oracle.HIGH[previous]), ("lo", oracle.LOW[previous])):
            if odds is None:
                with pytest.raises(BetRefused, match=f"not offered after {previous}"):
                    bets.bet(text, PLAIN, before)
            else:
                bet = bets.bet(text, PLAIN, before)
                assert (bet.after, [str(prize.odds) for prize in bet.prizes]) == (previous, [f"x {odds}"])
                assert hi_lo_paid(bet) == [bet.winnings(outcome, 1) for outcome in drawn("hi-lo")]


@pytest.mark.parametrize("before", [[], [JOKER], [JOKER, JOKER]])
@pytest.mark.parametrize("text", ["hi", "lo"])
def test_hi_and_lo_need_a_card_before(text: str, before: list[Outcome]) -> None:
    """In the first round, and if all earlier cards are Jokers, neither is offered; the other 18 are."""
    with pytest.raises(BetRefused, match="no card"):
        BETS["hi-lo"].bet(text, PLAIN, before)
    assert BETS["hi-lo"].bet("red", PLAIN, before).text == "red"


def test_no_more_of_the_rounds_before_is_read_than_needed() -> None:
    """A verifier fetches and checks each of them, so none is requested needlessly."""
    asked: list[str] = []

    def before() -> Iterator[Outcome]:
        for name in ("Joker", "7", "8"):
            asked.append(name)
            yield JOKER if name == "Joker" else card(name)

    assert BETS["hi-lo"].bet("black", PLAIN, before()).after == ""
    assert asked == []
    assert BETS["hi-lo"].bet("hi", PLAIN, before()).after == "7"
    assert asked == ["Joker", "7"]


def test_the_goal_is_chequered() -> None:
    """12 sectors are yellow, in the pattern of version 1; the pictures of both languages are compared elsewhere."""
    colors = "".join("Y" if is_yellow(sector) else "B" for sector in range(1, 25))
    assert colors == "".join(oracle.GOAL)
    assert colors.count("Y") == 12


@pytest.mark.nightly("computes all odds of a game")
def test_keno_express_offers_what_can_win() -> None:
    """Every number and every range: those of up to 95 numbers are offered, with odds that depend only on the
    count.
    """
    bets, by_count = BETS["keno-express"], dict[int, str]()
    texts = [f"{name} {n}" for name in ("lower", "higher") for n in range(1, 101)]
    texts += [f"{name} {m}-{n}" for name in ("range", "outside") for m, n in itertools.combinations(range(1, 101), 2)]
    for text in texts:
        winners = oracle.keno_winners(text.split())
        if len(winners) > 95:
            with pytest.raises(BetRefused, match=f"{len(winners)} of 100"):
                bets.bet(text, PLAIN)
        else:
            bet = bets.bet(text, PLAIN)
            odds = str(bet.prizes[0].odds)
            assert by_count.setdefault(len(winners), odds) == odds
            assert {n for n in range(1, 101) if bet.odds({"number": n})} == winners
    assert by_count[1] == "x 96"
    assert by_count[95] == "x 1.01"


@pytest.mark.parametrize(("rtp", "cap"), [(9700, 1_000_000), (10_000, 101), (1, 5000), (9999, 70_000)])
def test_the_law_of_a_multiplier_at_every_cash_out(rtp: int, cap: int) -> None:
    """At each cash-out, the last word of the count wins and the next one loses, so the count of words is exact.

    Larger words give smaller multipliers. The return of a cash-out at x is the table's to within x / 2^64, never
    above.
    """
    for at in range(101, cap + 1):
        words = words_at_least(at, rtp)
        assert (rtp << 64) // (100 * (words + 1)) < at
        assert words == 0 or (rtp << 64) // (100 * words) >= at
        assert 0 <= (rtp << 64) - 100 * at * words < 100 * at


@pytest.mark.parametrize(("rtp", "cap"), [(9700, 1000), (10_000, 101), (5000, 400), (1, 150)])
@pytest.mark.parametrize("bits", [8, 12, 16])
def test_the_law_of_a_multiplier_in_small(bits: int, rtp: int, cap: int) -> None:
    """With all short words, as many win at each cash-out as the law says."""
    drawn = Counter(min(cap, max(100, (rtp << bits) // (100 * (w + 1)))) for w in range(1 << bits))
    at_least = 0
    for at in range(cap, 100, -1):
        at_least += drawn[at]
        assert words_at_least(at, rtp, 1 << bits) == at_least


def test_the_chances_of_the_smallest_and_the_largest_multiplier() -> None:
    """1.00 has the chance of all below 1.01, and the cap the chance of all at or above it."""
    (smallest, below), (largest, above) = BETS["crash"].chances(CRASH_RULES)
    assert (smallest, largest) == ({"multiplier": "1.00"}, {"multiplier": "10000.00"})
    assert below == 1 - Fraction((9700 << 64) // 10100, 1 << 64)
    assert above == Fraction((9700 << 64) // 100_000_000, 1 << 64)
    assert BETS["crash"].count(CRASH_RULES) == 999_901


@pytest.mark.parametrize("at", [101, 102, 150, 200, 9_999, 1_000_000])
def test_the_law_is_that_of_the_stream(at: int) -> None:
    """The real draw changes at the same word."""
    last = words_at_least(at, 9700)
    for word, wins in ((last - 1, True), (last, False)):
        outcome = GAMES["crash"].outcome(GivenStream(word.to_bytes(8, "big")), CRASH_RULES)
        bet = BETS["crash"].bet(f"cashout {at // 100}.{at % 100:02}", CRASH_RULES)
        assert (bet.odds(outcome) is not None) == wins


@pytest.mark.parametrize(
    "text", ["cashout 1.01", "cashout 2.00", "half 1.50", "half 1.50 cashout 3.01", "half 2.00 cashout 2.00"]
)
def test_cash_outs_against_all_multipliers(text: str) -> None:
    """Each multiplier up to a cap of 4.00 is paid separately, weighted by the words that give it."""
    rules = {"cap": 400, "rtp": 9700, "version": 1}
    bet, total = BETS["rocketon"].bet(text, rules), 1 << 64
    starts = [total, *((9700 << 64) // (100 * at) for at in range(101, 401)), 0]
    weights = dict(zip(range(100, 401), map(int.__sub__, starts, starts[1:]), strict=True))
    paid = {at: oracle.cash_out(text.split(), at, 7) for at in weights}
    assert paid == {at: bet.winnings({"multiplier": f"{at // 100}.{at % 100:02}"}, 7) for at in weights}
    mean = sum((weights[at] * paid[at] for at in weights), Fraction(0)) / total / 7
    figures = worth(bet)
    assert figures.returned == mean
    assert figures.hit_rate == Fraction(sum(weights[at] for at in weights if paid[at]), total)
    assert figures.variance == sum(Fraction(weights[at], total) * (paid[at] / 7 - mean) ** 2 for at in weights)


def test_a_half_of_an_odd_stake_is_a_fraction() -> None:
    """Nothing is rounded: half of 7 at 1.50 is 5 1/4."""
    bet = BETS["rocketon"].bet("half 1.50 cashout 3.00", CRASH_RULES)
    assert bet.winnings({"multiplier": "2.99"}, 7) == Fraction(21, 4)
    assert str(bet.odds({"multiplier": "2.99"})) == "x 0.75"
    assert bet.winnings({"multiplier": "3.00"}, 7) == Fraction(63, 4)
    assert bet.winnings({"multiplier": "1.49"}, 7) == 0


@pytest.mark.parametrize(
    ("game", "text"),
    [
        *(("crash", f"cashout {at}") for at in ("1.00", "10000.01", "2", "2.0", "02.00", "2.000", "+2.00", "٢.00")),
        *(("crash", "half 1.50"), ("crash", "half 1.50 cashout 2.00"), ("crash", "cashout 2.00\n")),
        *(("rocketon", "half 1.00"), ("rocketon", "half 2.00 cashout 1.99"), ("rocketon", "half 2.00 cashout")),
        *(("hi-lo", "HI"), ("hi-lo", "card 10"), ("hi-lo", "card 2 "), ("hi-lo", "2-10"), ("hi-lo", "")),
        *(("sic-bo", f"sum {n}") for n in (3, 18, "04")),
        *(("sic-bo", f"combination {two}") for two in ("2 1", "3 3", "1 7", "1")),
        *(("sic-bo", "triple 0"), ("sic-bo", "number 7"), ("sic-bo", "Small")),
        *(("penalty", "sector 0"), ("penalty", "sector 25"), ("penalty", "green"), ("penalty", "lower row")),
        *(("keno-express", f"lower {n}") for n in (0, 101, "07", 96, 100)),
        *(("keno-express", f"higher {n}") for n in (1, 5)),
        *(("keno-express", f"range {two}") for two in ("10-10", "37-10", "1-96", "0-5", "5-101", "5")),
        *(("keno-express", f"outside {two}") for two in ("10-11", "10-10", "50-54")),
    ],
)
def test_what_is_no_bet_is_refused(game: str, text: str) -> None:
    """Other spellings, and bets beyond a limit."""
    with pytest.raises(BetRefused):
        BETS[game].bet(text, RULES[game], [card("7")])


@pytest.mark.parametrize(
    ("game", "text"),
    [
        *(("crash", "cashout 1.01"), ("crash", "cashout 10000.00"), ("rocketon", "half 1.01 cashout 10000.00")),
        *(("keno-express", "lower 95"), ("keno-express", "higher 6"), ("keno-express", "range 6-100")),
        *(("keno-express", "outside 50-56"), ("sic-bo", "sum 4"), ("sic-bo", "sum 17"), ("penalty", "sector 24")),
    ],
)
def test_what_is_just_a_bet_is_taken(game: str, text: str) -> None:
    """Bets at a limit."""
    assert BETS[game].bet(text, RULES[game]).text == text


@given(
    game=st.sampled_from(sorted(GAMES)),
    text=st.text(max_size=LONGEST_BET) | st.from_regex(r"[a-z]+ [0-9.]+( [a-z0-9.-]+)?"),
)
def test_any_text_is_refused_or_is_a_bet_of_this_spelling(game: str, text: str) -> None:
    """Only our own error is raised."""
    try:
        bet = BETS[game].bet(text, RULES[game], [card("7")])
    except BetRefused:
        return
    assert bet.text == text


@pytest.mark.parametrize("game", GAMES)
def test_listed_bets_are_found_by_their_text(game: str) -> None:
    """All bets that the returns show can be placed; each belongs to a listed option, and no text is longer than the
    limit.
    """
    bets = BETS[game]
    for bet in bets.listed(RULES[game]):
        found = bets.bet(bet.text, RULES[game], [card(bet.after)] if bet.after else [])
        assert (found.text, found.after, found.option) == (bet.text, bet.after, bet.option)
        assert bet.option in bets.options
        assert len(bet.text) <= LONGEST_BET


def test_the_page_about_bets_has_every_reading() -> None:
    """docs/bets.md lists what the regulation leaves open for each game, in the words of the data."""
    page = (HOUSE / "docs" / "bets.md").read_text("utf-8")
    for name in RULES:
        bets = BETS[name]
        section = page.partition(f" ({bets.section})\n")[2].partition("\n#")[0]
        listed = re.findall(r"^- (.+) \*“(.+)”\*$", section, re.MULTILINE)
        assert listed == [(reading.decision, reading.sentence) for reading in bets.readings], name


def test_the_page_about_bets_has_every_option() -> None:
    """With the spelling of its bets and when they win."""
    page = (HOUSE / "docs" / "bets.md").read_text("utf-8")
    for name in RULES:
        bets = BETS[name]
        section = page.partition(f" ({bets.section})\n")[2].partition("\n## ")[0]
        listed = re.findall(r"^\| `(.+)` \| (.+) \| (.+) \| .+ \|$", section, re.MULTILINE)
        assert listed == [(option.form, option.name, option.wins) for option in bets.options], name
