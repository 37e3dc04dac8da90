"""The JSON Schemas of all types of this folder, for ``/openapi.json``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeAlias, cast

import msgspec

from api.answers.bets import GameList, Returns, Settled
from api.answers.bodies import LockBody, NextBody, OpenBody, RevealBody, SettleBody, VoidBody
from api.answers.problems import Problem
from api.answers.rounds import Ended, LockedOrder, LockedOutcome, LockPending, Next, Opened, Pending, RoundList
from api.answers.service import Alive, Health, HealthCheck, LogKey, Service, SeveralTables
from api.answers.tables import Live, TableList, TableLive, TableWithRules
from api.problems import Code, members_of

Json: TypeAlias = "Mapping[str, Json] | Sequence[Json] | str | int"
JsonObject: TypeAlias = Mapping[str, Json]

_ANSWERS = (
    *(
        Opened,
        LockedOutcome,
        LockedOrder,
        LockPending,
        Pending,
        Next,
        Ended,
        RoundList,
        TableList,
        TableWithRules,
        Live,
        TableLive,
    ),
    *(GameList, Returns, Settled, Alive, Health, HealthCheck, LogKey, Service, SeveralTables, Problem),
)
_BODIES = (OpenBody, LockBody, NextBody, RevealBody, VoidBody, SettleBody)


def ref(name: str) -> JsonObject:
    """Refer to the schema of this name."""
    return {"$ref": f"#/components/schemas/{name}"}


def schemas() -> dict[str, Json]:
    """Describe each type by its name: answers may have further keys, bodies may not."""
    _, described = msgspec.json.schema_components((*_ANSWERS, *_BODIES), ref_template="#/components/schemas/{name}")
    for schema in described.values():
        # The name once more.
        del schema["title"]
    # A pattern's end is spelled as JSON Schema has it.
    found: dict[str, Json] = msgspec.json.decode(msgspec.json.encode(described).replace(rb"\\Z", b"$"))
    locked: Json = {"oneOf": [ref("LockedOutcome"), ref("LockedOrder")]}
    return {**found, "Locked": locked, "Outcome": _outcome(), "Problem": _by_code(found["Problem"])}


def _by_code(problem: Json) -> JsonObject:
    """Add to the schema of problems which members those of each code have."""
    conditions: list[Json] = []
    for code in Code:
        always, if_known = members_of(code)
        if always or if_known:
            has: JsonObject = {"required": list(always), "properties": {name: {} for name in (*always, *if_known)}}
            conditions.append({"if": {"properties": {"code": {"const": code.text}}}, "then": has})
    return {**cast("JsonObject", problem), "allOf": conditions}


def _outcome() -> JsonObject:
    return {
        "type": "object",
        "minProperties": 1,
        "additionalProperties": {
            "anyOf": [
                {"type": "string"},
                {"type": "integer", "minimum": 0},
                {"type": "array", "items": {"type": "integer", "minimum": 0}},
            ]
        },
        "description": "by its places; `/v1/tables/{table}/outcome-schema` has exactly what a table's game can come to",
    }
