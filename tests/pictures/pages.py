"""The pages as pictures: of a service that plays, at a phone's and a desktop's size, light and dark."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from playwright.sync_api import Browser, expect

from tests.browser.visitor import Scheme
from tests.running_service import RunningService


@dataclass(frozen=True, slots=True)
class Screen:
    """The size of a picture: CSS pixels, and how many of the picture's stand for one."""

    width: int
    height: int
    scale: float


PHONE = Screen(390, 740, 1.25)
DESKTOP = Screen(1280, 800, 1)

_PATIENCE_MILLISECONDS = 60_000


class Camera:
    """Takes pictures of one service's pages into a folder."""

    def __init__(self, browser: Browser, service: RunningService, folder: Path) -> None:
        self._browser, self._service, self._folder = browser, service, folder

    def take(self, name: str, address: str, screen: Screen, scheme: Scheme) -> None:
        """What is seen of a page, at this size, in these colours."""
        context = self._browser.new_context(
            base_url=self._service.url,
            viewport={"width": screen.width, "height": screen.height},
            device_scale_factor=screen.scale,
            color_scheme=scheme,
            reduced_motion="reduce",
            locale="en",
        )
        context.set_default_timeout(_PATIENCE_MILLISECONDS)
        page = context.new_page()
        page.goto(address)
        expect(page.locator("h1")).to_be_visible()
        page.screenshot(path=self._folder / f"{name}.png", animations="disabled")
        context.close()
