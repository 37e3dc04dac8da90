"""On the public listener, in the place of the engines' calls: where these are taken."""

from __future__ import annotations

import os
from typing import NoReturn

from flask import Blueprint

from api.problems import Code, Problem
from api.world.supervision import ENGINES

elsewhere = Blueprint("elsewhere", __name__)


@elsewhere.post("/v1/tables/<table>/rounds/<number>/<any(open,lock,reveal,void):action>")
def refuse(table: str, number: str, action: str) -> NoReturn:  # noqa: ARG001
    """An engine that has the wrong address learns the right one; nothing is read of what it sends."""
    raise wrong_listener(action)


def wrong_listener(what: str) -> Problem:
    """The refusal of an engine's call on the public listener."""
    place = os.environ.get(ENGINES, "the port of `foredraw serve --engine-port`")
    return Problem(Code.WRONG_LISTENER, f"{what} is a call of engines, which goes to {place}")
