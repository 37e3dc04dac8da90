"""The winning options of one game: its paytable, with the laws of its declaration."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache, partial
from typing import Self, TypeVar

from fairness.draws.game import Outcome, Rules
from fairness.draws.stream import SMALLEST_MULTIPLIER
from fairness.errors import ForedrawError
from games.bets.bet import (
    LONGEST_BET,
    Bet,
    BetRefused,
    Chances,
    Lasts,
    NoLaw,
    Odds,
    Option,
    Payments,
    Prize,
    Reading,
    Worth,
    odds_for,
    refusal,
)
from games.bets.figures import Figure, Figures, things
from games.bets.forms import Letters, NotOffered, bound, hundredths_text
from games.bets.laws.flight import WORDS, words_at_least
from games.bets.laws.lasting import in_the_end
from games.bets.laws.law import Law, law_of, listed_law, rally_law, spin_law
from games.bets.laws.piles import added, contains
from games.bets.options import Offer, figure_of, is_by_value, odds_of, values_of
from games.bets.paytable.read import Paytable
from games.bets.pricing import price
from games.bets.values import Given, Value
from games.declared.declaration import Declaration

Result = TypeVar("Result")

_FLIGHT = "hundredths"
_SPIN = "chain"
_EXAMPLES = 4
_NOT_OFFERED = ("times", 0)


@dataclass(frozen=True, slots=True)
class _Filled:
    """An offer with its letters."""

    text: str
    words: str
    offer: Offer
    letters: Letters
    figure: Figure
    left: Fraction | None
    """The chance of the next thing, if the bet itself says how many that win are left."""


class GameBets:
    """The bets of a paytable; those of the catalogue with what people read about them."""

    def __init__(
        self, paytable: Paytable, section: str, about: Mapping[str, Given], lines: Sequence[Mapping[str, Given]]
    ) -> None:
        self.section, self.drawn = section, str(about["drawn"])
        self.readings = tuple(Reading(*each) for each in about["readings"])
        self.declaration = paytable.declaration
        self.tables = paytable.tables
        self.steps = paytable.steps
        self._figures = Figures(paytable.tables)
        self.offers = tuple(Offer.of(entry, line) for entry, line in zip(paytable.options, lines, strict=True))
        self.options: tuple[Option, ...] = tuple(offer.option for offer in self.offers)
        self._law = lru_cache(4096)(self._law_of)
        self._rally_law = lru_cache(4096)(partial(rally_law, self._figures))
        self._has_method: Callable[[Offer], bool] = lambda _: True

    @classmethod
    def of(cls, paytable: Paytable) -> Self:
        """Return the bets of a file, and nothing that people read about them."""
        return cls(paytable, "", {"drawn": "", "readings": ()}, [{}] * len(paytable.options))

    def ask_laws_only_where(self, has_method: Callable[[Offer], bool]) -> None:
        """Refuse to ask laws of other options: those are not the catalogue's, for which the methods were written."""
        self._has_method = has_method

    def chances(self, rules: Rules) -> Chances:
        """Return all outcomes; of a multiplier the smallest and the largest; none if they are too many to list."""
        if self.declaration.is_flight:
            rtp, cap = rules["rtp"], rules["cap"]
            (place,) = self.declaration.steps[0].places
            smallest, largest = ({place: hundredths_text(each)} for each in (SMALLEST_MULTIPLIER, cap))
            below = 1 - Fraction(words_at_least(SMALLEST_MULTIPLIER + 1, rtp), WORDS)
            above = Fraction(words_at_least(cap, rtp), WORDS)
            return (smallest, below), (largest, above)
        try:
            return listed_law(self.declaration.text, _items(rules))
        except NoLaw:
            return ()

    def count(self, rules: Rules) -> int:
        """Return how many outcomes there are; 0 if they are too many to list."""
        return rules["cap"] - SMALLEST_MULTIPLIER + 1 if self.declaration.is_flight else len(self.chances(rules))

    def bet(self, text: str, rules: Rules, before: Iterable[Outcome] = ()) -> Bet:
        """Return the bet of this spelling. Raises `BetRefused`."""
        filled = self._read(text, rules)
        if filled.offer.after is None:
            return self._bet(filled, rules)
        return self._compared(filled, rules, self._card_before(filled.offer, text, before))

    def _read(self, text: str, rules: Rules) -> _Filled:
        refused = refusal(text, self.options)
        for offer in self.offers if len(text) <= LONGEST_BET else ():
            try:
                found = offer.form.match(text, rules)
            except NotOffered as error:
                refused = BetRefused(f"{text}: expected {error}") if str(error) else refused
                continue
            if found is not None:
                letters, words = found
                return self._filled(text, words, offer, letters, rules)
        raise refused

    def listed(self, rules: Rules) -> tuple[Bet, ...]:
        """Return the bets whose returns are listed, without those that are not offered."""
        return tuple(self.each_listed(rules))

    def examples(self, rules: Rules) -> tuple[str, ...]:
        """Return some bets that show how they are written: the first ones of options that are far from each other."""
        plain = [offer for offer in self.offers if offer.after is None]
        step = max(1, len(plain) // _EXAMPLES)
        texts = (next(offer.form.texts(rules), "") for offer in plain[::step][:_EXAMPLES])
        return tuple(text for text in texts if text)

    def each_listed(self, rules: Rules, looks: Iterator[object] | None = None) -> Iterator[Bet]:
        """Yield them one by one, of no more words than ``looks`` has: a file in a log may have more than anybody can
        list.
        """
        for offer in self.offers:
            if offer.since:
                continue
            if offer.after is not None:
                yield from self.compared(offer, rules)
                continue
            for text in offer.form.texts(rules, looks=looks):
                try:
                    yield self.bet(text, rules)
                except BetRefused:
                    continue

    def compared(self, offer: Offer, rules: Rules) -> Iterator[Bet]:
        """Yield the bets of an option that is compared with an earlier round, one for each thing."""
        filled = self._filled(offer.form.text, "", offer, {}, rules)
        by = (offer.after or {})["by"]
        yield from (self._compared(filled, rules, card) for card in offer.cards if card in by)

    def card(self, outcome: Outcome) -> str:
        """Return the card with which bets on the next rounds are compared; empty if the outcome has none, or no bet
        is.
        """
        for offer in self.offers:
            if offer.after is not None and (found := _counted(offer.after, outcome)) is not None:
                return found
        return ""

    def _filled(self, text: str, words: str, offer: Offer, letters: Letters, rules: Rules) -> _Filled:
        return _Filled(
            text, words, offer, letters, figure_of(offer.figure, letters, rules), _left(offer, letters, rules)
        )

    def _card_before(self, offer: Offer, text: str, before: Iterable[Outcome]) -> str:
        about = offer.after or {}
        cards = (_counted(about, outcome) for outcome in before)
        card = next((card for card in cards if card is not None), None)
        if card is None:
            raise BetRefused(f"{text} is not offered: no card, but for Jokers, was played before")
        if card not in about["by"]:
            raise BetRefused(f"{text} is not offered after {card}: no card could win it")
        return card

    def _compared(self, filled: _Filled, rules: Rules, card: str) -> Bet:
        values, odds = (filled.offer.after or {})["by"][card]
        prize = Prize(odds_of(odds, {}), values_of(values, {}, rules), is_by_value(odds))
        if not prize.odds.value:
            raise BetRefused(f"{filled.text} is not offered after {card}")
        return self._made(filled, rules, (prize,), card)

    def _bet(self, filled: _Filled, rules: Rules) -> Bet:
        prizes: list[Prize] = []
        for pays in filled.offer.pays:
            values = values_of(pays.values, filled.letters, rules)
            odds = pays.odds.get(filled.words, _NOT_OFFERED) if isinstance(pays.odds, dict) else pays.odds
            found = self._priced_odds(filled, rules) if pays.chance else odds_of(odds, filled.letters)
            if not found.value:
                raise BetRefused(f"{filled.text} is not offered: its odds would be below 1.01")
            prizes.append(Prize(found, values, is_by_value(odds)))
        return self._made(filled, rules, tuple(prizes))

    def _priced_odds(self, filled: _Filled, rules: Rules) -> Odds:
        (pays,) = filled.offer.pays
        if pays.chance == "left":
            found = price(filled.left, returned=pays.odds[1]) if filled.left else 0
            if not found:
                raise BetRefused(f"{filled.text} is not offered: too few other cards are left, or too few in all")
            return Odds.times(Fraction(found, 100))
        chance = self._chance(filled, rules)
        found = price(chance, returned=pays.odds[1]) if chance else 0
        if not found and pays.chance == "numbers":
            _, _, _, low, high = pays.odds
            count = high - low + 1
            raise BetRefused(f"{filled.text} is not offered: {chance * count} of {count} numbers would win it")
        return Odds.times(Fraction(found, 100))

    def _chance(self, filled: _Filled, rules: Rules) -> Fraction:
        """Return the chance of equally likely numbers; or of runners, or points."""
        (pays,) = filled.offer.pays
        values = values_of(pays.values, filled.letters, rules)
        if pays.chance == "numbers":
            _, _, _, low, high = pays.odds
            return Fraction(sum(number in values for number in range(low, high + 1)), high - low + 1)
        if pays.chance == "points":
            return contains(values, self._rally_law(filled.figure, _items(rules)))
        return contains(values, self._law(filled.figure, _items(rules)))

    def _made(self, filled: _Filled, rules: Rules, prizes: tuple[Prize, ...], after: str = "") -> Bet:
        figure = partial(self._value, filled, rules)
        worth = (
            partial(_known, partial(_spin_worth, self.declaration, rules, filled.figure, prizes))
            if filled.figure[0] == _SPIN
            else None
        )
        return Bet(
            filled.text,
            filled.offer.option,
            figure,
            prizes,
            partial(_known, partial(self._payments, filled, rules, prizes)),
            after,
            worth,
            self._lasts(filled, rules),
        )

    @staticmethod
    def _lasts(filled: _Filled, rules: Rules) -> Lasts | None:
        lasts = filled.offer.lasts
        return None if lasts is None else Lasts(values_of(lasts["loses"], filled.letters, rules), lasts.get("as", ""))

    def _value(self, filled: _Filled, rules: Rules, outcome: Outcome) -> Value:
        if filled.offer.given is not None:
            given, values = filled.offer.given
            known = self._figures.of(figure_of(given, filled.letters, rules), outcome)
            if known not in values_of(values, filled.letters, rules):
                raise BetRefused(f"{filled.text} was not offered in this round")
        return self._figures.of(filled.figure, outcome)

    def priced(self, filled: _Filled, rules: Rules) -> int:
        """Return the price of an open bet, in hundredths, as it is stored; 0 if it is not offered."""
        if filled.offer.since:
            return self.priced(self._read(filled.offer.since, rules), rules)
        chance, factor, given_back = self._winning(filled, rules)
        return price(chance, given_back, factor) if chance else 0

    def priced_words(self, offer: Offer, rules: Rules) -> dict[str, int]:
        """Return the prices of all bets of an option that the returns list, by their letters' words; 0 for those that
        are not offered.
        """
        found: dict[str, int] = {}
        for text in offer.form.texts(rules):
            letters, words = offer.form.match(text, rules) or ({}, "")
            found[words] = self.priced(self._filled(text, words, offer, letters, rules), rules)
        return found

    def _winning(self, filled: _Filled, rules: Rules) -> tuple[Fraction, Fraction, Fraction]:
        """Return the chance that an open bet wins; the mean of what multiplies its odds then; what it is given back
        on average.
        """
        law = self._law_under(filled, rules)
        wins, back, times = Fraction(0), Fraction(0), Fraction(0)
        for pays in filled.offer.pays:
            values = values_of(pays.values, filled.letters, rules)
            if pays.is_priced:
                wins += contains(values, law)
                times += (
                    sum((chance * int(value) for value, chance in law.items() if value in values), Fraction(0))
                    if is_by_value(pays.odds)
                    else 0
                )
            else:
                back += contains(values, law) * odds_of(pays.odds, filled.letters).pays
        return wins, Fraction(times, wins) if times else Fraction(1), back

    def _law_under(self, filled: _Filled, rules: Rules) -> Law:
        if filled.offer.lasts is not None:
            return self._law_in_the_end(filled, rules)
        if filled.offer.given is None:
            return self._law(filled.figure, _items(rules))
        given, values = filled.offer.given
        known = figure_of(given, filled.letters, rules)
        both = self._law(("both", known, filled.figure), _items(rules))
        wanted = {
            str(value)
            for value in self._law(known, _items(rules))
            if value in values_of(values, filled.letters, rules)
        }
        law: defaultdict[Value, Fraction] = defaultdict(Fraction)
        own = {str(value): value for value in self._law(filled.figure, _items(rules))}
        for value, chance in both.items():
            one, _, other = str(value).partition("|")
            if one in wanted:
                law[own[other]] += chance
        total = sum(law.values(), Fraction(0))
        return {value: Fraction(chance, total) for value, chance in law.items()}

    def _law_in_the_end(self, filled: _Filled, rules: Rules) -> Law:
        """Return the law over all rounds that the bet may last."""
        wins = tuple(values_of(pays.values, filled.letters, rules) for pays in filled.offer.pays)
        lasts, becomes = self._lasts(filled, rules), (filled.offer.lasts or {}).get("as", "")

        def later(value: Value) -> Fraction:
            following = self._read(becomes.replace("#", str(value)), rules)
            return self._winning(following, rules)[0]

        law = self._law(filled.figure, _items(rules))
        return law if lasts is None else in_the_end(law, wins, lasts.loses, later if becomes else None)

    def _law_of(self, figure: Figure, rules: tuple[tuple[str, int], ...]) -> Law:
        return law_of(self._figures, self.declaration, dict(rules), figure)

    def _payments(self, filled: _Filled, rules: Rules, prizes: tuple[Prize, ...]) -> Payments:
        if not self._has_method(filled.offer):
            raise NoLaw("a method for its figure in this game")
        if filled.left is not None:
            return (prizes[0].odds.pays, filled.left), (Fraction(0), 1 - filled.left)
        if filled.figure[0] == _FLIGHT:
            return _flight_payments(prizes, rules)
        if (filled.offer.lasts or {}).get("as"):
            return self._payments_in_the_end(filled, rules, prizes)
        # First by prize, then by what it pays: fractions are slow keys, and a law may have many values.
        by_prize: defaultdict[tuple[int, Value], list[Fraction]] = defaultdict(list)
        for value, chance in self._law_under(filled, rules).items():
            at = next((at for at, prize in enumerate(prizes) if value in prize.values), len(prizes))
            is_multiplied = at < len(prizes) and prizes[at].is_multiplied
            by_prize[at, value if is_multiplied else 1].append(chance)
        chances: defaultdict[Fraction, Fraction] = defaultdict(Fraction)
        for (at, value), alike in by_prize.items():
            chances[prizes[at].odds_of(value).pays if at < len(prizes) else Fraction(0)] += added(alike)
        return tuple(chances.items())

    def _payments_in_the_end(self, filled: _Filled, rules: Rules, prizes: tuple[Prize, ...]) -> Payments:
        """Return the payments of a bet that becomes another one where this round does not decide it."""
        bet, chances = self._made(filled, rules, prizes), defaultdict[Fraction, Fraction](Fraction)
        for value, chance in self._law(filled.figure, _items(rules)).items():
            if becomes := bet.becomes(value):
                for pays, later in self.bet(becomes, rules).law():
                    chances[pays] += chance * later
            else:
                odds = odds_for(prizes, value)
                chances[Fraction(0) if odds is None else odds.pays] += chance
        return tuple(chances.items())


def _known(law: Callable[[], Result]) -> Result:
    """Return what a method has found. Raises `NoLaw`, also where it fails at figures that it was not written for."""
    try:
        return law()
    except (ArithmeticError, LookupError, RecursionError, TypeError, ValueError, ForedrawError) as error:
        raise NoLaw("no method here has its law") from error


def _counted(after: Mapping[str, Given], outcome: Outcome) -> str | None:
    """Return the thing with which a later round's bets are compared; empty if there is none, `None` if the round does
    not count.
    """
    found = list(map(str, things(after["place"], outcome)))
    return None if set(after["skip"]) & set(found) else next(iter(found), "")


def _left(offer: Offer, letters: Letters, rules: Rules) -> Fraction | None:
    """Return the chance that so many of the things from one place to the last are left that win."""
    for pays in offer.pays:
        if pays.chance == "left":
            winning, at, last = (bound(each, letters, rules) for each in pays.odds[3:])
            return Fraction(winning, last - at + 1) if 0 < winning <= last - at + 1 else None
    return None


def _flight_payments(prizes: tuple[Prize, ...], rules: Rules) -> Payments:
    """Pay each prize from its smallest multiplier up to where the prize before begins."""
    found, above = [], 0
    for prize in prizes:
        ((low, high),) = prize.values.ranges
        if low is None or high is not None or prize.values.listed or prize.is_multiplied:
            raise NoLaw("prizes that are won from a multiplier on")
        words = _words_from(low, rules)
        found.append((prize.odds.pays, Fraction(max(0, words - above), WORDS)))
        above = max(words, above)
    return (*found, (Fraction(0), 1 - Fraction(above, WORDS)))


def _words_from(low: int, rules: Rules) -> int:
    """Return how many words give a multiplier of so many hundredths at least."""
    if low <= SMALLEST_MULTIPLIER:
        return WORDS
    return words_at_least(low, rules["rtp"]) if low <= rules["cap"] else 0


def _spin_worth(declaration: Declaration, rules: Rules, figure: Figure, prizes: tuple[Prize, ...]) -> Worth:
    (prize,) = prizes
    chance, mean, square = spin_law(declaration, rules, figure[2])
    odds, beside = prize.odds.value, int(prize.odds.beside_stake)
    returned = odds * mean + beside * chance
    return Worth(returned, chance, odds**2 * square + 2 * odds * beside * mean + beside * chance - returned**2)


def _items(rules: Rules) -> tuple[tuple[str, int], ...]:
    return tuple(sorted((name, value) for name, value in rules.items()))
