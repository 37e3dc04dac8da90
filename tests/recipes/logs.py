"""Whole logs for replay: a lie about each rule, told by the dishonest operator, and honest logs."""

from __future__ import annotations

from collections.abc import Sequence

from fairness.beacon.chain import Beacon, known_beacons
from fairness.checks import Check
from fairness.records.replay import Replay, read_record
from games import GAMES
from tests.house import HOUSE
from tests.lies import history, of_a_later_scheme, started_salted
from tests.lies.catalogue import LIES
from tests.lies.salts import SIGNATURES
from tests.lies.spelling import NEWER_LIES, VERSION_LIES
from tests.recipes import Case, Format, Json, invalid, spelled, valid
from tests.recipes.cases.shortened import short
from tests.support.beacons import OURS
from tests.support.dishonest_operator import ABSENT, NO_BETS, ORIGIN, Operator

REFERENCE = HOUSE / "tests" / "vectors" / "log.jsonl"
"""A log by an implementation that shares no code with this one."""
SALTED = REFERENCE.with_name("log-salted.jsonl")
"""Another one, two of whose tables are salted by a beacon of its own."""


def _given(records: list[bytes], origin: str = ORIGIN) -> Json:
    return {"origin": origin, "records": [spelled(record) for record in records]}


def _counted(name: str, records: list[bytes], origin: str = ORIGIN, beacons: Sequence[Beacon] = ()) -> Case:
    replay = Replay(origin, GAMES, None, known_beacons(beacons))
    for record in records:
        replay.apply(read_record(record), record)
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
        if table.game
    }
    unknown = sorted(name for name, table in replay.tables.items() if table.has_unknown)
    given = _given(records, origin) | ({"beacons": [*map(str, beacons)]} if beacons else {})
    return valid(name, given, {"tables": tables} | ({"unknown": unknown} if unknown else {}))


def _honest() -> list[Case]:
    reference, salted = (file.read_bytes().removesuffix(b"\n").split(b"\n") for file in (REFERENCE, SALTED))
    return [
        _counted("every kind of end", history().records),
        _counted("what locks say of bets", _bets().records),
        _counted("the log of another implementation", reference, "ref.example/log"),
        _counted("a salted log of another implementation", salted, "salted.example/log", [OURS]),
        _counted("a salted log whose beacon is unknown", salted, "salted.example/log"),
        _counted("a beacon that is unknown, whose signature has 128 digits", of_a_later_scheme(64).records),
        _counted("a beacon that is unknown, whose signature has 16384 digits", of_a_later_scheme(8192).records),
        _counted("salts of quicknet", _salted().records),
        _counted("declared games", _declared().records),
        _counted("what is newer than every verifier", _newer().records),
        _counted("nothing", Operator().records),
        _counted("bets are required, and a round that is given up has none", _requiring().records),
    ]


def _salted() -> Operator:
    """The table goes on, and ends with a batch that is salted after the end and one that never is."""
    operator = started_salted()
    operator.salt("salty-1")
    operator.play("salty-1", 6)
    for _ in range(2):
        operator.batch("salty-1", 4)
        operator.rest(1 / 120)
    operator.end("salty-1")
    operator.salt("salty-1", 5)
    operator.close("salty-1")
    return operator


def _declared() -> Operator:
    """Games of the catalogue with cards, wheels, runners and parameters, and an operator's own."""
    operator = Operator()
    runners = {"runners": 4, "w1": 9, "w2": 1, "w3": 5, "w4": 5}
    operator.table("racing-1", "racing", rules=runners)
    operator.table("own-1", "coin", declared={"draw": [["side", "one", ["heads", "tails"]]]})
    for game in ("baccarat", "blackjack", "keno", "lightning-dice", "roulette"):
        operator.table(f"{game}-1", game)
    for name in operator.tables:
        operator.batch(name, 5)
        operator.play(name, 2)
    operator.end("own-1")
    operator.close("own-1")
    return operator


def _newer() -> Operator:
    """A kind, a pack, a deal, rules and records that nobody knows; a bystander plays on, and what follows is not
    judged.
    """
    operator = Operator()
    operator.table("keno-1", "keno-express")
    operator.batch("keno-1", 8)
    operator.table("kind-1", "jumps", declared={"draw": [["height", "jump", 3]]})
    operator.table("pack-1", "tarot", declared={"draw": [["cards", "take", 3]], "shoe": [1, "tarot"]})
    operator.table("deal-1", "whist", declared={"draw": [["*", "deal", "whist"]], "shoe": [1, "french"]})
    operator.table("words-1", "later", declared={"draws": "in later words", "version": 2})
    operator.table("rules-1", "sic-bo")
    operator.batch("rules-1", 8)
    operator.play("rules-1")
    for name in ("kind-1", "pack-1", "deal-1"):
        operator.batch(name, 4)
        operator.play(name)
    operator.batch("rules-1", 8, rules={"sides": 8, "version": 2})
    operator.append(b'{"table":"new-1","type":"table","v":2}')
    operator.append(b'{"at":"noon","table":"new-1","type":"note","v":2}')
    operator.append(b'{"at":"noon","table":"nowhere","type":"aside-note","v":1}')
    operator.play("rules-1")
    operator.play("keno-1", 2)
    return operator


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
    """Rounds with bets, three without a digest, three with the digest of no bets; and given-up ones, which count as
    neither.
    """
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
    """The first lies about each rule; those about the form of records are in the vectors of records, and of newer
    ones here.
    """
    cases, told = [], dict[Check, int]()
    for lie in LIES:
        told[lie.check] = told.get(lie.check, 0) + (not lie.salted)
        is_first = told[lie.check] <= (1 if lie.check is Check.RECORD_FORM else _OF_EACH)
        if is_first or lie.salted or lie.name in _ALSO or lie in NEWER_LIES + VERSION_LIES:
            made = short(lie)
            others = " and the others that this breaks" if lie.name in _DOUBLED else ""
            catches = f"a verifier without the rule {lie.check.value}{others}"
            if lie in SIGNATURES:
                catches = "a pulse that is not read as strictly as 4.8 demands, or a pairing that is not computed"
            cases.append(invalid(lie.name, _given(made.log.records), catches, {"record": made.index}))
    return cases


_OF_EACH = 2
_ALSO = {
    "ended before the last reveal",
    "closed before the end",
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
    "a salt that is a number",
    "a salt after its table's close",
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
"""Lies that a verifier without their rule still refuses by another one
(``tests/verifier/conformance/test_removed_checks.py``).
"""

FORMATS = [Format("replay", "replay", "4.3 to 4.8", lambda: [*_honest(), *_lies()])]
