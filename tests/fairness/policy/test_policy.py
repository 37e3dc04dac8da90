"""Policies: what is read, and that an error names its line, what was expected and what was found."""

from __future__ import annotations

import json
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairness.errors import Malformed
from fairness.hashing import sha256
from fairness.limits import LARGEST_POLICY, MOST_IN_POLICY
from fairness.log.notes import SigningKey
from fairness.policy.cosignatures import WitnessKey
from fairness.policy.policy import Policy
from fairness.policy.quorum import Group
from fairness.spelling import base64_text
from tests.house import HOUSE
from tests.oracles.strange_signatures import in_a_second_spelling, no_point, of_small_order
from tests.support.witnesses import LAB, PRESS, REGULATOR, Cosigner, policy_text

TRUST: dict[str, Any] = json.loads((HOUSE / "tests" / "vectors" / "trust.json").read_text())
LOG = SigningKey("fore.example/log", sha256(b"a key")).verifier_key
CUSTODIAN = SigningKey("house.example/custodian", sha256(b"a custodian")).verifier_key
OTHER_CUSTODIAN = SigningKey("lab.example/custodian", sha256(b"another custodian")).verifier_key
BEACON = TRUST["policies"][0]["policy"].rstrip("\n").rpartition("\n")[2]
HEAD = f"log {LOG}\nwitness lab {LAB.key}\nwitness press {PRESS.key}\n"


def read(text: str) -> Policy:
    return Policy.parse(text.encode())


def error(text: str) -> str:
    with pytest.raises(Malformed) as malformed:
        read(text)
    return str(malformed.value)


@pytest.mark.parametrize("case", TRUST["policies"], ids=lambda case: case.get("bug", "valid"))
def test_the_policies_of_another_implementation(case: dict[str, Any]) -> None:
    """Each is read, or refused."""
    if case["valid"]:
        assert str(read(case["policy"]).log).startswith("salted.example/log+")
    else:
        error(case["policy"])


def test_everything_that_a_policy_says() -> None:
    """Names, keys, addresses, the tree of groups, custodians and beacons."""
    found = Policy.parse(TRUST["policies"][0]["policy"].encode())
    assert [each.name for each in found.witnesses] == ["regulator", "lab", "press"]
    assert found.quorum == Group("all-of-them", 2, found.witnesses)
    assert [(each.name, each.key.name) for each in found.custodians] == [
        ("house", "house.example/custodian"),
        ("lab", "lab.example/custodian"),
    ]
    assert [each.chain_hash.hex() for each in found.beacons] == [TRUST["test_beacon"]["hash"]]
    assert found.url is None


def test_the_words_all_and_any_a_group_in_a_group_and_addresses() -> None:
    """As in the example of C2SP's tlog-policy; tabs, spaces and comments say nothing."""
    found = Policy.parse(
        f"\t# the log, and who watches it\n\nlog  {LOG}\thttps://fore.example/log \n"
        f"witness lab {LAB.key} https://lab.example/\nwitness press {PRESS.key}\nwitness regulator {REGULATOR.key}\n"
        "group papers any press lab\n group both all papers regulator\nquorum both".encode()
    )
    lab, press, regulator = found.witnesses
    assert found.quorum == Group("both", 2, (Group("papers", 1, (press, lab)), regulator))
    assert (found.url, lab.url, press.url) == ("https://fore.example/log", "https://lab.example/", None)


def test_a_quorum_of_one_witness() -> None:
    """No group is needed; what else is named stays named."""
    found = read(f"{HEAD}quorum press\n")
    assert found.quorum == found.witnesses[1]


def test_names_are_opaque() -> None:
    """Bytes that are no UTF-8 make a name, and letters that look alike are different."""
    names = [b"K", "\N{KELVIN SIGN}".encode(), b"\xff\xfe", "no\N{NO-BREAK SPACE}break".encode()]
    lines = [b"witness %b %b" % (name, str(Cosigner(str(at)).key).encode()) for at, name in enumerate(names)]
    text = b"\n".join([b"log " + str(LOG).encode(), *lines, b"group g all " + b" ".join(names), b"quorum g"])
    assert [each.name.encode("utf-8", "surrogateescape") for each in Policy.parse(text).witnesses] == names


@pytest.mark.parametrize(
    ("lines", "told"),
    [
        ("quorum none\nquorum none\n", "line 5: expected one quorum, found a second one"),
        ("quorum lab press\n", "line 4: expected quorum NAME|none, found quorum lab press"),
        (
            "quorum labs\n",
            "line 4: expected the name of a witness or group of an earlier line, found labs",
        ),
        (
            "quorum g\ngroup g any lab\n",
            "line 4: expected the name of a witness or group of an earlier line, found g",
        ),
        ("group g 2\n", "line 4: expected group NAME all|any|K MEMBER..., found group g 2"),
        ("group g 0 lab press\n", "line 4: expected all, any, or a number from 1 to 2"),
        ("group g 3 lab press\n", "line 4: expected all, any, or a number from 1 to 2"),
        ("group g 02 lab press\n", "line 4: expected all, any, or a number from 1 to 2"),
        ("group g +1 lab press\n", "line 4: expected all, any, or a number from 1 to 2"),
        ("group g both lab press\n", "line 4: expected all, any, or a number from 1 to 2"),
        ("group g 1 none\n", "line 4: expected the name of a witness or group of an earlier line, found none"),
        ("group g 1 g\n", "line 4: expected the name of a witness or group of an earlier line, found g"),
        ("group g 1 lab lab\n", "line 4: expected each member in one group, and once, found lab, a member of g"),
        ("group g 1 lab\ngroup h 1 lab\n", "line 5: expected each member in one group, and once, found lab"),
        ("group lab 1 press\n", "line 4: expected a new name, and not none, found lab"),
        ("group none 1 press\n", "line 4: expected a new name, and not none, found none"),
        (f"witness none {REGULATOR.key}\n", "line 4: expected a new name, and not none, found none"),
        (f"witness lab {REGULATOR.key}\n", "line 4: expected a new name, and not none, found lab"),
        (f"witness again {LAB.key}\n", "line 4: expected a key that no other witness has, found the key of lab"),
        (
            f"witness again {WitnessKey('other.example', LAB.key.public_key)}\n",
            "line 4: expected a key that no other witness has, found the key of lab",
        ),
        (
            f"witness log {LOG}\n",
            "line 4, verifier key: expected an Ed25519 key of a witness (type 04), found type 01",
        ),
        (
            f"witness self {WitnessKey('self.example', LOG.public_key)}\nquorum self\n",
            "policy: expected witnesses with keys of their own, found a log's: self",
        ),
        (
            f"log {LOG}\n",
            "line 4: expected each log once, with a key of its own, found that of fore.example/log again",
        ),
        (
            f"custodian House {CUSTODIAN}\n",
            "line 4, custodian's name: expected 1 to 32 of a-z, 0-9 and -, found House",
        ),
        (f"custodian a {CUSTODIAN}\ncustodian a {OTHER_CUSTODIAN}\n", "line 5: expected each custodian once"),
        (f"custodian a {CUSTODIAN}\ncustodian b {CUSTODIAN}\n", "line 5: expected each custodian once"),
        (f"custodian a {LAB.key}\n", "line 4, verifier key: expected an Ed25519 key (type 01), found type 04"),
        (
            f"custodian a {CUSTODIAN} https://a.example https://b.example\n",
            "line 4: expected custodian NAME VKEY [URL], found custodian a",
        ),
        (f"{BEACON}\n{BEACON}\n", "line 5: expected each beacon once, found 39077563"),
        (f"{BEACON} more\n", "line 4, beacon: expected HASH PERIOD GENESIS KEY GROUP-HASH ID, found 39"),
        ("groop g any lab\n", "line 4: expected a line that begins with log, witness, group, quorum, custodian"),
        ("Quorum none\n", "line 4: expected a line that begins with log, witness, group, quorum, custodian"),
        ("quorum none # really\n", "line 4: expected quorum NAME|none, found quorum none # really"),
        (
            "quorum none\r\n",
            "line 4: expected no control characters but tabs; lines end in a line feed alone, found byte 0d",
        ),
        ("quorum none\x7f\n", "line 4: expected no control characters but tabs"),
        ("custodian a\n", "line 4: expected custodian NAME VKEY [URL], found custodian a"),
        ("", "policy: expected one line: quorum NAME|none, found none"),
    ],
)
def test_an_error_names_the_line(lines: str, told: str) -> None:
    """After three good lines, and says what was expected and what was found."""
    assert error(HEAD + lines).removeprefix("policy, ").startswith(told)


def test_a_policy_is_of_one_log() -> None:
    """It needs its line."""
    assert error("quorum none\n") == "policy: expected one line: log VKEY [URL], found none"


@pytest.mark.parametrize("key", [*of_small_order().values(), in_a_second_spelling(), no_point()], ids=bytes.hex)
def test_a_witnesss_key_is_as_good_as_a_logs(key: bytes) -> None:
    """A key of small order, in a second spelling, or of no point is refused."""
    typed = WitnessKey.TYPE + key
    vkey = f"w.example+{sha256(b'w.example' + bytes([10]) + typed)[:4].hex()}+{base64_text(typed)}"
    assert "line 4, verifier key: expected a key" in error(f"{HEAD}witness w {vkey}\n")


def test_at_most_so_many_of_each() -> None:
    """At the limit, and one above it."""
    witnesses = [f"witness w{number} {Cosigner(f'w{number}').key}" for number in range(MOST_IN_POLICY + 1)]
    groups = [f"group g{number} 1 w{number}" for number in range(MOST_IN_POLICY)]
    text = "\n".join([f"log {LOG}", *witnesses[:-1], *groups, f"group g {MOST_IN_POLICY}"])
    most = "\n".join([f"log {LOG}", *witnesses[:-1], *groups, "quorum none"])
    assert len(read(most).witnesses) == MOST_IN_POLICY
    assert "at most 64 lines of this kind" in error(f"{most}\n{witnesses[-1]}")
    assert "at most 64 lines of this kind" in error(f"{text} g0")


def test_at_most_so_many_bytes() -> None:
    """At the limit, and one above it."""
    text = f"log {LOG}\nquorum none\n#"
    assert read(text.ljust(LARGEST_POLICY, "-")).quorum is None
    assert "at most 65536 bytes" in error(text.ljust(LARGEST_POLICY + 1, "-"))


@given(data=st.binary(max_size=200) | st.text("log witnesgroupqu\n\t 12#", max_size=200).map(str.encode))
def test_nothing_but_malformed_comes_out(data: bytes) -> None:
    """Whatever follows the lines of a good policy."""
    with suppress(Malformed):
        assert Policy.parse(policy_text(LOG) + data).log == LOG
