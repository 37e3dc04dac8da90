"""The law of a figure under the rules of a game, by the kind of the steps that fill the places it looks at."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping
from fractions import Fraction
from functools import lru_cache

import msgspec

from fairness.draws.game import Outcome, Rules
from games.bets.bet import NoLaw
from games.bets.figures import Figure, Figures, leaves, names_of
from games.bets.laws.deals import DEAL_LAWS, rallies
from games.bets.laws.fields import order_law
from games.bets.laws.piles import pile_law
from games.bets.values import Value
from games.declared.deals import Deal
from games.declared.declaration import Declaration
from games.declared.kinds import ANYWHERE
from games.declared.law import TooMany
from games.declared.law import law as outcome_law
from games.declared.spelling import spelled
from games.declared.takes import Pick, Take
from games.declared.wheels import Race, Spin, Wheels

Law = Mapping[Value, Fraction]


def law_of(figures: Figures, declaration: Declaration, rules: Rules, figure: Figure) -> Law:
    """Return the chance of each value. Raises `NoLaw` if no method here has it."""
    places = names_of([figure])
    steps = [step for step in declaration.steps if not places.isdisjoint(step.places)]
    kinds = {leaf[0] for leaf in leaves(figure)}
    if kinds == {"lit"}:
        return _lit_law(figures, declaration, figure)
    if all(isinstance(step, Take) for step in steps):
        return pile_law(figures, declaration, rules, figure)
    if any(isinstance(step, Deal) for step in steps):
        return _deal_law(figures, declaration, rules, figure)
    if any(isinstance(step, Race) for step in steps):
        return order_law(figures, rules, figure)
    return _enumerated(figures, listed_law(_only(declaration, places), tuple(sorted(rules.items()))), figure)


@lru_cache(64)
def listed_law(declaration: bytes, rules: tuple[tuple[str, int], ...]) -> tuple[tuple[Outcome, Fraction], ...]:
    """Return every outcome with its chance, of a declaration's spelling. Raises `NoLaw` if they are too many."""
    try:
        found = outcome_law(Declaration.parse(declaration), dict(rules))
    except TooMany as error:
        raise NoLaw("too many outcomes") from error
    return tuple((msgspec.json.decode(text), chance) for text, chance in found.items())


def _enumerated(figures: Figures, outcomes: tuple[tuple[Outcome, Fraction], ...], figure: Figure) -> Law:
    law: defaultdict[Value, Fraction] = defaultdict(Fraction)
    for outcome, chance in outcomes:
        law[figures.of(figure, outcome)] += chance
    return law


def rally_law(figures: Figures, figure: Figure, rules: tuple[tuple[str, int], ...]) -> Law:
    """Return the law over all rallies, whatever else the declaration draws."""
    return _enumerated(figures, rallies(rules), figure)


def _deal_law(figures: Figures, declaration: Declaration, rules: Rules, figure: Figure) -> Law:
    """Return the law of a deal: cards at places that every round has are a pile's; else the deal's own law counts."""
    (deal,) = (step for step in declaration.steps if isinstance(step, Deal))
    name = next(name for name, law in DEAL_LAWS.items() if law.draw is deal.draw)
    found = DEAL_LAWS[name]
    if found.fixed(figure):
        return pile_law(figures, declaration, rules, figure)
    return _enumerated(figures, found.outcomes(tuple(sorted(rules.items()))), figure)


def _lit_law(figures: Figures, declaration: Declaration, figure: Figure) -> Law:
    """Return a number of its own, and independent of it whether it is lucky, and with which multiplier."""
    _, drawn, number, lucky, multipliers = figure
    by_place = {step.places[0]: step for step in declaration.steps}
    picked, wheels = by_place[lucky], by_place[multipliers]
    if not isinstance(picked, Pick) or not isinstance(wheels, Wheels):
        raise NoLaw("lucky numbers that are picked, and a wheel for each")
    least, most = picked.number if isinstance(picked.number, tuple) else (picked.number, picked.number)
    size = int(picked.high) - int(picked.low) + 1
    is_lucky = Fraction(int(least) + int(most), 2 * size)
    chance = law_of(figures, declaration, {}, ("sum", drawn))[number]
    total = sum(map(int, wheels.weights))
    law: defaultdict[Value, Fraction] = defaultdict(Fraction)
    law[0], law[1] = 1 - chance, chance * (1 - is_lucky)
    for label, weight in zip(wheels.labels, wheels.weights, strict=True):
        law[label] += chance * is_lucky * Fraction(int(weight), total)
    return law


def _only(declaration: Declaration, places: Collection[str]) -> bytes:
    """Return the spelling of the declaration with the steps alone that fill these places; they must not look at
    others.
    """
    whole = msgspec.json.decode(declaration.text)
    draw = [step for step in whole["draw"] if step[0] in places or step[0] == ANYWHERE]
    return spelled({"draw": draw, **({"rules": whole["rules"]} if "rules" in whole else {})})


def spin_law(declaration: Declaration, rules: Rules, label: str) -> tuple[Fraction, Fraction, Fraction]:
    """Return the chance of a last label, and with it the mean of the product of all before it, and of its square
    (each times the chance).

    A multiplier comes again and again with the same chances, so these are geometric series.
    """
    (spin,) = (step for step in declaration.steps if isinstance(step, Spin))
    weights = {each: int(rules[weight] if isinstance(weight, str) else weight) for each, weight in spin.segments}
    total = sum(weights.values())

    def series(power: int) -> Fraction:
        again = sum(Fraction(weights[each] * int(each.removesuffix("x")) ** power, total) for each in spin.again)
        return Fraction(Fraction(weights[label], total), 1 - again)

    return series(0), series(1), series(2)
