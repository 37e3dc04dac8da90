"""A PAR sheet as one HTML file: no script, nothing that is loaded, and fit to be printed."""

from __future__ import annotations

from jinja2 import Environment, PackageLoader, StrictUndefined

from api.bets.par.sheet import HEADINGS, Sheet

_PAGES = Environment(
    loader=PackageLoader("api.bets.par", "."),
    autoescape=True,
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
)


def html_of(sheet: Sheet) -> bytes:
    """Return the whole file."""
    return _PAGES.get_template("sheet.html").render(sheet=sheet, headings=HEADINGS).encode()
