"""The receipt of a bet, checked by both implementations: one verdict, the same record, the same words."""

from __future__ import annotations

import base64
import random
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.oracles.second_verifier import Json, SecondVerifier
from tests.support.dishonest_operator import ABSENT, KEY, Operator
from tests.support.verdicts import LINES, VKEY, Files, InMemory, digest_of, hexed, ours, receipts_of, theirs
from verifier.cli import main
from verifier.commands.command import HELD
from verifier.output.bet import bet_json
from verifier.round.bet_check import check_bet


@pytest.fixture(name="second", scope="module")
def _second() -> Iterator[SecondVerifier]:
    with SecondVerifier() as second:
        yield second


@pytest.fixture(name="betting", scope="module")
def _betting() -> Operator:
    """Rounds with bets: played, void, locked, given up, without a digest from the engine, not yet opened."""
    operator = Operator()
    operator.table("dice", "sic-bo")
    operator.table("flight", "crash", ["house", "lab"])
    for name in operator.tables:
        operator.batch(name, 40)
        for number in range(1, 4):
            operator.lock(name, bets=digest_of(LINES[:number]))
            (operator.void if number == 2 else operator.reveal)(name)
        operator.lock(name, bets=digest_of(LINES))
        operator.reveal(name)
        operator.give_up(name)
        operator.reveal(name)
        operator.lock(name, bets=ABSENT)
        operator.reveal(name)
        operator.lock(name, bets=digest_of(LINES))
    return operator


def ask_bet(second: SecondVerifier, files: Files, receipt: bytes) -> Json:
    """The JavaScript report on a receipt."""
    return second.ask("bet", hex=receipt.hex(), key=VKEY, files=hexed(files))


def test_every_bet_is_reported_alike(
    second: SecondVerifier, betting: Operator, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """In every kind of round, whatever the line is: the same values in the same words."""
    files, folder = betting.files(), betting.write(tmp_path / "log")
    for name in betting.tables:
        for number, lines in ((1, LINES[:1]), (2, LINES[:2]), (3, LINES[:3]), (4, LINES), (7, LINES)):
            for receipt in receipts_of(betting, name, number, lines):
                python = bet_json(check_bet(InMemory(files), KEY.verifier_key, receipt))
                report = ask_bet(second, files, receipt)
                assert report["verdict"] == "held"
                for key in ("log", "table", "game", "round", "outcome"):
                    assert report[key] == python[key], key
                assert (report["lockedAt"], report["revealedAt"]) == (python["locked_at"], python["revealed_at"])
                assert report["tableId"] == python["table_id"]
                assert bytes.fromhex(report["bet"]["hex"]) == base64.b64decode(python["line"])
                assert (report["bet"]["index"], report["bet"]["count"]) == (python["index"], len(lines))
                assert (report["status"] or report["stage"]) == python["status"]
                assert report["caveats"] == python["not_checked"]
                assert report["sentences"] == [each["what"] for each in python["checked"]]
                assert [fact.get("records", []) for fact in report["proven"]] == [
                    each["records"] for each in python["checked"]
                ]
                last = "held" if report["revealedAt"] else "skipped"
                assert [step["state"] for step in report["steps"]] == [*["held"] * 5, last]
                assert report["seen"] == report["steps"]
                (tmp_path / "my.bet").write_bytes(receipt)
                capsys.readouterr()
                assert main(["bet", str(tmp_path / "my.bet"), "--log", str(folder), "--key", VKEY]) == HELD
                assert report["words"] == capsys.readouterr().out.splitlines()[-1]
    seen = {ask_bet(second, files, each)["bet"]["line"] for each in receipts_of(betting, "dice", 4)}
    assert seen == {LINES[0].decode(), None, "", LINES[4].decode()}


def test_what_a_page_tells_of_a_bet_can_be_computed(second: SecondVerifier, betting: Operator) -> None:
    """Each command prints what the page says, for every line of bets."""
    for receipt in receipts_of(betting, "dice", 4):
        report = ask_bet(second, betting.files(), receipt)
        commands = [each for step in report["steps"] for each in step["how"]]
        assert {each["label"] for each in commands} == {"leaf-hash", "root", "signature"}
        for each in commands:
            done = subprocess.run(["sh", "-c", each["command"]], capture_output=True, text=True, check=True)
            assert done.stdout.removesuffix("\n") == each["prints"]


def test_a_bet_that_does_not_hold_has_one_verdict(second: SecondVerifier, betting: Operator) -> None:
    """A round without a digest or not locked; another table or log; another line or place."""
    files = betting.files()
    elsewhere = Operator()
    elsewhere.table("other", "sic-bo")
    wrong = [
        *receipts_of(betting, "dice", 4, LINES[:3]),
        *receipts_of(betting, "dice", 4, LINES[::-1]),
        *(receipts_of(betting, name, number)[0] for name in ("dice", "flight") for number in (1, 5, 6, 8, 41, 1000)),
        *receipts_of(elsewhere, "other", 4),
        b"",
        b"foredraw/v1/bet\n",
    ]
    checks = set()
    for receipt in wrong:
        python = ours(check_bet, InMemory(files), KEY.verifier_key, receipt)
        assert theirs(ask_bet(second, files, receipt)) == python
        checks.add(python[1])
    assert checks == {"bet-form", "bet-round", "bet-digest"}


@pytest.mark.parametrize("seed", range(60))
def test_a_changed_receipt_has_one_verdict(seed: int, second: SecondVerifier, betting: Operator) -> None:
    """Any byte, and any file of the log that the check reads."""
    chance = random.Random(seed)
    files, receipt = dict(betting.files()), bytearray(receipts_of(betting, "flight", 4)[seed % len(LINES)])
    if seed % 2:
        receipt[chance.randrange(len(receipt))] ^= 1 << chance.randrange(8)
    else:
        path = chance.choice(sorted(path for path in files if not path.startswith("commitments")))
        data = bytearray(files[path])
        data[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
        files[path] = bytes(data)
    python = ours(check_bet, InMemory(files), KEY.verifier_key, bytes(receipt))
    assert theirs(ask_bet(second, files, bytes(receipt))) == python
