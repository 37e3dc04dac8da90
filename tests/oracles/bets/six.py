"""What bets pay, by a second reading of the regulation: nothing here is shared with ``games.bets``.

Every function takes a bet's words, what was drawn, and a stake; it returns the whole payment.
"""

from __future__ import annotations

from fractions import Fraction

ORDER = "23456789JQKA"
HIGH = dict(zip(ORDER, ["1.09", "1.2", "1.33", "1.5", "1.71", "2", "2.4", "3", "4", "6", "12", None], strict=True))
LOW = dict(zip(ORDER, [None, "12", "6", "4", "3", "2.4", "2", "1.71", "1.5", "1.33", "1.2", "1.09"], strict=True))


def hi_lo(words: list[str], card: str, color: str | None, stake: int, previous: str = "") -> Fraction:
    """``card`` is one character, ``*`` for the Joker."""
    factor: str | None = "0"
    match words:
        case ["hi"] if card != "*" and ORDER.index(card) > ORDER.index(previous):
            factor = HIGH[previous]
        case ["lo"] if card != "*" and ORDER.index(card) < ORDER.index(previous):
            factor = LOW[previous]
        case ["2-9"] if card in "23456789":
            factor = "1.5"
        case ["J-A"] if card in "JQKA":
            factor = "3"
        case ["K-A"] if card in "KA":
            factor = "6"
        case ["card", named] if named == card:
            factor = "12"
        case ["joker"] if card == "*":
            factor = "24"
        case ["red" | "black" as named] if named == color:
            factor = "2"
    return stake * Fraction(factor or "0")


def sic_bo(words: list[str], dice: tuple[int, ...], stake: int) -> int:
    """A winning bet with odds n:1 pays n + 1 stakes."""
    a, b, c = sorted(dice)
    name, numbers = words[0], [int(word) for word in words[1:] if word.isdecimal()]
    odds = 0
    if name in ("small", "big") and a != c:
        odds = int((4 <= a + b + c <= 10) if name == "small" else (11 <= a + b + c <= 17))
    elif name == "triple":
        odds = 180 * (a == b == c == numbers[0])
    elif name == "any":
        odds = 30 * (a == b == c)
    elif name == "pair":
        odds = 10 * ((a == b == numbers[0]) or (b == c == numbers[0]))
    elif name == "sum" and a + b + c == numbers[0]:
        from_the_end = min(numbers[0], 21 - numbers[0])
        odds = [60, 30, 17, 12, 8, 6, 6][from_the_end - 4]
    elif name == "combination":
        odds = 5 * any({x, y} == set(numbers) for x, y in ((a, b), (b, c), (a, c)))
    elif name == "number":
        odds = (a == numbers[0]) + (b == numbers[0]) + (c == numbers[0])
    return stake * (odds + 1) if odds else 0


GOAL = ["YBYBYBYB", "BYBYBYBY", "YBYBYBYB"]


def penalty(words: list[str], end: int | str, stake: int) -> int:
    """``end`` is a sector, ``bar`` or ``failure``."""
    place = divmod(end - 1, 8) if isinstance(end, int) else None
    match words:
        case ["sector", number]:
            return stake * 24 * (end == int(number))
        case ["bar" | "failure" as named]:
            return stake * 24 * (end == named)
        case ["yellow" | "blue" as color]:
            return stake * 2 * (place is not None and GOAL[place[0]][place[1]] == color[0].upper())
        case [row, "row"]:
            return stake * 3 * (place is not None and ["upper", "middle", "bottom"][place[0]] == row)
    raise AssertionError(words)


def keno_winners(words: list[str]) -> set[int]:
    """The numbers that win."""
    name, _, text = " ".join(words).partition(" ")
    numbers = [int(each) for each in text.split("-")]
    first, last = numbers[0], numbers[-1]
    return {
        drawn
        for drawn in range(1, 101)
        if {
            "lower": drawn <= first,
            "higher": drawn >= first,
            "range": first <= drawn <= last,
            "outside": drawn <= first or drawn >= last,
        }[name]
    }


def keno_express(words: list[str], drawn: int, stake: int) -> Fraction:
    """96 % of the fair odds, truncated to two decimals."""
    winners = keno_winners(words)
    odds = f"{96 / len(winners) + 1e-9:.9f}"
    return stake * Fraction(odds[: odds.index(".") + 3]) * (drawn in winners)


def cash_out(words: list[str], multiplier: int, stake: int) -> Fraction:
    """``multiplier`` in hundredths."""
    total = Fraction(0)
    for name, at in zip(words[::2], words[1::2], strict=True):
        part = Fraction(stake, 2) if words[0] == "half" else Fraction(stake)
        assert name in ("half", "cashout")
        total += part * Fraction(at) if Fraction(multiplier, 100) >= Fraction(at) else 0
    return total
