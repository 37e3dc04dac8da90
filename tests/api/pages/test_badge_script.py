"""The badge's script as it is served to other sites: its addresses, its versions, its hash, and what it brings with
it.
"""

from __future__ import annotations

import base64
import json
import re
import subprocess
import sys
from collections.abc import Iterator
from hashlib import sha384
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient

from api.pages.files import scripts
from api.pages.files.assets import KEPT_BADGES, STATIC
from api.pages.files.scripts import BADGE_PATH, BADGE_VERSION, badge_script
from api.pages.shell.languages import LANGUAGES
from api.server.app import create_app
from tests.house import HOUSE
from tests.support.in_process_service import InProcessService

FOR_EVER = "public, max-age=31536000, immutable"
RELEASED: dict[str, str] = {}
"""The integrity of each released version's script, which pages of others name: no line here ever changes."""


@pytest.fixture(scope="module")
def app(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Flask]:
    """The application of a service with one table."""
    inside = InProcessService.create(tmp_path_factory.mktemp("badge") / "data", tables=[("keno-1", "keno-express")])
    yield create_app(inside.service)
    inside.stop()


@pytest.fixture
def client(app: Flask) -> FlaskClient:
    """A browser without cookies."""
    return app.test_client(use_cookies=False)


def integrity_of(script: bytes) -> str:
    """What a page names."""
    return f"sha384-{base64.b64encode(sha384(script).digest()).decode()}"


def test_the_page_shows_the_address_of_the_version_with_its_hash(client: FlaskClient) -> None:
    """Its bytes are kept for ever, and any origin may load them."""
    answer = client.get(BADGE_PATH)
    assert (answer.status_code, answer.mimetype) == (200, "text/javascript")
    assert answer.headers["Cache-Control"] == FOR_EVER
    assert answer.headers["Access-Control-Allow-Origin"] == "*"
    assert answer.headers["Cross-Origin-Resource-Policy"] == "cross-origin"
    shown = unescape(client.get("/badge").get_data(as_text=True))
    line = f'<script type="module" src="http://localhost{BADGE_PATH}" integrity="{integrity_of(answer.data)}" crossorigin="anonymous">'
    assert line in shown
    assert "localhost/scripts/badge.js" not in shown


def test_pages_without_a_hash_have_the_newest_script(client: FlaskClient) -> None:
    """At an address without a version, within five minutes."""
    newest = client.get("/scripts/badge.js")
    assert newest.data == client.get(BADGE_PATH).data
    assert newest.headers["Cache-Control"] == "public, max-age=300"


def test_a_later_service_has_the_scripts_of_earlier_releases(
    app: Flask, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Byte by byte, beside its own; a version that never was is not found."""
    (tmp_path / "0.9.0.js").write_text("an earlier badge")
    monkeypatch.setattr(scripts, "KEPT_BADGES", tmp_path)
    scripts._badges.cache_clear()
    try:
        client = app.test_client()
        kept = client.get("/scripts/badge/0.9.0.js")
        assert (kept.data, kept.headers["Cache-Control"]) == (b"an earlier badge", FOR_EVER)
        assert client.get(BADGE_PATH).data == badge_script().data
        for never in ("0.9", "9.9.9", "..", "%2e%2e%2fbadge"):
            missing = client.get(f"/scripts/badge/{never}.js")
            assert (missing.status_code, missing.headers["Cache-Control"]) == (404, "no-store")
    finally:
        scripts._badges.cache_clear()


def test_a_released_script_never_changes() -> None:
    """Neither its file nor what this source makes under its version: a changed badge needs another version."""
    kept = {path.stem: path.read_bytes() for path in KEPT_BADGES.glob("*.js")}
    assert {version: integrity_of(script) for version, script in kept.items()} == RELEASED
    assert kept.get(BADGE_VERSION, badge_script().data) == badge_script().data


def test_the_badges_script_brings_its_words_and_pictures(client: FlaskClient) -> None:
    """All languages and all shapes, so that the badge shows nothing that its hash does not cover."""
    first, _, _ = client.get(BADGE_PATH).get_data(as_text=True).partition("\n")
    carried = json.loads(first.removeprefix("const CARRIED = ").removesuffix(";"))
    assert ["See every step" in carried["words"][language] for language in LANGUAGES] == [False, True, True]

    def names(shape: list[Any]) -> list[str]:
        name, _, children = shape
        return [name, *(below for child in children for below in names(child))]

    drawn = [name for shape in carried["shapes"] for name in names(shape)]
    assert drawn == re.findall(r"<(\w+)", (STATIC / "pictures.svg").read_text("utf-8"))[1:]


def test_the_badges_script_is_built_from_the_source(client: FlaskClient, tmp_path: Path) -> None:
    """The build makes the bytes that a service serves, and prints their `integrity`."""
    target = tmp_path / "dist" / "badge.js"
    command = [sys.executable, "-m", "standalone.badge", str(target)]
    made = subprocess.run(command, cwd=HOUSE, capture_output=True, text=True, check=True)
    assert target.read_bytes() == client.get(BADGE_PATH).data
    assert made.stdout.startswith(f"{integrity_of(target.read_bytes())}  {target}  (")
