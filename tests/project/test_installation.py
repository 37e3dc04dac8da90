"""docs/install.md on fresh Debian machines: its own lines are typed there, and rounds are played and checked.

A machine has nothing of ours but the release. deploy/README.md lists what this does not run: systemd itself, NFS,
an index of packages, a certificate that others know.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import sys
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest

from standalone.machine import ACCOUNT
from tests.support.calls import body_of
from tests.support.debian import typed
from tests.support.debian.machines import Machine, Machines, machines
from tests.support.debian.released import made_release, wheels
from tests.support.debian.tree import tree
from tests.support.failover import LEADS
from tests.support.running_service import wait_until
from tests.support.s3_server import s3_server
from tests.support.web_servers import Certificate

pytestmark = [
    pytest.mark.nightly(
        "installs a release on seven machines", but="test_the_document_has_no_more_lines_than_it_says"
    ),
    pytest.mark.slow,
    pytest.mark.one_database("names its own"),
]
ONE, ALL = 8, 15
"""So many lines a person types at most: on one machine, and for several."""
RELEASE = "/root/release"
NAMES = ("database-1", "service-1", "service-2", "web-1", "witness-1", "witness-2")
TABLE = "crash-1"


def test_the_document_has_no_more_lines_than_it_says() -> None:
    """Each line is one command: none is two in one, and none runs what it has fetched."""
    assert len(typed.ONE) <= ONE
    assert len(typed.SEVERAL) <= ALL
    for line in (*typed.ONE, *typed.SEVERAL):
        assert not re.search(r"&&|\|\||\| *(?:ba|da)?sh\b|curl|wget", line), line
        assert ";" not in re.sub(r"^for m in [\w -]+; do (.*); done", r"\1", line), line


@pytest.fixture(scope="module")
def release(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the release, with the operator's certificate beside it."""
    folder = made_release(tmp_path_factory.mktemp("release"))
    certificate = Certificate.create(folder, "casino.example", "engines.casino.example")
    certificate.file.rename(folder / "fullchain.pem")
    certificate.key.rename(folder / "privkey.pem")
    return folder


@pytest.fixture(scope="module")
def packages(release: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Python's packages, in the place of an index."""
    return wheels(release, tmp_path_factory.mktemp("wheels"))


def given(machine: Machine, release: Path) -> None:
    """Copy the release's folder to a machine."""
    for file in release.rglob("*"):
        if file.is_file():
            machine.put(f"{RELEASE}/{file.relative_to(release)}", file.read_bytes())


def install(machine: Machine, lines: list[str], name: str) -> None:
    """Type these lines, and say how long it took."""
    began = time.monotonic()
    for line in lines:
        started = time.monotonic()
        machine.run(line, where=RELEASE)
        sys.stdout.write(f"{time.monotonic() - started:6.1f} s  {line}\n")
    sys.stdout.write(f"{name}: {len(lines)} lines, {(time.monotonic() - began) / 60:.1f} minutes\n")


def doctor_agrees(machine: Machine) -> None:
    """As soon as the service has begun, the doctor finds nothing wrong."""
    wait_until(lambda: machine.run("foredraw doctor", check=False).returncode == 0, f"{machine.name} to be well", 120)


class Engine:
    """An engine, by curl's place in Python on one of the machines: it trusts the operator's certificate."""

    def __init__(self, machine: Machine, origin: str, token: str) -> None:
        self.machine, self.origin, self.token = machine, origin, token

    def act(self, number: int, action: str) -> int:
        """One call; the status of its answer, 0 if there is none."""
        script = (
            "import ssl, sys, urllib.request as r, urllib.error as e\n"
            "context = ssl.create_default_context(cafile='/root/fullchain.pem')\n"
            "call = r.Request(sys.argv[1], data=sys.argv[3].encode(), headers={'Authorization': 'Bearer ' + sys.argv[2],"
            " 'Content-Type': 'application/json'})\n"
            "try: print(r.urlopen(call, timeout=10, context=context).status)\n"
            "except e.HTTPError as error: print(error.code)\n"
            "except OSError: print(0)\n"
        )
        path = f"/v1/engine/tables/{TABLE}/rounds/{number}/{action}"
        call = [f"{self.origin}{path}", self.token, body_of(path).decode()]
        said = self.machine.run(shlex.join(["python3", "-c", script, *call]))
        return int(said.stdout)

    def play(self, numbers: range) -> None:
        """Whole rounds, as engines play them: what has no final answer is repeated."""
        for number in numbers:
            for action in ("open", "lock", "reveal"):
                wait_until(partial(self._is_done, number, action), f"{action} of round {number}", 60)

    def _is_done(self, number: int, action: str) -> bool:
        return self.act(number, action) == 200


def audited(machine: Machine, *trust: str) -> dict[str, int]:
    """What an auditor finds, whose machine has the verifier's one file and the log's address."""
    audit = ["python3", "/root/foredraw-verify.pyz", "audit", "https://casino.example/log", "--json", *trust]
    done = machine.run(f"SSL_CERT_FILE=/root/fullchain.pem {shlex.join(audit)}")
    (table,) = json.loads(done.stdout)["tables"]
    return dict(table)


@pytest.fixture(scope="module")
def alone(release: Path, packages: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Machines]:
    """The one machine, and an auditor."""
    folder, debian = tmp_path_factory.mktemp("one"), tree(typed.packages())
    hosts = "{casino} casino.example\n"
    with machines(folder, debian, packages, ("casino", "auditor"), also=hosts) as made:
        given(made["casino"], release)
        for name, file in (
            ("auditor", "foredraw-verify.pyz"),
            ("auditor", "fullchain.pem"),
            ("casino", "fullchain.pem"),
        ):
            made[name].put(f"/root/{file}", (release / file).read_bytes())
        yield made


def test_one_machine(alone: Machines) -> None:
    """Installed, played on, audited from another machine, without power, and upgraded."""
    casino, auditor = alone["casino"], alone["auditor"]
    install(casino, typed.ONE, "One machine")
    doctor_agrees(casino)
    casino.run(f"foredraw table add {TABLE} crash")
    token = casino.run(f"foredraw token create engine-1 --table {TABLE}").stdout
    engine = Engine(casino, "http://127.0.0.1:8001", next(word for word in token.split() if word.startswith("fde_")))
    engine.play(range(1, 4))
    key = casino.run("foredraw key show").stdout.strip()
    assert audited(auditor, "--key", key)["played"] == 3
    casino.power_off()
    casino.power_on()
    engine.play(range(4, 6))
    install(casino, typed.UPGRADE, "Upgrade")
    assert casino.run("ls /var/backups/foredraw").stdout.split()
    engine.play(range(6, 8))
    assert audited(auditor, "--key", key)["played"] == 7


@pytest.fixture(scope="module")
def several(release: Path, packages: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Machines]:
    """Six machines, a bucket, and an auditor."""
    folder, debian = tmp_path_factory.mktemp("several"), tree(typed.packages())
    hosts = "{web_1} casino.example engines.casino.example\n"
    with machines(folder, debian, packages, (*NAMES, "auditor"), others=("bucket",), also=hosts) as made:
        given(made["service-1"], release)
        for name, file in (
            ("auditor", "foredraw-verify.pyz"),
            ("auditor", "fullchain.pem"),
            ("web-1", "fullchain.pem"),
        ):
            made[name].put(f"/root/{file}", (release / file).read_bytes())
        for name in ("witness-1", "witness-2"):
            # Browsers would know the certificate; this test made it.
            made[name].put("/etc/casino.pem", (release / "fullchain.pem").read_bytes())
            trust = b"[Service]\nEnvironment=SSL_CERT_FILE=/etc/casino.pem\n"
            made[name].put("/etc/systemd/system/foredraw-witness.service.d/trust.conf", trust)
        yield made


def leader(made: Machines) -> str:
    """The machine that leads, by what its service has said last."""
    (found,) = [
        name
        for name in ("service-1", "service-2")
        if (said := made[name].said("foredraw.service")).rfind(LEADS) > said.rfind("stands by")
    ]
    return found


def test_several_machines(several: Machines, tmp_path: Path) -> None:
    """Rounds through nginx, under a policy of two witnesses; the leader loses its power, and they go on."""
    first, auditor = several["service-1"], several["auditor"]
    with several.network.at("bucket") as address, s3_server(tmp_path, address) as store:
        store.make("casino-log")
        # The bucket is no role's: two settings more, and the address of a store that is not Amazon's.
        lines = [*typed.SEVERAL]
        at = lines.index("echo AWS_REGION=eu-central-1 >> /etc/foredraw/settings") + 1
        keys = [f"{name}={value}" for name, value in store.variables.items()]
        lines[at:at] = [f"echo {setting} >> /etc/foredraw/settings" for setting in keys]
        os.chown(several.shared, ACCOUNT, ACCOUNT)
        install(first, lines, "Several machines")
        doctor_agrees(first)
        doctor_agrees(several["service-2"])
        first.run(f"foredraw table add {TABLE} crash")
        token = first.run(f"foredraw token create engine-1 --table {TABLE}").stdout
        bearer = next(word for word in token.split() if word.startswith("fde_"))
        engine = Engine(several["web-1"], "https://engines.casino.example:8443", bearer)
        engine.play(range(1, 4))
        auditor.put("/root/policy", first.run("cat /etc/foredraw/policy").stdout.encode())
        assert audited(auditor, "--policy", "/root/policy")["played"] == 3
        lost = leader(several)
        several[lost].power_off()
        engine.play(range(4, 7))
        several[lost].power_on()
        several["witness-1"].power_off()
        several["witness-1"].power_on()
        engine.play(range(7, 9))
        assert audited(auditor, "--policy", "/root/policy")["played"] == 8
        assert store.get("casino-log/log/checkpoint") == (several.shared / "checkpoint").read_bytes()
