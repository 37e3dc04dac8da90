"""``foredraw par``: writes the PAR sheet of a table."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from importlib.util import find_spec
from pathlib import Path

from api.bets.par.as_html import html_of
from api.bets.par.sheet import ParRefusedError, Sheet

STANDARD_OUTPUT = ("-", "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1")
"""Its names: opened again by one of them, a file behind it would begin again."""
_OPENED = ("/dev/fd/", "/proc/self/fd/")


def _pdf_of(sheet: Sheet) -> bytes:
    if find_spec("fpdf") is None:
        raise ParRefusedError("PDF needs the package fpdf2, which `make install` installs; HTML and CSV need nothing")
    from api.bets.par.as_pdf import pdf_of  # noqa: PLC0415  (an extra, and slow to import)

    return pdf_of(sheet)


_FORMATS: dict[str, Callable[[Sheet], bytes]] = {
    ".html": html_of,
    ".pdf": _pdf_of,
    ".csv": lambda sheet: sheet.csv,
}


def write_par(sheet: Sheet, files: Sequence[str]) -> None:
    """Write a sheet in the format of each file's name. Raises `ParRefusedError` or `OSError`."""
    formats = [_format(file) for file in files]
    unknown = [file for file, kind in zip(files, formats, strict=True) if kind not in _FORMATS]
    if unknown:
        raise ParRefusedError(f"expected names that end in {', '.join(_FORMATS)}, found {', '.join(unknown)}")
    # All are made before any is written: a refusal leaves nothing behind.
    made = [(file, _FORMATS[kind](sheet)) for file, kind in zip(files, formats, strict=True)]
    for file, data in made:
        if file in STANDARD_OUTPUT:
            sys.stdout.buffer.write(data)
            sys.stdout.buffer.flush()
        else:
            Path(file).write_bytes(data)


def _format(file: str) -> str:
    """Return the end of a name; standard output and what a shell has opened have none, and get the figures."""
    kind = Path(file).suffix
    return ".csv" if not kind and (file in STANDARD_OUTPUT or file.startswith(_OPENED)) else kind
