"""Policies, and checkpoints that witnesses cosigned."""

from __future__ import annotations

import base64
import json
from typing import Any

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from fairness.beacon.chain import QUICKNET
from fairness.hashing import sha256
from fairness.limits import LARGEST_INTEGER, LARGEST_POLICY, LONGEST_BEACON_ID, MOST_IN_POLICY
from fairness.log.checkpoints import Checkpoint
from fairness.log.notes import SigningKey, VerifierKey
from fairness.policy.cosignatures import WitnessKey
from fairness.policy.policy import Policies, Policy
from tests.house import HOUSE
from tests.oracles.strange_signatures import Signer, in_a_second_spelling, no_point, of_small_order
from tests.oracles.strange_signatures import spelled as point
from tests.recipes import Case, Format, Json, invalid, spelled, valid
from tests.recipes.notes import KEY, NAME, ROOT, VKEY, later_line, second_line, signature_line
from tests.support.witnesses import LAB, NOON, PRESS, REGULATOR, Cosigner, cosigned

TRUST: dict[str, Any] = json.loads((HOUSE / "tests" / "vectors" / "trust.json").read_text("utf-8"))
LOG = f"log {VKEY}\n"
THREE = "".join(f"witness {each.name} {each.key}\n" for each in (LAB, PRESS, REGULATOR))
CUSTODIAN = str(SigningKey("house.example/custodian", sha256(b"a custodian")).verifier_key)
OTHER = str(SigningKey("lab.example/custodian", sha256(b"another custodian")).verifier_key)


def _told(*witnesses: Cosigner, quorum: tuple[int, int, int] | None = None, **more: object) -> Json:
    """A policy's values; of a quorum the least, the missing, the shared."""
    told = None if quorum is None else dict(zip(("least", "missing", "shared"), quorum, strict=True))
    found: Json = {"beacons": [], "custodians": [], "logs": [VKEY], "quorum": told}
    return found | {"witnesses": [str(each.key) for each in witnesses]} | more


def _from_elsewhere() -> list[Case]:
    """Those of an implementation that shares no code with this one."""
    return [
        valid(f"from elsewhere, {number}", {"text": case["policy"]}, _read(Policies.parse(case["policy"].encode())))
        if case["valid"]
        else invalid(f"from elsewhere, {case['bug']}", {"text": case["policy"]}, case["bug"])
        for number, case in enumerate(TRUST["policies"])
    ]


def _read(policy: Policies) -> Json:
    quorum = policy.quorum
    return {
        "beacons": [each.chain_hash.hex() for each in policy.beacons],
        "custodians": [[each.name, str(each.key)] for each in policy.custodians],
        "logs": [str(each.key) for each in policy.logs],
        "quorum": quorum and {"least": quorum.least, "missing": quorum.least_missing, "shared": quorum.least_shared},
        "witnesses": [str(each.key) for each in policy.witnesses],
    }


def _key(number: int, name: str | None = None) -> VerifierKey:
    """One of many logs' keys."""
    return SigningKey(name or f"log{number}.example", sha256(b"log %d" % number)).verifier_key


def _log(number: int, name: str | None = None) -> str:
    return str(_key(number, name))


def _logs(count: int) -> str:
    return "".join(f"log {_log(number)}\n" for number in range(count))


def _policies() -> list[Case]:
    def read(name: str, text: str, told: Json) -> Case:
        return valid(name, {"text": text}, told)

    three = (LAB, PRESS, REGULATOR)
    many = [Cosigner(f"w{number}") for number in range(MOST_IN_POLICY)]
    lines = "".join(f"witness {each.name} {each.key}\n" for each in many)
    groups = "".join(f"group g{number} 1 w{number}\n" for number in range(MOST_IN_POLICY))
    names = " ".join(each.name for each in many)
    nested = f"{LOG}{THREE}group papers any press lab\ngroup both all papers regulator\nquorum both\n"
    largest = f"{LOG}quorum none\n#".ljust(LARGEST_POLICY, "-")
    opaque = [b"K", "\N{KELVIN SIGN}".encode(), b"\xff\xfe"]
    odd = b"".join(b"witness %b %b\n" % (n, str(w.key).encode()) for n, w in zip(opaque, three, strict=True))
    odd = LOG.encode() + odd + b"group g all " + b" ".join(opaque) + b"\nquorum g\n"
    return [
        read("a log alone", f"{LOG}quorum none\n", _told()),
        read("no line feed at the end", f"{LOG}quorum none", _told()),
        read("comments, tabs and empty lines", f"# a log\n\n \t\n\t log\t {VKEY}  \n  #\nquorum  none\t\n", _told()),
        read("two logs", f"{LOG}log {OTHER} https://lab.example/log\nquorum none\n", _told(logs=[VKEY, OTHER])),
        read(
            "64 logs",
            f"{LOG}{_logs(MOST_IN_POLICY - 1)}quorum none\n",
            _told(logs=[VKEY, *map(_log, range(MOST_IN_POLICY - 1))]),
        ),
        read("an address", f"{LOG[:-1]} https://fore.example/log\nquorum none\n", _told()),
        read("one witness", f"{LOG}{THREE}quorum press\n", _told(*three, quorum=(1, 1, 1))),
        read(
            "two of three", f"{LOG}{THREE}group g 2 lab press regulator\nquorum g\n", _told(*three, quorum=(2, 2, 1))
        ),
        read(
            "any of three",
            f"{LOG}{THREE}group g any lab press regulator\nquorum g\n",
            _told(*three, quorum=(1, 3, 0)),
        ),
        read(
            "all of three",
            f"{LOG}{THREE}group g all lab press regulator\nquorum g\n",
            _told(*three, quorum=(3, 1, 3)),
        ),
        read("groups in a group", nested, _told(*three, quorum=(2, 1, 1))),
        read("the lines in another order", f"quorum none\n{THREE}{LOG}", _told(*three)),
        read(
            "as many as there may be",
            f"{LOG}{lines}{groups}quorum none\n",
            _told(*many),
        ),
        read("all of them", f"{LOG}{lines}group g all {names}\nquorum g\n", _told(*many, quorum=(64, 1, 64))),
        read("as many bytes as there may be", largest, _told()),
        valid("names of any bytes", spelled(odd), _told(*three, quorum=(3, 1, 3))),
        read(
            "custodians and a beacon",
            f"{LOG}custodian house {CUSTODIAN}\ncustodian lab {OTHER} https://lab.example\nbeacon {QUICKNET}\nquorum none\n",
            _told(custodians=[["house", CUSTODIAN], ["lab", OTHER]], beacons=[QUICKNET.chain_hash.hex()]),
        ),
        *_from_elsewhere(),
        *(invalid(name, {"text": text}, catches) for name, text, catches in _refused(nested, lines, groups, largest)),
        *_strange_beacons(),
        *_strange_keys(),
    ]


def _refused(nested: str, lines: str, groups: str, largest: str) -> list[tuple[str, str, str]]:
    self_named = f"witness self {WitnessKey('self.example', KEY.verifier_key.public_key)}\n"
    more = Cosigner("more")
    quorum = "quorum none\n"
    two = f"{LOG}{THREE}{quorum}"
    return [
        ("nothing", "", "a policy that believes nobody"),
        (
            "a quorum before its group",
            f"{LOG}{THREE}quorum g\ngroup g 1 lab\n",
            "names that are looked up at the end",
        ),
        ("a group before its member", f"{LOG}group g 1 lab\n{THREE}{quorum}", "names that are looked up at the end"),
        ("a group in itself", f"{LOG}{THREE}group g 1 g\n{quorum}", "a circle"),
        ("a group without members", f"{LOG}group g all\n{quorum}", "all of nobody"),
        ("a member none", f"{LOG}{THREE}group g 1 none\n{quorum}", "the word none as a witness"),
        ("a witness none", f"{LOG}witness none {LAB.key}\n{quorum}", "the word none as a witness"),
        ("a group none", f"{LOG}{THREE}group none 1 lab\n{quorum}", "the word none as a group"),
        ("a name twice", f"{two}witness lab {more.key}\n", "a second witness that replaces the first"),
        ("a group with a witness's name", f"{two}group lab 1 press\n", "names of two kinds"),
        ("a group's name twice", f"{two}group g 1 lab\ngroup g 1 press\n", "a second group that replaces the first"),
        ("a member of two groups", f"{two}group g 1 lab\ngroup h 1 lab\n", "a witness that counts twice"),
        ("a group that is a member of two", nested + "group again any papers\n", "a witness that counts twice"),
        ("a number with a leading zero", f"{two}group g 01 lab\n", "a reader that skips leading zeros"),
        ("a number with a plus", f"{two}group g +1 lab\n", "int() of Python"),
        ("a number in digits of another script", f"{two}group g \uff11 lab\n", "int() of Python"),
        ("a number that wraps around", f"{two}group g 4294967297 lab\n", "a number of 32 bits"),
        ("the log's key as a witness", f"{LOG}{self_named}quorum self\n", "an operator that is its own witness"),
        (
            "the log's key as a witness before it",
            f"{self_named}{LOG}quorum self\n",
            "an operator that is its own witness",
        ),
        ("a witness's key of the log's type", f"{two}witness w {OTHER}\n", "a key's type that is not looked at"),
        ("65 logs", f"{LOG}{_logs(MOST_IN_POLICY)}quorum none\n", "logs without limit"),
        ("two logs of one name", f"{LOG}log {_log(0, NAME)}\nquorum none\n", "names that are not compared"),
        (
            "two logs of one key",
            f"log {_log(0)}\nlog {_log(0, 'second.example/log')}\nquorum none\n",
            "keys that are not compared",
        ),
        (
            "two logs and a custodian",
            f"{LOG}log {OTHER}\ncustodian lab {CUSTODIAN}\nquorum none\n",
            "a custodian of every log",
        ),
        (
            "the second log's key as a witness",
            f"{LOG}log {_log(0)}\nwitness self {WitnessKey('self', _key(0).public_key)}\nquorum self\n",
            "an operator that is its own witness",
        ),
        ("a log's line with a third word", f"{LOG[:-1]} a b\n{quorum}", "words that are passed over"),
        ("a witness without a key", f"{two}witness w\n", "a reader that reads past the end"),
        ("a witness with a fourth word", f"{two}witness w {more.key} a b\n", "words that are passed over"),
        ("a comment behind a line", f"{LOG}quorum none # nobody\n", "words that are passed over"),
        ("a quorum of two names", f"{LOG}{THREE}quorum lab press\n", "words that are passed over"),
        ("a word in upper case", f"{LOG}Quorum none\n", "words that are compared without case"),
        ("carriage returns", f"{LOG}quorum none\r\n", "lines that end in two ways"),
        ("a NUL", f"{LOG}quorum none\n#\0\n", "text that ends early in another language"),
        ("a delete character", f"{LOG}quorum none\n#\x7f\n", "text that a terminal obeys"),
        (
            "a no-break space between words",
            f"{LOG}quorum\N{NO-BREAK SPACE}none\n",
            "splitting at white space of Unicode",
        ),
        ("a line separator of Unicode", f"{LOG[:-1]}\u2028quorum none\n", "splitlines() of Python"),
        ("a 65th witness", f"{LOG}{lines}witness more {more.key}\n{quorum}", "a reader without limit"),
        ("a 65th group", f"{LOG}{lines}{groups}group more 1 g0\n{quorum}", "a reader without limit"),
        ("a byte more than there may be", largest + "-", "a reader without limit"),
        ("a custodian in upper case", f"{two}custodian House {CUSTODIAN}\n", "a name that no table can have"),
        (
            "a custodian with two addresses",
            f"{two}custodian house {CUSTODIAN} https://a.example https://b.example\n",
            "words that are passed over",
        ),
        ("a custodian's key of a witness", f"{two}custodian house {LAB.key}\n", "a key's type that is not looked at"),
        (
            "a custodian's name twice",
            f"{two}custodian a {CUSTODIAN}\ncustodian a {OTHER}\n",
            "a key that replaces another",
        ),
        (
            "a custodian's key twice",
            f"{two}custodian a {CUSTODIAN}\ncustodian b {CUSTODIAN}\n",
            "one party that is two",
        ),
        ("a beacon twice", f"{two}beacon {QUICKNET}\nbeacon {QUICKNET}\n", "a line that says nothing"),
        ("a beacon with a seventh word", f"{two}beacon {QUICKNET} more\n", "words that are passed over"),
        ("a 65th custodian", f"{two}{_custodians(MOST_IN_POLICY + 1)}", "a reader without limit"),
    ]


def _strange_beacons() -> list[Case]:
    """Their hashes are right, and one of their parts is not."""
    group = QUICKNET.group_hash

    def line(period: int, genesis: int, name: str, key: bytes = QUICKNET.public_key) -> str:
        hashed = sha256(period.to_bytes(4) + genesis.to_bytes(8) + key + group + name.encode())
        return f"{LOG}quorum none\nbeacon {hashed.hex()} {period} {genesis} {key.hex()} {group.hex()} {name}\n"

    longest = line((1 << 32) - 1, LARGEST_INTEGER, "~" * LONGEST_BEACON_ID)
    beacon = longest.split()[-6]
    return [
        valid("a beacon at its limits", {"text": longest}, _told(beacons=[beacon])),
        invalid("a beacon with a period of 0", {"text": line(0, 1, "a")}, "rounds that are all at one time"),
        invalid(
            "a beacon with a period of 2 to the 32nd",
            {"text": line(1, 1, "a").replace(" 1 1 ", f" {1 << 32} 1 ")},
            "a number of 32 bits that wraps around",
        ),
        invalid(
            "a beacon with a genesis of 2 to the 53rd",
            {"text": line(3, LARGEST_INTEGER + 1, "a")},
            "a number that floating point does not have",
        ),
        invalid(
            "a beacon with an id of 65 characters",
            {"text": line(3, 1, "~" * (LONGEST_BEACON_ID + 1))},
            "a reader without limit",
        ),
        invalid(
            "a beacon's key that is no point",
            {"text": line(3, 1, "a", b"\x80" + bytes(94) + b"\7")},
            "a key that is not decoded",
        ),
        invalid(
            "a beacon's key that is infinity",
            {"text": line(3, 1, "a", b"\xc0" + bytes(95))},
            "a key by which anybody signs",
        ),
        invalid("a beacon with an id above ASCII", {"text": line(3, 1, "hous\u00e9")}, "names that look alike"),
    ]


def _custodians(count: int) -> str:
    keys = (
        SigningKey(f"c{number}.example", sha256(b"custodian %d" % number)).verifier_key for number in range(count)
    )
    return "".join(f"custodian c{number} {key}\n" for number, key in enumerate(keys))


def _strange_keys() -> list[Case]:
    keys = of_small_order() | {"y above the prime": in_a_second_spelling(), "no point": no_point()}

    def line(key: bytes) -> str:
        typed = WitnessKey.TYPE + key
        key_id = sha256(b"w.example\n" + typed)[:4].hex()
        return f"witness w w.example+{key_id}+{base64.b64encode(typed).decode()}\n"

    return [
        invalid(f"a witness's key, {name}", {"text": f"{LOG}{line(key)}quorum w\n"}, "a key by which anybody signs")
        for name, key in keys.items()
    ]


HEAD = Checkpoint(NAME, 70_000, ROOT)
NOTE = HEAD.sign(KEY)
TWO_OF_THREE = f"{LOG}{THREE}group g 2 lab press regulator\nquorum g\n"


def _given(note: bytes, policy: str = TWO_OF_THREE) -> Json:
    return spelled(note) | {"policy": policy}


def _cosigned() -> list[Case]:
    told: Json = {"origin": HEAD.origin, "root": HEAD.root.hex(), "size": HEAD.size}

    def opened(name: str, note: bytes, *seen: tuple[Cosigner, int], policy: str = TWO_OF_THREE) -> Case:
        witnesses = [[str(each.key), time] for each, time in seen]
        return valid(name, _given(note, policy), told | {"witnesses": witnesses})

    both = cosigned(NOTE, LAB, PRESS)
    stranger = Cosigner("stranger").line(NOTE)
    late = PRESS.line(NOTE, NOON + 5)
    nested = f"{LOG}{THREE}group papers any lab press\ngroup both all papers regulator\nquorum both\n"
    return [
        opened("two of three", both, (LAB, NOON), (PRESS, NOON)),
        opened("in another order", NOTE + late + LAB.line(NOTE), (LAB, NOON), (PRESS, NOON + 5)),
        opened("three of three", cosigned(both, REGULATOR), (LAB, NOON), (PRESS, NOON), (REGULATOR, NOON)),
        opened("the same witness at two times", both + late, (LAB, NOON), (PRESS, NOON + 5)),
        opened("its later line first", NOTE + late + both[len(NOTE) :], (LAB, NOON), (PRESS, NOON + 5)),
        opened("a stranger's line", NOTE + stranger + both[len(NOTE) :], (LAB, NOON), (PRESS, NOON)),
        opened("another key of a witness's name", second_line(both, PRESS.key.name), (LAB, NOON), (PRESS, NOON)),
        opened(
            "a key of a later type and of a witness's name",
            later_line(both, PRESS.key.name),
            (LAB, NOON),
            (PRESS, NOON),
        ),
        opened("other keys of the log's name", later_line(second_line(both, NAME), NAME), (LAB, NOON), (PRESS, NOON)),
        opened("the log's line last", both.replace(*_moved(both)), (LAB, NOON), (PRESS, NOON)),
        opened("no witness is asked for", NOTE, policy=f"{LOG}quorum none\n"),
        opened(
            "no witness is asked for, one cosigned",
            cosigned(NOTE, LAB),
            (LAB, NOON),
            policy=f"{LOG}{THREE}quorum none\n",
        ),
        opened(
            "a group in a group", cosigned(NOTE, PRESS, REGULATOR), (PRESS, NOON), (REGULATOR, NOON), policy=nested
        ),
        opened("at time 0", NOTE + LAB.line(NOTE, 0) + PRESS.line(NOTE, 0), (LAB, 0), (PRESS, 0)),
        *(
            invalid(name, _given(note, policy), catches)
            for name, note, policy, catches in _not_cosigned(both, stranger, nested)
        ),
        *_strange_cosignatures(),
        *map(_head_from_elsewhere, range(len(TRUST["heads"]))),
    ]


def _head_from_elsewhere(number: int) -> Case:
    """One of an implementation that shares no code with this one."""
    head = TRUST["heads"][number]
    given = _given(head["note"].encode(), head["policy"])
    if not head["meets_quorum"]:
        return invalid(f"from elsewhere, {head['why']}", given, head["why"].partition(": ")[0])
    lines = {line.split(" ")[1]: line for line in head["note"].splitlines() if line.startswith("\N{EM DASH}")}
    times = {name: int.from_bytes(base64.b64decode(line.split(" ")[2])[4:12]) for name, line in lines.items()}
    policy = Policy.parse(head["policy"].encode())
    seen = [[str(each.key), times[each.key.name]] for each in policy.witnesses if each.key.name in times]
    root, size = base64.b64decode(head["note"].splitlines()[2]).hex(), int(head["note"].splitlines()[1])
    told = {"origin": policy.log.name, "root": root, "size": size, "witnesses": seen}
    return valid(f"from elsewhere, {number}", given, told)


def _moved(note: bytes) -> tuple[bytes, bytes]:
    """The signature lines, and the same with the first one last."""
    lines = note.partition(b"\n\n")[2].splitlines(keepends=True)
    return b"".join(lines), b"".join([*lines[1:], lines[0]])


def _not_cosigned(both: bytes, stranger: bytes, nested: str) -> list[tuple[str, bytes, str, str]]:
    other = Checkpoint(NAME, 70_000, sha256(b"another root")).sign(KEY)
    larger = Checkpoint(NAME, 70_001, ROOT).sign(KEY)
    secret = Ed25519PrivateKey.from_private_bytes(sha256(b"the secret of press"))
    text, key, time = str(HEAD), PRESS.key, NOON.to_bytes(8)
    right = base64.b64decode(PRESS.line(NOTE).split(b" ")[2])[4:]

    def by_press(blob: bytes) -> bytes:
        return cosigned(NOTE, LAB, REGULATOR) + signature_line(key.name, key.key_id + blob)

    def over(message: str) -> bytes:
        return by_press(time + secret.sign(message.encode()))

    unsigned = both.replace(_moved(both)[0].splitlines(keepends=True)[0], b"")
    named_so = SigningKey("press.example/witness", sha256(b"the secret of press"))
    shown = [
        ("one of two", cosigned(NOTE, LAB), "a quorum that is not counted"),
        ("none", NOTE, "a quorum that is not asked for"),
        (
            "one witness twice",
            cosigned(NOTE, LAB) + LAB.line(NOTE, NOON + 1),
            "lines that are counted, not witnesses",
        ),
        ("a stranger as the second", cosigned(NOTE, LAB) + stranger, "strangers that are counted"),
        (
            "another key of a witness's name as the second",
            second_line(cosigned(NOTE, LAB), PRESS.key.name),
            "lines that are found by their name alone",
        ),
        (
            "a witness's plain signature",
            cosigned(NOTE, LAB) + named_so.sign(text).partition(b"\n\n")[2],
            "a key of another type",
        ),
        ("the log did not sign", unsigned, "witnesses in the place of the log"),
        ("of another root", cosigned(NOTE, LAB) + PRESS.line(other), "a cosignature of another tree"),
        ("of another size", cosigned(NOTE, LAB) + PRESS.line(larger), "a cosignature of another tree"),
        ("a false third", by_press(time + bytes(64)), "a known witness's line that is passed over when it fails"),
        (
            "the right signature with another time",
            by_press((NOON + 1).to_bytes(8) + right[8:]),
            "a time that is not signed",
        ),
        ("a time in little-endian", by_press(NOON.to_bytes(8, "little") + right[8:]), "a time in the other order"),
        ("a time of 2 to the 63rd", cosigned(NOTE, LAB, REGULATOR) + PRESS.line(NOTE, 1 << 63), "a time with a sign"),
        ("a signature without a time", by_press(right[8:]), "a plain signature taken for a cosignature"),
        ("a byte more", by_press(right + b"\0"), "bytes that are passed over"),
        ("a byte less", by_press(right[:-1]), "a signature of any length"),
        ("a time alone", by_press(time), "a reader that reads past the end"),
        ("signed without the header", over(text), "a message without its first lines"),
        ("signed without the time", over(f"cosignature/v1\n{text}"), "a message without its time"),
        (
            "signed with the empty line",
            over(f"cosignature/v1\ntime {NOON}\n{text}\n"),
            "a message with the empty line",
        ),
        (
            "signed with a time of ten digits",
            over(f"cosignature/v1\ntime 0{NOON}\n{text}"),
            "a time with leading zeros",
        ),
        ("signed as another version", over(f"cosignature/v2\ntime {NOON}\n{text}"), "a header that is not looked at"),
    ]
    return [
        *((name, note, TWO_OF_THREE, catches) for name, note, catches in shown),
        ("two of one group", both, nested, "groups that are not counted by themselves"),
    ]


def _strange_cosignatures() -> list[Case]:
    """Cosignatures of a dishonest witness, about which verifiers could disagree (SPEC 5.1)."""
    signer = Signer()
    key = WitnessKey("strange.example/witness", signer.key)
    policy = f"{LOG}witness strange {key}\nquorum strange\n"
    message, time = f"cosignature/v1\ntime {NOON}\n{HEAD}".encode(), NOON.to_bytes(8)

    def note(signature: bytes) -> Json:
        return _given(NOTE + signature_line(key.name, key.key_id + time + signature), policy)

    honest = signer.with_parts(message, 0, cancel=True)
    told = {"origin": HEAD.origin, "root": HEAD.root.hex(), "size": HEAD.size, "witnesses": [[str(key), NOON]]}
    return [
        valid("an honest witness", note(honest), told),
        invalid("an R of small order", note(signer.sign(message, point(1), 0)), "an R that is no secret's"),
        invalid(
            "an R with a part of small order",
            note(signer.with_parts(message, 1, cancel=False)),
            "the equation with cofactor",
        ),
    ]


FORMATS = [
    Format("policy", "parse", "5.7", _policies),
    Format("cosigned-checkpoint", "open", "5.7", _cosigned),
]
