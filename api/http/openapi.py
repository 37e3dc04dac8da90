"""The OpenAPI description of all calls, served at ``/openapi.json`` and tested against the running service."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeAlias

from api.answers.schemas import Json, JsonObject, ref, schemas
from api.http.described import tags
from api.http.described.examples import with_examples
from api.http.described.queries import FROM, LIMIT
from api.problems import OF_THE_WEB_SERVER, Code
from fairness.hashing import U48_LIMIT
from fairness.limits import LARGEST_ROUND_PROOF

Item: TypeAlias = Mapping[str, JsonObject]
"""The operations of an address, by method."""

_TABLE: Json = {"type": "string", "pattern": "^[a-z0-9-]{1,32}$"}
_ROUND: JsonObject = {"type": "integer", "minimum": 1, "maximum": U48_LIMIT - 1}

_TAG: JsonObject = {"ETag": {"required": True, "description": "for If-None-Match", "schema": {"type": "string"}}}
_UNCHANGED: JsonObject = {"description": "nothing has changed since the answer with this tag", "headers": _TAG}
_IF_CHANGED: JsonObject = {"name": "If-None-Match", "in": "header", "schema": {"type": "string"}}
_RETRY_AFTER: Mapping[str, JsonObject] = {
    "Retry-After": {"description": "seconds until the call is repeated", "schema": {"type": "integer"}}
}
_HEADERS: dict[int, JsonObject] = {
    401: {"WWW-Authenticate": {"required": True, "schema": {"const": "Bearer"}}},
    429: {"Retry-After": {**_RETRY_AFTER["Retry-After"], "required": True}},
    # Not if only the operator can help, or if the call has to be another one.
    409: _RETRY_AFTER,
    503: _RETRY_AFTER,
}
"""Of problems, by status."""


def _json(schema: JsonObject, description: str) -> JsonObject:
    return {"description": description, "content": {"application/json": {"schema": schema}}}


_PROBLEM: JsonObject = {"application/problem+json": {"schema": ref("Problem")}}


def _problems(*statuses: int) -> JsonObject:
    """Return the problem documents of a call: which codes stand behind each status; and what any call can be
    answered.
    """
    answers: dict[str, Json] = {"default": _ANY}
    for status in statuses:
        codes = ", ".join(f"`{code.text}`" for code in Code if code.status == status)
        headers: JsonObject = {"headers": _HEADERS[status]} if status in _HEADERS else {}
        answers[str(status)] = {"description": codes, **headers, "content": _PROBLEM}
    return answers


_ANY: JsonObject = {
    "description": "What any call can be answered: 405 (`method-not-allowed`), 500 (`internal`), 503 (`storage-fails`);"
    " by the web server in front "
    + " and ".join(f"{status} (`{code}`)" for code, status in OF_THE_WEB_SERVER.items())
    + ", and others without a problem document (403, 413 and 502, for instance). Of a status that is not listed, one below 500"
    " changed nothing, and one from 500 on is repeated with the same body",
    "content": _PROBLEM,
}

_PUBLIC: JsonObject = {"url": "/", "description": "the public listener"}
_ENGINES: JsonObject = {
    "url": "{scheme}://{host}:{port}",
    "description": "the engines' listener: every call takes an engine's token",
    "variables": {
        "scheme": {"default": "http", "enum": ["http", "https"], "description": "https if a web server is in front"},
        "host": {"default": "127.0.0.1", "description": "`foredraw serve --engine-host`"},
        "port": {"default": "8001", "description": "`foredraw serve --engine-port`"},
    },
}
_IN_TABLE: JsonObject = {"name": "table", "in": "path", "required": True, "schema": _TABLE}
_IN_ROUND: JsonObject = {"name": "round", "in": "path", "required": True, "schema": _ROUND}


def _get(
    name: str, summary: str, schema: JsonObject, parameters: Sequence[Json], *problems: int, **more: Json
) -> Item:
    described: JsonObject = {"operationId": name, "summary": summary, "parameters": parameters, **more}
    return {"get": {**described, "responses": {"200": _json(schema, summary), **_problems(*problems)}}}


def _read(name: str, summary: str, schema: JsonObject, parameters: Sequence[Json], *problems: int) -> Item:
    """Return a call that both listeners answer, the engines' one with a token."""
    statuses = sorted({*problems, 401, 403})
    servers: Sequence[Json] = [_PUBLIC, _ENGINES]
    return _get(name, summary, schema, parameters, *statuses, servers=servers, security=[{}, {"engine": []}])


def _post(
    name: str,
    summary: str,
    body: str,
    answer: str,
    *,
    pending: str | None = "Pending",
    needs_body: bool = False,
    public: bool = False,
) -> Item:
    """Return a call of an engine; a ``public`` one is sometimes answered on the public listener, too, without a
    token.
    """
    responses: dict[str, Json] = {"200": _json(ref(answer), summary)}
    statuses = [400, 401, 403, 404, 408, 409, 413, 421, *((429,) if public else ()), 503]
    if pending is not None:
        late = _json(ref(pending), "the lock is not published yet: repeat the call")
        responses["202"] = {**late, "headers": _RETRY_AFTER}
    return {
        "post": {
            "operationId": name,
            "summary": summary,
            "servers": [_PUBLIC, _ENGINES] if public else [_ENGINES],
            "parameters": [_IN_TABLE, _IN_ROUND],
            "security": [{}, {"engine": []}] if public else [{"engine": []}],
            "requestBody": {"required": needs_body, "content": {"application/json": {"schema": ref(body)}}},
            "responses": {**responses, **_problems(*statuses)},
        }
    }


_FILE_NAMES = {
    "number": "three digits; from 1000 on in parts, like x001/234, with the slashes as they are; of a partial tile or bundle"
    " .p/WIDTH follows (C2SP tlog-tiles)",
    "level": "0 to 63",
    "prefix": "the first eight digits of the table's id",
}


def _file_name(name: str) -> JsonObject:
    described: JsonObject = {"description": _FILE_NAMES[name]} if name in _FILE_NAMES else {}
    return {"name": name, "in": "path", "required": True, **described, "schema": {"type": "string"}}


def _file(name: str, summary: str, parameters: list[str], kind: str = "application/octet-stream") -> Item:
    inputs: list[Json] = [*map(_file_name, parameters), _IF_CHANGED]
    form: JsonObject = {} if kind == "text/plain" else {"format": "binary"}
    answer: JsonObject = {"description": summary, "content": {kind: {"schema": {"type": "string", **form}}}}
    responses: JsonObject = {"200": {**answer, "headers": _TAG}, "304": _UNCHANGED, **_problems(404)}
    return {"get": {"operationId": name, "summary": summary, "parameters": inputs, "responses": responses}}


_ROUND_PATH = "/v1/tables/{table}/rounds/{round}"

_IN_DIGITS: JsonObject = {
    "name": "digits",
    "in": "path",
    "required": True,
    "description": "the first digits of the table's id; a round code has eight",
    "schema": {"type": "string", "pattern": "^[0-9a-f]{8,64}$"},
}


def _proof(name: str, summary: str, parameters: Sequence[Json], others: JsonObject) -> Item:
    file: JsonObject = {"text/plain": {"schema": {"type": "string", "maxLength": LARGEST_ROUND_PROOF}}}
    answer: JsonObject = {"description": "what the published log has of the round (SPEC 5.6)", "content": file}
    responses: JsonObject = {"200": answer, **others, **_problems(400, 404, 429)}
    return {"get": {"operationId": name, "summary": summary, "parameters": parameters, "responses": responses}}


def _schema(name: str, summary: str) -> Item:
    content: JsonObject = {"application/schema+json": {"schema": {"type": "object"}}}
    answer: JsonObject = {"description": "of the dialect 2020-12", "content": content}
    responses: JsonObject = {"200": answer, **_problems(400, 404, 409, 429)}
    return {"get": {"operationId": name, "summary": summary, "parameters": [_IN_TABLE], "responses": responses}}


def _feed(name: str, summary: str, schema: JsonObject, parameters: Sequence[Json], *problems: int) -> Item:
    found: JsonObject = {**_json(schema, "the feed, to be asked for once a second"), "headers": _TAG}
    answers: JsonObject = {"200": found, "304": _UNCHANGED, **_problems(*problems)}
    inputs: list[Json] = [*parameters, _IF_CHANGED]
    return {"get": {"operationId": name, "summary": summary, "parameters": inputs, "responses": answers}}


def _completed(paths: Mapping[str, Item]) -> JsonObject:
    """Give each operation its group and its examples."""
    return {
        path: {
            method: {**with_examples(operation), "tags": [tags.OF_CALL[str(operation["operationId"])]]}
            for method, operation in item.items()
        }
        for path, item in paths.items()
    }


DOCUMENT: JsonObject = {
    "openapi": "3.1.0",
    "info": {
        "title": "Foredraw",
        "version": "1",
        "description": "Casino rounds drawn before the round, provable after it. Errors are RFC 9457 problem documents with"
        " stable codes, to which others may be added. Repeat a call whose answer did not arrive, with the same body.",
    },
    "servers": [_PUBLIC],
    "tags": tags.described(),
    "paths": _completed(
        {
            "/v1/tables": _read("listTables", "All tables", ref("TableList"), [], 400),
            "/v1/tables/{table}": _read(
                "getTable", "One table, with its rules", ref("TableWithRules"), [_IN_TABLE], 400, 404, 409
            ),
            "/v1/tables/{table}/rounds": _get(
                "listRounds",
                "A page of rounds, those to come included",
                ref("RoundList"),
                [_IN_TABLE, FROM.described(), LIMIT.described()],
                400,
                404,
                409,
                429,
            ),
            _ROUND_PATH: _read("getRound", "One round", ref("Round"), [_IN_TABLE, _IN_ROUND], 400, 404, 409),
            f"{_ROUND_PATH}/proof": _proof(
                "getProof", "The proof file of one round; before its end, a receipt", [_IN_TABLE, _IN_ROUND], {}
            ),
            "/v1/proofs/{digits}/{round}": _proof(
                "getProofByCode",
                "The same, by what a round code has of the table",
                [_IN_DIGITS, _IN_ROUND],
                {
                    "300": _json(
                        ref("SeveralTables"), "several tables' ids begin so: ask again with all 64 digits of one"
                    )
                },
            ),
            f"{_ROUND_PATH}/open": _post("openRound", "The round takes bets", "OpenBody", "Opened", pending=None),
            f"{_ROUND_PATH}/lock": _post(
                "lockRound",
                "The round takes no more bets",
                "LockBody",
                "Locked",
                pending="LockPending",
                needs_body=True,
            ),
            f"{_ROUND_PATH}/next": _post(
                "nextThings", "The next things of a locked round's order", "NextBody", "Next", needs_body=True
            ),
            f"{_ROUND_PATH}/reveal": _post("revealRound", "The round has ended", "NoBody", "Ended"),
            f"{_ROUND_PATH}/void": _post(
                "voidRound", "The round counts for nothing", "VoidBody", "Ended", needs_body=True
            ),
            "/v1/live": _feed(
                "getLive", "Tables as they are now, small enough to ask for every second", ref("Live"), [], 400
            ),
            "/v1/tables/{table}/live": _feed(
                "getTableLive", "One table as it is now", ref("TableLive"), [_IN_TABLE], 400, 404
            ),
            f"{_ROUND_PATH}/settle": _post(
                "settleBets",
                "What becomes of bets on a round: while it is locked, for its engine alone; once it has ended, for all",
                "SettleBody",
                "Settled",
                needs_body=True,
                public=True,
            ),
            "/v1/games": _get(
                "listGames",
                "The games that are known by their names, with how their bets are written",
                ref("GameList"),
                [],
                400,
            ),
            "/v1/games/{game}": _get(
                "getGame",
                "What can be bet on such a game under its usual rules, with odds and exact worth",
                ref("Returns"),
                [{"name": "game", "in": "path", "required": True, "schema": {"type": "string"}}],
                400,
                404,
                429,
            ),
            "/v1/tables/{table}/bets": _get(
                "getBets",
                "What can be bet at a table, under its rules",
                ref("Returns"),
                [_IN_TABLE],
                400,
                404,
                409,
                429,
            ),
            "/v1/tables/{table}/outcome-schema": _schema(
                "getOutcomeSchema", "The JSON Schema of a table's outcomes, one for all its rounds"
            ),
            "/v1/log/key": _get("getLogKey", "The key that signs the log", ref("LogKey"), [], 400),
            "/log/checkpoint": _file("getCheckpoint", "The signed head of the log", [], "text/plain"),
            "/log/tile/{level}/{number}": _file("getTile", "A tile of hashes", ["level", "number"]),
            "/log/tile/entries/{number}": _file("getBundle", "A bundle of records", ["number"]),
            "/log/commitments/{folder}/{batch_id}": _file(
                "getCommitments", "The commitments of a batch", ["folder", "batch_id"]
            ),
            "/log/witnessed/{folder}/{batch_id}": _file(
                "getWitnessed", "What witnesses saw of a salted batch", ["folder", "batch_id"]
            ),
            "/log/custody/{folder}/{batch_id}/{custodian}": _file(
                "getCustodyNote", "What a custodian said of a batch", ["folder", "batch_id", "custodian"]
            ),
            "/log/policies/{hash}": _file("getCustodyPolicy", "By what a custodian releases seeds", ["hash"]),
            "/log/paytables/{hash}": _file("getPaytable", "What the bets of tables pay", ["hash"]),
            "/log/find/tables/{folder}/{prefix}": _file(
                "findTables", "Where tables stand in the log", ["folder", "prefix"]
            ),
            "/log/find/rounds/{folder}/{table_id}/{number}": _file(
                "findRounds", "Where rounds stand in the log", ["folder", "table_id", "number"]
            ),
            "/openapi.json": _get("getDescription", "This description", {"type": "object"}, []),
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
                        **_problems(401, 403),
                    },
                }
            },
            "/health/live": _get("isLive", "The process answers", ref("Alive"), []),
            "/health/ready": {
                "get": {
                    "operationId": "isReady",
                    "summary": "The service can play",
                    "responses": {
                        "200": _json(ref("Health"), "it can"),
                        "503": _json(ref("Health"), "it cannot; the check of the failing part says why"),
                        **_problems(),
                    },
                }
            },
        }
    ),
    "components": {
        "schemas": schemas(),
        "securitySchemes": {name: {"type": "http", "scheme": "bearer"} for name in ("engine", "operator")},
    },
}
