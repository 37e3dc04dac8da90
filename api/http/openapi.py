"""The OpenAPI descriptions of all calls, one for each listener, tested against the running service."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

import msgspec

from api.answers.schemas import Json, JsonObject, ref, schemas
from api.http.described import tags
from api.http.described.examples import with_examples
from api.http.described.headers import HEADERS, TOKEN, with_headers
from api.http.described.operations import (
    IN_ROUND,
    IN_TABLE,
    Item,
    act,
    file,
    get,
    in_json,
    kept,
    outcome_schema,
    problems,
    proof,
)
from api.http.described.queries import TAKEN, described

_OF_TABLES = [*map(described, TAKEN["reads.list_tables"])]
_IN_DIGITS: JsonObject = {
    "name": "digits",
    "in": "path",
    "required": True,
    "description": "the first digits of the table's id; a round code has eight",
    "schema": {"type": "string", "pattern": "^[0-9a-f]{8,64}$"},
}
_ROUND = "/v1/tables/{table}/rounds/{round}"
_ENGINES_ROUND = "/v1/engine/tables/{table}/rounds/{round}"

_OF_THE_PUBLIC: Mapping[str, Item] = {
    "/v1": get("getService", "Which service this is, and what may be sent to it", ref("Service"), [], 400),
    "/v1/tables": kept("listTables", "All tables, page by page", ref("TableList"), _OF_TABLES, 400, 429),
    "/v1/tables/{table}": kept(
        "getTable", "One table, with its rules", ref("TableWithRules"), [IN_TABLE], 400, 404, 409
    ),
    "/v1/tables/{table}/rounds": kept(
        "listRounds",
        "A page of rounds, those to come included",
        ref("RoundList"),
        [IN_TABLE, *map(described, TAKEN["public.list_rounds"])],
        400,
        404,
        409,
        429,
    ),
    _ROUND: kept("getRound", "One round", ref("Round"), [IN_TABLE, IN_ROUND], 400, 404, 409),
    f"{_ROUND}/proof": proof(
        "getProof", "The proof file of one round; before its end, a receipt", [IN_TABLE, IN_ROUND], {}
    ),
    "/v1/proofs/{digits}/{round}": proof(
        "getProofByCode",
        "The same, by what a round code has of the table",
        [_IN_DIGITS, IN_ROUND],
        {"300": in_json(ref("SeveralTables"), "several tables' ids begin so: ask again with all 64 digits of one")},
    ),
    "/v1/live": kept("getLive", "Tables as they are now, small enough to ask for every second", ref("Live"), [], 400),
    "/v1/tables/{table}/live": kept("getTableLive", "One table as it is now", ref("TableLive"), [IN_TABLE], 400, 404),
    f"{_ROUND}/settle": act(
        "settleBets",
        "What becomes of bets on a round that has ended",
        *("SettleBody", "Settled", 409, 421, 429),
        pending=None,
        needs_body=True,
    ),
    "/v1/games": kept(
        "listGames",
        "The games that are known by their names, with how their bets are written",
        ref("GameList"),
        [],
        400,
    ),
    "/v1/games/{game}": kept(
        "getGame",
        "What can be bet on such a game under its usual rules, with odds and exact worth",
        ref("Returns"),
        [{"name": "game", "in": "path", "required": True, "schema": {"type": "string"}}],
        400,
        404,
        429,
    ),
    "/v1/tables/{table}/bets": kept(
        "getBets", "What can be bet at a table, under its rules", ref("Returns"), [IN_TABLE], 400, 404, 409, 429
    ),
    "/v1/tables/{table}/outcome-schema": outcome_schema(
        "getOutcomeSchema", "The JSON Schema of a table's outcomes, one for all its rounds"
    ),
    "/v1/log/key": kept("getLogKey", "The key that signs the log", ref("LogKey"), [], 400),
    "/log/checkpoint": file("getCheckpoint", "The signed head of the log", [], "text/plain"),
    "/log/tile/{level}/{number}": file("getTile", "A tile of hashes", ["level", "number"]),
    "/log/tile/entries/{number}": file("getBundle", "A bundle of records", ["number"]),
    "/log/commitments/{folder}/{batch_id}": file(
        "getCommitments", "The commitments of a batch", ["folder", "batch_id"]
    ),
    "/log/witnessed/{folder}/{batch_id}": file(
        "getWitnessed", "What witnesses saw of a salted batch", ["folder", "batch_id"]
    ),
    "/log/custody/{folder}/{batch_id}/{custodian}": file(
        "getCustodyNote", "What a custodian said of a batch", ["folder", "batch_id", "custodian"]
    ),
    "/log/policies/{hash}": file("getCustodyPolicy", "By what a custodian releases seeds", ["hash"]),
    "/log/paytables/{hash}": file("getPaytable", "What the bets of tables pay", ["hash"]),
    "/log/find/tables/{folder}/{prefix}": file("findTables", "Where tables stand in the log", ["folder", "prefix"]),
    "/log/find/rounds/{folder}/{table_id}/{number}": file(
        "findRounds", "Where rounds stand in the log", ["folder", "table_id", "number"]
    ),
    "/openapi.json": kept("getDescription", "This description", {"type": "object"}, []),
    "/metrics": {
        "get": {
            "operationId": "getMetrics",
            "summary": "Figures for the operator's monitoring, in the text format of Prometheus",
            "security": [{"operator": []}],
            "responses": {
                "200": {
                    "description": "the figures",
                    "content": {"text/plain": {"schema": {"type": "string"}}},
                },
                **problems(401, 403),
            },
        }
    },
    "/health/live": get("isLive", "The process answers", ref("Alive"), []),
    "/health/ready": {
        "get": {
            "operationId": "isReady",
            "summary": "The service can play",
            "responses": {
                "200": in_json(ref("Health"), "it can"),
                "503": in_json(ref("Health"), "it cannot; the check of the failing part says why"),
                **problems(),
            },
        }
    },
}

_OF_ENGINES: Mapping[str, Item] = {
    "/v1/engine": get(
        "getService", "Which service this is, and what may be sent to it", ref("Service"), [], 400, 401, 403
    ),
    "/v1/engine/tables": get("listTables", "All tables, page by page", ref("TableList"), _OF_TABLES, 400, 401, 403),
    "/v1/engine/tables/{table}": get(
        "getTable", "One table, with its rules", ref("TableWithRules"), [IN_TABLE], 400, 401, 403, 404, 409
    ),
    _ENGINES_ROUND: get("getRound", "One round", ref("Round"), [IN_TABLE, IN_ROUND], 400, 401, 403, 404, 409),
    f"{_ENGINES_ROUND}/open": act(
        "openRound", "The round takes bets", *("OpenBody", "Opened", 401, 403, 409, 503), pending=None
    ),
    f"{_ENGINES_ROUND}/lock": act(
        "lockRound",
        "The round takes no more bets",
        *("LockBody", "Locked", 401, 403, 409, 503),
        pending="LockPending",
        needs_body=True,
    ),
    f"{_ENGINES_ROUND}/next": act(
        "nextThings",
        "The next things of a locked round's order",
        *("NextBody", "Next", 401, 403, 409, 503),
        needs_body=True,
    ),
    f"{_ENGINES_ROUND}/reveal": act(
        "revealRound", "The round has ended", *("RevealBody", "Ended", 401, 403, 409, 503)
    ),
    f"{_ENGINES_ROUND}/void": act(
        "voidRound", "The round counts for nothing", *("VoidBody", "Ended", 401, 403, 409, 503), needs_body=True
    ),
    f"{_ENGINES_ROUND}/settle": act(
        "settleBets",
        "What becomes of bets on a round that is locked, or has ended",
        *("SettleBody", "Settled", 401, 403, 409, 503),
        needs_body=True,
    ),
    "/v1/engine/openapi.json": get("getDescription", "This description", {"type": "object"}, [], 400, 401, 403),
}


def _described(
    listener: str, paths: Mapping[str, Item], role: str, security: Sequence[Json] | None = None
) -> JsonObject:
    """Return the description of one listener's calls: with the groups and the forms that these have, and no others.

    Its calls with a token take one of ``role``: all of them, if there is a ``security``, and otherwise those that say
    so themselves.
    """
    operations = [
        (path, method, with_examples(operation)) for path, item in paths.items() for method, operation in item.items()
    ]
    names = {str(operation["operationId"]) for _, _, operation in operations}
    called: dict[str, dict[str, Json]] = {}
    for path, method, operation in operations:
        tagged: JsonObject = {**operation, "tags": [tags.OF_CALL[str(operation["operationId"])]]}
        called.setdefault(path, {})[method] = with_headers(
            tagged, has_token=bool(security) or "security" in operation
        )
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Foredraw",
            "version": "1",
            "description": "Casino rounds drawn before the round, provable after it. Errors are RFC 9457 problem"
            " documents with stable codes, to which others may be added. Repeat a call whose answer did not arrive,"
            " with the same body.",
        },
        "servers": [{"url": "/", "description": listener}],
        **({} if security is None else {"security": security}),
        "tags": tags.described(names),
        "paths": called,
        "components": {
            "schemas": _referred(called),
            "securitySchemes": {role: {"type": "http", "scheme": "bearer", "description": TOKEN}},
            "headers": HEADERS,
        },
    }


def _referred(node: Json) -> JsonObject:
    """Return the forms that a part of a description refers to, and those that these refer to, by their names."""
    forms = schemas()
    found: dict[str, Json] = {}
    waiting = [node]
    while waiting:
        for name in re.findall(rb'"#/components/schemas/([A-Za-z]+)"', msgspec.json.encode(waiting.pop())):
            text = name.decode()
            if text not in found:
                found[text] = forms[text]
                waiting.append(forms[text])
    return {name: forms[name] for name in forms if name in found}


PUBLIC = _described("the public listener", _OF_THE_PUBLIC, "operator")
ENGINES = _described(
    "the engines' listener: every call takes an engine's token", _OF_ENGINES, "engine", [{"engine": []}]
)
