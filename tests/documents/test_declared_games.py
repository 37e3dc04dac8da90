"""SPEC 3.6 to 3.8 are the interpreter's: their examples give these outcomes, their tables its kinds, packs and
deals.
"""

from __future__ import annotations

import json
import re

import pytest

from fairness import limits
from fairness.draws.stream import Stream, context
from fairness.hashing import leaf_hash, sha256
from games.declared import kinds
from games.declared.deals import DEALS
from games.declared.declaration import Declaration
from games.declared.packs import PACKS
from tests.support.spec_page import blocks, rows, section

EXAMPLES = [json.loads(line) for line in blocks("3.6", "json")[0].splitlines()]


def spelled(value: object) -> bytes:
    """As a record has it."""
    return json.dumps(value, sort_keys=True, separators=(",", ":")).encode()


@pytest.mark.parametrize("example", EXAMPLES, ids=range(len(EXAMPLES)))
def test_the_examples_have_their_outcomes(example: dict[str, dict[str, int]]) -> None:
    """With the stream of round 2 of section 1."""
    table, batch = (leaf_hash(line) for line in blocks("1")[0].encode().splitlines()[:2])
    seed = sha256(b"an example, not a secret")
    for number in (4, 3):
        seed = sha256(b"foredraw/v1/seed\0" + table + number.to_bytes(8, "big") + seed)
    declaration = Declaration.parse(spelled(example["declaration"]))
    declaration.check_rules(example["rules"])
    assert declaration.outcome(Stream([seed], context(batch), 2), example["rules"]) == example["outcome"]


def test_the_examples_show_every_kind_that_the_catalogue_does_not() -> None:
    """And the three at the beginning are declarations."""
    used = {step[1] for example in EXAMPLES for step in json.loads(spelled(example["declaration"]))["draw"]}
    assert used | {"race"} == {*kinds.NAMES}
    shown = re.findall(r"^    (\{.*)$", section("3.6"), re.MULTILINE)
    assert len(shown) == 3
    assert [Declaration.parse(text.encode()).text.decode() for text in shown] == shown


def test_the_tables_list_all_kinds_packs_and_deals() -> None:
    """Each once; the sizes of packs, the places of deals and what they count are the code's."""
    assert [row[0].strip("`") for row in rows(section("3.7"))] == [*kinds.NAMES]
    packs = [row for row in rows(section("3.8")) if len(row) == 2]
    assert {row[0].strip("`"): int(row[1].split(":")[0]) for row in packs} == {
        name: len(things) for name, things in PACKS.items()
    }
    listed = {row[0].strip("`"): row[1:] for row in rows(section("3.8")) if len(row) == 5}
    assert listed.keys() == DEALS.keys()
    for name, (needs, places, draws, size) in listed.items():
        deal = DEALS[name]
        assert re.findall(r"`([^`]+)`", needs) == [each for each in (deal.pack, deal.parameter) if each]
        assert re.findall(r"`([^`]+)`", places) == list(deal.places)
        assert (draws, size) == (("n", f"{deal.size} + 3n") if deal.is_whole else (str(deal.draws), str(deal.size)))


def test_the_limits_are_the_codes() -> None:
    """Section 3.6 names each number."""
    text = section("3.6")
    for limit in (
        limits.LARGEST_DECLARATION,
        limits.MOST_STEPS,
        limits.MOST_PARAMETERS,
        limits.LARGEST_PILE,
        limits.MOST_DRAWS,
        limits.LARGEST_OUTCOME,
        limits.LONGEST_LABEL,
    ):
        assert re.search(rf"\b{limit:,}\b", text), limit
    assert f"at most {limits.DEEPEST_DECLARATION} deep" in text
