"""What holds of every page."""

from __future__ import annotations

import pytest

from tests.browser.addresses import PAGES
from tests.browser.visitor import DESKTOP, PHONE, Visitor


@pytest.mark.parametrize("width", [PHONE, DESKTOP])
@pytest.mark.parametrize("path", PAGES)
def test_it_opens(visitor: Visitor, path: str, width: int) -> None:
    """With a heading, and with nothing to complain of."""
    page = visitor.visit(path, width=width)
    assert page.locator("h1").count() == 1
