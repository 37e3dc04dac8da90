"""Round codes: one spelling, and no typing error that passes."""

from __future__ import annotations

import hashlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairness.checks import Check
from fairness.errors import CheckFailed, Malformed
from fairness.limits import LONGEST_CODE
from fairness.player import bech32m
from fairness.player.round_code import NewerCode, RoundCode
from games import GAMES

SEED = hashlib.sha256(b"a seed").digest()
TABLE_ID = hashlib.sha256(b"a table").digest()
CODES = [
    RoundCode.of("crash", TABLE_ID, 1, [SEED]),
    RoundCode.of("hi-lo", TABLE_ID, (1 << 48) - 1, [SEED, bytes(32)]),
    RoundCode.of("keno-express", bytes(32), 1_000_000, [bytes([i]) * 32 for i in range(8)]),
]

digests = st.binary(min_size=32, max_size=32)
codes = st.builds(
    RoundCode,
    st.sampled_from(sorted(GAMES)),
    st.binary(min_size=4, max_size=4),
    st.integers(1, (1 << 48) - 1),
    st.lists(digests, min_size=1, max_size=8).map(tuple),
)


def reading(text: str) -> RoundCode | Check | type[Malformed]:
    """The result of parsing a code: itself, the check that failed, or `Malformed`."""
    try:
        return RoundCode.parse(text)
    except CheckFailed as failure:
        return failure.check
    except Malformed:
        return Malformed


def payload_of(version: int, number: int, seeds: bytes) -> bytes:
    return bytes([version]) + TABLE_ID[:4] + number.to_bytes(6, "big") + seeds


@given(code=codes)
def test_what_is_written_is_read(code: RoundCode) -> None:
    """In lower and upper case, for every game, number and count of seeds."""
    text = str(code)
    assert RoundCode.parse(text) == code
    assert RoundCode.parse(text.upper()) == code
    assert text == text.lower()
    assert text.startswith(f"{code.game}1")


@given(
    prefix=st.text(st.characters(min_codepoint=33, max_codepoint=126), min_size=1).map(str.lower), payload=st.binary()
)
def test_bech32m_carries_any_bytes(prefix: str, payload: bytes) -> None:
    """Without the games, for every length, also if the prefix itself contains a 1."""
    text = bech32m.encode(prefix, payload)
    if len(text) <= LONGEST_CODE:
        assert bech32m.decode(text) == (prefix, payload)


@pytest.mark.parametrize("code", CODES, ids=lambda code: code.game)
def test_every_wrong_character_is_found(code: RoundCode) -> None:
    """Each place, each character of the alphabet: the checksum fails, or the name is that of another game."""
    text = str(code)
    data_starts = len(code.game) + 1
    for at in range(len(text)):
        for character in bech32m.ALPHABET + "1-bio ":
            if character == text[at]:
                continue
            read = reading(text[:at] + character + text[at + 1 :])
            assert read in (Check.CODE_CHECKSUM, Malformed)
            if at >= data_starts and character in bech32m.ALPHABET:
                assert read is Check.CODE_CHECKSUM


@pytest.mark.parametrize("code", CODES, ids=lambda code: code.game)
def test_every_swap_of_neighbours_is_found(code: RoundCode) -> None:
    """Two different neighbours, exchanged."""
    text = str(code)
    for at in range(len(text) - 1):
        if text[at] != text[at + 1]:
            swapped = text[:at] + text[at + 1] + text[at] + text[at + 2 :]
            assert reading(swapped) in (Check.CODE_CHECKSUM, Malformed)


@pytest.mark.parametrize("code", CODES, ids=lambda code: code.game)
def test_every_missing_or_doubled_character_is_found(code: RoundCode) -> None:
    """Cut anywhere, without one character, or with one typed twice."""
    text = str(code)
    for at in range(len(text)):
        assert reading(text[:at]) in (Check.CODE_CHECKSUM, Malformed)
        assert reading(text[:at] + text[at + 1 :]) in (Check.CODE_CHECKSUM, Malformed)
        assert reading(text[:at] + text[at] + text[at:]) in (Check.CODE_CHECKSUM, Malformed)


def test_nothing_is_trimmed_and_cases_do_not_mix() -> None:
    """Spaces, line feeds and a single capital letter are refused."""
    text = str(CODES[0])
    for other in (f" {text}", f"{text} ", f"{text}\n", text.capitalize(), text[:-1] + text[-1].swapcase()):
        assert reading(other) is Malformed or other == text
    assert reading("") is Malformed


@pytest.mark.parametrize(
    ("game", "payload"),
    [
        ("rou_lette", payload_of(1, 1, SEED)),
        ("crash", b""),
        ("crash", b"\x01"),
        ("crash", payload_of(1, 1, SEED)[:10]),
        ("crash", payload_of(0, 1, SEED)),
        ("crash", payload_of(1, 0, SEED)),
        ("crash", payload_of(1, 1, b"")),
        ("crash", payload_of(1, 1, SEED[:31])),
        ("crash", payload_of(1, 1, SEED + b"\0")),
        ("crash", payload_of(1, 1, SEED * 9)),
    ],
)
def test_a_well_summed_code_of_something_else_is_malformed(game: str, payload: bytes) -> None:
    """Another game, version or round 0, no seed, nine seeds, part of a seed: the checksum alone does not make a
    code.
    """
    assert reading(bech32m.encode(game, payload)) is Malformed


@pytest.mark.parametrize("version", [2, 255])
@pytest.mark.parametrize("rest", [b"", bytes(7)])
def test_a_code_of_a_later_version_is_newer(version: int, rest: bytes) -> None:
    """Whatever stands behind its version: nothing of it is judged."""
    with pytest.raises(NewerCode):
        RoundCode.parse(bech32m.encode("crash", bytes([version]) + rest))


def with_checksum(prefix: str, values: list[int]) -> str:
    """A text of these characters with a valid checksum, whatever they mean."""
    expanded = [ord(c) >> 5 for c in prefix] + [0] + [ord(c) & 31 for c in prefix]
    checksum = bech32m._polymod([*expanded, *values, *[0] * 6]) ^ 0x2BC830A3
    return f"{prefix}1" + "".join(
        bech32m.ALPHABET[value] for value in [*values, *(checksum >> 5 * (5 - i) & 31 for i in range(6))]
    )


def test_padding_is_zero_and_short() -> None:
    """A second spelling of the same bytes, with other padding bits, is refused although its checksum is valid."""
    payload = payload_of(1, 1, SEED)
    assert 8 * len(payload) % 5, "there is padding"
    bits = int.from_bytes(payload, "big") << (-8 * len(payload) % 5)
    for wrong_bits, size in ((bits | 1, -(-8 * len(payload) // 5)), (bits << 5, -(-8 * len(payload) // 5) + 1)):
        values = [wrong_bits >> 5 * at & 31 for at in range(size - 1, -1, -1)]
        text = with_checksum("crash", values)
        with pytest.raises(Malformed, match="padding"):
            RoundCode.parse(text)


@pytest.mark.parametrize("size", range(11))
@pytest.mark.parametrize("more", [1, 2, 3])
def test_no_character_of_zeros_is_one_too_many(size: int, more: int) -> None:
    """A payload has one spelling: an additional character of zero bits, even a whole zero byte, is refused."""
    payload = bytes(range(1, size + 1))
    text = bech32m.encode("x", payload)
    values = [bech32m.ALPHABET.index(character) for character in text[2:-6]]
    assert bech32m.decode(with_checksum("x", values)) == ("x", payload)
    longer = with_checksum("x", values + [0] * more)
    try:
        prefix, found = bech32m.decode(longer)
    except Malformed:
        return
    assert found == payload + bytes(len(found) - len(payload))
    assert len(found) > len(payload)
    assert bech32m.encode(prefix, found) == longer


@pytest.mark.parametrize(("number", "held"), [(0, False), (1, True), ((1 << 48) - 1, True), (1 << 48, False)])
def test_a_round_has_a_number_of_48_bits(number: int, held: bool) -> None:
    """From 1; what does not fit into six bytes cannot be constructed."""
    if held:
        code = RoundCode("crash", TABLE_ID[:4], number, (SEED,))
        assert RoundCode.parse(str(code)) == code
    else:
        with pytest.raises(Malformed, match="a round from 1"):
            RoundCode("crash", TABLE_ID[:4], number, (SEED,))


@pytest.mark.parametrize("length", [LONGEST_CODE, LONGEST_CODE + 1])
def test_a_text_has_at_most_1024_characters(length: int) -> None:
    """At the limit the checksum is computed; one character above it, nothing is."""
    expected = "checksum" if length == LONGEST_CODE else "at most 1024"
    with pytest.raises((CheckFailed, Malformed), match=expected):
        bech32m.decode("crash1" + "q" * (length - 6))


@pytest.mark.parametrize(
    "text",
    ["A1LQFN3A", "a1lqfn3a", "abcdef1l7aum6echk45nj3s0wdvt2fg8x9yrzpqzd3ryx", "?1v759aa"],
)
def test_codes_of_bip_350_have_a_good_checksum(text: str) -> None:
    """Valid strings of BIP 350; those whose data are not whole bytes fail because of their padding, not the
    checksum.
    """
    try:
        bech32m.decode(text)
    except Malformed as error:
        assert "padding" in str(error)  # noqa: PT017 -- most are decoded


@pytest.mark.parametrize(
    "text", ["M1VUXWEZ", "y1b0jsk6g", "lt1igcx5c0", "in1muywd", "mm1crxm3i", "au1s5cgom", "16plkw9", "1p2gdwpf"]
)
def test_codes_that_bip_350_refuses(text: str) -> None:
    """Invalid strings of BIP 350."""
    with pytest.raises((Malformed, CheckFailed)):
        bech32m.decode(text)


@pytest.mark.parametrize(
    ("prefix", "seeds"), [(TABLE_ID[:3], (SEED,)), (TABLE_ID, (SEED,)), (TABLE_ID[:4], (SEED[:31],))]
)
def test_a_code_that_exists_can_be_spelled(prefix: bytes, seeds: tuple[bytes, ...]) -> None:
    """Parts of other sizes are the caller's mistake, detected by the constructor."""
    with pytest.raises(ValueError, match="a round code has"):
        RoundCode("crash", prefix, 1, seeds)


@given(text=st.text() | st.text(bech32m.ALPHABET + "1", max_size=120).map("crash1".__add__))
def test_any_text_is_a_code_or_one_of_our_errors(text: str) -> None:
    """Only our own errors are raised, and an accepted text is spelled the same again."""
    read = reading(text)
    if isinstance(read, RoundCode):
        assert str(read) == text.lower()
