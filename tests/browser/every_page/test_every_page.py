"""Every page opens in every language, with and without JavaScript."""

from __future__ import annotations

import itertools

import pytest

from tests.support.browser.visitor import LANGUAGES, PHONE, Visitor

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


@pytest.mark.lattice
def test_it_needs_no_javascript_to_be_read(visitor: Visitor, address: str) -> None:
    """It shows what it can, and says what needs JavaScript."""
    page = visitor.visit(address, javascript=False, width=PHONE)
    assert page.locator("h1").is_visible()
    assert len(page.locator("main").inner_text().split()) > 10


@pytest.mark.lattice
@pytest.mark.parametrize("language", LANGUAGES)
def test_it_is_whole_in_each_language(visitor: Visitor, address: str, language: str) -> None:
    """It has a title, one heading and some text, and nothing is left in English."""
    page = visitor.visit(address, width=PHONE, language=language)
    assert page.title()
    assert page.locator("h1").count() == 1
    assert page.locator("main").inner_text().strip()
    assert page.locator("html").get_attribute("lang") == language
    if language != "en":
        assert [text for text in page.evaluate(_TEXTS) if is_english(text)] == []


_BOXES = """() => [...document.querySelectorAll("main *, svg *")].map((each) => {
    const [box, around] = [each.getBoundingClientRect(), document.body.getBoundingClientRect()];
    return [each.tagName, ...[box.x - around.x, box.y - around.y, box.width, box.height].map((side) => side.toFixed(0))].join(" ");
})"""


@pytest.mark.lattice
def test_it_is_the_same_if_it_is_turned_round(visitor: Visitor, address: str) -> None:
    """A program that translates it writes from right to left: an outcome must not be read backwards."""
    page = visitor.visit(address, javascript=False)
    before = page.evaluate(_BOXES)
    page.evaluate("document.documentElement.dir = 'rtl'")
    assert page.evaluate(_BOXES) == before


def is_english(text: str) -> bool:
    """Whether two words of Latin letters follow one another; a single one may be a name."""
    words = [word.strip(".,;:!?()") for word in text.split()]
    latin = [word.isascii() and word.isalpha() and word.islower() and len(word) > 1 for word in words]
    return any(first and second for first, second in itertools.pairwise(latin))
