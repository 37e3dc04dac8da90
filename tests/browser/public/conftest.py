"""A service with few tables, which the home page shows as cards: other tests add tables to the one that all share."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.support.browser.quiet_service import QuietService, quiet_service


@pytest.fixture(scope="package")
def few_tables(tmp_path_factory: pytest.TempPathFactory) -> Iterator[QuietService]:
    """Nothing happens there except what a test does."""
    with quiet_service(tmp_path_factory.mktemp("few") / "data") as running:
        yield running
