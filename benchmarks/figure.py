"""One figure of `make bench`: what was measured, the target, and whether it was met; or that a measure failed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class Quantity:
    """One number of a figure, with its unit."""

    what: str
    """Empty if the figure's name says it."""
    value: float
    unit: str
    digits: int
    """Digits after the point, as it is printed."""
    better: Literal["lower", "higher"] | None
    """`None` if it is neither: a number that explains the others."""

    def __str__(self) -> str:
        gap = "" if self.unit.startswith("/") else " "
        return f"{self.what} {self.value:,.{self.digits}f}{gap}{self.unit}".strip()


def lower(what: str, value: float, unit: str, digits: int = 0) -> Quantity:
    """The lower, the better."""
    return Quantity(what, value, unit, digits, "lower")


def higher(what: str, value: float, unit: str, digits: int = 0) -> Quantity:
    """The higher, the better."""
    return Quantity(what, value, unit, digits, "higher")


def neutral(what: str, value: float, unit: str, digits: int = 0) -> Quantity:
    """Neither is better."""
    return Quantity(what, value, unit, digits, None)


@dataclass(frozen=True, slots=True)
class Figure:
    """Quantities that were measured together; no two of them have the same words and unit."""

    name: str
    quantities: list[Quantity]
    target: str
    met: bool | None
    """`None` if there is no target."""
    remark: str = ""
    failed: bool = False
    """Whether there are no numbers because a measure failed: the name is the measure's, and the remark says why."""

    @property
    def measured(self) -> str:
        """All quantities, as one line."""
        return "; ".join([*map(str, self.quantities), *([self.remark] if self.remark else [])])


def failure(measure: str, why: str) -> Figure:
    """The figure of a measure that failed."""
    return Figure(measure, [], "-", None, why, failed=True)
