"""``foredraw key rotate``: all seeds under another key, whatever interrupts it."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing

import pytest
from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from api.custody import keys
from api.custody.custodian import SeedsUnavailableError
from api.custody.rotation import NONCE_SIZE
from api.custody.seed_store import SeedStore
from api.custody.source import START_UP, EntropyFailsError, Source
from api.journal.chain import entries, verify
from api.restore import rekey
from api.restore.rekey import rotate_seeds_key
from api.rounds.seeds import chain_of
from api.service import open_service
from api.settings import SettingsError
from api.world.clock import entropy
from api.world.file_lock import hold_folder
from tests.support.commands import foredraw
from tests.support.in_process_service import InProcessService

pytestmark = pytest.mark.both_databases("every seed's row is sealed again")

CRASH, KENO = "crash-1", "keno-1"


class Interrupted(Exception):
    """The power failed here."""


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> InProcessService:
    """A service with two tables, some rounds that are over, a locked one and an open one; stopped."""
    made = InProcessService.create(
        tmp_path_factory.mktemp("base") / "data", tables=[(CRASH, "crash"), (KENO, "keno-express")]
    )
    for _ in range(15):
        made.play(CRASH)
        made.settle()
    made.open(CRASH, 16)
    made.lock(CRASH, 16)
    made.open(KENO, 1)
    made.stop()
    return made


@pytest.fixture
def running(running: InProcessService) -> InProcessService:
    """A copy of it that runs."""
    running.start()
    return running


def key_of(running: InProcessService) -> bytes:
    """The key in its file."""
    return bytes.fromhex(running.settings.seeds_key.read_text().strip())


def names(running: InProcessService) -> set[str]:
    """The files of keys."""
    return {path.name for path in running.settings.seeds_key.parent.iterdir()}


def opening(running: InProcessService, key: bytes) -> int:
    """How many of the pending batches a key opens."""
    found = 0
    with closing(SeedStore(running.settings.secrets)) as store:
        for state in running.states().values():
            for batch in state.batches:
                chain = chain_of(state, batch)
                nonce, sealed = store.chain(chain.anchor) or pytest.fail("the batch has no seeds")
                try:
                    AESGCM(key).decrypt(nonce, sealed, bytes(chain))
                except InvalidTag:
                    continue
                found += 1
    return found


def play_on(running: InProcessService) -> None:
    """Finish what was begun, and play on; the log holds, and every outcome is the one that the engine was told."""
    running.start()
    running.lock(CRASH, 16)
    running.reveal(CRASH, 16)
    running.lock(KENO, 1)
    running.reveal(KENO, 1)
    running.play(KENO, 3)
    for _ in range(15):
        running.play(CRASH)
        running.settle()
    running.check()


def test_every_seed_is_sealed_under_another_key_and_play_goes_on(running: InProcessService) -> None:
    """The old key opens nothing any more and is gone; the next start needs only the new one; the journal has it."""
    old, pending = key_of(running), opening(running, key_of(running))
    running.stop()
    ran = foredraw(running.settings.folder, "key", "rotate", "--reason", "the yearly change")
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout.startswith("6 batches are sealed under a new key: back up seed-encryption.key")
    assert names(running) == {"log-signing.key", "log.vkey", "seed-encryption.key"}
    assert running.settings.seeds_key.stat().st_mode & 0o777 == 0o600
    running.start_without_sequencer()
    assert (opening(running, old), opening(running, key_of(running))) == (0, pending)
    assert pending > 2
    last = list(entries(running.service.database))[-1]
    assert (last.act, last.reason) == ("key-rotate", "the yearly change")
    verify(running.service.database)
    running.stop()
    play_on(running)


def test_files_of_commitments_of_old_batches_can_still_be_made(running: InProcessService) -> None:
    """Batches that are over are sealed again, too: a lost file of theirs is made from the seeds."""
    running.stop()
    rotate_seeds_key(running.settings, by="account ani")
    files = sorted((running.settings.log / "commitments").glob("*/*"))
    before = {file.name: file.read_bytes() for file in files}
    for file in files:
        file.unlink()
    running.start()
    assert {
        file.name: file.read_bytes() for file in sorted((running.settings.log / "commitments").glob("*/*"))
    } == before
    running.stop()
    play_on(running)


def test_a_source_of_nonces_that_is_stuck_seals_nothing(
    running: InProcessService, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One nonce for all seeds, under one key, would give them away: none is sealed, and a sound source finishes."""
    old, pending = key_of(running), opening(running, key_of(running))
    running.stop()
    block = entropy(NONCE_SIZE)

    def stuck(size: int) -> bytes:
        return entropy(size) if size == START_UP else block

    with monkeypatch.context() as patched:
        patched.setattr(rekey, "Source", lambda: Source(stuck))
        with pytest.raises(EntropyFailsError, match="the same draw came twice"):
            rotate_seeds_key(running.settings, by="account ani")
    assert opening(running, old) == pending
    rotate_seeds_key(running.settings, by="account ani")
    play_on(running)


PLACES: dict[str, tuple[object, str]] = {
    "the new key": (rekey, "begin_rotation"),
    "sealing": (SeedStore, "reseal"),
    "reading back": (SeedStore, "chains"),
    "the new key in place": (rekey, "finish_rotation"),
    "the log": (rekey, "note"),
}


@pytest.mark.lattice
@pytest.mark.parametrize("place", PLACES.values(), ids=PLACES)
@pytest.mark.parametrize("when", ["before", "after"])
def test_a_crash_at_any_step_loses_no_seed(
    when: str, place: tuple[object, str], running: InProcessService, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Either nothing has changed, or a start says what to do, and the same command finishes: then every seed is
    there.
    """
    owner, name = place
    original: Callable[..., object] = getattr(owner, name)

    def interrupted(*arguments: object, **named: object) -> object:
        if when == "after":
            original(*arguments, **named)
        raise Interrupted

    running.stop()
    with monkeypatch.context() as patched:
        patched.setattr(owner, name, interrupted)
        with pytest.raises(Interrupted):
            rotate_seeds_key(running.settings, by="account ani")
    if "seed-encryption.next" in names(running):
        with (
            closing(open_service(running.settings)) as service,
            pytest.raises(SettingsError, match="run `foredraw key rotate` again, and delete neither"),
        ):
            # What the background program and the engines' processes do first.
            service.custodian.open()
        reported = foredraw(running.settings.folder, "doctor")
        assert reported.returncode == 1
        assert "run `foredraw key rotate` again" in " ".join(reported.stdout.split())
        assert rotate_seeds_key(running.settings, by="account ani").kept is None
    assert names(running) == {"log-signing.key", "log.vkey", "seed-encryption.key"}
    play_on(running)


def test_a_crash_inside_the_transaction_changes_no_seed(
    running: InProcessService, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Half of them sealed under another key would be the worst of all."""
    old, pending = key_of(running), opening(running, key_of(running))
    running.stop()
    taken: list[bytes] = []

    def interrupted(size: int) -> bytes:
        if len(taken) == 3:
            raise Interrupted
        taken.append(entropy(size))
        return taken[-1]

    with monkeypatch.context() as patched:
        patched.setattr(rekey, "Source", lambda: Source(interrupted))
        with pytest.raises(Interrupted):
            rotate_seeds_key(running.settings, by="account ani")
    assert [len(each) for each in taken] == [START_UP, NONCE_SIZE, NONCE_SIZE]
    with closing(SeedStore(running.settings.secrets)) as store:
        assert not {row.nonce for row in store.chains()} & set(taken)
    assert key_of(running) == old
    rotate_seeds_key(running.settings, by="account ani")
    running.start_without_sequencer()
    assert opening(running, key_of(running)) == pending
    running.stop()
    play_on(running)


def test_seeds_that_no_batch_points_at_keep_their_key(running: InProcessService) -> None:
    """They may be of a newer log than this one: the old key is kept under a name of its own, each time."""
    old = running.settings.seeds_key.read_text()
    running.service.custodian.commit(CRASH, running.state(CRASH).table_id, first=1000, count=5)
    running.stop()
    made = rotate_seeds_key(running.settings, by="account ani")
    assert made.sealed.unknown == 1
    assert made.kept is not None
    assert (made.kept.name, made.kept.read_text()) == ("seed-encryption.old-1", old)
    assert made.kept.stat().st_mode & 0o777 == 0o600
    ran = foredraw(running.settings.folder, "key", "rotate")
    assert "kept as seed-encryption.old-2" in " ".join(ran.stdout.split())
    play_on(running)


def test_with_a_wrong_key_nothing_is_changed(running: InProcessService) -> None:
    """Of seeds that open with neither key, none is touched; with the right key back, the same command works."""
    right = running.settings.seeds_key.read_text()
    running.stop()
    running.settings.seeds_key.write_text("00" * keys.SEEDS_KEY_SIZE + "\n")
    with pytest.raises(SeedsUnavailableError, match="open with neither key, so no seed was changed"):
        rotate_seeds_key(running.settings, by="account ani")
    running.settings.seeds_key.write_text(right)
    rotate_seeds_key(running.settings, by="account ani")
    play_on(running)


@pytest.mark.nightly("a service of its own")
def test_a_running_service_keeps_its_key(running: InProcessService) -> None:
    """The folder is held by whoever runs on it."""
    before = names(running), key_of(running)
    running.stop()
    with hold_folder(running.settings):
        ran = foredraw(running.settings.folder, "key", "rotate")
    assert ran.returncode == 1
    assert "stop it first" in ran.stderr
    assert (names(running), key_of(running)) == before


def test_a_damaged_log_changes_no_key(running: InProcessService) -> None:
    """Which seeds there are is read from the log, which must prove itself."""
    running.stop()
    bundle = next(path for path in (running.settings.log / "tile" / "entries").rglob("*") if path.is_file())
    saved = bundle.read_bytes()
    bundle.write_bytes(saved[:-1])
    before = names(running), key_of(running)
    with pytest.raises(SettingsError):
        rotate_seeds_key(running.settings, by="account ani")
    assert (names(running), key_of(running)) == before
