"""The stream and its draws: uniformity by enumeration, never by statistics."""

from __future__ import annotations

import hashlib
import hmac
import itertools
from collections import Counter
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairness.draws import stream as stream_module
from fairness.draws.stream import LARGEST_RANGE, NO_SALT, Stream, context
from tests.oracles.given_stream import GivenStream

CONTEXT = context(hashlib.sha256(b"a batch").digest())
RANGES = [1, 2, 3, 6, 25, 26, 37, 52, 100, 1000, 65_537, 1 << 31, (1 << 31) + 1, (1 << 32) - 1, 1 << 32]

digests = st.binary(min_size=32, max_size=32)


def block(seed: bytes, number: int, index: int, batch_context: bytes = CONTEXT) -> bytes:
    """One block, by the standard library's HMAC."""
    message = batch_context + number.to_bytes(8, "big") + index.to_bytes(4, "big")
    return hmac.digest(seed, message, "sha256")


@given(seeds=st.lists(digests, min_size=1, max_size=8), batch_context=digests, number=st.integers(1, (1 << 48) - 1))
def test_a_stream_is_the_xor_of_its_custodians_hmacs(seeds: list[bytes], batch_context: bytes, number: int) -> None:
    """Block j is HMAC-SHA256 under the seed; the blocks of several custodians are combined by XOR."""
    got = Stream(seeds, batch_context, number).take(96)
    for index in range(3):
        total = bytes(32)
        for seed in seeds:
            part = block(seed, number, index, batch_context)
            total = bytes(a ^ b for a, b in zip(total, part, strict=True))
        assert got[32 * index : 32 * index + 32] == total


@given(pieces=st.lists(st.integers(0, 100), max_size=20))
def test_nothing_is_skipped_or_read_twice(pieces: list[int]) -> None:
    """However a stream is divided into draws, they read its bytes in order, across block boundaries."""
    seed = b"s" * 32
    cut, whole = (Stream([seed], CONTEXT, 7) for _ in range(2))
    assert b"".join(cut.take(size) for size in pieces) == whole.take(sum(pieces))


def test_a_context_is_its_definition() -> None:
    """Tag, batch and salt; a table without salt has 32 zero bytes there."""
    batch_id = bytes(range(32))
    assert context(batch_id) == hashlib.sha256(b"foredraw/v1/context\0" + batch_id + bytes(32)).digest()
    assert bytes(32) == NO_SALT
    assert context(batch_id, b"s" * 32) != context(batch_id)


def test_streams_differ_by_seed_batch_and_round() -> None:
    """Each of the three changes every block."""
    other_batch = context(bytes(32))
    streams = [
        Stream([b"a" * 32], CONTEXT, 1),
        Stream([b"b" * 32], CONTEXT, 1),
        Stream([b"a" * 32], other_batch, 1),
        Stream([b"a" * 32], CONTEXT, 2),
    ]
    assert len({stream.take(32) for stream in streams}) == 4


def test_below_is_uniform_over_every_small_word(monkeypatch: pytest.MonkeyPatch) -> None:
    """All words of 8 bits instead of 32, and all limits: every result comes from the same number of words.

    Fewer words are refused than the limit, so no draw is refused half of the time.
    """
    size = 256
    monkeypatch.setattr(stream_module, "LARGEST_RANGE", size)
    for limit in range(1, size + 1):
        # A refused word is followed by the marker ``0``, and leaves nothing behind it to read.
        counts: Counter[int] = Counter()
        refused = 0
        for word in range(size):
            stream = GivenStream.of_words(word, 0)
            result = stream.below(limit)
            try:
                stream.take(4)
            except StopIteration:
                refused += 1
            else:
                counts[result] += 1
        assert set(counts) == set(range(limit))
        assert set(counts.values()) == {size // limit}
        assert refused == size % limit < limit


@pytest.mark.parametrize("limit", RANGES)
def test_below_refuses_exactly_the_words_over_the_last_whole_multiple(limit: int) -> None:
    """Real words of 32 bits, at and around every edge of the structure that small words have."""
    whole = LARGEST_RANGE // limit * limit
    marks = {0, 1, limit - 1, limit, limit + 1, whole - limit, whole - 1, whole, whole + 1, LARGEST_RANGE - 1}
    for word in sorted(word for word in marks if 0 <= word < LARGEST_RANGE):
        expected = word % limit if word < whole else 0
        assert GivenStream.of_words(word, 0).below(limit) == expected
        # A second refused word in a row is also refused.
        assert GivenStream.of_words(LARGEST_RANGE - 1, word, 0).below(limit) == (
            (limit - 1) if whole == LARGEST_RANGE else expected
        )


@pytest.mark.parametrize("limit", [-1, 0, (1 << 32) + 1])
def test_below_takes_limits_from_1_to_2_to_the_32(limit: int) -> None:
    """One beyond either end is the caller's mistake, and no byte is read."""
    stream = GivenStream.of_words(7)
    with pytest.raises(ValueError, match="below"):
        stream.below(limit)
    assert stream.take(4) == bytes([0, 0, 0, 7])


RULES = [(9700, 1_000_000), (10_000, 1_000_000_000), (9900, 101), (1, 1_000_000_000), (1, 101), (5000, 333_333)]


def thresholds(cap: int) -> list[int]:
    """The multipliers to test, in hundredths: small ones, round ones, and those around the cap."""
    marks = {*range(101, 400), *range(cap - 3, cap + 1), *(10**i for i in range(3, 10)), 123_457, 2123}
    return sorted(mark for mark in marks if 101 <= mark <= cap)


def multiplier(word: int, rtp: int, cap: int) -> int:
    return GivenStream(word.to_bytes(8, "big")).multiplier(rtp=rtp, cap=cap)


@pytest.mark.parametrize(("rtp", "cap"), RULES)
def test_the_chance_of_every_multiplier_is_rtp_over_x(rtp: int, cap: int) -> None:
    """P(multiplier >= x) is rtp / x to within 2^-63: the words that reach x are counted, not sampled.

    The multiplier falls as the word grows, so those words are the ones below a threshold, and the
    code is tested on both sides of it.
    """
    for x in thresholds(cap):
        reaching = (rtp << 64) // (100 * x)
        if reaching:
            assert multiplier(reaching - 1, rtp, cap) >= x
        if reaching < 1 << 64:
            assert multiplier(reaching, rtp, cap) < x
        chance, wanted = Fraction(reaching, 1 << 64), Fraction(rtp, 10_000) / Fraction(x, 100)
        assert 0 <= wanted - chance < Fraction(1, 1 << 63)


@given(rule=st.sampled_from(RULES), pair=st.tuples(*[st.integers(0, (1 << 64) - 1)] * 2))
def test_a_multiplier_falls_as_its_word_grows(rule: tuple[int, int], pair: tuple[int, int]) -> None:
    """So counting words by a threshold is a proof. It never leaves the range from 1.00 to the cap."""
    low, high = sorted(pair)
    assert rule[1] >= multiplier(low, *rule) >= multiplier(high, *rule) >= 100


@pytest.mark.parametrize(("rtp", "cap"), RULES)
def test_a_cash_out_returns_the_same_to_the_player_wherever_it_is(rtp: int, cap: int) -> None:
    """P(multiplier >= x) times x is the rtp at every x from 1.01 to the cap, to within x / 2^63."""
    for x in thresholds(cap):
        returned = Fraction(x, 100) * Fraction((rtp << 64) // (100 * x), 1 << 64)
        assert 0 <= Fraction(rtp, 10_000) - returned < Fraction(x, 100) / (1 << 63)


def test_the_extreme_words_give_the_extreme_multipliers() -> None:
    """The smallest word gives the cap, and the largest one 1.00."""
    assert multiplier(0, 9700, 1_000_000) == 1_000_000
    assert multiplier((1 << 64) - 1, 9700, 1_000_000) == 100


@pytest.mark.parametrize("size", range(6))
def test_every_sample_comes_from_exactly_one_sequence_of_draws(size: int) -> None:
    """All ordered selections, each once; the draws are uniform, so the samples are uniform."""
    for count in range(size + 1):
        draws = itertools.product(*(range(size - i) for i in range(count)))
        samples = [tuple(GivenStream.of_words(*draw).sample(size, count)) for draw in draws]
        assert sorted(samples) == sorted(itertools.permutations(range(size), count))


@pytest.mark.parametrize(("size", "count"), [(5, 6), (0, 1), (5, -1)])
def test_a_sample_is_not_larger_than_what_it_is_drawn_from(size: int, count: int) -> None:
    """One number too many or a negative count is the caller's mistake."""
    with pytest.raises(ValueError, match="sample"):
        GivenStream.of_words().sample(size, count)


def test_a_sample_of_very_many_is_drawn_at_once() -> None:
    """No list of 2^32 numbers is made; one more than a word can represent is refused."""
    stream = GivenStream(bytes(range(32)), bytes(64))
    drawn = stream.sample(1 << 32, 8)
    assert len(set(drawn)) == 8
    assert drawn[0] == 0x00010203
    with pytest.raises(ValueError, match=r"2\*\*32"):
        stream.sample((1 << 32) + 1, 1)


@given(size=st.integers(0, 40), data=st.data())
def test_a_sample_is_that_of_the_whole_list(size: int, data: st.DataObject) -> None:
    """Places that no swap has touched need not be stored (SPEC 3.4)."""
    count = data.draw(st.integers(0, size))
    words = data.draw(st.binary(min_size=256, max_size=256))
    numbers, stream = list(range(size)), GivenStream(words, bytes(256))
    for i in range(count):
        j = i + stream.below(size - i)
        numbers[i], numbers[j] = numbers[j], numbers[i]
    assert GivenStream(words, bytes(256)).sample(size, count) == numbers[:count]
