"""The security headers of pages, and who else's pages may read which answers."""

from __future__ import annotations

from collections.abc import Mapping

from flask import Response, request

PUBLIC = ("/v1/", "/log/", "/static/", "/verifier/", "/openapi.json")
"""What begins so is for everybody's pages, where it is read without a token."""

_PERMISSIONS = "accelerometer=(), camera={camera}, display-capture=(), geolocation=(), gyroscope=(), microphone=(), payment=(), usb=()"


def page_headers(style_hash: str, *, camera: bool, fetches_from: str | None) -> Mapping[str, str]:
    """The headers of a page whose one inlined stylesheet has this hash, and which may fetch from one more origin."""
    policy = (
        "default-src 'none'",
        "script-src 'self'",
        f"style-src 'self' '{style_hash}'",
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
        # A round's code stands behind the # of an address, which no browser sends; the rest of it is nobody's business.
        "Referrer-Policy": "no-referrer",
        "Permissions-Policy": _PERMISSIONS.format(camera="(self)" if camera else "()"),
        "X-Content-Type-Options": "nosniff",
        "X-Frame-Options": "DENY",
    }


def add_headers(response: Response) -> Response:
    """What every answer has, whoever made it."""
    response.headers["X-Content-Type-Options"] = "nosniff"
    if request.method in ("GET", "HEAD") and request.path.startswith(PUBLIC):
        response.headers["Access-Control-Allow-Origin"] = "*"
        response.headers["Cross-Origin-Resource-Policy"] = "cross-origin"
    return response
