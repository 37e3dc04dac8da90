"""The machines of ``deploy/compose.yaml``: whichever of them is killed, rounds go on through nginx, and an auditor
sees one log.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.compose import MACHINES, PASSWORDS, Containers, containers, read_compose
from tests.support.documents import PAGES, fenced
from tests.support.failover import LEADS
from tests.support.running_service import wait_until

pytestmark = pytest.mark.nightly(
    "all containers of the kit, as processes", but="test_the_document_installs_what_the_kit_starts"
)


TABLE = "crash-1"

INSTALL, MOVE, UPGRADE, UPGRADE_SCHEMA = (
    block for block in fenced(PAGES[Path("docs/machines.md")], "sh") if "docker compose" in block
)


@pytest.fixture(scope="module")
def kit(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Containers]:
    """The machines, made as docs/machines.md says, with nginx in front of them and an auditor."""
    with containers(tmp_path_factory.mktemp("machines")) as made:
        printed = made.shell(INSTALL)
        made.key = next(line for line in printed[1].splitlines() if line.startswith("casino.example/log+"))
        made.token = next(word for word in printed[-1].split() if word.startswith("fde_"))
        wait_until_ready(made)
        with made.nginx():
            made.start("auditor")
            yield made


def test_the_document_installs_what_the_kit_starts() -> None:
    """Its commands use the kit's file, and name the machines that are killed below."""
    assert len(INSTALL) > 1
    services = read_compose(**dict.fromkeys(PASSWORDS, "secret"))["services"]
    assert {*MACHINES, *MACHINES.values(), "auditor"} <= services.keys()


def wait_until_ready(kit: Containers) -> None:
    """Both machines say that they can play."""
    for name in MACHINES.values():
        kit.wait_until_ready(name)


def check_audit(kit: Containers, rounds: int) -> None:
    """The whole log, as nginx serves it from its folder, has exactly these rounds."""
    front = kit.front
    assert front is not None
    done = subprocess.run(
        [
            Path(sys.executable).with_name("foredraw-verify"),
            "audit",
            f"{front.origin}/log",
            "--key",
            kit.key,
            "--json",
        ],
        env={**os.environ, "SSL_CERT_FILE": str(front.certificate.file)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    (table,) = json.loads(done.stdout)["tables"]
    assert table["played"] == rounds


def test_rounds_go_on_whichever_machine_is_killed(kit: Containers) -> None:
    """The leader while a round is locked, then a machine with listeners; each comes back as the file says, and is
    used again.
    """
    for number in range(1, 4):
        kit.play(TABLE, number)
    (leader,) = [name for name in MACHINES if LEADS in kit.output(name)]
    (standby,) = MACHINES.keys() - {leader}
    wait_until(lambda: "stands by" in kit.output(standby), "the other one to stand by")
    kit.act_on(TABLE, 4, "open")
    locked = kit.act_on(TABLE, 4, "lock").document
    kit.kill(leader)
    assert kit.act_on(TABLE, 4, "reveal").document["outcome"] == locked["outcome"]
    for number in range(5, 8):
        kit.play(TABLE, number)
    assert LEADS in kit.output(standby)
    stood_by = kit.output(leader).count("stands by")
    kit.start(leader)
    wait_until(lambda: kit.output(leader).count("stands by") > stood_by, "the killed one to stand by")

    gone, stays = MACHINES[leader], MACHINES[standby]
    kit.kill(gone)
    for number in range(8, 11):
        kit.play(TABLE, number)
    kit.start(gone)
    kit.wait_until_ready(gone)
    kit.kill(stays)
    kit.play(TABLE, 11)
    kit.start(stays)
    check_audit(kit, 11)


def test_both_machines_are_replaced_one_after_the_other(kit: Containers) -> None:
    """The runbooks' commands: to move the lead, to upgrade without a pause, and with one. Rounds are played after
    each.
    """
    wait_until_ready(kit)
    first = kit.next_round(TABLE)
    build = UPGRADE.splitlines()[0]
    for number, block in enumerate((MOVE, UPGRADE, f"{build}\n{UPGRADE_SCHEMA}"), start=first):
        printed = kit.shell(block)
        kit.play(TABLE, number)
        assert block is MOVE or "there is nothing to do" in "".join(printed)
    check_audit(kit, first + 2)


def test_an_auditor_saw_one_log_through_all_of_it(kit: Containers) -> None:
    """Its status is 3 if it has raised an alarm."""
    kit.stop("auditor")
    assert "grew" in {json.loads(line)["what"] for line in kit.output("auditor").splitlines()}
