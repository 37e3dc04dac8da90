"""Rounds over HTTP, on the real service: the answer of every call in every state of a round."""

from __future__ import annotations

import json
from typing import Any

import pytest
from msgspec import to_builtins

from api.problems import Code
from api.rounds.tables import add_table
from fairness.draws.commitments import commitment_at
from fairness.draws.seed_chain import place_of
from fairness.draws.stream import Stream, context
from fairness.log.merkle import EMPTY_ROOT
from fairness.player.round_code import RoundCode
from fairness.records.record import LockRecord
from games import GAMES
from tests.support.http import is_problem
from tests.support.postgres import PostgresServer
from tests.support.running_service import Answer, RunningService, opened, wait_until
from tests.support.shared_services import SharedServices

pytestmark = pytest.mark.nightly("the same answers of the same calls, on a service of its own", on="postgresql")
FLIGHTS, OTHERS = ("crash", "rocketon"), ("hi-lo", "sic-bo", "penalty", "keno-express")
every_game = pytest.mark.parametrize("game", [*FLIGHTS, *OTHERS])
TABLES = {f"rounds-{game}-{i}": game for game in (*FLIGHTS, *OTHERS) for i in range(1, 4)}
TABLES |= {f"rounds-spare-{i}": "keno-express" for i in range(1, 36)}
BETS = {"bets": {"count": 2, "root": "69441177dc37a1ee45439ba871af0f7518dcced50dafbfdc41b47774cfac6e64"}}
OWN_BETS = {"bets": {**BETS["bets"], "count": 3}}
NO_BETS = {"bets": {"count": 0, "root": EMPTY_ROOT.hex()}}


@pytest.fixture(scope="module")
def service(shared_service: SharedServices, server: PostgresServer | None) -> RunningService:
    """The shared service of each database."""
    return shared_service.with_tables(TABLES, server)


@pytest.fixture(scope="module")
def unused(server: object) -> dict[str, list[str]]:
    """Tables that no test has touched, by game; on another database, all of them again."""
    del server
    found: dict[str, list[str]] = {}
    for table, game in TABLES.items():
        found.setdefault(game, []).insert(0, table)
    return found


def known(service: RunningService, table: str, number: int) -> dict[str, Any]:
    """What everybody may know about a round."""
    return service.get(f"/v1/tables/{table}/rounds/{number}").document


@every_game
def test_a_whole_round(service: RunningService, unused: dict[str, list[str]], game: str) -> None:
    """Each answer of a round has exactly its keys, a repeated call answers the same, and the seeds prove the rest."""
    table = unused[game].pop()
    about = {"table": table, "table_id": service.get(f"/v1/tables/{table}").document["table_id"], "round": 1}
    before = known(service, table, 1)
    batch_id = bytes.fromhex(before["batch_id"])
    (commitment,) = before["commitments"]
    assert before == {
        **about,
        "status": "committed",
        "commitments": [commitment],
        "batch": 1,
        "batch_id": batch_id.hex(),
    }

    open_answer = service.act(table, 1, "open")
    assert open_answer.document == {**about, "status": "open"}
    assert service.act(table, 1, "open").data == open_answer.data
    assert known(service, table, 1) == {**before, "status": "open"}

    locked = lock_answer(service, table, 1)
    outcome, time_of_lock = locked["outcome"], locked["locked_at"]
    assert locked == {**about, "status": "locked", "locked_at": time_of_lock, "outcome": outcome}
    assert lock_answer(service, table, 1) == locked
    assert known(service, table, 1) == {**before, "status": "locked"}

    revealed = service.act(table, 1, "reveal")
    (seed,), code = revealed.document["seeds"], revealed.document["round_code"]
    ended = {"status": "played", "outcome": outcome, "seeds": [seed], "round_code": code}
    assert revealed.document == {**about, **ended}
    assert service.act(table, 1, "reveal").data == revealed.data
    assert known(service, table, 1) == {**before, **ended}

    shown = service.get(f"/v1/tables/{table}").document
    table_id, secret = bytes.fromhex(shown["table_id"]), bytes.fromhex(seed)
    assert commitment_at(place_of(table_id, 1), secret).hex() == commitment
    assert GAMES[game].outcome(Stream([secret], context(batch_id), 1), shown["rules"]) == outcome
    assert RoundCode.parse(code) == RoundCode.of(game, table_id, 1, [secret])


def lock_answer(service: RunningService, table: str, number: int) -> dict[str, Any]:
    """The answer to the lock of an engine that gives a digest."""
    answer = service.act(table, number, "lock", BETS)
    assert answer.status == 200, answer
    return dict(answer.document)


def time_of_lock(service: RunningService, table: str) -> str:
    """The time in the log at which the first round of a table was locked."""
    service.settle()
    records = service.table_records()
    return next(record.locked for record in records if isinstance(record, LockRecord) and record.table == table)


def test_every_answer_of_a_lock_is_the_same(service: RunningService, unused: dict[str, list[str]]) -> None:
    """Pending or not, with the time that is the record's: a proxy that repeats a lock and passes on the second answer
    changes nothing.
    """
    table = unused["keno-express"].pop()
    service.act(table, 1, "open")
    path = f"/v1/engine/tables/{table}/rounds/1/lock"
    with service.paused():
        answers = [service.post(path, BETS) for _ in range(2)]
    assert [answer.status for answer in answers] == [202, 202]
    assert answers[0].data == answers[1].data
    final = [service.act(table, 1, "lock", BETS) for _ in range(2)]
    assert final[0].data == final[1].data
    pending = dict(answers[0].document)
    assert str(pending.pop("retry_after")) == answers[0].headers["Retry-After"]
    assert final[0].document == {**pending, "outcome": final[0].document["outcome"]}
    assert answers[0].document["locked_at"] == time_of_lock(service, table)
    service.act(table, 1, "reveal")


@pytest.mark.parametrize(
    "stolen", [{}, BETS, NO_BETS], ids=["without a digest", "with another one", "with the same one"]
)
@pytest.mark.parametrize("own", [NO_BETS, OWN_BETS], ids=["without bets", "with bets"])
def test_an_engine_finds_a_lock_that_is_not_its_own(
    service: RunningService, unused: dict[str, list[str]], own: dict[str, object], stolen: dict[str, object]
) -> None:
    """A thief of its token locks early and reads the outcome; the engine's own lock is refused, also when repeated.

    The digest of no bets can be guessed, and the call cannot.
    """
    table = unused["keno-express"].pop()
    service.act(table, 1, "open")
    assert "outcome" in service.act(table, 1, "lock", {**stolen, "call": "a-thief-made-this-one"}).document
    for _ in range(2):
        answer = service.act(table, 1, "lock", own)
        assert (answer.status, answer.document["code"]) == (409, "other-body")
    assert service.act(table, 1, "void", VOID).status == 200


def test_an_opening_of_another_call_is_no_theft(service: RunningService, unused: dict[str, list[str]]) -> None:
    """Its answer says so, and the round is locked all the same. One without a call matches any, and is matched by
    any.
    """
    table = unused["keno-express"].pop()
    mine, others = {"call": "an-engine-made-this-one"}, {"call": "another-made-that-one"}
    for number, first, repeats in ((1, mine, (mine, None, {})), (2, None, (mine, others, None))):
        assert service.act(table, number, "open", first).status == 200
        for repeat in repeats:
            assert service.act(table, number, "open", repeat).status == 200
        if first is mine:
            refusal = service.act(table, number, "open", others)
            assert (refusal.status, refusal.document["code"]) == (409, "other-body")
        assert service.act(table, number, "lock").status == 200
        assert service.act(table, number, "reveal").status == 200


@pytest.mark.parametrize(
    "call", [None, 7, "", "a" * 15, "a" * 65, "a" * 15 + "é", "a" * 20 + "\n", "sixteen chars it is"]
)
def test_a_lock_has_a_call(service: RunningService, unused: dict[str, list[str]], call: object) -> None:
    """Of 16 to 64 letters, digits, dashes and underscores; the round stays open."""
    table = unused["keno-express"][-1]
    service.act(table, 1, "open")
    path = f"/v1/engine/tables/{table}/rounds/1/lock"
    for body in ({"call": call}, {}, None):
        answer = service.call("POST", path, body, headers=service.bearer, url=service.engine_url)
        is_problem(answer, Code.MALFORMED_BODY)
    assert service.get(f"/v1/tables/{table}/rounds/1").document["status"] == "open"


def test_a_call_is_shown_nowhere(service: RunningService, unused: dict[str, list[str]]) -> None:
    """Whoever knew it could repeat the lock: not even the database has more than its hash, and the log has
    nothing.
    """
    table, call = unused["keno-express"].pop(), "this-is-the-name-of-a-call"
    service.act(table, 1, "open", {"call": call})
    refusal = service.act(table, 1, "lock", {"call": call, "bets": 1})
    locked = service.act(table, 1, "lock", {"call": call})
    others = service.act(table, 1, "lock", {"call": "another-made-that-one"})
    shown = (refusal, locked, others, service.get(f"/v1/tables/{table}/rounds/1"))
    assert not any(call.encode() in each.data for each in shown)
    service.settle()
    assert not any(call.encode() in record for record in service.records())
    assert call not in service.output
    kept = [path for path in service.folder.rglob("*") if path.is_file()]
    assert not any(call.encode() in path.read_bytes() for path in kept)


@every_game
def test_nothing_public_tells_an_outcome_before_the_reveal(
    service: RunningService, unused: dict[str, list[str]], game: str
) -> None:
    """From the lock on the engine knows it; rounds, pages of rounds, tables and the page for people do not show
    it.
    """
    table = unused[game].pop()
    service.act(table, 1, "open")
    service.act(table, 1, "lock", NO_BETS)
    public = [
        service.get(path).data
        for path in (
            f"/v1/tables/{table}/rounds/1",
            f"/v1/tables/{table}/rounds?from=1&limit=1",
            f"/v1/tables/{table}",
        )
    ]
    seed = service.act(table, 1, "reveal").document["seeds"][0].encode()
    assert not any(word in data for data in public for word in (b"outcome", b"seeds", b"code", seed))


@pytest.mark.parametrize("game", FLIGHTS)
def test_the_next_flight_takes_bets_while_one_is_in_the_air(
    service: RunningService, unused: dict[str, list[str]], game: str
) -> None:
    """In crash and rocketon a round opens as soon as the previous one is locked, and locks when that one has
    ended.
    """
    table = unused[game].pop()
    service.act(table, 1, "open")
    refused(service.act(table, 2, "open"), expected=(1, ["locked", "played", "void"]), found=(2, "committed"))
    service.act(table, 1, "lock")
    assert service.act(table, 2, "open").status == 200
    refused(service.act(table, 2, "lock"), expected=(1, ["played", "void"]), found=(1, "locked"))
    refused(
        service.act(table, 2, "void", {"reason": "too soon"}), expected=(1, ["played", "void"]), found=(1, "locked")
    )
    assert service.act(table, 1, "reveal").status == 200
    assert service.act(table, 2, "lock").status == 200


@pytest.mark.parametrize("game", OTHERS)
def test_other_games_open_when_the_round_before_has_ended(
    service: RunningService, unused: dict[str, list[str]], game: str
) -> None:
    """Without a flight there is one round at a time."""
    table = unused[game].pop()
    service.act(table, 1, "open")
    service.act(table, 1, "lock")
    refused(service.act(table, 2, "open"), expected=(1, ["played", "void"]), found=(1, "locked"))
    service.act(table, 1, "reveal")
    assert service.act(table, 2, "open").status == 200


def refused(answer: Answer, *, expected: tuple[int, list[str]], found: tuple[int, str]) -> None:
    """Check for a 409 that says which round was required, in one of which statuses, and what was found."""
    assert (answer.status, answer.document["code"]) == (409, "out-of-order"), answer
    assert answer.document["expected"] == {"round": expected[0], "status": expected[1]}
    assert answer.document["found"] == {"round": found[0], "status": found[1]}


VOID = {"reason": "engine failure"}
Step = tuple[int, str, object]
STATES: dict[str, list[Step]] = {
    "committed": [],
    "open": [(1, "open", None)],
    "locked": [(1, "open", None), (1, "lock", BETS)],
    "played": [(1, "open", None), (1, "lock", BETS), (1, "reveal", None)],
    "void": [(1, "void", VOID)],
}
WRONG: dict[str, list[tuple[Step, tuple[int, list[str]], tuple[int, str]]]] = {
    "committed": [
        ((1, "lock", BETS), (1, ["open"]), (1, "committed")),
        ((1, "reveal", None), (1, ["locked"]), (1, "committed")),
        ((2, "open", None), (1, ["committed"]), (2, "committed")),
        ((2, "void", VOID), (1, ["committed"]), (2, "committed")),
    ],
    "open": [
        ((1, "reveal", None), (1, ["locked"]), (1, "open")),
        ((2, "open", None), (1, ["played", "void"]), (2, "committed")),
        ((2, "lock", None), (2, ["open"]), (2, "committed")),
    ],
    "locked": [
        ((1, "open", None), (2, ["committed"]), (1, "locked")),
        ((2, "void", VOID), (1, ["played", "void"]), (1, "locked")),
        ((2, "reveal", None), (2, ["locked"]), (2, "committed")),
    ],
    "played": [
        ((1, "open", None), (2, ["committed"]), (1, "played")),
        ((1, "lock", BETS), (1, ["open"]), (1, "played")),
        ((1, "void", VOID), (1, ["committed", "open", "locked"]), (1, "played")),
    ],
    "void": [
        ((1, "open", None), (2, ["committed"]), (1, "void")),
        ((1, "lock", BETS), (1, ["open"]), (1, "void")),
        ((1, "reveal", None), (1, ["locked"]), (1, "void")),
    ],
}


@pytest.mark.parametrize("state", STATES)
def test_a_call_out_of_order_is_told_what_was_expected(
    service: RunningService, unused: dict[str, list[str]], state: str
) -> None:
    """In each state, each wrong call gets 409 with the expected round and status, and changes nothing."""
    table = unused["keno-express"].pop()
    for step in STATES[state]:
        assert service.act(table, *step).status == 200
    before = known(service, table, 1)
    assert before["status"] == state
    for step, expected, found in WRONG[state]:
        refused(service.act(table, *step), expected=expected, found=found)
    assert known(service, table, 1) == before
    for step in STATES[state][-1:]:
        assert service.act(table, *step).status == 200


def test_a_call_with_another_body_is_refused(service: RunningService, unused: dict[str, list[str]]) -> None:
    """Neither the bets of a lock nor the reason of a void can be changed or left out afterwards."""
    table = unused["keno-express"].pop()
    service.act(table, 1, "open")
    service.act(table, 1, "lock", BETS)
    service.act(table, 1, "reveal")
    service.act(table, 2, "open")
    locked = lock_answer(service, table, 2)
    for other in (None, {}, NO_BETS):
        answer = service.act(table, 2, "lock", other)
        assert (answer.status, answer.document["code"]) == (409, "other-body")
    assert lock_answer(service, table, 2) == locked
    ended = service.act(table, 2, "void", VOID)
    answer = service.act(table, 2, "void", {"reason": "another"})
    assert (answer.status, answer.document["code"]) == (409, "other-body")
    assert service.act(table, 2, "void", VOID).data == ended.data
    service.settle()
    records = service.table_records()
    locks = [record for record in records if isinstance(record, LockRecord) and record.table == table]
    assert [to_builtins(lock.bets) for lock in locks] == [BETS["bets"]] * 2


REASONS = {
    b'"the wheel \xe2\x80\x94 stuck"': "the wheel ? stuck",
    b'"two\\nlines"': "two?lines",
    b'"two\nlines"': "two?lines",
    '"Խնդիր"'.encode(): "?????",
    b'"%s"' % (b"x" * 201): "x" * 200,
    b'"cut \\ud83d"': "cut ?",
    b'"Latin \xe9"': "Latin ?",
    b'"\\u0000"': None,
}


@pytest.mark.lattice
@pytest.mark.parametrize(("sent", "logged"), REASONS.items(), ids=lambda each: repr(each)[:20])
def test_a_void_does_not_fail_for_its_reasons_spelling(
    service: RunningService, unused: dict[str, list[str]], sent: bytes, logged: str | None
) -> None:
    """It is the call for emergencies: what the log cannot hold is `?` there, the answer says so, and a repetition
    gets it, too.

    The journal has it as it was sent. Only a blank one is refused.
    """
    table, number = unused["keno-express"].pop(), 1
    service.act(table, number, "open")
    path = f"/v1/engine/tables/{table}/rounds/{number}/void"

    def void() -> Answer:
        body = b'{"reason":%s}' % sent
        answers: list[Answer] = []

        def is_final() -> bool:
            answers.append(service.call("POST", path, body, headers=service.bearer, url=service.engine_url))
            return answers[-1].status != 202

        wait_until(is_final, "the answer")
        return answers[-1]

    answer = void()
    if logged is None:
        is_problem(answer, Code.MALFORMED_BODY)
        return
    assert (answer.status, answer.document["reason"]) == (200, logged)
    assert void().data == answer.data
    lines = service.foredraw("journal", "--json").stdout.splitlines()
    (noted,) = [each for each in map(json.loads, lines) if (each["subject"], each["act"]) == (table, "round-void")]
    assert (noted["who"], noted["reason"], noted["after"]["round"]) == ("engine all", logged, number)
    text = json.loads(sent.decode("utf-8", "replace"), strict=False)
    assert noted["after"]["sent"] == text.encode("utf-8", "backslashreplace").decode()


@pytest.mark.parametrize("steps", [0, 1, 2], ids=["never opened", "opened", "locked"])
def test_a_void_round_is_revealed_and_counted_in_its_class(
    service: RunningService, unused: dict[str, list[str]], steps: int
) -> None:
    """In every class, seeds, outcome and code are public, and the log says what preceded the void."""
    table = unused["keno-express"].pop()
    for action in ("open", "lock")[:steps]:
        assert service.act(table, 1, action).status == 200
    answer = service.act(table, 1, "void", VOID)
    document = answer.document
    assert answer.status == 200
    assert document.keys() == {"table", "table_id", "round", "status", "outcome", "seeds", "round_code", "reason"}
    assert (document["status"], document["reason"]) == ("void", VOID["reason"])
    assert service.act(table, 1, "void", VOID).data == answer.data
    assert known(service, table, 1).items() >= document.items()
    service.settle()
    counts = service.replay()[table].counts
    assert (counts.void_never_opened, counts.void_opened, counts.void_locked) == tuple(steps == i for i in range(3))
    assert service.play(table, 2).status == 200


def test_the_lead_must_be_published_before_a_round_opens(service: RunningService) -> None:
    """At a new table, and at one whose batches wait for publication, no round opens until they are published."""
    with service.paused():
        with opened(service.settings) as inside:
            add_table(inside.writer, "late-1", "sic-bo")
        answers = [service.act("late-1", 1, "open")]
        with opened(service.settings) as inside:
            inside.batches.commit(service.queued_state("late-1"), {"version": 1})
        answers.append(service.act("late-1", 1, "open"))
        for answer in answers:
            assert (answer.status, answer.document["code"]) == (409, "lead-not-published"), answer
            assert (answer.document["table"], answer.document["round"]) == ("late-1", 1)
        assert service.query("SELECT count(*) FROM rounds WHERE \"table\" = 'late-1'") == [(0,)]
    service.settle()
    assert service.play("late-1", 1).status == 200
