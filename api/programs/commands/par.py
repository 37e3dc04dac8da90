"""``foredraw par``: writes a PAR sheet."""

from __future__ import annotations

from pathlib import Path

import click

from api.bets.par.command import write_par
from api.bets.par.sheet import make_sheet
from api.programs.commands.command import opened
from api.settings import Settings


@click.command()
@click.argument("name", metavar="TABLE")
@click.option(
    "-o",
    "--output",
    "files",
    multiple=True,
    metavar="FILE",
    type=click.Path(dir_okay=False, path_type=Path),
    help="A file that ends in .html, .pdf or .csv; may be repeated.  [default: par-TABLE.html, .pdf and .csv]",
)
@click.pass_obj
def par(settings: Settings, name: str, files: tuple[Path, ...]) -> None:
    """Write the PAR sheet of TABLE: rules, paytable, exact returns, hit rates, variance, cap and rounding."""
    chosen = files or tuple(Path(f"par-{name}.{kind}") for kind in ("html", "pdf", "csv"))
    with opened(settings) as service:
        sheet = make_sheet(service.database, service.verifier_key, name, service.clock.now())
    write_par(sheet, chosen)
    click.echo(f"Wrote {', '.join(map(str, chosen))}. SHA-256 of the figures: {sheet.fingerprint}")
