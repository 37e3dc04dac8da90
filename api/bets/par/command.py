"""``foredraw par``: writes the PAR sheet of a table."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib.util import find_spec
from pathlib import Path

from api.bets.par.as_html import html_of
from api.bets.par.sheet import ParRefusedError, Sheet


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


def write_par(sheet: Sheet, files: Sequence[Path]) -> None:
    """Write a sheet in the format of each file's name. Raises `ParRefusedError` or `OSError`."""
    unknown = [str(file) for file in files if file.suffix not in _FORMATS]
    if unknown:
        raise ParRefusedError(f"expected names that end in {', '.join(_FORMATS)}, found {', '.join(unknown)}")
    # All are made before any is written: a refusal leaves nothing behind.
    made = [(file, _FORMATS[file.suffix](sheet)) for file in files]
    for file, data in made:
        file.write_bytes(data)
