"""Pages that last a second: made once for all who ask for the same one, in the same language."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import ParamSpec

from flask import Response, request

from api.http.crowds import PAGE_SECONDS, Crowds, KeptPage, crowds
from api.pages.files.packing import takes_packed
from api.pages.shell import languages

_Arguments = ParamSpec("_Arguments")


def lasting(view: Callable[_Arguments, Response]) -> Callable[_Arguments, Response]:
    """Return a page that is the same for everybody; making it is an expensive answer."""

    @wraps(view)
    def answer(*args: _Arguments.args, **kwargs: _Arguments.kwargs) -> Response:
        of_crowds = crowds()
        if of_crowds is None:
            return view(*args, **kwargs)

        def make() -> Response:
            with of_crowds.share.spending():
                return view(*args, **kwargs)

        # The page names the host, and links to itself in other languages.
        return kept_or_made(of_crowds, (request.full_path, request.host_url), make)

    return answer


def kept_or_made(of_crowds: Crowds, what: object, make: Callable[[], Response]) -> Response:
    """Return the page of this name in the reader's language, made now or within the last second."""
    key = (what, languages.chosen(), takes_packed())
    now = of_crowds.clock()
    page = of_crowds.pages.get(key)
    if page is not None and now - page.made < PAGE_SECONDS:
        kept = Response(page.data, page.status, page.headers)
        # The page says what the service's clock said when it was made; its script reckons from there.
        kept.headers["Server-Timing"] = f"kept;dur={(now - page.made) * 1000:.0f}"
        return kept
    response = make()
    # An answer that sets a cookie is for one reader alone, and so may be one for a reader with a cookie.
    if request.cookies.keys() <= {languages.COOKIE} and "Set-Cookie" not in response.headers:
        headers = response.headers.to_wsgi_list()
        of_crowds.pages.put(key, KeptPage(now, response.status_code, response.get_data(), headers))
    return response
