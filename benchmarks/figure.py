"""One figure of the table that ``make bench`` prints."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Figure:
    """What was measured, what was wanted, and whether it was met; `None` where there is no target."""

    name: str
    measured: str
    target: str
    met: bool | None
