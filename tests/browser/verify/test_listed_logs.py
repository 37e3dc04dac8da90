"""``verify.html`` on an origin of its own, with ``policies.json`` beside it: it checks codes of any listed log, and
the list alone says whom to believe.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from threading import Event

import pytest
from playwright.sync_api import Browser, Page, expect

from api.pages.kept import kept_page
from tests.support.browser.checking import FIXED, choose, headline, unfold, with_key
from tests.support.browser.quiet_service import QuietService
from tests.support.browser.visitor import LANGUAGES, NARROWEST, PHONE, Scheme, Visitor
from tests.support.log_server import answering, serving
from tests.support.own_keys import playing

LACKS = {
    "en": "None of the 2 listed logs shows this round.",
    "hy": "Այս ռաունդը չի երևում ցանկի մատյաններից ոչ մեկում (դրանք 2 են)։",
    "ru": "Ни в одном из журналов списка (их 2) этого раунда не видно.",
}
UNUSABLE = {
    "en": "no code can be checked here",
    "hy": "այստեղ կոդեր ստուգել չի լինի",
    "ru": "коды здесь не проверить",
}


class Site:
    """Somebody's web server, with the page and a list, and the logs of two operators elsewhere."""

    def __init__(self, folder: Path, browser: Browser, quiet: QuietService) -> None:
        self._folder, self._browser, self._running = folder, browser, ExitStack()
        (folder / "site").mkdir()
        (folder / "site" / "verify.html").write_bytes(kept_page().data)
        self.other = playing("other")
        self.other.write(folder / "other")
        self.other_log = self._running.enter_context(serving(folder / "other"))
        self.url = self._running.enter_context(serving(folder / "site"))
        self.policies = [
            f"# The operator of six tables.\nlog {quiet.inside.key} {quiet.url}/log\nquorum none\n",
            self.other.policy(self.other_log),
        ]
        self.visitor = Visitor(browser, self.url, reads_from=[quiet.url, self.other_log])
        self.requests: list[str] = []

    def lists(self, *policies: str) -> None:
        """Put a list beside the page."""
        self.put(json.dumps({"policies": policies}))

    def put(self, text: str) -> None:
        """Put any file there."""
        (self._folder / "site" / "policies.json").write_text(text, "utf-8")

    def serve(self, answer: Callable[[BaseHTTPRequestHandler], None]) -> str:
        """Run one more log's server, which pages may read from."""
        url = self._running.enter_context(answering(answer))
        self.visitor.close()
        self.visitor = Visitor(self._browser, self.url, reads_from=[self.other_log, url])
        return url

    def open(self, code: str = "", *, language: str = "en", width: int = PHONE, scheme: Scheme = "light") -> Page:
        """Open the page, with a code in its address or none."""
        page = self.visitor.visit(language=language, width=width, scheme=scheme)
        page.on("request", lambda request: self.requests.append(request.url))
        page.goto(f"/verify.html#{code}")
        return page

    def close(self) -> None:
        """Stop the servers; at the end all complaints of the pages are reported."""
        try:
            self.visitor.close()
        finally:
            self._running.close()


@pytest.fixture
def site(tmp_path: Path, browser: Browser, quiet: QuietService) -> Iterator[Site]:
    """The page with a list of both logs."""
    site = Site(tmp_path, browser, quiet)
    site.lists(*site.policies)
    yield site
    site.close()


@pytest.mark.lattice
@pytest.mark.parametrize("language", LANGUAGES)
def test_a_code_of_any_listed_log_is_checked(site: Site, quiet: QuietService, language: str) -> None:
    """The page finds the log that shows the round, and says which it is; no code is sent."""
    site.visitor.expect_complaint("status of 404")
    code = quiet.code("crash-1", 2)
    page = site.open(code, language=language)
    assert headline(page) == FIXED[language]
    expect(page.locator(".verdict.held .which")).to_contain_text(quiet.inside.key.name)
    assert page.locator("#steps > li.held").count() == page.locator("#steps > li").count() == 8
    page.locator("#another summary").first.click()
    page.locator("#code").fill(site.other.code(2))
    page.locator("#ask button[type=submit]").click()
    expect(page.locator(".verdict.held .which")).to_contain_text(f"{site.other.origin} · keno-1")
    assert headline(page) == FIXED[language]
    assert not [url for url in site.requests if code.removeprefix("crash1") in url.partition("#")[0]]
    own = [url for url in site.requests if url.startswith(site.url)]
    assert [url.partition("#")[0] for url in own] == [f"{site.url}/verify.html", f"{site.url}/policies.json"]
    expect(page.locator("#key-card")).to_be_hidden()


@pytest.mark.lattice
@pytest.mark.parametrize("language", LANGUAGES)
def test_a_code_of_no_listed_log_is_a_question(site: Site, language: str) -> None:
    """Every log was read and lacks it, which accuses nobody; each is named."""
    site.visitor.expect_complaint("status of 404")
    page = site.open(playing("third").code(2), language=language)
    assert headline(page) == LACKS[language]
    assert page.locator(".verdict.question").count() == page.locator("#answers").count() == 1
    assert page.locator("#answers li").count() == 2
    assert page.locator("#answers button").count() == 0


def test_a_log_that_hangs_delays_nobody_and_is_not_accused(site: Site) -> None:
    """The other one's verdict is there while it hangs; for a code that may be its own there is no verdict."""
    ends = Event()

    def hang(_: BaseHTTPRequestHandler) -> None:
        ends.wait()

    hanging = site.serve(hang)
    third = playing("third")
    site.lists(third.policy(hanging), site.policies[1])
    for complaint in ("status of 404", "ERR_EMPTY_RESPONSE", "request failed"):
        site.visitor.expect_complaint(complaint)
    try:
        page = site.open(site.other.code(2))
        assert headline(page) == FIXED["en"]
        expect(page.locator(".which")).to_contain_text(site.other.origin)
        page.locator("#another summary").first.click()
        page.locator("#code").fill(third.code(2))
        page.locator("#code").press("Enter")
        expect(page.locator(".verdict.working")).to_be_visible()
    finally:
        ends.set()
    expect(page.locator(".verdict.question h1")).to_have_text("No log that answered shows this round.")
    items = page.locator("#answers li")
    expect(items).to_contain_text(["it does not show this round.", "it could not be read."])
    items.nth(1).get_by_role("button").click()
    expect(page.locator(".verdict.question h1")).to_have_text("There is no verdict: a file could not be read.")
    expect(page.locator(".which")).to_have_text(third.origin)


def test_the_list_decides_whose_key_it_is(site: Site) -> None:
    """A log that another key signed shows nothing, whatever it has; alone, too."""
    site.lists(playing("third").policy(site.other_log), site.policies[0])
    site.visitor.expect_complaint("status of 404")
    page = site.open(site.other.code(2))
    assert headline(page) == "No log that answered shows this round."
    expect(page.locator("#answers")).to_contain_text("what is served there is not signed by the key in the list.")
    page.locator("#answers button").click()
    expect(page.locator(".verdict.question h1")).to_have_text("There is no verdict: the key does not fit.")
    assert page.locator(".verdict.held, .verdict.failed").count() == 0


@pytest.mark.lattice
@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("<html>", "policies.json: expected JSON"),
        ("[]", 'policies.json: expected {"policies":["…"]}'),
        ('{"policies":[]}', 'policies.json: expected {"policies":["…"]}'),
        ('{"policies":[{}]}', 'policies.json: expected {"policies":["…"]}'),
        ('{"policies":["quorum none\\n"]}', "policies[0], policy: expected one line: log VKEY [URL], found none"),
        (json.dumps({"policies": [playing("a").policy("")]}), "policies[0], log a.example/log: expected an address"),
        (json.dumps({"policies": [playing("a").policy("javascript:1")]}), "found javascript:1"),
        (
            json.dumps({"policies": [playing("a").policy("http://a/")] * 2}),
            "each log once, found a.example/log again",
        ),
        (json.dumps({"policies": ["#" * 70_000]}), "at most 65536 bytes"),
        ('{"policies":["' + " " * 1_000_000 + '"]}', "at most 1000000 bytes"),
    ],
    ids=["html", "list", "empty", "objects", "no-log", "no-address", "script", "twice", "long-policy", "long"],
)
def test_a_list_that_cannot_be_used_says_why(site: Site, quiet: QuietService, text: str, why: str) -> None:
    """No code is taken then; a proof file is, with a key of the reader's own, and nothing is fetched any more."""
    site.put(text)
    page = site.open(quiet.code("crash-1", 2))
    expect(page.locator("#list-trouble")).to_contain_text(f"{UNUSABLE['en']}: ")
    expect(page.locator("#list-trouble")).to_contain_text(why)
    expect(page.locator("#ask")).to_be_hidden()
    choose(page, quiet.proof("crash-1", 2))
    with_key(page, str(quiet.inside.key))
    assert headline(page) == FIXED["en"]
    assert len(site.requests) == 2


@pytest.mark.lattice
@pytest.mark.parametrize("language", LANGUAGES)
def test_without_a_list_it_is_the_page_from_the_disk(site: Site, tmp_path: Path, language: str) -> None:
    """Also if the server cannot say whether there is one."""
    (tmp_path / "site" / "policies.json").unlink()
    site.visitor.expect_complaint("status of 404")
    page = site.open(language=language)
    expect(page.locator("#choose")).to_be_visible()
    expect(page.locator("#ask, #list-trouble, #listed")).to_have_count(3)
    for place in ("#ask", "#list-trouble", "#listed"):
        expect(page.locator(place)).to_be_hidden()
    site.put("<html>")
    page.reload()
    expect(page.locator("#list-trouble")).to_contain_text(UNUSABLE[language])


@pytest.mark.parametrize("listed", [True, False], ids=["with a list", "from the disk"])
def test_it_reaches_nothing_but_what_is_listed(site: Site, tmp_path: Path, quiet: QuietService, listed: bool) -> None:
    """Its own policy is narrowed before it takes anything: from a disk to nothing at all."""
    site.lists(site.policies[1])
    page = site.open()
    if not listed:
        page.goto((tmp_path / "site" / "verify.html").as_uri())
    expect(page.locator("#ask" if listed else "#choose")).to_be_visible()
    site.visitor.expect_complaint("Content Security Policy|request failed")
    fetched = "url => fetch(url).then(() => true, () => false)"
    assert page.evaluate(fetched, f"{site.other_log}/checkpoint") is listed
    for address in (f"{quiet.url}/log/checkpoint", f"{site.url}/policies.json"):
        assert page.evaluate(fetched, address) is False


def test_a_file_of_a_listed_log_needs_no_key(site: Site, quiet: QuietService) -> None:
    """Its log's policy is in the list; a file of another log is checked by none."""
    page = site.open()
    choose(page, quiet.proof("sic-bo-1", 1))
    assert headline(page) == FIXED["en"]
    expect(page.locator(".which")).to_contain_text(quiet.inside.key.name)
    site.lists(site.policies[1])
    page.reload()
    choose(page, quiet.proof("sic-bo-1", 1))
    assert headline(page) == "This file is not from a listed log."
    choose(page, b"something else")
    assert headline(page) == "This file is not from a listed log."


def test_a_mistyped_code_is_asked_nowhere(site: Site, quiet: QuietService) -> None:
    """The place of the error is shown, and no log hears of it."""
    code = quiet.code("crash-1", 2)
    page = site.open(code[:-1] + ("q" if code[-1] != "q" else "p"))
    assert headline(page) == "This is not a whole round code."
    assert len(site.requests) == 2


DECISIONS = [
    ("shows", "shows"),
    ("shows silent", "shows"),
    ("shows lacks foreign", "shows"),
    ("fails lacks lacks", "fails"),
    ("waits lacks", "waits"),
    ("fails silent", None),
    ("fails foreign", None),
    ("fails refused", None),
    ("fails waits", None),
    ("waits silent", None),
    ("fails fails", None),
    ("shows shows", None),
    ("shows fails", None),
    ("lacks lacks", None),
    ("silent silent", None),
]


def test_a_cross_needs_that_all_other_logs_were_read(reader: Visitor) -> None:
    """A tick is shown while others still hang, unless a second log shows the round or fails by it."""
    page = reader.visit("/verify")
    decide = """([says, count]) => import("/static/asking/listed.js").then(({ decided }) =>
        decided(says.map((each) => ({ says: each })), count)).then((found) => found && (found.one?.says ?? "none"))"""
    for says, one in DECISIONS:
        kinds = says.split()
        assert page.evaluate(decide, [kinds, len(kinds)]) == (one or "none"), says
        waited = page.evaluate(decide, [kinds, len(kinds) + 1])
        assert waited == (
            "shows" if one == "shows" else "none" if says in {"fails fails", "shows shows", "shows fails"} else None
        ), says


@pytest.mark.nightly("looks at each screen in each language, narrow and dark")
@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_nothing_is_wider_than_a_narrow_screen(site: Site, language: str, scheme: Scheme) -> None:
    """The empty page, a verdict, and what each log says."""
    site.visitor.expect_complaint("status of 404")
    for code in ("", site.other.code(2), playing("third").code(2)):
        page = site.open(code, language=language, width=NARROWEST, scheme=scheme)
        expect(page.locator("#answers, .verdict.held, .verdict.starting").first).to_be_visible()
        unfold(page)
        assert page.evaluate("document.documentElement.scrollWidth") <= NARROWEST
