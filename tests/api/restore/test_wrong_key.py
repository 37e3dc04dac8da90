"""A seeds' key that does not open the custodian's store is named at a start, by a back-up with keys, and by a
restore.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from api.custody.custodian import SeedsUnavailableError
from api.custody.seed_store import SeedStore
from api.programs.background import run as background
from api.restore import backup as backups
from api.restore.backup import back_up
from api.restore.rekey import rotate_seeds_key
from api.rounds.seeds import chain_of, check_key
from api.service import open_service
from api.settings import Settings, SettingsError
from api.world.clock import Clock, entropy
from fairness.log.notes import VerifierKey
from tests.support.commands import foredraw
from tests.support.damage import contents
from tests.support.in_process_service import InProcessService

pytestmark = pytest.mark.both_databases("the rows say whose they are")

CRASH, KENO = "crash-1", "keno-1"
REFUSAL = "the seeds' key opens none of the .* batches of rounds to come.*Put keys/seed-encryption.key back as it was"


@pytest.fixture
def running(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[InProcessService]:
    """A service with two tables and committed rounds to come."""
    made = InProcessService.create(tmp_path / "data", tables=[(CRASH, "crash"), (KENO, "keno-express")])
    made.play(CRASH, 3)
    made.settle()
    monkeypatch.setattr(Clock, "moment", lambda _: made.clock.date)
    yield made
    made.stop()


def exchange_key(settings: Settings) -> str:
    """Another key takes the place of the seeds' key, whose text is returned."""
    old = settings.seeds_key.read_text()
    settings.seeds_key.write_text(f"{entropy(32).hex()}\n")
    return old


def test_a_start_refuses_another_key(running: InProcessService) -> None:
    """Before anything is signed or opened; it accepts a service without rounds to come, and the key itself."""
    running.stop()
    old = exchange_key(running.settings)
    with pytest.raises(SeedsUnavailableError, match=REFUSAL):
        background.run(running.settings)
    running.settings.seeds_key.write_text(old)
    with closing(open_service(running.settings)) as service:
        check_key(service.custodian, service.database)
    running.start()
    running.play(KENO, 2)
    running.check()


def test_seeds_that_are_missing_or_do_not_decrypt_concern_their_own_table(running: InProcessService) -> None:
    """While the key opens others, it is the right one."""
    first, *_ = running.state(CRASH).batches
    chain = chain_of(running.state(CRASH), first)
    with closing(SeedStore(running.settings.secrets)) as store:
        store.reseal(lambda anchor, nonce, sealed: (nonce, sealed[::-1]) if anchor == chain.anchor else None)
    with closing(open_service(running.settings)) as service:
        check_key(service.custodian, service.database)
        with pytest.raises(SeedsUnavailableError, match="do not decrypt"):
            service.custodian.check_holds(chain)
    running.stop()
    running.settings.secrets.unlink()
    with closing(open_service(running.settings)) as service:
        check_key(service.custodian, service.database)


def test_a_back_up_with_another_key_is_none(running: InProcessService, tmp_path: Path) -> None:
    """Without keys, it does not open any."""
    exchange_key(running.settings)
    done = foredraw(running.settings.folder, "backup", str(tmp_path / "copy"), "--with-keys")
    assert done.returncode == 1
    assert "no back-up was made, because the copy could not be started: the seeds' key opens none" in done.stderr
    assert {path.name for path in tmp_path.iterdir()} == {"data"}
    assert foredraw(running.settings.folder, "backup", str(tmp_path / "copy")).returncode == 0


def test_a_key_that_is_changed_while_it_is_copied_is_noticed(
    running: InProcessService, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The copy of the store is from before, and the copy of the key from after."""
    running.stop()
    copy_keys = backups._copy_keys

    def rotate_and_copy(settings: Settings, copy: Settings, *, with_keys: bool) -> None:
        rotate_seeds_key(settings, by="account ani")
        copy_keys(settings, copy, with_keys=with_keys)

    monkeypatch.setattr(backups, "_copy_keys", rotate_and_copy)
    with pytest.raises(SettingsError, match="the seeds' key opens none"):
        back_up(running.settings, tmp_path / "copy", with_keys=True)
    assert {path.name for path in tmp_path.iterdir()} == {"data"}


def test_a_custodian_from_before_a_change_of_the_key_opens_only_with_the_old_one(
    running: InProcessService, tmp_path: Path
) -> None:
    """The restore says so and puts nothing back; with the key of that time it succeeds, and play goes on."""
    running.stop()
    old = running.settings.seeds_key.read_text()
    back_up(running.settings, tmp_path / "copy", with_keys=False)
    rotate_seeds_key(running.settings, by="account ani")
    running.start()
    running.play(CRASH)
    running.settle()
    running.stop()
    shutil.rmtree(running.settings.secrets.parent)
    before = contents(running.settings.folder)
    done = foredraw(running.settings.folder, "restore", str(tmp_path / "copy"))
    assert done.returncode == 1
    assert "the seeds' key opens none" in done.stderr
    assert contents(running.settings.folder) == before
    running.settings.seeds_key.write_text(old)
    done = foredraw(running.settings.folder, "restore", str(tmp_path / "copy"))
    assert done.returncode == 0, done.stderr
    running.start()
    running.play(CRASH)
    running.play(KENO)
    running.check()


def test_two_back_ups_to_one_folder_do_not_disturb_each_other(
    running: InProcessService, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The one that is ready first has the name; the other one says so, and leaves nothing."""
    startable, copies = backups.check_startable, list[int]()

    def begin_another(settings: Settings, key: VerifierKey) -> None:
        if not copies:
            copies.append(0)
            copies[0] = back_up(running.settings, tmp_path / "copy", with_keys=False).size
        startable(settings, key)

    monkeypatch.setattr(backups, "check_startable", begin_another)
    with pytest.raises(SettingsError, match="copy exists already: name a new folder"):
        back_up(running.settings, tmp_path / "copy", with_keys=False)
    assert copies == [running.size]
    assert {path.name for path in tmp_path.iterdir()} == {"data", "copy"}
    assert (tmp_path / "copy").stat().st_mode & 0o777 == 0o700
