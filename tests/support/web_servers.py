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
SHARE = DEPLOY / "machine/usr/local/share/foredraw"
NGINX = SHARE / "nginx"

_MAIN = """
{user}
daemon off;
pid {folder}/nginx.pid;
error_log stderr notice;
worker_processes 2;
events {{ worker_connections 4096; }}
http {{
    {http}
    include {folder}/conf.d/*.conf;
}}
"""
_HTTP = """client_body_temp_path {folder}/body;
    proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi;
    scgi_temp_path {folder}/scgi;
    # From this address a test may say that it has any other.
    set_real_ip_from 127.0.0.77;
    real_ip_header X-Test-Sender;"""


@dataclass(frozen=True, slots=True)
class Front:
    """Which of the kit's main files nginx has; and whether it serves the log from its folder."""

    machines: bool = False
    log: bool = False

    def texts(self) -> dict[str, str]:
        """The files, by their names in nginx's folder."""
        names = ["http.conf", "public.conf", "engines.conf", *(["log.conf"] if self.log else [])]
        texts = {name.replace("log", "nginx-log"): (NGINX / name).read_text("utf-8") for name in names}
        texts["nginx.conf"] = _main(NGINX / "machines.conf") if self.machines else _with_engines()
        return texts


WITH_LOG = Front(log=True)
IN_FRONT_OF_MACHINES = Front(machines=True)


def _main(file: Path) -> str:
    return file.read_text("utf-8")


def _with_engines() -> str:
    """The main file of one machine, with the engines' server of several machines."""
    machines = _main(NGINX / "machines.conf")
    engines = machines[machines.index("    # Engines.") :]
    upstream = "    upstream foredraw_engines { server 127.0.0.1:8001; keepalive 64; keepalive_timeout 20s; }\n"
    return _main(NGINX / "one.conf").removesuffix("}\n") + upstream + engines


@dataclass(frozen=True, slots=True)
class Certificate:
    """A self-signed certificate for one name, and its key."""

    file: Path
    key: Path

    @classmethod
    def create(cls, folder: Path, name: str = "localhost", *others: str) -> Certificate:
        """Create one with OpenSSL; it may have other names, too."""
        made = cls(folder / "certificate.pem", folder / "key.pem")
        names = ",".join(f"DNS:{each}" for each in (name, *others))
        command = ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"]
        command += ["-subj", f"/CN={name}", "-addext", f"subjectAltName={names}", "-days", "2"]
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
    kit: Front = Front(),
) -> Iterator[WebServer]:
    """Run nginx, with these files of the ``kit``, or Caddy in front of a service."""
    if program == "nginx":
        command = nginx_folder(folder, certificate, ports, replaced or {}, kit)
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
    text = (NGINX / "http.conf").read_text("utf-8")
    maps = text[text.index("map $request_uri $foredraw_log_age") : text.index("# For engines.conf alone")]
    log = adapted(NGINX / "log.conf", {"/srv/foredraw/data": str(data), "limit_req zone=foredraw_log burst=500;": ""})
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
    kit: Front = Front(),
) -> list[str]:
    """Write nginx's configuration for this machine; returns how it is started.

    Each replacement is for the files that have it, and goes before those of an operator's names, ports and folders.
    """
    texts = kit.texts()
    places = {
        name: before for name, before in _places(folder, certificate, ports, kit).items() if name not in replaced
    }
    for before in (*replaced, *places):
        assert any(before in text for text in texts.values()), before
    folder.mkdir(parents=True)
    for name, text in texts.items():
        for before, after in (*replaced.items(), *places.items()):
            text = text.replace(before, after)  # noqa: PLW2901 (one after the other)
        (folder / name).write_text(text, "utf-8")
    return _started(folder)


def _places(folder: Path, certificate: Certificate, ports: Ports, kit: Front) -> dict[str, str]:
    """What an operator's names, ports and folders are here."""
    # If started by root it would otherwise run as nobody, who may not read the folder.
    user = "user root;" if os.geteuid() == 0 else ""
    own = {
        "user www-data;": f"{user}\ndaemon off;",
        "worker_processes auto;": "worker_processes 2;",
        "pid /run/nginx.pid;": f"pid {folder}/nginx.pid;",
        "error_log /var/log/nginx/error.log;": "error_log stderr notice;",
        "http {\n": f"http {{\n    {_HTTP.format(folder=folder)}\n",
        "/etc/foredraw/tls/fullchain.pem": str(certificate.file),
        "/etc/foredraw/tls/privkey.pem": str(certificate.key),
        "listen 443 ": f"listen 127.0.0.1:{ports.public} ",
        "listen 80": f"listen 127.0.0.1:{ports.plain}",
        "listen 8443 ": f"listen 127.0.0.1:{ports.engines} ",
        "server_name YOUR.NAME;": "server_name localhost;",
        "server_name engines.YOUR.NAME;": "server_name localhost;",
        "YOUR.NAME": "casino.example",
        "allow 10.0.0.0/8;": "allow 127.0.0.1;",
        "/var/cache/nginx-foredraw ": f"{folder}/cache ",
        "/var/log/nginx/foredraw.log": f"{folder}/access.log",
        "/usr/local/share/foredraw/nginx/": f"{folder}/",
        "/etc/foredraw/": f"{folder}/",
    }
    if not kit.machines:
        own |= {
            "127.0.0.1:8000": f"127.0.0.1:{ports.service}",
            "127.0.0.1:8001": f"127.0.0.1:{ports.service_engines}",
        }
    return own


def _started(folder: Path) -> list[str]:
    return ["/usr/sbin/nginx", "-e", "stderr", "-p", str(folder), "-c", str(folder / "nginx.conf")]


def nginx_command(folder: Path) -> list[str]:
    """Write a main file, which includes those of ``conf.d/``; returns how nginx is started."""
    user = "user root;" if os.geteuid() == 0 else ""
    text = _MAIN.format(folder=folder, user=user, http=_HTTP.format(folder=folder))
    (folder / "nginx.conf").write_text(text, "utf-8")
    return _started(folder)


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
    (folder / "Caddyfile").write_text(adapted(DEPLOY / "Caddyfile", changes, replaced), "utf-8")
    return ["caddy", "run", "--adapter", "caddyfile", "--config", str(folder / "Caddyfile")]


def adapted(file: Path, *changes: Mapping[str, str]) -> str:
    """A file of the kit with replacements in the places that every operator changes; each of them must exist."""
    text = file.read_text("utf-8")
    for before, after in (change for each in changes for change in each.items()):
        assert before in text, (file, before)
        text = text.replace(before, after)
    return text


def listens(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0
