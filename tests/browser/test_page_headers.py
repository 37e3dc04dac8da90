"""What every page tells the browser not to do, and that it has no need of it."""

from __future__ import annotations

import base64
import re
from hashlib import sha256
from urllib.parse import urldefrag

from tests.running_service import Answer, RunningService

BROWSER = {"Accept": "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"}


def fetched(service: RunningService, address: str) -> Answer:
    """A page as a browser asks for it."""
    return service.get(urldefrag(address).url, headers=BROWSER, note=False)


def test_its_policy_allows_only_what_the_page_has(service: RunningService, address: str) -> None:
    """Scripts and data of this service alone, the one inlined stylesheet by its hash, no frame, no other base."""
    answer = fetched(service, address)
    policy = dict(part.split(" ", 1) for part in answer.headers["Content-Security-Policy"].split("; "))
    (style,) = re.findall(r"<style>(.*?)</style>", answer.data.decode(), re.DOTALL)
    digest = base64.b64encode(sha256(style.encode()).digest()).decode()
    assert policy == {
        "default-src": "'none'",
        "script-src": "'self'",
        "style-src": f"'self' 'sha256-{digest}'",
        "img-src": "'self' data:",
        "connect-src": "'self'",
        "form-action": "'self'",
        "base-uri": "'none'",
        "frame-ancestors": "'none'",
        "require-trusted-types-for": "'script'",
    }


def test_its_other_headers_are_strict(service: RunningService, address: str) -> None:
    """No guessing of types, no word to other hosts, no window that holds it, no camera but where codes are scanned."""
    headers = fetched(service, address).headers
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["Referrer-Policy"] == "no-referrer"
    assert headers["Cross-Origin-Opener-Policy"] == "same-origin"
    assert headers["Cross-Origin-Resource-Policy"] == "same-origin"
    camera = "camera=(self)" if address.startswith("/verify") else "camera=()"
    assert {camera, "geolocation=()", "microphone=()", "payment=()", "usb=()"} <= set(
        headers["Permissions-Policy"].split(", ")
    )
    assert "Access-Control-Allow-Origin" not in headers
    assert headers["Cache-Control"] == "no-store"
    assert headers["Content-Type"] == "text/html; charset=utf-8"
    assert {"Accept-Language", "Cookie"} <= set(headers["Vary"].split(", "))


def test_it_has_nothing_that_its_policy_refuses(service: RunningService, address: str) -> None:
    """No style and no handler in an attribute, no script inside, nothing fetched from another host."""
    text = fetched(service, address).data.decode()
    assert not re.findall(r"<[^>]+\s(?:style|on\w+)=", text)
    for attributes in re.findall(r"<script\b([^>]*)>", text):
        assert 'type="module" src="/' in attributes or 'type="application/json"' in attributes
    assert not re.findall(r"""(?:src|href|action)=["'](?:https?:)?//""", text)
