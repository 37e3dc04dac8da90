"""nginx and Caddy with the configurations of ``deploy/``, on free ports of this machine in front of a real service.

Only what cannot be the same here is replaced: names, ports, folders, certificates and timeouts.
"""

from __future__ import annotations

import http.client
import os
import signal
import socket
import ssl
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from urllib3 import HTTPHeaderDict

from tests.house import HOUSE
from tests.support.running_service import PATIENCE_SECONDS, Answer, free_port, wait_until

DEPLOY = HOUSE / "deploy"
PROGRAMS = ("nginx", "caddy")
NGINX_FILES = {
    "conf.d/foredraw.conf": "nginx.conf",
    "conf.d/foredraw-engines.conf": "nginx-engines.conf",
    "conf.d/foredraw-upstreams.conf": "nginx-upstreams.conf",
}
WITH_LOG = {**NGINX_FILES, "foredraw-log.conf": "nginx-log.conf"}
"""The same with the log from its folder."""
IN_FRONT_OF_MACHINES = {**NGINX_FILES, "conf.d/foredraw-upstreams.conf": "nginx-machines.conf"}
"""The same in front of several machines."""

_MAIN = """
{user}
daemon off;
pid {folder}/nginx.pid;
error_log stderr notice;
worker_processes 2;
events {{ worker_connections 4096; }}
http {{
    client_body_temp_path {folder}/body;
    proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi;
    scgi_temp_path {folder}/scgi;
    # From this address a test may say that it has any other.
    set_real_ip_from 127.0.0.77;
    real_ip_header X-Test-Sender;
    include {folder}/conf.d/*.conf;
}}
"""


@dataclass(frozen=True, slots=True)
class Certificate:
    """A self-signed certificate for one name, and its key."""

    file: Path
    key: Path

    @classmethod
    def create(cls, folder: Path, name: str = "localhost") -> Certificate:
        """Create one with OpenSSL."""
        made = cls(folder / "certificate.pem", folder / "key.pem")
        command = ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"]
        command += ["-subj", f"/CN={name}", "-addext", f"subjectAltName=DNS:{name}", "-days", "2"]
        command += ["-keyout", str(made.key), "-out", str(made.file)]
        subprocess.run(command, check=True, capture_output=True)
        return made


@dataclass(frozen=True, slots=True)
class Ports:
    """The ports of the service's two listeners, of the web server in front of each, and of plain HTTP."""

    service: int = 8000
    service_engines: int = 8001
    public: int = field(default_factory=free_port)
    engines: int = field(default_factory=free_port)
    plain: int = field(default_factory=free_port)


@dataclass(frozen=True, slots=True)
class WebServer:
    """A running web server with TLS, and clients at any of this machine's addresses."""

    program: str
    ports: Ports
    certificate: Certificate
    output_path: Path

    @property
    def port(self) -> int:
        """Where it answers the public, over TLS."""
        return self.ports.public

    @property
    def origin(self) -> str:
        """The origin of its pages in a browser."""
        return f"https://localhost:{self.port}"

    @property
    def output(self) -> str:
        """What it has written."""
        return self.output_path.read_text("utf-8", errors="replace")

    def connect(
        self, sender: str = "127.0.0.1", *, port: int | None = None, receive_buffer: int | None = None
    ) -> ssl.SSLSocket:
        """A connection from one of this machine's addresses, to the public's port unless another is given."""
        plain = socket.socket()
        if receive_buffer is not None:
            plain.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
        plain.settimeout(PATIENCE_SECONDS)
        plain.bind((sender, 0))
        plain.connect(("127.0.0.1", port or self.port))
        return ssl.create_default_context(cafile=self.certificate.file).wrap_socket(
            plain, server_hostname="localhost"
        )

    def spoken(self, request: str, sender: str = "127.0.0.1") -> Answer:
        """The answer to exactly these bytes."""
        with self.connect(sender) as connection:
            connection.sendall(request.encode("latin-1"))
            return _answer(connection, "GET", request.partition("\r\n")[0])

    def call(
        self,
        path: str,
        body: bytes | None = None,
        *,
        method: str | None = None,
        sender: str = "127.0.0.1",
        port: int | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> Answer:
        """A call as a browser makes it: GET, or POST if there is a body."""
        chosen = method or ("GET" if body is None else "POST")
        lines = {"Host": f"localhost:{self.port}", "Connection": "close", **(headers or {})}
        if body is not None:
            lines["Content-Length"] = str(len(body))
        head = "".join(f"{name}: {value}\r\n" for name, value in lines.items())
        with self.connect(sender, port=port) as connection:
            connection.sendall(f"{chosen} {path} HTTP/1.1\r\n{head}\r\n".encode("latin-1") + (body or b""))
            return _answer(connection, chosen, path)

    def is_connected(self, connection: socket.socket) -> bool:
        """Whether the server still holds our connection, by the system's table of connections."""
        ours, theirs = (f":{number:04X}" for number in (connection.getsockname()[1], self.port))
        for line in Path("/proc/net/tcp").read_text(encoding="ascii").splitlines()[1:]:
            _, local, remote, state, *_ = line.split()
            if local.endswith(theirs) and remote.endswith(ours):
                return state == "01"
        return False


def _answer(connection: ssl.SSLSocket, method: str, path: str) -> Answer:
    response = http.client.HTTPResponse(connection, method=method)
    response.begin()
    return Answer(method, path, response.status, HTTPHeaderDict(response.getheaders()), response.read())


@contextmanager
def web_server(
    program: str,
    folder: Path,
    certificate: Certificate,
    ports: Ports,
    replaced: Mapping[str, str] | None = None,
    files: Mapping[str, str] = NGINX_FILES,
) -> Iterator[WebServer]:
    """Run nginx, with these ``files``, or Caddy in front of a service."""
    if program == "nginx":
        command = nginx_folder(folder, certificate, ports, replaced or {}, files)
    else:
        command = caddy_folder(folder, certificate, ports, replaced or {})
    environment = {**os.environ, "HOME": str(folder), "XDG_DATA_HOME": str(folder), "XDG_CONFIG_HOME": str(folder)}
    server = WebServer(program, ports, certificate, folder / "output")
    with server.output_path.open("wb") as output:
        process = subprocess.Popen(
            command, env=environment, stdin=subprocess.DEVNULL, stdout=output, stderr=output, start_new_session=True
        )
    try:
        wait_until(lambda: process.poll() is not None or listens(server.port), f"{program} to listen")
        assert process.poll() is None, server.output
        yield server
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(PATIENCE_SECONDS)


@contextmanager
def static_log(folder: Path, data: Path) -> Iterator[str]:
    """Nginx that serves the log of a data folder and nothing else, over plain HTTP; the address of the log."""
    port = free_port()
    text = (DEPLOY / "nginx.conf").read_text("utf-8")
    maps = text[text.index("map $request_uri $foredraw_log_age") : text.index("# Requests for other names")]
    log = adapted("nginx-log.conf", {"/srv/foredraw/data": str(data), "limit_req zone=foredraw_log burst=500;": ""})
    (folder / "conf.d").mkdir(parents=True)
    (folder / "conf.d" / "log.conf").write_text(f"{maps}\nserver {{ listen 127.0.0.1:{port};\n{log}\n}}\n", "utf-8")
    with (folder / "output").open("wb") as output:
        process = subprocess.Popen(nginx_command(folder), stdin=subprocess.DEVNULL, stdout=output, stderr=output)
    try:
        wait_until(lambda: process.poll() is not None or listens(port), "nginx to listen")
        assert process.poll() is None, (folder / "output").read_text("utf-8")
        yield f"http://127.0.0.1:{port}/log"
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(PATIENCE_SECONDS)


def nginx_folder(
    folder: Path,
    certificate: Certificate,
    ports: Ports,
    replaced: Mapping[str, str],
    files: Mapping[str, str] = NGINX_FILES,
) -> list[str]:
    """Write nginx's configuration for this machine; returns how it is started.

    ``files`` are those of ``deploy/``, by their paths in ``/etc/nginx``; each replacement is for the files that have
    it.
    """
    texts = {name: (DEPLOY / name).read_text("utf-8") for name in files.values()}
    assert all(any(before in text for text in texts.values()) for before in replaced), replaced
    (folder / "conf.d").mkdir(parents=True)
    for path, name in files.items():
        own = {before: after for before, after in replaced.items() if before in texts[name]}
        changes = {
            before: after for before, after in _places(folder, certificate, ports)[name].items() if before not in own
        }
        (folder / path).write_text(adapted(name, own, changes), "utf-8")
    return nginx_command(folder)


def _places(folder: Path, certificate: Certificate, ports: Ports) -> dict[str, dict[str, str]]:
    """What each file is given here in the place of an operator's names, ports and folders."""
    return {
        "nginx.conf": {
            **_certificate(certificate, "casino.example"),
            "listen 443 ": f"listen 127.0.0.1:{ports.public} ",
            "listen 80": f"listen 127.0.0.1:{ports.plain}",
            "server_name casino.example;": "server_name localhost;",
            "/var/cache/nginx-foredraw ": f"{folder}/cache ",
            "/var/log/nginx/foredraw.log": f"{folder}/access.log",
            "/etc/nginx/": f"{folder}/",
        },
        "nginx-engines.conf": {
            **_certificate(certificate, "engines.casino.example"),
            "listen 10.0.0.1:8443 ": f"listen 127.0.0.1:{ports.engines} ",
            "server_name engines.casino.example;": "server_name localhost;",
            "allow 10.0.0.0/24;": "allow 127.0.0.1;",
        },
        "nginx-upstreams.conf": {
            "127.0.0.1:8000": f"127.0.0.1:{ports.service}",
            "127.0.0.1:8001": f"127.0.0.1:{ports.service_engines}",
        },
        "nginx-machines.conf": {},
        "nginx-log.conf": {},
    }


def nginx_command(folder: Path) -> list[str]:
    """Write the main file, which includes those of ``conf.d/``; returns how nginx is started."""
    # If started by root it would otherwise run as nobody, who may not read the folder.
    user = "user root;" if os.geteuid() == 0 else ""
    (folder / "nginx.conf").write_text(_MAIN.format(folder=folder, user=user), "utf-8")
    return ["/usr/sbin/nginx", "-e", "stderr", "-p", str(folder), "-c", str(folder / "nginx.conf")]


def caddy_folder(folder: Path, certificate: Certificate, ports: Ports, replaced: Mapping[str, str]) -> list[str]:
    """Write Caddy's configuration for this machine; returns how it is started."""
    files = f"{certificate.file} {certificate.key}"
    changes = {
        # It would fetch certificates from the network, and its admin interface has a fixed port.
        "{\n\tservers {": f"{{\n\tadmin off\n\thttp_port {ports.plain}\n\tservers {{",
        "\ncasino.example {": f"\nhttps://localhost:{ports.public} {{\n\tbind 127.0.0.1\n\ttls {files}",
        "reverse_proxy 127.0.0.1:8000 {": f"reverse_proxy 127.0.0.1:{ports.service} {{",
    }
    folder.mkdir()
    (folder / "Caddyfile").write_text(adapted("Caddyfile", changes, replaced), "utf-8")
    return ["caddy", "run", "--adapter", "caddyfile", "--config", str(folder / "Caddyfile")]


def adapted(name: str, *changes: Mapping[str, str]) -> str:
    """A file of ``deploy/`` with replacements in the places that every operator changes; each of them must exist."""
    text = (DEPLOY / name).read_text("utf-8")
    for before, after in (change for each in changes for change in each.items()):
        assert before in text, (name, before)
        text = text.replace(before, after)
    return text


def _certificate(certificate: Certificate, name: str) -> dict[str, str]:
    return {
        f"/etc/ssl/{name}/fullchain.pem": str(certificate.file),
        f"/etc/ssl/{name}/privkey.pem": str(certificate.key),
    }


def listens(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0
