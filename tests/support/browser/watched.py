"""What a page does while it loads: requests that are held back, and whether anything moves."""

from __future__ import annotations

import re

from playwright.sync_api import Page, Route

NOTE_SHIFTS = """
    window.shifted = 0;
    new PerformanceObserver(list => {
        for (const { value } of list.getEntries()) shifted += value;
    }).observe({ type: "layout-shift", buffered: true });
"""
"""A script for the beginning of a page: how far all has moved, as Web Vitals count it."""


def hold(page: Page, pattern: str | re.Pattern[str], *, times: int | None = None) -> list[Route]:
    """The requests for these addresses, which wait until the test answers them."""
    held: list[Route] = []

    def keep(route: Route) -> None:
        held.append(route)

    page.route(pattern, keep, times=times)
    return held
