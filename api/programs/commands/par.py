"""``foredraw par``: writes a PAR sheet."""

from __future__ import annotations

import click

from api.bets.par.command import STANDARD_OUTPUT, write_par
from api.bets.par.sheet import make_sheet
from api.programs.commands.opened import opened
from api.settings import Settings


@click.command()
@click.argument("name", metavar="TABLE")
@click.option(
    "-o",
    "--output",
    "files",
    multiple=True,
    metavar="FILE",
    type=click.Path(dir_okay=False, allow_dash=True),
    help="A file that ends in .html, .pdf or .csv, or - for CSV on standard output; may be repeated."
    "  [default: par-TABLE.html, .pdf and .csv]",
)
@click.pass_obj
def par(settings: Settings, name: str, files: tuple[str, ...]) -> None:
    """Write the PAR sheet of TABLE: rules, paytable, exact returns, hit rates, variance, cap and rounding."""
    chosen = files or tuple(f"par-{name}.{kind}" for kind in ("html", "pdf", "csv"))
    with opened(settings) as service:
        sheet = make_sheet(service.database, service.verifier_key, name, service.clock.now())
    write_par(sheet, chosen)
    written = ["standard output" if file in STANDARD_OUTPUT else file for file in chosen]
    said = f"Wrote {', '.join(written)}. SHA-256 of the figures: {sheet.fingerprint}"
    click.echo(said, err="standard output" in written)
