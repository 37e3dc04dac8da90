"""The JSON Schema of each game's outcomes: what is drawn is valid, and what is changed is not."""

from __future__ import annotations

import itertools
import json
import random
import subprocess
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from fairness.draws.game import Rules, RulesRefused
from fairness.draws.stream import Stream
from fairness.errors import Malformed
from games.declared.catalogue import catalogue
from games.declared.declaration import Declaration
from games.declared.kinds import NAMES
from games.declared.parameters import Parameters
from games.outcome_schema import outcome_schema
from games.outcome_schema.patterns import decimals_up_to, word_of, words
from tests.support.declarations import Json, declarations, rules_of, spelled

LISTED = {each.game: each.declaration for each in catalogue()}
ROUNDS, A_FEW = 2000, 25

FREE: dict[str, set[str]] = {
    "baccarat": {"banker", "player"},
    "punto-banco": {"banker", "player"},
    "twenty-one-bet": {"first", "second"},
    "andar-bahar": {"andar", "bahar"},
    "thirty-two-cards": {"player-8", "player-9", "player-10", "player-11"},
    "monopoly-live": {"dice"},
    "dream-catcher": {"spins"},
    "lotto": {"balls"},
    "numbers": {"numbers"},
    "slot": {"stops"},
}
"""Places whose number of things nothing else in the outcome tells; `test_numbers_of_things_have_their_limits` has
these limits.
"""


def rules_by_chance(parameters: Parameters, chance: random.Random) -> dict[str, int]:
    """Rules within the ranges of a game, the ends of the ranges more often than others."""

    def chosen(low: int, high: int) -> int:
        return chance.choice((low, high, chance.randint(low, high)))

    rules = {"version": 1} | {key: chosen(*bounds) for key, bounds in parameters.plain.items()}
    for prefix, (size, bounds) in parameters.families.items():
        rules |= {f"{prefix}{number}": chosen(*bounds) for number in range(1, rules[size] + 1)}
    return rules


def drawn(declaration: Declaration, rounds: int) -> Iterator[dict[str, Any]]:
    """Outcomes under rules of all kinds."""
    chance = random.Random(declaration.text)
    for number in range(1, rounds + 1):
        rules: Rules = rules_by_chance(declaration.parameters, chance)
        try:
            declaration.check_rules(rules)
        except RulesRefused:
            continue
        yield dict(declaration.outcome(Stream([bytes(32)], bytes(32), number), rules))


def validator(declaration: Declaration) -> Draft202012Validator:
    """Of the game's schema, which is one."""
    schema = outcome_schema(declaration)
    Draft202012Validator.check_schema(schema)
    return Draft202012Validator(schema)


def check_drawn(game: str, rounds: int) -> None:
    """Check that outcomes of a game are valid, and that there were some."""
    valid = validator(LISTED[game])
    outcomes = list(drawn(LISTED[game], rounds))
    assert len(outcomes) >= rounds / 5
    for outcome in outcomes:
        valid.validate(outcome)


def things(value: Any) -> list[Any]:  # noqa: ANN401 -- any place of an outcome
    """The things of a place."""
    return list(value) if isinstance(value, list) else str(value).split(" ") if value else []


def put_back(value: Any, changed: list[Any]) -> Any:  # noqa: ANN401 -- any place of an outcome
    """Things as the place has them."""
    return changed if isinstance(value, list) else " ".join(changed)


def with_other_things(outcome: dict[str, Any], place: str) -> Iterator[dict[str, Any]]:
    """With something in the place that the game does not have."""
    value = outcome[place]
    if isinstance(value, int):
        others: list[object] = [-1, 2**53, str(value), [value], None, True]
    else:
        odd = [-1, 2**53, "2"] if isinstance(value, list) else ["Zz", "ah", "10c", " ", "0.99"]
        others = [7, None, {}]
        for at, other in ((at, other) for at in range(len(things(value))) for other in odd):
            changed = things(value)
            changed[at] = other
            others.append(put_back(value, changed))
        others += [f" {value}", f"{value} ", [value]] if isinstance(value, str) else [[value]]
    yield from ({**outcome, place: other} for other in others)


def with_other_counts(outcome: dict[str, Any], place: str) -> Iterator[dict[str, Any]]:
    """With one thing more in the place, one that it has; and with one less."""
    value = outcome[place]
    if isinstance(value, int) or not things(value):
        return
    yield {**outcome, place: put_back(value, [*things(value), things(value)[0]])}
    yield {**outcome, place: put_back(value, things(value)[:-1])}


@pytest.mark.parametrize("game", LISTED)
def test_what_is_drawn_is_valid(game: str) -> None:
    """A few rounds under rules of all kinds."""
    check_drawn(game, A_FEW)


@pytest.mark.nightly("thousands of outcomes of all games")
@pytest.mark.parametrize("game", LISTED)
def test_all_that_is_drawn_is_valid(game: str) -> None:
    """Thousands of rounds under rules of all kinds."""
    check_drawn(game, ROUNDS)


@pytest.mark.parametrize("game", LISTED)
def test_what_is_changed_is_not_valid(game: str) -> None:
    """One card more or less, a number outside, a card of another pack, a place more or less."""
    valid = validator(LISTED[game])
    for outcome in list(drawn(LISTED[game], 10))[:3]:
        for place in outcome:
            changed = [*with_other_things(outcome, place), {key: outcome[key] for key in outcome if key != place}]
            if place not in FREE.get(game, ()):
                changed += with_other_counts(outcome, place)
            for other in changed:
                assert not valid.is_valid(other), (place, other)
        assert not valid.is_valid({**outcome, "another": 1})
        assert not valid.is_valid([outcome])


HANDS = dict.fromkeys((f"player-{player}" for player in (9, 10, 11)), "6c")


@pytest.mark.parametrize(
    ("game", "place", "others", "least", "most"),
    [
        ("baccarat", "banker", {"player": "2c 2c"}, 2, 3),
        ("punto-banco", "player", {"banker": "2c 2c"}, 2, 3),
        ("twenty-one-bet", "first", {"second": "6c 6c"}, 2, 5),
        ("andar-bahar", "andar", {"joker": "2c", "first": "andar", "bahar": ""}, 1, 25),
        ("andar-bahar", "bahar", {"joker": "2c", "first": "andar", "andar": "2d"}, 0, 25),
        ("thirty-two-cards", "player-8", HANDS, 1, 100),
        ("table-tennis", "points", {}, 7, 17),
        ("lotto", "balls", {}, 1, 80),
        ("numbers", "numbers", {}, 1, 64),
        ("slot", "stops", {}, 1, 8),
    ],
)
def test_numbers_of_things_have_their_limits(
    game: str, place: str, others: dict[str, str], least: int, most: int
) -> None:
    """From the fewest to the most that there can be; of hands that go on as long as players are tied, the fewest."""
    valid = validator(LISTED[game])
    for number in range(min(most + 3, 100)):
        numbers = game in ("lotto", "numbers", "slot")
        having = list(range(1, number + 1)) if numbers else "A" * number if game == "table-tennis" else cards(number)
        assert valid.is_valid({**others, place: having}) is (least <= number <= most), number


def cards(number: int) -> str:
    """So many sixes."""
    return " ".join(["6c"] * number)


def test_dice_of_monopoly_follow_the_spin() -> None:
    """None without rolls, and two for each roll at least."""
    valid = validator(LISTED["monopoly-live"])
    for spins, dice, expected in (
        *(("10", 0, True), ("chance chance 10", 0, True), ("10", 2, False)),
        *(("2-rolls", 4, True), ("chance 2-rolls", 6, True), ("2-rolls", 2, False)),
        *(("4-rolls", 8, True), ("4-rolls", 6, False), ("chance", 0, False), ("10 chance", 0, False)),
    ):
        assert valid.is_valid({"spins": spins, "dice": [1] * dice}) is expected


@pytest.mark.parametrize("cap", [101, 110, 150, 999, 1000, 1001, 5000, 12345, 99999, 1_000_000, 10**9])
def test_a_multiplier_goes_up_to_its_cap(cap: int) -> None:
    """All hundredths up to the cap, none beyond it, and one spelling."""
    valid = Draft202012Validator({"pattern": decimals_up_to(cap)})
    tried = {
        *range(1300),
        *range(cap - 1200, cap + 1200),
        *(10**power + step for power in range(11) for step in (-1, 0, 1)),
    }
    for hundredths in tried:
        if hundredths >= 0:
            text = f"{hundredths // 100}.{hundredths % 100:02}"
            assert valid.is_valid(text) is (100 <= hundredths <= cap), text
    assert not any(valid.is_valid(text) for text in ("01.00", "1", "1.0", "1.000", "1,00", "1x00", "-1.00", " 1.00"))


def test_words_are_what_they_say() -> None:
    """From fewest to most, in blocks; a label has no meaning in a pattern."""
    odd = ["a.b", "c+", "[d]", "^e$", "f|g", "(h)", "{i}", "j*", "k?", "l/m", "-", "#", "~", "&&"]
    for least, most, times in (
        (0, 0, 1),
        (0, 2, 1),
        (1, 1, 1),
        (2, 4, 1),
        (1, 3, 5),
        (2, 2, 3),
        (0, 2, 2),
        (1, None, 1),
    ):
        valid = Draft202012Validator({"pattern": words(word_of(odd), least, most, times=times)})
        for number in range(20):
            expected = number % times == 0 and least <= number // times <= (20 if most is None else most)
            assert valid.is_valid(" ".join((odd * 2)[:number])) is expected, (least, most, times, number)
    valid = Draft202012Validator({"pattern": f"^{word_of(odd)}$"})
    assert not any(
        valid.is_valid(word) for word in ("axb", "cc", "d", "e", "f", "h", "i", "jj", "lm", "a.b ", "a.bc+")
    )


def test_places_of_one_count_agree_and_cost_little() -> None:
    """Sixty places of one count, of hundreds of words: a schema for each two of them was tens of megabytes."""
    pack = [f"{first}{second}" for first in "+*.?|(){}[]^$/" for second in "+*.?|(){}[]^$/abcdefghijklmnopqrstuvwxyz"]
    draw: Json = [[f"p{place}", "take", "c"] for place in range(60)]
    declaration = Declaration.parse(spelled({"draw": draw, "rules": {"c": [0, 8]}, "shoe": [1, pack]}))
    assert len(json.dumps(outcome_schema(declaration))) < 1_000_000
    for draw in (
        [["a", "take", "c"], ["b", "take", "c", 2], ["d", "take", "c"]],
        [["a", "take", "c"], ["b", "take", "c", 2], ["d", "take", "a"]],
        [["a", "take", [0, 2]], ["b", "take", "a", 2], ["d", "take", "a"]],
    ):
        rules = {"rules": {"c": [0, 2]}} if "c" in json.dumps(draw) else {}
        valid = validator(Declaration.parse(spelled({"draw": draw, "shoe": [8, ["x.", "y"]], **rules})))
        for counts in itertools.product(range(5), repeat=3):
            outcome = {place: " ".join(["x."] * count) for place, count in zip("abd", counts, strict=True)}
            first, second, third = counts
            assert valid.is_valid(outcome) is (first <= 2 and second == 2 * first and third == first), counts


@pytest.mark.nightly("a schema for each of many declarations")
@given(st.data())
def test_what_random_declarations_draw_is_valid(data: st.DataObject) -> None:
    """Kinds in any combination, counts by parameters, by places and by chance."""
    value: Json = data.draw(declarations())
    rules = data.draw(rules_of(value))
    try:
        declaration = Declaration.parse(spelled(value))
        declaration.check_rules(rules)
    except (Malformed, RulesRefused):
        return
    outcome = declaration.outcome(Stream([bytes(32)], bytes(32), data.draw(st.integers(1, 1000))), rules)
    valid = validator(declaration)
    valid.validate(outcome)
    assert not valid.is_valid({**outcome, "another": 1})


def test_every_kind_has_its_schema() -> None:
    """Those of which the catalogue has no game as well."""
    asked = {str(step[1]) for each in LISTED.values() for step in json.loads(each.text)["draw"]}
    assert asked == set(NAMES)


_IN_NODE = """
const [schemas, outcomes] = JSON.parse(require("fs").readFileSync(0, "utf-8"));
const wrong = [];
schemas.forEach((schema, at) => {
  for (const [place, { pattern }] of Object.entries(schema.properties)) {
    if (pattern === undefined) continue;
    const found = new RegExp(pattern, "u");
    for (const outcome of outcomes[at]) {
      if (!found.test(outcome[place]) || found.test(`${outcome[place]} Zz`)) wrong.push([pattern, outcome[place]]);
    }
  }
});
console.log(JSON.stringify(wrong));
"""


def test_javascript_reads_the_patterns_alike() -> None:
    """In Unicode mode, as JSON Schema asks for: what is escaped there without need is an error."""
    odd = Declaration.parse(spelled({"draw": [["p", "take", 2]], "shoe": [1, ["a-b", "#", "~/", "{c}", "d.e"]]}))
    every = [*LISTED.values(), odd]
    given = json.dumps([[outcome_schema(each) for each in every], [list(drawn(each, 5)) for each in every]])
    ran = subprocess.run(
        ["node", "-e", _IN_NODE], input=given, capture_output=True, text=True, check=True, timeout=60
    )
    assert json.loads(ran.stdout) == []
