"""A log is read through the proxy that the environment names, as other programs that people start read the web."""

from __future__ import annotations

import socket
from base64 import b64encode
from contextlib import closing
from pathlib import Path
from threading import Thread
from urllib.parse import urlsplit

import pytest
from urllib3.util import parse_url

from fairness.errors import Unreadable
from tests.lies import started
from tests.support.log_server import serving, serving_with_tls
from tests.support.ran import Ran
from tests.support.running_service import free_port
from tests.support.web_proxy import web_proxy
from tests.support.web_servers import Certificate
from tests.verifier.sources.hostile.answers import VKEY
from verifier.commands.command import HELD, UNREADABLE, USAGE
from verifier.sources.proxy import proxy_for
from verifier.sources.source import HttpSource

NAME = "log.invalid"
"""A host that only a proxy finds: no resolver may know it."""
VARIABLES = ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY", "REQUEST_METHOD")
PASSWORD = "b0RqfL%40-shown-nowhere"


@pytest.fixture(autouse=True)
def _no_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever the tests' own environment has."""
    for name in VARIABLES:
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.lower(), raising=False)
    monkeypatch.setattr("verifier.sources.web.PAUSES", ())


@pytest.fixture(name="log")
def _log(tmp_path: Path) -> Path:
    return started().write(tmp_path / "log")


@pytest.mark.parametrize("variable", ["HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"])
def test_a_log_is_audited_through_the_proxy(
    variable: str, log: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Which alone finds its host."""
    with serving(log) as address, web_proxy({NAME: urlsplit(address).port or 0}) as proxy:
        monkeypatch.setenv(variable, proxy.address)
        ran = Ran(capsys, "audit", f"http://{NAME}", "--key", VKEY)
        assert ran.status == HELD, ran.output
    assert proxy.seen[0].startswith(f"GET http://{NAME}/")


def test_over_tls_the_proxy_reads_only_the_name(
    log: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """It is given its password, and joins the two ends."""
    certificate = Certificate.create(tmp_path, NAME)
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate.file))
    expected = "Basic " + b64encode(b"ani:b0RqfL@-shown-nowhere").decode()
    with serving_with_tls(log, certificate.file, certificate.key) as port, web_proxy({NAME: port}, expected) as proxy:
        monkeypatch.setenv("HTTPS_PROXY", proxy.with_password(PASSWORD))
        ran = Ran(capsys, "audit", f"https://{NAME}", "--key", VKEY)
        assert ran.status == HELD, ran.output
    assert set(proxy.seen) == {f"CONNECT {NAME}:443"}


def test_a_message_names_the_proxy_without_its_password(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Whether it is away, refuses, or does not find the host."""
    with web_proxy({}, "Basic somebody-else") as strict, web_proxy({}) as lost:
        addresses = {
            f"http://127.0.0.1:{free_port()}": ("no connection", "no connection"),
            strict.address: ("the server answers 407", "the proxy refuses: Tunnel connection failed: 407"),
            lost.address: ("the server answers 502", "the proxy refuses: Tunnel connection failed: 502"),
        }
        for address, said in addresses.items():
            for scheme, why in zip(("http", "https"), said, strict=True):
                monkeypatch.setenv(f"{scheme}_proxy", address.replace("://", f"://ani:{PASSWORD}@"))
                ran = Ran(capsys, "audit", f"{scheme}://{NAME}", "--key", VKEY, "--json")
                assert ran.status == UNREADABLE, ran.output
                assert ran.json["why"].startswith(f"{scheme}://{NAME} (by the proxy {address}): {why}")
                assert "b0RqfL" not in ran.output + ran.errors


def test_an_address_of_this_machine_needs_no_proxy(log: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A proxy would look for it on its own machine, and read what was not meant for it."""
    with serving(log) as address, web_proxy({}) as proxy:
        for variable in ("HTTP_PROXY", "ALL_PROXY"):
            monkeypatch.setenv(variable, proxy.address)
        for host in ("127.0.0.1", "localhost"):
            assert HttpSource(address.replace("127.0.0.1", host)).read("checkpoint")
    assert proxy.seen == []


@pytest.mark.parametrize(
    "url",
    [
        *(
            "http://localhost",
            "https://LOCALHOST:1/x",
            "http://a.localhost.",
            "http://127.9.9.9",
            "https://[::1]:8/log",
        ),
        *("http://[::ffff:127.0.0.1]", "http://0.0.0.0:80"),
    ],
)
def test_all_names_of_this_machine_are_known(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """By every spelling that has one meaning everywhere."""
    monkeypatch.setenv("ALL_PROXY", "http://proxy.example:3128")
    assert proxy_for(parse_url(url)) is None


@pytest.mark.parametrize(
    ("exempt", "url", "is_exempt"),
    [
        ("casino.example", "https://casino.example/log", True),
        ("casino.example", "https://log.casino.example", True),
        (".casino.example", "https://log.CASINO.example", True),
        ("casino.example", "https://mycasino.example", False),
        ("a.example, casino.example:8443", "https://casino.example:8443", True),
        ("casino.example:8443", "https://casino.example", False),
        ("casino.example:443", "https://casino.example", True),
        ("*.casino.example", "https://log.casino.example", True),
        ("*", "https://casino.example", True),
        ("x, *", "https://10.1.2.3", True),
        ("10.1.2.3", "https://10.1.2.3/log", True),
        ("2.3", "https://10.1.2.3/log", False),
        ("10.0.0.0/8", "https://10.1.2.3/log", True),
        ("10.0.0.0/8", "https://11.1.2.3/log", False),
        ("10.0.0.0/8", "https://10.casino.example", False),
        ("2001:db8::/32", "https://[2001:db8::7]:8443", True),
        ("2001:db8::7", "https://[2001:db8::8]", False),
        ("", "https://casino.example", False),
        (", /,10.0.0.0/99,", "https://10.0.0.1", False),
    ],
)
def test_no_proxy_is_read_as_usual(exempt: str, url: str, is_exempt: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Names and what is below them, with a port or without; addresses; networks."""
    monkeypatch.setenv("HTTPS_PROXY", "http://proxy.example:3128")
    monkeypatch.setenv("no_proxy", exempt)
    assert (proxy_for(parse_url(url)) is None) is is_exempt


def test_each_scheme_has_its_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    """``ALL_PROXY`` is for those that have none, and small letters win."""
    monkeypatch.setenv("ALL_PROXY", "all.example:1")
    monkeypatch.setenv("HTTPS_PROXY", "http://upper.example:2/")
    monkeypatch.setenv("https_proxy", "https://lower.example")
    found = [str(proxy_for(parse_url(f"{scheme}://casino.example"))) for scheme in ("http", "https")]
    assert found == ["http://all.example:1", "https://lower.example:443"]
    monkeypatch.setenv("https_proxy", "")
    assert str(proxy_for(parse_url("https://casino.example"))) == "http://all.example:1"


@pytest.mark.parametrize("value", ["socks5://ani:b0RqfL@proxy.example:1080", "http://", "http://ani:b0RqfL@:8:8/"])
def test_what_is_no_proxy_for_the_web_is_refused(
    value: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """By the variable's name; nothing of its value is shown, and nothing is asked without it."""
    monkeypatch.setenv("ALL_PROXY", value)
    ran = Ran(capsys, "audit", f"https://{NAME}", "--key", VKEY)
    assert ran.status == USAGE
    assert "ALL_PROXY: expected the address of a proxy over http or https" in ran.errors
    assert "b0RqfL" not in ran.output + ran.errors


def test_a_proxy_that_answers_byte_by_byte_costs_no_more_time_than_a_server(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its answer is cut off, although no byte is late."""
    with closing(socket.create_server(("127.0.0.1", 0))) as listener:
        cut = []

        def drip() -> None:
            near, _ = listener.accept()
            with near:
                near.settimeout(0.05)
                while True:
                    try:
                        near.sendall(b"X")
                        if near.recv(4096) == b"":
                            break
                    except TimeoutError:
                        continue
                    except OSError:
                        break
                cut.append(True)

        thread = Thread(target=drip, daemon=True)
        thread.start()
        monkeypatch.setenv("HTTPS_PROXY", f"http://127.0.0.1:{listener.getsockname()[1]}")
        with pytest.raises(Unreadable, match="no answer in time"):
            HttpSource(f"https://{NAME}", patience=0.2).read("checkpoint")
        thread.join()
        assert cut
