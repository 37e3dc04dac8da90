"""The pages of a table and of a round, in every state of both."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from html import escape, unescape
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from flask import Flask
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from api.pages import history
from api.rounds.tables import request_close
from api.server.app import create_app
from fairness.hashing import sha256
from fairness.records.record import BatchRecord, Bets, LockRecord, SaltRecord
from fairness.records.replay import read_record
from games.declared.catalogue import listed
from games.facts.hi_lo import DECK
from tests.support.browser.demo_service import HOSTILE_REASONS
from tests.support.calls import call_of
from tests.support.in_process_service import InProcessService
from tests.support.salted_service import TABLE, can_play, salted_service, wait_until

pytestmark = pytest.mark.both_databases("filters and pages are questions to the database")

BROWSER = {"Accept": "text/html"}
KENO, CRASH, CARDS, SHOTS, DICE, BUSY = "keno-1", "crash-1", "hi-lo-1", "penalty-1", "sic-bo-1", "keno-busy"
TABLES = {
    KENO: "keno-express",
    CRASH: "crash",
    CARDS: "hi-lo",
    SHOTS: "penalty",
    DICE: "sic-bo",
    BUSY: "keno-express",
    **dict.fromkeys(("closed", "ended", "halted", "fresh", "hostile", "states", "counted"), "keno-express"),
}
PLAYED = 60


@pytest.fixture(scope="module")
def inside(tmp_path_factory: pytest.TempPathFactory) -> Iterator[InProcessService]:
    """A service whose tables have played some rounds."""
    made = InProcessService.create(
        tmp_path_factory.mktemp("tables") / "data", batch_size=200, tables=list(TABLES.items())
    )
    for table in (KENO, CRASH, CARDS, SHOTS, DICE):
        made.play(table, PLAYED - 1)
        made.open(table, PLAYED)
        made.lock(table, PLAYED)
        made.void(table, PLAYED)
    made.settle()
    yield made
    made.stop()


@pytest.fixture(scope="module")
def app(inside: InProcessService) -> Flask:
    """Its application."""
    return create_app(inside.service)


@pytest.fixture
def client(app: Flask) -> FlaskClient:
    """A browser."""
    return app.test_client()


def get(client: FlaskClient, path: str) -> TestResponse:
    answer = client.get(path, headers=BROWSER)
    assert answer.mimetype == "text/html", answer.text
    return answer


def main(client: FlaskClient, path: str) -> str:
    """The text of a page, without markup, as one line."""
    answer = get(client, path)
    assert answer.status_code == 200
    return words_of(answer.text.partition("<main")[2].partition("</main>")[0])


def words_of(markup: str) -> str:
    return " ".join(unescape(re.sub(r"<[^>]*>", " ", "<" + markup)).split())


def rounds_on(text: str) -> list[int]:
    """The rounds of a page's history, in order."""
    listed = text.partition("data-history>")[2].partition("</ol>")[0]
    return [int(number) for number in re.findall(r'href="/tables/[^/]+/rounds/([0-9]+)"', listed)]


def follow(client: FlaskClient, path: str, way: str) -> list[list[int]]:
    """The rounds of a page and of all following ones."""
    found = []
    for _ in range(100):
        text = get(client, path).text
        found.append(rounds_on(text))
        onwards = re.search(rf'rel="{way}" href="([^"]*)"', text.partition('id="history"')[2])
        if onwards is None:
            return found
        path = unescape(onwards[1])
    raise AssertionError("pages without end")


def ended(client: FlaskClient, table: str) -> dict[int, dict[str, Any]]:
    rounds = client.get(f"/v1/tables/{table}/rounds?limit=500").get_json()["rounds"]
    return {each["round"]: each for each in rounds if "outcome" in each}


# The round


def test_a_round_from_its_commitment_to_its_reveal(inside: InProcessService, client: FlaskClient) -> None:
    """Each state in words; commitment and receipt before, code, picture and proof after; and no secret too early."""
    table, path = "states", "/tables/states/rounds/1"
    steps: list[tuple[Callable[[str, int], object], str]] = [
        (inside.status, "fixed in advance"),
        (inside.open, "open for bets"),
        (inside.lock, "bets are closed"),
    ]
    before = []
    for act, state in steps:
        act(table, 1)
        markup = get(client, path).text
        before.append(markup)
        assert f"Round 1 {state}" in main(client, path)
        assert "Download the receipt" in markup
        assert 'class="picture' not in markup
        assert "Round code" not in markup
    inside.reveal(table, 1)
    inside.settle()
    markup, known = get(client, path).text, client.get("/v1/tables/states/rounds/1").json
    assert known is not None
    assert "Round 1 played" in main(client, path)
    assert 'class="picture large"' in markup
    assert f'href="/verify#{known["round_code"]}"' in markup
    assert f'<code id="code" class="copied">{known["round_code"]}</code>' in markup
    assert f'href="/v1/proofs/{known["table_id"]}/1"' in markup
    assert "Download the proof" in markup
    for earlier in before:
        assert known["commitments"][0] in earlier
        assert known["seeds"][0] not in earlier
        assert known["round_code"] not in earlier


def test_the_time_line_has_the_positions_of_the_log(inside: InProcessService, client: FlaskClient) -> None:
    """Committed, locked with its bets, revealed: the positions of these records, and their times."""
    line = main(client, f"/tables/{KENO}/rounds/7").partition("How this is proven")[2]
    positions = [int(number.replace(",", "")) for number in re.findall(r"position ([0-9,]+) in the log", line)]
    log = inside.service.publication.newest()
    assert log is not None
    records = [json.loads(log.tiles.record(position)) for position in positions]
    assert [record["type"] for record in records] == ["batch", "lock", "reveal"]
    assert all(record["table"] == KENO for record in records)
    assert [record["round"] for record in records[1:]] == [7, 7]
    assert "6 rounds of this table come in between: 1 to 6." in line
    assert "With 7 bets" in line
    times = [records[0]["committed"], records[1]["opened"], records[1]["locked"], records[2]["revealed"]]
    shown = re.findall(r'<time class="when" datetime="([^"]+)"', get(client, f"/tables/{KENO}/rounds/7").text)
    assert shown == [times[0], times[2], times[3], *times], "fixed, closed and published; then each with its record"
    assert "clock" in line


def test_rounds_in_between_are_counted_from_the_batch_of_the_round(tmp_path_factory: pytest.TempPathFactory) -> None:
    """For a later batch they begin with the first round that was locked after it, in the order of the log."""
    with_batches = InProcessService.create(
        tmp_path_factory.mktemp("batches") / "data", batch_size=4, tables=[("keno", "keno-express")]
    )
    for _ in range(20):
        with_batches.play("keno")
        with_batches.settle()
    client = create_app(with_batches.service).test_client()
    log = with_batches.service.publication.newest()
    assert log is not None
    records = [read_record(log.tiles.record(at)) for at in range(log.size)]
    for number in range(1, 21):
        batch = next(
            at
            for at, record in enumerate(records)
            if isinstance(record, BatchRecord) and record.first <= number < record.first + record.count
        )
        between = [each.round for each in records[batch:] if isinstance(each, LockRecord) and each.round < number]
        line = main(client, f"/tables/keno/rounds/{number}")
        if between[:1] in ([], [1]) and len(between) < with_batches.state("keno").lead:
            assert "Fixed before this table’s first round" in line
        else:
            assert re.search(f"Fixed {len(between)} rounds? before this one", line)
        if not between:
            assert "That was before" in line
        elif len(between) == 1:
            assert f"One round of this table comes in between: round {between[0]}." in line
        else:
            assert f"{len(between)} rounds of this table come in between: {between[0]} to {between[-1]}." in line
    with_batches.stop()


def test_a_round_is_fixed_by_its_salt_and_not_before(tmp_path: Path) -> None:
    """Before: committed, not fixed, on its page, its table's and the home page; after: the salt's place, and the
    rounds since.
    """
    with salted_service(tmp_path / "data") as running:
        running.settle()
        client = create_app(running.service).test_client()
        text = main(client, f"/tables/{TABLE}/rounds/1")
        assert "Round 1 not fixed yet This round is still to come. Its result also depends on a public number" in text
        assert "This round is committed, but its outcome is not fixed yet" in text
        assert "Rounds 1 to 12 were committed together." in text
        assert re.search(r"The beacon’s pulse .* UTC still to come", text)
        assert not re.search(
            "fixed already|fixed in advance|fixed together|was fixed|before this table’s first", text
        )
        assert re.search("Rounds fixed ahead: 0 .*Fixed through round 0 ", main(client, f"/tables/{TABLE}"))
        assert re.search("Rounds fixed ahead 0 .* Rounds fixed ahead: 0 ", main(client, "/"))
        (feed,) = json.loads(client.get("/v1/live").data)["tables"]
        assert (feed["committed_through"], feed["fixed_through"], feed["coming"]) == (24, 0, [])

        wait_until(running, lambda: can_play(running))
        running.play(TABLE, 5)
        running.settle()
        state = running.state(TABLE)
        first, awaited = next((batch.first, batch.number) for batch in state.batches if batch.awaits is not None)
        assert "not fixed yet" in main(client, f"/tables/{TABLE}/rounds/{first}"), "its batch awaits its salt"
        ahead = first - 1 - 5
        text = main(client, f"/tables/{TABLE}")
        assert re.search(f"Rounds fixed ahead: {ahead} .*Fixed through round {first - 1} ", text)
        wait_until(running, lambda: can_play(running, first))
        running.play(TABLE, 2)
        running.settle()
        log = running.service.publication.newest()
        assert log is not None
        found = [read_record(log.tiles.record(at)) for at in range(log.size)]
        salt = next(
            at for at, record in enumerate(found) if isinstance(record, SaltRecord) and record.batch == awaited
        )
        text = main(client, f"/tables/{TABLE}/rounds/{first}")
        assert "fixed in advance" in text
        assert re.search(rf"The beacon’s pulse .* were fixed together\. [^·]* · position {salt} in the log", text)
        between = [record.round for record in found[salt:] if isinstance(record, LockRecord)]
        assert f"{first - 6} rounds of this table come in between: {between[0]} to {first - 1}." in text
        assert between[0] == 6


@pytest.mark.parametrize("reason", HOSTILE_REASONS)
def test_a_reason_is_only_text(inside: InProcessService, client: FlaskClient, reason: str) -> None:
    """Whatever it looks like. Next to it is the round's outcome, struck through."""
    number = inside.state("hostile").next_round
    inside.void("hostile", number, reason)
    inside.settle()
    markup = get(client, f"/tables/hostile/rounds/{number}").text
    assert f'translate="no">{escape(reason).replace("&quot;", "&#34;").replace("&#x27;", "&#39;")}</strong>' in markup
    text = words_of(markup)
    assert "What it would have been" in text
    assert (
        "This round does not count. A bet on it alone is paid back. It was called off before it was opened for bets."
        in text
    )
    assert "The operator says that the game’s program called it off." in text
    assert "Given up It had not been opened." in text
    assert re.search(r'<g opacity="0.4">.*</g><path d="M0 260 440 0"', markup)
    assert re.search(r"<s [^>]*>number [0-9]+</s>", markup)


def test_a_round_given_up_after_it_was_opened(inside: InProcessService, client: FlaskClient) -> None:
    """It says so, and when it was opened."""
    number = inside.state("hostile").next_round
    inside.open("hostile", number)
    inside.void("hostile", number)
    inside.settle()
    assert re.search(
        r"It was opened for bets, and called off before they were closed. .*Opened for bets .*Given up It had been open for bets.",
        main(client, f"/tables/hostile/rounds/{number}"),
    )


def test_what_is_not_published_yet_has_no_position(inside: InProcessService, client: FlaskClient) -> None:
    """A round whose reveal is queued has ended, but its time line shows only what the log has."""
    number = inside.state("fresh").next_round
    inside.open("fresh", number)
    inside.lock("fresh", number)
    with inside.background_paused():
        inside.reveal("fresh", number)
        line = main(client, f"/tables/fresh/rounds/{number}").partition("How this is proven")[2]
        assert re.search(r"Locked: no more bets With \d+ bets?, .* in the log .* Revealed still to come", line)
    inside.settle()


def test_a_round_that_was_never_played(inside: InProcessService, client: FlaskClient) -> None:
    """Its table was closed before its turn; the table's page also says so, with the number of such rounds."""
    inside.play("closed", 2)
    request_close(inside.service.writer, "closed")
    inside.settle()
    assert inside.state("closed").closed
    assert "Round 3 never played" in main(client, "/tables/closed/rounds/3")
    text = main(client, "/tables/closed")
    assert "closed 1 closed" not in text
    assert "This table takes no more rounds." in text
    assert f"{inside.state('closed').counts.unused} committed rounds were never played." in text
    assert "fixed ahead" not in text
    # It takes no more bets, and nothing is still secret.
    assert "before you bet" not in text
    assert "data-coming" not in get(client, "/tables/closed").text
    assert "Its seed is public" in main(client, "/tables/closed/rounds/3")


def test_a_table_that_has_ended_and_is_not_closed(inside: InProcessService, client: FlaskClient) -> None:
    """It takes no more rounds, but the seeds of those left are not public yet: no page says that they are."""
    with inside.background_paused():
        request_close(inside.service.writer, "ended")
        inside.keeper.turn()
        state = inside.state("ended")
        assert (state.ended, state.closed) == (True, False)
        text = main(client, "/tables/ended")
        assert "This table takes no more rounds." in text
        assert "become public when the table is closed" in text
        assert not re.search("fixed ahead|comes next|before you bet|never played", text)
        assert "Its seed becomes public when the table is closed." in main(client, "/tables/ended/rounds/1")
    inside.settle()
    assert inside.state("ended").closed
    assert "Their seeds are public" in main(client, "/tables/ended")


def test_rounds_fixed_ahead_are_those_still_to_come(inside: InProcessService) -> None:
    """Rounds of a closed table do not count, because their seeds are public; nor do rounds in progress."""
    request_close(inside.service.writer, "closed")
    inside.settle()
    inside.open("fresh", inside.state("fresh").next_round)
    client = create_app(inside.service).test_client()
    markup = get(client, "/").text
    tables = json.loads(client.get("/v1/live").data)["tables"]
    assert {table["table"]: table["ended"] for table in tables}["closed"] is True
    ahead = {}
    for table in tables:
        first = table["now"][-1]["round"] + 1 if table["now"] else table["next_round"]
        ahead[table["table"]] = 0 if table["ended"] else table["committed_through"] - first + 1
    assert f"Rounds fixed ahead {sum(ahead.values()):,} " in words_of(markup)
    row = words_of(markup.partition('data-table="closed"')[2].partition("</li>")[0])
    assert "closed" in row
    assert "comes next" not in row
    inside.void("fresh", inside.state("fresh").next_round)


def test_a_seed_is_not_said_to_be_secret_until_the_lock_only(client: FlaskClient) -> None:
    """For an unopened round: the custodian holds it until the lock, and it is public from the reveal on."""
    text = main(client, f"/tables/{DICE}/rounds/{PLAYED + 5}")
    assert "gives the seed away only when the round is locked; everybody can read it from the reveal on." in text


def test_the_page_of_a_round_does_not_say_that_its_check_trusts_nothing(client: FlaskClient) -> None:
    """The script and the key of the check come from the same site."""
    assert "with a script and a key from this site" in main(client, f"/tables/{KENO}/rounds/1")


def test_rounds_without_bets_are_counted_on_their_tables_page(inside: InProcessService, client: FlaskClient) -> None:
    """By their locks, in the plural of each language."""
    assert "closed for bets" not in main(client, "/tables/counted")
    inside.play("counted", 1)
    assert "1 round was closed for bets: 0 without a digest" in main(client, "/tables/counted")
    assert "1 раунд был закрыт для ставок: без" in main(client, "/tables/counted?lang=ru")
    assert "փակվել է 1 ռաունդ. առանց" in main(client, "/tables/counted?lang=hy")
    inside.play("counted", 1)
    assert "2 раунда были закрыты для ставок: без" in main(client, "/tables/counted?lang=ru")
    for number, bets in ((3, None), (4, Bets(count=0, root=sha256(b"").hex())), (5, None)):
        inside.open("counted", number)
        inside.service.rounds.lock("counted", number, bets, call=call_of("counted", number))
        inside.reveal("counted", number)
    told = "5 rounds were closed for bets: 2 without a digest of the bets, 1 without bets."
    assert told in main(client, "/tables/counted?lang=en")
    assert "5 раундов были закрыты для ставок: без" in main(client, "/tables/counted?lang=ru")


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("/tables/nowhere", 404),
        ("/tables/nowhere/rounds/1", 404),
        (f"/tables/{KENO}/rounds/9999", 404),
        (f"/tables/{KENO}/rounds/0", 400),
        (f"/tables/{KENO}/rounds/01", 400),
        (f"/tables/{KENO}/rounds/x", 400),
        (f"/tables/{KENO}?before=x", 400),
        (f"/tables/{KENO}?before=0", 400),
        (f"/tables/{KENO}?after=-1", 400),
        (f"/tables/{KENO}?status=lost", 400),
        (f"/tables/{KENO}?outcome={'7' * 41}", 400),
        (f"/tables/{CRASH}?from=much", 400),
        (f"/tables/{CRASH}?to=1.234", 400),
        (f"/tables/{CRASH}?from=%D9%A1", 400),
        ("/tables/%3Cscript%3E", 404),
        (f"/tables/{KENO}/", 404),
    ],
)
def test_what_there_is_not_is_a_page_that_says_so(client: FlaskClient, path: str, status: int) -> None:
    """For an unknown table or round, or a malformed number or filter: a page, with nothing of the address as
    markup.
    """
    answer = get(client, path)
    assert answer.status_code == status
    assert "<script>" not in answer.text


# The table


def test_a_table_says_what_is_fixed_already(inside: InProcessService, client: FlaskClient) -> None:
    """How many rounds, through which, and the next commitments as in the public call."""
    state = inside.state(KENO)
    text, markup = main(client, f"/tables/{KENO}"), get(client, f"/tables/{KENO}").text
    ahead = state.committed_through - state.next_round + 1
    assert f"Rounds fixed ahead: {ahead} " in text
    assert f"Fixed through round {state.committed_through} " in text
    assert "fixed at least 2 rounds ahead" in text
    coming = client.get(f"/v1/tables/{KENO}/rounds?from={PLAYED + 1}&limit=3").json
    assert coming is not None
    for each in coming["rounds"]:
        assert f"{each['commitments'][0][:16]}…" in text
        assert f'href="/tables/{KENO}/rounds/{each["round"]}"' in markup
    assert state.table_id.hex() in text
    assert "59 played, 1 void" in text
    assert "Salt none" in text
    assert "Custodian house" in text


def test_the_rules_are_in_plain_words(client: FlaskClient) -> None:
    """The return to players, and the largest multiplier."""
    assert "is 97 % divided by x, for every x from 1.01 up to the largest multiplier, 10000.00" in main(
        client, f"/tables/{CRASH}"
    )
    for table in TABLES:
        assert "Odds, bets and payments belong to the game" in main(client, f"/tables/{table}")


def test_the_rounds_that_are_going_on(inside: InProcessService, client: FlaskClient) -> None:
    """None, an open one, a locked one; in a game with a flight one of both."""
    assert f"Now Round {PLAYED + 1} comes next" in main(client, f"/tables/{CRASH}")
    inside.open(CRASH, PLAYED + 1)
    assert f"Now Round {PLAYED + 1} open for bets since" in main(client, f"/tables/{CRASH}")
    inside.lock(CRASH, PLAYED + 1)
    inside.open(CRASH, PLAYED + 2)
    text = main(client, f"/tables/{CRASH}")
    assert re.search(rf"Now Round {PLAYED + 1} in flight since .* Round {PLAYED + 2} open for bets since", text)
    inside.reveal(CRASH, PLAYED + 1)
    inside.lock(CRASH, PLAYED + 2)
    inside.reveal(CRASH, PLAYED + 2)
    inside.settle()


def test_the_last_round_is_the_picture(client: FlaskClient) -> None:
    """A void one is struck through, and says so."""
    markup = get(client, f"/tables/{SHOTS}").text.partition('id="last"')[2].partition("</section>")[0]
    assert 'class="picture large"' in markup
    assert 'opacity="0.4"' in markup
    assert 'aria-label="void: ' in markup
    assert "void" in words_of(markup)


def test_a_halted_table_says_so(inside: InProcessService, client: FlaskClient) -> None:
    """The reason is only for the operator."""
    inside.tamper("UPDATE tables SET halted = 'a secret of ours' WHERE name = 'halted'")
    text = main(client, "/tables/halted")
    assert "halted" in text
    assert "No round is played until the operator has found out why." in text
    assert "a secret" not in text
    inside.tamper("UPDATE tables SET halted = NULL WHERE name = 'halted'")


# The history


def test_the_history_is_whole_in_both_directions(client: FlaskClient) -> None:
    """Page by page, each round once, newest first; and back again."""
    down = follow(client, f"/tables/{KENO}", "next")
    assert [number for page in down for number in page] == list(range(PLAYED, 0, -1))
    assert {len(page) for page in down[:-1]} == {history.ROUNDS_ON_A_PAGE}
    up = follow(client, f"/tables/{KENO}?before=5", "prev")
    assert sorted(number for page in up for number in page) == list(range(1, PLAYED + 1))


def test_an_address_shows_the_same_rounds_for_ever(inside: InProcessService, client: FlaskClient) -> None:
    """Whatever is played meanwhile."""
    inside.play(BUSY, 5)
    first = rounds_on(get(client, f"/tables/{BUSY}?before=5").text)
    inside.play(BUSY, 5)
    inside.settle()
    assert rounds_on(get(client, f"/tables/{BUSY}?before=5").text) == first == [4, 3, 2, 1]
    assert rounds_on(get(client, f"/tables/{BUSY}").text)[0] == 10


@pytest.mark.lattice
@pytest.mark.parametrize(
    ("searched", "checked"),
    [(history.ROUNDS_SEARCHED, history.ROUNDS_CHECKED), (7, history.ROUNDS_CHECKED), (history.ROUNDS_SEARCHED, 3)],
)
@pytest.mark.parametrize(
    ("table", "query", "fits"),
    [
        (KENO, "status=played", lambda each: each["status"] == "played"),
        (KENO, "status=void", lambda each: each["status"] == "void"),
        (KENO, "outcome=37", lambda each: each["outcome"]["number"] == 37),
        (CARDS, "outcome=red", lambda each: each["outcome"].get("color") == "red"),
        (CARDS, "outcome=q+BLACK", lambda each: each["outcome"] == {"card": "Q", "color": "black"}),
        (CARDS, "outcome=Joker", lambda each: each["outcome"] == {"card": "Joker"}),
        (
            SHOTS,
            "outcome=14&status=played",
            lambda each: each["outcome"] == {"sector": 14} and each["status"] == "played",
        ),
        (SHOTS, "outcome=bar", lambda each: each["outcome"] == {"result": "bar"}),
        (DICE, "outcome=6", lambda each: 6 in each["outcome"]["dice"]),
        (DICE, "outcome=2,2", lambda each: each["outcome"]["dice"].count(2) >= 2),
        (DICE, "outcome=1-2", lambda _: False),
        (CRASH, "from=2", lambda each: float(each["outcome"]["multiplier"]) >= 2),
        (CRASH, "from=1.5&to=3,00", lambda each: 1.5 <= float(each["outcome"]["multiplier"]) <= 3),
        (CRASH, "to=1", lambda each: each["outcome"]["multiplier"] == "1.00"),
        (KENO, "from=2", lambda _: False),
        *(
            (DICE, f"outcome={word}", lambda _: False)
            for word in ("dice", "*", "?", "[1-6]", "%5B%2C", '"', "%5C", "1*")
        ),
        (CARDS, "outcome=card+red+q+7", lambda _: False),
    ],
)
def test_a_filter_finds_each_round_that_fits_and_no_other(
    client: FlaskClient,
    monkeypatch: pytest.MonkeyPatch,
    table: str,
    query: str,
    fits: Callable[[dict[str, Any]], bool],
    searched: int,
    checked: int,
) -> None:
    """Down to the first round, however few rounds one page may search; and up again."""
    monkeypatch.setattr(history, "ROUNDS_SEARCHED", searched)
    monkeypatch.setattr(history, "ROUNDS_CHECKED", checked)
    expected = [number for number, each in ended(client, table).items() if fits(each)]
    down = follow(client, f"/tables/{table}?{query}", "next")
    assert [number for page in down for number in page] == expected[::-1]
    up = follow(client, f"/tables/{table}?{query}&after=1", "prev")
    assert sorted(number for page in up for number in page) == [number for number in expected if number > 1]


def test_a_search_says_how_far_it_went(client: FlaskClient, monkeypatch: pytest.MonkeyPatch) -> None:
    """A page without a match is no end: it says which rounds were searched, and has a link to go on."""
    monkeypatch.setattr(history, "ROUNDS_SEARCHED", 10)
    text = main(client, f"/tables/{KENO}?outcome=101")
    assert "None of the rounds that were looked at is like that." in text
    assert f"Rounds {PLAYED - 9} to {PLAYED} were looked at." in text
    assert "Older →" in text


@pytest.mark.parametrize(("query", "checked"), [("outcome=101", 0), ("from=2", 0), ("outcome=number", 5)])
def test_the_database_does_the_searching(
    client: FlaskClient, monkeypatch: pytest.MonkeyPatch, query: str, checked: int
) -> None:
    """A filter without matches reads no outcomes; one that the database cannot decide reads a limited number."""
    monkeypatch.setattr(history, "ROUNDS_CHECKED", 5)
    seen: list[object] = []
    monkeypatch.setattr(history.Wanted, "fits", lambda _, row: seen.append(row))
    get(client, f"/tables/{KENO}?{query}")
    assert len(seen) == checked


def test_what_was_asked_for_stays_in_the_form(client: FlaskClient) -> None:
    """It is chosen on the next page, and mere text, whatever it is."""
    markup = get(client, f'/tables/{DICE}?outcome="><script>&status=void').text
    assert 'value="&#34;&gt;&lt;script&gt;"' in markup
    assert '<option value="void" selected>' in markup
    assert '<option value="Q red" selected>Q, red</option>' in get(client, f"/tables/{CARDS}?outcome=Q+red").text


def test_every_card_can_be_chosen(client: FlaskClient) -> None:
    """And finds itself: the filter accepts every entry of the list."""
    markup = get(client, f"/tables/{CARDS}").text
    offered = re.findall(r'<option value="([^"]+)"', markup.partition('name="outcome"')[2].partition("</select>")[0])
    assert offered == ["red", "black", *(" ".join(map(str, card.values())) for card in DECK)]


@pytest.mark.parametrize(
    ("game", "rules", "words"),
    [
        ("penalty", {"version": 1}, [*(str(sector) for sector in range(1, 25)), "bar", "failure"]),
        ("crazy-time", {"version": 1}, ["1", "2", "5", "10", "cash-hunt", "pachinko", "coin-flip", "crazy-time"]),
        ("roulette", {"version": 1}, []),
        ("sic-bo", {"version": 1}, []),
        ("crash", {"cap": 1_000_000, "rtp": 9700, "version": 1}, []),
    ],
)
def test_one_of_few_outcomes_can_be_chosen(game: str, rules: dict[str, int], words: list[str]) -> None:
    """Whatever draws it: ends, segments. Of more than thirty outcomes, and of several things, none are listed."""
    found = history.choices(listed(game).declaration, rules)
    assert [" ".join(map(str, each.values())) for each in found] == words


def test_every_link_of_both_pages_leads_somewhere(client: FlaskClient) -> None:
    """Within the service, except `/verify`."""
    for start in (f"/tables/{CRASH}", f"/tables/{CRASH}/rounds/3"):
        for link in set(re.findall(r'href="(/[^"#]*)', get(client, start).text)) - {"/verify"}:
            address = unescape(link)
            assert client.get(address, buffered=True).status_code == 200, urlsplit(address).path
