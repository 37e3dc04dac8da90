"""``foredraw doctor``: explains the state of a data folder."""

from __future__ import annotations

import sys
from typing import Literal

import click
import msgspec
from msgspec import UNSET, Struct, UnsetType

from api.findings.finding import Finding
from api.programs.doctor.examine import Examined, examine
from api.settings import Settings

_RUNNING = {True: "running", False: "stopped", None: "unknown"}


class Diagnosis(Struct, frozen=True):
    """The state of a data folder for programs (``docs/verdict.schema.json``)."""

    v: Literal[1]
    command: Literal["doctor"]
    healthy: bool
    folder: str
    findings: list[Finding]
    running: bool | UnsetType = UNSET
    """Absent if this account cannot see that."""


class _Doctor(click.Command):
    """The command, whose wrong usage is JSON, too, if that was asked for."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Read the arguments. Raises `click.UsageError`."""
        as_json = "--json" in args
        try:
            return super().parse_args(ctx, args)
        except click.UsageError as error:
            if as_json:
                # As `foredraw-verify` says it.
                said = {"v": 1, "command": "doctor", "verdict": "wrong-usage", "why": error.format_message()}
                click.echo(msgspec.json.encode(said))
            raise


@click.command(cls=_Doctor)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@click.pass_obj
def doctor(settings: Settings, *, as_json: bool) -> None:
    """Explain the state of the data folder: what is wrong, what it means, and the next command.

    Changes nothing, whether or not the service runs. Exit status 0: nothing to do; 1: something to do.
    """
    found = examine(settings)
    if as_json:
        running = UNSET if found.running is None else found.running
        diagnosis = Diagnosis(1, "doctor", found.healthy, found.folder, found.findings, running)
        click.echo(msgspec.json.format(msgspec.json.encode(diagnosis), indent=2))
    else:
        show(found)
    sys.exit(0 if found.healthy else 1)


def show(found: Examined) -> None:
    """Print what was found, what is to be done first."""
    click.echo(f"Folder   {found.folder}")
    click.echo(f"Service  {_RUNNING[found.running]}")
    for finding in sorted(found.findings, key=lambda each: each.level == "note"):
        click.echo(f"\n{finding.level.capitalize()} ({finding.about}): {finding.says}\n  Next: {finding.next}")
    problems = sum(finding.level == "problem" for finding in found.findings)
    healthy = "Healthy: there is nothing to do."
    click.echo(f"\n{healthy if not problems else 'There is something to do: see above.'}")
