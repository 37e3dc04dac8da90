"""How `prove` and `receipt` write and report the proof file that they made."""

from __future__ import annotations

import argparse
from pathlib import Path

from fairness.errors import Unreadable
from verifier.commands.command import Output, clock
from verifier.durable_file import write_durably
from verifier.output.as_json import proof_json
from verifier.output.proof import show_proof
from verifier.round.proving import Proven


def add_output(command: argparse.ArgumentParser, *, required: bool) -> None:
    """Add ``-o FILE``."""
    command.add_argument(
        "-o", "--output", type=Path, required=required, metavar="FILE", help="write the round's proof file there"
    )


def tell_proven(output: Output, name: str, proven: Proven, file: Path | None) -> None:
    """Write the file, if one was requested, and print the verdict. Raises `Unreadable` if it cannot be written."""
    data, report = proven
    if file is not None:
        try:
            write_durably(file, data)
        except OSError as error:
            why = f"everything held, but the proof could not be written: {error.strerror or error}"
            raise Unreadable(str(file), why) from error
    written = None if file is None else str(file)
    now = clock()
    output.report(
        lambda: proof_json(name, report, written, now), lambda console: show_proof(console, report, written, now)
    )
