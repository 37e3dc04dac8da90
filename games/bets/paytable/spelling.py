"""The one spelling of a paytable: that of a record, with limits of its own (docs/paytable-format.md)."""

from __future__ import annotations

from typing import NoReturn

from fairness.errors import Malformed
from fairness.limits import DEEPEST_PAYTABLE, LARGEST_PAYTABLE
from games.declared.spelling import Spelling

PAYTABLE = Spelling("paytable", LARGEST_PAYTABLE, DEEPEST_PAYTABLE)


def refuse(expected: str, found: object) -> NoReturn:
    """Raise `Malformed` about the paytable."""
    raise Malformed("paytable", expected=expected, found=found)
