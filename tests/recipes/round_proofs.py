"""Proof files of rounds: of every stage, and every lie that a dishonest operator could sign into one."""

from __future__ import annotations

from collections.abc import Sequence
from copy import deepcopy
from dataclasses import replace

from fairness.checks import Check
from fairness.hashing import leaf_hash, sha256
from fairness.limits import LARGEST_ROUND_PROOF
from fairness.log.merkle_proofs import inclusion_path
from fairness.log.notes import SigningKey
from fairness.log.proof import Inclusion
from fairness.policy.policy import Policy
from fairness.round.authentic_log import AuthenticLog
from fairness.round.proof import RoundProof
from fairness.round.proof_sections import ProvenCommitment, ProvenRecord
from tests.lies import BEFORE_PULSES, of_a_later_scheme
from tests.lies.proofs import LIES, SALTED_LIES, forged
from tests.lies.witnessed import Log
from tests.recipes import Case, Format, Json, invalid, spelled, valid
from tests.recipes.cases.small import tiles_of
from tests.support import sandbox
from tests.support.beacons import OURS
from tests.support.dishonest_operator import KEY, Batch, Operator
from tests.support.proofs import proof_from, proof_of, seen_sections
from tests.support.witnessed import EARLY, POLICY, checkpoint_of, salted_operator, witnessed_file
from tests.support.witnesses import NOON
from verifier.round.proof_check import check_proof

VKEY = str(KEY.verifier_key)
LONGEST_LINE_OF_ASIDE = 65_535


def _given(proof: bytes) -> Json:
    return spelled(proof) | {"key": VKEY}


def _proof(
    operator: Operator,
    number: int,
    sections: dict[str, int],
    commitments: Sequence[ProvenCommitment],
    witnessed: bytes | None = None,
) -> bytes:
    """A file with the records at these positions, whatever they are; every path leads to the root."""
    log = AuthenticLog.open(operator.files().__getitem__, KEY.verifier_key)

    def proven(name: str) -> ProvenRecord | None:
        index = sections.get(name)
        if index is None:
            return None
        return ProvenRecord(operator.records[index], Inclusion(index, tuple(log.tiles.inclusion_path(index))))

    table, batch = proven("table"), proven("batch")
    if table is None or batch is None:
        raise ValueError("every file has a table and a batch")
    return bytes(
        RoundProof(
            "keno-1",
            number,
            table=table,
            batch=batch,
            commitments=tuple(commitments),
            checkpoint=log.head.note,
            salt=proven("salt"),
            lead_lock=proven("lead-lock"),
            lock=proven("lock"),
            reveal=proven("reveal"),
            witnessed=witnessed,
        )
    )


def _promised(batch: Batch, place: int) -> list[ProvenCommitment]:
    """The commitments at a place of a batch, with their paths."""
    return [
        ProvenCommitment(
            digests[place], Inclusion(place, tuple(inclusion_path(list(map(leaf_hash, digests)), place)))
        )
        for digests in batch.digests
    ]


def _at_one_time() -> Operator:
    """Three rounds whose records have the same time, so that only their order says which was first."""
    operator = Operator()
    time = operator.time()
    operator.table("keno-1", "keno-express", created=time)
    operator.batch("keno-1", 6, committed=time)
    for _ in range(3):
        operator.lock("keno-1", opened=time, locked=time)
        operator.reveal("keno-1", revealed=time)
    return operator


def _out_of_order(number: int, first: str, second: str) -> bytes:
    """The proof of a round with two of its records exchanged."""
    operator = _at_one_time()
    table = operator.tables["keno-1"]
    sections = {"table": table.index, "batch": table.batches[0].index, "lock": table.locks[number]}
    sections["reveal"] = table.reveals[number]
    if number > 1:
        sections["lead-lock"] = table.locks[number - LEAD]
    one, other = sections[first], sections[second]
    records = operator.records
    records[one], records[other] = records[other], records[one]
    sections[first], sections[second] = other, one
    return _proof(operator, number, sections, _promised(table.batches[0], number - 1))


LEAD = 2


def _single_faults() -> list[Case]:
    """Files with one fault that no other check detects."""

    def fault(name: str, proof: bytes, catches: str) -> Case:
        return invalid(name, _given(proof), catches)

    cases = [
        fault(
            f"a {second} before its {first}", _out_of_order(number, first, second), "an order that is not looked at"
        )
        for number, first, second in (
            (3, "table", "batch"),
            (3, "batch", "lead-lock"),
            (3, "lead-lock", "lock"),
            (1, "batch", "lock"),
            (3, "lock", "reveal"),
        )
    ]
    operator = _operator(["house"])
    table, batch = operator.tables["keno-1"], operator.tables["keno-1"].batches[0]
    both = {"table": table.index, "batch": batch.index}
    operator.table("keno-2", "keno-express")
    operator.batch("keno-2", 7)
    other = operator.tables["keno-2"].batches[0]
    true, next_one = _promised(batch, 5), _promised(batch, 6)
    to_come = bytes(proof_of(operator, "keno-1", 7))
    short, wide, two = Operator(), Operator(), _operator(["house", "lab"])
    short.table("keno-1", "keno-express")
    short.batch("keno-1", 6, count=3)
    wide.table("keno-1", "keno-express")
    wide.batch("keno-1", 6, commitments=lambda found: [*found, "5a" * 32])
    late = Operator()
    late.table("keno-1", "keno-express")
    late.batch("keno-1", 3, first=(1 << 48) - 1)
    with_two = _promised(two.tables["keno-1"].batches[0], 5)

    def of(made: Operator) -> dict[str, int]:
        own = made.tables["keno-1"]
        return {"table": own.index, "batch": own.batches[0].index}

    return [
        *cases,
        fault(
            "a lead-lock of another round",
            _proof(operator, 4, both | {"lead-lock": table.locks[1], "lock": table.locks[4]}, _promised(batch, 3)),
            "a lead that is shorter than the table's",
        ),
        fault(
            "a lead-lock of the first round",
            _proof(operator, 1, both | {"lead-lock": table.locks[1]}, _promised(batch, 0)),
            "a lock that shows nothing taken for one that does",
        ),
        fault(
            "a reveal for a lead-lock",
            _proof(operator, 4, both | {"lead-lock": table.reveals[2]}, _promised(batch, 3)),
            "records whose type is not looked at",
        ),
        fault(
            "a batch of another table",
            _proof(operator, 6, both | {"batch": other.index}, _promised(other, 5)),
            "a batch that promises another table's rounds",
        ),
        fault(
            "a batch that ends before the round",
            _proof(short, 4, of(short), _promised(short.tables["keno-1"].batches[0], 3)),
            "a batch that does not hold the round",
        ),
        fault(
            "a root too many in the batch",
            _proof(wide, 4, of(wide), _promised(wide.tables["keno-1"].batches[0], 3)),
            "roots that are not counted",
        ),
        fault(
            "a round of 2 to the 48th",
            _proof(late, 1 << 48, of(late), _promised(late.tables["keno-1"].batches[0], 1)),
            "a round without limit",
        ),
        fault("a commitment too many", _proof(operator, 6, both, true * 2), "commitments that are not counted"),
        fault("a commitment too few", _proof(two, 6, of(two), with_two[:1]), "commitments that are not counted"),
        fault("the next round's commitment", _proof(operator, 6, both, next_one), "a place that is not looked at"),
        fault(
            "a record that the log does not have",
            to_come.replace(b'"created":"2026-11-20T22:49:02', b'"created":"2026-11-20T22:49:01', 1),
            "a path that is not compared with the checkpoint's root",
        ),
        fault(
            "no empty line behind the second line",
            to_come.replace(b"round keno-1 7\n\n", b"round keno-1 7\n", 1),
            "parts that are found by their form",
        ),
        fault(
            "a section without an index",
            b"\n\n".join(
                b"\n".join(part.split(b"\n")[:2]) if part.startswith(b"batch\n") else part
                for part in to_come.split(b"\n\n")
            ),
            "a reader that reads past the end",
        ),
        fault("nine commitments", _proof(operator, 6, both, true * 9), "commitments that are not counted"),
        fault(
            "a lock in the place of the table",
            _proof(operator, 6, both | {"table": table.locks[1]}, true),
            "records whose type is not looked at",
        ),
        fault(
            "a record of more bytes than it may have",
            to_come.replace(b"\nbatch\n", b"\nbatch\n" + b" " * 65_536, 1),
            "a record without limit",
        ),
        fault(
            "64 hashes to a record",
            to_come.replace(b"\n\nbatch\n", b"\n" + b"\n".join([b"A" * 43 + b"="] * 64) + b"\n\nbatch\n", 1),
            "a path without limit",
        ),
        fault("no table", _without(to_come, 1), "a reader that takes what is there"),
        fault("no batch", _without(to_come, 2), "a reader that takes what is there"),
    ]


def _salted() -> list[Case]:
    """Proof files of tables with a salt: at every stage, and with faults of their own."""
    operator = Operator(start=BEFORE_PULSES)
    operator.table("keno-1", "keno-express", ["house", "lab"], salted_by="quicknet")
    operator.table("keno-2", "keno-express", salted_by=OURS.chain_hash.hex())
    for name in ("keno-1", "keno-2"):
        operator.batch(name, 4)
        operator.rest(1 / 120)
    awaiting = _accepted("a round that awaits its salt", operator, 4)
    for name in ("keno-1", "keno-2"):
        operator.salt(name)
    salted = _accepted("a round that is salted, before any lock", operator, 4)
    operator.play("keno-1", 2)
    operator.play("keno-2", 1)
    foreign = spelled(bytes(proof_of(operator, "keno-2", 1))) | {"key": VKEY}
    told = {"outcome": operator.tables["keno-2"].outcome_of(1), "round": 1, "rounds_ahead": 0, "stage": "ended"}
    told |= {"table": "keno-2"}
    sections = bytes(proof_of(operator, "keno-1", 2)).split(b"\n\n")
    locked = deepcopy(operator)
    locked.lock("keno-1")
    not_revealed = bytes(proof_of(locked, "keno-1", 3)).split(b"\n\n")
    plain = _operator(["house"])
    table, batch = plain.tables["keno-1"], plain.tables["keno-1"].batches[0]
    plain.salt("keno-1")
    unwanted = {"table": table.index, "batch": batch.index, "salt": len(plain.records) - 1}
    return [
        awaiting,
        salted,
        _accepted("a played round of a table with a salt", operator, 2),
        _accepted("the last round of a table with a salt, not locked", operator, 4),
        valid("a played round, salted by a beacon that is known", foreign | {"beacons": [str(OURS)]}, told),
        valid("a played round, salted by an unknown beacon", foreign, told | {"unknown": True}),
        _salted_by_a_later_scheme(64),
        _salted_by_a_later_scheme(8192),
        invalid(
            "no salt before the lock",
            _given(b"\n\n".join([*sections[:3], *sections[4:]])),
            "a salt that is looked at if it is there",
        ),
        invalid(
            "no salt before the lock of a round that is not revealed",
            _given(b"\n\n".join([*not_revealed[:3], *not_revealed[4:]])),
            "a salt that only the outcome needs",
        ),
        invalid(
            "a salt where the table has none",
            _given(_proof(plain, 6, unwanted, _promised(batch, 5))),
            "a salt that is passed over",
        ),
        invalid(
            "a lead-lock before the salt",
            _given(_salted_out_of_order("salt", "lead-lock")),
            "an order that is not looked at",
        ),
        invalid(
            "a salt before its batch",
            _given(_salted_out_of_order("batch", "salt", OURS.chain_hash.hex())),
            "an order that is not looked at, because the beacon is unknown",
        ),
    ]


def _salted_by_a_later_scheme(size: int) -> Case:
    """An unknown beacon may sign by another scheme; the salt is a hash of whatever it signs."""
    operator = of_a_later_scheme(size)
    told = {"outcome": operator.tables["keno-1"].outcome_of(2), "round": 2, "rounds_ahead": 1, "stage": "ended"}
    name = f"a played round, salted by an unknown beacon whose signature has {2 * size} digits"
    return valid(name, _given(bytes(proof_of(operator, "keno-1", 2))), told | {"table": "keno-1", "unknown": True})


def _witnessed() -> list[Case]:
    """Proof files with what witnesses saw of the batch, by a policy and without one."""
    log = Log(salted_operator().play("salty-1", 3))
    table_id = log.operator.tables["salty-1"].table_id

    def proof(data: bytes | None = None, number: int = 5) -> bytes:
        return bytes(proof_from(log.files(log.honest() if data is None else data), table_id, number))

    def by_policy(data: bytes) -> Json:
        return spelled(data) | {"policy": POLICY.decode()}

    good, late = proof(), proof(log.seen(log.pulse - 9))
    section = seen_sections(good)
    report = check_proof(good, Policy.parse(POLICY))
    told: Json = {"outcome": log.operator.tables["salty-1"].outcome_of(5), "round": 5, "rounds_ahead": report.ahead}
    told |= {"stage": "ended", "table": "salty-1"}
    seen = {"witnessed": log.pulse - EARLY}
    without, moved = good.replace(section, b""), good.replace(section, b"")
    moved = moved.replace(b"\n\nlock\n", b"\n\n" + section + b"lock\n")
    plain = bytes(proof_of(_operator(["house"]), "keno-1", 2))
    given = {"key": VKEY, "beacons": [str(OURS)]}
    checkpoint = section.partition(b"\n\n")[2]
    before, _, after = section.partition(b"\n\n\xe2")
    unsigned = good.replace(section, before + b"\n\n\n\n" + after.partition(b"\n\n")[2])
    return [
        valid("a batch that witnesses saw in time", by_policy(good), told | seen),
        valid("a batch that witnesses saw, and nobody asks", spelled(good) | given, told),
        *_consistent(log, good, told),
        *_later(good, told),
        valid("a batch that witnesses saw too late, and nobody asks", spelled(late) | given, told),
        valid("a batch of which the file says nothing, and nobody asks", spelled(without) | given, told),
        invalid("a batch that witnesses saw too late", by_policy(late), "a section that is only parsed"),
        invalid("a batch of which the file says nothing", by_policy(without), "a section that may be left out"),
        invalid("witnessed after the lead-lock", spelled(moved) | given, "sections that are found by name"),
        invalid("witnessed twice", spelled(good.replace(section, 2 * section)) | given, "the last of two sections"),
        invalid(
            "witnessed where the table has no salt",
            _given(plain.replace(b"\n\nlock\n", b"\n\n" + section + b"lock\n")),
            "a section that is passed over",
        ),
        invalid(
            "witnessed where the table has no salt, of this log",
            _given(_witnessed_without_salt()),
            "a section that is passed over",
        ),
        invalid(
            "witnessed without a proof",
            spelled(good.replace(section, b"witnessed\nby many\n\n" + checkpoint)) | given,
            "a section that is not parsed if nobody asks",
        ),
        invalid(
            "witnessed without the empty line of its checkpoint",
            spelled(good.replace(section, section.replace(b"\n\n\xe2", b"\n\xe2"))) | given,
            "parts that are not counted",
        ),
        invalid(
            "witnessed without signatures",
            spelled(unsigned) | given,
            "a part that may be empty",
        ),
        invalid(
            "an empty line below the last section's name",
            spelled(good.replace(b"\n\ncheckpoint\n", b"\n\ncheckpoint\n\n")) | given,
            "a section that is found by the beginning of its name's line",
        ),
    ]


def _witnessed_without_salt() -> bytes:
    """Witnesses saw the batch of a table without a salt, and the file says so, although nobody may ask."""
    operator = _operator(["house"])
    batch, tiles = operator.tables["keno-1"].batches[0], tiles_of(operator)
    seen = witnessed_file(operator.records, batch.index, NOON)
    hashes = tuple(tiles.consistency_path(batch.index + 1))
    return bytes(replace(proof_of(operator, "keno-1", 2), witnessed=seen, consistency=hashes))


def _as_long_as(good: bytes, size: int) -> bytes:
    """The file with an aside that makes it so many bytes long."""
    last, head = b"\n\ncheckpoint\n", b"\n\naside-a"
    left, lines = size - len(good) - len(head), list[bytes]()
    while left:
        length = min(left - 1, LONGEST_LINE_OF_ASIDE)
        lines.append(b"\n" + b"x" * length)
        left -= length + 1
    return good.replace(last, head + b"".join(lines) + last, 1)


def _consistent(log: Log, good: bytes, told: Json) -> list[Case]:
    """Whether the checkpoint in which witnesses saw the batch begins that of the file, which nobody need ask."""
    given: Json = {"key": VKEY, "beacons": [str(OURS)]}
    proof = RoundProof.parse(good)
    hashes = proof.consistency or ()
    records, index = log.operator.records, log.batch.index
    fork = witnessed_file(_other(records), index, log.pulse)
    unsigned = witnessed_file(records, index, log.pulse, key=SigningKey(KEY.name, sha256(b"somebody else's")))

    def read(changed: RoundProof) -> Json:
        return spelled(bytes(changed)) | given

    return [
        valid("witnessed in a checkpoint of the same size", read(_as_large(log, proof)), told),
        invalid("no consistency", read(replace(proof, consistency=None)), "a fork that the file leaves out"),
        invalid("consistency without a hash", read(replace(proof, consistency=())), "hashes that are not counted"),
        invalid(
            "a hash of consistency too few",
            read(replace(proof, consistency=hashes[:-1])),
            "hashes that are not counted",
        ),
        invalid(
            "a hash of consistency too many",
            read(replace(proof, consistency=(*hashes, bytes(32)))),
            "hashes that are left over",
        ),
        invalid(
            "another hash of consistency",
            read(replace(proof, consistency=(bytes(32), *hashes[1:]))),
            "hashes that are not used",
        ),
        invalid(
            "a fork that witnesses saw, and nobody asks",
            read(replace(proof, witnessed=fork)),
            "two histories in one file",
        ),
        invalid(
            "a fork of the same size that witnesses saw, and nobody asks",
            read(_as_large(log, proof, forged=True)),
            "equal sizes that are not compared",
        ),
        invalid(
            "consistency for equal sizes",
            read(replace(_as_large(log, proof), consistency=hashes)),
            "an idle section",
        ),
        invalid(
            "consistency without witnessed", read(replace(proof, witnessed=None)), "a section that is only parsed"
        ),
        invalid(
            "witnessed in the name of another key",
            read(replace(proof, witnessed=unsigned)),
            "a signature that nobody checks",
        ),
        invalid(
            "witnessed in a larger checkpoint",
            read(replace(proof, checkpoint=_smaller(log), consistency=None)),
            "a fork that cannot be compared",
        ),
    ]


def _later(good: bytes, told: Json) -> list[Case]:
    """Asides, sections that this version does not know, and a file of a later version."""
    given: Json = {"key": VKEY, "beacons": [str(OURS)]}
    last = b"\n\ncheckpoint\n"

    def added(*sections: bytes, before: bytes = last) -> Json:
        return spelled(good.replace(before, b"".join(b"\n\n" + each for each in sections) + before, 1)) | given

    def text(data: bytes) -> Json:
        return spelled(data) | given

    form = "a section whose form is not looked at"
    many = b"aside-a\n" + b"\n".join([b"x"] * 1024)
    return [
        valid("two asides", added(b"aside-a\nfirst\nsecond", b"aside-b\n{}"), told),
        valid("an aside of 1024 lines", added(many), told),
        valid(
            "a section of a later version", added(b"later\nwhatever", before=b"\n\nlock\n"), told | {"unknown": True}
        ),
        valid("a section of a later version twice", added(b"later\na", b"later\na"), told | {"unknown": True}),
        valid("a file of a later version", text(good.replace(b"/v1/", b"/v2/", 1)), {"unknown": True}),
        valid(
            "a file of a later version that is otherwise empty", text(b"foredraw/v2/round-proof\n"), {"unknown": True}
        ),
        invalid(
            "a file of version 0",
            text(good.replace(b"/v1/", b"/v0/", 1)),
            "any other version that is taken for a later one",
        ),
        invalid(
            "a file of version 02",
            text(good.replace(b"/v1/", b"/v02/", 1)),
            "a number that is not in its one spelling",
        ),
        invalid("asides in another order", added(b"aside-b\nx", b"aside-a\nx"), form),
        invalid("an aside twice", added(b"aside-a\nx", b"aside-a\nx"), form),
        invalid("an aside before the lock", added(b"aside-a\nx", before=b"\n\nlock\n"), form),
        invalid("an aside of 1025 lines", added(many + b"\nx"), form),
        valid("a file of 4000000 bytes", text(_as_long_as(good, LARGEST_ROUND_PROOF)), told),
        invalid("a file of 4000001 bytes", text(_as_long_as(good, LARGEST_ROUND_PROOF + 1)), "a file without limit"),
        invalid("an aside without a line", added(b"aside-a"), form),
        invalid("an aside with a tab", added(b"aside-a\n\t"), form),
        invalid("a section of a later version with a control character", added(b"later\n\x7f"), form),
        invalid("a section whose name has a capital letter", added(b"Later\nx"), form),
        invalid("a section whose name has 33 characters", added(b"l" * 33 + b"\nx"), form),
    ]


def _other(records: Sequence[bytes]) -> list[bytes]:
    """Another history, with as many records."""
    return [records[0].replace(b"salty", b"siltx"), *records[1:]]


def _custody(two: Operator) -> list[Case]:
    """Sections of custodians, of which only the form is looked at if nobody asks."""
    good = bytes(proof_of(two, "keno-1", 3))
    told: Json = {"outcome": two.tables["keno-1"].outcome_of(3), "round": 3, "rounds_ahead": 2, "stage": "ended"}
    told |= {"table": "keno-1"}

    def added(*sections: bytes) -> Json:
        last = b"\n\ncheckpoint\n"
        return _given(good.replace(last, b"".join(b"\n\ncustody\n" + each for each in sections) + last))

    house, lab = b"house\neA==\neA==", b"lab\neA==\neA=="
    return [
        valid("custody of both", added(house, lab), told),
        valid("custody of one", added(lab), told),
        invalid("custody in another order", added(lab, house), "an order that is not looked at"),
        invalid("custody twice", added(lab, lab), "a section that is overwritten"),
        invalid("custody of a stranger", added(b"press\neA==\neA=="), "names that are not compared with the table's"),
        invalid("custody without a policy", added(b"lab\neA=="), "a section whose lines are not counted"),
        invalid("custody with a line more", added(lab + b"\neA=="), "a section whose lines are not counted"),
        invalid("custody with another spelling", added(b"lab\neB==\neA=="), "a lenient decoder of Base64"),
    ]


def _as_large(log: Log, proof: RoundProof, *, forged: bool = False) -> RoundProof:
    """The same file, with the batch in a checkpoint of its own size."""
    records = _other(log.operator.records) if forged else log.operator.records
    seen = witnessed_file(records, log.batch.index, log.pulse, size=len(records))
    return replace(proof, witnessed=seen, consistency=None)


def _smaller(log: Log) -> bytes:
    """A signed checkpoint with fewer records than the witnesses saw."""
    return checkpoint_of(log.operator.records, log.batch.index).sign(KEY)


def _salted_out_of_order(first: str, second: str, beacon: str = "quicknet") -> bytes:
    """The proof of round 3 of a table with a salt, with two of its records exchanged."""
    operator = Operator(start=BEFORE_PULSES)
    operator.table("keno-1", "keno-express", salted_by=beacon)
    operator.batch("keno-1", 6)
    table = operator.tables["keno-1"]
    # Without its beacon nobody knows when a pulse was due.
    dated = {} if beacon == "quicknet" else {"salted": table.latest}
    operator.salt("keno-1", **dated)
    time = table.latest
    for _ in range(3):
        operator.lock("keno-1", opened=time, locked=time)
        operator.reveal("keno-1", revealed=time)
    batch = table.batches[0]
    sections = {"table": table.index, "batch": batch.index, "salt": batch.salted}
    sections |= {"lead-lock": table.locks[1], "lock": table.locks[3], "reveal": table.reveals[3]}
    one, other = sections[first], sections[second]
    records = operator.records
    records[one], records[other] = records[other], records[one]
    sections[first], sections[second] = other, one
    return _proof(operator, 3, sections, _promised(batch, 2))


def _without(proof: bytes, section: int) -> bytes:
    sections = proof.split(b"\n\n")
    return b"\n\n".join([*sections[:section], *sections[section + 1 :]])


def _operator(custodians: list[str]) -> Operator:
    """Seven rounds are committed; two were played, one is void, the fourth is locked."""
    operator = Operator()
    operator.table("keno-1", "keno-express", custodians)
    operator.batch("keno-1", 7)
    operator.play("keno-1", 2)
    operator.lock("keno-1")
    operator.void("keno-1")
    operator.lock("keno-1")
    return operator


def _accepted(name: str, operator: Operator, number: int) -> Case:
    proof = bytes(proof_of(operator, "keno-1", number))
    report = check_proof(proof, KEY.verifier_key)
    outcome = report.reveal.record.outcome if report.reveal else None
    told = {"outcome": outcome, "round": number, "rounds_ahead": report.ahead, "stage": report.stage}
    return valid(name, _given(proof), told | {"table": "keno-1"})


def _of_a_sandbox() -> Case:
    tried = sandbox.played()
    key = sandbox.KEY.verifier_key
    proof = proof_from(sandbox.files_of(tried), tried.tables["keno-1"].table_id, 2, key)
    report = check_proof(bytes(proof), key)
    outcome = report.reveal.record.outcome if report.reveal else None
    told = {"outcome": outcome, "round": 2, "rounds_ahead": report.ahead, "stage": report.stage, "table": "keno-1"}
    return valid("a round of a sandbox", spelled(bytes(proof)) | {"key": sandbox.VKEY}, told | {"sandbox": True})


def _cases() -> list[Case]:
    one, two = _operator(["house"]), _operator(["house", "lab"])
    good = bytes(proof_of(one, "keno-1", 3))
    sections = good.split(b"\n\n")
    first = sections[1].split(b"\n")[3]

    def false(name: str, old: bytes, new: bytes, catches: str) -> Case:
        return invalid(name, _given(good.replace(old, new, 1)), catches)

    def lied(name: str, check: str, proof: bytes) -> Case:
        others = " and the others that this breaks" if name in _DOUBLED else ""
        catches = f"a verifier without the rule {check}{others}"
        if check == Check.SALT_SIGNATURE:
            catches = "a pulse that is not read as strictly as 4.8 demands, or a pairing that is not computed"
        return invalid(name, _given(proof), catches)

    lies = []
    for told, start in ((LIES, None), (SALTED_LIES, BEFORE_PULSES)):
        for name, check, tell in told:
            operator = Operator() if start is None else Operator(start=start)
            tell(operator)
            lies.append(lied(name, check.value, bytes(forged(operator))))
    return [
        *_salted(),
        *_witnessed(),
        *_custody(two),
        _of_a_sandbox(),
        _accepted("a played round", one, 2),
        _accepted("a void round", one, 3),
        _accepted("a locked round, not over", one, 4),
        _accepted("a round to come, with its lead-lock", one, 6),
        _accepted("a round to come, fixed before any lock that is told", one, 7),
        _accepted("the first round", one, 1),
        _accepted("two custodians", two, 3),
        *lies,
        false("another round", b"round keno-1 3", b"round keno-1 2", "a line that is not compared with the records"),
        false("another table", b"round keno-1 3", b"round keno-2 3", "a line that is not compared with the records"),
        false("a round with a leading zero", b"keno-1 3", b"keno-1 03", "int() of Python"),
        false("a changed record", b'"lead":2', b'"lead":3', "records that are not hashed"),
        false("another index", b"index 1\n", b"index 2\n", "an index that does not decide left and right"),
        false("a hash too few", first + b"\n", b"", "a path that ends early"),
        false("a hash without padding", first, first.rstrip(b"="), "a lenient decoder of Base64"),
        false("a section of no known name", b"\n\nlock\n", b"\n\nlook\n", "sections that are passed over"),
        false("carriage returns", b"\n", b"\r\n", "lines that end in two ways"),
        invalid("no lock", _given(b"\n\n".join([*sections[:4], *sections[5:]])), "a reveal without its lock"),
        invalid("no lead-lock", _given(b"\n\n".join([*sections[:3], *sections[4:]])), "a lead that is not shown"),
        invalid("no commitment", _given(b"\n\n".join([*sections[:6], *sections[7:]])), "a commitment not shown"),
        invalid(
            "a section twice",
            _given(b"\n\n".join([*sections[:3], sections[2], *sections[3:]])),
            "a reader that takes the last of two sections",
        ),
        invalid(
            "two sections exchanged",
            _given(b"\n\n".join([sections[0], sections[2], sections[1], *sections[3:]])),
            "sections that are found by name",
        ),
        *_single_faults(),
        invalid("an empty line more", _given(good.replace(b"\n\n", b"\n\n\n", 1)), "a reader that passes over lines"),
        invalid("nothing", _given(b""), "a reader that reads past the end"),
    ]


_DOUBLED = {
    "a table whose salt is no beacon",
    "a batch that names a pulse that is known",
    "a batch that names a pulse of later",
    "a salt dated after the lock",
    "a table under another name",
    "a table without custodians",
    "a batch that stood too late",
    "a batch of other rounds",
    "another first round",
    "a lock dated before the batch",
    "a reveal of another round",
    "another seed",
}
"""Lies that a verifier without their rule still refuses by another one
(``tests/verifier/conformance/test_removed_checks.py``).
"""

FORMATS = [Format("round-proof", "check", "5.6, 8.6", _cases)]
