"""``collect``: samples for a test laboratory, raw bytes of streams or outcomes."""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING

from fairness.draws.game import Game, Rules, RulesRefused
from fairness.errors import Unreadable
from fairness.hashing import HASH_SIZE, parse_hex
from games import GAMES
from games.declared.catalogue import catalogue
from verifier.commands.command import (
    HELD,
    Output,
    Parsers,
    WrongUsage,
    add_command,
    as_argument,
    numbers_of,
)
from verifier.commands.output_file import OutputFile
from verifier.lab.outcomes import outcome_lines
from verifier.lab.raw import LARGEST_SHARE, Blocks, fast, reference
from verifier.lab.rounds import LastSeeds, from_entropy, repeatable, rounds
from verifier.output.printing import Console, line

if TYPE_CHECKING:
    from verifier.answers.tools import SampleMade

_MOST = 1 << 50
_SHARE = 1 << 20
_SMALL_SHARE = 4 * HASH_SIZE
"""Bytes. For so few, a call of the kernel takes longer than the reference."""
_ANY_GAME, _PLAIN_RULES = GAMES["sic-bo"], {"version": 1}
"""Raw bytes are of a table, which must have a game; the stream does not depend on it."""
_DESCRIPTION = f"""\
Write samples for a test laboratory to the standard output, or to a file: bytes of streams before a game scales them, or
outcomes, one of the log's JSON objects a line. They are made by the code that the service plays with. It differs from
production in this, and in nothing else:

  - The rounds are of a table that nobody plays: its table and batch records are of the log's form, and in no log.
  - Batches have 1,000 rounds, one custodian and no salt.
  - With --seed, the last seed of batch k is SHA-256("foredraw/v1/collection" || 00 || SEED || k in 8 bytes), not 32
    bytes of the operating system's CSPRNG: a test chain, known to everyone who knows SEED. Without it, as in production.
  - --raw reads the first {_SHARE:,} bytes of each round's stream (--share); games seldom read more than the first 32.
  - --raw computes the blocks in vectors if the extra `lab` is installed. A test proves them equal to the stream's.
"""


def add(commands: Parsers) -> None:
    """Add the command's arguments."""
    command = add_command(
        commands,
        "collect",
        _run,
        summary="make samples for a test laboratory, raw or scaled",
        description=_DESCRIPTION,
    )
    what = command.add_mutually_exclusive_group(required=True)
    what.add_argument("--raw", type=_number, metavar="N", help="N bytes of streams, before scaling")
    what.add_argument(
        "--outcomes", nargs=2, metavar=("GAME", "N"), help="N outcomes of a game of the catalogue, a line each"
    )
    command.add_argument(
        "--share", type=_number, default=_SHARE, metavar="BYTES", help=f"with --raw: bytes of each round ({_SHARE:,})"
    )
    command.add_argument(
        "--rules", metavar="JSON", help='with --outcomes: like {"cap":1000000,"rtp":9700,"version":1}'
    )
    command.add_argument(
        "--seed",
        type=as_argument(parse_hex),
        metavar="HEX",
        help="64 hexadecimal digits: the same samples every time",
    )
    command.add_argument(
        "-o",
        dest="file",
        type=OutputFile,
        default=OutputFile("-"),
        metavar="FILE",
        help="write there, and report what was written",
    )


def _number(text: str) -> int:
    if not (re.fullmatch("[1-9][0-9]*", text, re.ASCII) and int(text) <= _MOST):
        raise argparse.ArgumentTypeError(f"a whole number from 1 to {_MOST}")
    return int(text)


@dataclass(frozen=True, slots=True)
class _Sample:
    """The sample, and what is reported about it."""

    data: Iterable[bytes | memoryview]
    facts: SampleMade
    text: str
    made_by: str


def _run(options: argparse.Namespace, output: Output) -> int:
    repeats = options.seed is not None
    last_seeds = repeatable(options.seed) if repeats else from_entropy
    sample = _raw(options, last_seeds) if options.outcomes is None else _outcomes(options, last_seeds)
    seeds = "a test chain from --seed" if repeats else "the operating system's CSPRNG"

    def show(console: Console) -> None:
        line(console, "Sample", sample.text)
        line(console, "Seeds", seeds)
        line(console, "Made by", sample.made_by)

    _write(sample, options)
    made: SampleMade = {"v": 1, "command": "collect", **sample.facts, "seeds": seeds}
    output.report(lambda: made, show)
    return HELD


def _raw(options: argparse.Namespace, last_seeds: LastSeeds) -> _Sample:
    size, share = options.raw, options.share
    if options.rules is not None:
        raise WrongUsage("--rules go with --outcomes: no rules touch the raw bytes")
    if share > LARGEST_SHARE:
        raise WrongUsage(f"--share: a round's stream has {LARGEST_SHARE} bytes, not {share}")
    dealt, blocks = rounds(_ANY_GAME, _PLAIN_RULES, last_seeds), _compiled_blocks() if share > _SMALL_SHARE else None
    data = reference(dealt, size, share) if blocks is None else fast(blocks, dealt, size, share)
    return _Sample(
        data,
        {"bytes": size, "share": share, "compiled": blocks is not None},
        f"{size:,} bytes of streams, of each round the first {share:,}",
        "the kernel"
        if blocks
        else "the reference; larger shares, with the extra `lab`, are made a hundred times as fast",
    )


def _compiled_blocks() -> Blocks | None:
    try:
        from verifier.lab.kernel import Kernel  # noqa: PLC0415 -- an extra
    except ImportError:
        return None
    return Kernel().blocks


def _outcomes(options: argparse.Namespace, last_seeds: LastSeeds) -> _Sample:
    name, text = options.outcomes
    game = _game(name)
    rules, count = _rules(game, options.rules), _outcome_count(text)
    data = outcome_lines(game, rules, islice(rounds(game, rules, last_seeds), count))
    facts: SampleMade = {"game": name, "rules": rules, "outcomes": count}
    return _Sample(
        data, facts, f"{count:,} outcomes of {name}, rules {_spelled(rules)}", "the game, from the reference"
    )


def _game(name: str) -> Game:
    """Return a game of the catalogue, known by its name or declared as the catalogue has it."""
    if name in GAMES:
        return GAMES[name]
    declared = {each.game: each.declaration.text.decode() for each in catalogue()}
    if name not in declared:
        raise WrongUsage(f"no game {name}; there are {', '.join(declared)}")
    return GAMES.declared(name, declared[name])


def _outcome_count(text: str) -> int:
    try:
        return _number(text)
    except argparse.ArgumentTypeError as error:
        raise WrongUsage(f"--outcomes: {error}") from error


def _rules(game: Game, text: str | None) -> Rules:
    """Return the given rules, if they are the game's. Parameters must be given, because tables differ in them."""
    rules = _PLAIN_RULES if text is None else numbers_of(text)
    try:
        game.check_rules(rules)
    except RulesRefused as error:
        raise WrongUsage(f"--rules of {game.name}: expected {error}") from error
    return rules


def _spelled(rules: Rules) -> str:
    return json.dumps(rules, sort_keys=True, separators=(",", ":"))


def _write(sample: _Sample, options: argparse.Namespace) -> None:
    file: OutputFile = options.file
    if file.is_standard_output and options.raw is not None and sys.stdout.isatty():
        raise WrongUsage("raw bytes are not for a terminal: give -o FILE, or a pipe")
    try:
        file.write_parts(sample.data)
    except OSError as error:
        raise Unreadable(str(file), f"it could not be written: {error.strerror or error}") from error
