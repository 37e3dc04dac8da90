"""The engines' calls on the public listener: refused, with the address of the right listener."""

from __future__ import annotations

import os
from typing import NoReturn

from flask import Blueprint

from api.problems import Code, Problem
from api.world.supervision import ENGINES

elsewhere = Blueprint("elsewhere", __name__)


@elsewhere.post("/v1/tables/<table>/rounds/<number>/<any(open,lock,next,reveal,void):action>")
def refuse(table: str, number: str, action: str) -> NoReturn:  # noqa: ARG001 -- the address has them
    """Name the right address to an engine with the wrong one; nothing that it sends is read."""
    raise wrong_listener(action)


def wrong_listener(what: str) -> Problem:
    """Return the refusal of an engine's call on the public listener."""
    place = os.environ.get(ENGINES, "the port of `foredraw serve --engine-port`")
    return Problem(Code.WRONG_LISTENER, f"{what} is a call of engines, which goes to {place}")
