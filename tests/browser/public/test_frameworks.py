"""The badge's line of the documents, rendered by the frameworks that front-ends are made with."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler

import pytest
from playwright.sync_api import Browser, expect

from api.pages.files.scripts import BADGE_PATH
from tests.house import HOUSE
from tests.support.browser.quiet_service import QuietService
from tests.support.browser.visitor import Visitor
from tests.support.log_server import answering

PACKAGES = HOUSE / "tests" / "npm" / "node_modules"
LINE = re.search(r"<foredraw-round ([^>]*)>", (HOUSE / "docs" / "badge.md").read_text("utf-8"))
# React has no script for browsers: these are modules of Node, by the names under which they ask for each other.
REACT = {
    "react": "react/cjs/react.production.js",
    "scheduler": "scheduler/cjs/scheduler.production.js",
    "react-dom": "react-dom/cjs/react-dom.production.js",
    "react-dom/client": "react-dom/cjs/react-dom-client.production.js",
}
MODULES = "const modules = {}, require = (name) => modules[name];"
FRAMEWORKS = {
    "React": (
        tuple(f"{path}?{name}" for name, path in REACT.items()),
        (
            "const root = require('react-dom/client').createRoot(place), { createElement } = require('react');"
            "const render = () => root.render(createElement('foredraw-round', { ...given, 'onforedraw-verdict': hear }));"
        ),
    ),
    "Preact": (
        ("preact/dist/preact.umd.js",),
        "const render = () => preact.render(preact.h('foredraw-round', { ...given, 'onforedraw-verdict': hear }), place);",
    ),
    "Vue": (
        ("vue/dist/vue.global.prod.js",),
        (
            "const state = Vue.ref(0);"
            "Vue.createApp({ render: () => (state.value, Vue.h('foredraw-round', { ...given, 'onForedrawVerdict': hear })) }).mount(place);"
            "const render = () => { state.value += 1 };"
        ),
    ),
    "Vue's templates": (
        ("vue/dist/vue.global.prod.js",),
        (
            "const app = { data: () => ({ times: 0, given }), methods: { hear },"
            "  template: `<foredraw-round v-bind='given' @foredraw-verdict='hear' :data-times='times'></foredraw-round>` };"
            "const made = Vue.createApp(app); made.config.compilerOptions.isCustomElement = (tag) => tag.includes('-');"
            "const mounted = made.mount(place); const render = () => { mounted.given = { ...given }; mounted.times += 1 };"
        ),
    ),
}
WORDS = "this page did not name one"


@pytest.fixture
def pages(browser: Browser, quiet: QuietService) -> Iterator[tuple[Visitor, dict[str, str]]]:
    """A front-end's site, and its page."""
    page = {"/": ""}

    def answer(request: BaseHTTPRequestHandler) -> None:
        path, _, name = request.path.partition("?")
        body = page["/"] if path == "/" else (PACKAGES / path.lstrip("/")).read_text("utf-8")
        if name:
            body = f"modules['{name}'] = {{}}; ((exports) => {{ {body} }})(modules['{name}']);"
        request.send_response(200)
        request.send_header("Content-Type", f"text/{'html' if path == '/' else 'javascript'}; charset=utf-8")
        request.send_header("Content-Length", str(len(body.encode())))
        request.end_headers()
        request.wfile.write(body.encode())

    with answering(answer) as site:
        visitor = Visitor(browser, site, reads_from=[quiet.url])
        yield visitor, page
        visitor.close()


@pytest.mark.lattice
@pytest.mark.parametrize("when", ["before", "after"])
@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_the_documents_line_arrives_whole(
    framework: str, when: str, pages: tuple[Visitor, dict[str, str]], quiet: QuietService
) -> None:
    """Whether it was rendered before the badge's script came or after it, and also after it was rendered again: a
    wrong key is refused, never replaced. The framework gives the next round, and hears the verdicts.
    """
    visitor, page = pages
    assert LINE is not None
    names = re.findall(r"(\w+)=", LINE[1])
    assert names == ["table", "round", "vkey"]
    scripts, script = FRAMEWORKS[framework]
    other = re.findall(r'vkey="([^"]*)"', LINE[1])[0]
    for key, state in ((str(quiet.inside.key), "held"), (other, "nothing-known")):
        given = {"table": "hi-lo-1", "round": 1, "vkey": key}
        page["/"] = (
            "<!doctype html><html lang='en'><title>A game</title><link rel='icon' href='data:,'><div id='place'></div>"
            f"<script>{MODULES}</script>"
            + "".join(f"<script src='/{each}'></script>" for each in scripts)
            + f"<script type='module' src='{quiet.url}{BADGE_PATH}'></script>"
            f"<script {'' if when == 'before' else 'type=module'}>const given = {json.dumps(given)}, heard = [];"
            "const hear = ({ detail }) => heard.push(`${detail.round} ${detail.state}`);"
            f"const place = document.getElementById('place'); {script} render();"
            "Object.assign(window, { heard, given, again: render });</script>"
        )
        opened = visitor.visit()
        opened.goto("/")
        badge = opened.locator("foredraw-round")
        expect(badge.locator(f"section.{state}")).to_be_visible()
        expect(badge).to_have_attribute("vkey", key)
        opened.evaluate("() => { for (let times = 0; times < 20; times += 1) window.again() }")
        expect(badge.locator(f"section.{state}")).to_be_visible()
        expect(badge).not_to_contain_text(WORDS)
        opened.evaluate("() => { given.round = 2; window.again() }")
        expect(badge.locator(f"section.{state}")).to_contain_text("Round 2 of hi-lo-1")
        assert opened.evaluate("() => window.heard") == [f"1 {state}", f"2 {state}"]
