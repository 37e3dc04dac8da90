"""CSV as every program of the service writes it: RFC 4180, but with plain line feeds; and nothing that a spreadsheet
runs.

A spreadsheet takes a cell that begins with one of a few characters for a formula, which may send other cells away
when the file is opened. Reasons and names come from outside, so such a text gets an apostrophe in front, as a
spreadsheet would show it to be text. Where a comma is the decimal sign, spreadsheets separate cells by semicolons,
and others by tabs: what they would take for the beginning of a cell gets an apostrophe, too. So does a text that a
spreadsheet would turn into a date or a time, and never back: ``4/5``, ``1:1``, or a table called ``may-5``. A time of
ours, as in RFC 3339, is one.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable
from typing import TextIO

_BEGINS_FORMULA = ("=", "+", "-", "@", "\t", "\n", "＝", "＋", "－", "＠")  # noqa: RUF001 -- the wide forms, on purpose
"""Some spreadsheets take the wide forms for the same characters."""

_BEGINS_ANOTHER = re.compile(r'([;\t\n][\s"]*)(?=[=+\-@＝＋－＠])')  # noqa: RUF001 -- the wide forms, on purpose
"""What other separators would make of a cell: a quote within it is no quote to them, so a line ends, too."""

_MONTHS = "jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec"
_LOOKS_LIKE_A_DATE = re.compile(
    rf"\s*(?:\d{{1,4}}(?:[ ./:-]\d{{1,4}}){{1,3}}|(?:{_MONTHS})[a-z]*[ ./-]?\d{{1,4}}|\d{{1,4}}[ ./-]?(?:{_MONTHS})[a-z]*)(?:[ ./-]\d{{1,4}})?\s*(?:[ap]m?)?\s*",
    re.IGNORECASE | re.ASCII,
)
"""In one language or another: in many, a point or a dash is between day and month."""


def write_csv(file: TextIO, rows: Iterable[Iterable[object]]) -> None:
    """Write rows. Numbers stay as they are."""
    csv.writer(file, lineterminator="\n").writerows([_cell(value) for value in row] for row in rows)


def _cell(value: object) -> object:
    if not isinstance(value, str):
        return value
    # Python does not quote a carriage return, after which a spreadsheet would begin another row.
    text = value.replace("\r", "\N{SYMBOL FOR CARRIAGE RETURN}")
    text = _BEGINS_ANOTHER.sub(r"\1'", text)
    return f"'{text}" if text.startswith(_BEGINS_FORMULA) or _LOOKS_LIKE_A_DATE.fullmatch(text) else text
