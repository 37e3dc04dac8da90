"""A round on a phone as a picture that moves: from the tables over the bets and the flight to the verdict."""

from __future__ import annotations

import time
from io import BytesIO
from pathlib import Path

from PIL import Image, ImageDraw
from playwright.sync_api import Browser, Locator, Page, expect

TABLE = "crash-1"
"""A game with something to watch between the bets and the outcome."""
WIDTH, HEIGHT, SCALE = 360, 640, 1.5
_TOUCH, _READ, _VERDICT = 800, 1200, 3000
"""For how long what stands still is shown, in milliseconds."""
_STEP_SECONDS = 0.2
"""How often what moves is taken: often enough for a ring that empties."""
_FINGER = 22
_PATIENCE_MILLISECONDS = 60_000


class Film:
    """Takes a page of a phone, one frame after the other."""

    def __init__(self, page: Page) -> None:
        self._page = page
        self._frames: list[Image.Image] = []
        self._milliseconds: list[int] = []

    def hold(self, milliseconds: int) -> None:
        """Show the page as it is for that long."""
        self._add(self._look(), milliseconds)

    def follow(self, until: Locator) -> None:
        """Show how the page moves until something is there, at the pace at which it does."""
        begun, frame = time.monotonic(), self._look()
        while True:
            self._page.wait_for_timeout(1000 * max(0.0, begun + _STEP_SECONDS - time.monotonic()))
            now = time.monotonic()
            self._add(frame, round(1000 * (now - begun)))
            if until.is_visible():
                return
            begun, frame = now, self._look()

    def touch(self, target: Locator) -> None:
        """Show a finger on a link, and follow the link, which the page may replace meanwhile."""
        box, address = target.bounding_box(), target.get_attribute("href")
        assert box is not None
        assert address is not None
        frame = self._look()
        x, y = (SCALE * at for at in (box["x"] + box["width"] / 2, box["y"] + box["height"] / 2))
        ImageDraw.Draw(frame, "RGBA").circle((x, y), SCALE * _FINGER, (255, 255, 255, 110), (255, 255, 255, 200), 3)
        self._add(frame, _TOUCH)
        self._page.goto(address)

    def save(self, file: Path) -> None:
        """Write all frames, without loss, as they show text; it begins again when it ends."""
        first, *others = self._frames
        first.save(
            file,
            save_all=True,
            append_images=others,
            duration=self._milliseconds,
            loop=0,
            lossless=True,
            method=4,
            quality=100,
        )

    def _look(self) -> Image.Image:
        with Image.open(BytesIO(self._page.screenshot())) as image:
            return image.convert("RGB")

    def _add(self, frame: Image.Image, milliseconds: int) -> None:
        self._frames.append(frame)
        self._milliseconds.append(milliseconds)


def take_film(browser: Browser, origin: str, file: Path) -> None:
    """Take a round of the table, as it is played while somebody watches."""
    context = browser.new_context(
        base_url=origin,
        viewport={"width": WIDTH, "height": HEIGHT},
        device_scale_factor=SCALE,
        color_scheme="dark",
        reduced_motion="no-preference",
        locale="en",
    )
    context.set_default_timeout(_PATIENCE_MILLISECONDS)
    page = context.new_page()
    film = Film(page)

    page.goto("/")
    _await(page, "[data-live].good")
    film.hold(_READ)
    _to_the_top(page, f"[data-table={TABLE}]")
    film.touch(page.locator(f"#table-{TABLE} a"))

    _await(page, "#now .badge.locked")
    _to_the_top(page, "h1")
    _await(page, "#now .badge.open")
    number = page.locator("[data-now] a").inner_text()
    last = page.locator("[data-last-link] a", has_text=number)
    film.follow(last)
    film.hold(_READ)
    film.touch(last)

    check = page.get_by_role("link", name="Check this round")
    check.wait_for()
    film.hold(_READ)
    film.touch(check)

    film.follow(page.locator("#verdict:not(.working) h1"))
    _to_the_top(page, "#verdict")
    film.hold(_VERDICT)
    context.close()
    film.save(file)


def _await(page: Page, seen: str) -> None:
    expect(page.locator(seen).first).to_be_visible(timeout=_PATIENCE_MILLISECONDS)


def _to_the_top(page: Page, place: str) -> None:
    page.locator(place).evaluate("element => scrollBy(0, element.getBoundingClientRect().top - 16)")
