"""The badge's line of the documents, rendered by the frameworks that front-ends are made with."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler

import pytest
from playwright.sync_api import Browser, expect

from tests.house import HOUSE
from tests.support.browser.quiet_service import QuietService
from tests.support.browser.visitor import Visitor
from tests.support.log_server import answering

PACKAGES = HOUSE / "tests" / "npm" / "node_modules"
LINE = re.search(r"<foredraw-round ([^>]*)>", (HOUSE / "docs" / "badge.md").read_text("utf-8"))
REACT = ("react/umd/react.production.min.js", "react-dom/umd/react-dom.production.min.js")
FRAMEWORKS = {
    "React": (
        REACT,
        "const root = ReactDOM.createRoot(place); const render = () => root.render(React.createElement('foredraw-round', given));",
    ),
    "Preact": (
        ("preact/dist/preact.umd.js",),
        "const render = () => preact.render(preact.h('foredraw-round', { ...given }), place);",
    ),
    "Vue": (
        ("vue/dist/vue.global.prod.js",),
        (
            "const state = Vue.ref(0); Vue.createApp({ render: () => (state.value, Vue.h('foredraw-round', { ...given })) }).mount(place);"
            "const render = () => { state.value += 1 };"
        ),
    ),
    "Vue's templates": (
        ("vue/dist/vue.global.prod.js",),
        (
            "const line = Object.entries(given).map(([name, value]) => `${name}='${value}'`).join(' ');"
            "const app = { data: () => ({ times: 0 }), template: `<foredraw-round ${line} :data-times='times'></foredraw-round>` };"
            "const made = Vue.createApp(app); made.config.compilerOptions.isCustomElement = (tag) => tag.includes('-');"
            "const mounted = made.mount(place); const render = () => { mounted.times += 1 };"
        ),
    ),
}
WORDS = "this page did not name one"


@pytest.fixture
def pages(browser: Browser, quiet: QuietService) -> Iterator[tuple[Visitor, dict[str, str]]]:
    """A front-end's site, and its page."""
    page = {"/": ""}

    def answer(request: BaseHTTPRequestHandler) -> None:
        is_page = request.path == "/"
        body = page["/"].encode() if is_page else (PACKAGES / request.path.lstrip("/")).read_bytes()
        request.send_response(200)
        request.send_header(
            "Content-Type", "text/html; charset=utf-8" if is_page else "text/javascript; charset=utf-8"
        )
        request.send_header("Content-Length", str(len(body)))
        request.end_headers()
        request.wfile.write(body)

    with answering(answer) as site:
        visitor = Visitor(browser, site, reads_from=[quiet.url])
        yield visitor, page
        visitor.close()


@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_the_documents_line_arrives_whole(
    framework: str, pages: tuple[Visitor, dict[str, str]], quiet: QuietService
) -> None:
    """The key of the page is the badge's, also after the framework has rendered again: a wrong one is refused, never
    replaced.
    """
    visitor, page = pages
    assert LINE is not None
    names = re.findall(r"(\w+)=", LINE[1])
    assert names == ["table", "round", "vkey"]
    scripts, script = FRAMEWORKS[framework]
    for key, state in ((str(quiet.inside.key), "held"), (re.findall(r'vkey="([^"]*)"', LINE[1])[0], "unreadable")):
        given = {"table": "hi-lo-1", "round": "1", "vkey": key}
        page["/"] = (
            "<!doctype html><html lang='en'><title>A game</title><link rel='icon' href='data:,'><div id='place'></div>"
            f"<script type='module' src='{quiet.url}/scripts/badge.js'></script>"
            + "".join(f"<script src='/{each}'></script>" for each in scripts)
            + f"<script>const given = {json.dumps(given)}; const place = document.getElementById('place'); {script} render();"
            "window.again = render;</script>"
        )
        opened = visitor.visit()
        opened.goto("/")
        badge = opened.locator("foredraw-round")
        expect(badge.locator(f"section.{state}")).to_be_visible()
        expect(badge).to_have_attribute("vkey", key)
        opened.evaluate("() => { for (let times = 0; times < 20; times += 1) window.again() }")
        expect(badge.locator(f"section.{state}")).to_be_visible()
        expect(badge).not_to_contain_text(WORDS)
