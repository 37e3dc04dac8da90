"""Every page opens in every language, on the narrowest phone, with and without JavaScript."""

from __future__ import annotations

import itertools

import pytest

from tests.support.browser.visitor import LANGUAGES, Visitor

NARROWEST = 360

_TOO_WIDE = """() => [...document.querySelectorAll("body *")]
    .filter(each => each.getBoundingClientRect().right > innerWidth + 0.5 && each.checkVisibility())
    .map(each => each.outerHTML.slice(0, 120))"""
"""The elements that reach beyond the right edge."""

_TEXTS = """() => {
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    const texts = [];
    while (walker.nextNode()) {
        const parent = walker.currentNode.parentElement;
        if (parent.closest("code, pre, samp, kbd, noscript, script, style, template, [translate=no], [lang=en]")) continue;
        texts.push(walker.currentNode.data);
    }
    for (const each of document.querySelectorAll("[aria-label], [title], [alt], [placeholder]")) {
        if (each.closest("[translate=no], [lang=en]")) continue;
        for (const name of ["aria-label", "title", "alt", "placeholder"]) texts.push(each.getAttribute(name) ?? "");
    }
    texts.push(document.title);
    return texts.map(text => text.trim().replace(/\\s+/g, " ")).filter(text => text);
}"""
"""Everything that a person or a screen reader reads, except text in no language or marked as English."""


def test_it_needs_no_javascript_to_be_read(visitor: Visitor, address: str) -> None:
    """It shows what it can, and says what needs JavaScript; on a narrow phone, too."""
    page = visitor.visit(address, javascript=False, width=NARROWEST)
    assert page.evaluate("document.documentElement.scrollWidth") <= NARROWEST, page.evaluate(_TOO_WIDE)
    assert page.locator("h1").is_visible()
    assert len(page.locator("main").inner_text().split()) > 10


@pytest.mark.parametrize("language", LANGUAGES)
def test_it_is_whole_in_each_language(visitor: Visitor, address: str, language: str) -> None:
    """It has a title, one heading and some text, nothing is left in English, and it fits the narrowest phone."""
    page = visitor.visit(address, width=NARROWEST, language=language)
    assert page.title()
    assert page.locator("h1").count() == 1
    assert page.locator("main").inner_text().strip()
    assert page.locator("html").get_attribute("lang") == language
    assert page.evaluate("document.documentElement.scrollWidth") <= NARROWEST, page.evaluate(_TOO_WIDE)
    if language != "en":
        assert [text for text in page.evaluate(_TEXTS) if is_english(text)] == []


def is_english(text: str) -> bool:
    """Whether two words of Latin letters follow one another; a single one may be a name."""
    words = [word.strip(".,;:!?()") for word in text.split()]
    latin = [word.isascii() and word.isalpha() and word.islower() and len(word) > 1 for word in words]
    return any(first and second for first, second in itertools.pairwise(latin))
