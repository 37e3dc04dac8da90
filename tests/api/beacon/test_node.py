"""A chain with a single node: its pulses are as valid as those of any other chain, and its secret stays in a file."""

from __future__ import annotations

from pathlib import Path

import pytest

from api.beacon.node import Node
from api.settings import SettingsError
from fairness.beacon.bls import InvalidSignature
from fairness.beacon.chain import Beacon
from fairness.beacon.pulse import verify_pulse
from tests.oracles.second_verifier import SecondVerifier
from tests.support.relays import SECRET, a_node


def test_both_verifiers_accept_its_pulses_and_no_others() -> None:
    """Of this round, by this chain."""
    node, other = a_node(), a_node(SECRET[::-1])
    numbers = (1, 2, 1000, (1 << 53) - 1)
    for number in numbers:
        verify_pulse(node.beacon, number, node.pulse(number))
    with pytest.raises(InvalidSignature):
        verify_pulse(node.beacon, 2, node.pulse(1))
    with pytest.raises(InvalidSignature):
        verify_pulse(node.beacon, 2, other.pulse(2))
    pulses = [node.pulse(number) for number in numbers] + [node.pulse(1), other.pulse(2)]
    cases = [
        {"words": str(node.beacon), "round": number, "hex": pulse.hex()}
        for number, pulse in zip((*numbers, 2, 2), pulses, strict=True)
    ]
    with SecondVerifier() as second:
        refused = second.ask("pulses", cases=cases)["refused"]
    assert [each is None for each in refused] == [True] * 4 + [False] * 2


def test_a_chain_continues_from_its_file(tmp_path: Path) -> None:
    """The same chain, key and clock; only its owner can read the file, and nothing shows the secret."""
    path = tmp_path / "keys" / "beacon.key"
    made = Node.create(path, period=2, name="mine")
    secret = path.read_text("ascii").split()[-1]
    again = Node.load(path)
    assert again.beacon == made.beacon == Beacon.parse(str(made.beacon).split(" "))
    assert again.pulse(7) == made.pulse(7)
    assert path.stat().st_mode & 0o077 == 0
    assert secret not in repr(made) + str(made.beacon)
    assert Node.create(tmp_path / "other.key", period=2, name="mine").beacon.public_key != made.beacon.public_key


def test_a_key_is_not_made_twice(tmp_path: Path) -> None:
    """Otherwise the old key would be lost, and its chain with it."""
    path = tmp_path / "beacon.key"
    Node.create(path, period=2, name="mine")
    with pytest.raises(SettingsError, match="exists already"):
        Node.create(path, period=2, name="mine")


ORDER = "73eda753299d7d483339d80809a1d80553bda402fffe5bfeffffffff00000001"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "holds no beacon's key"),
        (f"foredraw-beacon-1 03 9 demo {'1' * 64}", "holds no beacon's key"),
        (f"foredraw-beacon-1 3 9 demo {'1' * 63}", "holds no beacon's key"),
        (f"foredraw-beacon-1 3 9 demo {ORDER}", "no secret of BLS12-381"),
        (f"foredraw-beacon-1 3 9 demo {'0' * 64}", "no secret of BLS12-381"),
    ],
)
def test_what_is_no_key_is_refused(tmp_path: Path, text: str, message: str) -> None:
    """The error names the file and does not show its content."""
    path = tmp_path / "beacon.key"
    path.write_text(f"{text}\n", "ascii")
    path.chmod(0o600)
    with pytest.raises(SettingsError, match=message) as refused:
        Node.load(path)
    assert str(path) in str(refused.value)
    assert "1111" not in str(refused.value)
    assert ORDER not in str(refused.value)
