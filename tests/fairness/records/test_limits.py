"""Every limit on records: a value at the limit is accepted, one step beyond it is refused.

The limits are written here as numbers, so that the code's constants are tested, too.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import pytest

from fairness.checks import Check
from fairness.errors import CheckFailed, Malformed
from fairness.log.merkle import EMPTY_ROOT
from fairness.records.record import encode_record, parse_record
from fairness.records.replay import Replay
from games import GAMES
from tests.lies import started
from tests.support.dishonest_operator import ABSENT, BETS, ORIGIN, Operator, just_before


@dataclass(frozen=True)
class Limit:
    """What ``tell`` writes is accepted with ``last``, and refused a ``step`` further."""

    name: str
    check: Check
    last: int
    tell: Callable[[Operator, int], object]
    step: int = 1

    def __str__(self) -> str:
        return self.name.replace(" ", "-")


def _replayed(operator: Operator) -> Replay:
    replay = Replay(ORIGIN, GAMES)
    for data in operator.records:
        assert encode_record(replay.advance(data)) == data
    return replay


def _crash(key: str) -> Callable[[Operator, int], object]:
    return lambda op, value: op.batch("crash-1", 5, rules=op.tables["crash-1"].rules | {key: value})


def _lead_of(game: str) -> Callable[[Operator, int], object]:
    return lambda op, value: op.table("x", game, lead=value)


def _pending(operator: Operator, count: int) -> object:
    """``keno-1`` has two batches that have not ended."""
    return [operator.batch("keno-1", 1) for _ in range(count - 2)]


def _void(operator: Operator, length: int) -> object:
    operator.lock("keno-1")
    return operator.void("keno-1", reason="x" * length)


def _entries(operator: Operator, count: int) -> object:
    """Two batches have not ended at the close."""
    operator.end("keno-1")
    return operator.close("keno-1", seeds=lambda entries: [*entries, entries[-1]][:count])


LIMITS = [
    Limit("the longest lead", Check.TABLE_LEAD, 1000, lambda op, n: op.table("x", "crash", lead=n)),
    Limit(
        "the most custodians",
        Check.RECORD_FORM,
        8,
        lambda op, n: op.table("x", "crash", [f"c{i}" for i in range(n)]),
    ),
    Limit("the fewest custodians", Check.RECORD_FORM, 1, lambda op, n: op.table("x", "crash", ["house"][:n]), -1),
    Limit("the longest name of a table", Check.RECORD_FORM, 32, lambda op, n: op.table("x" * n, "crash")),
    Limit("the shortest name of a table", Check.RECORD_FORM, 1, lambda op, n: op.table("x" * n, "crash"), -1),
    Limit("the longest name of a custodian", Check.RECORD_FORM, 32, lambda op, n: op.table("x", "crash", ["c" * n])),
    Limit("the largest batch", Check.RECORD_FORM, 65_536, lambda op, n: op.batch("keno-1", 4, count=n)),
    Limit("the smallest batch", Check.RECORD_FORM, 1, lambda op, n: op.batch("keno-1", 4, count=n), -1),
    Limit("the most batches with rounds to play", Check.BATCH_PENDING, 64, _pending),
    Limit("the largest rtp", Check.BATCH_RULES, 10_000, _crash("rtp")),
    Limit("the smallest rtp", Check.BATCH_RULES, 1, _crash("rtp"), -1),
    Limit("the largest cap", Check.BATCH_RULES, 1_000_000_000, _crash("cap")),
    Limit("the smallest cap", Check.BATCH_RULES, 101, _crash("cap"), -1),
    Limit(
        "the longest reason for giving up",
        Check.RECORD_FORM,
        200,
        lambda op, n: op.give_up("keno-1", reason="x" * n),
    ),
    Limit(
        "the shortest reason for giving up",
        Check.RECORD_FORM,
        1,
        lambda op, n: op.give_up("keno-1", reason="x" * n),
        -1,
    ),
    Limit("the longest reason of a void round", Check.RECORD_FORM, 200, _void),
    Limit("the shortest reason of a void round", Check.RECORD_FORM, 1, _void, -1),
    Limit(
        "the largest integer",
        Check.RECORD_FORM,
        (1 << 53) - 1,
        lambda op, n: op.lock("keno-1", bets=BETS | {"count": n}),
    ),
    Limit(
        "the smallest integer", Check.RECORD_FORM, 0, lambda op, n: op.lock("keno-1", bets=BETS | {"count": n}), -1
    ),
    Limit("the last round with its lead committed", Check.LEAD_COMMITTED, 10, lambda op, n: op.play("keno-1", n - 5)),
    Limit("the last batch that a close lists", Check.CLOSE_BATCHES, 2, _entries),
    *(
        Limit(f"the shortest lead of {name}", Check.TABLE_LEAD, game.lead, _lead_of(name), -1)
        for name, game in GAMES.items()
    ),
]
every_limit = pytest.mark.parametrize("limit", LIMITS, ids=str)


@every_limit
def test_at_the_limit(limit: Limit) -> None:
    """The last value that the protocol allows is accepted."""
    operator = started()
    limit.tell(operator, limit.last)
    _replayed(operator)


@every_limit
def test_beyond_the_limit(limit: Limit) -> None:
    """The first value beyond the limit is refused, by the limit's own check."""
    operator = started()
    limit.tell(operator, limit.last + limit.step)
    with pytest.raises(CheckFailed) as refused:
        _replayed(operator)
    assert refused.value.check is limit.check


@pytest.mark.parametrize(("count", "refused_by"), [(4, None), (5, Check.BATCH_LAST)])
def test_the_last_round_of_all(count: int, refused_by: Check | None) -> None:
    """A table can commit round 2^48 - 1, and no further."""
    operator = Operator()
    operator.table("x", "sic-bo")
    replay = _replayed(operator)
    replay.tables["x"].committed_through = (1 << 48) - 5
    operator.batch("x", 4, first=(1 << 48) - 4, count=count)
    if refused_by is None:
        replay.advance(operator.records[-1])
        assert replay.tables["x"].committed_through == (1 << 48) - 1
        return
    with pytest.raises(CheckFailed) as refused:
        replay.advance(operator.records[-1])
    assert refused.value.check is refused_by


def test_the_largest_round_number_of_a_record() -> None:
    """A lock's and a reveal's round is below 2^48."""
    operator = started()
    operator.lock("keno-1", round=(1 << 48) - 1)
    assert encode_record(parse_record(operator.records[-1])) == operator.records[-1]
    operator.reveal("keno-1", round=(1 << 48) - 1)
    assert encode_record(parse_record(operator.records[-1])) == operator.records[-1]


def test_the_longest_record() -> None:
    """65,535 bytes are accepted; 65,536 are refused, however well they are spelled."""
    operator = Operator()
    operator.table("x", "sic-bo")
    missing = 65_535 - len(operator.records[0])
    longest, longer = (operator.records[0].replace(b"example", b"example" + b"e" * n) for n in (missing, missing + 1))
    assert len(encode_record(parse_record(longest))) == 65_535
    with pytest.raises(Malformed, match="at most 65535 bytes"):
        parse_record(longer)


def test_a_place_among_the_pending_batches_is_free_again() -> None:
    """The limit counts the batches that have not ended: when one ends, another may be committed."""
    operator = started()
    _pending(operator, 64)
    operator.play("keno-1", 3)
    operator.batch("keno-1", 1)
    assert len(_replayed(operator).tables["keno-1"].batches) == 64


@pytest.mark.parametrize(
    "time",
    [
        "2000-01-01T00:00:00.000Z",
        "2000-02-29T23:59:59.999Z",
        "2028-02-29T00:00:00.000Z",
        "2400-02-29T00:00:00.000Z",
        "2999-12-31T23:59:59.999Z",
    ],
)
def test_the_edges_of_the_calendar(time: str) -> None:
    """The first and the last possible moment, and leap days."""
    operator = Operator()
    operator.table("x", "crash", created=time)
    assert _replayed(operator).tables["x"].latest == time


def test_a_clock_that_stands_still() -> None:
    """All times of a table may be equal, including `opened`: only going backwards is refused."""
    operator = Operator()
    operator.table("x", "keno-express")
    now = operator.tables["x"].created
    for _ in range(2):
        operator.batch("x", 3, committed=now)
    operator.lock("x", opened=now, locked=now)
    operator.reveal("x", revealed=now)
    operator.give_up("x", was_open=True, opened=now, locked=now)
    operator.reveal("x", revealed=now)
    operator.end("x", ended=now)
    operator.close("x", closed=now)
    assert _replayed(operator).tables["x"].latest == now


def test_opened_in_the_moment_in_which_the_lead_was_committed() -> None:
    """`opened` may be the time of the latest batch that the lead needs, and before that of any later batch."""
    operator = started()
    operator.play("keno-1", 5)
    operator.batch("keno-1", 1)
    committed = operator.tables["keno-1"].latest
    operator.batch("keno-1", 1)
    operator.lock("keno-1", opened=committed)
    _replayed(operator)


@pytest.mark.parametrize("reason", [" ", "~", '"', "\\", '\\"', "/", 'engine failed: "no power" at C:\\', "\\u0041"])
def test_every_printable_character_may_stand_in_a_reason(reason: str) -> None:
    """The two characters that need an escape have one."""
    operator = started()
    operator.give_up("keno-1", reason=reason)
    _replayed(operator)


def test_all_printable_characters_in_one_reason() -> None:
    """From the space to the tilde."""
    operator = started()
    operator.give_up("keno-1", reason="".join(map(chr, range(0x20, 0x7F))))
    _replayed(operator)


def _opened_in_flight(operator: Operator) -> object:
    """Bets for the next flight are taken during the current one."""
    operator.lock("crash-1")
    opened = operator.time()
    operator.reveal("crash-1")
    return operator.lock("crash-1", opened=opened)


def _never_used(operator: Operator) -> object:
    operator.table("x", "crash")
    operator.end("x")
    return operator.close("x")


def _behind(operator: Operator) -> object:
    operator.play("keno-1")
    return operator.end("crash-1", ended=just_before(operator.tables["keno-1"].latest))


ALLOWED: dict[str, Callable[[Operator], object]] = {
    "a round opened before the round before ended": _opened_in_flight,
    "a table that is behind another table's time": _behind,
    "a table closed without a batch": _never_used,
    "a batch committed while a round is locked": lambda op: (op.lock("keno-1"), op.batch("keno-1", 4)),
    "a lock that says nothing of bets": lambda op: op.lock("keno-1", bets=ABSENT),
    "a digest of no bets": lambda op: op.lock("keno-1", bets={"count": 0, "root": EMPTY_ROOT.hex()}),
    "a given-up round that had been opened": lambda op: op.give_up("keno-1", was_open=True),
    "other rules from one batch to the next": lambda op: _crash("rtp")(op, 9600),
    "a longer lead than the game's": lambda op: op.table("x", "crash", lead=100),
    "two tables with the same custodians": lambda op: op.table("x", "crash", ["lab", "house"]),
    "as many rounds given up as are committed ahead": lambda op: op.drop("keno-1", 5),
}


@pytest.mark.parametrize("tell", ALLOWED.values(), ids=ALLOWED.keys())
def test_what_is_allowed(tell: Callable[[Operator], object]) -> None:
    """Unusual but honest logs."""
    operator = started()
    tell(operator)
    _replayed(operator)
