"""A PAR sheet as PDF, A4 across, with the fonts that every reader of PDF has."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from fpdf import FPDF
from fpdf.enums import TableBordersLayout, XPos, YPos
from fpdf.fonts import FontFace

from api.bets.par.sheet import HEADINGS, Sheet

_INK, _GREY, _LINE, _PALE = (22, 32, 44), (74, 88, 102), (190, 198, 206), (240, 243, 246)
_WORTH_WIDTHS = (84, 24, 26, 22, 28, 22, 24, 22, 26)
# The fonts that need not be embedded have no curved quotation marks.
_STRAIGHT = str.maketrans({"“": '"', "”": '"'})


class _Paper(FPDF):
    """Pages with a foot."""

    def __init__(self, sheet: Sheet) -> None:
        super().__init__(orientation="landscape", format="A4")
        self._foot = f"PAR sheet of {sheet.table} - SHA-256 of its CSV: {sheet.fingerprint}"
        self.set_title(f"PAR sheet of {sheet.table}")
        self.set_lang("en")
        self.set_creator("Foredraw")
        self.set_creation_date(datetime.fromisoformat(sheet.made))
        self.set_margins(14, 14)
        self.set_auto_page_break(auto=True, margin=18)
        self.set_text_color(*_INK)
        self.set_draw_color(*_LINE)
        self.set_line_width(0.15)
        self.add_page()

    def footer(self) -> None:
        self.set_y(-12)
        self.set_font("Helvetica", size=7)
        self.set_text_color(*_GREY)
        self.cell(0, 5, self._foot)
        self.set_x(self.l_margin)
        self.cell(0, 5, f"page {self.page_no()} of {{nb}}", align="R")
        self.set_text_color(*_INK)

    def heading(self, text: str, size: int = 12) -> None:
        # A heading is not left alone at the end of a page.
        if self.will_page_break(30):
            self.add_page()
        self.ln(3)
        self.set_font("Helvetica", "B", size)
        self.cell(0, size * 0.6, text, new_x=XPos.LMARGIN, new_y=YPos.NEXT)
        self.ln(1)

    def items(self, texts: Sequence[str]) -> None:
        self.set_font("Helvetica", size=9)
        for text in texts:
            self.cell(4, 4.6, "\xb7")
            self.multi_cell(0, 4.6, text.translate(_STRAIGHT), new_x=XPos.LMARGIN, new_y=YPos.NEXT, align="L")

    def columns(
        self, heads: Sequence[str], rows: Sequence[Sequence[str]], widths: tuple[int, ...], aligns: tuple[str, ...]
    ) -> None:
        self.set_font("Helvetica", size=8.5)
        with self.table(
            col_widths=widths,
            text_align=aligns,
            line_height=4.6,
            padding=(0.5, 1.5),
            borders_layout=TableBordersLayout.HORIZONTAL_LINES,
            headings_style=FontFace(emphasis="BOLD", fill_color=_PALE),
            first_row_as_headings=bool(heads),
        ) as table:
            for row in (*([heads] if heads else []), *rows):
                line = table.row()
                for cell in row:
                    line.cell(cell.translate(_STRAIGHT))


def pdf_of(sheet: Sheet) -> bytes:
    """Return the whole file."""
    paper = _Paper(sheet)
    paper.heading(f"PAR sheet of {sheet.table}", 18)
    paper.columns((), sheet.facts, (30, 239), ("L", "L"))
    paper.heading("Outcomes")
    paper.items(sheet.outcomes)
    paper.heading("Winning options")
    paper.columns(("Bet", "Winning option", "Wins if"), sheet.options, (45, 74, 150), ("L", "L", "L"))
    paper.heading("Paytable and exact worth")
    aligns = ("L", "L", *("R" for _ in HEADINGS[2:]))
    paper.columns(HEADINGS, sheet.rows, _WORTH_WIDTHS, aligns)
    paper.heading("How to read the figures")
    paper.items(sheet.notes)
    paper.heading("Payment, cap and rounding")
    paper.items(sheet.payment)
    paper.heading("How the regulation is read")
    paper.items([f'{decision} "{sentence}"' for decision, sentence in sheet.readings])
    paper.heading("What this sheet does not say")
    paper.items(sheet.limits)
    return bytes(paper.output())
