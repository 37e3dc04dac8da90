"""The OpenAPI description of all calls, served at ``/openapi.json`` and tested against the running service."""

from __future__ import annotations

from typing import Any

from api.answers.bets import LARGEST_STAKE, MOST_BETS
from api.answers.rounds import MOST_ROUNDS
from api.answers.tables import COMING, OUTCOMES
from api.http.described import tags
from api.http.described.queries import FROM, LIMIT
from api.problems import OF_THE_WEB_SERVER, Code
from api.store.rows import RoundStatus
from fairness.hashing import U48_LIMIT
from fairness.limits import LARGEST_INTEGER, LARGEST_ROUND_PROOF, LONGEST_REASON
from fairness.log.merkle import EMPTY_ROOT
from games.bets.bet import LONGEST_BET
from games.facts import FACTS

_HEX = {"type": "string", "pattern": "^[0-9a-f]{64}$"}
_TABLE = {"type": "string", "pattern": "^[a-z0-9-]{1,32}$"}
_ROUND = {"type": "integer", "minimum": 1, "maximum": U48_LIMIT - 1}
_HEXES = {"type": "array", "items": _HEX, "minItems": 1, "maxItems": 8}
_TIME = {"type": "string", "pattern": r"^2\d{3}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$"}
_CODE = {"type": "string", "pattern": "^[a-z0-9-]+1[02-9ac-hj-np-z]+$"}
_FRACTION = {"type": "string", "pattern": "^(0|[1-9][0-9]*)(/[1-9][0-9]*)?$", "description": "exact, in lowest terms"}
_ODDS = {"type": "string", "pattern": r"^(x [0-9]+(\.[0-9]+)?|[0-9]+:1)$", "description": "x 12 has the stake in it"}
_REASON = {"type": "string", "minLength": 1, "maxLength": LONGEST_REASON, "pattern": "^[ -~]+$"}


def _object(properties: dict[str, Any], optional: tuple[str, ...] = ()) -> dict[str, Any]:
    required = [name for name in properties if name not in optional]
    schema = {"type": "object", "properties": properties, "additionalProperties": False}
    return {**schema, "required": required} if required else schema


def _ref(name: str) -> dict[str, str]:
    return {"$ref": f"#/components/schemas/{name}"}


_TABLE_FIELDS = {
    "table": _TABLE,
    "game": {"type": "string"},
    "lead": {"type": "integer", "minimum": 0, "maximum": 1000},
    "next_round": {**_ROUND, "description": "the first round that has not been locked"},
    "committed_through": {"type": "integer", "minimum": 0},
    "ended": {"type": "boolean", "description": "whether the table takes no more rounds"},
    "closed": {"type": "boolean", "description": "whether the seeds of its unused rounds are public, too"},
    "halted": {
        "type": "boolean",
        "description": "whether its engine gets no answers: a record was refused, or its row is damaged",
    },
}
_GAME_FIELDS = {
    "game": {"type": "string"},
    "lead": {"type": "integer", "minimum": 0, "maximum": 1000},
    "section": {"type": "string", "description": "of the regulation"},
    "options": {
        "type": "array",
        "items": _object({name: {"type": "string"} for name in ("form", "name", "wins")}),
    },
}
_STAKE = {"type": "integer", "minimum": 1, "maximum": LARGEST_STAKE}
_WITH_SLASH = {"type": "string", "pattern": "^(0|[1-9][0-9]*)/[1-9][0-9]*$", "description": "exact, in lowest terms"}
_LOCKED = {
    "table": _TABLE,
    "round": _ROUND,
    "status": {"const": RoundStatus.LOCKED},
    "locked": {**_TIME, "description": "the time of the lock, as its record has it"},
}
_CALL = {
    "type": "string",
    "pattern": "^[A-Za-z0-9_-]{16,64}$",
    "description": "made at random by the engine for this call alone, kept by it, and the same in each repetition",
}
_POSITION = {"type": "integer", "minimum": 1, "maximum": LARGEST_INTEGER}
_BETS = {
    **_object({"count": {"type": "integer", "minimum": 0, "maximum": LARGEST_INTEGER}, "root": _HEX}),
    "if": {"properties": {"count": {"const": 0}}},
    "then": {"properties": {"root": {"const": EMPTY_ROOT.hex()}}},
    "else": {"properties": {"root": {"not": {"const": EMPTY_ROOT.hex()}}}},
}
_ENDED = {"outcome": _ref("Outcome"), "seeds": _HEXES, "code": _CODE, "reason": _REASON}

# Two games may have outcomes of one form.
_MEMBERS: list[dict[str, Any]] = []
for _facts in FACTS.values():
    _MEMBERS.extend(dict(members) for members in _facts.members if members not in _MEMBERS)

_DECLARED_OUTCOME: dict[str, Any] = {
    "type": "object",
    "minProperties": 1,
    "additionalProperties": {
        "anyOf": [
            {"type": "string"},
            {"type": "integer", "minimum": 0},
            {"type": "array", "items": {"type": "integer", "minimum": 0}},
        ]
    },
}

_SCHEMAS: dict[str, Any] = {
    "Outcome": {
        "anyOf": [*(_object(members) for members in _MEMBERS), _DECLARED_OUTCOME],
        "description": "of the games that are known by their names, one of the first forms; of a declared game, its places",
    },
    "Table": _object(_TABLE_FIELDS),
    "TableWithRules": _object(
        {
            **_TABLE_FIELDS,
            "rules": {"type": "object", "additionalProperties": {"type": "integer"}},
            "table_id": _HEX,
            "created": _TIME,
            "custodians": {"type": "array", "items": {"type": "string"}, "minItems": 1},
            "salt": {
                "type": "string",
                "pattern": "^(none|quicknet|[0-9a-f]{64})$",
                "description": "none, or the beacon whose pulses salt the batches",
            },
            "bets": {"const": "required", "description": "every lock must carry a digest of the bets"},
            "declaration": {
                "type": "object",
                "description": "what the game draws (SPEC 3.6), unless it is known by its name",
            },
            "paytable": {
                **_HEX,
                "description": "SHA-256 of the file /log/paytables/{hash}, which says what the bets pay; absent without bets",
            },
        },
        optional=("bets", "declaration", "paytable"),
    ),
    "Live": _object(
        {
            "records": {"type": "integer", "minimum": 0, "description": "the size of the published log"},
            "tables": {"type": "array", "items": _ref("LiveTable")},
        }
    ),
    "LiveTable": _object(
        {
            **{name: schema for name, schema in _TABLE_FIELDS.items() if name != "lead"},
            "fixed_through": {
                "type": "integer",
                "minimum": 0,
                "description": "the last round up to which all are fixed; only while a batch awaits its salt",
            },
            "now": {
                "type": "array",
                "maxItems": 2,
                "items": _object(
                    {"round": _ROUND, "status": {"enum": [RoundStatus.OPEN, RoundStatus.LOCKED]}, "since": _TIME}
                ),
                "description": "the rounds that are going on, in their order",
            },
            "last": {
                "type": "array",
                "maxItems": OUTCOMES,
                "items": _object(
                    {
                        "round": _ROUND,
                        "status": {"enum": [RoundStatus.PLAYED, RoundStatus.VOID]},
                        "outcome": _ref("Outcome"),
                    }
                ),
                "description": "the last rounds that have ended, newest first",
            },
            "coming": {
                "type": "array",
                "maxItems": COMING,
                "items": {"type": "string", "pattern": "^[0-9a-f]{16}$"},
                "description": "the first digits of the commitments of the next rounds, after those going on",
            },
            "betting": {
                "type": "integer",
                "minimum": 0,
                "description": "for how many milliseconds the last round took bets",
            },
        },
        optional=("betting", "fixed_through"),
    ),
    "Round": _object(
        {
            "table": _TABLE,
            "round": _ROUND,
            "status": {"enum": list(RoundStatus)},
            "commitments": _HEXES,
            "batch": {"type": "integer", "minimum": 1},
            "batch_id": _HEX,
            "salt": _object(
                {
                    "beacon": {"type": "integer", "minimum": 1, "description": "the round of the beacon"},
                    "signature": {"type": "string", "pattern": "^[0-9a-f]{96}$", "description": "its pulse"},
                },
                optional=("signature",),
            ),
            **_ENDED,
            "given": {
                "type": "integer",
                "minimum": 0,
                "description": "how many things of the order the engine was given one call at a time, before the reveal",
            },
            "order": {
                "type": "array",
                "items": _ref("Thing"),
                "description": "of a round that has ended, if its players decided after the lock; not in a page of rounds",
            },
        },
        optional=("salt", *_ENDED, "given", "order"),
    ),
    "Thing": _object(
        {
            "position": _POSITION,
            "place": {"type": "string", "description": "as the outcome names it"},
            "thing": {"anyOf": [{"type": "string"}, {"type": "integer", "minimum": 0}]},
        }
    ),
    "Next": _object(
        {
            "table": _TABLE,
            "round": _ROUND,
            "status": {"const": RoundStatus.LOCKED},
            "of": {**_POSITION, "description": "how many things the order has"},
            "things": {"type": "array", "items": _ref("Thing"), "minItems": 1},
        }
    ),
    "Opened": _object({"table": _TABLE, "round": _ROUND, "status": {"const": RoundStatus.OPEN}}),
    "Locked": {"anyOf": [_object({**_LOCKED, "outcome": _ref("Outcome")}), _object({**_LOCKED, "of": _POSITION})]},
    "LockPending": _object(_LOCKED),
    "Pending": _object({"table": _TABLE, "round": _ROUND, "status": {"const": RoundStatus.LOCKED}}),
    "Ended": _object(
        {"table": _TABLE, "round": _ROUND, "status": {"enum": [RoundStatus.PLAYED, RoundStatus.VOID]}, **_ENDED},
        optional=("reason",),
    ),
    "OpenBody": _object({"call": _CALL}, optional=("call",)),
    "LockBody": _object(
        {
            "call": _CALL,
            "bets": _BETS,
            "outcome": {
                "type": "boolean",
                # Without the default: makers of clients ask for a value then.
                "description": "true if it is absent; false: the order is kept back, and the engine asks for its things with next",
            },
        },
        optional=("bets", "outcome"),
    ),
    "NextBody": _object({"from": _POSITION, "count": _POSITION}),
    "Game": _object(_GAME_FIELDS, optional=("section",)),
    "Returns": _object(
        {
            **_GAME_FIELDS,
            "rules": {"type": "object", "additionalProperties": {"type": "integer"}},
            "outcomes": _object(
                {
                    "count": {"type": "integer", "minimum": 1},
                    "listed": {
                        "type": "array",
                        "items": _object({"outcome": _ref("Outcome"), "chance": _FRACTION}),
                        "description": "all, or the first and the last if there are too many",
                    },
                }
            ),
            "bets": {
                "type": "array",
                "items": _object(
                    {
                        "bet": {"type": "string", "maxLength": LONGEST_BET},
                        "after": {"type": "string", "description": "the card before, which it is compared with"},
                        "name": {"type": "string"},
                        "odds": {"type": "array", "items": _ODDS, "minItems": 1},
                        "return": _FRACTION,
                        "hit_rate": _FRACTION,
                        "variance": _FRACTION,
                    },
                    optional=("after",),
                ),
                "description": "each bet, or one for all that are alike",
            },
        },
        optional=("section", "outcomes", "bets"),
    ),
    "SettleBody": _object(
        {
            "bets": {
                "type": "array",
                "items": _object({"bet": {"type": "string", "maxLength": LONGEST_BET}, "stake": _STAKE}),
                "minItems": 1,
                "maxItems": MOST_BETS,
            }
        }
    ),
    "Settled": _object(
        {
            "table": _TABLE,
            "round": _ROUND,
            "status": {"enum": [RoundStatus.LOCKED, RoundStatus.PLAYED, RoundStatus.VOID]},
            "outcome": _ref("Outcome"),
            "bets": {
                "type": "array",
                "items": _object(
                    {
                        "bet": {"type": "string", "maxLength": LONGEST_BET},
                        "after": {"type": "string"},
                        "stake": _STAKE,
                        "result": {"enum": ["wins", "loses", "void", "open"]},
                        "odds": {"oneOf": [_ODDS, {"type": "null"}]},
                        "winnings": {
                            "type": ["string", "null"],
                            "pattern": "^(0|[1-9][0-9]*)$",
                            "description": "whole units, rounded down",
                        },
                        "winnings_exact": {"oneOf": [_WITH_SLASH, {"type": "null"}]},
                        "winnings_rest": {"oneOf": [_WITH_SLASH, {"type": "null"}]},
                        "next": {"type": "string"},
                    },
                    optional=("after", "next"),
                ),
            },
        }
    ),
    "VoidBody": _object(
        {"reason": {"type": "string", "minLength": 1, "description": "in the log, ? for what is no printable ASCII"}}
    ),
    "NoBody": _object({}),
    "Health": {
        "type": "object",
        "properties": {
            "status": {"type": "string"},
            "wrong": {
                "type": "array",
                "items": {"type": "string"},
                "description": "a sentence each, with the remedy",
            },
        },
        "additionalProperties": {"type": "string"},
        "required": ["status"],
    },
    "Problem": {
        "type": "object",
        "properties": {
            "type": {"type": "string"},
            "title": {"type": "string"},
            "status": {"type": "integer"},
            "code": {
                "type": "string",
                "x-extensible-enum": [*(code.text for code in Code), *OF_THE_WEB_SERVER],
                "description": "what a program looks at; more may be added, of which the status says enough",
            },
            "detail": {"type": "string", "description": "for people: what was expected and found"},
            "table": _TABLE,
            "round": _ROUND,
            "expected": _object({"round": _ROUND, "status": {"enum": list(RoundStatus)}}),
            "found": _object({"round": _ROUND, "status": {"enum": list(RoundStatus)}}),
            "place": {"type": "integer", "minimum": 0, "description": "of `bet-refused`: which bet, counted from 0"},
        },
        "required": ["type", "title", "status", "code", "detail"],
    },
}


_TAG = {"ETag": {"required": True, "description": "for If-None-Match", "schema": {"type": "string"}}}
_UNCHANGED = {"description": "nothing has changed since the answer with this tag", "headers": _TAG}
_IF_CHANGED = {"name": "If-None-Match", "in": "header", "schema": {"type": "string"}}
_RETRY_AFTER = {"Retry-After": {"description": "seconds until the call is repeated", "schema": {"type": "integer"}}}
_HEADERS = {
    401: {"WWW-Authenticate": {"required": True, "schema": {"const": "Bearer"}}},
    # Not if only the operator can help.
    503: _RETRY_AFTER,
}
"""Of problems, by status."""


def _json(schema: dict[str, Any], description: str) -> dict[str, Any]:
    return {"description": description, "content": {"application/json": {"schema": schema}}}


def _problems(*statuses: int) -> dict[str, Any]:
    """The problem documents of a call: which codes stand behind each status."""
    answers = {}
    for status in statuses:
        codes = ", ".join(f"`{code.text}`" for code in Code if code.status == status)
        content = {"application/problem+json": {"schema": _ref("Problem")}}
        headers = {"headers": _HEADERS[status]} if status in _HEADERS else {}
        answers[str(status)] = {"description": codes, **headers, "content": content}
    return answers


_ANY = {
    "description": "What any call can be answered: 405 (`method-not-allowed`), 500 (`internal`); by the web server in front "
    + " and ".join(f"{status} (`{code}`)" for code, status in OF_THE_WEB_SERVER.items())
    + ". Of a status that is not listed, one below 500 changed nothing, and one from 500 on is repeated with the same body",
    "content": {"application/problem+json": {"schema": _ref("Problem")}},
}

_PUBLIC = {"url": "/", "description": "the public listener"}
_ENGINES = {
    "url": "{scheme}://{host}:{port}",
    "description": "the engines' listener: every call takes an engine's token",
    "variables": {
        "scheme": {"default": "http", "enum": ["http", "https"], "description": "https if a web server is in front"},
        "host": {"default": "127.0.0.1", "description": "`foredraw serve --engine-host`"},
        "port": {"default": "8001", "description": "`foredraw serve --engine-port`"},
    },
}
_IN_TABLE = {"name": "table", "in": "path", "required": True, "schema": _TABLE}
_IN_ROUND = {"name": "round", "in": "path", "required": True, "schema": _ROUND}


def _get(name: str, summary: str, schema: dict[str, Any], parameters: list[Any], *problems: int) -> dict[str, Any]:
    responses = {"200": _json(schema, summary), **_problems(*problems)}
    return {"get": {"operationId": name, "summary": summary, "parameters": parameters, "responses": responses}}


def _read(name: str, summary: str, schema: dict[str, Any], parameters: list[Any], *problems: int) -> dict[str, Any]:
    """A call that both listeners answer, the engines' one with a token."""
    described = _get(name, summary, schema, parameters, *sorted({*problems, 401, 403}))
    described["get"] |= {"servers": [_PUBLIC, _ENGINES], "security": [{}, {"engine": []}]}
    return described


def _post(
    name: str,
    summary: str,
    body: str,
    answer: str,
    *,
    pending: str | None = "Pending",
    needs_body: bool = False,
    public: bool = False,
) -> dict[str, Any]:
    """A call of an engine; a ``public`` one is sometimes answered on the public listener, too, without a token."""
    responses = {"200": _json(_ref(answer), summary)}
    if pending is not None:
        late = _json(_ref(pending), "the lock is not published yet: repeat the call")
        responses["202"] = {**late, "headers": _RETRY_AFTER}
    return {
        "post": {
            "operationId": name,
            "summary": summary,
            "servers": [_PUBLIC, _ENGINES] if public else [_ENGINES],
            "parameters": [_IN_TABLE, _IN_ROUND],
            "security": [{}, {"engine": []}] if public else [{"engine": []}],
            "requestBody": {"required": needs_body, "content": {"application/json": {"schema": _ref(body)}}},
            "responses": {**responses, **_problems(400, 401, 403, 404, 408, 409, 413, 421, 503)},
        }
    }


_FILE_NAMES = {
    "number": "three digits; from 1000 on in parts, like x001/234, with the slashes as they are; of a partial tile or bundle"
    " .p/WIDTH follows (C2SP tlog-tiles)",
    "level": "0 to 63",
    "prefix": "the first eight digits of the table's id",
}


def _file_name(name: str) -> dict[str, Any]:
    described = {"description": _FILE_NAMES[name]} if name in _FILE_NAMES else {}
    return {"name": name, "in": "path", "required": True, **described, "schema": {"type": "string"}}


def _file(name: str, summary: str, parameters: list[str], kind: str = "application/octet-stream") -> dict[str, Any]:
    inputs = [*map(_file_name, parameters), _IF_CHANGED]
    form = {} if kind == "text/plain" else {"format": "binary"}
    answer = {"description": summary, "content": {kind: {"schema": {"type": "string", **form}}}}
    responses = {"200": {**answer, "headers": _TAG}, "304": _UNCHANGED, **_problems(404)}
    return {"get": {"operationId": name, "summary": summary, "parameters": inputs, "responses": responses}}


_ROUND_PATH = "/v1/tables/{table}/rounds/{round}"

_IN_DIGITS = {
    "name": "digits",
    "in": "path",
    "required": True,
    "description": "the first digits of the table's id; a round code has eight",
    "schema": {"type": "string", "pattern": "^[0-9a-f]{8,64}$"},
}
_SEVERAL = _object({"table_ids": {"type": "array", "items": _HEX, "minItems": 2, "uniqueItems": True}})


def _proof(name: str, summary: str, parameters: list[Any], others: dict[str, Any]) -> dict[str, Any]:
    file = {"text/plain": {"schema": {"type": "string", "maxLength": LARGEST_ROUND_PROOF}}}
    answer = {"description": "what the published log has of the round (SPEC 5.6)", "content": file}
    responses = {"200": answer, **others, **_problems(400, 404, 503)}
    return {"get": {"operationId": name, "summary": summary, "parameters": parameters, "responses": responses}}


def _schema(name: str, summary: str) -> dict[str, Any]:
    content = {"application/schema+json": {"schema": {"type": "object"}}}
    responses = {"200": {"description": "of the dialect 2020-12", "content": content}, **_problems(400, 404, 503)}
    return {"get": {"operationId": name, "summary": summary, "parameters": [_IN_TABLE], "responses": responses}}


DOCUMENT: dict[str, Any] = {
    "openapi": "3.1.0",
    "info": {
        "title": "Foredraw",
        "version": "1",
        "description": "Casino rounds drawn before the round, provable after it. Errors are RFC 9457 problem documents with"
        " stable codes, to which others may be added. Repeat a call whose answer did not arrive, with the same body.",
    },
    "servers": [_PUBLIC],
    "tags": tags.described(),
    "paths": {
        "/v1/tables": _read(
            "listTables", "All tables", _object({"tables": {"type": "array", "items": _ref("Table")}}), [], 400
        ),
        "/v1/tables/{table}": _read(
            "getTable", "One table, with its rules", _ref("TableWithRules"), [_IN_TABLE], 400, 404, 503
        ),
        "/v1/tables/{table}/rounds": _get(
            "listRounds",
            "A page of rounds, those to come included",
            _object({"rounds": {"type": "array", "items": _ref("Round"), "maxItems": MOST_ROUNDS}}),
            [_IN_TABLE, FROM.described(), LIMIT.described()],
            400,
            404,
            503,
        ),
        _ROUND_PATH: _read("getRound", "One round", _ref("Round"), [_IN_TABLE, _IN_ROUND], 400, 404, 503),
        f"{_ROUND_PATH}/proof": _proof(
            "getProof", "The proof file of one round; before its end, a receipt", [_IN_TABLE, _IN_ROUND], {}
        ),
        "/v1/proofs/{digits}/{round}": _proof(
            "getProofByCode",
            "The same, by what a round code has of the table",
            [_IN_DIGITS, _IN_ROUND],
            {"300": _json(_SEVERAL, "several tables' ids begin so: ask again with all 64 digits of one")},
        ),
        f"{_ROUND_PATH}/open": _post("openRound", "The round takes bets", "OpenBody", "Opened", pending=None),
        f"{_ROUND_PATH}/lock": _post(
            "lockRound", "The round takes no more bets", "LockBody", "Locked", pending="LockPending", needs_body=True
        ),
        f"{_ROUND_PATH}/next": _post(
            "nextThings", "The next things of a locked round's order", "NextBody", "Next", needs_body=True
        ),
        f"{_ROUND_PATH}/reveal": _post("revealRound", "The round has ended", "NoBody", "Ended"),
        f"{_ROUND_PATH}/void": _post(
            "voidRound", "The round counts for nothing", "VoidBody", "Ended", needs_body=True
        ),
        "/v1/live": {
            "get": {
                "operationId": "getLive",
                "summary": "All tables as they are now, small enough to ask for every second",
                "parameters": [_IF_CHANGED],
                "responses": {
                    "200": {**_json(_ref("Live"), "the feed, to be asked for once a second"), "headers": _TAG},
                    "304": _UNCHANGED,
                    **_problems(400),
                },
            }
        },
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
            _object({"games": {"type": "array", "items": _ref("Game")}}),
            [],
            400,
        ),
        "/v1/games/{game}": _get(
            "getGame",
            "What can be bet on such a game under its usual rules, with odds and exact worth",
            _ref("Returns"),
            [{"name": "game", "in": "path", "required": True, "schema": {"type": "string"}}],
            400,
            404,
            503,
        ),
        "/v1/tables/{table}/bets": _get(
            "getBets", "What can be bet at a table, under its rules", _ref("Returns"), [_IN_TABLE], 400, 404, 503
        ),
        "/v1/tables/{table}/outcome-schema": _schema(
            "getOutcomeSchema", "The JSON Schema of a table's outcomes, one for all its rounds"
        ),
        "/v1/log/key": _get(
            "getLogKey", "The key that signs the log", _object({"vkey": {"type": "string"}}), [], 400
        ),
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
                    "200": {"description": "the figures", "content": {"text/plain": {"schema": {"type": "string"}}}},
                    **_problems(401, 403),
                },
            }
        },
        "/health/live": _get("isLive", "The process answers", _ref("Health"), []),
        "/health/ready": {
            "get": {
                "operationId": "isReady",
                "summary": "The service can play",
                "responses": {
                    "200": _json(_ref("Health"), "it can"),
                    "503": _json(_ref("Health"), "it cannot; the failing part is named"),
                },
            }
        },
    },
    "components": {
        "schemas": _SCHEMAS,
        "securitySchemes": {name: {"type": "http", "scheme": "bearer"} for name in ("engine", "operator")},
    },
}

for _item in DOCUMENT["paths"].values():
    for _operation in _item.values():
        _operation["responses"]["default"] = _ANY
        _operation["tags"] = [tags.OF_CALL[_operation["operationId"]]]
