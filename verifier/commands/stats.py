"""``stats``: audit a whole log, and test its outcomes against the exact laws of the games."""

from __future__ import annotations

import argparse
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from verifier.audit.audit import audit_log
from verifier.commands.audit import add_jobs, jobs_for, keeping_evidence_at, show_progress
from verifier.commands.command import (
    HELD,
    IMPROBABLE,
    LOG_HELP,
    UNKNOWN,
    UNREADABLE,
    Output,
    Parsers,
    WrongUsage,
    add_command,
    add_evidence,
    add_trust,
    source_of,
)
from verifier.commands.output_file import OutputFile, complain

if TYPE_CHECKING:
    from verifier.stats.output.verdict import Verdict

_NEEDED = ("numpy", "scipy", "matplotlib", "jinja2")


def add(commands: Parsers) -> None:
    """Add the command's arguments."""
    command = add_command(
        commands,
        "stats",
        _run,
        summary="audit a log, and test its outcomes and void rounds",
        description="Audit a whole log, and test its outcomes and void rounds against the exact laws of the games.",
    )
    command.add_argument("log", metavar="LOG", help=LOG_HELP)
    command.add_argument(
        "-o", "--output", type=OutputFile, metavar="FILE", help="write a report with pictures there, one HTML file"
    )
    command.add_argument("--full", action="store_true", help="print every test")
    add_jobs(command)
    add_evidence(command)
    add_trust(command)


def _run(options: argparse.Namespace, output: Output) -> int:
    missing = [name for name in _NEEDED if find_spec(name) is None]
    if missing:
        raise WrongUsage(
            f"stats needs {', '.join(missing)}: pip install --require-hashes -r requirements/stats.txt in the folder of the source"
        )
    source = source_of(options.log)
    with show_progress() as progress, keeping_evidence_at(options.evidence, Path("fork")):
        report = audit_log(source, options.trust, jobs=jobs_for(options, source), progress=progress, gathers=True)

    from verifier.stats.output.verdict import Verdict  # noqa: PLC0415  (an extra, and slow to import)

    verdict = Verdict.on(report)
    written = None if options.output is None else _written(options.output, verdict)
    output.report(
        lambda: verdict.as_json(written), lambda console: verdict.show(console, written, in_full=options.full)
    )
    if not verdict.kind.is_good:
        return UNKNOWN
    if verdict.found.alarms:
        return IMPROBABLE
    return HELD if written is not None or options.output is None else UNREADABLE


def _written(file: OutputFile, verdict: Verdict) -> str | None:
    """Make the report; `None` if that failed, which is said: whatever happens to pictures and disks, there is a
    verdict.
    """
    try:
        data = verdict.as_html()
    except Exception as error:  # noqa: BLE001 -- a library that draws may fail in any way
        complain(f"{file}: the report could not be written: {type(error).__name__}: {error}")
        return None
    return file.write_or_complain(data, "report")
