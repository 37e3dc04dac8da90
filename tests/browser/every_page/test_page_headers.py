"""What every page forbids the browser, and that the page does not need it."""

from __future__ import annotations

import base64
import re
from collections.abc import Mapping
from hashlib import sha256
from urllib.parse import urldefrag

import pytest

from tests.support.browser.addresses import OPERATORS
from tests.support.http import BROWSER
from tests.support.running_service import Answer, RunningService


@pytest.fixture
def fetched(service: RunningService, address: str, session: Mapping[str, str]) -> Answer:
    """Each page as a browser gets it, signed in as an operator if the page requires it."""
    cookies = "; ".join(f"{name}={value}" for name, value in session.items()) if address in OPERATORS else ""
    return service.get(urldefrag(address).url, headers={**BROWSER, "Cookie": cookies}, note=False)


def test_its_policy_allows_only_what_the_page_has(fetched: Answer) -> None:
    """Only scripts and data of this service, what is inlined by its hash, no frame, no other base."""
    answer, text = fetched, fetched.data.decode()
    policy = dict(part.split(" ", 1) for part in answer.headers["Content-Security-Policy"].split("; "))
    (style,) = re.findall(r"<style>(.*?)</style>", text, re.DOTALL)
    early = re.findall(r"<script data-early>(.*?)</script>", text, re.DOTALL)
    assert len(early) <= 1
    assert policy == {
        "default-src": "'none'",
        "script-src": " ".join(["'self'", *map(source_of, early)]),
        "style-src": f"'self' {source_of(style)}",
        "img-src": "'self' data:",
        "connect-src": "'self'",
        "form-action": "'self'",
        "base-uri": "'none'",
        "frame-ancestors": "'none'",
        "require-trusted-types-for": "'script'",
    }


def source_of(text: str) -> str:
    """What a policy allows by its hash."""
    return f"'sha256-{base64.b64encode(sha256(text.encode()).digest()).decode()}'"


def test_its_other_headers_are_strict(fetched: Answer, address: str) -> None:
    """No sniffing of types, no referrer to other hosts, no opener, and a camera only where codes are scanned."""
    headers = fetched.headers
    assert headers["X-Content-Type-Options"] == "nosniff"
    # The origin of an operator's form is checked, and with the strictest policy a browser would not send it.
    policy = "same-origin" if address.startswith("/ops") else "no-referrer"
    assert headers["Referrer-Policy"] == policy
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


def test_it_has_nothing_that_its_policy_refuses(fetched: Answer) -> None:
    """No style and no handler in an attribute, no script inside but one by its hash, nothing fetched from another
    host.
    """
    text = fetched.data.decode()
    assert not re.findall(r"<[^>]+\s(?:style|on\w+)=", text)
    for attributes in re.findall(r"<script\b([^>]*)>", text):
        assert (
            attributes == " data-early"
            or 'type="module" src="/' in attributes
            or 'type="application/json"' in attributes
        )
    assert not re.findall(r"""(?:src|href|action)=["'](?:https?:)?//""", text)
