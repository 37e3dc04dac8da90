"""Figures as SVG inside a page: no files, no fonts, no date, nothing to fetch.

All can be read without colours: what is expected is a dark line, the tolerance a pale band, and what lies outside has
a mark of another shape.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from html import escape
from io import StringIO
from typing import Any

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, PercentFormatter

from verifier.stats.conduct.returns import LEVEL

INK, GREY, BAND, LINE = "#16202c", "#5d6b7a", "#d3dae2", "#b4bec9"
SEEN, PALE, ODD = "#2563a8", "#9dbfe0", "#b3400a"
"""The colours of what was observed, of its extent, and of what is outside its tolerance. Marks also differ in shape
and lightness.
"""
TAILS = ((1 - LEVEL) / 2, (1 + LEVEL) / 2)
"""Where a tolerance begins and ends."""

MINUS = "\N{MINUS SIGN}"
WIDE, HALF = 9.6, 4.8
"""The width of the page and of half of it, in inches."""
_HEIGHT_OF_TWO = 3.6
THOUSANDS = FuncFormatter(lambda value, _: f"{value:,.0f}")
SHORT = FuncFormatter(lambda value, _: f"{value:g}")

_STYLE: dict[Any, Any] = {
    "axes.axisbelow": True,
    "axes.edgecolor": LINE,
    "axes.labelcolor": INK,
    "axes.labelsize": 9,
    "axes.linewidth": 0.8,
    "axes.spines.right": False,
    "axes.spines.top": False,
    "axes.titlelocation": "left",
    "axes.unicode_minus": True,
    "font.family": "sans-serif",
    "font.sans-serif": ["DejaVu Sans"],
    "font.size": 9,
    "grid.color": "#e6eaef",
    "grid.linewidth": 0.7,
    "legend.fontsize": 8.5,
    "legend.frameon": False,
    "lines.linewidth": 1.4,
    "svg.fonttype": "none",
    "svg.hashsalt": "foredraw",
    "text.color": INK,
    "xtick.color": GREY,
    "xtick.labelcolor": INK,
    "xtick.labelsize": 8,
    "ytick.color": GREY,
    "ytick.labelcolor": INK,
    "ytick.labelsize": 8,
}
_FONTS = "'DejaVu Sans', Verdana, Geneva, sans-serif"
_METADATA = {"Creator": None, "Date": None, "Format": None, "Type": None}


@dataclass(frozen=True, slots=True)
class Picture:
    """A figure of the report."""

    title: str
    svg: str
    """Markup that is safe in a page."""
    caption: str
    """What the picture shows and how to read it, also for those who do not see it."""


@contextmanager
def style() -> Iterator[None]:
    """Draw every figure of this context alike, whatever the user's settings of matplotlib are."""
    with mpl.rc_context():
        mpl.rcdefaults()
        mpl.rcParams.update(_STYLE)
        yield


def picture(figure: Figure, name: str, title: str, caption: str) -> Picture:
    """Return what was drawn; ``name`` makes its ids different from those of other figures."""
    return Picture(title, _svg_of(figure, name, title), caption)


def _svg_of(figure: Figure, name: str, title: str) -> str:
    file = StringIO()
    figure.savefig(file, format="svg", metadata=_METADATA)
    text = file.getvalue()
    text = text[text.index("<svg") :]
    text = re.sub(
        r"<metadata>.*?</metadata>|<!--.*?-->|<defs>\s*<style.*?</style>\s*</defs>", "", text, flags=re.DOTALL
    )
    text = re.sub(r'\bid="', f'id="{name}-', text)
    text = re.sub(r'(?:xlink:)?href="#', f'href="#{name}-', text)
    text = text.replace("url(#", f"url(#{name}-").replace("'DejaVu Sans'", _FONTS)
    text = re.sub(r'(?<=\s)(?:d|x|y|transform)="[^"]*"', _to_hundredths, text)
    box = re.search(r'viewBox="[^"]*"', text)
    opening = f'<svg {box[0] if box else ""} role="img" aria-label="{escape(title)}" stroke-linejoin="round">'
    text = opening + text[text.index(">") + 1 :]
    return re.sub(r"\n\s*", "\n", text)


def _to_hundredths(attribute: re.Match[str]) -> str:
    """Round coordinates to hundredths of a point: more digits are invisible and take half of the file."""
    return re.sub(
        r"-?[0-9]+\.[0-9]{3,}", lambda number: f"{float(number[0]):.2f}".rstrip("0").rstrip("."), attribute[0]
    )


def per_cents(decimals: int) -> PercentFormatter:
    """Return what writes the shares of an axis."""
    return PercentFormatter(1, decimals=decimals, symbol=" %")


def figure_of(
    width: float, height: float, *, left: float = 0.82, bottom: float = 0.5, top: float = 0.06
) -> tuple[Figure, Axes]:
    """Return one empty plot. All sizes are in inches: measuring the margins would take as long as drawing."""
    figure = _empty(width, height, left, bottom, top)
    return figure, figure.subplots()


def two_plots(*, bottom: float) -> tuple[Figure, Axes, Axes]:
    """Return two plots, half a page wide: a high one, and a low one below it with the same x axis."""
    figure = _empty(HALF, _HEIGHT_OF_TWO, 0.82, bottom, 0.06)
    above, below = figure.subplots(2, sharex=True, height_ratios=(2.3, 1), gridspec_kw={"hspace": 0.12})
    return figure, above, below


def _empty(width: float, height: float, left: float, bottom: float, top: float) -> Figure:
    figure = Figure((width, height))
    figure.subplots_adjust(left=left / width, right=1 - 0.06 / width, bottom=bottom / height, top=1 - top / height)
    return figure
