"""Calls of the public alone: proofs, pages of rounds, the schema of outcomes, the log's key, health, and the
description of all calls.
"""

from __future__ import annotations

from http import HTTPStatus

from flask import Blueprint, Response
from msgspec import UNSET

from api.answers.rounds import RoundList
from api.answers.service import Alive, HealthCheck, LogKey, SeveralTables
from api.answers.service import Health as HealthShown
from api.http import view
from api.http.answers import A_MINUTE, A_SECOND, json_answer, round_number
from api.http.crowds import expensive
from api.http.described.queries import FROM, OF_ROUNDS, TO, page_at
from api.http.openapi import PUBLIC
from api.http.proofs import RoundProofs
from api.http.view import PublicRounds
from api.operations.health import PLAYS_WITHOUT, Health
from api.parts import part
from api.problems import Code, Problem
from api.rounds.reading import status_of_table
from api.sql.database import Database
from fairness.log.notes import VerifierKey
from fairness.manifest import SERVICE, manifest_of_running
from fairness.round.proof import RoundProof
from fairness.version import VERSION

public_api = Blueprint("public", __name__)


def _proof_answer(proof: RoundProof) -> Response:
    response = Response(bytes(proof), mimetype="text/plain")
    name = f"{proof.table_name}-round-{proof.number}.proof"
    response.headers["Content-Disposition"] = f'attachment; filename="{name}"'
    response.headers["Cache-Control"] = A_SECOND
    return response


@public_api.get("/v1/tables/<table>/rounds/<number>/proof")
@expensive
def show_proof(table: str, number: str) -> Response:
    """Return the proof file of one round, or its receipt."""
    return _proof_answer(part(RoundProofs).proof(table, round_number(number)))


@public_api.get("/v1/proofs/<digits>/<number>")
@expensive
def show_proof_by_code(digits: str, number: str) -> Response:
    """Return a proof by what a round code has: the first digits of the table's id; if several tables' ids begin so,
    these ids.
    """
    n, proofs = round_number(number), part(RoundProofs)
    found = proofs.table_ids(digits)
    if len(found) > 1:
        ids = SeveralTables([each.hex() for each in found])
        return json_answer(ids, status=HTTPStatus.MULTIPLE_CHOICES, keep=A_SECOND)
    return _proof_answer(proofs.proof_of_id(found[0], n))


@public_api.get("/v1/tables/<table>/rounds")
@expensive
def list_rounds(table: str) -> Response:
    """Return a page of rounds, upwards or downwards."""
    start, end, limit = FROM.given(), TO.given(), OF_ROUNDS.given()
    if start is not None and end is not None:
        detail = "from goes upwards and to downwards: expected one of them, found both"
        raise Problem(Code.MALFORMED_REQUEST, detail, parameter=TO.name)
    rounds, last = part(PublicRounds), status_of_table(part(Database), table).state.committed_through
    if end is None:
        first = start or 1
        following = page_at(**{"from": first + limit}, limit=limit) if first + limit <= last else UNSET
        return json_answer(RoundList(rounds.page(table, first, limit), following), keep=A_SECOND)
    end = min(end, last)
    first = max(1, end - limit + 1)
    following = page_at(to=first - 1, limit=limit) if first > 1 else UNSET
    return json_answer(RoundList(rounds.page(table, first, end - first + 1)[::-1], following), keep=A_SECOND)


@public_api.get("/v1/tables/<table>/outcome-schema")
@expensive
def show_outcome_schema(table: str) -> Response:
    """Return the JSON Schema of a table's outcomes, one for all its rounds."""
    response = json_answer(view.show_outcome_schema(part(Database), table), keep=A_MINUTE)
    response.mimetype = "application/schema+json"
    return response


@public_api.get("/v1/log/key")
def log_key() -> Response:
    """Return the key that signs the log. Write it down once; a key fetched again proves nothing."""
    return json_answer(LogKey(str(part(VerifierKey))), keep=A_MINUTE)


@public_api.get("/openapi.json")
def openapi() -> Response:
    """Return the description of all calls without an engine's token."""
    return json_answer(PUBLIC, keep=A_MINUTE)


@public_api.get("/health/live")
def live() -> Response:
    """Report that the process answers."""
    return json_answer(Alive("live", VERSION, manifest_of_running(SERVICE)))


@public_api.get("/health/ready")
def ready() -> Response:
    """Return whether the service can play; and what is wrong and what to do."""
    failures = part(Health).failures()
    checks = {
        part: HealthCheck("ok") if why is None else HealthCheck("failing", why) for part, why in failures.items()
    }
    plays = all(why is None for part, why in failures.items() if part not in PLAYS_WITHOUT)
    shown = HealthShown("ready" if plays else "not-ready", VERSION, manifest_of_running(SERVICE), checks)
    return json_answer(shown, status=200 if plays else 503)
