"""Notes of custodians, and the policies by which they release seeds: every false one, and those of later versions
(SPEC 5.9).
"""

from __future__ import annotations

from fairness.hashing import sha256
from fairness.limits import LARGEST_CUSTODY_NOTE, LARGEST_POLICY
from fairness.log.notes import SigningKey
from fairness.policy.custody import Chain
from fairness.policy.policy import Policy
from fairness.records.record import BatchRecord, parse_record
from fairness.spelling import base64_text
from tests.house import HOUSE
from tests.recipes import Case, Format, Json, invalid, valid
from tests.recipes.policies import TRUST
from tests.support.dishonest_operator import KEY, Operator
from tests.support.witnesses import policy_text

LAB = SigningKey("lab.example/custodian", sha256(b"the lab's custodian"))
_STRANGER = SigningKey("lab.example/custodian", sha256(b"somebody else"))
_VECTORS = HOUSE / "tests" / "vectors"


def _of_another_implementation() -> list[Case]:
    policy = Policy.parse(TRUST["policies"][0]["policy"].encode())
    keys = _custodian_keys()
    cases = []
    for number, case in enumerate(TRUST["custody"]):
        record = case["batch_record"]
        given: Json = {
            "record": record,
            "table_id": case["table_id"],
            "place": case["place"],
            "index": number,
            "key": keys[case["custodian"]],
            "log": str(policy.log),
            "text": case["file"],
            "policy": TRUST["custody_policy"],
        }
        name = f"another implementation's, {case.get('bug', f'number {number + 1}')}"
        cases.append(valid(name, given) if case["valid"] else invalid(name, given, case["bug"]))
    return cases


def _custodian_keys() -> dict[str, str]:
    """Those of the policy of the salted log."""
    text = (_VECTORS / "log-salted" / "policy").read_text("ascii")
    return {words[1]: words[2] for line in text.splitlines() if (words := line.split(" "))[0] == "custodian"}


def _post_quantum(name: str) -> str:
    """A verifier key of a type that no version 1 knows, with its true id."""
    typed = b"\x06" + bytes(1312)
    key_id = sha256(name.encode() + b"\n" + typed)[:4].hex()
    return f"{name}+{key_id}+{base64_text(typed)}"


def _cases() -> list[Case]:
    operator = Operator()
    operator.table("keno-1", "keno-express", ["house", "lab"])
    operator.batch("keno-1", 4)
    table = operator.tables["keno-1"]
    data = operator.records[table.batches[0].index]
    record = parse_record(data)
    assert isinstance(record, BatchRecord)
    chain = Chain(table.table_id, 1, 1, 4, record.anchors[1], record.commitments[1])
    own = policy_text(KEY.verifier_key)

    def given(
        policy: bytes | None, text: str | None = None, *, key: SigningKey = LAB, note: bytes | None = None
    ) -> Json:
        signed = key.sign(text or chain.note_text(sha256(policy or b""))) if note is None else note
        found: Json = {"record": data.decode(), "table_id": table.table_id.hex(), "place": 1, "index": 1}
        found |= {"key": str(LAB.verifier_key), "log": str(KEY.verifier_key), "text": signed.decode()}
        return found if policy is None else found | {"policy": policy.decode()}

    def later(text: bytes) -> Case:
        return valid("a policy " + _names[text], given(text), {"unknown": True})

    def named(policy: bytes, old: str, new: str) -> Json:
        return given(policy, chain.note_text(sha256(policy)).replace(old, new, 1))

    pq = _post_quantum("pq.example/witness")
    none = f"log {KEY.verifier_key}\nquorum none\n".encode()
    _names = {
        none + b"threshold 2 of 3\n": "with a line of a later version",
        none + f"witness pq {pq}\n".encode(): "with a witness whose key is of a later type",
        none + f"witness pq {pq}\ngroup all 1 nobody\nquorum all\n".encode(): "whose names a later line may define",
    }
    padded = LAB.sign(chain.note_text(sha256(own)))
    line = "\N{EM DASH} x.example ".encode()
    stranger = base64_text(bytes(LARGEST_CUSTODY_NOTE)).encode()
    full = none + b"#" * (LARGEST_POLICY - len(none))
    two = f"log {KEY.verifier_key}\nlog {_STRANGER.verifier_key}\nquorum none\n".encode()
    return [
        *_of_another_implementation(),
        valid("a note with its policy", given(own)),
        valid("a policy of 65536 bytes", given(full)),
        valid("a policy of two logs", given(two)),
        valid("a note of a later version", given(own, "foredraw/v2/custody\nwhatever\n"), {"unknown": True}),
        valid("a note of a later version, without a policy", given(None, "foredraw/v2/custody\n"), {"unknown": True}),
        valid("a line of a later type of the custodian's name", given(own, note=padded + _later_line()), None),
        *(later(text) for text in _names),
        invalid("a note by another key", given(own, key=_STRANGER), "a signature that nobody checks"),
        invalid("a note without its policy", given(None, chain.note_text(sha256(own))), "a policy that nobody reads"),
        invalid("another policy than the note's", given(none, chain.note_text(sha256(own))), "a hash that is not compared"),
        invalid("a policy of 65537 bytes", given(full + b"#"), "a policy without limit"),
        invalid(
            "a note of more than 16384 bytes",
            given(own, note=padded + line + stranger + b"\n"),
            "a note without limit",
        ),
        *(
            invalid(f"another {what}", named(own, old, new), f"a line that is not compared: {what}")
            for what, old, new in (
                ("table", f"table {table.table_id.hex()[:4]}", "table 0000"),
                ("batch", "batch 1 1 4", "batch 2 1 4"),
                ("first round", "batch 1 1 4", "batch 1 2 4"),
                ("number of rounds", "batch 1 1 4", "batch 1 1 5"),
                ("anchor", f"anchor {record.anchors[1]}", f"anchor {record.anchors[0]}"),
                ("root", f"commitments {record.commitments[1]}", f"commitments {record.commitments[0]}"),
                ("first line", "foredraw/v1/custody", "foredraw/v0/custody"),
                ("last line", "\npolicy", "\nmore\npolicy"),
            )
        ),
        invalid("a note of a later version, of another policy", given(none, f"foredraw/v2/custody\npolicy {sha256(own).hex()}\n"), "a hash that is not compared"),
        invalid("a policy of another log", given(f"log {_STRANGER.verifier_key}\nquorum none\n".encode()), "a log that is not looked for"),
        invalid("a policy that is none", given(b"quorum none\n"), "a policy that is not parsed"),
        invalid("a policy without a quorum", given(none.replace(b"quorum none\n", b"")), "a policy that is not parsed"),
        invalid("a later policy without the log", given(b"threshold 2\nquorum none\n"), "a log that is not looked for"),
        invalid("a later policy with a broken line", given(none + b"threshold 2\ngroup a\n"), "lines whose form is not judged"),
        invalid("a later policy with a broken number", given(none + b"threshold 2\ngroup a 01 b\n"), "lines whose form is not judged"),
        invalid("a later policy with a broken name", given(none + f"x\ncustodian A {LAB.verifier_key}\n".encode()), "lines whose form is not judged"),
        invalid("a later policy with a broken beacon", given(none + b"x\nbeacon a 1 1 b c d\n"), "lines whose form is not judged"),
        invalid("a later key with another id", given(none + f"witness pq {pq.replace('+', '+0', 1)[:-1]}\n".encode()), "an id that is not computed"),
    ]  # fmt: skip


def _later_line() -> bytes:
    """A signature line in the custodian's name by a key of a later type, which version 1 does not look at."""
    typed = b"\x06" + bytes(1312)
    key_id = sha256(LAB.name.encode() + b"\n" + typed)[:4]
    return f"\N{EM DASH} {LAB.name} {base64_text(key_id + bytes(2424))}\n".encode()


FORMATS = [Format("custody", "check", "5.9", _cases)]
