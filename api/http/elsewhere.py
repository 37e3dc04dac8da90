"""An address of one listener that is asked for at the other: refused, with the right place."""

from __future__ import annotations

import os
import re

from flask import request

from api.problems import Code, Members, Problem
from api.world.supervision import ENGINES

_OF_PROGRAMS, OF_ENGINES = "/v1/", "/v1/engine/"
_FORWARDED = "X-Forwarded-For"
_PORT = re.compile(r":[0-9]*\Z")


def refuse_engines() -> None:
    """Raise `Problem` if the public listener is asked for what only engines are answered; nothing that is sent is
    read.
    """
    if _below(OF_ENGINES):
        raise wrong_listener(f"{OF_ENGINES}… is")


def refuse_the_public() -> None:
    """Raise `Problem` if the engines' listener is asked for what the public listener answers to programs.

    Both answer ``/v1``: whoever has one address of a service learns there which service it is.
    """
    if request.path.startswith(_OF_PROGRAMS) and not _below(OF_ENGINES):
        raise Problem(
            Code.WRONG_LISTENER,
            f"here all addresses begin with {OF_ENGINES}, those of tables and rounds, too; others are the public listener's",
        )


def wrong_listener(what: str) -> Problem:
    """Return the refusal of an engine's call on the public listener."""
    place = os.environ.get(ENGINES, "")
    host = _PORT.sub("", request.host)
    # Of a header that is no host's name, nothing is left.
    if place.startswith(":") and host and _FORWARDED not in request.headers:
        # Who was not sent here by a web server in front has reached this machine by a name of it.
        place = f"http://{host}{place}"
    known: Members = {"url": place} if "://" in place else {}
    return Problem(
        Code.WRONG_LISTENER, f"{what} for engines alone, at {known.get('url', 'their own listener')}", **known
    )


def _below(prefix: str) -> bool:
    return f"{request.path}/".startswith(prefix)
