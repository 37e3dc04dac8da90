"""Plays on a new service, and takes all pictures of the documents: ``make pictures``."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.browser.visitor import Scheme, chromium
from tests.pictures.pages import DESKTOP, PHONE, Camera, Screen
from tests.pictures.terminal import terminal_picture
from tests.running_service import SIX_TABLES, RunningService, wait_until

FOLDER = Path(__file__).parent.parent.parent / "docs" / "pictures"
ROUNDS = 20
"""How many are played on each table before."""

PAGES: tuple[tuple[str, str, Screen, Scheme], ...] = (
    ("home", "/", DESKTOP, "light"),
    ("home-phone", "/", PHONE, "dark"),
    ("table", "/tables/rocketon-1", DESKTOP, "dark"),
    ("table-phone", "/tables/hi-lo-1", PHONE, "dark"),
    ("round-phone", "/tables/keno-express-1/rounds/5", PHONE, "light"),
)
"""Each picture's name, and the address, size and colours of its page."""


def main() -> None:
    """Play, then take all pictures."""
    with TemporaryDirectory() as folder:
        service = RunningService(Path(folder) / "data", "", 2000, ("--demo", "--pace", "1"))
        try:
            service.launch()
            wait_until(lambda: played(service, ROUNDS), f"{ROUNDS} rounds of each game", 600)
            take_all(service)
        finally:
            service.clean_up()


def played(service: RunningService, rounds: int) -> bool:
    """Whether the dealer has revealed so many on every table."""
    return all(len(re.findall(rf"^{table} +round ", service.output, re.MULTILINE)) >= rounds for table in SIX_TABLES)


def take_all(service: RunningService) -> None:
    """Each under the name that the documents use."""
    code = service.get(f"/v1/tables/crash-1/rounds/{ROUNDS}").document["code"]
    arguments = ["code", code, "--log", f"{service.url}/log", "--key", str(service.key)]
    (FOLDER / "verify.svg").write_text(terminal_picture(arguments), "utf-8")
    with chromium() as browser:
        camera = Camera(browser, service, FOLDER)
        for name, address, screen, scheme in PAGES:
            camera.take(name, address, screen, scheme)


if __name__ == "__main__":
    sys.exit(main())
