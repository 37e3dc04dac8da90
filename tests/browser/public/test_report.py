"""The report of a log's statistics, which an auditor opens from disk and prints."""

from __future__ import annotations

from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser

from benchmarks.made_log import LogMaker
from fairness.log.notes import SigningKey
from tests.support.browser.fonts import FONTS
from tests.support.browser.visitor import NARROWEST, Scheme
from verifier.audit.audit import audit_log
from verifier.sources.source import FolderSource
from verifier.stats.output.verdict import Verdict

SCHEMES: tuple[Scheme, ...] = ("light", "dark")


@pytest.mark.nightly(
    "reads it in each of the fonts", but="test_a_real_log_is_reported_in_a_browser_and_on_paper[dejavu]"
)
@pytest.mark.parametrize("fonts", FONTS, indirect=True)
def test_a_real_log_is_reported_in_a_browser_and_on_paper(browser: Browser, tmp_path: Path) -> None:
    """From its audit, with all tests: it is accessible, in the dark too, fits the narrowest phone, fetches nothing,
    and prints.
    """
    key = SigningKey("fore.example/log", bytes(32))
    maker = LogMaker(tmp_path / "log", key, batch=100)
    maker.start(["crash", "hi-lo"])
    maker.deal(300)
    maker.publish()
    audited = audit_log(FolderSource(tmp_path / "log"), key.verifier_key, gathers=True)
    file = tmp_path / "report.html"
    file.write_bytes(Verdict.on(audited).as_html())
    complaints: list[str] = []
    page = browser.new_page(viewport={"width": NARROWEST, "height": 844})
    page.on("console", lambda message: complaints.append(message.text))
    page.on("request", lambda request: complaints.append(request.url) if request.url != file.as_uri() else None)
    page.goto(file.as_uri())
    assert page.evaluate("document.documentElement.scrollWidth") <= NARROWEST
    assert page.locator("h1").inner_text() == key.name
    assert page.get_by_text("Nothing that chance does not explain").is_visible()
    for scheme in SCHEMES:
        page.emulate_media(color_scheme=scheme)
        assert [found["id"] for found in Axe().run(page).response["violations"]] == []
    pdf = page.pdf(prefer_css_page_size=True)
    page.close()
    assert complaints == []
    assert pdf.startswith(b"%PDF")
