"""Digests of bets and their receipts: RFC 6962's values, one spelling, and every limit."""

from __future__ import annotations

import base64
import hashlib
import io
import json
import re
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairness.errors import Malformed
from fairness.hashing import U48_LIMIT, leaf_hash
from fairness.limits import LARGEST_INTEGER, LARGEST_RECEIPT, LONGEST_LINE
from fairness.newer_file import NewerFile
from fairness.player.bets import BetReceipt, digest, receipts
from tests.oracles.merkle_oracle import inclusion_proof, tree_hash
from verifier.cli import main
from verifier.commands.command import HELD, UNREADABLE, USAGE

TABLE_ID = hashlib.sha256(b"a table").digest()
lines_of_bets = st.lists(st.binary(max_size=40).filter(lambda line: b"\n" not in line), max_size=40)


def receipts_of(lines: list[bytes]) -> list[BetReceipt]:
    """The receipts of round 7."""
    return receipts(lines, table_id=TABLE_ID, round_number=7)


@given(lines_of_bets)
def test_every_receipt_leads_to_the_digest(lines: list[bytes]) -> None:
    """The root over the lines and each audit path follow the RFC's own recursion; each receipt is parsed as
    written.
    """
    leaves = [leaf_hash(line) for line in lines]
    bets = digest(lines)
    assert (bets.count, bets.root) == (len(lines), tree_hash(leaves).hex())
    for index, receipt in enumerate(receipts_of(lines)):
        assert (receipt.line, receipt.index) == (lines[index], index)
        assert list(receipt.path) == inclusion_proof(index, leaves)
        assert receipt.bets == bets
        assert BetReceipt.parse(bytes(receipt)) == receipt


def test_no_bets_have_the_digest_of_nothing() -> None:
    """`H("")`, and there is no receipt."""
    assert (digest([]).count, digest([]).root) == (0, hashlib.sha256(b"").hexdigest())
    assert receipts_of([]) == []


def test_a_line_has_at_most_1024_bytes_and_no_line_feed() -> None:
    """At the limit and one above it; the engine may use every other byte."""
    (longest,) = receipts_of([bytes(range(0xB, 0xB + 32)) * 32])
    assert len(longest.line) == LONGEST_LINE
    assert BetReceipt.parse(bytes(longest)) == longest
    for wrong in (bytes(LONGEST_LINE + 1), b"a\nb", b"a\n"):
        with pytest.raises(Malformed, match="line"):
            digest([b"a", wrong])
        with pytest.raises(Malformed, match="line"):
            BetReceipt.parse(bytes(longest).replace(base64.b64encode(longest.line), base64.b64encode(wrong)))


def test_the_largest_receipt_is_read() -> None:
    """The largest count of bets, the longest line, the last round; a text above the limit is refused."""
    path = (bytes(32),) * 53
    largest = BetReceipt(
        TABLE_ID, U48_LIMIT - 1, LARGEST_INTEGER, LARGEST_INTEGER - (1 << 52), b"x" * LONGEST_LINE, path
    )
    assert BetReceipt.parse(bytes(largest)) == largest
    assert len(bytes(largest)) <= LARGEST_RECEIPT
    with pytest.raises(Malformed, match=f"at most {LARGEST_RECEIPT} bytes"):
        BetReceipt.parse(bytes(largest).ljust(LARGEST_RECEIPT + 1))


@pytest.mark.parametrize(
    "wrong",
    [
        {"round_number": 0},
        {"round_number": U48_LIMIT},
        {"index": 3},
        {"index": -1},
        {"count": LARGEST_INTEGER + 1},
        {"path": ()},
        {"path": (bytes(32),) * 3},
    ],
    ids=str,
)
def test_numbers_that_no_receipt_has(wrong: dict[str, Any]) -> None:
    """Impossible rounds, places and paths are refused by the constructor, and so by the parser."""
    whole = receipts_of([b"a", b"b", b"c"])[0]
    with pytest.raises(Malformed, match="bet receipt"):
        replace(whole, **wrong)


def test_a_receipt_has_one_spelling() -> None:
    """Every changed, missing or additional byte is refused, or gives another value with that spelling."""
    whole = receipts_of([b"a", b"bet", b"c"])[1]
    text = bytes(whole)
    for at in range(len(text)):
        for other in b"\n\r +/=0123456789Aabz_\x00\x80\xff":
            for changed in (
                text[:at] + bytes([other]) + text[at + 1 :],
                text[:at] + bytes([other]) + text[at:],
                text[:at] + text[at + 1 :],
            ):
                try:
                    read = BetReceipt.parse(changed)
                except (Malformed, NewerFile):
                    continue
                assert bytes(read) == changed
                assert (read != whole) == (changed != text)


@given(st.binary(max_size=300) | st.binary(max_size=200).map(b"foredraw/v1/bet\ntable ".__add__))
def test_hostile_bytes_cause_our_own_error_only(data: bytes) -> None:
    """Any other text raises `Malformed`."""
    with pytest.raises(Malformed):
        BetReceipt.parse(data)


class Standard:
    """A stand-in for the standard input, which has a buffer of bytes."""

    def __init__(self, data: bytes) -> None:
        self.buffer = io.BytesIO(data)


def run(capsys: pytest.CaptureFixture[str], *arguments: object) -> tuple[int, str, str]:
    """The program's status, output and errors."""
    try:
        status = main([str(each) for each in arguments])
    except SystemExit as stopped:
        status = int(stopped.code or 0)
    return status, *capsys.readouterr()


def test_the_command_prints_the_body_of_lock(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The lines of several files and of the standard input in order, whether or not the last one ends with a line
    feed.
    """
    (tmp_path / "one").write_bytes(b"a\nb\r\n")
    (tmp_path / "two").write_bytes(b"\xff\n\nlast")
    (tmp_path / "none").write_bytes(b"")
    monkeypatch.setattr(sys, "stdin", Standard(b"typed\n"))
    expected = digest([b"a", b"b\r", b"\xff", b"", b"last", b"typed"])
    given_files = [tmp_path / "one", tmp_path / "two", tmp_path / "none", "-"]
    status, output, errors = run(capsys, "bets", "--json", *given_files)
    assert (status, "Traceback" in errors) == (HELD, False)
    assert json.loads(output) == {"bets": {"count": expected.count, "root": expected.root}}
    status, output, errors = run(capsys, "bets", tmp_path / "none")
    assert (status, output.split(), errors) == (HELD, ["Bets", "0", "Root", digest([]).root], "")


def test_the_command_writes_a_receipt_per_bet_and_overwrites_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Into a new folder, one file per bet; if the folder exists, nothing changes."""
    lines = [each * 16 for each in (b"a", b"b", b"c")]
    (tmp_path / "lines").write_bytes(b"\n".join(lines))
    folder = tmp_path / "receipts"
    call = ("bets", tmp_path / "lines", "--receipts", folder, "--table-id", TABLE_ID.hex(), "--round", 7)
    status, output, errors = run(capsys, *call)
    assert (status, errors) == (HELD, "")
    assert output.splitlines()[-1] == f"Receipts   {folder}: 0.bet to 2.bet"
    written = {file.name: file.read_bytes() for file in folder.iterdir()}
    assert written == {f"{each.index}.bet": bytes(each) for each in receipts_of(lines)}
    (folder / "0.bet").write_bytes(b"mine")
    status, _, errors = run(capsys, *call)
    assert (status, "already" in errors) == (USAGE, True)
    assert (folder / "0.bet").read_bytes() == b"mine"
    assert {file.name for file in tmp_path.iterdir()} == {"lines", "receipts"}


def test_the_command_says_which_line_is_too_long(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """It also names a missing file, and requires options that belong together."""
    lines = tmp_path / "lines"
    lines.write_bytes(b"a\n" + b"x" * LONGEST_LINE + b"\n" + b"x" * (LONGEST_LINE + 1))
    status, _, errors = run(capsys, "bets", lines)
    assert status == USAGE
    assert re.search(r"lines, line 3: expected at most 1024 bytes, found 1025$", errors.strip())
    status, output, _ = run(capsys, "bets", tmp_path / "absent")
    assert (status, "No such file" in output) == (UNREADABLE, True)
    lines.write_bytes(b"a\n")
    together = ("--receipts", tmp_path / "new", "--table-id", TABLE_ID.hex(), "--round", "7")
    for at in range(0, len(together), 2):
        assert run(capsys, "bets", lines, *together[:at], *together[at + 2 :])[0] == USAGE
        wrong = {"--table-id": "AB", "--round": "07"}.get(str(together[at]))
        if wrong:
            assert run(capsys, "bets", lines, *together[: at + 1], wrong, *together[at + 2 :])[0] == USAGE
    assert run(capsys, "bets", lines, *together[:-1], "0")[0] == USAGE
    assert run(capsys, "bets", lines, "--receipts", tmp_path / "no" / "such", *together[2:])[0] == USAGE
    assert {file.name for file in tmp_path.iterdir()} == {"lines"}
