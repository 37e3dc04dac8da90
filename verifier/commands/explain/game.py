"""``game``: a declared game in words, and its law."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from fairness.draws.game import Rules, RulesRefused
from fairness.errors import Malformed, Unknown, quote
from fairness.limits import LARGEST_DECLARATION
from fairness.records.record import TableRecord
from fairness.round.authentic_log import Placed
from fairness.round.rules import check_table_of
from games import GAMES
from games.declared.catalogue import listed
from games.declared.declaration import Declaration
from verifier.commands.command import (
    FAILED,
    HELD,
    LOG_HELP,
    UNKNOWN,
    Output,
    Parsers,
    WrongUsage,
    add_command,
    add_trust,
    numbers_of,
    read_file,
    source_of,
)
from verifier.output.declaration import (
    Explained,
    declaration_json,
    show_declaration,
    show_refused,
    show_unknown_words,
)
from verifier.output.failures import unknown_json
from verifier.round.published import open_log
from verifier.round.table import find_table

if TYPE_CHECKING:
    from verifier.answers.tools import NoDeclaration

_DESCRIPTION = """\
Explain the declaration of a game (SPEC 3.6): what it draws, in which order, whether it is the catalogue's, the exact law
where it can be listed, and the entropy that a round needs.

The file has the declaration in its one spelling, as a record would have it; a line feed at its end may follow. Nothing of a
log is checked. With --log it is that of a table of the log, by the table's name; its record is looked for from the beginning,
and checked.
"""


def add(commands: Parsers) -> None:
    """Add the command's arguments."""
    command = add_command(
        commands, "game", _run, summary="explain what a declared game draws", description=_DESCRIPTION
    )
    command.add_argument("subject", metavar="FILE|TABLE", help="the declaration; with --log, the name of a table")
    command.add_argument("--log", metavar="LOG", help=LOG_HELP)
    add_trust(command, required=False)
    command.add_argument("--rules", metavar="JSON", help='of a batch, like {"runners":2,"version":1,"w1":3,"w2":5}')


def _run(options: argparse.Namespace, output: Output) -> int:
    if (options.log is None) != (options.trust is None):
        raise WrongUsage("--log, and --key or --policy, go together: they say which log has the table")
    try:
        declaration, table = _of_file(Path(options.subject), output) if options.log is None else _of_table(options)
    except Malformed as error:
        expected, found = error.expected, error.found
        failure: NoDeclaration = {
            "v": 1,
            "command": "game",
            "verdict": "failed",
            "expected": expected,
            "found": found,
        }
        output.report(lambda: failure, lambda console: show_refused(console, expected, found))
        return FAILED
    except Unknown as error:
        what = error.what
        output.report(lambda: unknown_json("game", what), lambda console: show_unknown_words(console, what))
        return UNKNOWN
    explained = Explained.of(declaration, _rules(declaration, options.rules), table)
    output.report(lambda: declaration_json(explained), lambda console: show_declaration(console, explained))
    return HELD


def _of_file(file: Path, output: Output) -> tuple[Declaration, None]:
    return Declaration.parse(read_file(file, LARGEST_DECLARATION + 1, output).removesuffix(b"\n")), None


def _of_table(options: argparse.Namespace) -> tuple[Declaration, Placed[TableRecord]]:
    log = open_log(source_of(options.log), options.trust)
    table = find_table(log, options.subject)
    if table is None:
        raise WrongUsage(f"the log has no table {quote(options.subject)} among its {log.size:,} records")
    # Otherwise there may be nothing to explain: a game that is neither known by its name nor declared.
    check_table_of(table, log.checkpoint.origin, GAMES)
    text = table.record.declaration_text
    return Declaration.parse(text.encode()) if text else listed(table.record.game).declaration, table


def _rules(declaration: Declaration, text: str | None) -> Rules | None:
    """Return the given rules, or the only ones that a declaration without parameters has."""
    if text is None:
        return None if declaration.parameters.plain else {"version": 1}
    rules = numbers_of(text)
    try:
        declaration.check_rules(rules)
    except RulesRefused as error:
        raise WrongUsage(f"--rules: expected {error}") from error
    return rules
