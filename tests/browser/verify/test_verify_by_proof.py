"""The page /verify asks for the proof file of a code's round; what does not show the round by it, the log's files do.

Whatever it is given: a forged code never gets a tick.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

import pytest
from playwright.sync_api import Page, Request, expect

from fairness.player.round_code import RoundCode
from tests.support.browser.checking import FIXED, headline
from tests.support.browser.quiet_service import QuietService
from tests.support.browser.visitor import Visitor
from tests.support.browser.watched import hold
from tests.support.dishonest_operator import Operator
from tests.support.proofs import proof_of

pytestmark = pytest.mark.nightly("many checks in a browser", but="test_one_request_shows_a_round")

PROOFS = "**/v1/proofs/**"
TABLE, ROUND, VOIDED = "crash-1", 2, 4
BY_PROOF, BY_FILES = "The file is a proof", "The code has no typing error"
"""The first of the steps, by which they are known."""
HELD, FAILED, QUESTION = "held", "failed", "question"

Change = Callable[[QuietService, RoundCode], RoundCode]
Forge = Callable[[QuietService, bytes], bytes]


def look(page: Page) -> str:
    """How the verdict looks, once there is one."""
    headline(page)
    return str(page.locator("#verdict").get_attribute("class")).removeprefix("verdict ")


def first_step(page: Page) -> str:
    """The name of the first step, which says what was checked."""
    words = page.locator("#steps > li h3").first.text_content() or ""
    return next(by for by in (BY_PROOF, BY_FILES) if words.startswith(by))


def asked(page: Page) -> list[str]:
    """The paths that the page asks for from now on."""
    paths: list[str] = []
    page.on("request", lambda request: paths.append(_path(request)))
    return paths


def _path(request: Request) -> str:
    return request.url.split("/", 3)[3]


def of_another_seed(_: QuietService, code: RoundCode) -> RoundCode:
    return replace(code, seeds=(bytes(32),))


def of_one_more_seed(_: QuietService, code: RoundCode) -> RoundCode:
    return replace(code, seeds=(*code.seeds, bytes(32)))


def of_another_round(_: QuietService, code: RoundCode) -> RoundCode:
    return replace(code, round_number=code.round_number - 1)


def of_another_game(_: QuietService, code: RoundCode) -> RoundCode:
    return replace(code, game="hi-lo")


def of_another_table(quiet: QuietService, code: RoundCode) -> RoundCode:
    return replace(code, table_prefix=RoundCode.parse(quiet.code("rocketon-1", ROUND)).table_prefix)


def of_no_table(_: QuietService, code: RoundCode) -> RoundCode:
    return replace(code, table_prefix=bytes(4))


def of_a_round_to_come(_: QuietService, code: RoundCode) -> RoundCode:
    return replace(code, round_number=30)


def of_a_round_that_is_not_committed(_: QuietService, code: RoundCode) -> RoundCode:
    return replace(code, round_number=10**9)


CODES: Mapping[str, tuple[Change, str]] = {
    "another seed": (of_another_seed, FAILED),
    "one more seed": (of_one_more_seed, FAILED),
    "another round": (of_another_round, FAILED),
    "another game": (of_another_game, FAILED),
    "another table": (of_another_table, FAILED),
    "no table": (of_no_table, QUESTION),
    "a round to come": (of_a_round_to_come, QUESTION),
    "no round": (of_a_round_that_is_not_committed, QUESTION),
}


@pytest.mark.parametrize(("change", "verdict"), CODES.values(), ids=CODES.keys())
@pytest.mark.parametrize("proofs", [True, False], ids=["with proofs", "without"])
def test_a_forged_code_never_gets_a_tick(
    reader: Visitor, quiet: QuietService, change: Change, verdict: str, *, proofs: bool
) -> None:
    """Its checksum is right, as anybody can make it; with the service's proof files as without them."""
    if not proofs or change in (of_no_table, of_a_round_that_is_not_committed):
        reader.expect_complaint("status of (404|503)")
    code = str(change(quiet, RoundCode.parse(quiet.code(TABLE, ROUND))))
    page = reader.visit()
    if not proofs:
        page.route(PROOFS, lambda route: route.fulfill(status=503))
    page.goto(f"/verify#{code}")
    assert look(page) == verdict
    assert page.locator("#verdict svg.picture").count() == 0


def a_changed_signature(_: QuietService, file: bytes) -> bytes:
    assert file.endswith(b"\n")
    return file[:-8] + (b"AAAA" if file[-8:-4] != b"AAAA" else b"BBBB") + file[-4:]


def a_changed_outcome(_: QuietService, file: bytes) -> bytes:
    assert file.count(b'"multiplier":"') == 1
    return file.replace(b'"multiplier":"', b'"multiplier":"9')


def of_the_round_before(quiet: QuietService, _: bytes) -> bytes:
    return quiet.proof(TABLE, ROUND - 1)


def of_the_void_round(quiet: QuietService, _: bytes) -> bytes:
    return quiet.proof(TABLE, VOIDED)


def of_the_same_round_elsewhere(quiet: QuietService, _: bytes) -> bytes:
    return quiet.proof("rocketon-1", ROUND)


def a_portals_page(*_: object) -> bytes:
    return b"<!doctype html><title>Guests</title><p>Accept the terms."


def nothing(*_: object) -> bytes:
    return b""


FILES: Mapping[str, tuple[Forge, str, str]] = {
    "a changed signature": (a_changed_signature, HELD, BY_FILES),
    "a changed outcome": (a_changed_outcome, FAILED, BY_PROOF),
    "another round": (of_the_round_before, HELD, BY_FILES),
    "a void round": (of_the_void_round, HELD, BY_FILES),
    "another table": (of_the_same_round_elsewhere, HELD, BY_FILES),
    "a portal's page": (a_portals_page, HELD, BY_FILES),
    "nothing": (nothing, HELD, BY_FILES),
}


@pytest.mark.parametrize(("forge", "verdict", "by"), FILES.values(), ids=FILES.keys())
def test_only_a_signed_file_of_the_codes_round_decides(
    reader: Visitor, quiet: QuietService, forge: Forge, verdict: str, by: str
) -> None:
    """In the place of the proof file of a right code, as a broken cache has it, or whoever stands in between. With
    whatever file, a code that is forged for the file's round gets no tick.
    """
    file = forge(quiet, quiet.proof(TABLE, ROUND))
    page = reader.visit()
    page.route(PROOFS, lambda route: route.fulfill(body=file))
    code = RoundCode.parse(quiet.code(TABLE, ROUND))
    page.goto(f"/verify#{code}")
    assert (look(page), first_step(page)) == (verdict, by)
    expect(page.locator("#alarm")).to_be_empty()
    page.goto("about:blank")
    page.goto(f"/verify#{replace(code, seeds=(bytes(32),))}")
    expect(page.locator(".verdict.failed h1")).to_be_visible()


def test_a_proof_of_another_log_says_nothing(reader: Visitor, quiet: QuietService) -> None:
    """Its signature is right, but another key's."""
    operator = Operator()
    operator.table(TABLE, "crash")
    operator.batch(TABLE, 20)
    operator.play(TABLE, 3)
    file = bytes(proof_of(operator, TABLE, ROUND))
    page = reader.visit()
    page.route(PROOFS, lambda route: route.fulfill(body=file))
    page.goto(f"/verify#{quiet.code(TABLE, ROUND)}")
    assert (look(page), first_step(page)) == (HELD, BY_FILES)


@pytest.mark.parametrize("status", [300, 404, 429, 500, None], ids=str)
def test_without_a_proof_file_the_logs_files_are_asked_for(
    reader: Visitor, quiet: QuietService, status: int | None
) -> None:
    """Several tables' ids begin alike, there is none, the service has no time, it fails, or there is no answer."""
    if status != 300:
        reader.expect_complaint(f"status of {status}" if status else "ERR_FAILED")
    page = reader.visit()
    page.route(PROOFS, lambda route: route.abort() if status is None else route.fulfill(status=status, body="{}"))
    page.goto(f"/verify#{quiet.code(TABLE, ROUND)}")
    assert (look(page), first_step(page)) == (HELD, BY_FILES)


def test_one_request_shows_a_round(reader: Visitor, quiet: QuietService) -> None:
    """Nothing of the code is sent but its table's eight digits and its round; the log is read afterwards."""
    code = RoundCode.parse(quiet.code(TABLE, ROUND))
    page = reader.visit()
    paths = asked(page)
    kept = hold(page, "**/scripts/verify-later.js*")
    page.goto(f"/verify#{code}")
    assert (look(page), first_step(page)) == (HELD, BY_PROOF)
    expect(page.locator("#not-proven")).to_contain_text("one lock")
    assert [path for path in paths if path.startswith(("v1/", "log/"))] == [
        f"v1/proofs/{code.table_prefix.hex()}/{ROUND}"
    ]
    assert not any(seed.hex() in path for path in paths for seed in code.seeds)
    kept[0].continue_()
    expect(page.locator("#memory")).to_contain_text("still continues what it was")
    assert paths.count("log/checkpoint") == 1


@pytest.mark.parametrize("late", [PROOFS, "**/scripts/verify.js*"], ids=["the proof", "the script"])
def test_the_answers_may_come_in_either_order(reader: Visitor, quiet: QuietService, late: str) -> None:
    """The proof is asked for once, and waits for the script as the script waits for it."""
    page = reader.visit()
    paths = asked(page)
    early = "/scripts/verify.js" if late == PROOFS else "/v1/proofs/"
    kept = hold(page, late)
    with page.expect_event("requestfinished", lambda request: early in request.url):
        page.goto(f"/verify#{quiet.code(TABLE, ROUND)}", wait_until="commit")
    assert page.locator(".verdict.held").count() == 0
    kept[0].continue_()
    assert (look(page), first_step(page)) == (HELD, BY_PROOF)
    assert sum(path.startswith("v1/proofs/") for path in paths) == 1


def test_a_slow_proof_is_not_waited_for(reader: Visitor, quiet: QuietService) -> None:
    """After five seconds the log's files are asked for, and what comes later changes nothing."""
    page = reader.visit()
    page.clock.install()
    kept = hold(page, PROOFS)
    page.goto(f"/verify#{quiet.code(TABLE, ROUND)}")
    expect(page.locator("#verdict")).to_have_class("verdict working")
    page.clock.run_for(5000)
    assert (look(page), first_step(page)) == (HELD, BY_FILES)
    kept[0].fulfill(body=b"late")
    assert headline(page) == FIXED["en"]
