"""A verdict is the screen: on small phones all that matters is in sight at once, nothing moves, and it can be printed
and shared.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial
from typing import Any

import pytest
from axe_playwright_python.base import AXE_SCRIPT, AxeResults
from playwright.sync_api import Route, expect

from fairness.manifest import SERVICE, manifest_of_running
from fairness.version import VERSION
from tests.support.browser.checking import headline, unfold
from tests.support.browser.quiet_service import QuietService
from tests.support.browser.reports import FAILURE, HEADLINE, every_report
from tests.support.browser.visitor import DESKTOP, LANGUAGES, NARROWEST, Scheme, Visitor
from tests.support.browser.watched import NOTE_SHIFTS
from tests.support.running_service import SIX_TABLES

SIZES = ((320, 568), (360, 640))
"""Of the smallest phones that are still in use."""
MOST_HEIGHT = 2500
DEMO_LINE = 44
VOID_ROUND = 4
LOOKS = ("held", "void", "failed", "question", "unknown", "sandbox", "waiting")

_BOTTOMS = """() => Object.fromEntries([".said", ".outcome-shown", ".shows > :last-child"].map(place =>
    [place, document.querySelector(place).getBoundingClientRect().bottom]))"""
_TELL_ALL = """async (reports) => {
    const { newReport } = await import("/verifier/report/report.js");
    const { Showing } = await import("/static/checking/show.js");
    const showing = new Showing({ sheet: "" });
    showing.begin();
    const bottom = (each) => each.getBoundingClientRect().bottom;
    return Object.fromEntries(reports.map((each) => {
        showing.end({ ...newReport(each.kind), ...each }, {});
        const said = [...document.querySelectorAll(".said, .words, .shows")];
        return [document.querySelector("#headline").textContent, Math.max(...said.map(bottom))];
    }));
}"""
_SHOW = """async (look) => {
    const { Showing } = await import("/static/checking/show.js");
    const { said } = await import("/static/checking/say.js");
    const words = "Try again in a minute.";
    new Showing({ sheet: "" }).tell(said(look, "One short sentence.", { meaning: words, advice: words }));
}"""


@pytest.fixture(params=[False, True], ids=["service", "demo"])
def kind(request: pytest.FixtureRequest, quiet: QuietService) -> Iterator[str]:
    """What the service says it is: of a demo every page has one line more."""
    policy = quiet.inside.service.policy
    policy.is_demo = request.param
    yield "demo" if request.param else "service"
    policy.is_demo = False


@pytest.mark.lattice
@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("table", SIX_TABLES)
@pytest.mark.parametrize("number", [2, VOID_ROUND], ids=["played", "void"])
def test_heading_picture_and_facts_are_in_sight(
    reader: Visitor, quiet: QuietService, table: str, number: int, language: str, kind: str
) -> None:
    """Without scrolling, on both phones; and the whole page is short as long as nothing is unfolded."""
    page = reader.visit(f"/verify#{quiet.code(table, number)}", width=NARROWEST, language=language)
    headline(page)
    assert page.locator(".demo").count() == (kind == "demo")
    for width, height in SIZES:
        page.set_viewport_size({"width": width, "height": height})
        bottoms = page.evaluate(_BOTTOMS)
        assert max(bottoms.values()) <= height, (width, bottoms)
        assert page.evaluate("document.documentElement.scrollHeight") < MOST_HEIGHT
    width = page.locator(".outcome-shown svg").evaluate("svg => svg.getBoundingClientRect().width")
    assert width >= NARROWEST - 32


@pytest.mark.lattice
@pytest.mark.parametrize("language", LANGUAGES)
def test_what_every_verdict_says_is_in_sight(reader: Visitor, language: str) -> None:
    """On the smallest phone, below a demo's line: whatever can be said of a check, in whatever words."""
    width, height = SIZES[0]
    page = reader.visit("/verify", language=language)
    page.set_viewport_size({"width": width, "height": height})
    bare = {"kind": "code", "headline": HEADLINE, "failure": FAILURE}
    told = [bare | report | {"headline": {**HEADLINE, "code": "nothing-checked"}} for report in every_report()]
    lowest = page.evaluate(_TELL_ALL, told)
    assert max(lowest.values()) + DEMO_LINE <= height, lowest


@pytest.mark.parametrize(("width", "height"), [*SIZES, (DESKTOP, 800)])
def test_a_verdict_that_comes_late_moves_nothing(
    reader: Visitor, quiet: QuietService, width: int, height: int
) -> None:
    """Its place is kept from the first paint, before any script is there."""
    held: list[Route] = []
    late = True

    def answer(route: Route) -> None:
        if late:
            held.append(route)
        else:
            route.continue_()

    page = reader.visit(width=width)
    page.set_viewport_size({"width": width, "height": height})
    page.add_init_script(NOTE_SHIFTS)
    page.route(re.compile("/(scripts|log|v1)/"), answer)
    page.goto(f"/verify#{quiet.code('sic-bo-1', 2)}", wait_until="commit")
    expect(page.locator(".verdict.starting")).to_contain_text("Checking…")
    place = page.locator(".screen").bounding_box()
    assert place is not None
    assert place["y"] + place["height"] >= height
    late = False
    for route in held:
        route.continue_()
    headline(page)
    expect(page.locator("#headline")).to_be_focused()
    assert page.locator(".screen").bounding_box() == place
    assert (
        page.evaluate(
            "new Promise(drawn => requestAnimationFrame(() => requestAnimationFrame(() => drawn(shifted))))"
        )
        == 0
    )


def test_the_verdict_is_told_once(reader: Visitor, quiet: QuietService) -> None:
    """One sentence in one live region, which is silent while it works; the focus goes there."""
    page = reader.visit(f"/verify#{quiet.code('crash-1', 2)}")
    sentence = headline(page)
    expect(page.locator("[role=status]:visible")).to_have_text(sentence)
    expect(page.locator("#said")).to_have_attribute("aria-busy", "false")
    expect(page.locator("#headline")).to_be_focused()
    assert page.locator("#verdict [aria-live], #verdict [role=alert]").count() == 0


@pytest.mark.lattice
@pytest.mark.parametrize("look", LOOKS)
def test_axe_finds_nothing_in_any_look(reader: Visitor, look: str) -> None:
    """Light and dark; and each has a sign of its own, so that colour is never alone."""
    page = reader.visit("/verify", width=NARROWEST)
    signs = []
    for each in LOOKS:
        page.evaluate(_SHOW, each)
        signs.append(page.locator(".said path").get_attribute("d"))
    assert len(set(signs)) == len(LOOKS)
    page.evaluate(_SHOW, look)
    unfold(page)
    page.evaluate(AXE_SCRIPT)
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        found = AxeResults(page.evaluate("() => axe.run()"))
        assert found.violations_count == 0, found.generate_report()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_it_is_printed_on_one_page(reader: Visitor, quiet: QuietService, scheme: Scheme) -> None:
    """With its tick, the time of the check, the program's version and manifest, the key and the address; without a
    button or a field.
    """
    code = quiet.code("sic-bo-1", 2)
    page = reader.visit(f"/verify#{code}", scheme=scheme)
    sentence = headline(page)
    unfold(page)
    assert pages_of(page.pdf(format="A4")) == 1
    page.emulate_media(media="print")
    assert page.locator(":is(button, input, textarea, summary h2):visible").count() == 0
    expect(page.locator(".mark.held:visible")).to_have_count(1)
    printed = page.locator("body").inner_text()
    key = "+".join(str(quiet.inside.key).split("+")[:2])
    program = (f"Foredraw {VERSION}", manifest_of_running(SERVICE))
    for words in (sentence, "Checked on this device", "UTC", *program, key, f"{quiet.url}/verify#{code}"):
        assert words in printed
    expect(page.locator(".printed time")).to_be_visible()


def pages_of(pdf: bytes) -> int:
    """How many pages a document of the browser has."""
    return len(re.findall(rb"/Type\s*/Page\b", pdf))


def test_what_is_shared_is_the_rounds_own_page(reader: Visitor, quiet: QuietService) -> None:
    """By the device's own window if it has one; else the address is copied."""
    own = f"{quiet.url}/tables/crash-1/rounds/2"
    page = reader.visit()
    page.add_init_script("navigator.share = async ({ url }) => { window.shared = url; };")
    page.goto(f"/verify#{quiet.code('crash-1', 2)}")
    page.get_by_role("button", name="Share", exact=True).click()
    assert page.evaluate("shared") == own
    page = reader.visit()
    page.add_init_script("navigator.share = undefined;")
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.goto(f"/verify#{quiet.code('crash-1', 2)}")
    page.get_by_role("button", name="Copy the link").click()
    page.wait_for_function("async url => await navigator.clipboard.readText() === url", arg=own)


def answer_with(answer: dict[str, Any], route: Route) -> None:
    """Answer in the place of the service."""
    route.fulfill(**answer)


def test_without_a_code_the_last_round_of_each_table_is_offered(reader: Visitor) -> None:
    """One press checks it; without its code there is still the round's own page."""
    page = reader.visit("/verify")
    tries = page.locator("#tries a")
    expect(tries.first).to_be_visible()
    assert {text.split()[0] for text in tries.all_inner_texts()} >= set(SIX_TABLES)
    last = tries.first.get_attribute("href")
    tries.first.click()
    headline(page)
    expect(page.locator("#tries")).to_be_hidden()
    reader.expect_complaint("503")
    for answer in ({"status": 503}, {"status": 503, "json": {"code": "busy"}}, {"json": {"status": "locked"}}):
        page.goto("/verify")
        page.route("**/v1/tables/*/rounds/*", partial(answer_with, answer))
        tries.first.click()
        page.wait_for_url(f"**{last}")
        page.unroute_all()
