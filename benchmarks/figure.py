"""One figure of `make bench`: what was measured, what was wanted, and whether it was met; or that a measure failed."""

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
    """Quantities that were measured together; no two of them have the same words and the same unit."""

    name: str
    quantities: list[Quantity]
    target: str
    met: bool | None
    """`None` if there is no target."""
    remark: str = ""
    failed: bool = False
    """Whether there are no numbers because a measure failed: it is the name, and the remark says why."""

    @property
    def measured(self) -> str:
        """All of it, as one line."""
        return "; ".join([*map(str, self.quantities), *([self.remark] if self.remark else [])])


def failure(measure: str, why: str) -> Figure:
    """What stands for the figures that a measure could not make."""
    return Figure(measure, [], "-", None, why, failed=True)
