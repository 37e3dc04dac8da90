"""Lies in the record of a round's reveal: its seeds, its outcome, and how it ended."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from fairness.checks import Check
from fairness.draws.seed_chain import previous_seed
from fairness.draws.stream import Stream, context
from fairness.hashing import sha256
from games import GAMES
from tests.lies import Lie, changed, misplaced
from tests.support.dishonest_operator import ABSENT, Operator

RANDOM_SEED = sha256(b"a seed of no chain").hex()


def _locked(operator: Operator, name: str = "keno-1") -> Operator:
    operator.lock(name)
    return operator


def _given_up(operator: Operator) -> Operator:
    operator.give_up("keno-1")
    return operator


def _seeds(operator: Operator, name: str, number: int) -> list[str]:
    return [seed.hex() for seed in operator.tables[name].seeds_of(number)]


END_LIES: list[Lie] = [
    misplaced("a reveal of a round that is not locked", Check.REVEAL_LOCKED, lambda op: op.reveal("keno-1", round=6)),
    misplaced("a round revealed twice", Check.REVEAL_LOCKED, lambda op: op.reveal("keno-1")),
    misplaced("a reveal written twice", Check.REVEAL_LOCKED, lambda op: op.play("keno-1").append(op.records[-1])),
    changed("the next round revealed", Check.REVEAL_LOCKED, lambda op: _locked(op).reveal("keno-1", round=7)),
    changed("the round before revealed", Check.REVEAL_LOCKED, lambda op: _locked(op).reveal("keno-1", round=5)),
    changed("another round voided", Check.REVEAL_LOCKED, lambda op: _locked(op).void("keno-1", round=7)),
    changed("a reveal of round 0", Check.RECORD_FORM, lambda op: _locked(op).reveal("keno-1", round=0)),
    changed("a reveal of 2 to the 48th", Check.RECORD_FORM, lambda op: _locked(op).reveal("keno-1", round=1 << 48)),
    changed("an unknown status", Check.RECORD_FORM, lambda op: _locked(op).reveal("keno-1", status="lost")),
    changed(
        "a given-up round played", Check.REVEAL_GIVEN_UP, lambda op: _given_up(op).reveal("keno-1", status="played")
    ),
    changed(
        "a given-up round played, with a reason",
        Check.REVEAL_GIVEN_UP,
        lambda op: _given_up(op).reveal("keno-1", status="played", reason="it came after all"),
    ),
    changed("void without a reason", Check.REVEAL_REASON, lambda op: _locked(op).void("keno-1", reason=ABSENT)),
    changed(
        "played with a reason", Check.REVEAL_REASON, lambda op: _locked(op).reveal("keno-1", reason="all went well")
    ),
    changed(
        "a given-up round with a second reason",
        Check.REVEAL_REASON,
        lambda op: _given_up(op).reveal("keno-1", reason="another one"),
    ),
    changed("void with an empty reason", Check.RECORD_FORM, lambda op: _locked(op).void("keno-1", reason="")),
    changed(
        "void with a reason of 201 characters",
        Check.RECORD_FORM,
        lambda op: _locked(op).void("keno-1", reason="x" * 201),
    ),
]


def _outcome_of(operator: Operator, seed: str) -> object:
    """The outcome of a false seed in the current round of crash, which is not the last of its batch."""
    table = operator.tables["crash-1"]
    batch = table.batches[0]
    return GAMES["crash"].outcome(Stream([bytes.fromhex(seed)], context(batch.batch_id), table.round), table.rules)


def _other_bit(seeds: list[str]) -> list[str]:
    return [*seeds[:-1], f"{int(seeds[-1], 16) ^ 1:064x}"]


def _reused_chain(operator: Operator) -> object:
    """Commit the anchors of batch 1 again, and reveal its seeds again."""
    table = operator.tables["keno-1"]
    seeds = table.seeds_of(1)
    anchors = [previous_seed(seed, table_id=table.table_id, round_number=1).hex() for seed in seeds]
    operator.batch("keno-1", 4, anchors=anchors)
    operator.batch("keno-1", 4)
    operator.play("keno-1", 7)
    return _locked(operator).reveal("keno-1", seeds=[seed.hex() for seed in seeds])


def _chain_of_another_table(operator: Operator) -> object:
    """Commit a chain that was made for another table, as its first seed shows."""
    operator.batch("keno-1", 4, chained_for="crash-1")
    operator.batch("keno-1", 4)
    operator.play("keno-1", 7)
    return _locked(operator).reveal("keno-1")


def _first_of_a_batch(operator: Operator, **lies: object) -> object:
    """The reveal of round 9, the first of batch 3."""
    operator.play("keno-1", 3)
    return _locked(operator).reveal("keno-1", **lies)


def _false_anchors(operator: Operator) -> object:
    operator.batch("keno-1", 4, anchors=[RANDOM_SEED, sha256(b"another").hex()])
    operator.batch("keno-1", 4)
    operator.play("keno-1", 7)
    return _locked(operator).reveal("keno-1")


SEED_LIES: list[Lie] = [
    changed("a seed too few", Check.SEED_COUNT, lambda op: _locked(op).reveal("keno-1", seeds=lambda two: two[:1])),
    changed(
        "a seed too many",
        Check.SEED_COUNT,
        lambda op: _locked(op).reveal("keno-1", seeds=lambda two: [*two, RANDOM_SEED]),
    ),
    changed("no seeds", Check.RECORD_FORM, lambda op: _locked(op).reveal("keno-1", seeds=[])),
    changed("nine seeds", Check.RECORD_FORM, lambda op: _locked(op).reveal("keno-1", seeds=[RANDOM_SEED] * 9)),
    changed(
        "a seed of no chain, with its own outcome",
        Check.SEED_LINK,
        lambda op: _locked(op, "crash-1").reveal(
            "crash-1", seeds=[RANDOM_SEED], outcome=_outcome_of(op, RANDOM_SEED)
        ),
    ),
    changed(
        "a seed of no chain",
        Check.SEED_LINK,
        lambda op: _locked(op, "crash-1").reveal("crash-1", seeds=[RANDOM_SEED]),
    ),
    changed(
        "a false bit in the second seed", Check.SEED_LINK, lambda op: _locked(op).reveal("keno-1", seeds=_other_bit)
    ),
    changed(
        "the seeds of the next round",
        Check.SEED_LINK,
        lambda op: _locked(op).reveal("keno-1", seeds=_seeds(op, "keno-1", 7)),
    ),
    changed(
        "the seeds of the round before",
        Check.SEED_LINK,
        lambda op: _locked(op).reveal("keno-1", seeds=_seeds(op, "keno-1", 5)),
    ),
    changed(
        "a seed from another table's chain",
        Check.SEED_LINK,
        lambda op: _locked(op, "crash-1").reveal("crash-1", seeds=_seeds(op, "sic-bo-1", 3)),
    ),
    changed(
        "the custodians' seeds exchanged",
        Check.SEED_LINK,
        lambda op: _locked(op).reveal("keno-1", seeds=lambda two: two[::-1]),
    ),
    changed(
        "one custodian's seed twice",
        Check.SEED_LINK,
        lambda op: _locked(op).reveal("keno-1", seeds=lambda two: two[:1] * 2),
    ),
    changed(
        "a batch's first seed of no chain",
        Check.SEED_LINK,
        lambda op: _first_of_a_batch(op, seeds=lambda two: [two[0], RANDOM_SEED]),
    ),
    changed(
        "a batch's first round with its second seeds",
        Check.SEED_LINK,
        lambda op: _first_of_a_batch(op, seeds=_seeds(op, "keno-1", 10)),
    ),
    changed(
        "a false seed of a void round",
        Check.SEED_LINK,
        lambda op: _locked(op).void("keno-1", seeds=_other_bit),
    ),
    changed(
        "a false seed of a given-up round",
        Check.SEED_LINK,
        lambda op: _given_up(op).reveal("keno-1", seeds=_other_bit),
    ),
    changed("anchors that are no chain's", Check.SEED_LINK, _false_anchors),
    changed("a batch chained for another table", Check.SEED_LINK, _chain_of_another_table),
    changed("a chain used twice", Check.SEED_LINK, _reused_chain),
]


def _outcome(game: str, lie: object) -> Callable[[Operator], object]:
    """A table of a game reveals its first round with a false outcome."""

    def tell(operator: Operator) -> object:
        operator.table("x", game)
        operator.batch("x", 12)
        return _locked(operator, "x").reveal("x", outcome=lie)

    return tell


def _a_cent_more(outcome: dict[str, str]) -> dict[str, str]:
    whole, cents = outcome["multiplier"].split(".")
    hundredths = int(whole + cents) + 1
    return {"multiplier": f"{hundredths // 100}.{hundredths % 100:02}"}


def _other_color(outcome: dict[str, str]) -> dict[str, str]:
    return outcome | {"color": "red" if outcome["color"] == "black" else "black"}


def _next_sector(outcome: dict[str, int]) -> dict[str, int]:
    return {"sector": outcome["sector"] % 24 + 1}


def _by_one_custodian(operator: Operator) -> object:
    """The outcome that the first custodian's seed alone would give."""
    table = operator.tables["keno-1"]
    _, batch = table.batch_of(6)
    stream = Stream(table.seeds_of(6)[:1], context(batch.batch_id), 6)
    return _locked(operator).reveal("keno-1", outcome=GAMES[table.game].outcome(stream, table.rules))


def _by_other_rules(operator: Operator) -> object:
    """The outcome that a lower return to players would give."""
    table = operator.tables["crash-1"]
    stream = Stream(table.seeds_of(3), context(table.batches[0].batch_id), 3)
    return _locked(operator, "crash-1").reveal(
        "crash-1", outcome=GAMES["crash"].outcome(stream, table.rules | {"rtp": 5000})
    )


def _by_another_salt(operator: Operator) -> object:
    """The outcome that a salt would give, at a table without one."""
    table = operator.tables["crash-1"]
    salted = context(table.batches[0].batch_id, sha256(b"a salt"))
    outcome = GAMES["crash"].outcome(Stream(table.seeds_of(3), salted, 3), table.rules)
    return _locked(operator, "crash-1").reveal("crash-1", outcome=outcome)


def _renamed(outcome: dict[str, Any]) -> dict[str, Any]:
    return {"Number": outcome["number"]}


OUTCOME_LIES: list[Lie] = [
    changed("a false outcome of crash", Check.OUTCOME, _outcome("crash", _a_cent_more)),
    changed("a false outcome of rocketon", Check.OUTCOME, _outcome("rocketon", _a_cent_more)),
    changed("a false outcome of hi-lo", Check.OUTCOME, _outcome("hi-lo", _other_color)),
    changed(
        "a false outcome of sic-bo", Check.OUTCOME, _outcome("sic-bo", lambda told: {"dice": [*told["dice"][:2], 7]})
    ),
    changed("a false outcome of penalty", Check.OUTCOME, _outcome("penalty", _next_sector)),
    changed(
        "a false outcome of keno-express",
        Check.OUTCOME,
        _outcome("keno-express", lambda told: {"number": told["number"] % 100 + 1}),
    ),
    changed(
        "the dice in another order", Check.OUTCOME, _outcome("sic-bo", lambda told: {"dice": told["dice"][::-1]})
    ),
    changed("a die too few", Check.OUTCOME, _outcome("sic-bo", lambda told: {"dice": told["dice"][:2]})),
    changed("a card without its color", Check.OUTCOME, _outcome("hi-lo", lambda told: {"card": told["card"]})),
    changed("an outcome of another game", Check.OUTCOME, _outcome("crash", {"number": 37})),
    changed("an outcome with a key more", Check.OUTCOME, _outcome("crash", lambda told: told | {"color": "red"})),
    changed("an empty outcome", Check.OUTCOME, _outcome("crash", {})),
    changed("an outcome under another name", Check.OUTCOME, _outcome("keno-express", _renamed)),
    changed(
        "a number as text", Check.OUTCOME, _outcome("keno-express", lambda told: {"number": str(told["number"])})
    ),
    changed(
        "a multiplier with three decimals",
        Check.OUTCOME,
        _outcome("crash", lambda told: {"multiplier": told["multiplier"] + "0"}),
    ),
    changed(
        "a multiplier with one decimal",
        Check.OUTCOME,
        _outcome("crash", lambda told: {"multiplier": told["multiplier"][:-1]}),
    ),
    changed(
        "a multiplier with a leading zero",
        Check.OUTCOME,
        _outcome("crash", lambda told: {"multiplier": "0" + told["multiplier"]}),
    ),
    changed(
        "a multiplier in hundredths",
        Check.OUTCOME,
        _outcome("crash", lambda told: {"multiplier": int(told["multiplier"].replace(".", ""))}),
    ),
    changed("an outcome by one custodian alone", Check.OUTCOME, _by_one_custodian),
    changed("an outcome by other rules", Check.OUTCOME, _by_other_rules),
    changed("an outcome by another salt", Check.OUTCOME, _by_another_salt),
    changed(
        "a false outcome of a void round", Check.OUTCOME, lambda op: _locked(op).void("keno-1", outcome={"number": 0})
    ),
    changed(
        "a false outcome of a given-up round",
        Check.OUTCOME,
        lambda op: _given_up(op).reveal("keno-1", outcome={"number": 0}),
    ),
    changed("an outcome that is text", Check.RECORD_FORM, _outcome("crash", "1.00")),
    changed("an outcome that is nested", Check.OUTCOME, _outcome("crash", {"multiplier": {"x": 1}})),
    changed("an outcome with nested lists", Check.OUTCOME, _outcome("sic-bo", {"dice": [[1, 2, 3]]})),
    changed("an outcome with dice as text", Check.OUTCOME, _outcome("sic-bo", {"dice": ["1", "2", "3"]})),
]

LIES = END_LIES + SEED_LIES + OUTCOME_LIES
