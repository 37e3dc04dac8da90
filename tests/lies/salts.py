"""Lies about a table with a salt: in its beacons, its salts, and in what must follow them."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from random import Random

from fairness.beacon.chain import QUICKNET
from fairness.checks import Check
from fairness.draws.stream import Stream, context
from fairness.hashing import sha256
from fairness.times import format_time, milliseconds
from games import GAMES
from standalone.stand_ins.py_arkworks_bls12381 import g1
from standalone.stand_ins.py_arkworks_bls12381.fields import PRIME
from tests.lies import Lie, changed, misplaced
from tests.oracles.pulse_oracle import SMALL_ORDERS, curve_point, point_of_order
from tests.support.beacons import OURS, REAL, pulse
from tests.support.dishonest_operator import ABSENT, Operator, just_before

NAME = "salty-1"
_X = (1 << 381) - 1


def _signed(spoil: Callable[[bytes], bytes]) -> Callable[[Operator], object]:
    """The salt that is awaited, with a spoilt signature."""
    return lambda op: op.salt(NAME, signature=lambda honest: spoil(bytes.fromhex(honest)).hex())


def _flagged(flags: int) -> Callable[[bytes], bytes]:
    return lambda honest: (int.from_bytes(honest, "big") & _X | flags << 381).to_bytes(48, "big")


def _number(number: int, flags: int) -> bytes:
    return (number | flags << 381).to_bytes(48, "big")


def _awaited(operator: Operator) -> int:
    """The round of the beacon whose pulse the last batch awaits."""
    number = operator.tables[NAME].batches[-1].beacon
    if number is None:
        raise ValueError("this table has a salt")
    return number


def _other_pulse(operator: Operator) -> object:
    others = [signature for number, signature in REAL.items() if number != _awaited(operator)]
    return operator.salt(NAME, signature=others[-1].hex())


def _other_beacon(operator: Operator) -> object:
    return operator.salt(NAME, signature=pulse(OURS.chain_hash.hex(), _awaited(operator)).hex())


def _beacon_after(seconds: float) -> Callable[[Operator], object]:
    """One more batch, which names the round so many seconds after it, or the first after that."""

    def tell(operator: Operator) -> object:
        def lie(_: object) -> int:
            now = milliseconds(operator.tables[NAME].latest)
            return -(-(now + int(1000 * seconds) - 1000 * QUICKNET.genesis) // (1000 * QUICKNET.period)) + 1

        return operator.batch(NAME, 4, beacon=lie)

    return tell


def _too_early(operator: Operator) -> object:
    time = datetime.fromtimestamp(QUICKNET.time_of(_awaited(operator)), UTC)
    return operator.salt(NAME, salted=just_before(format_time(time)))


def _opened_before_salt(operator: Operator) -> object:
    operator.salt(NAME)
    salted = operator.tables[NAME].latest
    operator.play(NAME, 3)
    return operator.lock(NAME, opened=just_before(salted))


def _outcome_with(salt: Callable[[bytes], bytes]) -> Callable[[Operator], object]:
    """The outcome of the next round by another salt."""

    def tell(operator: Operator) -> object:
        operator.lock(NAME)
        table = operator.tables[NAME]
        _, batch = table.batch_of(4)
        other = GAMES[table.game].outcome(
            Stream(table.seeds_of(4), context(batch.batch_id, salt(batch.salt)), 4), table.rules
        )
        return operator.reveal(NAME, outcome=other)

    return tell


def _signature_as_salt(operator: Operator) -> object:
    """The outcome by the signature's first bytes, not by its hash."""
    return _outcome_with(lambda _: REAL[operator.tables[NAME].batches[0].beacon or 0][:32])(operator)


def _late_salt(operator: Operator) -> object:
    """A salt with the time of its pulse, written after a later record."""
    operator.salt(NAME)
    operator.batch(NAME, 4)
    operator.rest(1 / 60)
    operator.play(NAME, 1)
    batch = operator.tables[NAME].batches[-1]
    pulse_time = datetime.fromtimestamp(QUICKNET.time_of(batch.beacon or 0), UTC)
    return operator.salt(NAME, salted=format_time(pulse_time))


def _closed(operator: Operator) -> Operator:
    operator.end(NAME)
    operator.close(NAME)
    return operator


def _salted(name: str, check: Check, tell: Callable[[Operator], object], *, twin: bool = True) -> Lie:
    lie = (changed if twin else misplaced)(name, check, tell)
    return Lie(lie.name, lie.check, lie.tell, lie.has_honest_twin, salted=True)


_RANDOM = Random(48)
_SMALL = point_of_order(SMALL_ORDERS[1], _RANDOM)
_OUTSIDE = curve_point(_RANDOM)

SIGNATURES: list[Lie] = [
    _salted(name, Check.SALT_SIGNATURE, tell)
    for name, tell in {
        "a pulse of another round": _other_pulse,
        "a pulse of another beacon": _other_beacon,
        "a pulse with the other sign": _signed(lambda honest: bytes([honest[0] ^ 0x20]) + honest[1:]),
        "a pulse not marked as compressed": _signed(lambda honest: bytes([honest[0] & 0x7F]) + honest[1:]),
        "a pulse with the bit of infinity": _signed(_flagged(6)),
        "a pulse with all flags": _signed(_flagged(7)),
        "a pulse without flags": _signed(_flagged(0)),
        "infinity as a pulse": _signed(lambda _: _number(0, 6)),
        "infinity with a sign as a pulse": _signed(lambda _: _number(0, 7)),
        "zeros as a pulse": _signed(lambda _: bytes(48)),
        "a pulse whose x is the prime": _signed(lambda _: _number(PRIME, 4)),
        "a pulse whose x is the largest": _signed(lambda _: _number(_X, 5)),
        "a pulse that is no point": _signed(lambda _: _number(1, 4)),
        "a pulse outside the subgroup": _signed(lambda _: g1.encoded(_OUTSIDE)),
        "a pulse of small order": _signed(lambda _: g1.encoded(_SMALL)),
        "a pulse with a point of small order added": _signed(
            lambda honest: g1.encoded(g1.add(g1.decoded(honest), _SMALL))
        ),
        "the opposite of a pulse": _signed(lambda honest: g1.encoded(g1.negative(g1.decoded(honest)))),
        "twice a pulse": _signed(lambda honest: g1.encoded(g1.double(g1.decoded(honest)))),
    }.items()
]

LIES: list[Lie] = [
    *SIGNATURES,
    _salted("a salt before its pulse", Check.SALT_TIME, _too_early),
    _salted("a batch that names no beacon", Check.BATCH_BEACON, lambda op: op.batch(NAME, 4, beacon=ABSENT)),
    _salted("a batch that names a pulse that is known", Check.BATCH_BEACON, _beacon_after(-6)),
    _salted("a batch that names the first pulse", Check.BATCH_BEACON, lambda op: op.batch(NAME, 4, beacon=1)),
    _salted("a batch that names a pulse after more than an hour", Check.BATCH_BEACON, _beacon_after(3600.001)),
    _salted(
        "a batch that names the largest beacon",
        Check.BATCH_BEACON,
        lambda op: op.batch(NAME, 4, beacon=(1 << 53) - 1),
    ),
    _salted("a salt twice", Check.SALT_AWAITED, lambda op: (op.salt(NAME), op.salt(NAME, 3)), twin=False),
    _salted("a salt of a batch that was salted", Check.SALT_AWAITED, lambda op: op.salt(NAME, batch=2)),
    _salted("a salt of no batch", Check.SALT_AWAITED, lambda op: op.salt(NAME, batch=4)),
    _salted("a salt at a table without one", Check.SALT_AWAITED, lambda op: op.salt("sic-bo-1"), twin=False),
    _salted("a salt earlier than the record before it", Check.TIME_ORDER, _late_salt),
    _salted(
        "a lock before the salt",
        Check.LEAD_COMMITTED,
        lambda op: (op.play(NAME, 3), op.lock(NAME)),
        twin=False,
    ),
    _salted(
        "a round given up before the salt",
        Check.LEAD_COMMITTED,
        lambda op: (op.play(NAME, 3), op.give_up(NAME)),
        twin=False,
    ),
    _salted("a round opened before the salt", Check.LEAD_OPENED, _opened_before_salt),
    _salted("an outcome without the salt", Check.OUTCOME, _outcome_with(lambda _: bytes(32))),
    _salted("an outcome by another salt than its batch's", Check.OUTCOME, _outcome_with(sha256)),
    _salted("an outcome by a signature instead of its hash", Check.OUTCOME, _signature_as_salt),
    _salted("a salt after its table's close", Check.AFTER_CLOSE, lambda op: _closed(op).salt(NAME), twin=False),
    _salted(
        "a chain hash in upper case",
        Check.TABLE_SALT,
        lambda op: op.table("x", "crash", salt=OURS.chain_hash.hex().upper()),
    ),
    _salted(
        "a chain hash of 63 digits",
        Check.TABLE_SALT,
        lambda op: op.table("x", "crash", salt=OURS.chain_hash.hex()[1:]),
    ),
    _salted("drand's default chain by its name", Check.TABLE_SALT, lambda op: op.table("x", "crash", salt="default")),
    _salted("an empty salt", Check.TABLE_SALT, lambda op: op.table("x", "crash", salt="")),
]
