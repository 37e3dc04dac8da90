"""``bets``: make the digest that an engine gives to ``lock``, and a receipt for each bet."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from msgspec import to_builtins

from fairness.errors import Malformed, Unreadable
from fairness.player.bets import check_line, digest, receipts
from fairness.records.record import Bets
from verifier.commands.command import HELD, ROUND, TABLE_ID, Output, Parsers, WrongUsage, add_command
from verifier.output.printing import Console, line

_STDIN = "-"


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
    bets = digest(lines)
    if folder is not None:
        _write(folder, lines, options.table_id, options.round)
    # The JSON is exactly the body that `lock` takes.
    output.report(lambda: {"bets": to_builtins(bets)}, lambda console: _show(console, bets, folder))
    return HELD


def _lines(name: str) -> list[bytes]:
    """The lines of a file, without line feeds; the last line need not have one."""
    try:
        data = sys.stdin.buffer.read() if name == _STDIN else Path(name).read_bytes()
    except OSError as error:
        raise Unreadable(name, error.strerror or str(error)) from error
    lines = data.removesuffix(b"\n").split(b"\n") if data else []
    for number, each in enumerate(lines, 1):
        try:
            check_line(each)
        except Malformed as error:
            raise WrongUsage(f"{name}, line {number}: expected {error.expected}, found {error.found}") from error
    return lines


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
