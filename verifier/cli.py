"""``foredraw-verify``: audits a log, or checks one round, trusting nobody.

Exit status: 0 everything that was checked held; 3 a check failed; 4 something could not be read, so
there is no verdict, or one that held could not be written; 5 everything held, but statistics raised an alarm;
6 something is newer than this program; 7 what was asked for is not shown; 8 a mistyped round code; 2 wrong usage;
130 interrupted.
Never 1, with which Python exits when it crashes.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from io import TextIOWrapper
from itertools import takewhile
from typing import NoReturn

from fairness.errors import CheckFailed, NotShown, NotThisLogs, Unknown, Unreadable
from fairness.manifest import VERIFIER, manifest_of_running
from fairness.newer_file import NewerFile
from fairness.player.round_code import NewerCode
from fairness.version import VERSION
from verifier import closed_streams, interrupts
from verifier.commands import COMMANDS, add
from verifier.commands.command import (
    EXITS,
    FAILED,
    HELD,
    INTERRUPTED,
    MISTYPED,
    NOT_SHOWN,
    UNKNOWN,
    UNREADABLE,
    USAGE,
    Output,
    WrongUsage,
    choose_log,
)
from verifier.commands.output_file import OutputFile
from verifier.forks.extension import NotAnExtension
from verifier.output.failures import (
    failure_json,
    mistyped_json,
    not_shown_json,
    show_failure,
    show_mistyped,
    show_not_shown,
    show_only_unknown,
    show_unreadable,
    unknown_json,
    unreadable_json,
    usage_json,
)
from verifier.output.printing import harmless
from verifier.sentences import Unknown as UnknownSentence
from verifier.typing_error import Mistyped

_WRITTEN_BY_OTHERS = 0o022
_GOES_ON = "witness"
"""A server, whose words to people may be lost; the other commands have nothing but what they print."""
_CLOSED = "standard output or standard error is closed: redirect it to a file, or to /dev/null"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the program and return its exit status."""
    closed_streams.fill()
    _escape_what_cannot_be_encoded()
    # Whatever the shell's mask: nobody else may write into what this program remembers.
    os.umask(os.umask(_WRITTEN_BY_OTHERS) | _WRITTEN_BY_OTHERS)
    arguments = sys.argv[1:] if arguments is None else arguments
    try:
        return _run_command(parser(*arguments[:1]).parse_args(arguments))
    except WrongUsage as error:
        return _complain_of_usage(error, arguments)


def _run_command(options: argparse.Namespace) -> int:
    if sys.stdout is None or sys.stderr is None:
        if options.command != _GOES_ON:
            if (left := sys.stderr or sys.stdout) is not None:
                left.write(f"foredraw-verify: {_CLOSED}\n")
            return USAGE
        closed_streams.lose_what_is_said()
    try:
        files = (each for each in vars(options).values() if isinstance(each, OutputFile))
        output = Output(as_json=options.json, taken=any(file.is_standard_output for file in files))
        output.helped += getattr(options, "helped", ())
        with interrupts.raised():
            status = _run(options, output)
    except KeyboardInterrupt:
        sys.stderr.write("\nforedraw-verify: interrupted, no verdict\n")
        sys.stderr.flush()
        # Do not wait for files that a slow server is still sending.
        os._exit(INTERRUPTED)
    # What held, and what was not checked, nobody has read.
    return UNREADABLE if output.lost and status == HELD else status


def _complain_of_usage(error: WrongUsage, arguments: Sequence[str]) -> int:
    if not isinstance(error, _WrongArguments):
        sys.stderr.write(f"foredraw-verify: {harmless(str(error))}\n")
    # Whoever reads JSON alone learns, too, why there is no verdict.
    if "--json" in takewhile("--".__ne__, arguments) and sys.stdout is not None:
        command = next((each for each in arguments[:1] if each in COMMANDS), None)
        Output(as_json=True).give(lambda: usage_json(command, str(error)), lambda _console: None)
    return USAGE


class _WrongArguments(WrongUsage):
    """The same, and the parser has complained of it already."""


class _Parser(argparse.ArgumentParser):
    """The arguments, of which wrong ones are wrong usage like any other."""

    def error(self, message: str) -> NoReturn:
        self.print_usage(sys.stderr)
        sys.stderr.write(f"{self.prog}: error: {message}\n")
        raise _WrongArguments(message)


class _Version(argparse.Action):
    """Prints the version, and the manifest, which is computed only if it is asked for."""

    def __call__(self, parser: argparse.ArgumentParser, *_values: object) -> NoReturn:
        """Act as argparse demands."""
        sys.stdout.write(f"{parser.prog} {VERSION}, manifest {manifest_of_running(VERIFIER)}\n")
        parser.exit(HELD)


def _escape_what_cannot_be_encoded() -> None:
    """Let a terminal of KOI8-R or a log file in ASCII get every verdict: a character that it does not have is
    escaped.
    """
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def _sentence_of(error: Unknown) -> UnknownSentence:
    if isinstance(error, NewerFile):
        return UnknownSentence.NEWER_FILE
    return UnknownSentence.NEWER_CODE if isinstance(error, NewerCode) else UnknownSentence.NEWER_RECORD


def parser(command: str = "") -> argparse.ArgumentParser:
    """Return the program's arguments: those of one command, or of all if there is none of this name."""
    program: argparse.ArgumentParser = _Parser(
        prog="foredraw-verify",
        description="Audit a Foredraw log, or check one round of it. Trusts nobody; needs the log and its key.",
        epilog=EXITS,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    program.add_argument("--version", action=_Version, nargs=0, help="show version and manifest, and exit")
    commands = program.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for name in [command] if command in COMMANDS else COMMANDS:
        add(commands, name)
    return program


def _run(options: argparse.Namespace, output: Output) -> int:
    command: str = options.command
    choose_log(options)
    try:
        status: int = options.run(options, output)
    except Mistyped as none:
        mistyped = none
        output.report(lambda: mistyped_json(command, mistyped), lambda console: show_mistyped(console, mistyped))
        return MISTYPED
    except (NotThisLogs, Unreadable) as error:
        obstacle = error.unreadable if isinstance(error, NotThisLogs) else error
        output.report(lambda: unreadable_json(command, obstacle), lambda console: show_unreadable(console, obstacle))
        return UNREADABLE
    except NotShown as absent:
        lacking = absent
        output.report(lambda: not_shown_json(command, lacking), lambda console: show_not_shown(console, lacking))
        return NOT_SHOWN
    except CheckFailed as failure:
        broken, evidence = failure, failure.evidence if isinstance(failure, NotAnExtension) else None
        output.report(
            lambda: failure_json(command, broken, evidence), lambda console: show_failure(console, broken, evidence)
        )
        return FAILED
    except Unknown as error:
        sentence = _sentence_of(error)
        sentences = [sentence.fill(what=what) for what in error.what]
        output.report(lambda: unknown_json(command, sentences), lambda console: show_only_unknown(console, sentences))
        return UNKNOWN
    return status
