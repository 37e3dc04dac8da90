"""Files that show when witnesses saw a batch: in time or not, and every false one that can be told from the file
alone.
"""

from __future__ import annotations

from typing import Any

from fairness.checks import Check
from fairness.hashing import leaf_hash
from fairness.limits import LARGEST_EXTRA, LARGEST_TLOG_PROOF
from fairness.policy.policy import Policy
from fairness.policy.witnessed import check_witnessed
from tests.lies.witnessed import LEGAL, LIES, Log
from tests.recipes import Case, Format, Json, invalid, valid
from tests.recipes.policies import TRUST
from tests.support.witnessed import EARLY, POLICY, salted_operator, witnessed_file
from tests.support.witnesses import LAB, PRESS

_NEEDS_THE_LOG = {"a batch in a checkpoint larger than the log"}


def _given(file: bytes, policy: bytes, batch_id: bytes, index: int, pulse: int | None) -> Json:
    known = {} if pulse is None else {"pulse": pulse}
    return {"text": file.decode(), "policy": policy.decode(), "batch_id": batch_id.hex(), "index": index} | known


def _accepted(name: str, given: Json) -> Case:
    found = check_witnessed(
        given["text"].encode(),
        batch_id=bytes.fromhex(given["batch_id"]),
        index=given["index"],
        pulse=given.get("pulse"),
        policy=Policy.parse(given["policy"].encode()),
    )
    return valid(name, given, {"size": found.head.checkpoint.size, "time": found.time})


def _of_another_implementation() -> list[Case]:
    cases = []
    policy = TRUST["policies"][0]["policy"].encode()
    for number, case in enumerate(TRUST["witnessed"]):
        batch_id = leaf_hash(case["batch_record"].encode())
        given = _given(case["file"].encode(), policy, batch_id, case["index"], case["pulse_time"])
        name = f"another implementation's, {case.get('bug', f'number {number + 1}')}"
        cases.append(_accepted(name, given) if case["valid"] else invalid(name, given, case["bug"]))
    return cases


def _long_line() -> bytes:
    """The signature of a stranger, as long as a whole file may be."""
    return "— stranger.example ".encode() + b"A" * LARGEST_TLOG_PROOF + b"\n"


def _cases() -> list[Case]:
    log = Log(salted_operator())
    batch, pulse = log.batch, log.pulse

    def given(file: bytes, time: int | None = pulse) -> Json:
        return _given(file, POLICY, batch.batch_id, batch.index, time)

    false: list[tuple[str, Any]] = [
        (lie.name, lie.make(log))
        for lie in LIES
        if lie.check is Check.BATCH_WITNESSED and lie.name not in _NEEDS_THE_LOG
    ]
    records = [*log.operator.records, log.operator.records[batch.index]]
    twice = witnessed_file(records, len(records) - 1, pulse - EARLY)
    most = bytes(LARGEST_EXTRA)
    late = log.seen(pulse - EARLY, LAB) + PRESS.line(log.note(), pulse - 9)
    return [
        *_of_another_implementation(),
        *(_accepted(each.name, given(each.make(log) or b"")) for each in LEGAL),
        _accepted("what the writer added, as much as there may be", given(log.seen(pulse - EARLY, extra=most))),
        invalid(
            "more than the writer may add", given(log.seen(pulse - EARLY, extra=most + b"\0")), "a file without limit"
        ),
        invalid("more bytes than a file may have", given(log.honest() + _long_line()), "a file without limit"),
        _accepted("seen at the last moment", given(log.seen(pulse - 10))),
        _accepted("a second line that is late", given(log.honest() + PRESS.line(log.note(), pulse + 1))),
        _accepted("seen late, but the beacon is unknown", given(log.seen(pulse + 99), None)),
        *(
            invalid(name, given(file), f"a reader that takes this for a batch that was seen in time: {name}")
            for name, file in false
            if file is not None
        ),
        invalid(
            "a batch that stands in the log twice", given(twice), "an index that is not compared with the batch's"
        ),
        invalid("the second of two is late", given(late), "the earliest time taken for that of the quorum"),
        invalid(
            "one of two, and the beacon is unknown",
            given(log.seen(pulse - EARLY, LAB), None),
            "a quorum that is demanded only with a time",
        ),
    ]


FORMATS = [Format("witnessed", "check", "5.8", _cases)]
