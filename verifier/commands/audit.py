"""``audit``: replay a whole log."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import replace
from pathlib import Path

from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
from rich.progress import Progress as Bar

from fairness.errors import Unreadable
from fairness.log.fork import Fork
from fairness.policy.policy import Policy
from games import GAMES
from verifier.audit.aids import compare_aids
from verifier.audit.audit import audit_log
from verifier.audit.bundles import Progress
from verifier.audit.processes import MOST_JOBS
from verifier.audit.remembered import AuditState, Incomplete
from verifier.audit.report import AuditReport
from verifier.audit.state_file import StateDamaged, StateFile, StateInUse, remembered, state_file
from verifier.caveats import report_unknown
from verifier.commands.command import (
    LOG_HELP,
    Output,
    Parsers,
    WrongUsage,
    add_command,
    add_evidence,
    add_trust,
    clock,
    keeping_evidence,
    source_of,
    status_of,
)
from verifier.commands.output_file import OutputFile
from verifier.forks.evidence import keep_evidence
from verifier.forks.extension import NotAnExtension, OlderCopy
from verifier.output.audit import audit_json, show_audit
from verifier.output.printing import Console
from verifier.sources.source import FolderSource, HttpSource


def add(commands: Parsers) -> None:
    """Add the command's arguments."""
    command = add_command(commands, "audit", _run, summary="replay a whole log", description="Replay a whole log.")
    command.add_argument("log", metavar="LOG", help=LOG_HELP)
    command.add_argument(
        "--state", type=Path, metavar="FILE", help="remember what was seen, and next time read only what is new"
    )
    command.add_argument(
        "--aids",
        action="store_true",
        help="compare the log's index, which nobody signs, with every record; all are read once more",
    )
    add_jobs(command)
    add_evidence(command)
    add_trust(command)


def add_jobs(command: argparse.ArgumentParser) -> None:
    """Add ``--jobs``, the number of processes of an audit."""
    command.add_argument(
        "--jobs",
        type=_jobs,
        metavar="N",
        help="processes to use (by default all cores for a large folder, otherwise one)",
    )


def jobs_for(options: argparse.Namespace, source: FolderSource | HttpSource) -> int | None:
    """Return the user's number, or one that suits the source: a server gets few requests at once."""
    jobs: int | None = options.jobs
    return jobs or (None if isinstance(source, FolderSource) else 1)


def _jobs(text: str) -> int:
    if not (text.isascii() and text.isdigit() and 1 <= int(text) <= MOST_JOBS):
        raise argparse.ArgumentTypeError(f"a number from 1 to {MOST_JOBS}")
    return int(text)


def _run(options: argparse.Namespace, output: Output) -> int:
    if options.state is None:
        return _show(output, _with_aids(options, _audit(options, None)))
    with state_file(options.state) as state:
        previous = remembered(state) or AuditState.empty(Policy.of(options.trust).log)
        try:
            report = _audit(options, previous)
        except ValueError as error:
            raise WrongUsage(f"{state.file}: {error}") from error
        except Incomplete as error:
            why = f"{error.why}; {error.replayed:,} of {error.size:,} records were replayed"
            _remember(state, error.state, why)
            raise Unreadable(error.path, f"{why}, and the next run with {state.file} goes on from there") from error
        _remember(state, report.state, "everything held")
    return _show(output, _with_aids(options, report))


def _audit(options: argparse.Namespace, previous: AuditState | None) -> AuditReport:
    source = source_of(options.log)
    jobs = jobs_for(options, source)
    with show_progress() as progress, keeping_evidence_at(options.evidence, options.state or Path("fork")):
        return audit_log(source, options.trust, jobs=jobs, previous=previous, progress=progress)


def _with_aids(options: argparse.Namespace, report: AuditReport) -> AuditReport:
    """Return the report with what is wrong with finding aids, if that was asked for."""
    if not options.aids:
        return report
    with show_progress("comparing") as progress:
        return replace(report, aids=compare_aids(source_of(options.log), report.checkpoint, progress))


def _show(output: Output, report: AuditReport) -> int:
    now = clock()
    output.report(lambda: audit_json(report, GAMES, now), lambda console: show_audit(console, report, GAMES, now))
    return status_of(report.head, report_unknown(report))


def _remember(state: StateFile, seen: AuditState, found: str) -> None:
    try:
        state.save(seen)
    except (OSError, StateDamaged, StateInUse) as error:
        why = error.strerror if isinstance(error, OSError) else None
        raise Unreadable(str(state.file), f"{found}, but this could not be remembered: {why or error}") from error


def keeping_evidence_at(file: OutputFile | None, beside: Path) -> AbstractContextManager[None]:
    """Keep the evidence of a fork that is found within this context in the user's file, or else beside another
    one.
    """
    return _keeping_evidence_beside(beside) if file is None else keeping_evidence(file)


@contextmanager
def _keeping_evidence_beside(beside: Path) -> Iterator[None]:
    try:
        yield
    except NotAnExtension as error:
        # Without a state there may be a fork, too: witnesses saw another history. It is proof, so it is kept at hand.
        error.evidence = _keep_evidence(beside, error.fork)
        raise
    except OlderCopy as error:
        if error.pair is None or (kept := _keep_evidence(beside, error.pair)) is None:
            raise
        raise Unreadable(
            error.path, f"{error.why}; both signed checkpoints are in {kept}, and prove nothing yet"
        ) from error


def _keep_evidence(beside: Path, fork: Fork) -> str | None:
    try:
        return str(keep_evidence(beside, fork))
    except OSError as problem:
        sys.stderr.write(f"foredraw-verify: the evidence could not be written: {problem.strerror or problem}\n")
        return None


@contextmanager
def reading_whole(options: argparse.Namespace) -> Iterator[Progress | None]:
    """Give a progress bar with ``--whole``; otherwise nothing, and only what finding aids lead to is read."""
    if not options.whole:
        yield None
        return
    with show_progress("reading") as progress:
        yield progress


@contextmanager
def show_progress(doing: str = "auditing") -> Iterator[Progress]:
    """Give a progress bar if there is a terminal, otherwise nothing."""
    console = Console(stderr=True)
    columns = (
        TextColumn(doing),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("records"),
        TimeRemainingColumn(),
    )
    with Bar(*columns, console=console, transient=True, disable=not console.is_terminal) as bar:
        task = bar.add_task(doing, total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)
