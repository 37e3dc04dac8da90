"""``game``: a declared game in words, and its law."""

from __future__ import annotations

import argparse
from pathlib import Path

from fairness.draws.game import Rules, RulesRefused
from fairness.errors import Malformed, Unknown
from fairness.limits import LARGEST_DECLARATION
from games.declared.declaration import Declaration
from verifier.commands.command import (
    FAILED,
    HELD,
    UNKNOWN,
    Output,
    Parsers,
    WrongUsage,
    add_command,
    numbers_of,
    read_file,
)
from verifier.output.declaration import (
    Explained,
    declaration_json,
    show_declaration,
    show_refused,
    show_unknown_words,
)

_DESCRIPTION = """\
Explain the declaration of a game (SPEC 3.6): what it draws, in which order, whether it is the catalogue's, the exact law
where it can be listed, and the entropy that a round needs. Nothing of a log is checked.

The file has the declaration in its one spelling, as a record would have it; a line feed at its end may follow.
"""


def add(commands: Parsers) -> None:
    """Add the command's arguments."""
    command = add_command(
        commands, "game", _run, summary="explain what a declared game draws", description=_DESCRIPTION
    )
    command.add_argument("file", type=Path, metavar="FILE", help="the declaration")
    command.add_argument("--rules", metavar="JSON", help='of a batch, like {"runners":2,"version":1,"w1":3,"w2":5}')


def _run(options: argparse.Namespace, output: Output) -> int:
    data = read_file(options.file, LARGEST_DECLARATION + 1).removesuffix(b"\n")
    try:
        declaration = Declaration.parse(data)
    except Malformed as error:
        expected, found = error.expected, error.found
        failure = {"v": 1, "command": "game", "verdict": "failed", "expected": expected, "found": found}
        output.report(lambda: failure, lambda console: show_refused(console, expected, found))
        return FAILED
    except Unknown as error:
        what = error.what
        unknown = {"v": 1, "command": "game", "verdict": "unknown", "unknown": list(what)}
        output.report(lambda: unknown, lambda console: show_unknown_words(console, what))
        return UNKNOWN
    explained = Explained.of(declaration, _rules(declaration, options.rules))
    output.report(lambda: declaration_json(explained), lambda console: show_declaration(console, explained))
    return HELD


def _rules(declaration: Declaration, text: str | None) -> Rules | None:
    """The given rules, or the only ones that a declaration without parameters has."""
    if text is None:
        return None if declaration.parameters.plain else {"version": 1}
    rules = numbers_of(text)
    try:
        declaration.check_rules(rules)
    except RulesRefused as error:
        raise WrongUsage(f"--rules: expected {error}") from error
    return rules
