"""The security headers of pages, and which answers pages of other origins may read."""

from __future__ import annotations

import base64
from collections.abc import Iterable, Mapping
from functools import cache
from hashlib import sha256
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIApplication, WSGIEnvironment

PUBLIC = ("/v1", "/log/", "/static/", "/scripts/", "/verifier/", "/openapi.json")
"""Answers below these addresses may be read by pages of every origin, without a token."""

_OF_ENGINES = "/v1/engine"
"""What is refused there is no other page's business."""

_OF_ALL = (("X-Content-Type-Options", "nosniff"),)
_OF_EVERY_ORIGIN = (*_OF_ALL, ("Access-Control-Allow-Origin", "*"), ("Cross-Origin-Resource-Policy", "cross-origin"))
_OF_PUBLIC = (*_OF_EVERY_ORIGIN, ("Access-Control-Expose-Headers", "Age, Date, ETag, Retry-After, X-Request-Id"))
# A browser asks before it sends a body of JSON, or a tag of its page's choice. No token is ever sent there by other
# pages.
_OF_PREFLIGHT = (
    *_OF_EVERY_ORIGIN,
    ("Access-Control-Allow-Methods", "GET, HEAD, POST"),
    ("Access-Control-Allow-Headers", "Content-Type, If-None-Match"),
    ("Access-Control-Max-Age", "86400"),
)
_PERMISSIONS = "accelerometer=(), camera={camera}, display-capture=(), geolocation=(), gyroscope=(), microphone=(), payment=(), usb=()"


@cache
def source(text: str) -> str:
    """Return the hash by which a policy allows a script or a stylesheet that is inlined."""
    return f"sha256-{base64.b64encode(sha256(text.encode()).digest()).decode()}"


def page_headers(style: str, script: str | None, *, camera: bool, fetches_from: str | None) -> Mapping[str, str]:
    """Return the headers of a page with this one stylesheet and script inlined, which may fetch from one more
    origin.
    """
    policy = (
        "default-src 'none'",
        f"script-src 'self' '{source(script)}'" if script else "script-src 'self'",
        f"style-src 'self' '{source(style)}'",
        "img-src 'self' data:",
        f"connect-src 'self' {fetches_from}" if fetches_from else "connect-src 'self'",
        "form-action 'self'",
        "base-uri 'none'",
        "frame-ancestors 'none'",
        "require-trusted-types-for 'script'",
    )
    return {
        "Cache-Control": "no-store",
        "Content-Security-Policy": "; ".join(policy),
        "Cross-Origin-Opener-Policy": "same-origin",
        "Cross-Origin-Resource-Policy": "same-origin",
        # A round's code stands behind the # of an address, which no browser sends; the rest of the address is private
        # as well.
        "Referrer-Policy": "no-referrer",
        "Permissions-Policy": _PERMISSIONS.format(camera="(self)" if camera else "()"),
        "X-Frame-Options": "DENY",
    }


def with_headers(application: WSGIApplication) -> WSGIApplication:
    """Return the application, with the headers that every answer has. Adding them below Flask is cheaper than inside
    it.
    """

    def answer(environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        ours = _headers(environ["REQUEST_METHOD"], environ["PATH_INFO"])

        def start(status: str, headers: list[tuple[str, str]], exc_info: Any = None, /) -> Any:  # noqa: ANN401 -- as WSGI declares it
            return start_response(status, [*headers, *ours], exc_info)

        return application(environ, start)

    return answer


def _headers(method: str, path: str) -> tuple[tuple[str, str], ...]:
    if not path.startswith(PUBLIC) or path.startswith(_OF_ENGINES):
        return _OF_ALL
    return _OF_PREFLIGHT if method == "OPTIONS" else _OF_PUBLIC
