"""Figures: what a bet looks at in an outcome. A closed list; both verifiers have it, and SPEC does not need it.

A figure is data, ``["sum", "dice"]``: its kind, and arguments. It is computed of *things*: a selection names a place
of the outcome, ``balls``, perhaps which of its things, ``balls 1``, ``balls 2+1``, ``balls 1-5``, ``balls -1``;
several selections are one after another, and ``letters points`` are the letters of a word. A *reading* is what counts
of a thing: its rank, its suit, or what a table says.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache

from fairness.draws.game import Outcome
from games.bets.hands import hand_of
from games.bets.values import Given, Value, Values

Figure = tuple[Given, ...]
"""A kind and its arguments, all hashable."""
Table = Mapping[str, Mapping[str, Value]]
"""What counts of a thing: by the ``thing``, or of a card by its ``rank`` or its ``suit``; nothing ("") where it is
not listed.
"""

_BEST = 21
_SELECTION = re.compile(r"(letters )?([a-z0-9-]+)(?: (-?[0-9+]+)(?:-([0-9]+))?)?", re.ASCII)
_HUNDREDTHS = re.compile(r"([1-9][0-9]{0,7})\.([0-9]{2})", re.ASCII)
_NUMBER = re.compile(r"(?:0|[1-9][0-9]{0,8})", re.ASCII)


class Figures:
    """Figures with the tables that their readings name."""

    def __init__(self, tables: Mapping[str, Table]) -> None:
        self._tables = tables

    def of(self, figure: Figure, outcome: Outcome) -> Value:
        """Return the figure's value."""
        return self.combine(figure, lambda leaf: self._leaf(leaf, outcome))

    def combine(self, figure: Figure, leaf: Callable[[Figure], Value]) -> Value:
        """Return the value of a figure whose parts that look at things have these values."""
        kind, *parts = figure
        if kind == "minus":
            first, second = (number_of(self.combine(part, leaf)) for part in parts)
            return first - second
        if kind == "holds":
            return sum(self.combine(part, leaf) in values for part, values in parts)
        if kind == "both":
            one, other = (self.combine(part, leaf) for part in parts)
            return f"{one}|{other}"
        return leaf(figure)

    def _leaf(self, figure: Figure, outcome: Outcome) -> Value:
        kind, selection, *arguments = figure
        return LEAVES[kind](self, things(selection, outcome), outcome, *arguments)

    def read(self, thing: Value, by: str | None) -> Value:
        """Return what counts of a thing."""
        if not by:
            return thing
        text = str(thing)
        if by == "rank":
            return text[:1]
        if by == "suit":
            return text[-1:]
        ((key, values),) = self._tables[by].items()
        return values.get(text if key == "thing" else str(self.read(thing, key)), "")


def number_of(value: Value) -> int:
    """Return what counts as a number: whole ones, also as words; all else is 0."""
    if isinstance(value, int):
        return value
    return int(value) if _NUMBER.fullmatch(value) else 0


def leaves(figure: Figure) -> list[Figure]:
    """Return the parts of a figure that look at things."""
    kind, *parts = figure
    if kind in ("minus", "both"):
        return [leaf for part in parts for leaf in leaves(part)]
    if kind == "holds":
        return [leaf for part, _ in parts for leaf in leaves(part)]
    return [figure]


@lru_cache(4096)
def selected(selection: object) -> tuple[tuple[bool, str, int | None, int | None], ...]:
    """Return the parts of a selection: whether it is of letters, the place, and the first and the last thing, from
    1.
    """
    if isinstance(selection, tuple):
        return tuple(part for each in selection for part in selected(each))
    match = _SELECTION.fullmatch(str(selection))
    if match is None:
        raise ValueError(f"{selection!r} is no selection")
    first = None if match[3] is None else sum(map(int, match[3].split("+")))
    return ((match[1] is not None, match[2], first, first if match[4] is None else int(match[4])),)


def things(selection: object, outcome: Outcome) -> list[Value]:
    """Return what a selection selects. A place that the outcome does not have is empty."""
    found: list[Value] = []
    for is_letters, place, first, last in selected(selection):
        all_of_place = _things_of(outcome.get(place, ""), is_letters=is_letters)
        if first is None or last is None:
            found += all_of_place
        elif first < 0:
            found += all_of_place[first:][:1] if -first <= len(all_of_place) else []
        else:
            found += all_of_place[max(0, first - 1) : last]
    return found


def _things_of(content: str | int | Sequence[Value], *, is_letters: bool) -> Sequence[Value]:
    if isinstance(content, str):
        return list(content) if is_letters else content.split()
    return [content] if isinstance(content, int) else content


def _value(figures: Figures, found: list[Value], _: Outcome, by: str | None = None) -> Value:
    return figures.read(found[0], by) if found else ""


def _word(figures: Figures, found: list[Value], _: Outcome, by: str | None = None) -> Value:
    return "".join(str(figures.read(each, by)) for each in found)


def _sum(figures: Figures, found: list[Value], _: Outcome, by: str | None = None, modulo: int = 0) -> Value:
    total = sum(number_of(figures.read(each, by)) for each in found)
    return total % modulo if modulo else total


def _tally(figures: Figures, found: list[Value], _: Outcome, values: Values, by: str | None = None) -> Value:
    return sum(figures.read(each, by) in values for each in found)


def _points(figures: Figures, found: list[Value], _: Outcome, by: str) -> Value:
    """Return the sum, in which one ace counts 10 more if that is not over 21."""
    total = sum(number_of(figures.read(each, by)) for each in found)
    has_ace = any(str(each)[0] == "A" for each in found)
    return total + 10 if has_ace and total <= _BEST - 10 else total


def _duel(figures: Figures, first: list[Value], outcome: Outcome, opponent: str, by: str, of: str) -> Value:
    """Return who wins 21 Bet; or of the winner the number of ``cards``, the ``points``, or whether it has a
    ``golden`` point.
    """
    hands = {"first": first, "second": things(opponent, outcome)}
    golden = {name for name, hand in hands.items() if [str(card)[0] for card in hand] == ["A", "A"]}
    points = {
        name: _BEST if name in golden else int(_points(figures, hand, outcome, by)) for name, hand in hands.items()
    }
    ranks = {name: (points[name] <= _BEST, name in golden, points[name]) for name in hands}
    if of == "bust":
        return int(max(points.values()) > _BEST)
    if ranks["first"] == ranks["second"]:
        return "draw" if of == "winner" else 0
    winner = max(ranks, key=lambda name: ranks[name])
    by_name: dict[str, Value] = {"winner": winner, "cards": len(hands[winner]), "points": points[winner]}
    return by_name.get(of, int(winner in golden))


def _length(_: Figures, found: list[Value], __: Outcome) -> Value:
    return len(found)


def _distinct(figures: Figures, found: list[Value], _: Outcome, by: str | None = None) -> Value:
    return len({figures.read(each, by) for each in found})


def _most(figures: Figures, found: list[Value], _: Outcome, by: str | None = None) -> Value:
    return max(Counter(figures.read(each, by) for each in found).values(), default=0)


def _done(_: Figures, found: list[Value], __: Outcome, values: Values) -> Value:
    wanted = values.listed
    return max((found.index(each) + 1 for each in wanted), default=0) if wanted <= set(found) else 0


def _hand(_: Figures, found: list[Value], __: Outcome, high: str = "") -> Value:
    return hand_of([str(each) for each in found], high) if len(found) in (3, 5, 6, 7) else ""


def _hundredths(_: Figures, found: list[Value], __: Outcome) -> Value:
    match = _HUNDREDTHS.fullmatch(str(found[0])) if found else None
    return int(match[1] + match[2]) if match else 0


def _lit(_: Figures, found: list[Value], outcome: Outcome, number: int, lucky: str, multipliers: str) -> Value:
    """Return 0 if the things do not sum up to this number; else what multiplies it, or 1."""
    if sum(map(number_of, found)) != number:
        return 0
    by_number = zip(things(lucky, outcome), things(multipliers, outcome), strict=False)
    return next((multiplier for each, multiplier in by_number if each == number), 1)


def _chain(_: Figures, found: list[Value], __: Outcome, label: Value) -> Value:
    """Return 0 if the last label is another; else the product of all before it: ``7x``."""
    if not found or str(found[-1]) != str(label):
        return 0
    product = 1
    for each in found[:-1]:
        product *= number_of(str(each).removesuffix("x"))
    return product


def _inorder(_: Figures, found: list[Value], __: Outcome, wanted: tuple[Value, ...]) -> Value:
    return int(tuple(found) == wanted)


def _match(figures: Figures, found: list[Value], _: Outcome, by: str) -> Value:
    """Return the reading of the thing that has the first one's rank."""
    return next((figures.read(each, by) for each in found[1:] if str(each)[0] == str(found[0])[0]), "")


def _beyond(figures: Figures, found: list[Value], _: Outcome, by: str, side: str) -> Value:
    """Return how many things are ``above`` the first one, or ``below`` it."""
    worths = [number_of(figures.read(each, by)) for each in found]
    return sum(each > worths[0] if side == "above" else each < worths[0] for each in worths[1:])


def _between(figures: Figures, found: list[Value], _: Outcome, by: str) -> Value:
    """Return where the third thing is, between the first two."""
    if len(found) != 3:  # two cards, and one that is between them or not
        return ""
    one, other, third = (number_of(figures.read(each, by)) for each in found)
    low, high = sorted((one, other))
    if low == high:
        return "third" if third == low else "pair"
    if high == low + 1:
        return "sequence" if third in (low - 1, high + 1) else "neighbours"
    return "between" if low < third < high else "outside"


def _path(figures: Figures, found: list[Value], _: Outcome, by: str) -> Value:
    """Return of Bet'Win the dealer's two cards, and a player's; a joker is below a number, and above a face, which
    the second card says.
    """
    if len(found) != 3:  # the dealer's two cards, and the player's
        return ""
    worths = [figures.read(each, by) for each in found]
    dealer = [number_of(each) for each in worths[:2] if each != ""]
    if not dealer:
        return "win"
    joker = 0 if dealer[-1] <= 5 else 11  # the number 5 is the last one
    one, other, player = (joker if each == "" else number_of(each) for each in worths)
    low, high = sorted((one, other))
    return "win" if low <= player < high or low == player == high else "lose"


def _ahead(_: Figures, found: list[Value], __: Outcome) -> Value:
    """Return who has the first point, who has three first, and the last one."""
    three = next((each for at, each in enumerate(found) if found[: at + 1].count(each) == 3), None)
    return "" if three is None else f"{found[0]}{three}{found[-1]}"


LEAVES: Mapping[str, Callable[..., Value]] = {
    "value": _value,
    "word": _word,
    "sum": _sum,
    "tally": _tally,
    "length": _length,
    "points": _points,
    "duel": _duel,
    "distinct": _distinct,
    "most": _most,
    "done": _done,
    "hand": _hand,
    "hundredths": _hundredths,
    "inorder": _inorder,
    "match": _match,
    "beyond": _beyond,
    "between": _between,
    "path": _path,
    "ahead": _ahead,
    "lit": _lit,
    "chain": _chain,
}
"""The kinds that look at things, by their names."""


def frozen(given: object) -> Given:
    """Return a figure out of JSON: hashable."""
    return tuple(map(frozen, given)) if isinstance(given, list) else given


def names_of(figures: Iterable[Figure]) -> set[str]:
    """Return the places that figures look at."""
    return {part[1] for figure in figures for leaf in leaves(figure) for part in selected(leaf[1])}
