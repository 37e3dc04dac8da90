"""Every way in which a log can lie to the holder of a round's code: by its records, their order, or its finding aids
(SPEC 8.2).

A replay finds the lies about records, too; these are here because a check of one round is another program. What only
a finding aid says is not shown, and accuses nobody.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from fairness.checks import Check
from fairness.draws.commitments import commitments_path
from fairness.draws.stream import Stream, context
from fairness.hashing import u64
from fairness.player.round_code import RoundCode
from fairness.round.finding_aids import RoundPositions, rounds_path, tables_path
from games import GAMES
from tests.lies import BEFORE_PULSES, respelled
from tests.lies.proofs import FIRST_PULSE, LONG_AFTER, LONG_AGO, PULSE_TIME
from tests.support.beacons import REAL
from tests.support.codes import code_of
from tests.support.dishonest_operator import ABSENT, Operator, just_before

TABLE = "keno-1"
Files = dict[str, bytes]


@dataclass(frozen=True)
class RoundLie:
    """One way of lying about round ``number`` of the table, and the check that its code shows."""

    name: str
    check: Check
    tell: Callable[[Operator], object]
    number: int = 2
    aids: Callable[[Operator, Files], Files] = lambda _, files: files
    """Changes the log's files, after the records were written."""
    is_shown: bool = True
    salted: bool = False
    code: Callable[[RoundCode], RoundCode] = lambda code: code
    """Changes the code."""

    def told(self) -> tuple[Files, str]:
        """The files of the log, and the code."""
        operator = Operator(start=BEFORE_PULSES) if self.salted else Operator()
        self.tell(operator)
        return self.aids(operator, operator.files()), str(self.code(code_of(operator, TABLE, self.number)))


def _played(
    table: dict[str, Any] | None = None,
    batch: dict[str, Any] | None = None,
    rounds: int = 3,
    *,
    requires_bets: bool = False,
) -> Callable[[Operator], Operator]:
    """A few rounds are played, and the record of the table or of the batch lies."""

    def tell(operator: Operator) -> Operator:
        operator.table(TABLE, "keno-express", requires_bets=requires_bets, **(table or {}))
        operator.batch(TABLE, 6, **(batch or {}))
        return operator.play(TABLE, rounds)

    return tell


def _ended(
    lock: dict[str, Any] | None = None,
    reveal: dict[str, Any] | None = None,
    *,
    given_up: bool = False,
    requires_bets: bool = False,
) -> Callable[[Operator], object]:
    """The records of round 2 lie."""

    def tell(operator: Operator) -> None:
        _played(rounds=0, requires_bets=requires_bets)(operator)
        operator.play(TABLE)
        (operator.give_up if given_up else operator.lock)(TABLE, **(lock or {}))
        operator.reveal(TABLE, **(reveal or {}))

    return tell


def _followed(**lies: Any) -> Callable[[Operator], object]:  # noqa: ANN401 -- a lie has any type
    """A second batch follows, which the lead of round 6 reaches, and lies."""

    def tell(operator: Operator) -> None:
        _played(rounds=0)(operator)
        operator.batch(TABLE, 6, **lies)
        operator.play(TABLE, 6)

    return tell


def _salted(
    batch: dict[str, Any] | None = None, salt: dict[str, Any] | None = None, lock: dict[str, Any] | None = None
) -> Callable[[Operator], Operator]:
    """The table is salted, and its records lie; of an operator that begins `BEFORE_PULSES`."""

    def tell(operator: Operator) -> Operator:
        operator.table(TABLE, "keno-express", salted_by="quicknet")
        operator.batch(TABLE, 6, **(batch or {}))
        operator.salt(TABLE, **(salt or {}))
        operator.play(TABLE)
        operator.lock(TABLE, **(lock or {}))
        operator.reveal(TABLE)
        return operator

    return tell


def _salted_twice(operator: Operator) -> Operator:
    """Two salted batches; the lead of round 3 reaches into the second."""
    operator.table(TABLE, "keno-express", salted_by="quicknet")
    for _ in range(2):
        operator.batch(TABLE, 4)
        operator.salt(TABLE)
    return operator.play(TABLE, 3)


def _outcome_without_salt(operator: Operator) -> None:
    _salted()(operator)
    table = operator.tables[TABLE]
    operator.lock(TABLE)
    stream = Stream(table.seeds_of(3), context(table.batches[0].batch_id), 3)
    operator.reveal(TABLE, outcome=GAMES[table.game].outcome(stream, table.rules))


def _locked_before_the_salt(operator: Operator) -> None:
    operator.table(TABLE, "keno-express", salted_by="quicknet")
    operator.batch(TABLE, 6)
    operator.play(TABLE, 2)
    operator.salt(TABLE)


def _committed_after_the_lock_of_its_lead(operator: Operator) -> None:
    operator.table(TABLE, "keno-express")
    operator.batch(TABLE, 1)
    operator.play(TABLE)
    operator.batch(TABLE, 9)
    operator.play(TABLE, 3)


def _next_batch_after_the_lock(operator: Operator) -> None:
    operator.table(TABLE, "keno-express")
    operator.batch(TABLE, 3)
    operator.play(TABLE)
    operator.lock(TABLE)
    operator.batch(TABLE, 4)
    operator.reveal(TABLE)


def _opened_before_the_next_batch(operator: Operator) -> None:
    operator.table(TABLE, "keno-express")
    operator.batch(TABLE, 3)
    operator.play(TABLE)
    operator.batch(TABLE, 4)
    committed = operator.tables[TABLE].latest
    operator.lock(TABLE, opened=just_before(committed))
    operator.reveal(TABLE)


def _chained_for_another(operator: Operator) -> None:
    operator.table("other-1", "keno-express")
    operator.table(TABLE, "keno-express")
    operator.batch(TABLE, 6, chained_for="other-1")
    operator.play(TABLE, 2)


def exchanged(operator: Operator, one: int, other: int) -> None:
    """Two records change places, and whatever leads to one of them leads to its new place."""
    records, places = operator.records, {one: other, other: one}
    records[one], records[other] = records[other], records[one]
    for table in operator.tables.values():
        table.index = places.get(table.index, table.index)
        table.locks = {number: places.get(at, at) for number, at in table.locks.items()}
        table.reveals = {number: places.get(at, at) for number, at in table.reveals.items()}
        for batch in table.batches:
            batch.index, batch.salted = places.get(batch.index, batch.index), places.get(batch.salted, batch.salted)


def _batch_before_its_table(operator: Operator) -> None:
    operator.table("other-1", "sic-bo")
    _played()(operator)
    exchanged(operator, 1, 2)


def _batches_exchanged(operator: Operator) -> None:
    operator.table(TABLE, "keno-express")
    for _ in range(2):
        operator.batch(TABLE, 3)
    operator.play(TABLE, 2)
    exchanged(operator, 1, 2)


def _lock_before_its_batch(operator: Operator) -> None:
    _played(rounds=1)(operator)
    exchanged(operator, 1, 2)


def _reveal_before_its_lock(operator: Operator) -> None:
    table = _played()(operator).tables[TABLE]
    exchanged(operator, table.locks[2], table.reveals[2])


def _salt_before_its_batch(operator: Operator) -> None:
    operator.table("other-1", "sic-bo")
    batch = _salted()(operator).tables[TABLE].batches[0]
    exchanged(operator, batch.index, batch.salted)


def _beside_another(operator: Operator) -> None:
    operator.table("other-1", "keno-express")
    operator.batch("other-1", 6)
    _played()(operator)


def _in_two_batches(operator: Operator) -> None:
    operator.table(TABLE, "keno-express")
    for _ in range(2):
        operator.batch(TABLE, 4)
    operator.play(TABLE, 4)


def hint(number: int, **leading: Callable[[Operator], int] | int) -> Callable[[Operator, Files], Files]:
    """The finding aids lead from a round to other records."""

    def change(operator: Operator, files: Files) -> Files:
        table = operator.tables[TABLE]
        path, (_, batch) = rounds_path(table.table_id, number), table.batch_of(number)
        locked, revealed = table.locks.get(number, 0), table.reveals.get(number, 0)
        told = {key: to if isinstance(to, int) else to(operator) for key, to in leading.items()}
        row = replace(RoundPositions(batch.index, batch.salted, locked, revealed), **told)
        at = (number - 1) * RoundPositions.SIZE
        return files | {path: files[path][:at] + bytes(row) + files[path][at + RoundPositions.SIZE :]}

    return change


def cut_rows(kept: int) -> Callable[[Operator, Files], Files]:
    """The finding aids of rounds end after so many."""

    def change(operator: Operator, files: Files) -> Files:
        path = rounds_path(operator.tables[TABLE].table_id, 1)
        return files | {path: files[path][: kept * RoundPositions.SIZE]}

    return change


def _longer(path_of: Callable[[Operator], str]) -> Callable[[Operator, Files], Files]:
    def change(operator: Operator, files: Files) -> Files:
        path = path_of(operator)
        return files | {path: files[path] + b"\0"}

    return change


def _rounds_of(operator: Operator) -> str:
    return rounds_path(operator.tables[TABLE].table_id, 1)


def _tables_of(operator: Operator) -> str:
    return tables_path(operator.tables[TABLE].table_id)


def _without_tables(operator: Operator, files: Files) -> Files:
    return {path: data for path, data in files.items() if path != tables_path(operator.tables[TABLE].table_id)}


def _with_tables(index: int) -> Callable[[Operator, Files], Files]:
    def change(operator: Operator, files: Files) -> Files:
        return files | {tables_path(operator.tables[TABLE].table_id): u64(index) + bytes(16)}

    return change


def _false_commitments(operator: Operator, files: Files) -> Files:
    path = commitments_path(operator.tables[TABLE].batches[0].batch_id)
    return files | {path: files[path][:-1] + bytes([files[path][-1] ^ 1])}


def _without_commitments(operator: Operator, files: Files) -> Files:
    gone = commitments_path(operator.tables[TABLE].batches[0].batch_id)
    return {path: data for path, data in files.items() if path != gone}


def lock_of(name: str, number: int) -> Callable[[Operator], int]:
    """Where a lock stands."""
    return lambda operator: operator.tables[name].locks[number]


def reveal_of(name: str, number: int) -> Callable[[Operator], int]:
    """Where a reveal stands."""
    return lambda operator: operator.tables[name].reveals[number]


def _batch_of(name: str, at: int) -> Callable[[Operator], int]:
    return lambda operator: operator.tables[name].batches[at].index


def _salt_of(at: int) -> Callable[[Operator], int]:
    return lambda operator: operator.tables[TABLE].batches[at].salted


_SEED = bytes(32)
OF_RECORDS: list[RoundLie] = [
    RoundLie("a table of another log", Check.TABLE_ORIGIN, _played({"log": "other.example/log"})),
    RoundLie("a table whose salt is no beacon", Check.TABLE_SALT, _played({"salt": "dice"})),
    RoundLie("a table with a lead that is too short", Check.TABLE_LEAD, _played({"lead": 1})),
    RoundLie("a table with a lead that is too long", Check.TABLE_LEAD, _played({"lead": 1001})),
    RoundLie(
        "a table of a game without its declaration",
        Check.TABLE_DECLARATION,
        _played({"game": "roulette"}),
        code=lambda code: replace(code, game="roulette"),
    ),
    RoundLie("a code of another game", Check.CODE_GAME, _played(), code=lambda code: replace(code, game="hi-lo")),
    RoundLie("a code of another seed", Check.CODE_SEED, _played(), code=lambda code: replace(code, seeds=(_SEED,))),
    RoundLie(
        "a code of a seed too many",
        Check.CODE_SEED,
        _played(),
        code=lambda code: replace(code, seeds=(*code.seeds, _SEED)),
    ),
    RoundLie(
        "a reveal of a seed too many",
        Check.CODE_SEED,
        _ended(reveal={"seeds": lambda seeds: [*seeds, _SEED.hex()]}),
        code=lambda code: replace(code, seeds=(*code.seeds, _SEED)),
    ),
    RoundLie("a batch of an anchor too many", Check.BATCH_CUSTODIANS, _played(batch={"anchors": [_SEED.hex()] * 2})),
    RoundLie("a batch of a root too many", Check.BATCH_CUSTODIANS, _played(batch={"commitments": [_SEED.hex()] * 2})),
    RoundLie("a batch with another anchor", Check.SEED_LINK, _played(batch={"anchors": ["5a" * 32]})),
    RoundLie("a batch with another root", Check.COMMITMENTS_FILE, _played(batch={"commitments": ["5a" * 32]})),
    RoundLie("a batch chained for another table", Check.SEED_LINK, _chained_for_another),
    RoundLie(
        "a batch that commits to other seeds",
        Check.COMMITMENT,
        _played(batch={"committing": lambda d: [p[::-1] for p in d]}),
    ),
    RoundLie("a batch of rules that there are not", Check.BATCH_RULES, _played(batch={"rules": {"version": 0}})),
    RoundLie("a batch with a pulse where there is no salt", Check.BATCH_BEACON, _played(batch={"beacon": 1000})),
    RoundLie("the next batch's number skipped", Check.BATCH_NUMBER, _followed(batch=3), 6),
    RoundLie("the next batch overlaps", Check.BATCH_FIRST, _followed(first=6, count=7), 6),
    RoundLie("the next batch after another table's", Check.BATCH_PREVIOUS, _followed(previous="5a" * 32), 6),
    RoundLie("the next batch of an anchor too many", Check.BATCH_CUSTODIANS, _followed(anchors=[_SEED.hex()] * 2), 6),
    RoundLie("the next batch after the lock", Check.LEAD_COMMITTED, _next_batch_after_the_lock),
    RoundLie("a batch after the lock of its lead", Check.LEAD_COMMITTED, _committed_after_the_lock_of_its_lead),
    RoundLie("a batch before its table", Check.TABLE_KNOWN, _batch_before_its_table),
    RoundLie("two batches exchanged", Check.BATCH_NUMBER, _batches_exchanged),
    RoundLie("a lock before its batch", Check.LEAD_COMMITTED, _lock_before_its_batch, 1),
    RoundLie("a reveal before its lock", Check.REVEAL_LOCKED, _reveal_before_its_lock),
    RoundLie("a batch dated before its table", Check.TIME_ORDER, _played(batch={"committed": LONG_AGO})),
    RoundLie("a lock dated before its batch", Check.TIME_ORDER, _ended({"locked": LONG_AGO}, given_up=True)),
    RoundLie("a reveal dated before its lock", Check.TIME_ORDER, _ended(reveal={"revealed": LONG_AGO})),
    RoundLie("opened after the lock", Check.LOCK_OPENED, _ended({"opened": LONG_AFTER})),
    RoundLie("opened before the table", Check.LOCK_OPENED, _ended({"opened": LONG_AGO})),
    RoundLie("opened before the next batch", Check.LEAD_OPENED, _opened_before_the_next_batch),
    RoundLie("given up and played", Check.REVEAL_GIVEN_UP, _ended(reveal={"status": "played"}, given_up=True)),
    RoundLie("given up with two reasons", Check.REVEAL_REASON, _ended(reveal={"reason": "why"}, given_up=True)),
    RoundLie("void without a reason", Check.REVEAL_REASON, _ended(reveal={"status": "void"})),
    RoundLie("played with a reason", Check.REVEAL_REASON, _ended(reveal={"reason": "why"})),
    RoundLie("no digest where bets are required", Check.BETS_REQUIRED, _ended({"bets": ABSENT}, requires_bets=True)),
    RoundLie("a reveal that was respelled", Check.RECORD_FORM, _ended(reveal={"respelled": respelled(",", ", ")})),
    RoundLie("a lock that was respelled", Check.RECORD_FORM, _ended({"respelled": respelled(",", ", ")})),
    RoundLie("a lock of a later version", Check.RECORD_FORM, _ended({"v": 2})),
    RoundLie("another outcome", Check.OUTCOME, _ended(reveal={"outcome": {"number": 101}})),
    RoundLie(
        "another outcome of a void round", Check.OUTCOME, _ended(reveal={"outcome": {"number": 101}}, given_up=True)
    ),
]
"""What the log signed."""

OF_SALTS: list[RoundLie] = [
    RoundLie("a batch that names no pulse", Check.BATCH_BEACON, _salted({"beacon": ABSENT}), salted=True),
    RoundLie(
        "a batch that names a known pulse", Check.BATCH_BEACON, _salted({"beacon": FIRST_PULSE - 4}), salted=True
    ),
    RoundLie(
        "a batch that names a pulse of later",
        Check.BATCH_BEACON,
        _salted({"beacon": FIRST_PULSE + 1200}),
        salted=True,
    ),
    RoundLie(
        "a pulse of another round", Check.SALT_SIGNATURE, _salted(salt={"signature": REAL[1000].hex()}), salted=True
    ),
    RoundLie(
        "a salt before its pulse", Check.SALT_TIME, _salted(salt={"salted": just_before(PULSE_TIME)}), salted=True
    ),
    RoundLie("a salt before its batch", Check.SALT_AWAITED, _salt_before_its_batch, salted=True),
    RoundLie("a salt after the lock", Check.LEAD_COMMITTED, _locked_before_the_salt, 1, salted=True),
    RoundLie("opened before the salt", Check.LEAD_OPENED, _salted(lock={"opened": PULSE_TIME}), salted=True),
    RoundLie("an outcome without the salt", Check.OUTCOME, _outcome_without_salt, 3, salted=True),
    RoundLie("a salt of another batch", Check.ROUND_RECORDS, _salted(salt={"batch": 2}), is_shown=False, salted=True),
    RoundLie(
        "a salt of another table", Check.ROUND_RECORDS, _salted(salt={"table": "x"}), is_shown=False, salted=True
    ),
    RoundLie(
        "the next batch's salt",
        Check.ROUND_RECORDS,
        _salted_twice,
        3,
        hint(3, salt=_salt_of(1)),
        is_shown=False,
        salted=True,
    ),
    RoundLie(
        "no hint at a salt", Check.LEAD_COMMITTED, _salted_twice, 3, hint(5, salt=0), is_shown=False, salted=True
    ),
]
"""What it signed about salts."""

_HINTS: list[tuple[str, Check, Callable[[Operator], object], int, Callable[[Operator, Files], Files]]] = [
    ("a hint at another round's lock", Check.ROUND_RECORDS, _played(), 2, hint(2, lock=lock_of(TABLE, 1))),
    ("a hint at another round's reveal", Check.ROUND_RECORDS, _played(), 2, hint(2, reveal=reveal_of(TABLE, 1))),
    (
        "a hint at a reveal in the place of a lock",
        Check.ROUND_RECORDS,
        _played(),
        2,
        hint(2, lock=reveal_of(TABLE, 1)),
    ),
    ("a hint at another batch", Check.ROUND_RECORDS, _in_two_batches, 2, hint(2, batch=_batch_of(TABLE, 1))),
    ("a hint at an earlier batch", Check.ROUND_RECORDS, _in_two_batches, 3, hint(5, batch=_batch_of(TABLE, 0))),
    (
        "a hint at another table's batch",
        Check.ROUND_RECORDS,
        _beside_another,
        2,
        hint(2, batch=_batch_of("other-1", 0)),
    ),
    ("no hint at the next batch", Check.LEAD_COMMITTED, _in_two_batches, 4, hint(5, batch=0)),
    ("finding aids that end before the next batch", Check.LEAD_COMMITTED, _in_two_batches, 4, cut_rows(4)),
    ("a lead that nothing commits", Check.LEAD_COMMITTED, _played(rounds=5), 5, cut_rows(6)),
    (
        "no hint at the lock of the lead",
        Check.ROUND_RECORDS,
        _committed_after_the_lock_of_its_lead,
        4,
        hint(2, lock=0),
    ),
    (
        "a hint at another lock of the lead",
        Check.ROUND_RECORDS,
        _committed_after_the_lock_of_its_lead,
        4,
        hint(2, lock=lock_of(TABLE, 3)),
    ),
    ("a hint at a lock that is not there yet", Check.CODE_ROUND, _played(), 2, hint(2, lock=1 << 40)),
    ("a hint at a reveal that is not there yet", Check.CODE_ROUND, _played(), 2, hint(2, reveal=1 << 40)),
    ("finding aids that end before the round", Check.CODE_ROUND, _played(), 2, cut_rows(1)),
    ("finding aids of rounds with a byte too many", Check.ROUND_RECORDS, _played(), 2, _longer(_rounds_of)),
    ("finding aids of tables with a byte too many", Check.ROUND_RECORDS, _played(), 2, _longer(_tables_of)),
    ("no finding aids of tables", Check.CODE_TABLE, _played(), 2, _without_tables),
    ("a hint at a batch in the place of a table", Check.ROUND_RECORDS, _played(), 2, _with_tables(1)),
    ("a hint at another table", Check.ROUND_RECORDS, _beside_another, 2, _with_tables(0)),
    ("a hint at a table that is not there yet", Check.CODE_TABLE, _played(), 2, _with_tables(1 << 40)),
]
OF_AIDS: list[RoundLie] = [RoundLie(*lie, is_shown=False) for lie in _HINTS]
"""What only finding aids say."""

OF_FILES: list[RoundLie] = [
    RoundLie("a false file of commitments", Check.COMMITMENTS_FILE, _played(), aids=_false_commitments),
    RoundLie("no file of commitments", Check.COMMITMENTS_FILE, _played(), aids=_without_commitments),
]
LIES: list[RoundLie] = [*OF_RECORDS, *OF_SALTS, *OF_AIDS, *OF_FILES]
