"""Every way in which the file that shows when witnesses saw a batch can be false (SPEC 5.8).

Each log is legal for somebody who has only its key. With a policy each is refused, but for those of `LEGAL`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from fairness.checks import Check
from fairness.hashing import sha256
from fairness.log.notes import SigningKey
from fairness.policy.witnessed import witnessed_path
from tests.support.dishonest_operator import KEY, Batch, Operator
from tests.support.witnessed import (
    EARLY,
    checkpoint_of,
    pulse_time,
    witnessed_file,
    witnessed_log,
)
from tests.support.witnesses import LAB, PRESS, REGULATOR, Cosigner

TABLE = "salty-1"
_CHECKPOINT = b"\n\n" + KEY.name.encode() + b"\n"


@dataclass(frozen=True)
class Log:
    """A log that is witnessed, and the batch about which somebody lies: the second of its salted table."""

    operator: Operator

    @property
    def batch(self) -> Batch:
        """That batch."""
        return self.operator.tables[TABLE].batches[1]

    @property
    def pulse(self) -> int:
        """When its pulse can exist."""
        return pulse_time(self.operator, self.batch)

    def honest(self) -> bytes:
        """Its file, as it should be."""
        return self.seen(self.pulse - EARLY)

    def seen(self, time: int, *witnesses: Cosigner, size: int | None = None, extra: bytes = b"") -> bytes:
        """Its file, with the cosignatures of these witnesses (by default two) at ``time``."""
        records, chosen = self.operator.records, witnesses or (LAB, PRESS)
        return witnessed_file(records, self.batch.index, time, size=size, witnesses=chosen, extra=extra)

    def note(self) -> bytes:
        """The log's signed checkpoint in its file, without a cosignature."""
        return checkpoint_of(self.operator.records, self.batch.index + 1).sign(KEY)

    def files(self, data: bytes | None) -> dict[str, bytes]:
        """The log with other ``data`` as that file, or without it."""
        files, path = witnessed_log(self.operator), witnessed_path(self.batch.batch_id)
        del files[path]
        return files if data is None else files | {path: data}


@dataclass(frozen=True)
class FalseFile:
    """One way of lying: what is served as the batch's file, or nothing."""

    name: str
    make: Callable[[Log], bytes | None]
    check: Check = Check.BATCH_WITNESSED

    def __str__(self) -> str:
        return self.name.replace(" ", "-")


def _of_first_batch(log: Log) -> bytes:
    first = log.operator.tables[TABLE].batches[0]
    return witnessed_file(log.operator.records, first.index, log.pulse - EARLY)


def _signed_by_another(log: Log) -> bytes:
    other = checkpoint_of(log.operator.records, log.batch.index + 1).sign(
        SigningKey(KEY.name, sha256(b"another key"))
    )
    return log.honest().replace(log.note(), other)


def _of_a_fork(log: Log) -> bytes:
    # The batch is the same, but the log before it is not.
    records = [log.operator.records[0].replace(b'"v":1', b'"v":2'), *log.operator.records[1:]]
    return witnessed_file(records, log.batch.index, log.pulse - EARLY)


def _of_more_records(log: Log) -> bytes:
    records = [*log.operator.records, b"{}"]
    return witnessed_file(records, log.batch.index, log.pulse - EARLY, size=len(records))


def _cosigned_for_another(log: Log) -> bytes:
    """The second line is a true cosignature, of another checkpoint."""
    other = checkpoint_of(log.operator.records).sign(KEY)
    return log.seen(log.pulse - EARLY, LAB) + PRESS.line(other, log.pulse - EARLY)


def _in_the_name_of(log: Log) -> bytes:
    """Somebody else's line, under the name of a witness."""
    stranger = Cosigner("stranger").line(log.note(), log.pulse - EARLY)
    return log.seen(log.pulse - EARLY, LAB) + stranger.replace(b"stranger.example", b"press.example")


def _two_of_three_late(log: Log) -> bytes:
    late = log.pulse - 9
    return log.seen(log.pulse - EARLY, LAB) + PRESS.line(log.note(), late) + REGULATOR.line(log.note(), late)


def _hash_too_many(log: Log) -> bytes:
    head, divider, rest = log.honest().partition(_CHECKPOINT)
    return head + b"\n" + head.rpartition(b"\n")[2] + divider + rest


def _hash_too_few(log: Log) -> bytes:
    head, divider, rest = log.honest().partition(_CHECKPOINT)
    return head.rpartition(b"\n")[0] + divider + rest


def _another_hash(log: Log) -> bytes:
    head, divider, rest = log.honest().partition(_CHECKPOINT)
    return head.rpartition(b"\n")[0] + b"\n" + b"A" * 43 + b"=" + divider + rest


def _index(log: Log, found: int | str) -> bytes:
    return log.honest().replace(f"index {log.batch.index}\n".encode(), f"index {found}\n".encode())


LIES: list[FalseFile] = [
    FalseFile("no file of a batch", lambda _: None),
    FalseFile("a batch that one of two witnesses saw", lambda log: log.seen(log.pulse - EARLY, LAB)),
    FalseFile(
        "a batch that one witness saw twice",
        lambda log: log.seen(log.pulse - EARLY, LAB) + LAB.line(log.note(), log.pulse - EARLY + 1),
    ),
    FalseFile("a batch that nobody saw", lambda log: log.seen(log.pulse, Cosigner("stranger"))),
    FalseFile("a batch that was seen in the last ten seconds", lambda log: log.seen(log.pulse - 9)),
    FalseFile("a batch that two of three saw in the last ten seconds", _two_of_three_late),
    FalseFile("a batch that was seen after its pulse", lambda log: log.seen(log.pulse + 1)),
    FalseFile("a batch at another index", lambda log: _index(log, log.batch.index - 1)),
    FalseFile("an index with a leading zero", lambda log: _index(log, f"0{log.batch.index}")),
    FalseFile("a hash too many to a batch", _hash_too_many),
    FalseFile("a hash too few to a batch", _hash_too_few),
    FalseFile("another hash to a batch", _another_hash),
    FalseFile("a batch in a checkpoint of another key", _signed_by_another),
    FalseFile("a cosignature that does not verify", lambda log: log.honest() + REGULATOR.false_line()),
    FalseFile("a cosignature of another checkpoint", _cosigned_for_another),
    FalseFile("a line in the name of a witness", _in_the_name_of),
    FalseFile("the file of another batch", _of_first_batch),
    FalseFile("a batch in a checkpoint larger than the log", _of_more_records),
    FalseFile("a batch in a checkpoint of a fork", _of_a_fork, Check.LOG_EXTENDS),
    FalseFile("a file that is no proof", lambda _: b"seen by everybody\n"),
]
LEGAL: list[FalseFile] = [
    FalseFile("what it should be", Log.honest),
    FalseFile("what the writer added", lambda log: log.seen(log.pulse - EARLY, extra=b"nobody vouches for this")),
    FalseFile("a stranger and a late witness", lambda log: log.honest() + REGULATOR.line(log.note(), log.pulse + 99)),
    FalseFile("a later checkpoint", lambda log: log.seen(log.pulse - 10, size=log.batch.index + 2)),
]
"""Files that differ from what an operator writes, and show the same."""
