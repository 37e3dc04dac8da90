"""The descriptions at ``/openapi.json`` and ``/v1/engine/openapi.json``: valid, complete, and correct for every
answer of the running service.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator, ValidationError
from openapi_spec_validator import OpenAPIV31SpecValidator

from api.access.tokens import Role, create_token
from api.callers import EXPIRES
from api.http.described.headers import HEADERS
from api.http.described.tags import OF_CALL, TAGS
from api.http.request_body import LARGEST_BODY
from api.problems import OF_THE_WEB_SERVER, Code, Members, members_of
from api.server.app import create_app, create_engine_app
from api.world.statuses import write_status
from fairness.log.merkle import EMPTY_ROOT
from tests.support.alike_tables import alike_tables
from tests.support.descriptions import BOTH, DOCUMENT, OPERATIONS
from tests.support.running_service import (
    SIX_TABLES,
    Answer,
    RunningService,
    asked_slowly,
    asked_too_much,
    initialised,
    opened,
    running_service,
)

SLOW, HALTED, CLOSED = "slow-1", "halted-1", "closed-1"
CARDS = "cards-1"
TABLES = SIX_TABLES | dict.fromkeys((SLOW, HALTED, CLOSED), "keno-express") | {CARDS: "blackjack"}
ROUND = "/v1/engine/tables/{table}/rounds/{round}"
ACTIONS = ("open", "lock", "next", "reveal", "void")
BET = {
    "crash": "cashout 2.00",
    "rocketon": "half 1.50 cashout 2.00",
    "hi-lo": "red",
    "sic-bo": "number 3",
    "penalty": "yellow",
    "keno-express": "lower 50",
}
PROBLEM, LOCKED = (DOCUMENT["components"]["schemas"][name] for name in ("Problem", "Locked"))
BODIES: dict[str, object] = {
    "open": {"call": "an-engine-made-this-one"},
    "lock": {"call": "an-engine-made-that-one", "bets": {"count": 0, "root": EMPTY_ROOT.hex()}},
    "next": {"position": 1, "count": 2},
    "void": {"reason": "engine failure"},
}

Operation = tuple[str, str, str]
"""Method, path and status, as in the description."""


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningService]:
    """A service whose answers cover every call and every status."""
    with running_service(tmp_path_factory.mktemp("openapi") / "data", TABLES) as running:
        rounds_of_every_kind(running)
        refusals(running)
        queries(running)
        what_takes_too_long(running)
        files_of_the_log(running)
        proofs_by_codes(running)
        what_has_not_changed(running)
        running.answers.append(several_tables(tmp_path_factory.mktemp("alike") / "data"))
        yield running


def rounds_of_every_kind(service: RunningService) -> None:
    """Play and void rounds of each game, and read them in each state."""
    for table in SIX_TABLES:
        for number, actions in ((1, ("open", "lock", "reveal")), (2, ("void",)), (3, ("open", "lock", "void"))):
            for action in actions:
                assert service.act(table, number, action, BODIES.get(action)).status == 200
                status = service.act(table, number, "settle", bets_on(table)).status
                assert status == (409 if action == "open" else 200)
                service.call("POST", f"/v1/tables/{table}/rounds/{number}/settle", bets_on(table))
                service.get(f"/v1/tables/{table}/rounds/{number}")
                service.get(f"/v1/tables/{table}/rounds/{number}/proof")
        service.get(f"/v1/tables/{table}/bets")
        service.get(f"/v1/tables/{table}/outcome-schema")
        service.get(f"/v1/games/{SIX_TABLES[table]}")
        service.act(table, 4, "open")
        service.get("/v1/live")
        service.get(f"/v1/tables/{table}/live")
        service.get(f"/v1/tables/{table}")
        service.get(f"/v1/tables/{table}/rounds?limit=500")
    service.act(CARDS, 1, "open")
    assert service.act(CARDS, 1, "lock", {"keep_back": True}).document["of"] == 208
    assert service.act(CARDS, 1, "next", BODIES["next"]).status == 200
    assert service.foredraw("table", "close", CLOSED).returncode == 0
    for path in (
        "/v1",
        "/v1/tables",
        f"/v1/tables/{CLOSED}/rounds",
        "/v1/log/key",
        "/v1/games",
        "/openapi.json",
        "/health/live",
    ):
        service.get(path)
    service.get("/health/ready")


def bets_on(table: str) -> dict[str, object]:
    """A bet on the table's game."""
    return {"bets": [{"bet": BET[TABLES[table]], "stake": 101}]}


def refusals(service: RunningService) -> None:
    """Provoke every status of a refusal, for each call."""
    with opened(service.settings) as inside:
        narrow = create_token(inside.database, inside.clock, "narrow", Role.ENGINE, [SLOW])
        operator = create_token(inside.database, inside.clock, "operator", Role.OPERATOR, ["*"])
    service.tamper("UPDATE tables SET halted = 'for a test' WHERE name = ?", HALTED)
    for action in (*ACTIONS, "settle"):
        body = bets_on("crash-1") if action == "settle" else BODIES.get(action)
        service.act("crash-1", "0", action, body)
        service.act("crash-1", 1, action, [])
        service.act("crash-1", 1, action, b" " * (LARGEST_BODY + 1))
        path = f"/v1/engine/tables/crash-1/rounds/4/{action}"
        service.answers.append(asked_slowly(service, path))
        for token in (narrow, operator, "unknown"):
            service.post(path, body, token=token)
        service.act("nowhere", 1, action, body)
        service.act("crash-1", 9999, action, body)
        service.act("crash-1", 5, action, body)
        service.act(HALTED, 1, action, body)
        service.act(CLOSED, 1, action, body)
    refused_settling(service)
    for token in (operator, narrow, ""):
        service.get("/metrics", headers={"Authorization": f"Bearer {token}"})
        for path in ("", "/tables", "/tables/crash-1", "/tables/crash-1/rounds/1", "/openapi.json"):
            read_as_engine(service, f"/v1/engine{path}", token)
    service.act("crash-1", 1, "open")
    service.act("crash-1", 2, "void", {"reason": "another"})
    service.act("crash-1", 1, "settle", {"bets": [{"bet": "cashout 1.00", "stake": 1}]})
    service.get("/v1/games/roulette")
    of_table = (f"/v1/tables/crash-1{path}" for path in ("/rounds/1/proof", "/rounds", "/bets", "/outcome-schema"))
    for path in (*of_table, "/v1/tables", "/v1/games/crash"):
        service.answers.append(asked_too_much(service, path))
    service.answers.append(asked_too_much(service, "/v1/tables/crash-1/rounds/1/settle", bets_on("crash-1")))
    for path in ("", "/rounds", "/rounds/1", "/rounds/1/proof", "/bets", "/live", "/outcome-schema"):
        service.get(f"/v1/tables/nowhere{path}")
    service.tamper("UPDATE tables SET queued_state = ? WHERE name = ?", b"\0", HALTED)
    for path in ("", "/rounds", "/rounds/1", "/bets", "/outcome-schema"):
        service.get(f"/v1/tables/{HALTED}{path}")
    for path in ("nowhere", "nowhere/rounds/1", "crash-1/rounds/01", HALTED, f"{HALTED}/rounds/1"):
        read_as_engine(service, f"/v1/engine/tables/{path}", service.token)
    for path in ("?from=0", "/01", "/9999", "/01/proof"):
        service.get(f"/v1/tables/crash-1/rounds{path}")


def refused_settling(service: RunningService) -> None:
    """Have the public asked to settle what it does not settle."""
    good, path = bets_on("crash-1"), "/v1/tables/crash-1/rounds/{}/settle"
    for number, body in (("01", good), (1, []), (1, b" " * (LARGEST_BODY + 1)), (4, good), (9999, good)):
        service.call("POST", path.format(number), body)
    service.answers.append(asked_slowly(service, path.format(1)))
    service.answers.append(asked_too_much(service, path.format(1), good))
    service.call("POST", "/v1/tables/nowhere/rounds/1/settle", good)
    service.call("POST", f"/v1/tables/{CLOSED}/rounds/9/settle", good)


def read_as_engine(service: RunningService, path: str, token: str) -> Answer:
    """The answer of the engines' listener to a reader with this token."""
    return service.call("GET", path, url=service.engine_url, headers={"Authorization": f"Bearer {token}"})


def queries(service: RunningService) -> None:
    """Ask calls that have nothing else to refuse for what they do not take."""
    of_table = (f"/v1/tables/crash-1{path}" for path in ("", "/bets", "/live", "/outcome-schema"))
    for path in ("/v1", "/v1/tables", *of_table, "/v1/games", "/v1/games/crash", "/v1/live", "/v1/log/key"):
        service.get(f"{path}?x=1")
    for path in ("", "/tables", "/tables/crash-1", "/openapi.json"):
        read_as_engine(service, f"/v1/engine{path}?x=1", service.token)


def what_takes_too_long(service: RunningService) -> None:
    """Make calls while nothing is published, or what is cannot be read: locks are pending, and the service is not
    ready.
    """
    service.act(SLOW, 1, "open")
    assert service.act(CARDS, 1, "reveal", {"dealt": {"player": [1]}}).status == 200
    assert service.get(f"/v1/tables/{CARDS}/rounds/1").document["dealt"] == {"player": [1]}
    with opened(service.settings) as inside:
        write_status(service.settings.software_trouble, inside.timekeeper, "a file was changed")
    assert service.act(CARDS, 2, "open").status == 503
    service.settings.software_trouble.unlink()
    service.act(CARDS, 2, "open")
    checkpoint = service.settings.log / "checkpoint"
    with service.paused():
        for action in ("lock", "settle", "reveal", "void"):
            body = bets_on(SLOW) if action == "settle" else BODIES.get(action)
            assert service.post(f"/v1/engine/tables/{SLOW}/rounds/1/{action}", body).status == 202
        for action, body in (
            ("lock", {"call": "an-engine-made-this-one", "keep_back": True}),
            ("next", BODIES["next"]),
        ):
            assert service.post(f"/v1/engine/tables/{CARDS}/rounds/2/{action}", body).status == 202
        service.settings.heartbeat.unlink()
        service.get("/health/ready")
        hidden = checkpoint.rename(checkpoint.with_name("hidden"))
        service.get("/log/checkpoint")
        checkpoint.write_bytes(b"no checkpoint")
        for action in ("lock", "settle", "reveal", "void"):
            body = bets_on(SLOW) if action == "settle" else BODIES.get(action)
            assert service.post(f"/v1/engine/tables/{SLOW}/rounds/1/{action}", body).status == 503
        assert service.post(f"/v1/engine/tables/{CARDS}/rounds/2/next", BODIES["next"]).status == 503
        hidden.rename(checkpoint)
    service.settle()


def files_of_the_log(service: RunningService) -> None:
    """Read one file of each kind, and a missing one of each."""
    # What witnesses would have seen, a custodian's signature and a policy; this service has none.
    name = "f" * 64
    for path in (f"witnessed/ff/{name}", f"custody/ff/{name}/house", f"policies/{name}"):
        file = service.settings.log / path
        file.parent.mkdir(parents=True)
        file.write_bytes(b"for a test")
    for file in sorted(service.settings.log.rglob("*")):
        if file.is_file():
            service.get(f"/log/{file.relative_to(service.settings.log)}")
    zero = "0" * 64
    for path in (
        "tile/0/999",
        "tile/entries/999",
        f"commitments/00/{zero}",
        f"witnessed/00/{zero}",
        f"custody/00/{zero}/house",
        f"policies/{zero}",
        f"paytables/{zero}",
        "find/tables/00/00000000",
    ):
        service.get(f"/log/{path}")
    service.get(f"/log/find/rounds/00/{zero}/000")


def what_has_not_changed(service: RunningService) -> None:
    """Ask twice for an answer of each call that gives it a tag."""
    tagged = {operation_of(answer): answer.path for answer in service.answers if "ETag" in answer.headers}
    for path in tagged.values():
        service.get(path, headers={"If-None-Match": service.get(path).headers["ETag"]})


def proofs_by_codes(service: RunningService) -> None:
    """A proof by what a round code has, and every refusal."""
    digits = service.get("/v1/tables/crash-1").document["table_id"][:8]
    for path in (f"{digits}/1", f"{digits}/01", f"{digits}/9999", "00000000/1"):
        service.get(f"/v1/proofs/{path}")
    service.answers.append(asked_too_much(service, f"/v1/proofs/{digits}/1"))


def several_tables(folder: Path) -> Answer:
    """The answer of another service, two of whose tables have ids that begin alike."""
    with alike_tables(folder) as (inside, ids):
        path = f"/v1/proofs/{ids[0][:8]}/1"
        answer = create_app(inside.service).test_client().get(path)
        return Answer("GET", path, answer.status_code, dict(answer.headers), answer.data)


def template_of(method: str, path: str) -> str:
    """The described path that matches an address; the most specific one if there are several."""
    plain = path.partition("?")[0]
    found: list[str] = []
    for template, item in DOCUMENT["paths"].items():
        # A tile's number may have several parts, and a partial one's width.
        pattern = re.sub(r"\\{number\\}", ".+", re.escape(template))
        if method.lower() in item and re.fullmatch(re.sub(r"\\{\w+\\}", "[^/]+", pattern), plain):
            found.append(template)
    assert found, f"{method} {path} is not described"
    return min(found, key=lambda template: template.count("{"))


def operation_of(answer: Answer) -> Operation:
    """The call and its status in the terms of the description."""
    return (answer.method, template_of(answer.method, answer.path), str(answer.status))


def described() -> dict[Operation, dict[str, Any]]:
    """Every response of every operation."""
    return {
        (method.upper(), path, status): response
        for path, item in DOCUMENT["paths"].items()
        for method, operation in item.items()
        for status, response in operation["responses"].items()
        if status != "default"
    }


def check_schema(schema: dict[str, Any], value: object) -> None:
    """Check a value against a schema of the description."""
    Draft202012Validator({**schema, "components": DOCUMENT["components"]}).validate(value)


def test_the_descriptions_are_valid_openapi(service: RunningService) -> None:
    """They are OpenAPI 3.1 by an independent validator, and what the service serves."""
    public, engines = BOTH
    assert service.get("/openapi.json").document == public
    assert read_as_engine(service, "/v1/engine/openapi.json", service.token).document == engines
    for each in BOTH:
        assert each["openapi"].startswith("3.1.")
        OpenAPIV31SpecValidator(each).validate()


def test_each_listener_has_one_description_with_one_server_and_one_kind_of_token() -> None:
    """Generators of clients read no `servers` of single calls. Whoever adds a call of engines has it take a token."""
    public, engines = BOTH
    assert [len(each["servers"]) for each in BOTH] == [1, 1]
    assert not any("servers" in operation for operation in OPERATIONS)
    assert [[*each["components"]["securitySchemes"]] for each in BOTH] == [["operator"], ["engine"]]
    assert (public.get("security"), engines["security"]) == (None, [{"engine": []}])
    calls = [(path, call) for path, item in DOCUMENT["paths"].items() for call in item.values()]
    assert [(path, call["security"]) for path, call in calls if "security" in call] == [
        ("/metrics", [{"operator": []}])
    ]
    assert {path: f"{path}/".startswith("/v1/engine/") for path, _ in calls} == {
        path: path in engines["paths"] for path, _ in calls
    }


def test_every_call_has_a_name_of_its_own() -> None:
    """From which generators of clients make the names of functions."""
    for each in BOTH:
        names = [operation["operationId"] for item in each["paths"].values() for operation in item.values()]
        assert all(re.fullmatch("[a-z]+[A-Za-z]*", name) for name in names)
        assert len(set(names)) == len(names)


def test_every_call_is_in_a_group() -> None:
    """In one, which is described; and no group names a call that there is not."""
    for each in BOTH:
        calls = [operation for item in each["paths"].values() for operation in item.values()]
        assert {tuple(operation["tags"]) for operation in calls} == {(tag["name"],) for tag in each["tags"]}
    assert OF_CALL.keys() == {operation["operationId"] for operation in OPERATIONS}
    assert sum(len(tag.calls) for tag in TAGS.values()) == len(OF_CALL)


def test_every_route_is_described_and_every_description_has_a_route(tmp_path: Path) -> None:
    """There is no undescribed call, and no described call that does not exist; the pages for people are HTML."""
    with opened(initialised(tmp_path / "data", {}).settings) as inside:
        apps = (create_app(inside), create_engine_app(inside))
        rules = [rule for app in apps for rule in app.url_map.iter_rules()]
    pages = [rule for rule in rules if rule.endpoint.startswith("pages.")]
    rules = [rule for rule in rules if rule not in pages]
    assert not [rule.rule for rule in pages if rule.rule.startswith(("/v1", "/log", "/health", "/openapi"))]
    names = {"<number>": "{round}", "<table>": "{table}", "<game>": "{game}", "<digits>": "{digits}"}
    routes = set()
    for rule in rules:
        path = re.sub("<[^>]+>", lambda found: names.get(found[0], found[0]), rule.rule)
        routes |= {(method, path) for method in rule.methods or () if method not in ("HEAD", "OPTIONS")}
    calls = {(method, path) for method, path, _ in described()}
    files = {(method, path) for method, path in calls if path.startswith("/log/")}
    assert routes == (calls - files) | {("GET", "/log/<path:path>")}


def check_headers(answer: Answer, listed: dict[str, Any]) -> None:
    """Check that an answer has the headers that it must have, and of those that clients act on no others."""
    of_all: dict[str, Any] = {f"#/components/headers/{name}": header for name, header in HEADERS.items()}
    headers = {name: of_all.get(header.get("$ref"), header) for name, header in listed.items()}
    assert {name for name, header in headers.items() if header.get("required")} <= answer.headers.keys()
    assert {
        "ETag",
        "Retry-After",
        "WWW-Authenticate",
        "X-Request-Id",
        EXPIRES,
    } & answer.headers.keys() <= headers.keys()
    assert re.fullmatch(headers["X-Request-Id"]["schema"]["pattern"], answer.headers["X-Request-Id"])
    assert answer.status != 202 or answer.headers["Retry-After"] == str(answer.document["retry_after"])


def test_every_answer_is_one_that_is_described(service: RunningService) -> None:
    """Status, content type and all values of each answer conform to the description."""
    responses = described()
    for answer in service.answers:
        response = responses[operation_of(answer)]
        check_headers(answer, response.get("headers", {}))
        if answer.status == 304:
            assert (answer.data, answer.media_type) == (b"", "")
            continue
        schema = response["content"][answer.media_type]["schema"]
        if answer.media_type.endswith("json"):
            check_schema(schema, answer.document)
        if answer.status >= 400:
            assert answer.path == "/health/ready" or answer.document.keys() <= PROBLEM["properties"].keys()
            assert answer.path == "/health/ready" or f"`{answer.document['code']}`" in response["description"]


def test_every_described_answer_was_received(service: RunningService) -> None:
    """Nothing is described that the service never answers: all statuses of all calls, and all codes of refusals."""
    assert {operation_of(answer) for answer in service.answers} == described().keys()


@pytest.mark.parametrize("action", ACTIONS)
def test_every_accepted_body_is_one_that_is_described(action: str) -> None:
    """Accepted bodies of these tests conform to the description; refused ones do not."""
    schema = DOCUMENT["paths"][f"{ROUND}/{action}"]["post"]["requestBody"]["content"]["application/json"]["schema"]
    validator = Draft202012Validator({**schema, "components": DOCUMENT["components"]})
    assert validator.is_valid(BODIES.get(action, {}))
    refused: list[object] = [
        [],
        {"more": 1},
        None,
        {"reason": ""},
        {"reason": 1},
        {"bets": {"count": -1, "root": "0" * 64}},
        {"bets": {"count": 0, "root": "0" * 64}},
        {"bets": {"count": 1, "root": EMPTY_ROOT.hex()}},
    ]
    for wrong in refused:
        assert not validator.is_valid(wrong)


def referred(node: object) -> set[str]:
    """The schemas that a part of the description refers to, and those that these refer to."""
    found = set(re.findall('"#/components/schemas/([A-Za-z]+)"', json.dumps(node)))
    return found.union(*(referred(DOCUMENT["components"]["schemas"][name]) for name in found))


def test_bodies_are_closed_and_answers_are_open() -> None:
    """A client may not send what nobody reads, and must not fail at what a later version adds."""
    bodies = referred([operation.get("requestBody") for operation in OPERATIONS])
    answers = referred([operation["responses"] for operation in OPERATIONS])
    assert bodies | answers == DOCUMENT["components"]["schemas"].keys()
    for name, schema in DOCUMENT["components"]["schemas"].items():
        assert (schema.get("additionalProperties") is False) == (name in bodies)
        assert name in bodies or '"additionalProperties": false' not in json.dumps(schema)


def test_the_two_answers_of_a_lock_differ() -> None:
    """Each has what the other lacks, so that exactly one of the two schemas holds."""
    about = {"table": "t", "table_id": "0" * 64, "round": 1}
    locked = {**about, "status": "locked", "locked_at": "2026-11-20T22:49:01.123Z"}
    check_schema(LOCKED, {**locked, "outcome": {"number": 1}})
    check_schema(LOCKED, {**locked, "of": 52})
    for wrong in (locked, {**locked, "of": 52, "outcome": {"number": 1}}):
        with pytest.raises(ValidationError):
            check_schema(LOCKED, wrong)


def test_every_code_is_listed() -> None:
    """All codes, so that a client's author knows them, those of the web server in front, too; a new one breaks no
    client.
    """
    code = PROBLEM["properties"]["code"]
    assert code["x-extensible-enum"] == [*(code.text for code in Code), *OF_THE_WEB_SERVER]
    check_schema(code, "a-code-of-next-year")


def test_the_members_of_every_code_are_described() -> None:
    """Each is there, or may be, as the program says; no code has others, and none is described that no code has."""
    described = {
        each["if"]["properties"]["code"]["const"]: (each["then"]["required"], [*each["then"]["properties"]])
        for each in PROBLEM["allOf"]
    }
    declared = {code.text: members_of(code) for code in Code}
    assert described == {
        code: ([*has.always], [*has.always, *has.if_known]) for code, has in declared.items() if has.text
    }
    general = {"type", "title", "status", "code", "detail", "request", "table", "round"}
    named = {name for has in declared.values() for name in (*has.always, *has.if_known)}
    assert named == Members.__annotations__.keys() == PROBLEM["properties"].keys() - general


def test_every_call_lists_what_any_call_is_answered(service: RunningService) -> None:
    """A method that it does not have, a failure, and what a web server in front says in the service's place."""
    for operation in OPERATIONS:
        described = operation["responses"]["default"]
        codes = ("method-not-allowed", "internal", *OF_THE_WEB_SERVER)
        assert all(f"(`{code}`)" in described["description"] for code in codes)
    refused = service.call("DELETE", "/v1/tables", note=False)
    assert refused.status == 405
    check_schema(described["content"][refused.media_type]["schema"], refused.document)
