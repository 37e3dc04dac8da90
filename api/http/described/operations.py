"""What descriptions of calls are made of: reading, acting on a round, files, and what each can be refused with."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeAlias, cast

from api.answers.schemas import Json, JsonObject, ref
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


def in_json(schema: JsonObject, description: str) -> JsonObject:
    """Describe an answer in JSON."""
    return {"description": description, "content": {"application/json": {"schema": schema}}}


_PROBLEM: JsonObject = {"application/problem+json": {"schema": ref("Problem")}}


def problems(*statuses: int) -> JsonObject:
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

IN_TABLE: JsonObject = {"name": "table", "in": "path", "required": True, "schema": _TABLE}
IN_ROUND: JsonObject = {"name": "round", "in": "path", "required": True, "schema": _ROUND}


def get(name: str, summary: str, schema: JsonObject, parameters: Sequence[Json], *refusals: int) -> Item:
    """Describe a call that reads, whose answer has this form."""
    described: JsonObject = {"operationId": name, "summary": summary, "parameters": parameters}
    return {"get": {**described, "responses": {"200": in_json(schema, summary), **problems(*refusals)}}}


def kept(name: str, summary: str, schema: JsonObject, parameters: Sequence[Json], *refusals: int) -> Item:
    """Describe the same whose answer caches may keep."""
    return _tagged(get(name, summary, schema, parameters, *refusals))


def _tagged(item: Item) -> Item:
    """Add the tag of an answer, and that nothing has changed since."""
    call = item["get"]
    parameters, responses = cast("Sequence[Json]", call["parameters"]), cast("JsonObject", call["responses"])
    tagged: JsonObject = {**cast("JsonObject", responses["200"]), "headers": _TAG}
    answers: JsonObject = {**responses, "200": tagged, "304": _UNCHANGED}
    return {"get": {**call, "parameters": [*parameters, _IF_CHANGED], "responses": answers}}


def act(
    name: str,
    summary: str,
    body: str,
    answer: str,
    *refusals: int,
    pending: str | None = "Pending",
    needs_body: bool = False,
) -> Item:
    """Describe a call about a round; ``pending`` is the form of its answer while the lock is not published."""
    responses: dict[str, Json] = {"200": in_json(ref(answer), summary)}
    if pending is not None:
        late = in_json(ref(pending), "the lock is not published yet: repeat the call")
        responses["202"] = {**late, "headers": _RETRY_AFTER}
    return {
        "post": {
            "operationId": name,
            "summary": summary,
            "parameters": [IN_TABLE, IN_ROUND],
            "requestBody": {"required": needs_body, "content": {"application/json": {"schema": ref(body)}}},
            "responses": {**responses, **problems(*sorted((400, 404, 408, 413, *refusals)))},
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


def file(name: str, summary: str, parameters: list[str], kind: str = "application/octet-stream") -> Item:
    """Describe the reading of a file of the log, whose address has these parts."""
    form: JsonObject = {} if kind == "text/plain" else {"format": "binary"}
    answer: JsonObject = {"description": summary, "content": {kind: {"schema": {"type": "string", **form}}}}
    inputs = [*map(_file_name, parameters)]
    responses: JsonObject = {"200": answer, **problems(404)}
    return _tagged({"get": {"operationId": name, "summary": summary, "parameters": inputs, "responses": responses}})


def proof(name: str, summary: str, parameters: Sequence[Json], others: JsonObject) -> Item:
    """Describe the reading of a proof file; ``others`` are its further answers."""
    text: JsonObject = {"text/plain": {"schema": {"type": "string", "maxLength": LARGEST_ROUND_PROOF}}}
    answer: JsonObject = {"description": "what the published log has of the round (SPEC 5.6)", "content": text}
    responses: JsonObject = {"200": answer, **others, **problems(400, 404, 429)}
    return _tagged(
        {"get": {"operationId": name, "summary": summary, "parameters": parameters, "responses": responses}}
    )


def outcome_schema(name: str, summary: str) -> Item:
    """Describe the reading of a JSON Schema."""
    content: JsonObject = {"application/schema+json": {"schema": {"type": "object"}}}
    answer: JsonObject = {"description": "of the dialect 2020-12", "content": content}
    responses: JsonObject = {"200": answer, **problems(400, 404, 409, 429)}
    return _tagged(
        {"get": {"operationId": name, "summary": summary, "parameters": [IN_TABLE], "responses": responses}}
    )
