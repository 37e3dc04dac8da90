"""The containers of ``deploy/compose.yaml`` as processes of this machine: no container engine is needed, and none is
here.

docker-compose reads the file, checks it and fills in its variables. What it says then is started: the commands,
settings, volumes (folders) and addresses of the file. Only what cannot be the same here is replaced: its network
inside is one of loopback addresses, each listener has one process, PostgreSQL and nginx are Debian's, and
``casino.example`` is nginx here.
"""

from __future__ import annotations

import json
import os
import re
import secrets
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from functools import cache, partial
from pathlib import Path
from typing import Any

import urllib3
import yaml

from tests.house import HOUSE
from tests.support.calls import body_of
from tests.support.postgres import PASSWORD, PostgresServer, postgres_server, program
from tests.support.running_service import PATIENCE_SECONDS, Answer, family_of, kill, wait_until
from tests.support.web_servers import DEPLOY, Certificate, Front, Ports, WebServer, web_server

COMPOSE = DEPLOY / "compose.yaml"
PASSWORDS = ("POSTGRES_PASSWORD", "DATABASE_PASSWORD", "CUSTODIAN_PASSWORD")
MACHINES = {"sequencer-1": "api-1", "sequencer-2": "api-2"}
_CALL = "docker compose --file deploy/compose.yaml "
_BUILD = "docker build "
"""Makes a new image."""
_ALL_ADDRESSES = "0.0.0.0"  # noqa: S104 (what the file says; nothing listens there)
_IMAGE = dict(re.findall(r"(FOREDRAW_\w+)=(\S+)", (HOUSE / "Dockerfile").read_text("utf-8")))
"""Settings of the image."""
_ENTRYPOINT = json.loads(
    re.findall(r"^ENTRYPOINT (.*)$", (HOUSE / "Dockerfile").read_text("utf-8"), re.MULTILINE)[-1]
)


@cache
def read_compose(**variables: str) -> dict[str, Any]:
    """The file as docker-compose understands it. Fails with its message if that refuses it."""
    done = subprocess.run(
        ["docker-compose", "--file", str(COMPOSE), "--profile", "auditor", "config"],
        env={"PATH": os.environ["PATH"], "HOME": "/nonexistent", **variables},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    document: dict[str, Any] = yaml.safe_load(done.stdout)
    for service in document["services"].values():
        service["volumes"] = [_in_short(mount) for mount in service.get("volumes", [])]
        service["ports"] = [_published(port) for port in service.get("ports", [])]
    return document


def _in_short(mount: str | dict[str, str]) -> str:
    """A volume as ``source:target``; version 2 of Compose writes it out."""
    source, target = mount.split(":")[:2] if isinstance(mount, str) else (mount["source"], mount["target"])
    return f"{source}:{target}"


def _published(port: str | dict[str, str]) -> str:
    """Where a port is published, as ``address:port``; version 2 of Compose writes it out."""
    return port.rpartition(":")[0] if isinstance(port, str) else f"{port['host_ip']}:{port['published']}"


@dataclass(slots=True)
class Containers:
    """The processes of the file, by the names of its services."""

    folder: Path
    postgres: PostgresServer
    certificate: Certificate
    passwords: Mapping[str, str] = field(repr=False)
    key: str = ""
    """The log's, when it is known."""
    token: str = field(default="", repr=False)
    """An engine's, when it is known."""
    network: str = field(default_factory=lambda: f"127.{secrets.randbelow(200) + 20}.{secrets.randbelow(250)}.")
    """In the place of 10.0.1.0/24."""
    front: WebServer | None = None
    _running: dict[str, subprocess.Popen[bytes]] = field(default_factory=dict)
    _image: int = 0
    """How often the image was built."""
    _made_from: dict[str, int] = field(default_factory=dict)
    """The image of each container: a container that is started again still has the one that it was made from."""

    def service(self, name: str) -> dict[str, Any]:
        """What the file says about one."""
        found: dict[str, Any] = read_compose(**self.passwords, LOG_KEY=self.key)["services"][name]
        return found

    def output(self, name: str) -> str:
        """What one has written."""
        return (self.folder / f"{name}.output").read_text("utf-8", errors="replace")

    def address(self, name: str) -> str:
        """The address of one."""
        return self._here(self.service(name)["networks"]["inside"]["ipv4_address"])

    def shell(self, block: str) -> list[str]:
        """The commands of a document's block, in order: what each has printed."""
        lines = block.splitlines()
        self._image += sum(line.startswith(_BUILD) for line in lines)
        return [self._docker(line.split()[4:]) for line in lines if line.startswith(_CALL)]

    def _docker(self, words: list[str]) -> str:
        """One call of ``docker compose``. The image is not built: what is in it runs from here."""
        match words:
            case ["run", "--rm", name, *arguments]:
                return self.run(name, *arguments)
            case ["exec", name, "foredraw", *arguments]:
                assert self.runs(name)
                return self.run(name, *arguments)
            case ["up", "--detach", "--wait", "--no-deps", *names]:
                # The containers are made again, from the image that was built.
                self.stop(*names)
                self._make(*names)
                for name in names:
                    if name in MACHINES.values():
                        self.wait_until_ready(name)
                    else:
                        wait_until(partial(self.is_healthy, name), f"{name} to be healthy")
            case ["up", "--detach"]:
                self._make(*MACHINES, *MACHINES.values())
            case ["stop", *names]:
                self.stop(*names)
            case ["start", *names]:
                assert all(self._made_from[name] == self._image for name in names), "these would run an older image"
                self.start(*names)
            case _:
                raise AssertionError(f"no such call of docker compose here: {words}")
        return ""

    def run(self, name: str, *arguments: str) -> str:
        """A command in a container of a service, to the end: ``docker compose run``. It must succeed."""
        command, environment = self._started(name, list(arguments))
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    def _make(self, *names: str) -> None:
        """Make some containers, from the newest image, and start them."""
        self._made_from |= dict.fromkeys(names, self._image)
        self.start(*names)

    def start(self, *names: str) -> None:
        """Start some of them."""
        for name in names:
            command, environment = self._started(name, self.service(name)["command"])
            with (self.folder / f"{name}.output").open("ab") as output:
                self._running[name] = subprocess.Popen(
                    command,
                    env=environment,
                    stdin=subprocess.DEVNULL,
                    stdout=output,
                    stderr=output,
                    start_new_session=True,
                )

    def runs(self, name: str) -> bool:
        """Whether one has not ended."""
        return self._running[name].poll() is None

    def kill(self, name: str) -> None:
        """End all processes of one, as when its machine loses its power."""
        process = self._running[name]
        for pid in family_of(process.pid):
            kill(pid, signal.SIGKILL)
        process.wait(PATIENCE_SECONDS)

    def stop(self, *names: str) -> None:
        """Stop some as ``docker compose stop`` does. They must end well."""
        for name in names:
            self._running[name].send_signal(signal.SIGTERM)
        for name in names:
            assert self._running[name].wait(PATIENCE_SECONDS) == 0, self.output(name)

    def clean_up(self) -> None:
        """Kill whatever still runs."""
        for name in self._running:
            if self.runs(name):
                self.kill(name)

    def is_healthy(self, name: str) -> bool:
        """Whether the check of a container succeeds. Compose does not wait for one without a check, but ends with an
        error.
        """
        how, *command = self.service(name)["healthcheck"]["test"]
        assert how == "CMD"
        own = [word.replace("/data", str(self._folder(name))) for word in command]
        return subprocess.run(own, check=False, capture_output=True).returncode == 0

    def wait_until_ready(self, name: str) -> None:
        """Wait until a machine's listeners say that it can play."""

        def is_ready() -> bool:
            assert self.runs(name), self.output(name)
            try:
                url = f"http://{self.address(name)}:8000/health/ready"
                return urllib3.request("GET", url, retries=False, timeout=5).status == 200
            except urllib3.exceptions.HTTPError:
                return False

        wait_until(is_ready, f"{name} to be ready")

    @contextmanager
    def nginx(self) -> Iterator[WebServer]:
        """Nginx with the files that the service of this name has mounted."""
        mounts = [mount.split(":") for mount in self.service("nginx")["volumes"]]
        own = {target for _, target in mounts}
        assert {"/etc/foredraw/nginx.conf", "/usr/local/share/foredraw/nginx", "/etc/foredraw/nginx-log.conf"} <= own
        (data,) = [target.removesuffix("/log") for source, target in mounts if source == "log"]
        # nginx finds the machines by names, which the file gives addresses.
        names = {name: self._here(address) for name, address in hosts_of(self.service("nginx")).items()}
        replaced = {**names, data: str(self._folder("sequencer-1"))}
        kit = Front(machines=True, log=True)
        with web_server("nginx", self.folder / "nginx", self.certificate, Ports(), replaced, kit) as front:
            self.front = front
            yield front

    def act(self, table: str, number: int, action: str) -> Answer:
        """An engine's call through nginx, once."""
        assert self.front is not None
        path = f"/v1/engine/tables/{table}/rounds/{number}/{action}"
        return self.front.call(
            path, body_of(path), headers={"Authorization": f"Bearer {self.token}"}, port=self.front.ports.engines
        )

    def act_on(self, table: str, number: int, action: str) -> Answer:
        """The same as engines make it: a call without a final answer is repeated."""
        answers: list[Answer] = []

        def is_done() -> bool:
            answers.append(self.act(table, number, action))
            return answers[-1].status == 200

        wait_until(is_done, f"{action} of round {number}")
        return answers[-1]

    def play(self, table: str, number: int) -> None:
        """A whole round."""
        for action in ("open", "lock", "reveal"):
            self.act_on(table, number, action)

    def next_round(self, table: str) -> int:
        """The first round of a table that was not locked, as engines read it: the public's answer may be a second
        old.
        """
        assert self.front is not None
        path, bearer = f"/v1/engine/tables/{table}", {"Authorization": f"Bearer {self.token}"}
        return int(self.front.call(path, headers=bearer, port=self.front.ports.engines).document["next_round"])

    def _started(self, name: str, arguments: list[str]) -> tuple[list[str], dict[str, str]]:
        service = self.service(name)
        (entrypoint,) = service.get("entrypoint", _ENTRYPOINT)
        settings = {**_IMAGE, **service.get("environment", {})}
        folder = self._folder(name)
        own = [self._here(word).replace("/data", str(folder)) for word in arguments]
        # Containers may listen at the same port of all addresses; processes of one machine may not.
        own = [self.address(name) if word == _ALL_ADDRESSES else word for word in own]
        if "--api-only" in own:
            own += ["--workers", "1", "--engine-workers", "1"]
        environment = {key: self._here(value).replace("/data", str(folder)) for key, value in settings.items()}
        trusted = {"SSL_CERT_FILE": str(self.certificate.file)}
        return (
            [str(Path(sys.executable).with_name(entrypoint)), *own],
            {**os.environ, **environment, **trusted},
        )

    def _here(self, text: str) -> str:
        """The same with the addresses of this machine."""
        if self.front is not None:
            text = text.replace("https://casino.example", self.front.origin)
        return text.replace("10.0.1.", self.network).replace(
            "@database:5432", f"@{self.postgres.host}:{self.postgres.port}"
        )

    def _folder(self, name: str) -> Path:
        """What is at ``/data`` in a container: a folder for each volume, and links where others are mounted in it."""
        mounts = dict(mount.split(":")[::-1] for mount in self.service(name)["volumes"])
        volumes: dict[str, Path] = {target: self.folder / "volumes" / source for target, source in mounts.items()}
        for target, volume in sorted(volumes.items()):
            volume.mkdir(parents=True, exist_ok=True)
            inside = volumes["/data"] / target.removeprefix("/data/")
            if target != "/data" and not inside.is_symlink():
                inside.symlink_to(volume)
        return volumes["/data"]


def hosts_of(service: Mapping[str, Any]) -> dict[str, str]:
    """The addresses that a service has for names; each version of Compose writes them in its own way."""
    hosts = service["extra_hosts"]
    pairs = hosts.items() if isinstance(hosts, dict) else (re.split("[:=]", host, maxsplit=1) for host in hosts)
    return dict(pairs)


@contextmanager
def containers(folder: Path) -> Iterator[Containers]:
    """PostgreSQL with the databases that the kit makes; nothing else runs yet."""
    passwords = {name: secrets.token_hex(24) for name in PASSWORDS}
    with ExitStack() as stack:
        postgres = stack.enter_context(postgres_server())
        made = Containers(folder, postgres, Certificate.create(folder), passwords)
        database = made.service("database")
        with postgres.administrator() as connection:
            # This test's role of the same name: the kit makes its own.
            connection.execute("DROP ROLE foredraw")
        (script,) = [mount.split(":")[0] for mount in database["volumes"] if "initdb" in mount]
        subprocess.run(
            [program("psql"), "-v", "ON_ERROR_STOP=1", "--no-psqlrc", "-f", script],
            env={
                **os.environ,
                **database["environment"],
                "PGHOST": postgres.host,
                "PGPORT": str(postgres.port),
                "PGUSER": "postgres",
                "PGPASSWORD": PASSWORD,
            },
            check=True,
            capture_output=True,
        )
        stack.callback(made.clean_up)
        yield made
