"""Whole logs for replay: a lie about each rule, told by the dishonest operator, and honest logs."""

from __future__ import annotations

from fairness.checks import Check
from fairness.records.replay import Replay
from games import GAMES
from tests.house import HOUSE
from tests.lies import history
from tests.lies.catalogue import LIES
from tests.recipes import Case, Format, Json, invalid, spelled, valid
from tests.recipes.cases import short
from tests.support.dishonest_operator import ABSENT, NO_BETS, ORIGIN, Operator

REFERENCE = HOUSE / "tests" / "vectors" / "log.jsonl"
"""A log by an implementation that shares no code with this one."""


def _given(records: list[bytes], origin: str = ORIGIN) -> Json:
    return {"origin": origin, "records": [spelled(record) for record in records]}


def _counted(name: str, records: list[bytes], origin: str = ORIGIN) -> Case:
    replay = Replay(origin, GAMES)
    for record in records:
        replay.advance(record)
    tables = {
        name: {
            "committed": table.committed_through,
            "played": table.counts.played,
            "smallest_distance": table.smallest_distance,
            "unused": table.counts.unused,
            "void_locked": table.counts.void_locked,
            "void_never_opened": table.counts.void_never_opened,
            "void_opened": table.counts.void_opened,
            "without_bets": table.counts.without_bets,
            "without_digest": table.counts.without_digest,
        }
        for name, table in replay.tables.items()
    }
    return valid(name, _given(records, origin), {"tables": tables})


def _honest() -> list[Case]:
    reference = REFERENCE.read_bytes().removesuffix(b"\n").split(b"\n")
    return [
        _counted("every kind of end", history().records),
        _counted("what locks say of bets", _bets().records),
        _counted("the log of another implementation", reference, "ref.example/log"),
        _counted("nothing", Operator().records),
        _counted("bets are required, and a round that is given up has none", _requiring().records),
    ]


def _requiring() -> Operator:
    operator = Operator()
    operator.table("keno-1", "keno-express", requires_bets=True)
    operator.batch("keno-1", 6)
    operator.play("keno-1")
    operator.give_up("keno-1", was_open=True)
    operator.reveal("keno-1")
    operator.lock("keno-1")
    operator.void("keno-1")
    return operator


def _bets() -> Operator:
    """Rounds with bets, three without a digest, three with the digest of no bets; and given-up ones, which count as neither."""
    operator = Operator()
    operator.table("keno-1", "keno-express")
    operator.batch("keno-1", 20)
    operator.play("keno-1", 2)
    for bets in (ABSENT, NO_BETS, ABSENT, ABSENT, NO_BETS):
        operator.lock("keno-1", bets=bets)
        operator.reveal("keno-1")
    operator.lock("keno-1", bets=NO_BETS)
    operator.void("keno-1")
    return operator.drop("keno-1", 4)


def _lies() -> list[Case]:
    """The first lies about each rule; lies about the form of records are in the vectors of records."""
    cases, told = [], dict[Check, int]()
    for lie in LIES:
        told[lie.check] = told.get(lie.check, 0) + 1
        if told[lie.check] <= (1 if lie.check is Check.RECORD_FORM else _OF_EACH) or lie.name in _ALSO:
            made = short(lie)
            others = " and the others that this breaks" if lie.name in _DOUBLED else ""
            catches = f"a verifier without the rule {lie.check.value}{others}"
            cases.append(invalid(lie.name, _given(made.log.records), catches, {"record": made.index}))
    return cases


_OF_EACH = 2
_ALSO = {
    "a lead above 1000",
    "a root too few",
    "a root too many",
    "a close with a seed too few",
    "a close with a seed too many",
    "a close with a batch under another number",
    "a close with true seeds under a false anchor",
    "a close twice, with nothing left",
}
"""Lies that no other check detects, for rules whose first lies others also detect."""
_DOUBLED = {
    "an unknown salt policy",
    "a lock written twice",
    "opened before the table was made",
    "a given-up round played, with a reason",
    "a seed of no chain",
    "a false bit in the second seed",
    "a close before the end, amid a round",
    "a close that leaves out the first batch",
    "a close with false seeds of a begun batch",
    "a close with false seeds of a batch not begun",
    "a close twice",
    "an end after the close",
}
"""Lies that a verifier without their rule still refuses by another one (``tests/verifier/conformance/test_removed_checks.py``)."""

FORMATS = [Format("replay", "replay", "4.3 to 4.7", [*_honest(), *_lies()])]
