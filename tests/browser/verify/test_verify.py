"""The page /verify: a complete check of a code, the place of a typing error, and every way to enter a code."""

from __future__ import annotations

import re
import subprocess
from fractions import Fraction

import pytest
from playwright.sync_api import expect

from tests.support.browser.checking import FIXED, VOID, headline, unfold
from tests.support.browser.quiet_service import QuietService
from tests.support.browser.visitor import LANGUAGES, PHONE, Visitor
from tests.support.browser.watched import hold
from tests.support.running_service import SIX_TABLES
from verifier.conformance.driver import load_vectors


@pytest.mark.lattice
@pytest.mark.parametrize("table", SIX_TABLES)
def test_a_code_is_checked_to_the_end(reader: Visitor, quiet: QuietService, table: str) -> None:
    """Every step holds and shows its values; the round has a picture; the page says what was not checked."""
    page = reader.visit(f"/verify#{quiet.code(table, 2)}")
    assert headline(page) == FIXED["en"]
    assert page.locator("#steps > li.held").count() == page.locator("#steps > li").count() == 8
    expect(page.locator(".verdict svg.picture")).to_be_visible()
    expect(page.locator("#story")).to_contain_text(f"Round 2 of {table} was fixed before")
    assert page.locator("#not-proven li").count() >= 5
    assert page.locator("#about").is_hidden()


def test_the_steps_that_have_ended_are_named_during_a_check(reader: Visitor, quiet: QuietService) -> None:
    """In the place of the verdict, but not announced; then they all stand below it. The log's files are read."""
    reader.expect_complaint("503")
    page = reader.visit()
    page.route("**/v1/proofs/**", lambda route: route.fulfill(status=503))
    held = hold(page, "**/log/find/**", times=1)
    page.goto(f"/verify#{quiet.code('crash-1', 2)}")
    ended = page.locator(".verdict.working .ended > li")
    expect(ended).to_have_text(["The code has no typing error holds", "The log is signed holds"])
    assert page.locator("#steps > li").count() == 0
    held[0].continue_()
    assert headline(page) == FIXED["en"]
    expect(ended).to_have_count(0)
    expect(page.locator("#steps > li")).to_have_count(8)


@pytest.mark.lattice
@pytest.mark.parametrize(
    ("language", "noticed"), [("en", "Noticed"), ("hy", "Նկատվել է"), ("ru", "Замечено")], ids=str
)
def test_a_round_of_the_future_is_remarked(reader: Visitor, quiet: QuietService, language: str, noticed: str) -> None:
    """The device's clock is years behind the round: both times are shown, and the verdict is the same."""
    page = reader.visit(width=PHONE, language=language)
    page.clock.set_fixed_time("2020-02-02T20:20:20Z")
    page.goto(f"/verify#{quiet.code('crash-1', 2)}")
    assert headline(page) == FIXED[language]
    remark = page.locator("#not-proven section").first
    expect(remark.locator("h2")).to_have_text(noticed)
    expect(remark.locator("li")).to_contain_text("20:20:20 UTC)")


def test_what_it_shows_can_be_computed_again(reader: Visitor, quiet: QuietService) -> None:
    """Each command line prints in a shell what the page says, and is copied completely."""
    page = reader.visit(f"/verify#{quiet.code('crash-1', 3)}")
    headline(page)
    commands = page.locator(".recompute").evaluate_all(
        "all => all.map(each => [each.querySelector('pre').textContent, each.querySelector('.digits').textContent])"
    )
    assert len(commands) > 10
    for command, prints in commands:
        ran = subprocess.run(["sh", "-c", command], capture_output=True, text=True, check=True)
        assert ran.stdout == f"{prints}\n", command
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    unfold(page)
    outcome = page.locator("#steps > li").nth(7)
    outcome.locator("summary").click()
    outcome.get_by_role("button", name="Copy").first.click()
    expect(outcome.get_by_role("button", name="Copied")).to_be_visible()
    assert page.evaluate("navigator.clipboard.readText()") in [command for command, _ in commands]


@pytest.mark.lattice
@pytest.mark.parametrize("language", LANGUAGES)
def test_the_verdict_is_in_the_readers_language(reader: Visitor, quiet: QuietService, language: str) -> None:
    """On a phone; a void round is shown as void."""
    page = reader.visit(f"/verify#{quiet.code('hi-lo-1', 1)}", width=PHONE, language=language)
    assert headline(page) == FIXED[language]
    page = reader.visit(f"/verify#{quiet.code('hi-lo-1', 4)}", width=PHONE, language=language)
    assert headline(page) == VOID[language]
    expect(page.locator(".verdict")).to_contain_text("the wheel stuck")


def test_a_void_round_has_no_tick(reader: Visitor, quiet: QuietService) -> None:
    """It does not count, for the reason in the record; only a played round is paid by its outcome."""
    page = reader.visit(f"/verify#{quiet.code('hi-lo-1', 4)}")
    verdict = page.locator(".verdict.void")
    for words in ("A bet on it alone is paid back", "“the wheel stuck”", "called off"):
        expect(verdict).to_contain_text(words)
    expect(verdict).not_to_contain_text("paid rightly")
    page = reader.visit(f"/verify#{quiet.code('hi-lo-1', 1)}")
    expect(page.locator(".verdict.held")).to_contain_text("It does not show that you were paid rightly.")


def test_no_number_is_named_for_a_tables_first_rounds(reader: Visitor, quiet: QuietService) -> None:
    """They have fewer earlier rounds than the table promises; for the others the number is named."""
    page = reader.visit(f"/verify#{quiet.code('crash-1', 3)}")
    words = "was fixed before the table’s first round was locked"
    expect(page.locator(".verdict")).to_contain_text("Fixed before the table’s first round.")
    expect(page.locator("#story")).to_contain_text(f"Round 3 of crash-1 {words}. Its outcome follows")
    page = reader.visit(f"/verify#{quiet.code('keno-express-1', 3)}")
    expect(page.locator(".verdict")).to_contain_text("Fixed at least 2 rounds before yours.")
    expect(page.locator("#story")).to_contain_text(f"Round 3 of keno-express-1 {words} (rounds ahead: 2).")


def test_it_works_with_the_keyboard_alone(reader: Visitor, quiet: QuietService) -> None:
    """Type or paste, press Enter, then open the first step's bytes. The code may be in a link, with spaces around
    it.
    """
    code = quiet.code("sic-bo-1", 1)
    page = reader.visit("/verify")
    page.locator("#code").focus()
    page.keyboard.insert_text(f"  https://fore.example/verify#{code[:20]}\n{code[20:]} ")
    page.keyboard.press("Enter")
    assert headline(page) == FIXED["en"]
    assert page.url.endswith(f"/verify#{code}")
    for place in ("details:has(> #steps) > summary", "#steps summary"):
        for _ in range(20):
            page.keyboard.press("Tab")
            if page.evaluate("place => document.activeElement.matches(place)", place):
                break
        page.keyboard.press("Enter")
    expect(page.locator("#steps details[open] .recompute").first).to_be_visible()


@pytest.mark.parametrize("name", ["vkey", "note"])
def test_this_browsers_signatures_are_those_of_the_vectors(reader: Visitor, name: str) -> None:
    """Its WebCrypto is another library than OpenSSL: the modules must give the same result for every key and note."""
    vectors = next(vectors for vectors in load_vectors() if vectors.format == name)
    given = [case["input"] for case in vectors.cases]
    page = reader.visit("/verify")
    found = page.evaluate(
        """async (given) => {
          const { openNote, VerifierKey } = await import("/verifier/log/notes.js");
          const bytes = ({ text, hex }) => text === undefined
            ? Uint8Array.from(hex.match(/../g), (pair) => parseInt(pair, 16)) : new TextEncoder().encode(text);
          const valid = (input) => input.key === undefined
            ? VerifierKey.parse(input.text) : openNote(bytes(input), VerifierKey.parse(input.key));
          return Promise.all(given.map(async (input) => {
            try { await valid(input); return true; } catch { return false; }
          }));
        }""",
        given,
    )
    wrong = [case["name"] for case, valid in zip(vectors.cases, found, strict=True) if case["valid"] != valid]
    assert wrong == []


def test_a_code_is_found_in_what_was_pasted(reader: Visitor, quiet: QuietService) -> None:
    """A link, two lines, and characters that nobody can see; of several codes the player chooses."""
    page, (code, other) = reader.visit("/verify"), (quiet.code("crash-1", number) for number in (1, 2))
    for pasted in (
        f"Round: \u201c{code}\u201d.",
        f"https://a.example/verify#{code}?utm_source=x",
        f"\u200b{code[:40]}\n{code[40:]}",
    ):
        unfold(page)
        page.locator("#code").fill(pasted)
        page.get_by_role("button", name="Check", exact=True).click()
        assert headline(page) == FIXED["en"]
        assert page.locator("#code").input_value() == code
    unfold(page)
    page.locator("#code").fill(f"{code} and {other}")
    page.get_by_role("button", name="Check", exact=True).click()
    expect(page.locator(".verdict.question h1")).to_contain_text("There are several codes in this text.")
    page.locator("#typing li").filter(has_text=other).get_by_role("button", name="Check this code").click()
    assert headline(page) == FIXED["en"]
    expect(page.locator("#story")).to_contain_text("Round 2 of crash-1")
    unfold(page)
    page.locator("#code").fill(f"it is {code[:-1]}\u2060!")
    page.get_by_role("button", name="Check", exact=True).click()
    expect(page.locator("#typing")).to_contain_text("Characters that nobody can see were left out: U+2060.")


def test_a_typing_error_is_located(reader: Visitor, quiet: QuietService) -> None:
    """It is marked, and nothing is checked until the reader accepts the suggestion or types again."""
    code = quiet.code("penalty-1", 3)
    place = 17
    wrong = code[: place - 1] + ("q" if code[place - 1] != "q" else "p") + code[place:]
    page = reader.visit(f"/verify#{wrong}", width=PHONE)
    expect(page.locator(".verdict.question")).to_contain_text("Character 17 or so is wrong.")
    assert page.locator("#typing mark").inner_text() == wrong[place - 1]
    assert page.locator("#code").get_attribute("aria-invalid") == "true"
    assert page.locator("#steps > li").count() == 0
    page.get_by_role("button", name="Use this code").click()
    assert headline(page) == FIXED["en"]
    assert page.locator("#code").input_value() == code
    unfold(page)
    page.locator("#code").fill(code[:-1])
    page.get_by_role("button", name="Check", exact=True).click()
    expect(page.locator(".verdict")).to_contain_text("is missing")
    page.get_by_role("button", name="Enter it again").click()
    expect(page.locator("#code")).to_be_focused()


def test_a_code_is_scanned(reader: Visitor, quiet: QuietService) -> None:
    """From a camera's picture, by a library that is loaded on demand; afterwards the camera is released."""
    code = quiet.code("keno-express-1", 1)
    page = reader.visit("/verify")
    loaded: list[str] = []
    page.on("request", lambda request: loaded.append(request.url))
    # A fake camera: a picture of the code as a stream of frames.
    page.evaluate(
        """async text => {
            const { encodeQR } = await import("/static/vendor/qr-0.7.0/index.js");
            const rows = encodeQR(text, "raw", { border: 4 });
            const canvas = document.createElement("canvas");
            canvas.width = canvas.height = rows.length * 8;
            const context = canvas.getContext("2d");
            const draw = () => rows.forEach((row, y) => row.forEach((dark, x) => {
                context.fillStyle = dark ? "#000" : "#fff";
                context.fillRect(x * 8, y * 8, 8, 8);
            }));
            setInterval(draw, 100);
            window.camera = canvas.captureStream();
            navigator.mediaDevices.getUserMedia = async () => window.camera;
        }""",
        f"{quiet.url}/verify#{code}",
    )
    page.get_by_role("button", name="Scan with the camera").click()
    assert headline(page) == FIXED["en"]
    assert page.locator("#code").input_value() == code
    assert any(url.endswith("/decode.js") for url in loaded)
    assert page.evaluate("window.camera.getTracks().map(track => track.readyState)") == ["ended"]
    assert page.locator("#camera").is_hidden()


def test_without_a_camera_it_says_so(reader: Visitor) -> None:
    """The dialog is closed again."""
    page = reader.visit("/verify")
    page.get_by_role("button", name="Scan with the camera").click()
    expect(page.locator("#camera-trouble")).to_contain_text("There is no camera")
    page.get_by_role("button", name="Cancel").click()
    expect(page.locator("#camera")).to_be_hidden()


def test_without_javascript_it_tells_another_way(reader: Visitor, quiet: QuietService) -> None:
    """The command of the program, with this log and its key."""
    page = reader.visit("/verify", javascript=False)
    command = page.locator("#waiting pre").inner_text()
    assert re.fullmatch(rf"foredraw-verify code CODE --log {quiet.url}/log --key fore\.example/log\+\S+", command)
    assert page.locator("#another").is_hidden()


def test_an_elements_name_is_no_code(reader: Visitor) -> None:
    """An address may lead to a place of the page, which then looks as it does without."""
    page = reader.visit("/verify#about")
    expect(page.locator("#about")).to_be_visible()
    expect(page.locator(":root")).not_to_have_class("asked")


@pytest.mark.lattice
@pytest.mark.parametrize(
    ("table", "round_"), [("sic-bo-1", 1), ("crash-1", 2), ("penalty-1", 3), ("keno-express-1", 4), ("hi-lo-1", 1)]
)
def test_a_bet_is_settled_where_the_round_was_checked(
    reader: Visitor, quiet: QuietService, table: str, round_: int
) -> None:
    """On the reader's device, with the same result as the service, and without a request but for what bets pay."""
    page = reader.visit(f"/verify#{quiet.code(table, round_)}", width=PHONE)
    headline(page)
    unfold(page)
    expect(page.locator("#bets form")).to_be_visible()
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    examples = page.locator("#bets code").all_inner_texts()
    assert examples
    for text in examples:
        page.get_by_label("Bet", exact=True).fill(text)
        page.get_by_label("Stake").fill("150")
        page.locator("#bets").get_by_role("button", name="Show").click()
        settled = quiet.settle(table, round_, text, 150)
        words = {"wins": "The bet wins.", "loses": "The bet loses.", "void": "The round is void"}[settled["result"]]
        expect(page.locator("#bets .notice strong")).to_contain_text(words)
        expect(page.locator("#bets dd").last).to_have_text(f"{float(Fraction(settled['winnings_exact'])):,.10g}")
    page.get_by_label("Bet", exact=True).fill("hi" if table == "hi-lo-1" else "sum 3")
    page.locator("#bets").get_by_role("button", name="Show").click()
    expect(page.locator("#bets .notice.bad")).to_contain_text(
        "which was not read here" if table == "hi-lo-1" else "There was no such bet"
    )
    assert asked == []
