"""The proxy of the settings is the way to every web server of others, and to nothing on this machine; no variable
names another.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from base64 import b64encode
from collections.abc import Iterator
from contextlib import ExitStack
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from api.beacon.relays import NoPulse, Relays
from api.settings import Bucket, Proxy, Settings, SettingsError
from api.witnesses.client import Client
from api.witnesses.protocol import Cosignature, NoCosignature, Request
from api.world.published.bucket import Objects
from api.world.published.web_files import WebFiles
from api.world.storage_failures import ServerFailure
from fairness.errors import Missing, Unreadable
from fairness.log.checkpoints import SignedCheckpoint
from fairness.policy.quorum import Witness
from tests.lies import started
from tests.support.commands import foredraw
from tests.support.dishonest_operator import KEY
from tests.support.faulty_world import SettableClock
from tests.support.log_server import answering, serving, serving_with_tls
from tests.support.relays import a_node, running_relay
from tests.support.running_service import free_port
from tests.support.s3_server import s3_server
from tests.support.web_proxy import WebProxy, web_proxy
from tests.support.web_servers import Certificate
from tests.support.witness_server import LocalWitness, listening
from tests.support.witnesses import NOON, PRESS

pytestmark = pytest.mark.one_database("connections to other servers")
NAME = "far.invalid"
"""A host that only a proxy finds: no resolver may know it."""
PASSWORD = "b0RqfL%40-shown-nowhere"
EXPECTED = "Basic " + b64encode(b"ani:b0RqfL@-shown-nowhere").decode()
OTHERS = ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy")


@pytest.fixture
def stack() -> Iterator[ExitStack]:
    with ExitStack() as opened:
        yield opened


@pytest.fixture(autouse=True)
def _without_variables(monkeypatch: pytest.MonkeyPatch) -> None:
    """As `foredraw` starts."""
    for name in (*OTHERS, "NO_PROXY", "no_proxy"):
        monkeypatch.delenv(name, raising=False)


def setting(address: str, exempt: str = "") -> Proxy:
    """The proxy of the settings, which wants to know who asks."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("FOREDRAW_PROXY", address.replace("://", f"://ani:{PASSWORD}@"))
        patched.setenv("FOREDRAW_NO_PROXY", exempt)
        found = Settings.from_environment().proxy
    assert found is not None
    return found


def head_of(folder: Path) -> SignedCheckpoint:
    """The newest of a log."""
    return SignedCheckpoint.open((folder / "checkpoint").read_bytes(), KEY.verifier_key)


def proxy_to(stack: ExitStack, url: str) -> WebProxy:
    """A running proxy that finds a server of this machine as `NAME`, for whoever knows the password."""
    return stack.enter_context(web_proxy({NAME: urlsplit(url).port or 0}, EXPECTED))


def test_a_published_log_is_read_through_it(stack: ExitStack, tmp_path: Path) -> None:
    """As a reader reads it."""
    folder = started().write(tmp_path / "log")
    proxy = proxy_to(stack, stack.enter_context(serving(folder)))
    files = WebFiles(f"http://{NAME}", setting(proxy.address))
    assert files.get("checkpoint", 4096) == (folder / "checkpoint").read_bytes()
    with pytest.raises(Missing, match=f"no such file there \\(by the proxy {proxy.address}\\)"):
        files.get("nothing", 4096)
    files.close()
    assert proxy.seen == [f"GET http://{NAME}/checkpoint", f"GET http://{NAME}/nothing"]


def test_over_tls_it_reads_only_the_name(stack: ExitStack, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It joins the two ends."""
    folder, certificate = started().write(tmp_path / "log"), Certificate.create(tmp_path, NAME)
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate.file))
    port = stack.enter_context(serving_with_tls(folder, certificate.file, certificate.key))
    proxy = stack.enter_context(web_proxy({NAME: port}, EXPECTED))
    files = WebFiles(f"https://{NAME}", setting(proxy.address))
    assert files.get("checkpoint", 4096) == (folder / "checkpoint").read_bytes()
    files.close()
    assert proxy.seen == [f"CONNECT {NAME}:443"]


def test_a_relay_is_asked_through_it(stack: ExitStack) -> None:
    """So a table with a salt can be played."""
    node, clock = a_node(), SettableClock()
    relay = stack.enter_context(running_relay(node, clock))
    proxy = proxy_to(stack, relay.url)
    assert Relays([f"http://{NAME}"], proxy=setting(proxy.address)).pulse(node.beacon, 7) == node.pulse(7)
    assert proxy.seen == [f"GET http://{NAME}/{node.beacon.chain_hash.hex()}/public/7"]


def test_a_witness_is_asked_through_it(stack: ExitStack, tmp_path: Path) -> None:
    """So a quorum with outsiders can be met."""
    head = head_of(started().write(tmp_path / "log"))
    press = LocalWitness(PRESS, lambda: NOON)
    press.log = KEY.verifier_key
    proxy = proxy_to(stack, stack.enter_context(listening(press)).url)
    client = Client(f"http://{NAME}", setting(proxy.address))
    request = Request(Witness("press", PRESS.key, f"http://{NAME}"), head, 0)
    assert isinstance(client.ask(request), Cosignature)
    press.behaves = lambda _witness, _body: (503, "text/plain", b"")
    refused = client.ask(request)
    assert isinstance(refused, NoCosignature)
    assert str(refused) == f"the status 503 (by the proxy {proxy.address})"
    client.close()
    assert proxy.seen == [f"POST http://{NAME}/add-checkpoint"] * 2


@pytest.mark.nightly("an S3 server")
def test_a_bucket_is_written_through_it(stack: ExitStack, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """And without it where the setting says so."""
    server = stack.enter_context(s3_server(tmp_path))
    server.make("logs")
    for name, value in {**server.variables, "AWS_ENDPOINT_URL": f"http://{NAME}"}.items():
        monkeypatch.setenv(name, value)
    proxy = proxy_to(stack, server.url)
    Objects(Bucket("logs", "casino"), setting(proxy.address)).create("checkpoint", b"x")
    assert server.get("logs/casino/checkpoint") == b"x"
    asked = list(proxy.seen)
    assert asked
    monkeypatch.setenv("AWS_ENDPOINT_URL", server.url)
    assert Objects(Bucket("logs", "casino"), setting(proxy.address)).read("checkpoint")[0] == b"x"
    assert proxy.seen == asked


def test_the_credentials_of_a_machine_are_asked_for_without_it(
    stack: ExitStack, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They come over plain http from the machine's own link, so a proxy would read them. Here they would be on this
    machine.
    """
    asked: list[str] = []

    def answer(handler: BaseHTTPRequestHandler) -> None:
        asked.append(handler.path)
        handler.send_error(404)

    for name in [name for name in os.environ if name.startswith("AWS_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("AWS_ENDPOINT_URL", f"http://{NAME}")
    # Never the address that clouds have: no test leaves this machine.
    monkeypatch.setenv("AWS_METADATA_ENDPOINT", stack.enter_context(answering(answer)))
    proxy = stack.enter_context(web_proxy({}))
    with pytest.raises(ServerFailure):
        Objects(Bucket("logs", ""), setting(proxy.address)).read("checkpoint")
    assert asked[0] == "/latest/api/token"
    assert proxy.seen == []


@pytest.mark.nightly("a program waits for a collector")
def test_spans_are_sent_through_it(stack: ExitStack) -> None:
    """The library says which proxy does not answer, and no password."""
    proxy = stack.enter_context(web_proxy({}, EXPECTED))
    away = f"http://127.0.0.1:{free_port()}"
    said = []
    for address in (proxy.address, away):
        environment = {
            "FOREDRAW_TRACES": "otlp",
            "FOREDRAW_PROXY": address.replace("://", f"://ani:{PASSWORD}@"),
            "OTEL_EXPORTER_OTLP_ENDPOINT": f"http://{NAME}:4318",
            "OTEL_EXPORTER_OTLP_TIMEOUT": "2",
        }
        program = "from api import traces\nwith traces.span('work'): print('worked')"
        ran = subprocess.run(
            [sys.executable, "-c", program],
            env={**os.environ, **environment},
            capture_output=True,
            text=True,
            check=True,
        )
        assert ran.stdout == "worked\n"
        said.append(ran.stderr)
    assert proxy.seen[0] == f"POST http://{NAME}:4318/v1/traces"
    assert f"port={urlsplit(away).port}" in said[1]
    assert "b0RqfL" not in "".join(said)


@pytest.mark.parametrize(
    ("names", "why"), [(True, "407"), (False, "no connection|refused")], ids=["it refuses", "it is away"]
)
def test_a_message_names_it_without_its_password(
    stack: ExitStack, tmp_path: Path, names: bool, why: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of whatever was asked."""
    monkeypatch.setenv("AWS_ENDPOINT_URL", f"http://{NAME}")
    monkeypatch.setenv("AWS_SKIP_SIGNATURE", "1")
    url = stack.enter_context(web_proxy({}, "Basic another")).address if names else f"http://127.0.0.1:{free_port()}"
    proxy, named = setting(url), f"(by the proxy {url})"
    head = head_of(started().write(tmp_path / "log"))
    for scheme in ("http", "https"):
        with pytest.raises(Unreadable, match=why) as unread:
            WebFiles(f"{scheme}://{NAME}", proxy).get("checkpoint", 9)
        with pytest.raises(NoPulse, match=why) as no_pulse:
            Relays([f"{scheme}://{NAME}"], proxy=proxy).pulse(a_node().beacon, 7)
        client = Client(f"{scheme}://{NAME}", proxy)
        refused = client.ask(Request(Witness("press", PRESS.key, ""), head, 0))
        client.close()
        assert isinstance(refused, NoCosignature)
        for said in (str(unread.value), str(no_pulse.value), str(refused)):
            assert named in said
            assert "b0RqfL" not in said
    with pytest.raises(ServerFailure) as failure:
        Objects(Bucket("logs", ""), proxy).read("checkpoint")
    assert str(failure.value).startswith(f"s3://logs {named} cannot be used: look at the store")
    assert "b0RqfL" not in f"{failure.value!r} {failure.value.__context__} {proxy!r}"


@pytest.mark.parametrize(
    ("exempt", "url", "leads"),
    [
        ("", "https://casino.example/log", True),
        ("", "http://127.0.0.1:9", False),
        ("", "http://127.3.3.3", False),
        ("", "http://[::1]:9", False),
        ("", "http://[::ffff:127.0.0.1]", False),
        ("", "http://LOCALHOST", False),
        ("", "http://a.localhost.:9/x", False),
        ("", "http://169.254.169.254/latest", False),
        ("", "http://0.0.0.0:8", False),
        ("", "http://[no-address", True),
        ("", "http://10.1.2.3", True),
        ("10.0.0.0/8", "http://10.1.2.3", False),
        ("10.1.2.3", "http://10.1.2.3", False),
        ("10.1.2.3", "http://10.1.2.4", True),
        ("2001:db8::/32", "https://[2001:db8::7]:8443", False),
        ("store.example, 10.0.0.0/8,", "https://Store.Example:9000", False),
        ("store.example", "https://a.store.example", False),
        (".store.example", "https://a.store.example", False),
        ("store.example", "https://mystore.example", True),
        ("example", "https://10.example", False),
    ],
)
def test_what_is_asked_without_it(exempt: str, url: str, leads: bool) -> None:
    """This machine and its link always, and what the other setting says."""
    assert setting("http://proxy.example:3128", exempt).leads_to(url) is leads


@pytest.mark.parametrize(
    "value",
    [
        *("b0RqfL.example:3128", "http://b0RqfL.example", "socks5://ani:b0RqfL@proxy.example:1"),
        *("http://b0RqfL.example:65536", "http://b0RqfL.example:0", "http://ani:b0RqfL@[::1::2]:1"),
        *("http://ani:b0RqfL@p@q:1", "http://b0RqfL.example:3128/x", "http://:b0RqfL@proxy.example:1"),
    ],
)
def test_another_value_is_refused_and_not_shown(value: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """It may have a password in the wrong place."""
    monkeypatch.setenv("FOREDRAW_PROXY", value)
    with pytest.raises(SettingsError, match="FOREDRAW_PROXY: expected an address like") as refused:
        Settings.from_environment()
    assert "b0RqfL" not in str(refused.value)


@pytest.mark.parametrize(
    "value", ["*", "http://store.example", "10.0.0.7/8", "store.example:80", "10.0.0.300", "a b"]
)
def test_another_list_is_refused(value: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Rather than an exception that nobody meant."""
    monkeypatch.setenv("FOREDRAW_PROXY", "http://proxy.example:3128")
    monkeypatch.setenv("FOREDRAW_NO_PROXY", f"a.example, {value}")
    with pytest.raises(SettingsError, match="FOREDRAW_NO_PROXY: expected hosts, addresses and networks"):
        Settings.from_environment()


@pytest.mark.nightly("starts a program for each variable")
def test_no_variable_names_another_one(stack: ExitStack, tmp_path: Path) -> None:
    """A program of the service asks through the setting, whatever it inherits."""
    assert foredraw(tmp_path / "data", "init").returncode == 0
    inherited = stack.enter_context(web_proxy({}))
    proxy = stack.enter_context(web_proxy({}))
    environment = {
        **os.environ,
        **dict.fromkeys(OTHERS, inherited.address),
        "FOREDRAW_PROXY": proxy.address,
        "FOREDRAW_PUBLISH": "s3://logs",
        "AWS_ENDPOINT_URL": f"http://{NAME}",
        "AWS_SKIP_SIGNATURE": "1",
    }
    program = [sys.executable, "-m", "api.programs.cli", "--data", str(tmp_path / "data"), "doctor", "--json"]
    ran = subprocess.run(program, env=environment, capture_output=True, text=True, check=False)
    assert f"s3://logs (by the proxy {proxy.address}) cannot be used" in json.dumps(json.loads(ran.stdout))
    assert proxy.seen
    assert inherited.seen == []
