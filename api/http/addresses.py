"""One spelling for each address, so that a rule by path holds in the application and in a web server in front of it.

A web server in front may keep strangers from ``/ops``, and the application has its own rules by path (who may read an
answer, what is packed, where the live feed is). ``//ops``, ``/%6fps``, and ``/x/ops`` with a script name of ``/x``
would be the same page beside those rules. None of them is an address here; a person is shown a page that says so.

Mail programs and messengers escape the ``#`` of a link to the check, so ``/verify%23CODE`` is led to
``/verify#CODE``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING

from werkzeug.utils import redirect

from api.http.answers import problem_answer
from api.problems import Code, Problem

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIApplication, WSGIEnvironment

_SPELLED = re.compile(r"(?:https?://[^/?#]*)?/(?:[A-Za-z0-9._~-]+(?:[/?#]|\Z)|[?#]|\Z)", re.ASCII | re.IGNORECASE)
"""The start of a request target, up to the end of the path's first part; with scheme and host where it names them
(RFC 9112, 3.2).
"""


_MAILED = re.compile(r"/verify/?%23([A-Za-z0-9-]*)(?:[^A-Za-z0-9-].*)?", re.ASCII)
"""A link to the check of a code, and what was put behind it."""
_NOWHERE = "/-"
"""There is nothing at this address."""


def with_one_spelling(application: WSGIApplication) -> WSGIApplication:
    """Return the application, with 404 for every address whose first part is escaped, empty, or a script name."""

    def answer(environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        # PATH_INFO is unescaped already: only the target as it was sent shows how it was spelled.
        if (mailed := _MAILED.fullmatch(environ["RAW_URI"])) is not None:
            return redirect(f"/verify#{mailed[1]}")(environ, start_response)
        if environ["SCRIPT_NAME"] or not _SPELLED.match(environ["RAW_URI"]):
            if "text/html" in environ.get("HTTP_ACCEPT", ""):
                nowhere = {"SCRIPT_NAME": "", "PATH_INFO": _NOWHERE, "RAW_URI": _NOWHERE, "QUERY_STRING": ""}
                return application({**environ, **nowhere}, start_response)
            refused = problem_answer(
                Problem(Code.NOT_FOUND, "the first part of a path is spelled in plain characters")
            )
            return refused(environ, start_response)
        return application(environ, start_response)

    return answer
