"""The badge next to a game, on a page of another host: what it shows before and after a round is revealed."""

from __future__ import annotations

import base64
import re
from collections.abc import Callable, Iterator, Mapping

import pytest
from playwright.sync_api import Browser, Locator, Page, Route, expect

from api.answers.rounds import Ended
from api.pages.files.scripts import BADGE_PATH, badge_script
from api.rounds.tables import add_table, request_close
from tests.support.browser.checking import VKEY
from tests.support.browser.game_site import game_site
from tests.support.browser.plain import not_plain
from tests.support.browser.quiet_service import QuietService
from tests.support.browser.visitor import LANGUAGES
from tests.support.calls import call_of
from tests.support.witnesses import policy_text

Embed = Callable[..., Locator]
NOT_COMMITTED = 9999
LONG_AGO = "Thu, 01 Jan 2026 00:00:00 GMT"
OWN = b'{"draw":[["pocket","number",0,36]]}'


@pytest.fixture
def embed(browser: Browser, quiet: QuietService) -> Iterator[Embed]:
    """Show a badge on a game's own page."""
    with game_site(browser, quiet) as site:

        def show(
            table: str,
            number: int,
            *,
            language: str = "en",
            key: str | None = None,
            name_of_key: str = "vkey",
            policy: str | None = None,
            promised: str = "",
            fixed_through: int | None = None,
            integrity: str | None = None,
            changed: bool = False,
        ) -> Locator:
            names = f"integrity='{integrity or badge_script().integrity}' crossorigin='anonymous'"
            trust = f"{name_of_key}='{key or quiet.inside.key}'" if policy is None else f"policy='{policy}'"
            body = (
                f"<script type='module' src='{quiet.url}{BADGE_PATH}' {names}></script>"
                f"<foredraw-round table='{table}' round='{number}' {trust}></foredraw-round>"
            )

            def prepare(page: Page) -> None:
                if changed:
                    site.visitor.expect_complaint(
                        rf"Failed to find a valid digest in the 'integrity' attribute .*{re.escape(BADGE_PATH)}"
                    )
                    page.route(f"**{BADGE_PATH}", change)
                if promised:
                    page.route(
                        f"**/v1/tables/{table}/rounds/{number}",
                        lambda route: otherwise(route, {"commitments": [promised]}),
                    )
                if fixed_through is not None:
                    page.route(
                        f"**/v1/tables/{table}/live",
                        lambda route: otherwise(route, {"fixed_through": fixed_through}),
                    )

            return site.show(body, language=language, prepare=prepare).locator("foredraw-round")

        yield show


def change(route: Route) -> None:
    """Serve the script with one more byte, which does not change what it does."""
    answer = route.fetch()
    route.fulfill(response=answer, body=answer.body() + b"\n")


def otherwise(route: Route, changes: Mapping[str, object]) -> None:
    """Answer otherwise than the service does, for example with another commitment than the log's, until a round
    ends.
    """
    answer = route.fetch()
    told = answer.json()
    route.fulfill(response=answer, json=told if "round_code" in told else {**told, **changes})


def commitment(quiet: QuietService, table: str, number: int) -> str:
    """The commitment of a round, as the service publishes it."""
    return str(quiet.round(table, number)["commitments"][0])


def test_a_badge_follows_its_round(embed: Embed, quiet: QuietService) -> None:
    """First the commitment; after the reveal the outcome, checked in this browser, with its picture."""
    badge = embed("sic-bo-1", 5)
    expect(badge.locator("section.fixed .headline")).to_have_text("Fixed, and still to come")
    expect(badge.locator("details code")).to_have_text(commitment(quiet, "sic-bo-1", 5))
    quiet.inside.play("sic-bo-1")
    quiet.inside.settle()
    expect(badge.locator("section.held")).to_contain_text("Nobody changed this result.")
    # Its table promises five rounds, and before the fifth round there were four.
    expect(badge.locator("section.held")).to_contain_text("Fixed before the table’s first round.")
    expect(badge.locator("div.picture > svg[role=img]")).to_be_visible()
    link = badge.get_by_role("link", name="See every step")
    expect(link).to_have_attribute("href", f"{quiet.url}/verify#{quiet.code('sic-bo-1', 5)}")


def test_a_badge_of_a_round_that_awaits_its_salt(embed: Embed) -> None:
    """It is committed, but not fixed; with the pulse it is."""
    awaiting = embed("hi-lo-1", 9, fixed_through=8).locator("section.committed")
    expect(awaiting.locator(".headline")).to_have_text("This result is not fixed yet.")
    expect(awaiting.locator("details")).to_be_visible()
    salted = embed("hi-lo-1", 9, fixed_through=9).locator("section.fixed")
    expect(salted.locator(".headline")).to_have_text("Fixed, and still to come")


def test_a_badge_of_a_void_round(embed: Embed) -> None:
    """It does not count, and has no tick; the reason is the record's."""
    void = embed("hi-lo-1", 4).locator("section.void")
    expect(void.locator(".headline")).to_have_text("This round does not count.")
    expect(void).to_contain_text("The reason in the record: “the wheel stuck”")


@pytest.mark.lattice
@pytest.mark.parametrize("language", LANGUAGES)
def test_a_badge_speaks_plainly(embed: Embed, language: str) -> None:
    """No word of the protocol is in sight, whatever it shows; what is exact stands folded."""
    for number, state in ((1, "held"), (4, "void"), (9, "fixed"), (NOT_COMMITTED, "nothing-known")):
        card = embed("hi-lo-1", number, language=language).locator(f"section.{state}")
        expect(card).to_be_visible()
        assert not_plain(card.inner_text()) == []
    assert not_plain("This commitment was published") != []


def test_a_badge_names_how_far_ahead(embed: Embed) -> None:
    """For a round that has as many earlier rounds as its table promises."""
    expect(embed("keno-express-1", 3).locator("section.held")).to_contain_text("Fixed 2 rounds before yours.")


@pytest.mark.parametrize(
    ("game", "declaration", "says"),
    [
        ("crash-1", None, "crash, one of the games that every verifier knows by name"),
        ("blackjack", None, "blackjack, as the catalogue of this verifier declares it"),
        ("own-wheel", OWN, "own-wheel, which the catalogue of this verifier does not declare so"),
    ],
)
def test_a_badge_says_whose_game_it_is(
    embed: Embed, quiet: QuietService, game: str, declaration: bytes | None, says: str
) -> None:
    """And where the order is shown in which the cards of a round lay; of hundreds the picture has the first ones."""
    if game != "crash-1":
        add_table(quiet.inside.service.writer, game, game, declaration=declaration)
        quiet.inside.settle()
        quiet.inside.play(game, 1)
        quiet.inside.settle()
    badge = embed(game, 1)
    expect(badge.locator("section.held details")).to_contain_text(says)
    order = badge.get_by_role("link", name="and the order by position")
    expect(order).to_have_count(int(game == "blackjack"))
    sizes = badge.locator("div.picture svg.picture rect").evaluate_all("all => all.map(each => each.getBBox().width)")
    assert all(sizes)
    assert sizes or game != "own-wheel"
    assert badge.locator("div.picture svg.picture *").count() < 50


def test_a_badge_shows_the_hand(embed: Embed, quiet: QuietService) -> None:
    """What was given, or what the game says that it dealt, and whose word that is; not the whole order."""
    add_table(quiet.inside.service.writer, "hands-1", "blackjack")
    quiet.inside.settle()
    rounds, outcomes = quiet.inside.service.rounds, []
    for number, dealt in ((1, None), (2, {"player": [1, 3], "dealer": [2, 4]})):
        quiet.inside.open("hands-1", number)
        rounds.lock("hands-1", number, None, call=call_of("hands-1", number), keep_back=True)
        rounds.next("hands-1", number, 1, 4)
        ended = rounds.reveal("hands-1", number, dealt=dealt)
        assert isinstance(ended, Ended)
        outcomes.append(
            str(ended.outcome["cards"]).translate(str.maketrans("cdhs", "♣♦♥♠")).replace("T", "10").split()
        )
    quiet.inside.settle()
    (first, second, third, fourth), (one, two, three, four) = (cards[:4] for cards in outcomes)
    given = embed("hands-1", 1)
    expect(given.locator(".headline")).to_have_text(f"{first} {second} {third} {fourth}")
    expect(given.locator("section.held")).to_contain_text("these cards were given, in this order: 4.")
    dealt_ = embed("hands-1", 2)
    expect(dealt_.locator(".headline")).to_have_text(f"player {one} {three}, dealer {two} {four}")
    expect(dealt_.locator("section.held")).to_contain_text("The game says that it dealt like this.")
    names = dealt_.locator("div.picture svg.picture text", has_text=re.compile("player|dealer"))
    expect(names).to_have_text(["player", "dealer"])


def test_a_badge_of_a_round_that_is_never_played(embed: Embed, quiet: QuietService) -> None:
    """It does not say that the round will be played."""
    add_table(quiet.inside.service.writer, "ended-1", "keno-express")
    quiet.inside.settle()
    request_close(quiet.inside.service.writer, "ended-1")
    quiet.inside.settle()
    badge = embed("ended-1", 1)
    expect(badge.locator("section.fixed .headline")).to_have_text("Never played")
    expect(badge.locator("section.fixed")).to_contain_text("takes no more rounds")


def test_a_badge_does_not_forget_what_was_promised(embed: Embed, quiet: QuietService) -> None:
    """If the service showed one commitment before the round, and the log has another, the check fails."""
    badge = embed("penalty-1", 5, promised="ab" * 32)
    expect(badge.locator("details code")).to_have_text("ab" * 32)
    quiet.inside.play("penalty-1")
    quiet.inside.settle()
    expect(badge.locator("section.failed .headline")).to_have_text("The check failed.")
    expect(badge.locator("section.failed")).to_contain_text("not of what this badge showed before")


@pytest.mark.lattice
@pytest.mark.parametrize("how", ["the same value", "another language", "moved", "a new element"])
def test_no_badge_of_a_page_forgets_what_was_promised(embed: Embed, quiet: QuietService, how: str) -> None:
    """Whatever a framework does to the element: the round stays the one that was promised otherwise."""
    badge = embed("sic-bo-1", quiet.inside.state("sic-bo-1").next_round, promised="ab" * 32)
    expect(badge.locator("details code")).to_have_text("ab" * 32)
    quiet.inside.play("sic-bo-1")
    quiet.inside.settle()
    badge.evaluate(
        """(badge, how) => {
          if (how === "the same value") badge.setAttribute("round", badge.getAttribute("round"));
          if (how === "another language") badge.setAttribute("lang", "ru");
          if (how === "moved") document.body.append(badge);
          if (how === "a new element") badge.replaceWith(badge.cloneNode());
        }""",
        how,
    )
    expect(badge.locator("section.failed")).to_be_visible()


def test_equal_values_start_nothing_again(embed: Embed, quiet: QuietService) -> None:
    """A framework may set them twenty times a second: the badge asks no more often, and has its verdict."""
    number = quiet.inside.state("keno-express-1").next_round
    badge = embed("keno-express-1", number)
    expect(badge.locator("section.fixed")).to_be_visible()
    asked: list[str] = []
    badge.page.on("request", lambda request: asked.append(request.url))
    badge.evaluate(
        "badge => setInterval(() => { for (const { name, value } of badge.attributes) badge.setAttribute(name, value) }, 20)"
    )
    quiet.inside.play("keno-express-1")
    quiet.inside.settle()
    expect(badge.locator("section.held")).to_be_visible()
    assert len([url for url in asked if url.endswith("/log/checkpoint")]) <= 2


@pytest.mark.nightly("waits for two answers")
def test_an_equal_answer_changes_nothing(embed: Embed, quiet: QuietService) -> None:
    """A selection stays, an opened commitment stays open, and a screen reader is told nothing again."""
    number = quiet.inside.state("hi-lo-1").next_round
    badge = embed("hi-lo-1", number)
    digits = commitment(quiet, "hi-lo-1", number)
    expect(badge.locator("section.fixed")).to_be_visible()
    badge.locator("summary").focus()
    badge.page.keyboard.press("Enter")
    expect(badge.locator("details code")).to_have_text(digits)
    badge.evaluate(
        """badge => {
          window.changes = 0;
          new MutationObserver((all) => { window.changes += all.length }).observe(badge.shadowRoot, { subtree: true, childList: true, characterData: true, attributes: true });
        }"""
    )
    for _ in range(2):
        with badge.page.expect_response("**/v1/tables/hi-lo-1/live"):
            pass
    badge.page.evaluate("new Promise((resolve) => setTimeout(resolve))")
    assert badge.page.evaluate("window.changes") == 0
    expect(badge.locator("details")).to_have_attribute("open", "")


def test_a_badge_says_whose_key_it_has(embed: Embed, quiet: QuietService) -> None:
    """One that the page names under either name is the page's; without one, the service's word, on the badge's
    face.
    """
    words = "The key is the service’s own word: this page did not name one."
    for name in ("vkey", "key"):
        expect(embed("hi-lo-1", 1, name_of_key=name).locator("section.held")).not_to_contain_text(words)
    expect(embed("hi-lo-1", 1, name_of_key="data-nothing").locator("section.held")).to_contain_text(words)
    strange = embed("hi-lo-1", 1, key=VKEY).locator("section.nothing-known")
    expect(strange).to_contain_text("There is no verdict: the key does not fit.")
    expect(strange).not_to_contain_text(words)
    assert quiet.inside.key


def test_a_page_over_http_is_told_what_helps(embed: Embed) -> None:
    """Browsers check nothing there, and no other network helps: nothing is asked, and nobody is accused."""
    badge = embed("hi-lo-1", 1)
    expect(badge.locator("section.held")).to_be_visible()
    badge.page.add_init_script("Object.defineProperty(globalThis, 'isSecureContext', { value: false })")
    badge.page.reload()
    expect(badge.locator("section.nothing-known")).to_contain_text("There is no verdict: this page came over http.")


@pytest.mark.nightly("keeps answers with a service worker, until they are old")
def test_a_badge_says_that_an_answer_is_old(embed: Embed) -> None:
    """A service worker of the host has kept it: by this device's clock, or by the time that the page is open."""
    badge = embed("penalty-1", 30)
    card = badge.locator("section.fixed")
    expect(card).to_be_visible()
    expect(card).not_to_contain_text("old")
    page, dates = badge.page, [LONG_AGO]

    def keep(route: Route) -> None:
        answer = route.fetch()
        route.fulfill(response=answer, headers={**answer.headers, "date": dates[0] or answer.headers["date"]})

    page.route("**/v1/tables/penalty-1/live", keep)
    page.reload()
    expect(card).to_contain_text("This answer is old (2026-01-01 00:00:00 UTC)")
    dates[0] = ""
    expect(card).not_to_contain_text("old")
    # The page is open for a minute more than the answers know of.
    page.evaluate("() => { const now = performance.now.bind(performance); performance.now = () => now() + 60_000 }")
    expect(card).to_contain_text("This answer is old")


HOSTS_STYLE = """
  html { direction: rtl }
  foredraw-round { text-transform: uppercase; white-space: nowrap; letter-spacing: 8px; word-spacing: 2em; text-indent: 5em;
    font: italic 900 40px/3 serif; text-align: right; color: lime; visibility: visible; word-break: break-all; line-height: 4;
    font-variant: small-caps; text-shadow: 3px 3px red; cursor: wait; tab-size: 30; hyphens: auto; writing-mode: horizontal-tb }
"""


def test_no_style_of_the_host_changes_a_badge(embed: Embed) -> None:
    """Text, boxes and order are the same on a page that is written from right to left, and under styles that are
    inherited.
    """
    badge = embed("hi-lo-1", 1)
    expect(badge.locator("section.held")).to_be_visible()
    badge.get_by_text("How this is proven").click()
    measure = """badge => [...badge.shadowRoot.querySelectorAll("section *")].filter((each) => !each.closest(".sheet")).map((each) => {
      const [box, card] = [each.getBoundingClientRect(), badge.shadowRoot.querySelector("section").getBoundingClientRect()];
      const { color, font, textTransform, whiteSpace, letterSpacing, direction } = getComputedStyle(each);
      return [each.tagName, ...[box.x - card.x, box.y - card.y, box.width, box.height].map((each) => each.toFixed(1)), each.innerText, color, font, textTransform, whiteSpace, letterSpacing, direction].join(" ");
    })"""
    before = badge.evaluate(measure)
    badge.evaluate(
        "(badge, style) => { const made = new CSSStyleSheet(); made.replaceSync(style); document.adoptedStyleSheets = [made] }",
        HOSTS_STYLE,
    )
    assert badge.evaluate(measure) == before


def test_a_badge_with_another_key_refuses(embed: Embed) -> None:
    """The key on the game's page decides, whatever the service says."""
    badge = embed("crash-1", 1, key=VKEY)
    expect(badge.locator("section.nothing-known .headline")).to_have_text(
        "There is no verdict: the key does not fit."
    )
    expect(badge.locator(".picture")).to_have_count(0)


def test_a_badge_with_a_policy_demands_what_it_says(embed: Embed, quiet: QuietService) -> None:
    """The policy stands in the game's page, line by line, as in its file."""
    log = quiet.inside.key
    expect(embed("crash-1", 1, policy=f"log {log}\nquorum none\n").locator("section.held")).to_be_visible()
    demanding = embed("crash-1", 1, policy=policy_text(log).decode())
    expect(demanding.locator("section.failed .headline")).to_have_text("The check failed.")
    expect(demanding.locator("section.failed")).to_contain_text("witnesses")
    without_log = embed("crash-1", 1, policy="quorum none\n")
    expect(without_log.locator("section.nothing-known .headline")).to_have_text(
        "There is no verdict: the key does not fit."
    )


@pytest.mark.parametrize(
    ("language", "words"), [("hy", "Որոշված է"), ("ru", "Определён"), ("fr", "Fixed, and still to come")]
)
def test_a_badge_speaks_as_its_page_does(embed: Embed, language: str, words: str) -> None:
    """English if it does not know the page's language."""
    expect(embed("penalty-1", 9, language=language).locator("section.fixed .headline")).to_contain_text(words)


def test_a_badge_of_a_round_that_is_not_committed_accuses_nobody(embed: Embed) -> None:
    """Nothing is known about it yet."""
    expect(embed("crash-1", NOT_COMMITTED).locator("section.nothing-known")).to_contain_text("Nothing is known yet")


def test_a_script_that_was_changed_is_refused(embed: Embed) -> None:
    """The browser does not run any other script that is served in its place."""
    badge = embed("crash-1", 1, changed=True)
    assert badge.evaluate("element => element.shadowRoot") is None
    assert badge.evaluate("() => customElements.get('foredraw-round') === undefined")


def test_a_site_can_name_the_script_before_and_after_an_update(embed: Embed) -> None:
    """One of several hashes is enough, so the badge works throughout."""
    both = f"sha384-{base64.b64encode(bytes(48)).decode()} {badge_script().integrity}"
    expect(embed("crash-1", 1, integrity=both).locator("section.held")).to_contain_text("Checked on this device")


def test_nothing_that_a_badge_shows_comes_from_elsewhere(embed: Embed, quiet: QuietService) -> None:
    """Besides its script it fetches only what the service says of the round, and the log's files, which it checks."""
    badge = embed("sic-bo-1", 1, language="hy")
    expect(badge.locator("div.picture > svg[role=img]")).to_be_visible()
    fetched = badge.evaluate("() => performance.getEntriesByType('resource').map(entry => entry.name)")
    paths = {url.removeprefix(quiet.url) for url in fetched}
    expected = {BADGE_PATH, "/v1/tables/sic-bo-1/live", "/v1/tables/sic-bo-1/rounds/1"}
    assert {path for path in paths if not path.startswith("/log/")} == expected
