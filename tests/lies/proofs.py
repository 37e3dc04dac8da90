"""Proof files that a dishonest operator makes: valid signatures and audit paths, and one lie in a record."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

from fairness.beacon.chain import QUICKNET
from fairness.checks import Check
from fairness.draws.stream import Stream, context
from fairness.hashing import leaf_hash
from fairness.log.merkle_proofs import inclusion_path
from fairness.log.proof import Inclusion
from fairness.round.authentic_log import AuthenticLog
from fairness.round.proof import RoundProof
from fairness.round.proof_sections import ProvenCommitment, ProvenRecord
from fairness.times import format_time
from games import GAMES
from tests.support.beacons import REAL
from tests.support.dishonest_operator import ABSENT, KEY, Operator, just_before

TABLE, ROUND, LEAD = "keno-1", 4, 2


LONG_AGO, LONG_AFTER = "2020-01-01T00:00:00.000Z", "2040-01-01T00:00:00.000Z"


def forged(operator: Operator) -> RoundProof:
    """The proof of the round from the operator's own state: no hint is followed, and nothing is checked."""
    log = AuthenticLog.open(operator.files().__getitem__, KEY.verifier_key)
    table = operator.tables[TABLE]
    _, batch = table.batch_of(ROUND)
    place = ROUND - batch.first

    def proven(index: int) -> ProvenRecord:
        return ProvenRecord(operator.records[index], Inclusion(index, tuple(log.tiles.inclusion_path(index))))

    return RoundProof(
        TABLE,
        ROUND,
        table=proven(table.index),
        batch=proven(batch.index),
        salt=proven(batch.salted) if batch.salted else None,
        lead_lock=proven(table.locks[lead_round(ROUND, operator.records[table.index])]),
        lock=proven(table.locks[ROUND]),
        reveal=proven(table.reveals[ROUND]),
        commitments=tuple(
            ProvenCommitment(
                digests[place], Inclusion(place, tuple(inclusion_path(list(map(leaf_hash, digests)), place)))
            )
            for digests in batch.digests
        ),
        checkpoint=log.head.note,
    )


def lead_round(number: int, table: bytes) -> int:
    """The round whose lock shows the lead that the table's record promises, whether that lead is allowed or not."""
    return max(1, number - int(json.loads(table)["lead"]))


def of_table(**lies: Any) -> Callable[[Operator], object]:  # noqa: ANN401 -- a lie has any type
    """The table's record lies."""

    def tell(operator: Operator) -> None:
        operator.table(TABLE, "keno-express", **lies)
        operator.batch(TABLE, 6)
        operator.play(TABLE, ROUND)

    return tell


def of_batch(**lies: Any) -> Callable[[Operator], object]:  # noqa: ANN401 -- a lie has any type
    """The batch's record lies."""

    def tell(operator: Operator) -> None:
        operator.table(TABLE, "keno-express")
        operator.batch(TABLE, 6, **lies)
        operator.play(TABLE, ROUND)

    return tell


def of_round(
    lock: dict[str, Any] | None = None, reveal: dict[str, Any] | None = None, *, given_up: bool = False
) -> Callable[[Operator], object]:
    """The round's own records lie."""

    def tell(operator: Operator) -> None:
        operator.table(TABLE, "keno-express")
        operator.batch(TABLE, 6)
        operator.play(TABLE, ROUND - 1)
        (operator.give_up if given_up else operator.lock)(TABLE, **(lock or {}))
        operator.reveal(TABLE, **(reveal or {}))

    return tell


def requiring(without: int) -> Callable[[Operator], object]:
    """Bets are required, and the lock of one round has no digest."""

    def tell(operator: Operator) -> None:
        operator.table(TABLE, "keno-express", requires_bets=True)
        operator.batch(TABLE, 6)
        for number in range(1, ROUND + 1):
            operator.lock(TABLE, **({"bets": ABSENT} if number == without else {}))
            operator.reveal(TABLE)

    return tell


def too_late(operator: Operator) -> None:
    """The round is committed after the lock of the round two before it."""
    operator.table(TABLE, "keno-express")
    operator.batch(TABLE, 3)
    operator.play(TABLE, 2)
    operator.batch(TABLE, 3)
    operator.play(TABLE, 2)


def salted(
    batch: dict[str, Any] | None = None,
    salt: dict[str, Any] | None = None,
    lock: dict[str, Any] | None = None,
    reveal: Callable[[Operator], dict[str, Any]] | None = None,
) -> Callable[[Operator], object]:
    """The table is salted, and some of its records lie; of an operator that begins `BEFORE_PULSES`."""

    def tell(operator: Operator) -> None:
        operator.table(TABLE, "keno-express", salted_by="quicknet")
        operator.batch(TABLE, 6, **(batch or {}))
        operator.salt(TABLE, **(salt or {}))
        operator.play(TABLE, ROUND - 1)
        operator.lock(TABLE, **(lock or {}))
        operator.reveal(TABLE, **(reveal(operator) if reveal else {}))

    return tell


def _outcome_without_salt(operator: Operator) -> dict[str, Any]:
    table = operator.tables[TABLE]
    stream = Stream(table.seeds_of(ROUND), context(table.batches[0].batch_id), ROUND)
    return {"outcome": GAMES[table.game].outcome(stream, table.rules)}


FIRST_PULSE = 27798178
PULSE_TIME = format_time(datetime.fromtimestamp(QUICKNET.time_of(FIRST_PULSE), UTC))

SALTED_LIES: list[tuple[str, Check, Callable[[Operator], object]]] = [
    ("a batch that names no beacon", Check.BATCH_BEACON, salted(batch={"beacon": ABSENT})),
    ("a batch that names a pulse that is known", Check.BATCH_BEACON, salted(batch={"beacon": FIRST_PULSE - 4})),
    ("a batch that names a pulse of later", Check.BATCH_BEACON, salted(batch={"beacon": FIRST_PULSE + 1200})),
    ("a salt of another batch", Check.ROUND_RECORDS, salted(salt={"batch": 2})),
    ("a salt of another table", Check.ROUND_RECORDS, salted(salt={"table": "keno-2"})),
    ("a pulse of another round", Check.SALT_SIGNATURE, salted(salt={"signature": REAL[1000].hex()})),
    ("infinity as a pulse", Check.SALT_SIGNATURE, salted(salt={"signature": "c0" + "00" * 47})),
    ("a salt before its pulse", Check.SALT_TIME, salted(salt={"salted": just_before(PULSE_TIME)})),
    ("a salt dated after the lock", Check.LEAD_OPENED, salted(salt={"salted": LONG_AFTER})),
    ("a round opened before the salt", Check.LEAD_OPENED, salted(lock={"opened": PULSE_TIME})),
    ("an outcome without the salt", Check.OUTCOME, salted(reveal=_outcome_without_salt)),
]
"""The same, of an operator that begins `BEFORE_PULSES`."""

LIES: list[tuple[str, Check, Callable[[Operator], object]]] = [
    ("a lead that is too short", Check.TABLE_LEAD, of_table(lead=1)),
    ("a lead that is too long", Check.TABLE_LEAD, of_table(lead=1001)),
    ("a table of another log", Check.TABLE_ORIGIN, of_table(log="other.example/log")),
    ("a table whose salt is no beacon", Check.TABLE_SALT, of_table(salt="dice")),
    ("a game without its declaration", Check.TABLE_DECLARATION, of_table(game="roulette")),
    ("a table under another name", Check.ROUND_RECORDS, of_table(table="keno-2")),
    ("a table without custodians", Check.RECORD_FORM, of_table(custodians=[])),
    ("a batch that stood too late", Check.LEAD_COMMITTED, too_late),
    ("a batch dated before its table", Check.TIME_ORDER, of_batch(committed=LONG_AGO)),
    ("a batch of other rounds", Check.ROUND_RECORDS, of_batch(first=5)),
    ("an anchor too many", Check.BATCH_CUSTODIANS, of_batch(anchors=lambda found: [*found, "5a" * 32])),
    ("another anchor", Check.SEED_LINK, of_batch(anchors=["5a" * 32])),
    ("another root", Check.COMMITMENT_PATH, of_batch(commitments=["5a" * 32])),
    ("another first round", Check.COMMITMENT_PATH, of_batch(first=2)),
    ("rules that there are not", Check.BATCH_RULES, of_batch(rules={"version": 0})),
    (
        "commitments of other seeds",
        Check.COMMITMENT,
        of_batch(committing=lambda found: [part[::-1] for part in found]),
    ),
    ("a lock dated before the batch", Check.LOCK_OPENED, of_round({"locked": LONG_AGO})),
    ("a lock of a round given up, dated so", Check.TIME_ORDER, of_round({"locked": LONG_AGO}, given_up=True)),
    ("opened before the batch", Check.LEAD_OPENED, of_round({"opened": LONG_AGO})),
    ("opened after the lock", Check.LOCK_OPENED, of_round({"opened": LONG_AFTER})),
    ("neither opened nor given up", Check.RECORD_FORM, of_round({"opened": ABSENT})),
    ("a lock of another round", Check.ROUND_RECORDS, of_round({"round": 5})),
    ("a reveal of another round", Check.ROUND_RECORDS, of_round(reveal={"round": 5})),
    ("a reveal dated before the lock", Check.TIME_ORDER, of_round(reveal={"revealed": LONG_AGO})),
    ("given up and played", Check.REVEAL_GIVEN_UP, of_round(reveal={"status": "played"}, given_up=True)),
    ("given up with two reasons", Check.REVEAL_REASON, of_round(reveal={"reason": "why"}, given_up=True)),
    ("void without a reason", Check.REVEAL_REASON, of_round(reveal={"status": "void"})),
    ("played with a reason", Check.REVEAL_REASON, of_round(reveal={"reason": "why"})),
    ("no digest where bets are required", Check.BETS_REQUIRED, requiring(ROUND)),
    ("no digest of the lead-lock where bets are required", Check.BETS_REQUIRED, requiring(ROUND - LEAD)),
    ("another seed", Check.COMMITMENT, of_round(reveal={"seeds": ["5a" * 32]})),
    ("a seed too many", Check.SEED_COUNT, of_round(reveal={"seeds": lambda seeds: [*seeds, "5a" * 32]})),
    ("another outcome", Check.OUTCOME, of_round(reveal={"outcome": {"number": 101}})),
]
