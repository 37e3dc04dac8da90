"""Every request has an id: in the header ``X-Request-Id`` of its answer, in its problem and in its messages.

A caller may send an id of its own in the same header. Messages have it as ``caller``; no answer repeats it, because
what is in an answer as ours was made here.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from api.present_request import PresentRequest, present_request
from api.world.clock import entropy

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIApplication, WSGIEnvironment

HEADER = "X-Request-Id"
_SIZE = 8
# Without `_`: no token fits.
_OF_CALLERS = re.compile("[A-Za-z0-9-]{8,64}", re.ASCII)


def new_request(callers: str = "") -> PresentRequest:
    """Return a request with a new id. ``callers`` is what its caller calls it; any other spelling is left out."""
    return PresentRequest(entropy(_SIZE).hex(), callers if _OF_CALLERS.fullmatch(callers) else None)


def with_request_ids(application: WSGIApplication) -> WSGIApplication:
    """Return the application, whose requests have ids. Outside of everything else, so that no answer is without."""

    def answer(environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        request = new_request(environ.get("HTTP_X_REQUEST_ID", ""))

        def start(status: str, headers: list[tuple[str, str]], exc_info: Any = None, /) -> Any:  # noqa: ANN401 -- as WSGI declares it
            return start_response(status, [*headers, (HEADER, request.identifier)], exc_info)

        before = present_request.set(request)
        try:
            return application(environ, start)
        finally:
            # The greenlet of this connection answers its next request, too.
            present_request.reset(before)

    return answer
