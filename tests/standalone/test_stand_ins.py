"""The one-file verifier's replacements for compiled packages do what those packages do."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
from hashlib import sha512
from pathlib import Path

import pytest
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from fairness.errors import Malformed, Unknown
from fairness.records.record import encode_record, parse_record
from standalone.build import STAND_INS
from standalone.stand_ins.cryptography import exceptions
from standalone.stand_ins.cryptography.hazmat.primitives.asymmetric import ed25519
from tests.house import HOUSE
from tests.lies import history
from tests.oracles.strange_signatures import ORDER, PRIME, SMALL_ORDER_Y
from tests.support.dishonest_operator import KEY
from verifier.audit.audit import audit_log
from verifier.audit.state_file import load_state, save_state
from verifier.sources.source import FolderSource

ENVIRONMENT = {**os.environ, "PYTHONPATH": f"{STAND_INS}{os.pathsep}{HOUSE}"}

# RFC 8032, section 7.1, tests 1, 2, 3 and SHA(abc): public key, message, signature.
RFC_8032 = [
    line.split(" ")
    for line in (
        (
            "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a"
            "  "
            "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e06522490155"
            "5fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b"
        ),
        (
            "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c"
            " 72 "
            "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da"
            "085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00"
        ),
        (
            "fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025"
            " af82 "
            "6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac"
            "18ff9b538d16f290ae67f760984dc6594a7c15e9716ed28dc027beceea1ec40a"
        ),
        (
            "ec172b93ad5e563bf4932c70e1245034c35467ef2efd4d64ebf819683467e2bf"
            f" {sha512(b'abc').hexdigest()} "
            "dc2a4459e7369633a52b1bf277839a00201009a3efbf3ecb69bea2186c26b589"
            "09351fc9ac90b3ecfdfbc7c66431e0303dca179c138ac17ad9bef1177331a704"
        ),
    )
]
# Points of small order, and values of y that are not below the prime.
Y = [*SMALL_ORDER_Y, *range(2, 19), *range(PRIME, 2**255)]


def verdicts(key: bytes, signature: bytes, message: bytes) -> tuple[bool, bool]:
    """Whether cryptography accepts, and whether the stand-in does."""
    try:
        Ed25519PublicKey.from_public_bytes(key).verify(signature, message)
        theirs = True
    except InvalidSignature:
        theirs = False
    try:
        ed25519.Ed25519PublicKey.from_public_bytes(key).verify(signature, message)
    except exceptions.InvalidSignature:
        return theirs, False
    return theirs, True


@pytest.mark.parametrize(("key", "message", "signature"), RFC_8032)
def test_the_signatures_of_the_rfc_verify(key: str, message: str, signature: str) -> None:
    """RFC 8032, section 7.1; none verifies if a bit of any byte is changed."""
    parts = [bytes.fromhex(part) for part in (key, signature, message)]
    assert verdicts(*parts) == (True, True)
    for which, part in enumerate(parts):
        for at in range(0, len(part), 1 if which else 7):
            changed = [*parts]
            changed[which] = part[:at] + bytes([part[at] ^ 1 << at % 8]) + part[at + 1 :]
            assert verdicts(*changed) == (False, False)


def test_random_signatures_verify() -> None:
    """By many keys, over messages of many lengths."""
    source = random.Random(8032)
    for size in range(40):
        key, message = Ed25519PrivateKey.from_private_bytes(source.randbytes(32)), source.randbytes(size * size)
        assert verdicts(key.public_key().public_bytes_raw(), key.sign(message), message) == (True, True)


def test_a_signature_has_one_spelling() -> None:
    """S is below the order (adding the order is the malleability of Wycheproof's vectors), and the size is exact."""
    key, _, signature = map(bytes.fromhex, RFC_8032[0])
    s = int.from_bytes(signature[32:], "little")
    for other in (s + ORDER, s + 2 * ORDER, s + 8 * ORDER, ORDER, ORDER - 1, ORDER + 1, 0, 2**256 - 1, 2**255 | s):
        assert verdicts(key, signature[:32] + other.to_bytes(32, "little"), b"") == (False, False)
    for wrong in (b"", signature[:-1], signature + b"\0", signature[:32]):
        assert verdicts(key, wrong, b"") == (False, False)
    for wrong in (b"", key[:-1], key + b"\0"):
        with pytest.raises(ValueError, match="32 bytes"):
            ed25519.Ed25519PublicKey.from_public_bytes(wrong)


@pytest.mark.nightly("arithmetic of a curve by plain Python")
def test_strange_points_are_taken_as_openssl_takes_them() -> None:
    """Small order, numbers not below the prime, a sign without an x, no point at all: the same verdict as key and as
    R.
    """
    strange = [(y | sign << 255).to_bytes(32, "little") for y in Y for sign in (0, 1)]
    found = set()
    for key in strange:
        for r in (*strange[:10], key):
            for message in (b"", b"1"):
                theirs, ours = verdicts(key, r + bytes(32), message)
                assert ours == theirs, (key.hex(), r.hex(), message)
                found.add(ours)
    assert found == {True, False}, "some of these do verify, for OpenSSL has no rule against points of small order"


def test_a_key_outside_the_main_group_is_treated_as_openssl_treats_it() -> None:
    """No cofactor: with a point of small order added to the key, only some messages verify, the same ones for
    both.
    """
    small = ed25519._decoded(SMALL_ORDER_Y[3].to_bytes(32, "little"))
    assert small is not None
    assert ed25519._encoded(ed25519._sum_of_multiples(8, small, 0, small)) == (1).to_bytes(32, "little")
    secret = 0x1234567
    mixed = ed25519._encoded(ed25519._sum(ed25519._sum_of_multiples(secret, ed25519._BASE, 0, small), small))
    found = set()
    for number in range(24):
        nonce = 99 + number
        r = ed25519._encoded(ed25519._sum_of_multiples(nonce, ed25519._BASE, 0, small))
        h = int.from_bytes(sha512(r + mixed + b"?").digest(), "little") % ORDER
        theirs, ours = verdicts(mixed, r + ((nonce + h * secret) % ORDER).to_bytes(32, "little"), b"?")
        assert ours == theirs
        found.add(ours)
    assert found == {True, False}


def test_the_stand_in_signs_nothing() -> None:
    """The timing of its arithmetic would leak a secret."""
    with pytest.raises(NotImplementedError):
        ed25519.Ed25519PrivateKey.from_private_bytes(bytes(32))


READ_RECORDS = """
import sys
from fairness.errors import Malformed, Unknown
from fairness.records.record import encode_record, parse_record
import msgspec
assert "stand_ins" in msgspec.__file__
for line in sys.stdin:
    try:
        print(encode_record(parse_record(bytes.fromhex(line))).hex())
    except Malformed:
        print("refused")
    except Unknown:
        print("newer")
"""


def candidates() -> list[bytes]:
    """Records of every kind, and many other texts: changed, cut, lengthened, with other JSON values."""
    source = random.Random(4)
    honest = list({record[-60:]: record for record in history().records}.values())
    honest += (HOUSE / "tests" / "vectors" / "log.jsonl").read_bytes().splitlines()
    values = [b"null", b"true", b"1.0", b"1e3", b"-1", b"01", b"[]", b"{}", b'""', b'"\\u0041"', b"9007199254740992"]
    values += [b"NaN", b"[[]]", b"9" * 5000, b"[" * 5000, b'"\xc3\xa9"', b'"\x7f"', b'"a b"', b"1,1", b'{"a":1.5}']
    found = [*honest]
    for record in honest:
        spots = [at for at in range(len(record)) if record[at] in b':,"{[']
        for _ in range(20):
            at, other = source.choice(spots) + 1, source.choice(values)
            found += [
                record[:at] + other + record[at:],
                record[:at] + other + record[min(len(record), at + source.randrange(12)) :],
                record[: (cut := source.randrange(len(record)))] + record[cut + 1 :],
                record[:cut] + bytes([source.randrange(256)]) + record[cut + 1 :],
            ]
    return found


@pytest.mark.nightly("thousands of spellings by plain Python")
def test_records_are_read_alike() -> None:
    """The stand-in for msgspec accepts the same records, with the same bytes, and refuses the rest."""
    tried = candidates()
    typed = "".join(f"{data.hex()}\n" for data in tried)
    command = [sys.executable, "-c", READ_RECORDS]
    done = subprocess.run(
        command, input=typed, env=ENVIRONMENT, capture_output=True, text=True, check=True, timeout=120
    )
    expected = []
    for data in tried:
        try:
            expected.append(encode_record(parse_record(data)).hex())
        except Malformed:
            expected.append("refused")
        except Unknown:
            expected.append("newer")
    assert done.stdout.split() == expected
    assert 100 < expected.count("refused") < len(expected) - 20


@pytest.mark.nightly("runs files of tests once more")
@pytest.mark.parametrize("tests", ["fairness/records/test_records.py", "verifier/audit/test_state_file.py"])
def test_our_own_tests_hold_with_the_stand_in_for_msgspec(tests: str, tmp_path: Path) -> None:
    """Plain Python also keeps every promise about records and remembered state."""
    (tmp_path / "msgspec").symlink_to(STAND_INS / "msgspec")
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-p",
        "no:cacheprovider",
        "-k",
        "not every_change",
        f"tests/{tests}",
    ]
    environment = {**os.environ, "PYTHONPATH": str(tmp_path)}
    done = subprocess.run(
        command, cwd=HOUSE, env=environment, capture_output=True, text=True, check=False, timeout=300
    )
    assert (done.returncode, done.stderr) == (0, ""), done.stdout


SAVE_AGAIN = """
import sys
from pathlib import Path
from verifier.audit.state_file import load_state, save_state
save_state(Path(sys.argv[2]), load_state(Path(sys.argv[1])))
"""


def test_what_one_remembers_the_other_reads(tmp_path: Path) -> None:
    """A state file passes from the installed verifier to the one file and back, byte for byte."""
    report = audit_log(FolderSource(history().write(tmp_path / "log")), KEY.verifier_key)
    mine, other = tmp_path / "mine", tmp_path / "other"
    save_state(mine, report.state)
    subprocess.run([sys.executable, "-c", SAVE_AGAIN, mine, other], env=ENVIRONMENT, check=True, timeout=60)
    assert other.read_bytes() == mine.read_bytes()
    assert load_state(other) == report.state
    assert json.loads(mine.read_bytes())["v"] == 1
