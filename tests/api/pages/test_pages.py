"""All pages: their security headers, languages, errors and files."""

from __future__ import annotations

import gzip
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from flask import Flask
from flask.testing import FlaskClient

from api.pages.files.assets import FOLDERS
from api.pages.files.scripts import script_of
from api.server.app import create_app
from tests.house import HOUSE
from tests.messages import TRANSLATED, in_the_code, read, spelled, untranslated
from tests.support.http import BROWSER
from tests.support.in_process_service import InProcessService

TABLE = "keno-1"
PAGES = ("/", "/nowhere")
"""All pages, including an error page. What holds for every page is tested in `tests/browser`."""


@pytest.fixture(scope="module")
def app(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Flask]:
    """The application of a service with a table, a played round and a void one."""
    inside = InProcessService.create(
        tmp_path_factory.mktemp("pages") / "data", tables=[(TABLE, "keno-express"), ("crash-1", "crash")]
    )
    yield create_app(inside.service)
    inside.stop()


@pytest.fixture
def client(app: Flask) -> FlaskClient:
    """A browser without cookies."""
    return app.test_client()


@pytest.mark.parametrize("path", PAGES)
@pytest.mark.parametrize(("language", "word"), [("en", "Verify"), ("hy", "Ստուգել"), ("ru", "Проверить")])
def test_a_page_is_in_the_readers_language(client: FlaskClient, path: str, language: str, word: str) -> None:
    """The browser's preference, or the address's choice, which is remembered; and `Vary` informs caches."""
    preferred = client.get(path, headers={**BROWSER, "Accept-Language": f"xx, {language}-AM;q=0.9, de;q=0.5"})
    asked = client.get(f"{path}?lang={language}", headers={**BROWSER, "Accept-Language": "de"})
    remembered = client.get(path, headers={**BROWSER, "Accept-Language": "de"})
    for answer in (preferred, asked, remembered):
        assert f'<html lang="{language}" ' in answer.text
        assert f">{word}</a>" in answer.text
        assert answer.headers["Content-Language"] == language
        assert {"Accept-Language", "Cookie"} <= set(answer.vary.as_set(preserve_casing=True))
    assert "Set-Cookie" not in preferred.headers
    cookie = asked.headers["Set-Cookie"]
    assert cookie.startswith(f"lang={language};")
    assert "HttpOnly" in cookie
    assert "SameSite=Lax" in cookie


def test_an_unknown_language_is_english(client: FlaskClient) -> None:
    """Whether it is in an address or a cookie."""
    client.set_cookie("lang", "../../etc/passwd")
    answer = client.get("/?lang=%3Cb%3E", headers=BROWSER)
    assert '<html lang="en" ' in answer.text
    assert "Set-Cookie" not in answer.headers


def test_the_switch_of_languages_keeps_the_rest_of_the_address(client: FlaskClient) -> None:
    """Each language is a link to the same page, and nothing in the address becomes markup."""
    text = client.get('/?from=7&lang=hy&x="><b>', headers=BROWSER).text
    assert 'href="?from=7&amp;x=%22%3E%3Cb%3E&amp;lang=ru"' in text


@pytest.mark.parametrize("language", TRANSLATED)
def test_every_message_is_translated(language: str) -> None:
    """All messages of pages, and no unused ones. If it fails: `make messages`, then translate."""
    template = in_the_code()
    assert {message.id for message in read(language)} == {message.id for message in template} | {""}
    assert [message.id for message in untranslated(read(language))] == []
    assert spelled(language, template) == (HOUSE / f"api/pages/translations/{language}.po").read_text("utf-8")


def test_no_message_of_a_script_is_in_a_template() -> None:
    """What finds the messages of scripts does not look into templates, so these would stay English."""
    scripts = [path for folder in ("api/pages/static", "verifier/browser") for path in (HOUSE / folder).rglob("*.js")]
    assert scripts
    assert [path.name for path in scripts if re.search(r"\$\{[^}`]*\b_\(", path.read_text("utf-8"))] == []


@pytest.mark.parametrize("language", TRANSLATED)
def test_a_translation_has_the_same_holes_and_the_same_markup(language: str) -> None:
    """The same placeholders and tags, as often as in English."""
    for message in read(language):
        if not message.id:
            continue
        english = message.id[-1] if isinstance(message.id, tuple) else message.id
        texts = message.string if isinstance(message.string, tuple) else (message.string,)
        for text in map(str, texts):
            for marks in (r"%\(\w+\)s", r"\{\w+\}", r"</?\w+[^>]*>"):
                assert sorted(re.findall(marks, text)) == sorted(re.findall(marks, str(english))), english


def test_a_browser_gets_a_page_and_a_program_a_problem(client: FlaskClient) -> None:
    """For a missing address: HTML only at a page's address and if HTML is requested."""
    page = client.get("/nowhere", headers=BROWSER)
    assert (page.status_code, page.mimetype) == (404, "text/html")
    for path, headers in (("/nowhere", {}), ("/nowhere", {"Accept": "*/*"}), ("/v1/nowhere", BROWSER)):
        problem = client.get(path, headers=headers)
        assert (problem.status_code, problem.mimetype) == (404, "application/problem+json")
    assert client.post("/", headers=BROWSER).mimetype == "application/problem+json"


def files(folder: str) -> list[str]:
    """The addresses of all files of a served folder."""
    top = FOLDERS[folder]
    return [f"/{folder}/{path.relative_to(top).as_posix()}" for path in top.rglob("*") if path.is_file()]


@pytest.mark.parametrize("path", [*files("static"), *files("verifier")])
def test_the_files_of_pages_are_served(client: FlaskClient, path: str) -> None:
    """With their types, for every page; sent once, because then the browser sends its ETag."""
    kinds = {"js": "text/javascript", "css": "text/css", "svg": "image/svg+xml", "json": "application/json"}
    kinds |= {"html": "text/html", "md": "text/markdown", "png": "image/png", "txt": "text/plain"}
    answer = client.get(path)
    assert (answer.status_code, answer.mimetype) == (200, kinds[path.rpartition(".")[2]])
    folder, _, name = path[1:].partition("/")
    assert answer.data == (FOLDERS[folder] / name).read_bytes()
    assert answer.headers["X-Content-Type-Options"] == "nosniff"
    assert answer.headers["Access-Control-Allow-Origin"] == "*"
    assert answer.headers["Cross-Origin-Resource-Policy"] == "cross-origin"
    again = client.get(path, headers={"If-None-Match": answer.headers["ETag"]})
    assert (again.status_code, again.data) == (304, b"")


def timeless(page: bytes) -> bytes:
    """A page without the time that it shows."""
    return re.sub(rb"\d\d:\d\d:[\d.]+", b"", page)


@pytest.mark.parametrize("path", ["/", "/nowhere", "/static/foredraw.css"])
def test_what_is_sent_packed_is_the_same(client: FlaskClient, path: str) -> None:
    """Only if gzip is accepted, with a separate ETag; and `Vary` informs caches."""
    plain = client.get(path, headers={**BROWSER, "Accept-Encoding": "gzip;q=0, identity"})
    packed = client.get(path, headers={**BROWSER, "Accept-Encoding": "br, gzip"})
    assert "Content-Encoding" not in plain.headers
    assert packed.headers["Content-Encoding"] == "gzip"
    assert timeless(gzip.decompress(packed.data)) == timeless(plain.data)
    assert len(packed.data) < len(plain.data)
    for answer in (plain, packed):
        assert "Accept-Encoding" in answer.vary
        if "ETag" in answer.headers:
            again = client.get(
                path,
                headers={"If-None-Match": answer.headers["ETag"], "Accept-Encoding": answer.content_encoding or ""},
            )
            assert again.status_code == 304
    if "ETag" in plain.headers:
        assert plain.headers["ETag"] != packed.headers["ETag"]


@pytest.mark.parametrize("path", ["../app.py", "%2e%2e/app.py", "nothing.js", "", "foredraw.css/", "./foredraw.css"])
def test_nothing_else_is_served(client: FlaskClient, path: str) -> None:
    """The folders have only public files, and no address leads out of them."""
    for folder in ("static", "verifier"):
        assert client.get(f"/{folder}/{path}").status_code == 404


def test_the_public_calls_may_be_made_by_other_pages(client: FlaskClient) -> None:
    """Calls without a token, including their errors; never an engine's."""
    for path in ("/v1/tables", f"/v1/tables/{TABLE}/rounds/1", "/v1/tables/nowhere", "/log/checkpoint"):
        assert client.get(path, buffered=True).headers["Access-Control-Allow-Origin"] == "*"
    assert "Access-Control-Allow-Origin" not in client.post(f"/v1/engine/tables/{TABLE}/rounds/1/open").headers
    assert "Access-Control-Allow-Origin" not in client.get("/health/ready").headers


def test_every_script_imports_what_is_served() -> None:
    """No page imports a missing module, or one of another host."""
    for path in sorted((HOUSE / "api" / "pages" / "static").glob("*.js")):
        script = script_of(path.stem)
        assert script is not None
        for module in script.all_modules:
            folder, _, name = module[1:].partition("/")
            assert (FOLDERS[folder] / name).is_file(), module


def test_a_stylesheet_stands_in_its_page_as_it_is() -> None:
    """Nothing in it ends its element or fetches anything."""
    for sheet in Path(FOLDERS["static"]).glob("*.css"):
        text = sheet.read_text("utf-8")
        assert "</" not in text
        assert not re.search(r"@import|url\(", text)


EXCHANGED = """
import pathlib
import sys
from api.server.app import create_app
from tests.support.in_process_service import InProcessService
inside = InProcessService.create(pathlib.Path(sys.argv[1]), tables=[("keno-1", "keno-express")])
client = create_app(inside.service).test_client()
templates = pathlib.Path(sys.argv[2], "api/pages/templates")
assert pathlib.Path(sys.modules["api"].__file__).is_relative_to(sys.argv[2])
for path in templates.rglob("*.html"):
    path.write_text("{{ what_the_next_version_has }}")
print(*(client.get(page, headers={"Accept": "text/html"}).status_code for page in sys.argv[3:]))
inside.stop()
"""


@pytest.mark.nightly("a copy of the program, which it changes")
def test_pages_are_those_of_the_program_that_was_started(tmp_path: Path) -> None:
    """An installation that is exchanged under it must not mix its templates with the code of before."""
    for package in ("api", "fairness", "games", "verifier", "tests"):
        unneeded = shutil.ignore_patterns("cases", "vectors", "npm", "__pycache__", "bin")
        shutil.copytree(HOUSE / package, tmp_path / "copy" / package, ignore=unneeded)
    shutil.copy(HOUSE / "pyproject.toml", tmp_path / "copy")
    pages = ("/", "/nowhere", "/tables/keno-1", "/verify", "/ops/login")
    done = subprocess.run(
        [sys.executable, "-c", EXCHANGED, str(tmp_path / "data"), str(tmp_path / "copy"), *pages],
        cwd=tmp_path / "copy",
        env={**os.environ, "PYTHONPATH": str(tmp_path / "copy")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout == "200 404 200 200 200\n", done.stderr
