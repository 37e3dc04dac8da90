"""What other people's programs make of ``/openapi.json``: clients that compile and play, and calls in every state of
a table.

Schemathesis makes the calls, right ones and wrong ones, and compares each answer with the description: status,
headers, media type, form; that what is wrong is refused, and that nothing needs no token that should need one.
"""

from __future__ import annotations

import json
import re
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.api.clients.making import MAKING, Descriptions, run, run_in_python, run_in_typescript, types_of
from tests.support.descriptions import BOTH, OPERATIONS
from tests.support.running_service import RunningService, initialised, running_service, wait_until
from tests.support.witness_server import LocalWitness, away, listening, write_policy
from tests.support.witnesses import PRESS

pytestmark = pytest.mark.nightly(
    "makes clients, and starts services", but="test_types_for_javascript_know_every_call"
)
_NO_DATABASE = pytest.mark.one_database("the description has none")

PUBLIC, ENGINES = BOTH
TABLE, BET, OUTCOMES = "keno-1", "lower 50", range(1, 101)

STATES = ("open", "locked", "void", "paused", "halted", "closed", "cards")
"""Of a table's first round, or of the table; ``cards`` is a locked round whose order is kept back."""
LOCKED = "seen-locked"
FRESH, WAITING = "fresh-1", "waiting-1"
PHASES = ("coverage", "fuzzing")
CHECKS = (
    *("not_a_server_error", "status_code_conformance", "content_type_conformance", "response_headers_conformance"),
    *("response_schema_conformance", "negative_data_rejection", "unsupported_method", "allow_header_conformance"),
    "ignored_auth",
)
OF_PROGRAMS = ("--include-path-regex", "^/v1")
SCHEMATHESIS = "from schemathesis.cli import schemathesis; schemathesis()"


@pytest.fixture(scope="module", name="service")
def _service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningService]:
    """A service with one table."""
    with running_service(tmp_path_factory.mktemp("clients") / "data", {TABLE: "keno-express"}) as running:
        yield running


def descriptions(service: RunningService) -> Descriptions:
    """Both descriptions as the service gives them, by the names of clients of them."""
    engines = service.call("GET", "/v1/engine/openapi.json", url=service.engine_url, headers=service.bearer)
    return {"public": service.get("/openapi.json").data, "engines": engines.data}


def check_played(service: RunningService, printed: str) -> None:
    """Check what a client was answered against what the service says of the round."""
    answers = json.loads(printed)
    number = answers["drawn"]["number"]
    shown = service.get(f"/v1/tables/{TABLE}/rounds/{answers['round']}").document
    assert answers == {
        "round": answers["round"],
        "opened": "open",
        "drawn": shown["outcome"],
        "played": shown["outcome"],
        "round_code": shown["round_code"],
        "result": "wins" if number <= 50 else "loses",
        "refused": "out-of-order",
    }
    assert number in OUTCOMES


@_NO_DATABASE
def test_types_for_javascript_know_every_call(tmp_path: Path) -> None:
    """By the name of each."""
    made = "".join(
        types_of(name, json.dumps(document).encode(), tmp_path).read_text("utf-8")
        for name, document in (("public", PUBLIC), ("engines", ENGINES))
    )
    names = [operation["operationId"] for operation in OPERATIONS]
    assert [name for name in names if f'operations["{name}"]' not in made] == []


@_NO_DATABASE
def test_a_client_in_typescript_plays(service: RunningService, tmp_path: Path) -> None:
    """Its types are those of openapi-typescript; what plays with them compiles without a doubt."""
    arguments = (service.url, service.engine_url, service.token, TABLE, BET)
    check_played(service, run_in_typescript(descriptions(service), tmp_path, "play", *arguments))


@_NO_DATABASE
def test_a_client_in_python_plays(service: RunningService, tmp_path: Path) -> None:
    """Made without a warning; all its modules compile, and what plays with it has the types that it names."""
    arguments = (service.url, service.engine_url, service.token, TABLE, BET)
    check_played(service, run_in_python(descriptions(service), tmp_path, "play_with_client", *arguments))


@dataclass(frozen=True, slots=True)
class Watched:
    """A service with two tables for each state, one that engines call and one that the public looks at; and its
    witness.
    """

    service: RunningService
    witness: LocalWitness


@pytest.fixture(scope="module", name="watched")
def _watched(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Watched]:
    folder = tmp_path_factory.mktemp("states")
    games = {state: "blackjack" if state == "cards" else "keno-express" for state in STATES}
    tables = {f"{who}-{state}": game for who in ("seen", "called") for state, game in games.items()}
    service, policy = initialised(folder / "data", tables), folder / "policy"
    service.variables = {"FOREDRAW_POLICY": str(policy)}
    with listening(LocalWitness(PRESS, lambda: int(time.time()))) as witness:
        write_policy(policy, service.key, [witness], 1)
        try:
            service.start()
            service.settle()
            yield Watched(service, witness)
        finally:
            service.clean_up()


def bring_about(service: RunningService, table: str, state: str) -> None:
    """Bring the table into this state, by its first round."""
    match state:
        case "open":
            # With a call of its own, so that nobody else's is the same.
            assert service.act(table, 1, "open", {"call": "opened-by-this-test"}).status == 200
        case "locked":
            for action in ("open", "lock"):
                assert service.act(table, 1, action).status == 200
        case "cards":
            assert service.act(table, 1, "open").status == 200
            assert service.act(table, 1, "lock", {"keep_back": True}).status == 200
        case "void":
            assert service.act(table, 1, "void", {"reason": "engine failure"}).status == 200
        case "paused":
            assert service.foredraw("table", "pause", table).returncode == 0
        case "halted":
            service.tamper("UPDATE tables SET halted = 'for a test' WHERE name = ?", table)
        case "closed":
            assert service.foredraw("table", "close", table).returncode == 0


def codes_of(folder: Path, service: RunningService, listener: str, tables: Sequence[str], examples: int) -> set[str]:
    """Have calls made at one listener, about these tables and their first rounds; the codes of all refusals.

    Fails with what Schemathesis says if an answer is not as described.
    """
    (folder / "openapi.json").write_bytes(descriptions(service)[listener])
    url, chosen = {
        "public": (service.url, OF_PROGRAMS),
        "engines": (service.engine_url, ("--header", f"Authorization: Bearer {service.token}")),
    }[listener]
    digits = service.get(f"/v1/tables/{tables[0]}").document["table_id"][:8]
    known = {"table": [*tables], "round": [1], "digits": [digits], "game": ["crash", "hi-lo"]}
    lines = [
        # 503 is in the description, 421 is what the public is answered about a locked round, and 500 is always wrong.
        "[checks.not_a_server_error]\nexpected-statuses = ['2xx', '3xx', '4xx', 503]",
        # Tables that it finds in answers would take the place of those that are asked about.
        *(
            f"[phases.{phase}]\nextra-data-sources = {{ responses = false }}\noperation-ordering = 'none'"
            for phase in PHASES
        ),
        "[checks.negative_data_rejection]\nexpected-statuses = ['4xx', 503]",
        *(f"[dictionaries.{name}]\nvalues = {json.dumps(values)}" for name, values in known.items()),
        "[parameters]",
        *(f"'path.{name}' = {{ dictionary = '{name}', probability = 0.9 }}" for name in known),
    ]
    (folder / "schemathesis.toml").write_text("\n".join(lines) + "\n", "utf-8")
    options = f"--url {url} --checks {','.join(CHECKS)} --phases {','.join(PHASES)} --max-examples {examples}"
    more = ("--seed", "31", "--no-color", "--report-har-path", "calls.har", *chosen)
    run([MAKING, "-c", SCHEMATHESIS, "run", "openapi.json", *options.split(), *more], folder)
    assert "Traceback" not in service.output
    calls = json.loads((folder / "calls.har").read_text("utf-8"))["log"]["entries"]
    return set(re.findall(r"urn:foredraw:problem:([a-z-]+)", json.dumps([call["response"] for call in calls])))


def test_the_public_is_answered_as_described(watched: Watched, tmp_path: Path) -> None:
    """In each state of a table."""
    for state in STATES:
        bring_about(watched.service, f"seen-{state}", state)
    codes = codes_of(tmp_path, watched.service, "public", [f"seen-{state}" for state in STATES], 10)
    assert codes >= {"malformed-request", "malformed-number", "unknown-table", "wrong-listener"}


@pytest.mark.parametrize(
    ("state", "action", "code"),
    [
        *(("open", "open", "other-body"), ("locked", "lock", "other-body"), ("cards", "lock", "other-body")),
        *(("void", "lock", "out-of-order"), ("paused", "open", "table-paused"), ("halted", "open", "table-halted")),
        ("closed", "open", "table-closed"),
    ],
)
def test_engines_are_answered_as_described(
    watched: Watched, tmp_path: Path, state: str, action: str, code: str
) -> None:
    """In this state of a table, of which this code is a sign when the calls begin: some of them end a round."""
    table = f"called-{state}"
    bring_about(watched.service, table, state)
    body = {"call": "called-by-another-engine"} | ({"keep_back": True} if state == "cards" else {})
    refused = watched.service.act(table, 1, action, body)
    assert refused.document["code"] == code
    codes = codes_of(tmp_path, watched.service, "engines", [table], 10)
    assert codes >= {"malformed-body", "malformed-number"}


def test_answers_are_as_described_while_witnesses_are_away(watched: Watched, tmp_path: Path) -> None:
    """Which is a state of the service, for engines and for the public; the last of this file."""
    service = watched.service
    # Schemathesis has played the others: it finds tables in answers, too.
    for table in (FRESH, WAITING):
        assert service.foredraw("table", "add", table, "keno-express").returncode == 0
    service.settle()
    watched.witness.behaves = away
    # So that something waits for the witness, and it is missed.
    assert service.post(f"/v1/engine/tables/{WAITING}/rounds/1/void", {"reason": "nobody looks"}).status == 202
    wait_until(lambda: service.get("/health/ready").status == 503, "the witness to be missed")
    assert "witnesses-away" in codes_of(tmp_path, service, "engines", [FRESH], 5)
    codes_of(tmp_path, service, "public", [FRESH, LOCKED], 5)
    watched.witness.behaves = LocalWitness.answer
