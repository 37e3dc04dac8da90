"""Multipliers as outcomes have them: text with two decimals; and the largest that a table may have."""

from __future__ import annotations

SMALLEST_CAP = 101
LARGEST_CAP = 1_000_000_000


def decimal_text(hundredths: int) -> str:
    """``21.23``, always with two decimals."""
    return f"{hundredths // 100}.{hundredths % 100:02}"


def hundredths_of(text: object) -> int:
    """What `decimal_text` made such a text of."""
    return int(str(text).replace(".", ""))
