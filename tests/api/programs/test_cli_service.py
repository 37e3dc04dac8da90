"""``foredraw`` on a running service: tokens, tables, rounds and the demo dealer."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator

import pytest

from api.problems import Code
from fairness.log.merkle import EMPTY_ROOT
from tests.support.commands import foredraw
from tests.support.http import is_problem
from tests.support.running_service import RunningService, running_service, wait_until
from tests.support.tokens import UNKNOWN

TABLES = {f"keno-{name}": "keno-express" for name in ("1", "2", "open", "locked", "idle", "void", "played")}
LEAD, BATCH_SIZE = 2, 20


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningService]:
    """One service for all tests of this file."""
    with running_service(tmp_path_factory.mktemp("cli") / "data", TABLES, batch_size=BATCH_SIZE) as running:
        yield running


def said(service: RunningService, *arguments: str) -> str:
    """Run the program, which must succeed without errors; returns its output."""
    result = foredraw(service.folder, *arguments, batch_size=service.batch_size)
    assert (result.returncode, result.stderr) == (0, ""), result
    return result.stdout


def test_a_token_is_good_until_it_is_revoked(service: RunningService) -> None:
    """It is valid at once for its table; a second after it is revoked, every process refuses it."""
    text = said(service, "token", "create", "engine-1", "--table", "keno-1").strip()
    path = "/v1/engine/tables/keno-1/rounds/1/open"
    assert service.post(path, token=text).status == 200
    assert text not in said(service, "token", "list")
    said(service, "token", "revoke", "engine-1")
    time.sleep(1.0)
    for _ in range(20):
        is_problem(service.post(path, token=text), Code.UNKNOWN_TOKEN)
    assert text not in service.output


def test_a_table_is_added_while_the_service_runs(service: RunningService) -> None:
    """It is published and gets committed rounds without a restart, and its first round is played."""
    assert "queued" in said(service, "table", "add", "crash-new", "crash")
    service.settle()
    assert service.play("crash-new", 1).status == 200
    assert re.search(
        r"^crash-new +crash +lead 10 +committed through 40 +next round 2$",
        said(service, "table", "list"),
        re.MULTILINE,
    )


def test_a_table_is_made_with_bets_required(service: RunningService) -> None:
    """Its locks need a digest, which is public knowledge."""
    said(service, "table", "add", "keno-required", "keno-express", "--bets", "required")
    service.settle()
    assert service.get("/v1/tables/keno-required").document["bets_required"]
    assert service.act("keno-required", 1, "open").status == 200
    refused = service.act("keno-required", 1, "lock")
    assert (refused.status, refused.document["code"]) == (400, "bets-required")
    assert service.act("keno-required", 1, "lock", {"bets": {"count": 0, "root": EMPTY_ROOT.hex()}}).status == 200


def test_a_table_is_made_and_set_with_an_order(service: RunningService) -> None:
    """It is kept unless the operator chooses otherwise, and only where there is one."""
    said(service, "table", "add", "cards-kept", "blackjack")
    said(service, "table", "add", "cards-whole", "blackjack", "--order", "whole")
    service.settle()
    assert [service.get(f"/v1/tables/cards-{order}").document["order"] for order in ("kept", "whole")] == [
        "kept",
        "whole",
    ]
    said(service, "table", "set", "cards-kept", "--order", "whole")
    assert service.get("/v1/tables/cards-kept").document["order"] == "whole"
    refused = service.foredraw("table", "add", "dice-kept", "sic-bo", "--order", "kept")
    assert refused.returncode == 1
    assert "sic-bo has no order that could be kept" in refused.stderr


def test_closing_a_table_accounts_for_every_round(service: RunningService) -> None:
    """An open round is given up, end and close follow, and the seeds of all unused rounds are public."""
    service.play("keno-open", 1)
    service.act("keno-open", 2, "open")
    assert said(service, "table", "close", "keno-open") == "Table keno-open is closed.\n"
    service.settle()
    state = service.replay()["keno-open"]
    committed = state.committed_through
    counts = state.counts
    assert state.closed
    assert (counts.played, counts.void_opened, counts.void, counts.unused) == (1, 1, 1, committed - 2)
    shown = service.get("/v1/tables/keno-open").document
    assert shown["closed"] is True
    rounds = service.get("/v1/tables/keno-open/rounds?limit=500").document["rounds"]
    assert [found["status"] for found in rounds] == ["played", "void", *["unused"] * (committed - 2)]
    assert rounds[1]["reason"] == "table closed"
    is_problem(service.act("keno-open", 3, "open"), Code.TABLE_CLOSED)
    is_problem(service.act("keno-open", 3, "void", {"reason": "x"}), Code.TABLE_CLOSED)
    assert service.act("keno-open", 1, "reveal").document["status"] == "played"
    assert said(service, "table", "close", "keno-open") == "Table keno-open is closed.\n"
    assert re.search(r"^keno-open .* closed$", said(service, "table", "list"), re.MULTILINE)


def test_a_table_without_rounds_is_closed(service: RunningService) -> None:
    """All its rounds are unused."""
    said(service, "table", "close", "keno-idle")
    service.settle()
    state = service.replay()["keno-idle"]
    assert (state.closed, state.counts.unused, state.counts.void) == (True, state.committed_through, 0)


def test_closing_a_table_waits_for_its_locked_round(service: RunningService) -> None:
    """No round opens any more; the locked round ends as played, by its engine, then the table closes."""
    service.act("keno-locked", 1, "open")
    outcome = service.act("keno-locked", 1, "lock").document["outcome"]
    assert "takes no more opens" in said(service, "table", "close", "keno-locked", "--wait", "0")
    is_problem(service.act("keno-locked", 2, "open"), Code.TABLE_CLOSED)
    assert service.act("keno-locked", 1, "reveal").document["outcome"] == outcome
    wait_until(lambda: bool(service.get("/v1/tables/keno-locked").document["closed"]), "the table to close")
    service.settle()
    counts = service.replay()["keno-locked"].counts
    assert (counts.played, counts.void) == (1, 0)


def test_an_operator_voids_a_round(service: RunningService) -> None:
    """Never opened, opened or locked: its code is printed, its reason is in the log, and it cannot be played."""
    for number, actions in ((1, ()), (2, ("open",)), (3, ("open", "lock"))):
        for action in actions:
            service.act("keno-void", number, action)
        printed = said(service, "round", "void", "keno-void", str(number), "--reason", f"reason {number}")
        shown = service.get(f"/v1/tables/keno-void/rounds/{number}").document
        assert printed == f"keno-void round {number} is void. Its code: {shown['round_code']}\n"
        assert (shown["status"], shown["reason"]) == ("void", f"reason {number}")
    service.settle()
    counts = service.replay()["keno-void"].counts
    assert (counts.void_never_opened, counts.void_opened, counts.void_locked) == (1, 1, 1)
    again = service.foredraw("round", "void", "keno-void", "1", "--reason", "another")
    assert (again.returncode, again.stdout) == (1, "")
    assert re.fullmatch(r"Error: other-body: .*\n", again.stderr)


def test_a_played_round_is_not_voided(service: RunningService) -> None:
    """A public outcome stays; one line says why."""
    service.play("keno-played", 1)
    result = service.foredraw("round", "void", "keno-played", "1", "--reason", "too late")
    assert result.returncode == 1
    assert re.fullmatch(r"Error: out-of-order: .*found round 1 played\n", result.stderr)
    assert service.get("/v1/tables/keno-played/rounds/1").document["status"] == "played"


@pytest.mark.nightly("starts the dealer")
def test_the_dealer_says_that_its_token_is_wrong(service: RunningService) -> None:
    """Unknown, or for another table: one line, exit status 1; the token itself is not repeated."""
    narrow = said(service, "token", "create", "narrow", "--table", "keno-1").strip()
    for token, words in ((UNKNOWN, "token"), (narrow, "not for 'keno-2'")):
        result = service.foredraw("play", "keno-2", "--url", service.engine_url, "--pace", "0", FOREDRAW_TOKEN=token)
        assert (result.returncode, result.stdout) == (1, ""), result
        assert re.fullmatch(rf"Error: keno-2: .*{words}.*\n", result.stderr)
        assert token not in result.stderr
    result = service.foredraw("play", "--url", service.engine_url, FOREDRAW_TOKEN=UNKNOWN)
    assert (result.returncode, result.stdout) == (1, "")
    assert re.fullmatch(r"Error: http://\S+: make a token with .*\n", result.stderr)


@pytest.mark.nightly("starts the dealer")
def test_the_dealer_says_that_it_calls_the_wrong_listener(service: RunningService) -> None:
    """On the public listener it gives up at once, and names what takes its calls."""
    result = service.foredraw("play", "keno-2", "--url", service.url, "--pace", "0", FOREDRAW_TOKEN=service.token)
    assert (result.returncode, result.stdout) == (1, "")
    assert re.fullmatch(rf"Error: keno-2: .* call {service.engine_url}\n", result.stderr), result.stderr


@pytest.mark.nightly("waits for a program")
def test_the_dealer_says_that_nobody_answers(service: RunningService) -> None:
    """Without a service it prints one line and ends."""
    result = service.foredraw("play", "--url", "http://127.0.0.1:9", FOREDRAW_TOKEN=service.token)
    assert (result.returncode, result.stdout) == (1, "")
    assert re.fullmatch(r"Error: http://127\.0\.0\.1:9 does not answer: .*\n", result.stderr)


@pytest.mark.nightly("starts the dealer")
def test_the_dealer_names_a_table_that_there_is_not(service: RunningService) -> None:
    """An unknown name ends it, with an error that has the name."""
    result = service.foredraw("play", "keno-x", "--url", service.engine_url, FOREDRAW_TOKEN=service.token)
    assert (result.returncode, result.stdout) == (1, "")
    assert re.fullmatch(r"Error: keno-x: no table 'keno-x'\n", result.stderr), result.stderr


def test_the_service_complained_about_nothing(service: RunningService) -> None:
    """After all tests, its messages have no warning, no error, no traceback."""
    assert not re.search("Traceback|ERROR|CRITICAL|WARNING", service.output), service.output
