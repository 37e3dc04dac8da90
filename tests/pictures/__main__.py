"""Plays on a new service, and takes all pictures of the documents: ``make pictures``."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Mapping
from contextlib import chdir
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

from api.access.tokens import ALL_TABLES, Role, create_token, digest
from api.pages.ops.operators import COOKIES
from api.programs.demo import GAMES_OF
from benchmarks.made_log import make_log
from fairness.log.notes import SigningKey
from tests.house import HOUSE
from tests.pictures.film import take_film
from tests.pictures.pages import Camera, Picture
from tests.pictures.share import take_share_picture
from tests.pictures.terminal import terminal_picture
from tests.support.browser.checking import TABLE, log_of, with_key
from tests.support.browser.visitor import chromium
from tests.support.dishonest_operator import Operator
from tests.support.log_server import serving
from tests.support.running_service import RunningService, opened, wait_until

FOLDER = HOUSE / "docs" / "pictures"
TABLES = tuple(f"{game}-1" for game in GAMES_OF["kinds"])
"""One of each kind of game, as `make run` has them."""
ROUNDS = 12
"""How many rounds are played at each table first."""

CHECKED = "section:nth-of-type(1) foredraw-round:nth-child(2) section:is(.held, .unknown)"
"""One of the rounds to come is over, and its badge has checked it."""
LIVE = "[data-live].good"
VERDICT = ".verdict:not(.working) h1"
PICTURES = (
    Picture("home", "/", 800, "light", LIVE),
    Picture("table", "/tables/crash-1", 800, "dark", LIVE),
    Picture("verify", "/verify#CODE", 760, "light", VERDICT),
    Picture("badge", "/badge", 1170, "light", CHECKED),
    Picture("ops", "/ops", 800, "light"),
)
"""CODE is the code of a round that was played."""
FORGED = Picture("verify-refused", "/verify?log=LOG#CODE", 760, "light", ".verdict.failed h1")
"""LOG is the address of a log with a lie in it."""
REPORTED = 60_000
"""The rounds of the log whose statistics are reported."""
REPORT = (
    Picture("report", "", 1300, "light", "figure svg"),
    Picture("report-table", "", 1000, "light", "figure svg", "#table-crash-1"),
)


def main() -> None:
    """Play, then take all pictures."""
    with TemporaryDirectory() as folder:
        service = RunningService(Path(folder) / "data", "", 2000, ("--demo", "--games", "kinds"))
        try:
            service.launch()
            wait_until(lambda: has_played(service), f"{ROUNDS} rounds of each game", 600)
            take_all(service, Path(folder))
        finally:
            service.clean_up()


def has_played(service: RunningService) -> bool:
    """Whether the dealer has revealed this many rounds at every table."""
    return all(len(re.findall(rf"^{table} +round ", service.output, re.MULTILINE)) >= ROUNDS for table in TABLES)


def take_all(service: RunningService, folder: Path) -> None:
    """Take every picture, under the name that the documents use."""
    code = service.get(f"/v1/tables/hi-lo-1/rounds/{ROUNDS}").document["round_code"]
    arguments = ["code", code, "--log", f"{service.url}/log", "--policy", "data/demo-policy"]
    with chdir(folder):
        (FOLDER / "verify.svg").write_text(terminal_picture(arguments), "utf-8")
    with chromium() as browser:
        take_share_picture(browser)
        take_film(browser, service.url, FOLDER / "round.webp")
        camera = Camera(browser, service.url, operators_cookie(service), FOLDER)
        for picture in PICTURES:
            camera.take(replace(picture, address=picture.address.replace("CODE", code)))
        take_refusal(camera, folder / "forged")
        take_report(camera, folder / "played")


def operators_cookie(service: RunningService) -> Mapping[str, str]:
    """The cookie of somebody who is signed in to the operator's page."""
    with opened(service.settings) as inside:
        token = create_token(inside.database, inside.clock, "ani", Role.OPERATOR, [ALL_TABLES])
        return {COOKIES["http"]: inside.sessions.begin(digest(token))}


def false_outcome(operator: Operator) -> None:
    """An outcome that does not follow from the seeds."""
    operator.lock(TABLE)
    operator.reveal(TABLE, outcome={"number": 101})


def take_refusal(camera: Camera, folder: Path) -> None:
    """Take what the page says about a log with a false outcome."""
    code = log_of(folder, false_outcome)
    with serving(folder) as log:
        forged = replace(FORGED, address=FORGED.address.replace("LOG", log).replace("CODE", code))
        with camera.page_for(forged) as page:
            with_key(page)
            camera.shoot(forged, page)


def take_report(camera: Camera, folder: Path) -> None:
    """Take the statistics of a log that is long enough for them."""
    key = SigningKey("fore.example/log", bytes(32))
    make_log(folder, REPORTED, key)
    report = folder / "report.html"
    arguments = ["stats", str(folder), "--key", str(key.verifier_key), "--output", str(report)]
    subprocess.run([sys.executable, "-m", "verifier", *arguments], check=True, capture_output=True)
    for picture in REPORT:
        camera.take(replace(picture, address=report.as_uri()))


main()
