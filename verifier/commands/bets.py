"""``bets``: make the digest that an engine gives to ``lock``, and a receipt for each bet."""

from __future__ import annotations

import argparse
import codecs
import re
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from msgspec import to_builtins

from fairness.errors import Malformed, Unreadable
from fairness.player.bets import check_line, digest, receipts
from fairness.records.record import Bets
from verifier.commands.command import HELD, ROUND, TABLE_ID, Output, Parsers, WrongUsage, add_command
from verifier.commands.output_file import complain
from verifier.output.printing import Console, line

_STDIN = "-"
_RANDOM = re.compile(rb"[0-9A-Za-z_+/-]{16,}")
"""A random part of 96 bits or more looks like this, in hexadecimal digits or Base64."""


def add(commands: Parsers) -> None:
    """Add the command's arguments."""
    command = add_command(
        commands,
        "bets",
        _run,
        summary="make the digest of a round's bets, and receipts",
        description="Make the digest that an engine gives to lock, and a receipt for each bet. Each line of the files"
        " is one bet, in the engine's order, of at most 1,024 bytes. Give each line a random part:"
        " anyone who can guess a line can recognise its hash.",
    )
    command.add_argument(
        "lines", nargs="+", metavar="LINES", help="files of one line per bet; - reads the standard input"
    )
    command.add_argument("--receipts", type=Path, metavar="DIR", help="write a receipt per bet into this new folder")
    command.add_argument(
        "--table-id", type=TABLE_ID, metavar="ID", help="for receipts: the table's id, 64 hexadecimal digits"
    )
    command.add_argument("--round", type=ROUND, metavar="N", help="for receipts: the round's number")


def _run(options: argparse.Namespace, output: Output) -> int:
    folder: Path | None = options.receipts
    if len({folder is None, options.table_id is None, options.round is None}) != 1:
        raise WrongUsage("--receipts, --table-id and --round go together")
    lines = [each for name in options.lines for each in _lines(name)]
    _warn_of_lines(lines)
    bets = digest(lines)
    if folder is not None:
        _write(folder, lines, options.table_id, options.round)
    # The JSON is exactly the body that `lock` takes.
    output.give(lambda: {"bets": to_builtins(bets)}, lambda console: _show(console, bets, folder))
    return HELD


def _lines(name: str) -> list[bytes]:
    """Return the lines of a file, without line feeds; the last line need not have one."""
    try:
        data = sys.stdin.buffer.read() if name == _STDIN else Path(name).read_bytes()
    except OSError as error:
        raise Unreadable(name, error.strerror or str(error)) from error
    lines = data.removesuffix(b"\n").split(b"\n") if data else []
    for warning in _of_file(data, lines):
        complain(f"{name}: {warning}; the digest is of the bytes as they are")
    for number, each in enumerate(lines, 1):
        try:
            check_line(each)
        except Malformed as error:
            raise WrongUsage(f"{name}, line {number}: expected {error.expected}, found {error.found}") from error
    return lines


def _of_file(data: bytes, lines: Sequence[bytes]) -> Iterator[str]:
    """Yield what an editor, a spreadsheet or another system does to a list: the bets are then other bytes than
    elsewhere.
    """
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)) or (data and data.count(0) * 3 > len(data)):
        yield "it is UTF-16 and not UTF-8"
    if data.startswith(codecs.BOM_UTF8):
        yield "it begins with a byte order mark, which is part of the first bet"
    if b"\r" in data and b"\n" not in data:
        yield "its lines end with a carriage return alone, so all of it is one bet"
    elif ended := sum(each.endswith(b"\r") for each in lines):
        yield f"{ended} of its {len(lines)} lines end with a carriage return, which is part of the bet"
    if empty := [number for number, each in enumerate(lines, 1) if not each.strip()]:
        yield f"line {empty[0]} is empty, and is a bet all the same"


def _warn_of_lines(lines: Sequence[bytes]) -> None:
    """Warn of what makes bets of one round be mistaken for each other, or be guessed."""
    times = Counter(lines)
    if equal := [number for number, each in enumerate(lines, 1) if times[each] > 1]:
        complain(
            f"{len(equal)} of the {len(lines)} lines are equal to another, the first is line {equal[0]}: no receipt tells them apart"
        )
    if bare := [number for number, each in enumerate(lines, 1) if _RANDOM.search(each) is None]:
        complain(
            f"{len(bare)} of the {len(lines)} lines have no random part, the first is line {bare[0]}: anybody can guess them"
        )


def _write(folder: Path, lines: list[bytes], table_id: bytes, number: int) -> None:
    """Write ``0.bet``, ``1.bet``, … in a new folder, so nothing is ever overwritten."""
    try:
        folder.mkdir()
        for receipt in receipts(lines, table_id=table_id, round_number=number):
            with (folder / f"{receipt.index}.bet").open("xb") as file:
                file.write(bytes(receipt))
    except FileExistsError:
        raise WrongUsage(f"{folder} is there already; receipts go into a new folder") from None
    except OSError as error:
        raise WrongUsage(f"{folder} could not be written: {error.strerror or error}") from error


def _show(console: Console, bets: Bets, folder: Path | None) -> None:
    line(console, "Bets", str(bets.count))
    line(console, "Root", bets.root)
    if folder is not None:
        written = f"0.bet to {bets.count - 1}.bet" if bets.count > 1 else "0.bet" if bets.count else "none"
        line(console, "Receipts", f"{folder}: {written}")
