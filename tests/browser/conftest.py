"""What every test of a page has: the service, a browser, and a visitor who notices what goes wrong."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page

from tests.browser.addresses import PAGES, filled_in
from tests.browser.demo_service import demo_service
from tests.browser.visitor import Visitor, chromium
from tests.running_service import RunningService


@pytest.fixture(scope="session")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningService]:
    """One real service, with a dealer who keeps playing and tables that only tests play."""
    with demo_service(tmp_path_factory.mktemp("pages") / "data") as running:
        yield running


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """One browser for all tests of a process."""
    with chromium() as running:
        yield running


@pytest.fixture
def visitor(browser: Browser, service: RunningService) -> Iterator[Visitor]:
    """Opens pages of the service; the test fails with the first complaint that it did not expect."""
    visitor = Visitor(browser, service.url)
    yield visitor
    visitor.close()


@pytest.fixture(params=PAGES)
def address(request: pytest.FixtureRequest, service: RunningService) -> str:
    """The address of each page in turn."""
    return filled_in(request.param, service)


@pytest.fixture
def page(visitor: Visitor) -> Page:
    """An empty page for ``page.goto("/verify")``, at desktop width, light, in English."""
    return visitor.visit()
