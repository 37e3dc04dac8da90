"""The bearer token of the present request: whose it is, and until when."""

from __future__ import annotations

from flask import Response, after_this_request, g, request

from api.access.presented import find_token
from api.access.tokens import Token
from api.parts import part
from api.sql.database import Database
from api.world.clock import Clock

EXPIRES = "Foredraw-Token-Expires"


def present_token() -> Token:
    """Return the token of the present request, as ``g.token`` too. Raises `Problem` if there is no good one.

    If it has an end, the answer says when, whatever it is, so that an engine gets another token before that.
    """
    token = g.token = find_token(part(Database), part(Clock), request.headers.get("Authorization"))

    @after_this_request
    def announce(response: Response) -> Response:
        if token.expires is not None:
            response.headers[EXPIRES] = token.expires
        return response

    return token
