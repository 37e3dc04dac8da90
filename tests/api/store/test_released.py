"""The data folders of releases, kept as they were: this program upgrades each, and plays on.

A schema that was released never changes: a change of the models is another revision, and `test_upgrade` says so.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from hashlib import sha256
from pathlib import Path

import pytest

from api.journal.chain import entries, verify
from api.rounds.control import pause_table
from api.server.app import create_engine_app
from api.store import revisions
from api.store.schema import disposed, open_database
from api.store.upgrade import schema_of
from fairness.policy.policy import Policy
from tests.support.commands import foredraw
from tests.support.in_process_service import InProcessService
from tests.support.next_version import next_version
from tests.support.postgres import PostgresServer
from tests.support.relays import running_relay
from tests.support.released_folder import FOLDER, REVISIONS, TOKEN, confirm, released, releases
from tests.support.salted_service import BEACON, NODE, can_play, wait_until
from tests.support.salted_service import TABLE as SALTED
from verifier.audit.audit import audit_log
from verifier.audit.report import AuditReport
from verifier.sources.source import FolderSource

MOST_BYTES = 300_000


@contextmanager
def started(service: InProcessService) -> Iterator[InProcessService]:
    """The service runs, its clock is confirmed, and its beacon answers."""
    with running_relay(NODE, service.clock) as relay:
        service.settings = replace(service.settings, relays=(relay.url,))
        service.start_without_sequencer()
        confirm(service)
        service.stop()
        service.start()
        service.settle()
        yield service
        service.stop()


def audited(service: InProcessService) -> AuditReport:
    """Audit the whole log, with its beacon: everything is known, and holds."""
    policy = Policy.parse(f"log {service.key}\nquorum none\nbeacon {BEACON}\n".encode())
    report = audit_log(FolderSource(service.settings.log), policy)
    assert not any(table.state.unverified for table in report.tables)
    return report


def play_on(service: InProcessService, token: str) -> None:
    """What stood open is finished, every table goes on, and the whole log holds."""
    before = service.size
    service.clock.step(1000)
    service.settle()
    assert service.status("crash-1", 5) == "played"
    assert service.status("dice-1", 3) == "played"
    assert service.state("dice-1").closed
    pause_table(service.service.writer, "wheel-1", paused=False)
    for table, rounds in {"crash-1": 15, "cards-1": 2, "wheel-1": 2}.items():
        service.play(table, rounds)
    wait_until(service, lambda: can_play(service, service.state(SALTED).next_round + 12))
    service.play(SALTED, 12)
    service.settle()
    assert audited(service).checkpoint.size > before + 60
    verify(service.service.database)
    acts = {row.act for row in entries(service.service.database)}
    assert acts >= {"init", "table-add", "table-set", "table-close", "token-revoke", "clock-confirm"}
    number = service.state("cards-1").next_round
    client = create_engine_app(service.service).test_client()
    opened = client.post(
        f"/v1/engine/tables/cards-1/rounds/{number}/open", json={}, headers={"Authorization": f"Bearer {token}"}
    )
    assert opened.status_code == 200, opened.get_json()


@pytest.mark.nightly("plays on for seconds")
@pytest.mark.parametrize("release", releases())
def test_a_folder_of_a_release_is_upgraded_and_played(
    release: str, server: PostgresServer | None, tmp_path: Path
) -> None:
    """With this program: `upgrade`, start, play, audit. The token that an engine has is still its token."""
    service = released(release, tmp_path, server)
    audited(service)
    done = foredraw(service.settings.folder, "upgrade")
    assert done.returncode == 0, done.stderr
    with started(service):
        play_on(service, (tmp_path / TOKEN).read_text("ascii"))


@pytest.mark.nightly("plays on for seconds")
@pytest.mark.parametrize("release", releases())
def test_a_folder_of_a_release_meets_a_newer_schema(
    release: str, server: PostgresServer | None, tmp_path: Path
) -> None:
    """The same with one revision more than there is."""
    service = released(release, tmp_path, server)
    with next_version(tmp_path / "revisions"):
        assert "Upgraded to revision" in foredraw(service.settings.folder, "upgrade").stdout
        with started(service):
            play_on(service, (tmp_path / TOKEN).read_text("ascii"))


def test_the_folders_are_of_all_revisions_that_were_released(tmp_path: Path) -> None:
    """The newest release's, too; and the files are small."""
    found = []
    for release in releases():
        service = released(release, tmp_path / release, None)
        with disposed(open_database(service.settings)) as database:
            found.append(schema_of(database).revision)
    assert found == list(REVISIONS)
    assert sum(path.stat().st_size for path in FOLDER.glob("*.tar.xz")) < MOST_BYTES * len(found)


def test_a_released_revision_never_changes() -> None:
    """Databases have it behind them: what it lacks comes with another one, and the folders of releases stay."""
    folder = Path(str(revisions.__file__)).parent / "versions"
    for (name, digest), file in zip(REVISIONS.items(), sorted(folder.glob("r*.py")), strict=False):
        assert f'revision = "{name}"' in file.read_text("utf-8")
        assert sha256(file.read_bytes()).hexdigest() == digest, (
            f"{file} was released: take the change back, and write it as a revision of its own"
        )
