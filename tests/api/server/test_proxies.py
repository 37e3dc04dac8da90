"""What a web server in front says about a request is believed only if its address is trusted."""

from __future__ import annotations

from collections.abc import Iterator
from ipaddress import ip_network
from pathlib import Path
from typing import Any

import pytest
from werkzeug.test import Client, run_wsgi_app
from werkzeug.wrappers import Request, Response

from api.server.app import create_app
from api.server.proxies import behind_proxies
from api.settings import Settings, SettingsError
from tests.support.in_process_service import InProcessService

TRUSTED = (ip_network("10.0.0.0/24"), ip_network("2001:db8::7"))


@Request.application
def what_is_seen(request: Request) -> Response:
    """An application that answers with the sender's address and the scheme that it sees."""
    return Response(f"{request.remote_addr} {request.scheme}")


def seen(sender: str, **headers: str) -> str:
    """What the application sees of a request from this address."""
    client = Client(behind_proxies(what_is_seen, TRUSTED))
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return client.get("/", environ_overrides={"REMOTE_ADDR": sender}, headers=named).text


@pytest.mark.parametrize("sender", ["10.0.0.7", "10.0.0.255", "2001:db8::7", "::ffff:10.0.0.7"])
def test_a_trusted_web_server_is_believed(sender: str) -> None:
    """However its address is spelled; of several addresses the last one counts, which it appended."""
    assert seen(sender, X_Forwarded_For="203.0.113.9", X_Forwarded_Proto="https") == "203.0.113.9 https"
    assert seen(sender, X_Forwarded_For="127.0.0.1, 203.0.113.9") == "203.0.113.9 http"
    assert seen(sender, X_Forwarded_For="2001:DB8::9") == "2001:db8::9 http"


@pytest.mark.parametrize("sender", ["10.0.1.7", "127.0.0.1", "2001:db8::8", "::ffff:10.0.1.7", ""])
def test_nobody_else_is_believed(sender: str) -> None:
    """Anybody who connects directly can write any header."""
    assert seen(sender, X_Forwarded_For="203.0.113.9", X_Forwarded_Proto="https") == f"{sender} http"


@pytest.mark.parametrize("sender", ["unknown", "203.0.113.9:80", "203.0.113.9\n", "<script>", "203.0.113.9,", ""])
def test_what_is_no_address_is_not_taken_for_one(sender: str) -> None:
    """Otherwise it would appear in messages."""
    environ: dict[str, Any] = {"REMOTE_ADDR": "10.0.0.7", "HTTP_X_FORWARDED_FOR": f"203.0.113.1, {sender}"}
    environ |= {"wsgi.url_scheme": "http", "REQUEST_METHOD": "GET", "HTTP_X_FORWARDED_PROTO": "gopher"}
    body, _, _ = run_wsgi_app(behind_proxies(what_is_seen, TRUSTED), environ)
    expected = "203.0.113.9" if sender == "203.0.113.9\n" else "10.0.0.7"
    assert b"".join(body).decode() == f"{expected} http"


@pytest.fixture
def inside(tmp_path: Path) -> Iterator[InProcessService]:
    """A service without tables."""
    made = InProcessService.create(tmp_path / "data", tables=[])
    yield made
    made.stop()


def test_links_have_the_scheme_that_the_reader_came_by(inside: InProcessService) -> None:
    """By default, a web server on the same machine is trusted."""
    client = create_app(inside.service).test_client()
    headers = {"Host": "casino.example", "X-Forwarded-Proto": "https"}
    assert "https://casino.example/log" in client.get("/", headers=headers).text
    elsewhere = client.get("/", headers=headers, environ_overrides={"REMOTE_ADDR": "203.0.113.9"})
    assert "http://casino.example/log" in elsewhere.text


def test_trusted_addresses_are_a_setting(monkeypatch: pytest.MonkeyPatch) -> None:
    """Addresses and networks; by default this machine; anything else is refused at the start."""
    monkeypatch.delenv("FOREDRAW_TRUSTED_PROXIES", raising=False)
    assert Settings.from_environment().proxies == (ip_network("127.0.0.0/8"), ip_network("::1"))
    monkeypatch.setenv("FOREDRAW_TRUSTED_PROXIES", "10.0.0.0/24, 2001:db8::7")
    assert Settings.from_environment().proxies == TRUSTED
    for wrong in ("*", "10.0.0.7/24", "localhost", "10.0.0.7,", "10.0.0.7 10.0.0.8"):
        monkeypatch.setenv("FOREDRAW_TRUSTED_PROXIES", wrong)
        with pytest.raises(SettingsError, match="FOREDRAW_TRUSTED_PROXIES: expected addresses or networks"):
            Settings.from_environment()
