"""What every page tells the browser not to do."""

from __future__ import annotations

from tests.running_service import RunningService


def directives(policy: str) -> dict[str, list[str]]:
    """A Content-Security-Policy, directive by directive."""
    return {name: values for name, *values in (part.split() for part in policy.split(";"))}


def test_its_policy_allows_only_what_the_page_has(service: RunningService, address: str) -> None:
    """Scripts and data of this service alone, one inlined stylesheet by its hash, nothing unsafe, no frame, no other base."""
    policy = directives(service.get(address).headers["Content-Security-Policy"])
    styles = policy.pop("style-src")
    assert policy == {
        "default-src": ["'none'"],
        "script-src": ["'self'"],
        "img-src": ["'self'", "data:"],
        "connect-src": ["'self'"],
        "form-action": ["'self'"],
        "base-uri": ["'none'"],
        "frame-ancestors": ["'none'"],
        "require-trusted-types-for": ["'script'"],
    }
    assert styles[0] == "'self'"
    assert all(style.startswith("'sha256-") for style in styles[1:])


def test_its_other_headers_are_strict(service: RunningService, address: str) -> None:
    """No guessing of types, no word to other hosts, no window that holds it, no camera but where codes are scanned."""
    headers = service.get(address).headers
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["Referrer-Policy"] == "no-referrer"
    assert headers["Cross-Origin-Opener-Policy"] == "same-origin"
    assert headers["Cross-Origin-Resource-Policy"] == "same-origin"
    camera = "camera=(self)" if address.startswith("/verify") else "camera=()"
    permissions = headers["Permissions-Policy"].split(", ")
    assert camera in permissions
    assert {"geolocation=()", "microphone=()", "payment=()", "usb=()"} <= set(permissions)
    assert "Accept-Language" in headers["Vary"]
    assert headers["Content-Type"] == "text/html; charset=utf-8"
