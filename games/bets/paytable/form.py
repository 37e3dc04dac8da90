"""The form of a paytable: every word, and every limit, by the file and its declaration alone
(docs/paytable-format.md).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from itertools import count, islice
from math import prod

from fairness.errors import Unknown
from fairness.limits import LARGEST_INTEGER, MOST_COST, MOST_LETTERS, MOST_OPTIONS, MOST_TABLES
from games.bets.paytable.context import LONGEST_TEXT, Context, Letters, items, keys, plain_text, text
from games.bets.paytable.spelling import refuse
from games.bets.paytable.words import steps_of
from games.bets.values import Given
from games.declared.declaration import Declaration

_CAPITAL = re.compile(r"\b([A-Z])\b")
_PART = re.compile(r"[a-z]{1,16}")
_MOST_CHOSEN, _MOST_NUMBERS, _MOST_AFTER, _MOST_RETURN = 64, 10_000, 64, 10_000
_RALLIES, _MOST_OF_RALLY = 10_000, 1_000
_CASH_OUTS: list[Given] = [101]
"""What a letter of hundredths may stand for: an example, which no other choice has as its own."""
_OF_RACE = ("value", "done", "inorder")
_ORDER = re.compile(r"order (?:1-)?([1-9][0-9]?)")


def check(given: object, declaration: Declaration) -> int:
    """Return the steps to settle one bet. Raises `Malformed` for what is no paytable of such a game, and `Unknown`
    for one with a word that is new.
    """
    found = keys(given, "a paytable", {"options"}, {"tables"})
    tables = found.get("tables", {})
    for name, table in _object(tables, "tables", 1 if "tables" in found else 0, MOST_TABLES).items():
        plain_text(name)
        _check_table(table)
    context = Context.of(declaration, tables)
    options = items(found["options"], "options", most=MOST_OPTIONS)
    read, settled = zip(*(_steps_of_option(each, context) for each in options), strict=True)
    steps: int = sum(read) + max(settled)
    if steps > MOST_COST:
        refuse(f"at most {MOST_COST} steps to settle a bet", steps)
    if context.unknown:
        raise Unknown(sorted(set(context.unknown)))
    return steps


def _object(given: object, what: str, least: int, most: int) -> dict[str, Given]:
    if not isinstance(given, dict) or not least <= len(given) <= most:
        refuse(f"{what}: an object of {least} to {most}", given)
    return given


def _check_table(given: object) -> None:
    found = _object(given, "a table", 1, 1)
    ((key, values),) = found.items()
    if key not in ("thing", "rank", "suit"):
        refuse("a table by thing, rank or suit", key)
    for name, value in _object(values, "a table", 1, 4096).items():
        text(name)
        _value(value)


def _value(given: object) -> None:
    if type(given) is not int and (not isinstance(given, str) or len(given) > LONGEST_TEXT):
        refuse(f"a number, or at most {LONGEST_TEXT} characters", given)


def _steps_of_option(given: object, context: Context) -> tuple[int, int]:
    """Count the steps to read a text as a bet of this option or not; and to settle such a bet."""
    is_after = isinstance(given, dict) and "after" in given
    needed = {"form", "figure"} | ({"after"} if is_after else {"pays"})
    found = keys(given, "an option", needed, set() if is_after else {"choices", "given", "lasts"})
    letters, read = _letters(text(found["form"]), found.get("choices"), context)
    steps = steps_of(found["figure"], letters)
    if is_after:
        return read, steps + _after(found["after"], letters)
    pays = items(found["pays"], "pays", most=64)
    steps += sum(_prize(each, letters, found, alone=len(pays) == 1) for each in pays)
    if "given" in found:
        known, values = items(found["given"], "given: a figure and values", least=2, most=2)
        steps += steps_of(known, letters) + letters.values(values)
    if "lasts" in found:
        lasts = keys(found["lasts"], "lasts", {"loses"}, {"as"})
        steps += letters.values(lasts["loses"])
        text(lasts.get("as", "-"))
    return read, steps


def _letters(form: str, choices: object, context: Context) -> tuple[Letters, int]:
    """Return the letters in their order, each of which may be bounded by those before it."""
    left = dict(_object(choices, "choices", 1, MOST_LETTERS)) if choices is not None else {}
    samples: dict[str, list[Given]] = {}
    read = 1
    for letter in _CAPITAL.findall(form):
        if letter in samples:
            refuse("each letter once in its form", form)
        if letter in left:  # others are words of their own
            samples[letter], steps = _choice(left.pop(letter), Letters(context, samples))
            read += steps
    if left:
        refuse("letters that stand in the form, alone", sorted(left))
    return Letters(context, samples), read


def _choice(given: object, letters: Letters) -> tuple[list[Given], int]:
    """Return what a letter may stand for; the steps to read its word."""
    if isinstance(given, list):
        _ends(given, letters)
        return [1], 1
    found = _object(given, "a choice", 1, 3)
    if "words" in found:
        keys(found, "words", {"words"}, set())
        return _words(_object(found["words"], "words", 1, 4096))
    if "hundredths" in found:
        keys(found, "hundredths", {"hundredths"}, set())
        _ends(found["hundredths"], letters)
        return _CASH_OUTS, 1
    if "choose" in found:
        keys(found, "choose", {"choose", "of"}, {"order"})
        _ends(found["of"], letters)
        number = found["choose"]
        if type(number) is not int or not 0 < number <= _MOST_CHOSEN or found.get("order", 1) != 1:
            refuse(f"choose: 1 to {_MOST_CHOSEN} numbers, and order 1 or none", found)
        return [list(range(1, number + 1))], number
    letters.context.unknown.append(f"the choice {text(min(found))}")
    return [1], 1


def _ends(given: object, letters: Letters) -> None:
    for each in items(given, "a range: low, high", least=2, most=2):
        letters.bound(each)


def _words(found: Mapping[str, Given]) -> tuple[list[Given], int]:
    for word, meaning in found.items():
        text(word)
        if isinstance(meaning, dict):
            for part, value in _object(meaning, "parts", 1, 16).items():
                if not _PART.fullmatch(part):
                    refuse("a part's name: 1 to 16 characters of a-z", part)
                _value(value)
        else:
            for value in meaning if isinstance(meaning, list) else [meaning]:
                _value(value)
    return list(found.values()), len(found)


def _after(given: object, letters: Letters) -> int:
    found = keys(given, "after", {"by", "place", "skip"}, set())
    letters.selection(text(found["place"]))
    for each in items(found["skip"], "skip", least=0, most=_MOST_AFTER):
        text(each)
    steps = []
    for card, prize in _object(found["by"], "by", 1, _MOST_AFTER).items():
        text(card)
        values, odds = items(prize, "a prize: values and odds", least=2, most=2)
        _check_odds(odds, letters)
        steps.append(letters.values(values))
    return max(steps)


def _prize(given: object, letters: Letters, option: Mapping[str, Given], *, alone: bool) -> int:
    values, odds = items(given, "a prize: values and odds", least=2, most=2)
    steps = letters.values(values)
    if isinstance(odds, dict):
        for word, each in _object(odds, "odds by words", 1, 4096).items():
            text(word)
            _check_odds(each, letters)
        return steps
    if isinstance(odds, list) and odds and odds[0] == "returns":
        if not alone:
            refuse("one prize, where a chance gives the odds", odds)
        return steps + _chance(odds, letters, option, steps)
    _check_odds(odds, letters)
    return steps


def _check_odds(given: object, letters: Letters) -> None:
    word, amount, *value = items(given, "odds", least=2, most=3)
    if word == "returns":
        refuse("a chance without words, in an option's pays", given)
    if word not in ("to", "times"):
        letters.context.unknown.append(f"the odds {text(word)}")
        return
    if value not in ([], ["value"]):
        refuse("value, or no third word", value)
    if isinstance(amount, dict):
        for letter, by in _object(amount, "letters over numbers", 1, MOST_LETTERS).items():
            if letters.samples.get(letter) is not _CASH_OUTS or type(by) is not int or not by:
                refuse("letters of cash-outs, each over a number from 1", amount)
        return
    numbers = amount if isinstance(amount, list) and len(amount) == 2 else [amount]  # a fraction
    if any(type(each) is not int for each in numbers) or numbers[1:] == [0]:
        refuse("hundredths, or a fraction of two numbers", amount)
    if numbers[0] > LARGEST_INTEGER // 100:
        refuse("odds below 2^53 hundredths, a hundredth of that as a fraction", amount)


def _chance(given: list[Given], letters: Letters, option: Mapping[str, Given], values: int) -> int:
    """Return what a chance that is found when a bet is read costs."""
    _, returned, word, *arguments = items(given, "returns", least=3, most=6)
    if type(returned) is not int or not 0 < returned <= _MOST_RETURN:
        refuse(f"1 to {_MOST_RETURN} basis points", returned)
    if word == "numbers":
        low, high = items(arguments, "numbers: low, high", least=2, most=2)
        if type(low) is not int or type(high) is not int or not 0 <= high - low < _MOST_NUMBERS:
            refuse(f"numbers: at most {_MOST_NUMBERS}, from low to high", arguments)
        return (high - low + 1) * values
    if word == "left":
        for each in items(arguments, "left: how many win, the next place, the last place", least=3, most=3):
            letters.bound(each)
        return 1
    if word in ("race", "points"):
        if arguments or word not in letters.context.drawn:
            refuse(f"{word}: no argument, and a declaration that draws it", given)
        figure = option["figure"]
        return _orders(figure, letters.context.parameters["runners"]) if word == "race" else _rallies(figure, letters)
    letters.context.unknown.append(f"the chance {text(word)}")
    return 0


def _rallies(figure: Given, letters: Letters) -> int:
    steps = steps_of(figure, letters)
    if steps > _MOST_OF_RALLY:
        refuse(f"points: a figure of at most {_MOST_OF_RALLY} steps", steps)
    return _RALLIES


def _orders(figure: list[Given], runners: int) -> int:
    match = _ORDER.fullmatch(figure[1]) if figure[0] in _OF_RACE and isinstance(figure[1], str) else None
    if match is None:
        refuse(f"race: one of the figures {', '.join(_OF_RACE)} of the first runners", figure)
    return prod(islice(count(runners, -1), min(int(match[1]), runners)))
