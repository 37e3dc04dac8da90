"""Figures of things that are taken without return.

Given things that are taken are as good as the first ones. Things that the figure does not distinguish are one class;
then

* a few things are listed, class by class, in their order if it counts;
* a figure that adds up (tallies, sums) is counted by dynamic programming over the classes, whatever the order;
* where only equality counts, by the ways in which things can be equal;
* ``done`` and poker hands have formulas of their own.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import combinations_with_replacement
from math import comb, factorial, perm

from fairness.draws.game import Rules
from games.bets.bet import NoLaw
from games.bets.figures import Figure, Figures, leaves, selected
from games.bets.laws.hands import hand_counts
from games.bets.values import Given, Value, Values
from games.declared.deals import Deal
from games.declared.declaration import Declaration, Drum
from games.declared.takes import Take

_MOST_SEQUENCES = 150_000
_MOST_EQUAL = 10
_ADDED = {"tally", "sum", "most", "distinct", "length"}
_EQUALITY = {"distinct"}
_OF_HANDS = {"tally", "sum", "points", "length", "distinct", "most", "hand"}
"""What does not depend on the order of its things."""

Position = tuple[str, int]
Law = dict[Value, Fraction]


def pile_law(figures: Figures, declaration: Declaration, rules: Rules, figure: Figure) -> Law:
    """Return the chance of each value. Raises `NoLaw`."""
    things = _things(declaration, rules)
    parts = leaves(figure)
    positions = [_positions(declaration, rules, part[1]) for part in parts]
    distinct = list(dict.fromkeys(position for each in positions for position in each))
    if figure[0] == "done":
        return _done_law(len(things), len(distinct), len(figure[2].listed))
    if figure[0] == "hand":
        return _counted(hand_counts(len(distinct), *figure[2:]))
    classes = _classes(figures, parts, things)
    if _how_many(classes, len(distinct)) <= _MOST_SEQUENCES:
        is_of_hands = all(
            part[0] in _OF_HANDS and set(each) == set(distinct) for part, each in zip(parts, positions, strict=True)
        )
        drawn = (_hands if is_of_hands else _sequences)(classes, len(distinct))
        return _listed(figures, figure, positions, distinct, drawn)
    if all(part[0] in _ADDED for part in parts) and all(set(each) == set(distinct) for each in positions):
        return _added(figures, figure, len(distinct), things)
    if all(part[0] in _EQUALITY for part in parts):
        return _equal(figures, figure, positions, distinct, classes)
    raise NoLaw(f"a method for {figure[0]} of {len(distinct)} things")


def _things(declaration: Declaration, rules: Rules) -> list[Value]:
    pile = declaration.pile
    if pile is None:
        raise NoLaw("a drum or a shoe")

    def number(value: int | str) -> int:
        return rules[value] if isinstance(value, str) else value

    if isinstance(pile, Drum):
        return list(range(number(pile.low), number(pile.high) + 1))
    return [*pile.things] * number(pile.packs)


def _positions(declaration: Declaration, rules: Rules, selection: object) -> list[Position]:
    found: list[Position] = []
    for _, place, first, last in selected(selection):
        size = _size(declaration, rules, place)
        if first is None or last is None:
            wanted = range(1, size + 1)
        elif first < 0:
            wanted = range(size + 1 + first, size + 2 + first)
        else:
            wanted = range(first, last + 1)
        # A thing that the outcome does not have is left out.
        found += [(place, at) for at in wanted if 0 < at <= size]
    return found


def _size(declaration: Declaration, rules: Rules, place: str) -> int:
    for step in declaration.steps:
        if place in step.places:
            if isinstance(step, Deal):
                return 2
            if isinstance(step, Take) and not isinstance(step.number, tuple):
                number = rules[step.number] if isinstance(step.number, str) else step.number
                return number * step.times
    raise NoLaw(f"a number of things at {place}")


def _classes(figures: Figures, parts: Sequence[Figure], things: Sequence[Value]) -> Counter[Value]:
    """Return one thing of each class, and how many there are."""
    of_key: dict[tuple[Given, ...], Value] = {}
    classes: Counter[Value] = Counter()
    for thing in things:
        key = tuple(_reading(figures, part, thing) for part in parts)
        classes[of_key.setdefault(key, thing)] += 1
    return classes


def _reading(figures: Figures, part: Figure, thing: Value) -> Given:
    kind, _, *arguments = part
    if kind == "tally":
        values, *by = arguments
        return figures.read(thing, by[0] if by else None) in values
    if kind == "length":
        return None
    if kind in ("hand", "done"):
        return thing
    if kind == "beyond":
        arguments = arguments[:1]
    return figures.read(thing, arguments[0] if arguments else None)


def _listed(
    figures: Figures,
    figure: Figure,
    positions: Sequence[Sequence[Position]],
    distinct: Sequence[Position],
    drawn: Iterable[tuple[tuple[Value, ...], int]],
) -> Law:
    indices = [[distinct.index(each) for each in part] for part in positions]
    counts: defaultdict[Value, int] = defaultdict(int)
    for things, ways in drawn:
        counts[_value(figures, figure, [[things[at] for at in part] for part in indices])] += ways
    return _counted(counts)


def _how_many(classes: Counter[Value], length: int) -> int:
    """Count different sequences of so many things."""
    ways = [1, *[0] * length]
    for number in classes.values():
        ways = [
            sum(comb(at, more) * ways[at - more] for more in range(min(number, at) + 1)) for at in range(length + 1)
        ]
    return ways[length]


def _sequences(classes: Counter[Value], length: int) -> Iterator[tuple[tuple[Value, ...], int]]:
    if length == 0:
        yield (), 1
        return
    for drawn, ways in _sequences(classes, length - 1):
        for thing, number in classes.items():
            left = number - drawn.count(thing)
            if left > 0:
                yield (*drawn, thing), ways * left


def _hands(classes: Counter[Value], length: int) -> Iterator[tuple[tuple[Value, ...], int]]:
    """Yield one order for all orders of the same things."""
    for drawn in combinations_with_replacement(classes, length):
        ways = factorial(length)
        for thing, times in Counter(drawn).items():
            ways *= comb(classes[thing], times)
        if ways:
            yield drawn, ways


def _value(figures: Figures, figure: Figure, found: Sequence[Sequence[Value]]) -> Value:
    """Return the figure, of the things that its parts look at."""
    at = iter(found)

    def leaf(part: Figure) -> Value:
        return figures.of((part[0], "things", *part[2:]), {"things": next(at)})  # no outcome

    return figures.combine(figure, leaf)


def _added(figures: Figures, figure: Figure, taken: int, things: Sequence[Value]) -> Law:
    parts = leaves(figure)
    keys = [sorted({_reading(figures, part, thing) for thing in things}, key=str) for part in parts]

    def amounts(thing: Value) -> tuple[tuple[int, ...], ...]:
        """Return what one thing adds to each part."""
        found = []
        for part, readings in zip(parts, keys, strict=True):
            reading = _reading(figures, part, thing)
            if part[0] in ("most", "distinct"):
                found.append(tuple(int(reading == each) for each in readings))
            else:
                found.append((1 if part[0] == "length" else int(reading or 0),))
        return tuple(found)

    groups = Counter(map(amounts, things))
    flat = {group: tuple(number for part in group for number in part) for group in groups}
    widths = [len(part) for part in next(iter(groups))]
    states: dict[tuple[int, tuple[int, ...]], int] = {(0, (0,) * sum(widths)): 1}
    for group, number in groups.items():
        states = _with_group(states, flat[group], number, taken)
        if len(states) > _MOST_SEQUENCES:
            raise NoLaw(f"fewer different sums of {taken} things")
    counts: defaultdict[Value, int] = defaultdict(int)
    for (so_many, totals), ways in states.items():
        if so_many == taken:
            counts[_total(figures, figure, totals, widths)] += ways
    return _counted(counts)


def _with_group(
    states: Mapping[tuple[int, tuple[int, ...]], int], amounts: tuple[int, ...], number: int, taken: int
) -> dict[tuple[int, tuple[int, ...]], int]:
    found: defaultdict[tuple[int, tuple[int, ...]], int] = defaultdict(int)
    for (so_many, totals), ways in states.items():
        for more in range(min(number, taken - so_many) + 1):
            added = tuple(total + more * amount for total, amount in zip(totals, amounts, strict=True))
            found[so_many + more, added] += ways * comb(number, more)
    return found


def _total(figures: Figures, figure: Figure, totals: Sequence[int], widths: Sequence[int]) -> Value:
    at = iter(widths)
    rest = list(totals)

    def leaf(part: Figure) -> Value:
        width = next(at)
        mine, rest[:] = rest[:width], rest[width:]
        if part[0] == "most":
            return max(mine)
        if part[0] == "distinct":
            return sum(number > 0 for number in mine)
        modulo = part[3] if part[0] == "sum" and len(part) > 3 else 0
        return mine[0] % modulo if modulo else mine[0]

    return figures.combine(figure, leaf)


def _equal(
    figures: Figures,
    figure: Figure,
    positions: Sequence[Sequence[Position]],
    distinct: Sequence[Position],
    classes: Counter[Value],
) -> Law:
    (number,) = set(classes.values())
    if len(distinct) > _MOST_EQUAL:
        raise NoLaw(f"at most {_MOST_EQUAL} things that may be equal")
    indices = [[distinct.index(each) for each in part] for part in positions]
    names = list(classes)
    counts: defaultdict[Value, int] = defaultdict(int)
    for blocks in _partitions(len(distinct)):
        ways = perm(len(classes), max(blocks) + 1)
        for size in Counter(blocks).values():
            ways *= perm(number, size)
        found = [[names[blocks[at]] for at in part] for part in indices]
        counts[_value(figures, figure, found)] += ways
    return _counted(counts)


def _partitions(size: int) -> Iterator[tuple[int, ...]]:
    """Yield which of the things are equal: equal numbers, the first 0, each at most one above those before."""
    if size == 1:
        yield (0,)
        return
    for blocks in _partitions(size - 1):
        yield from ((*blocks, each) for each in range(max(blocks) + 2))


def _done_law(things: int, taken: int, wanted: int) -> Law:
    """Return with which draw k the last of them is out: C(k-1, m-1) of C(n, m)."""
    all_of_them = comb(things, wanted)
    law: Law = {k: Fraction(comb(k - 1, wanted - 1), all_of_them) for k in range(wanted, taken + 1)}
    return law | {0: 1 - sum(law.values(), Fraction(0))}


def _counted(counts: Mapping[Value, int]) -> Law:
    total = sum(counts.values())
    return {value: Fraction(number, total) for value, number in counts.items()}


def contains(values: Values, law: Mapping[Value, Fraction]) -> Fraction:
    """Return the chance of all these values."""
    return added(chance for value, chance in law.items() if value in values)


def added(chances: Iterable[Fraction]) -> Fraction:
    """Return the sum of many fractions of few denominators: those of one denominator are added as whole numbers."""
    numerators: defaultdict[int, int] = defaultdict(int)
    for chance in chances:
        numerators[chance.denominator] += chance.numerator
    return sum((Fraction(numerator, denominator) for denominator, numerator in numerators.items()), Fraction(0))
