"""Every way in which a log can lie about a record: one case each, by the kind of record.

Each case continues from `started` and tells one lie, which is detected at the last record that it
wrote. Either the content of a record is false (`changed`: the same steps without the lie are
accepted), or its presence (`misplaced`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime

from fairness.beacon.chain import QUICKNET
from fairness.beacon.pulse import salt_of
from fairness.checks import Check
from games import GAMES
from tests.support.beacons import OURS
from tests.support.dishonest_operator import ABSENT, Operator

BEFORE_PULSES = datetime.fromtimestamp(QUICKNET.time_of(27798178) - 10, UTC)
"""A few seconds before the first of ten pulses of quicknet in five minutes that the vectors have."""


@dataclass(frozen=True)
class Lie:
    """One way of lying, and the check that detects it."""

    name: str
    check: Check
    tell: Callable[[Operator], object]
    has_honest_twin: bool
    salted: bool = False
    """Whether it continues from `started_salted`."""

    def begin(self, *, honest: bool = False) -> Operator:
        """The log before the lie."""
        return started_salted(honest=honest) if self.salted else started(honest=honest)

    def __str__(self) -> str:
        return self.name.replace(" ", "-")


def changed(name: str, check: Check, tell: Callable[[Operator], object]) -> Lie:
    """A record says something false; a true record would be accepted in its place."""
    return Lie(name, check, tell, has_honest_twin=True)


def misplaced(name: str, check: Check, tell: Callable[[Operator], object]) -> Lie:
    """A record is at a place where no such record is allowed."""
    return Lie(name, check, tell, has_honest_twin=False)


def started(*, honest: bool = False) -> Operator:
    """Three tables in the middle of play.

    ``keno-1`` has two custodians, lead 2 and three batches of 4 rounds, of which 5 are played;
    ``crash-1`` has lead 10 and one batch of 20, of which 2 are played; ``sic-bo-1`` is a bystander.
    """
    operator = Operator(honest=honest)
    operator.table("keno-1", "keno-express", ["house", "lab"])
    for _ in range(3):
        operator.batch("keno-1", 4)
    operator.table("crash-1", "crash")
    operator.batch("crash-1", 20)
    operator.table("sic-bo-1", "sic-bo")
    operator.batch("sic-bo-1", 10)
    operator.play("keno-1", 5)
    operator.play("crash-1", 2)
    return operator


def of_a_later_scheme(size: int) -> Operator:
    """A table that a beacon salts which nobody knows, whose signatures have ``size`` bytes: two rounds are played."""
    signature = bytes(range(1, 9)) * (size // 8)
    operator = Operator(start=BEFORE_PULSES)
    operator.table("keno-1", "keno-express", salted_by=OURS.chain_hash.hex())
    operator.batch("keno-1", 6)
    operator.rest(1 / 120)
    operator.salt("keno-1", signature=signature.hex())
    operator.tables["keno-1"].batches[0].salt = salt_of(signature)
    return operator.play("keno-1", 2)


def started_salted(*, honest: bool = False) -> Operator:
    """A table that quicknet salts, in the middle of play, in the minutes of the pulses that the vectors have.

    ``salty-1`` has two custodians, lead 2 and three batches of 4 rounds. The first two are salted, the second before
    the first, and 3 rounds are played; the third batch awaits its salt. ``sic-bo-1`` is a bystander without a salt.
    """
    operator = Operator(honest=honest, start=BEFORE_PULSES)
    operator.table("salty-1", "keno-express", ["house", "lab"], salted_by="quicknet")
    operator.table("sic-bo-1", "sic-bo")
    operator.batch("sic-bo-1", 10)
    for _ in range(2):
        operator.batch("salty-1", 4)
        operator.rest(1 / 120)
    for number in (2, 1):
        operator.salt("salty-1", number)
    operator.play("salty-1", 3)
    operator.batch("salty-1", 4)
    return operator


def salted_keno(name: str = "quicknet") -> Operator:
    """Two batches of 4 rounds, the second salted by this beacon after two rounds were played; then 4 rounds are
    played.
    """
    operator = Operator(start=BEFORE_PULSES)
    operator.table("keno", "keno-express", ["house", "lab"], salted_by=name)
    operator.batch("keno", 4)
    operator.salt("keno")
    operator.batch("keno", 4)
    operator.play("keno", 2)
    operator.salt("keno")
    return operator.play("keno", 4)


def history() -> Operator:
    """A long honest log: six games with every kind of end, eight custodians, a table closed and one that hangs."""
    operator = Operator()
    for name in GAMES:
        operator.table(f"{name}-1", name)
    operator.table("eight", "keno-express", [f"custodian-{number}" for number in range(8)])
    operator.table("unused", "penalty")
    for _ in range(2):
        for name in operator.tables:
            operator.batch(name, 20)
    for name in GAMES:
        operator.play(f"{name}-1", 5)
    operator.play("eight", 30)
    _every_kind_of_end(operator, "keno-express-1")
    operator.lock("crash-1")
    for name in ("eight", "unused"):
        operator.end(name)
        operator.close(name)
    return operator


def _every_kind_of_end(operator: Operator, name: str) -> None:
    operator.lock(name, bets=ABSENT)
    operator.void(name)
    for was_open in (False, False, True):
        operator.give_up(name, was_open=was_open)
        operator.reveal(name)
    operator.play(name, 20)
    operator.end(name)


def respelled(old: str | bytes, new: str | bytes) -> Callable[[bytes], bytes]:
    """The same record with some of its bytes changed; they must be there."""
    before, after = (text.encode() if isinstance(text, str) else text for text in (old, new))

    def respell(data: bytes) -> bytes:
        if before not in data:
            msg = f"nothing to respell: {before!r} is not in {data!r}"
            raise ValueError(msg)
        return data.replace(before, after, 1)

    return respell
