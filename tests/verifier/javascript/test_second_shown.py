"""What nobody signed, read by two implementations: finding aids, and a proof file beside a round code."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import replace

import pytest

from fairness.checks import FAULT, Check
from fairness.hashing import u64
from fairness.player.round_code import RoundCode
from fairness.round.finding_aids import RoundPositions, place_in_file, rounds_path
from tests.lies import BEFORE_PULSES
from tests.oracles.second_verifier import SecondVerifier
from tests.support.codes import code_of
from tests.support.dishonest_operator import KEY, Operator, just_before
from tests.support.proofs import proof_of
from tests.support.shown import MOST, ROUND, TABLE, Files, honest_log
from tests.support.verdicts import VKEY, InMemory, Verdict, hexed, ours, receipts_of, theirs
from verifier.round.bet_check import check_bet
from verifier.round.check import check_round
from verifier.round.code_proof_check import check_code_by_proof

NOTHING = bytes(8)


@pytest.fixture(name="second", scope="module")
def _second() -> Iterator[SecondVerifier]:
    with SecondVerifier() as second:
        yield second


def by_code(second: SecondVerifier, files: Files, code: RoundCode) -> tuple[Verdict, Verdict]:
    """Both verdicts on a code, by the log's files."""
    python = ours(check_round, InMemory(files), KEY.verifier_key, str(code))
    return python, theirs(second.ask("code", text=str(code), key=VKEY, files=hexed(files)))


def by_receipt(second: SecondVerifier, files: Files, receipt: bytes) -> tuple[Verdict, Verdict]:
    """Both verdicts on a bet."""
    python = ours(check_bet, InMemory(files), KEY.verifier_key, receipt)
    return python, theirs(second.ask("bet", hex=receipt.hex(), key=VKEY, files=hexed(files)))


def by_proof(second: SecondVerifier, data: bytes, code: RoundCode | str) -> tuple[Verdict, Verdict]:
    """Both verdicts on a code and a proof file."""
    python = ours(check_code_by_proof, data, KEY.verifier_key, str(code))
    return python, theirs(second.ask("code-proof", text=str(code), hex=data.hex(), key=VKEY))


def misled(files: Files, dice: random.Random, records: int) -> Files:
    """The files with one to five changes of finding aids: positions of any record, lost and exchanged files, cuts."""
    found, aids = dict(files), [path for path in files if path.startswith("find/")]
    for _ in range(dice.randint(1, 5)):
        path = dice.choice(aids)
        data = found.get(path, b"")
        at = dice.randrange(len(data) // 8 or 1) * 8
        position = dice.choice((0, dice.randrange(records), records, 1 << 53, (1 << 64) - 1))
        found[path] = dice.choice(
            (data[:at] + u64(position) + data[at + 8 :],) * 6 + (data[:at], found.get(dice.choice(aids), b""))
        )
        if dice.random() < 0.1:
            del found[path]
    return found


@pytest.mark.parametrize("salted", [False, True], ids=["plain", "salted"])
def test_whatever_the_aids_of_an_honest_log_say_both_say_the_same(second: SecondVerifier, *, salted: bool) -> None:
    """And nobody is accused: the round and the bet hold, or are not shown."""
    operator, dice = honest_log(MOST, salted=salted), random.Random(salted)
    files, seen = operator.files(), set()
    for _ in range(20):
        changed = misled(files, dice, len(operator.records))
        for python, javascript in (
            by_code(second, changed, code_of(operator, TABLE, dice.randint(1, 6))),
            by_receipt(second, changed, receipts_of(operator, TABLE, ROUND)[2]),
        ):
            assert javascript == python
            seen.add(python[0])
    assert seen == {"held", "not-shown"}


def _false_signature(operator: Operator) -> None:
    operator.batch(TABLE, 2)
    operator.salt(TABLE, signature="ab" * 48)


def _false_beacon(operator: Operator) -> None:
    operator.batch(TABLE, 2, beacon=1000)
    operator.salt(TABLE)


def _too_early(operator: Operator) -> None:
    operator.batch(TABLE, 2)
    operator.salt(TABLE, salted=just_before(operator.time()))


LIES = {
    "salt-signature": _false_signature,
    "batch-beacon": _false_beacon,
    "salt-time": _too_early,
}


@pytest.mark.parametrize("check", LIES)
def test_a_missing_hint_hides_nothing_of_what_was_read_before_it(check: str, second: SecondVerifier) -> None:
    """A batch or a salt that is false fails, also where nothing leads to the next batch: the first of 3, 4 and 7
    counts.
    """
    operator = Operator(start=BEFORE_PULSES)
    operator.table(TABLE, "keno-express", salted_by="quicknet")
    LIES[check](operator)
    operator.batch(TABLE, 2)
    operator.salt(TABLE)
    operator.lock(TABLE)
    operator.reveal(TABLE)
    files, code = operator.files(), code_of(operator, TABLE, 1)
    path, at = rounds_path(operator.tables[TABLE].table_id, 3), RoundPositions.SIZE * place_in_file(3)
    hidden = {**files, path: files[path][:at] + NOTHING + files[path][at + 8 :]}
    for each in (files, hidden):
        python, javascript = by_code(second, each, code)
        assert javascript == python
        assert python[:2] == ("failed", check)


def files_of_rounds() -> tuple[Operator, list[tuple[int, bytes]]]:
    """Proof files of a table's rounds: ended, void, locked, and not yet open."""
    operator = honest_log(8)
    return operator, [(number, bytes(proof_of(operator, TABLE, number))) for number in (1, 2, 3, 4, 5)]


def put_together(data: bytes, others: Sequence[tuple[int, bytes]], dice: random.Random) -> bytes:
    """The file as it is, with a bit changed, cut, or with a section left out, repeated, moved, or of another file."""
    at, parts = dice.randrange(len(data)), data.split(b"\n\n")
    one, two = sorted((dice.randrange(len(parts)), dice.randrange(len(parts))))
    other = dice.choice(dice.choice(others)[1].split(b"\n\n"))
    return dice.choice(
        (
            data,
            data[:at] + bytes([data[at] ^ 1 << dice.randrange(8)]) + data[at + 1 :],
            data[:at],
            b"\n\n".join([*parts[:one], *parts[one + 1 :]]),
            b"\n\n".join([*parts[: two + 1], *parts[one:]]),
            b"\n\n".join([*parts[:one], other, *parts[one + 1 :]]),
        )
    )


def test_a_code_and_a_file_have_one_verdict(second: SecondVerifier) -> None:
    """Whatever the file is, and whether the code is its round's, another round's, or none; nothing false ever
    holds.
    """
    operator, files = files_of_rounds()
    dice, seen = random.Random(1), set()
    for _ in range(150):
        number, data = dice.choice(files)
        changed = put_together(data, files, dice)
        right = code_of(operator, TABLE, number)
        code = dice.choice(
            (right, right, replace(right, round_number=number + 1), replace(right, seeds=(bytes(32),)))
        )
        python, javascript = by_proof(second, changed, code)
        assert javascript[0] == python[0]
        assert python[0] != "held" or (changed, code) == (data, right)
        if python[0] == "failed":
            # If several things are wrong, one is said; it may be another one, but not another's fault.
            assert FAULT[Check(str(javascript[1]))] is FAULT[Check(str(python[1]))]
        seen.add(python[0])
    assert seen >= {"held", "failed", "not-shown"}


def test_a_file_that_is_cut_at_any_place_has_one_verdict(second: SecondVerifier) -> None:
    """Also behind the last section's name, with and without the end of its line."""
    operator, files = files_of_rounds()
    number, data = files[0]
    end = data.index(b"\ncheckpoint\n") + len(b"\ncheckpoint\n")
    for cut in (*range(0, end - 2, 97), *range(end - 2, len(data))):
        python, javascript = by_proof(second, data[:cut], code_of(operator, TABLE, number))
        assert javascript == python, cut
        assert python[0] in {"failed", "unreadable"}
