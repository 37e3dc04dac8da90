"""The two Flask applications: one for engines, one for the public."""

from __future__ import annotations

import os
from collections.abc import Mapping
from functools import partial

from flask import Flask, Response, request
from flask.typing import ResponseReturnValue

from api.access.sessions import Sessions
from api.http.addresses import with_one_spelling
from api.http.answers import keep_nowhere, problem_answer, tag_kept
from api.http.bets import bets_api
from api.http.crowds import SHARE, Crowds, Share
from api.http.described.queries import check_query
from api.http.elsewhere import refuse_engines, refuse_the_public
from api.http.engine import check_engine, engine_api
from api.http.live.feed import ADDRESS, ADDRESS_OF_TABLE, Feed, in_front_of
from api.http.log_files import log_files
from api.http.metrics import metrics
from api.http.proofs import RoundProofs
from api.http.public import public_api
from api.http.reads import reads_api, show_service
from api.http.request_body import LARGEST_BODY
from api.http.view import PublicRounds
from api.log.policy_file import PolicyFile
from api.log.publication import Publication
from api.operations.health import Health
from api.operations.overview import Observer
from api.pages import error_page, pages, prepare, wants_page, with_headers
from api.parts import install_parts
from api.problems import Code, Problem
from api.rounds.admission import Openings
from api.rounds.calls import Rounds
from api.rounds.change import TableWriter
from api.server.errors import answer_errors
from api.server.offload import in_a_thread
from api.server.proxies import behind_proxies
from api.server.request_ids import with_request_ids
from api.server.request_messages import note_requests
from api.server.traces import trace_requests
from api.service import Service, open_service
from api.settings import Settings
from api.sql.database import Database
from api.world.clock import Clock
from api.world.published.published_log import PublishedLog
from api.world.supervision import PUBLIC_SHARE
from fairness.log.notes import VerifierKey


def create_app(service: Service | None = None, *, for_crowds: bool = False) -> Flask:
    """Return the public's application of one service; without one, of the folder that the environment names.

    With ``for_crowds`` a page is made at most once a second, and expensive answers get a share of the time
    (`crowds`).
    """
    service = service or _open_from_environment()
    rounds = PublicRounds(service.database, service.log)
    feed = Feed(service.database, service.publication, rounds, service.openings, service.clock)
    app = _bare_app(
        {
            Clock: service.clock,
            Database: service.database,
            Feed: feed,
            Health: service.health,
            PublishedLog: service.log,
            Observer: service.observer,
            Openings: service.openings,
            PolicyFile: service.policy,
            PublicRounds: rounds,
            Publication: service.publication,
            RoundProofs: RoundProofs(service.database, service.publication),
            Sessions: service.sessions,
            TableWriter: service.writer,
            VerifierKey: service.verifier_key,
        }
    )
    app.extensions["crowds"] = Crowds(Share(percent=_public_share())) if for_crowds else None
    prepare(app)
    if service.settings.elsewhere is not None:
        # A machine that only reads shows no operator anything, and changes nothing.
        app.before_request(_refuse_operators)
    app.before_request(refuse_engines)
    app.before_request(check_query)
    app.after_request(tag_kept)
    app.register_blueprint(reads_api, url_prefix="/v1")
    for blueprint in (public_api, bets_api, metrics, log_files, pages):
        app.register_blueprint(blueprint)
    app.add_url_rule(ADDRESS, "live", partial(_fed, feed))
    app.add_url_rule(ADDRESS_OF_TABLE, "live_of_table", partial(_fed, feed))
    answer_errors(
        app,
        service.settings,
        service.timekeeper,
        lambda problem: error_page(problem) if wants_page() else problem_answer(problem),
    )
    inside = with_one_spelling(in_front_of(app.wsgi_app, feed))
    app.wsgi_app = with_request_ids(with_headers(behind_proxies(inside, service.settings.proxies)))  # type: ignore[assignment,method-assign]  # Flask's own way
    return app


def _fed(feed: Feed, **_address: str) -> ResponseReturnValue:
    return Response.from_app(feed, request.environ)


def _public_share() -> int:
    return int(os.environ.get(PUBLIC_SHARE) or SHARE)


def _refuse_operators() -> None:
    if request.path == "/ops" or request.path.startswith("/ops/"):
        raise Problem(Code.NOT_FOUND, "operators are answered where the log is written")


def create_engine_app(service: Service | None = None) -> Flask:
    """Return the engines' application: their calls and what they read, and nothing for those without a token."""
    service = service or _open_from_environment()
    service.custodian.open()
    app = _bare_app(
        {
            Clock: service.clock,
            Database: service.database,
            Openings: service.openings,
            PublicRounds: PublicRounds(service.database, service.log),
            Rounds: service.rounds,
            VerifierKey: service.verifier_key,
        },
        of_engines=True,
    )
    # Before any address is looked at, and before a body is read.
    app.before_request(check_engine)
    app.before_request(refuse_the_public)
    app.before_request(check_query)
    app.after_request(keep_nowhere)
    for blueprint in (reads_api, engine_api):
        app.register_blueprint(blueprint, url_prefix="/v1/engine")
    app.add_url_rule("/v1", "which_service", show_service)
    answer_errors(app, service.settings, service.timekeeper, problem_answer)
    app.wsgi_app = with_request_ids(app.wsgi_app)  # type: ignore[assignment,method-assign]  # Flask's own way
    return app


def _bare_app(parts: Mapping[type, object], *, of_engines: bool = False) -> Flask:
    app = Flask(__name__, static_folder=None)
    # One spelling per address, as in `addresses`: "//" is not redirected to "/".
    app.url_map.merge_slashes = False
    # Plus one byte: Flask silently truncates a chunked body at the limit, and the reader must see that it is too
    # large.
    app.config["MAX_CONTENT_LENGTH"] = LARGEST_BODY + 1
    install_parts(app, parts)
    note_requests(app)
    trace_requests(app, of_engines=of_engines)
    return app


def _open_from_environment() -> Service:
    """Return the service that `foredraw serve` has started this process for."""
    return open_service(Settings.from_environment(), in_a_thread)
