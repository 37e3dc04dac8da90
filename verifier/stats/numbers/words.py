"""Numbers as people read them."""

from __future__ import annotations

_TINY, _SMALL = 1e-30, 0.001
_THOUSAND, _LONG = 1000, 100


def per_cent(value: float, digits: int = 3) -> str:
    """Spell ``96.614 %``: a fixed number of decimals, so that figures in a column align."""
    return f"{100 * value:.{digits}f} %"


def p_text(value: float | None) -> str:
    """Spell ``0.317``, ``2.1e-05``; a dash for a test that was not run."""
    if value is None:
        return "\N{EN DASH}"
    if value < _TINY:
        return f"< {_TINY:.0e}"
    return f"{value:.3f}" if value >= _SMALL else f"{value:.1e}"


def number_text(value: float | None) -> str:
    """Spell ``0.1161``, ``17.17``, ``16,960``; nothing for none."""
    if value is None:
        return ""
    return f"{value:,.0f}" if abs(value) >= _THOUSAND else f"{value:.4g}"


def duration(milliseconds: int) -> str:
    """Spell ``4.3 s``, ``2 min 5 s``, ``1 h 2 min``."""
    seconds = milliseconds / _THOUSAND
    if seconds < _LONG:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes} min" if hours else f"{minutes} min {rest} s"


def some_of(n: int, all_of_them: int, things: str) -> str:
    """Spell ``None of 25 cells is``, ``3 of 25 cells are``."""
    return f"{n or 'None'} of {all_of_them} {things} {'are' if n > 1 else 'is'}"
