"""The page /verify and the page to keep, as they are served: `tests/browser` tests them in a browser."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path

import pytest
from flask import Flask
from flask.testing import FlaskClient

from api.pages.files import bundle as bundles
from api.pages.files import scripts
from api.pages.files.assets import STATIC, file_at
from api.pages.files.bundle import Bundle, Served, bundle
from api.pages.files.scripts import script_of
from api.pages.kept import kept_page
from api.pages.shell.languages import LANGUAGES
from api.server.app import create_app
from tests.house import HOUSE
from tests.support.http import BROWSER
from tests.support.in_process_service import InProcessService


@pytest.fixture(scope="module")
def app(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Flask]:
    """The application of a service with one table."""
    inside = InProcessService.create(tmp_path_factory.mktemp("verify") / "data", tables=[("keno-1", "keno-express")])
    yield create_app(inside.service)
    inside.stop()


@pytest.fixture
def client(app: Flask) -> FlaskClient:
    """A browser without cookies."""
    return app.test_client()


def fetches_from(policy: str) -> str:
    """The origins from which a page may fetch."""
    (found,) = re.findall(r"connect-src ([^;]*)", policy)
    return str(found)


def test_the_page_may_use_the_camera_and_read_its_own_log(client: FlaskClient) -> None:
    """It contains the log's key and address."""
    answer = client.get("/verify", headers=BROWSER)
    assert "camera=(self)" in answer.headers["Permissions-Policy"]
    assert fetches_from(answer.headers["Content-Security-Policy"]) == "'self'"
    assert 'data-log="/log"' in answer.text
    assert re.search(r'data-key="fore\.example/log\+[0-9a-f]{8}\+[A-Za-z0-9+/=]+"', answer.text)


@pytest.mark.parametrize(
    ("address", "origin", "log"),
    [
        ("https://casino.example/log", "https://casino.example", "https://casino.example/log"),
        ("https://casino.example/log/", "https://casino.example", "https://casino.example/log"),
        ("http://127.0.0.1:8000/a/b-c_d~e.f", "http://127.0.0.1:8000", "http://127.0.0.1:8000/a/b-c_d~e.f"),
        ("https://casino.example", "https://casino.example", "https://casino.example"),
    ],
)
def test_another_log_is_the_one_more_host(client: FlaskClient, address: str, origin: str, log: str) -> None:
    """The page may fetch from it but contains no key for it: the reader must enter it."""
    answer = client.get("/verify", query_string={"log": address}, headers=BROWSER)
    assert fetches_from(answer.headers["Content-Security-Policy"]) == f"'self' {origin}"
    assert f'data-log="{log}" data-key=""' in answer.text


@pytest.mark.parametrize(
    "address",
    [
        "casino.example/log",
        "javascript:alert(1)",
        "https://casino.example/log; script-src *",
        "https://*.example/log",
        "https://casino.example/log\nx",
        "https://user@casino.example/log",
        "https://casino.example/log?x=1",
        "https://casino.example/log' 'unsafe-inline",
        '"><script>alert(1)</script>',
        "https://casino.example/" + "a" * 400,
    ],
)
def test_what_is_no_address_of_a_log_opens_nothing(client: FlaskClient, address: str) -> None:
    """The page says so and remains that of its own log."""
    answer = client.get("/verify", query_string={"log": address}, headers=BROWSER)
    assert fetches_from(answer.headers["Content-Security-Policy"]) == "'self'"
    assert 'data-log="/log"' in answer.text
    assert "That is no address of a log." in answer.text
    assert "alert(1)" not in answer.text


def test_the_page_to_keep_is_a_download_whose_hash_the_page_tells(client: FlaskClient) -> None:
    """With the name that its own text uses."""
    answer = client.get("/verify.html")
    assert answer.headers["Content-Disposition"] == 'attachment; filename="verify.html"'
    assert answer.mimetype == "text/html"
    digest = sha256(answer.data).hexdigest()
    assert digest in client.get("/verify", headers=BROWSER).text
    again = client.get("/verify.html", headers={"If-None-Match": answer.headers["ETag"]})
    assert (again.status_code, again.data) == (304, b"")


@pytest.mark.nightly("builds the page in other folders")
def test_the_page_to_keep_is_the_same_bytes_wherever_it_is_built(client: FlaskClient, tmp_path: Path) -> None:
    """By itself, in another folder and another language; and as the service serves it."""
    built = tmp_path / "verify.html"
    environment = {"PYTHONPATH": str(HOUSE), "LANG": "hy_AM.UTF-8", "PYTHONHASHSEED": "7"}
    command = [sys.executable, "-m", "standalone.page", str(built)]
    ran = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=True)
    assert built.read_bytes() == client.get("/verify.html").data
    assert ran.stdout.split()[0] == sha256(built.read_bytes()).hexdigest()
    assert str(HOUSE) not in built.read_text("utf-8")


def test_the_page_to_keep_can_do_nothing_but_compute() -> None:
    """Its policy allows its one script and its one style by their hashes; what it may fetch, the script narrows first
    of all (`test_listed_logs`).
    """
    text = kept_page().data.decode()
    (policy,) = re.findall(r'<meta http-equiv="Content-Security-Policy" content="([^"]*)">', text)
    policy = policy.replace("&#39;", "'")
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    assert "connect-src http: https:" in policy
    assert bundle("/static/keep.js").modules[:2] == ("/static/checking/fault.js", "/static/asking/reach.js")
    assert text.count('<script type="module">') == 1
    assert not re.findall(r"""\s(?:src|href)=["'](?:https?:|/)""", text)
    assert not re.findall(r"<[^>]+\s(?:style|on\w+)=", text)
    for language in LANGUAGES:
        assert f'<template id="page-{language}">' in text


def test_the_page_to_keep_has_our_modules_as_they_are() -> None:
    """So reading them is enough: except for imports and exports, every line is the same. Nothing is fetched later."""
    script = bundle("/static/keep.js")
    assert "/verifier/check/proof.js" in script.modules
    lines = set(re.sub(r"Promise\.resolve\(\)\.then\(\(\) => \$\w+\)", "LATER", script.text).splitlines())
    for address in script.modules:
        text = re.sub(r"^import [^;]*;$", "", file_at(address).read_text("utf-8"), flags=re.MULTILINE)
        text = re.sub(r'^(?! *[*/])(.*)\bimport\("\.[^"]*"\)', r"\1LATER", text, flags=re.MULTILINE)
        for line in text.splitlines():
            assert line in lines or line.startswith(("export ", "} from ")) or line == "", (address, line)


@pytest.mark.parametrize("name", ["verify", "badge"])
def test_a_page_loads_its_modules_as_one_script(client: FlaskClient, name: str) -> None:
    """Cached for ever under the address that the page names, for minutes under any other; usable by every page."""
    (address,) = re.findall(r'<script type="module" src="([^"]*)">', client.get(f"/{name}", headers=BROWSER).text)
    named, any_other = client.get(address), client.get(f"/scripts/{name}.js?v=0")
    assert named.mimetype == "text/javascript"
    assert named.headers["Cache-Control"] == "public, max-age=31536000, immutable"
    assert any_other.headers["Cache-Control"] == "public, max-age=300"
    assert named.data == any_other.data
    assert named.headers["Access-Control-Allow-Origin"] == "*"
    script = script_of(name)
    assert script is not None
    assert named.data == script.data
    assert named.text.startswith("const CARRIED = " if name == "badge" else "// /")
    assert "/verifier/check/code.js" in script.all_modules
    assert client.get("/scripts/nothing.js").status_code == client.get("/scripts/nothing-later.js").status_code == 404


def test_a_badge_is_one_script_and_imports_nothing_later(client: FlaskClient) -> None:
    """The hash that other sites name is of everything that it runs."""
    script = script_of("badge")
    assert script is not None
    assert script.later is None
    assert client.get("/scripts/badge-later.js").status_code == 404


def test_a_served_script_finds_its_files_from_where_it_stands(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Files that it imports later or fetches relative to itself keep their addresses."""
    text = 'export const later = () => import("../vendor/x.js");\nexport const own = import.meta.url;\n'
    (tmp_path / "entry.js").write_text(text)
    monkeypatch.setattr(bundles, "file_at", lambda address: tmp_path / Path(address).name)
    script = bundle("/static/checking/entry.js", Served("/scripts/a.js", "/scripts/b.js"))
    assert 'import("/static/vendor/x.js")' in script.text
    assert 'own = new URL("/static/checking/entry.js", import.meta.url).href;' in script.text
    assert script.later is None


def test_what_is_imported_later_is_a_second_script_that_shares_the_modules_of_the_first(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """No module is sent or evaluated twice; and a script that is not served has everything at once."""
    modules = {
        "shared.js": 'console.log("shared");\nexport const said = [];\n',
        "last.js": 'import { said } from "./shared.js";\nexport const end = () => said.push("last");\n',
        "next.js": 'import { said } from "./shared.js";\nexport async function go() {\n  said.push("next");\n'
        '  const { end } = await import("./last.js");\n  end();\n}\n',
        "entry.js": '/** @type {import("./types.js").T} */\nimport { said } from "./shared.js";\n'
        'async function run() {\n  const { go } = await import("./next.js");\n  await go();\n'
        '  const [a, b] = await Promise.all([import("./next.js"), import("./shared.js")]);\n'
        "  console.log(a.go === go, b.said === said, said.join());\n}\nrun();\n",
    }
    for name, text in modules.items():
        (tmp_path / name).write_text(text)
    monkeypatch.setattr(bundles, "file_at", lambda address: tmp_path / Path(address).name)
    served = bundle("/static/entry.js", Served("./first.mjs", "./later.mjs"))
    assert served.later is not None
    assert served.modules == ("/static/shared.js", "/static/entry.js")
    assert served.later.modules == ("/static/next.js", "/static/last.js")
    (tmp_path / "first.mjs").write_text(served.text)
    (tmp_path / "later.mjs").write_text(served.later.text)
    (tmp_path / "whole.mjs").write_text(bundle("/static/entry.js").text)
    for name in ("first.mjs", "whole.mjs"):
        ran = subprocess.run(["node", name], capture_output=True, text=True, check=True, cwd=tmp_path)
        assert ran.stdout == "shared\ntrue true next,last\n"
    assert "types.js" not in served.text


def test_a_pages_script_and_what_it_imports_later_name_each_other(monkeypatch: pytest.MonkeyPatch) -> None:
    """By one hash, of both, so that a browser never runs halves of two versions."""
    script = script_of("verify")
    assert script is not None
    later = script.later
    assert later is not None
    assert later.address.encode() in script.data
    assert f'from "{script.address}";'.encode() in later.data
    assert script.hash == later.hash
    assert script_of("verify-later") == later

    def other(entry: str, served: Served) -> Bundle:
        found = bundle(entry, served)
        assert found.later is not None
        return Bundle(found.text, found.modules, Bundle(f"{found.later.text}// newer\n", found.later.modules))

    monkeypatch.setattr(scripts, "bundle", other)
    scripts._script.cache_clear()
    newer = script_of("verify")
    scripts._script.cache_clear()
    assert newer is not None
    assert newer.address != script.address


@pytest.mark.parametrize(
    "text",
    [
        'import x from "./a.js";\n',
        "export default 7;\n",
        "export let x = 7;\n",
        'const x = await import("./b.js");\n',
        "const x = () => import(name);\n",
        'const x = () => import("https://fore.example/a.js");\n',
        "const x = import.meta.url;\n",
        'const x = "</script>";\n',
        'export { y as z } from "./b.js";\n',
        'import "./entry.js";\n',
    ],
)
def test_what_cannot_be_bundled_is_refused(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, text: str) -> None:
    """Instead of being damaged; including modules that import one another."""
    (tmp_path / "entry.js").write_text(text)
    (tmp_path / "b.js").write_text("export const y = 7;\n")
    monkeypatch.setattr(bundles, "file_at", lambda address: tmp_path / Path(address).name)
    with pytest.raises(ValueError, match=r"entry\.js|another name"):
        bundle("/static/entry.js")


def test_bundled_modules_keep_their_names_to_themselves(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Two modules may use the same name; exports work, also under another name or as a namespace."""
    (tmp_path / "a.js").write_text(
        "const own = 1;\nexport const a = own;\nexport async function f() {\n  return own;\n}\n"
    )
    (tmp_path / "b.js").write_text(
        'import { a as first } from "./a.js";\nconst own = 2;\nexport class B {\n  n = first + own;\n}\n'
    )
    (tmp_path / "all.js").write_text('export { a, f } from "./a.js";\n')
    (tmp_path / "entry.js").write_text(
        'import * as all from "./all.js";\nimport {\n  B,\n} from "./b.js";\nconst own = 3;\nconsole.log(new B().n, own, all.a);\n'
    )
    monkeypatch.setattr(bundles, "file_at", lambda address: tmp_path / Path(address).name)
    script = bundle("/static/entry.js")
    ran = subprocess.run(["node", "-"], input=script.text, capture_output=True, text=True, check=True)
    assert ran.stdout == "3 3 1\n"


def test_what_is_carried_along_is_as_it_was_published() -> None:
    """The hashes are those of the list next to it, which names all files."""
    folder = STATIC / "vendor"
    lines = (folder / "README.txt").read_text("utf-8").split("SHA-256", 1)[1].splitlines()
    pairs = (line.split("  ", 1) for line in lines if "  " in line)
    listed = {name: digest for digest, name in pairs}
    files = [path for path in folder.rglob("*") if path.is_file() and path.name != "README.txt"]
    assert {path.relative_to(folder).as_posix(): sha256(path.read_bytes()).hexdigest() for path in files} == {
        name: digest for name, digest in listed.items() if name.startswith("qr-0.7.0/")
    }


CODE = "keno-express1qxh25tz0qqqqqqqqqywed98ft4wzdy9xr7r89rjmxqjzczushfw08tlpju8dq7m7n4vgq7rufz8"


@pytest.mark.parametrize("before", ["/verify%23", "/verify/%23"])
@pytest.mark.parametrize("behind", ["", ".", "?utm_source=mail", "%3Futm_source=mail", "/", "&x=1"])
def test_a_link_that_a_mail_program_has_escaped_leads_to_the_check(
    client: FlaskClient, before: str, behind: str
) -> None:
    """The code alone: what was put behind it is none of it. Also for a program that asks for no page."""
    for headers in (BROWSER, {}):
        answer = client.get(f"{before}{CODE}{behind}", headers=headers)
        assert (answer.status_code, answer.headers["Location"]) == (302, f"/verify#{CODE}")


def test_a_slash_too_many_leads_to_the_check(client: FlaskClient) -> None:
    """A browser keeps what is behind the `#`."""
    answer = client.get("/verify/", headers=BROWSER)
    assert (answer.status_code, answer.headers["Location"]) == (302, "/verify")


@pytest.mark.parametrize(
    "address", ["/%76erify", "//verify", "/verify%2f", "/tables%2fkeno-1", "/%23", "/verify%2523x"]
)
def test_a_person_gets_a_page_for_every_address(client: FlaskClient, address: str) -> None:
    """A program gets a problem document for the same one."""
    page, problem = client.get(address, headers=BROWSER), client.get(address)
    assert (page.status_code, page.mimetype) == (404, "text/html")
    assert "There is nothing here" in page.text
    assert (problem.status_code, problem.mimetype) == (404, "application/problem+json")
