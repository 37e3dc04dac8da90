"""The two Flask applications: one for engines, one for the public."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from http import HTTPStatus
from typing import cast

from flask import Flask, Response, request
from werkzeug.exceptions import HTTPException, MethodNotAllowed

from api.access.sessions import Sessions
from api.http.addresses import with_one_spelling
from api.http.answers import problem_answer
from api.http.bets import bets_api
from api.http.crowds import Crowds
from api.http.elsewhere import elsewhere
from api.http.engine import check_engine, engine_api
from api.http.live import ADDRESS, Feed, in_front_of
from api.http.log_files import log_files
from api.http.metrics import metrics
from api.http.proofs import RoundProofs
from api.http.public import public_api
from api.http.reads import reads_api
from api.http.request_body import LARGEST_BODY
from api.http.view import PublicRounds
from api.log.publication import Publication
from api.operations.health import Health
from api.operations.overview import Observer
from api.pages import error_page, pages, prepare, wants_page, with_headers
from api.parts import install_parts
from api.problems import Code, Problem
from api.rounds.calls import Rounds
from api.rounds.change import TableWriter
from api.server.offload import in_a_thread
from api.server.proxies import behind_proxies
from api.service import Service, open_service
from api.settings import Settings
from api.sql.database import Database
from api.store.rows import DamagedStateError
from api.world.clock import Clock
from api.world.log_folder import LogFolder
from api.world.signs import note_damage
from api.world.storage_failures import (
    STORAGE_FAILURES,
    StorageFailure,
    in_words,
    is_of_a_connection,
    say_once_a_minute,
)
from fairness.log.notes import VerifierKey

_logger = logging.getLogger("foredraw.api")
_CODES = {404: Code.NOT_FOUND, 405: Code.METHOD_NOT_ALLOWED, 413: Code.BODY_TOO_LARGE}


def create_app(service: Service | None = None, *, for_crowds: bool = False) -> Flask:
    """The public's application of one service; without one, of the folder that the environment names.

    With ``for_crowds`` a page is made at most once a second, and expensive answers get a share of the time (`crowds`).
    """
    service = service or _open_from_environment()
    rounds = PublicRounds(service.database, service.log)
    feed = Feed(service.database, service.publication, rounds)
    app = _bare_app(
        {
            Clock: service.clock,
            Database: service.database,
            Feed: feed,
            Health: service.health,
            LogFolder: service.log,
            Observer: service.observer,
            PublicRounds: rounds,
            Publication: service.publication,
            RoundProofs: RoundProofs(service.database, service.publication),
            Sessions: service.sessions,
            TableWriter: service.writer,
            VerifierKey: service.verifier_key,
        }
    )
    app.extensions["crowds"] = Crowds() if for_crowds else None
    prepare(app)
    for blueprint in (reads_api, public_api, bets_api, elsewhere, metrics, log_files, pages):
        app.register_blueprint(blueprint)
    app.add_url_rule(ADDRESS, "live", lambda: Response.from_app(feed, request.environ))
    _answer_problems(app, service, lambda problem: error_page(problem) if wants_page() else problem_answer(problem))
    inside = with_one_spelling(in_front_of(app.wsgi_app, feed))
    app.wsgi_app = with_headers(behind_proxies(inside, service.settings.proxies))  # type: ignore[assignment,method-assign]
    return app


def create_engine_app(service: Service | None = None) -> Flask:
    """The engines' application: their calls and what they read, and nothing for those without a token."""
    service = service or _open_from_environment()
    service.custodian.open()
    app = _bare_app(
        {
            Database: service.database,
            PublicRounds: PublicRounds(service.database, service.log),
            Rounds: service.rounds,
        }
    )
    # Before any address is looked at, and before a body is read.
    app.before_request(check_engine)
    for blueprint in (reads_api, engine_api):
        app.register_blueprint(blueprint)
    _answer_problems(app, service, problem_answer)
    return app


def _bare_app(parts: Mapping[type, object]) -> Flask:
    app = Flask(__name__, static_folder=None)
    # One spelling per address, as in `addresses`: "//" is not redirected to "/".
    app.url_map.merge_slashes = False
    # Plus one byte: Flask silently truncates a chunked body at the limit, and the reader must see that it is too large.
    app.config["MAX_CONTENT_LENGTH"] = LARGEST_BODY + 1
    install_parts(app, parts)
    return app


def _open_from_environment() -> Service:
    """The service that `foredraw serve` has started this process for."""
    return open_service(Settings.from_environment(), in_a_thread)


def _answer_problems(app: Flask, service: Service, refused: Callable[[Problem], Response]) -> None:
    """Every error becomes a problem, which ``refused`` answers."""

    def damaged(_error: DamagedStateError) -> Response:
        # What the database says instead is only for the keeper and the operator.
        table = (request.view_args or {}).get("table", "the table")
        detail = f"{table} is halted: its row in the database is damaged"
        return refused(Problem(Code.TABLE_HALTED, detail, table=table))

    def http_error(error: HTTPException) -> Response:
        code = _CODES.get(error.code or 500)
        if code is None:
            malformed = (error.code or 500) < HTTPStatus.INTERNAL_SERVER_ERROR
            code = Code.MALFORMED_BODY if malformed else Code.INTERNAL
        response = refused(Problem(code, error.description or code.title))
        if isinstance(error, MethodNotAllowed) and error.valid_methods:
            response.headers["Allow"] = ", ".join(sorted(error.valid_methods))
        return response

    def storage_fails(error: Exception) -> Response:
        if is_of_a_connection(error):
            return unexpected(error)
        # Which file, and what to do, is for the operator: in the messages, and in `/health/ready`.
        failure = cast("StorageFailure", error)
        note_damage(failure, service.settings, service.timekeeper)
        say_once_a_minute(in_words(failure, service.settings))
        return refused(Problem(Code.STORAGE_FAILS, "the operator's log says more, and GET /health/ready what to do"))

    def unexpected(error: Exception) -> Response:
        # The traceback is for the operator's log; a caller learns nothing of the internals.
        _logger.error("an unexpected error", exc_info=error)
        return refused(Problem(Code.INTERNAL, "the operator's log says more"))

    app.register_error_handler(Problem, refused)
    app.register_error_handler(DamagedStateError, damaged)
    app.register_error_handler(HTTPException, http_error)
    for kind in STORAGE_FAILURES:
        app.register_error_handler(kind, storage_fails)
    app.register_error_handler(Exception, unexpected)
