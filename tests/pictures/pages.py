"""The pages as pictures: at a desktop's size, light and dark."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path

from PIL import Image
from playwright.sync_api import Browser, Page, expect

from tests.support.browser.visitor import DESKTOP, Scheme

_PATIENCE_MILLISECONDS = 60_000


@dataclass(frozen=True, slots=True)
class Picture:
    """A picture to take: ``name`` is the file's, ``height`` is in CSS pixels.

    ``seen`` must be on the page before the picture is taken, and ``top`` is scrolled to; both are CSS selectors.
    """

    name: str
    address: str
    height: int
    scheme: Scheme
    seen: str = "h1"
    top: str = ""


class Camera:
    """Takes pictures of one service's pages into a folder."""

    def __init__(self, browser: Browser, origin: str, cookies: Mapping[str, str], folder: Path) -> None:
        self._browser, self._origin, self._cookies, self._folder = browser, origin, cookies, folder

    def take(self, picture: Picture) -> None:
        """Take the page at the picture's address."""
        with self.page_for(picture) as page:
            self.shoot(picture, page)

    @contextmanager
    def page_for(self, picture: Picture) -> Iterator[Page]:
        """The page in the picture's size and colours, to be brought into the wanted state."""
        context = self._browser.new_context(
            base_url=self._origin,
            viewport={"width": DESKTOP, "height": picture.height},
            color_scheme=picture.scheme,
            reduced_motion="reduce",
            locale="en",
        )
        context.set_default_timeout(_PATIENCE_MILLISECONDS)
        context.add_cookies(
            [{"name": name, "value": value, "url": self._origin} for name, value in self._cookies.items()]
        )
        page = context.new_page()
        page.goto(picture.address)
        yield page
        context.close()

    def shoot(self, picture: Picture, page: Page) -> None:
        """Take the picture. It is lossless, because it shows text; as WebP it is small nevertheless."""
        expect(page.locator(picture.seen).first).to_be_visible(timeout=_PATIENCE_MILLISECONDS)
        page.wait_for_load_state("networkidle")
        if picture.top:
            page.locator(picture.top).evaluate("element => scrollBy(0, element.getBoundingClientRect().top - 16)")
        taken = page.screenshot(animations="disabled")
        with Image.open(BytesIO(taken)) as image:
            image.save(self._folder / f"{picture.name}.webp", lossless=True, method=6, quality=100)
