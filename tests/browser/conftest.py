"""The fixtures of all tests of pages: the service, a browser, and a visitor that detects errors."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from functools import cache

import pytest
from playwright.sync_api import Browser, Page, sync_playwright

from api.access.tokens import ALL_TABLES, Role, create_token, digest
from api.pages.ops.operators import COOKIES
from tests.support.browser.addresses import OPERATORS, PAGES, filled_in
from tests.support.browser.demo_service import demo_service
from tests.support.browser.fonts import Fonts
from tests.support.browser.quiet_service import QuietService, quiet_service
from tests.support.browser.visitor import Visitor, launched
from tests.support.running_service import RunningService, opened


@pytest.fixture(scope="package")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningService]:
    """One real service, with a dealer that keeps playing and tables that only tests play."""
    with demo_service(tmp_path_factory.mktemp("pages") / "data") as running:
        yield running


@pytest.fixture(scope="package")
def browsers() -> Iterator[Callable[[Fonts], Browser]]:
    """One browser with each of the fonts for all tests of a process, started when a test needs it."""
    with ExitStack() as running:
        chromium = running.enter_context(sync_playwright()).chromium
        yield cache(lambda fonts: running.enter_context(launched(chromium, fonts)))


@pytest.fixture
def fonts(request: pytest.FixtureRequest) -> Fonts:
    """The fonts of a test's browser: those of the run, or the parameter of a test of layout."""
    fonts: Fonts = getattr(request, "param", request.config.getoption("fonts"))
    return fonts


@pytest.fixture
def browser(browsers: Callable[[Fonts], Browser], fonts: Fonts) -> Browser:
    """A browser that has no other fonts."""
    return browsers(fonts)


@pytest.fixture
def visitor(browser: Browser, service: RunningService) -> Iterator[Visitor]:
    """Opens pages of the service; the test fails at the first unexpected complaint."""
    visitor = Visitor(browser, service.url)
    yield visitor
    visitor.close()


@pytest.fixture(scope="package")
def quiet(tmp_path_factory: pytest.TempPathFactory) -> Iterator[QuietService]:
    """A service where nothing happens except what a test does."""
    with quiet_service(tmp_path_factory.mktemp("quiet") / "data") as running:
        yield running


@pytest.fixture
def reader(browser: Browser, quiet: QuietService) -> Iterator[Visitor]:
    """The visitor of the quiet service."""
    visitor = Visitor(browser, quiet.url)
    yield visitor
    visitor.close()


@pytest.fixture(scope="package")
def operator(service: RunningService) -> str:
    """The token of an operator."""
    with opened(service.settings) as inside:
        return create_token(inside.database, inside.clock, "ani", Role.OPERATOR, [ALL_TABLES])


@pytest.fixture(scope="package")
def session(service: RunningService, operator: str) -> Mapping[str, str]:
    """The cookie of an operator who is signed in."""
    with opened(service.settings) as inside:
        return {COOKIES["http"]: inside.sessions.begin(digest(operator))}


@pytest.fixture(params=PAGES)
def address(request: pytest.FixtureRequest, service: RunningService, session: Mapping[str, str]) -> str:
    """The address of each page in turn; on an operator's page the visitor is signed in."""
    if request.param in OPERATORS and "visitor" in request.fixturenames:
        visitor: Visitor = request.getfixturevalue("visitor")
        visitor.cookies = session
    return filled_in(request.param, service)


@pytest.fixture
def page(visitor: Visitor) -> Page:
    """An empty page for ``page.goto("/verify")``, at desktop width, light, in English."""
    return visitor.visit()
