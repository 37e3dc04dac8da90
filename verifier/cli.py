"""``foredraw-verify``: audits a log, or checks one round, trusting nobody.

Exit status: 0 everything that was checked held; 3 a check failed; 4 something could not be read, so
there is no verdict; 2 wrong usage; 130 interrupted. Never 1, which is how Python says that it crashed.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from fairness.errors import CheckFailed, Malformed, Unreadable
from fairness.notes import VerifierKey
from games import GAMES
from verifier.as_json import Command, Json, audit_json, failure_json, round_json, unreadable_json
from verifier.audit import NotAnExtension, audit
from verifier.round_check import check_round
from verifier.show import show_audit, show_failure, show_round, show_unreadable
from verifier.sources import FolderSource, HttpSource, open_source
from verifier.state_file import StateDamaged, load_state, save_evidence, save_state

HELD, USAGE, FAILED, UNREADABLE, INTERRUPTED = 0, 2, 3, 4, 130
MOST_JOBS = 64
_EXITS = """exit status:
  0  everything that was checked held
  2  wrong usage
  3  a check failed; its name, the record, what was expected and what was found are told
  4  a file could not be read, so there is no verdict
"""


class _WrongUsage(Exception):
    """The arguments do not fit together, or not to the world."""


class _Console(Console):
    """A console that leaves the exit status to us when nobody reads its output any more."""

    def on_broken_pipe(self) -> None:
        raise BrokenPipeError


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the program and return its exit status."""
    options = _parser().parse_args(arguments)
    try:
        return _run(options)
    except _WrongUsage as error:
        sys.stderr.write(f"foredraw-verify: {error}\n")
        return USAGE
    except KeyboardInterrupt:
        sys.stderr.write("\nforedraw-verify: interrupted, no verdict\n")
        sys.stderr.flush()
        # Files that are still on their way from a slow server are not waited for.
        os._exit(INTERRUPTED)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="foredraw-verify",
        description="Audit a Foredraw log, or check one round of it. Trusts nobody; needs the log and its key.",
        epilog=_EXITS,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")

    code = commands.add_parser("code", help="check one round by its code", description="Check one round by its code.")
    code.add_argument("code", metavar="CODE", help="the round code, as the player received it")
    code.add_argument("--log", required=True, metavar="LOG", help="the log: an address (http://…/log) or a folder")
    code.add_argument("--table", metavar="NAME", help="refuse the code if it is of another table")
    _add_common(code)

    audit_ = commands.add_parser("audit", help="replay a whole log", description="Replay a whole log.")
    audit_.add_argument("log", metavar="LOG", help="the log: an address (http://…/log) or a folder")
    audit_.add_argument(
        "--state", type=Path, metavar="FILE", help="remember what was seen, and next time read only what is new"
    )
    audit_.add_argument(
        "--jobs",
        type=_jobs,
        metavar="N",
        help="processes to use (by default all cores for a folder, one for an address)",
    )
    _add_common(audit_)
    return parser


def _add_common(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--key", required=True, type=_key, metavar="VKEY", help="the log's verifier key: name+id+key"
    )
    command.add_argument("--json", action="store_true", help="print the verdict as one JSON object")
    command.epilog = _EXITS
    command.formatter_class = argparse.RawDescriptionHelpFormatter


def _key(text: str) -> VerifierKey:
    try:
        return VerifierKey.parse(text)
    except Malformed as error:
        raise argparse.ArgumentTypeError(str(error)) from error


def _jobs(text: str) -> int:
    if not (text.isascii() and text.isdigit() and 1 <= int(text) <= MOST_JOBS):
        raise argparse.ArgumentTypeError(f"a number from 1 to {MOST_JOBS}")
    return int(text)


def _run(options: argparse.Namespace) -> int:
    command: Command = options.command
    console = _Console(highlight=False, markup=False, emoji=False)
    evidence: Path | None = None
    try:
        source = _source(options.log)
        return _audit(options, source, console) if command == "audit" else _code(options, source, console)
    except CheckFailed as error:
        if isinstance(error, NotAnExtension):
            evidence = _keep_evidence(options, error)
        found = None if evidence is None else str(evidence)
        failure = error
        _tell(options, lambda: failure_json(command, failure, found), lambda: show_failure(console, failure, found))
        return FAILED
    except Unreadable as error:
        obstacle = error
        _tell(options, lambda: unreadable_json(command, obstacle), lambda: show_unreadable(console, obstacle))
        return UNREADABLE


def _source(text: str) -> FolderSource | HttpSource:
    try:
        return open_source(text)
    except ValueError as error:
        raise _WrongUsage(str(error)) from error


def _audit(options: argparse.Namespace, source: FolderSource | HttpSource, console: Console) -> int:
    file: Path | None = options.state
    jobs = options.jobs or (_cores() if isinstance(source, FolderSource) else 1)
    try:
        previous = None if file is None else load_state(file)
    except StateDamaged as error:
        raise Unreadable(str(file), f"{error}; move it away to audit from the first record") from error
    except OSError as error:
        raise Unreadable(str(file), error.strerror or str(error)) from error
    try:
        with _progress() as progress:
            report = audit(source, options.key, jobs=jobs, previous=previous, progress=progress)
    except ValueError as error:
        if previous is None:
            raise
        raise _WrongUsage(f"{file}: {error}") from error
    if file is not None:
        try:
            save_state(file, report.state)
        except OSError as error:
            why = f"everything held, but this could not be remembered: {error.strerror or error}"
            raise Unreadable(str(file), why) from error
    _tell(options, lambda: audit_json(report, GAMES), lambda: show_audit(console, report, GAMES))
    return HELD


def _code(options: argparse.Namespace, source: FolderSource | HttpSource, console: Console) -> int:
    report = check_round(source, options.key, options.code, table=options.table)
    _tell(options, lambda: round_json(report), lambda: show_round(console, report))
    return HELD


def _keep_evidence(options: argparse.Namespace, error: NotAnExtension) -> Path | None:
    try:
        return save_evidence(options.state, str(options.key), error)
    except OSError as problem:
        sys.stderr.write(f"foredraw-verify: the evidence could not be written: {problem.strerror or problem}\n")
        return None


def _tell(options: argparse.Namespace, as_json: Callable[[], Json], show: Callable[[], None]) -> None:
    try:
        if options.json:
            sys.stdout.write(json.dumps(as_json(), sort_keys=True) + "\n")
        else:
            show()
        sys.stdout.flush()
    except BrokenPipeError:
        # Whoever read our output has heard enough; the status still tells the verdict.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


@contextmanager
def _progress() -> Iterator[Callable[[int, int], None]]:
    """A bar on the terminal; where there is none, silence."""
    console = Console(stderr=True)
    columns = (
        TextColumn("auditing"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("records"),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as bar:
        task = bar.add_task("auditing", total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)


def _cores() -> int:
    return min(MOST_JOBS, len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1)
