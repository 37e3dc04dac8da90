"""Several things that are wrong at once: each is found, whichever was met first."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from api.programs.doctor import folder as doctors_folder
from api.settings import Server, Settings
from api.world.file_lock import FileLock, hold_folder
from tests.api.programs.doctor.asked import DRAW, notes, problems
from tests.api.programs.doctor.states import REVEAL, another_schema, change, emptied, mislead, no_database
from tests.support.damage import flip_bit, smash
from tests.support.in_process_service import InProcessService

TILE, BUNDLE = "tile/0/000", "tile/entries/000"
Spoil = Callable[[Settings], object]


def said(settings: Settings) -> str:
    """Everything that is to be done."""
    return "\n".join(each.says for each in problems(settings))


def without_tile(settings: Settings) -> None:
    (settings.log / TILE).unlink()
    flip_bit(settings.log / BUNDLE)


def cosigned(settings: Settings) -> None:
    """As witnesses leave it."""
    checkpoint = settings.log / "checkpoint"
    checkpoint.write_bytes(checkpoint.read_bytes() + "— lab.example/witness AAAAAAAA\n".encode())


def test_a_forgotten_policy_hides_nothing(running: InProcessService) -> None:
    """Neither a missing tile nor a flipped byte of a bundle whose tile is the missing one."""
    cosigned(running.settings)
    without_tile(running.settings)
    found = problems(running.settings)
    assert [each.about for each in found] == ["policy", "log"]
    assert "no policy is set: set FOREDRAW_POLICY" in found[0].says
    assert re.search(
        rf"not whole: {TILE}: no such file.*; {BUNDLE}: bundle: expected root .*the files back", found[1].says
    )


OTHERS: dict[str, tuple[Spoil, str]] = {
    "a damaged checkpoint": (lambda s: flip_bit(s.log / "checkpoint"), "checkpoint in the log's folder is not ours"),
    "no checkpoint": (lambda s: (s.log / "checkpoint").unlink(), "log's checkpoint is missing"),
    "no signing key": (lambda s: s.signing_key.unlink(), "log-signing.key is missing"),
    "no seeds' key": (lambda s: s.seeds_key.unlink(), "seed-encryption.key is missing"),
    "no public key": (lambda s: s.verifier_key.unlink(), "log.vkey is missing"),
    "no keys at all": (lambda s: shutil.rmtree(s.signing_key.parent), "log.vkey is missing, and so is"),
    "a damaged custodian": (lambda s: smash(s.secrets, "chains"), "seeds.db is damaged"),
    "no custodian": (lambda s: shutil.rmtree(s.secrets.parent), "seeds.db is missing"),
}
OF_FILES: dict[str, tuple[Spoil, str]] = {
    "a damaged database": (lambda s: smash(s.database, "rounds"), "foredraw.db is damaged"),
    "no database": (lambda s: no_database(s, s.folder), "holds no database"),
    "an empty database": (lambda s: emptied(s, s.folder), "foredraw.db is empty"),
    "another schema": (another_schema, "which this version of the service does not know"),
    "a journal that was changed": (
        lambda s: change(s, "UPDATE journal SET who = 'nobody' WHERE number = 2"),
        "journal was changed",
    ),
    "a halted table": (
        lambda s: change(s, "UPDATE tables SET halted = 'why' WHERE name = 'keno-1'"),
        "is halted",
    ),
}


@pytest.mark.parametrize(
    "name",
    [*OTHERS, *(pytest.param(name, marks=pytest.mark.one_database("changes the file")) for name in OF_FILES)],
)
def test_whatever_else_is_wrong_damaged_files_are_found(name: str, running: InProcessService) -> None:
    """With the other fault, of which no sentence is lost either."""
    spoil, words = (OTHERS | OF_FILES)[name]
    spoil(running.settings)
    without_tile(running.settings)
    found = said(running.settings)
    assert words in found
    assert TILE in found
    # Which bundle is damaged is known if there is a head to judge it by.
    if name not in {"a damaged checkpoint", "no checkpoint"}:
        assert BUNDLE in found


@pytest.mark.parametrize(
    "spoil", [lambda s: flip_bit(s.log / "checkpoint"), lambda s: (s.log / "checkpoint").unlink()]
)
def test_without_a_checkpoint_the_databases_head_judges(spoil: Spoil, running: InProcessService) -> None:
    """Its tiles lead there: a bundle with a flipped byte is found."""
    spoil(running.settings)
    flip_bit(running.settings.log / BUNDLE)
    assert BUNDLE in said(running.settings)


def test_a_missing_log_hides_neither_tables_nor_seeds(running: InProcessService) -> None:
    """Only what needs it is left out."""
    shutil.rmtree(running.settings.log)
    running.tamper("UPDATE tables SET halted = 'why' WHERE name = ?", DRAW)
    running.settings.seeds_key.write_text(f"{bytes(32).hex()}\n")
    found = said(running.settings)
    for words in ("log/ is missing", f"the table {DRAW} is halted", "seeds' key opens none"):
        assert words.lower() in found.lower()


def test_an_unreachable_database_hides_nothing_of_the_others(running: InProcessService) -> None:
    """Neither the log's damage nor the custodian's."""
    without_tile(running.settings)
    smash(running.settings.secrets, "chains")
    away = Server.parse("postgresql://foredraw@127.0.0.1:9/nowhere")
    found = said(replace(running.settings, server=away))
    for words in ("127.0.0.1:9/nowhere cannot be reached", TILE, BUNDLE, "seeds.db is damaged"):
        assert words in found


def test_a_policy_of_another_log_hides_nothing(running: InProcessService, tmp_path: Path) -> None:
    """It is said with both keys and what to do; and a forgotten policy is not complained of."""
    cosigned(running.settings)
    without_tile(running.settings)
    policy = tmp_path / "policy"
    policy.write_text(f"log {running.key}x\nquorum none\n")
    found = said(replace(running.settings, policy=policy))
    assert "is no policy" in found
    assert "no policy is set" not in found
    assert TILE in found


def test_damage_is_no_longer_hidden_by_a_finding_aid_or_the_reverse(running: InProcessService) -> None:
    """A custodian that lacks seeds does not keep the aids from being compared with the records."""
    running.settings.seeds_key.unlink()
    if running.settings.server is None:
        mislead(running.settings, REVEAL, 9)
        assert "misleading" in said(running.settings)


@pytest.mark.one_database("SQLite alone has this lock")
def test_a_database_that_is_held_hides_nothing_of_the_log(
    running: InProcessService, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is not opened, and the doctor does not hang."""
    monkeypatch.setattr(doctors_folder, "_PATIENCE", 0.0)
    without_tile(running.settings)
    with closing(FileLock(running.settings.write_lock)) as lock, lock.held():
        found = said(running.settings)
    assert "A program holds write.lock" in found
    assert "Nothing of foredraw.db was looked at" in found
    assert TILE in found
    assert BUNDLE in found


def test_a_custodian_that_is_held_hides_nothing_of_the_log(
    running: InProcessService, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its store is not opened, although a service runs whose health depends on it."""
    monkeypatch.setattr(doctors_folder, "_PATIENCE", 0.0)
    without_tile(running.settings)
    lock = FileLock(running.settings.secrets.with_name("write.lock"))
    with hold_folder(running.settings), closing(lock), lock.held():
        found = said(running.settings)
    assert "A program holds custodian/write.lock" in found
    assert TILE in found


def test_without_the_public_key_the_journals_is_taken(running: InProcessService) -> None:
    """It is noted which that is; without it, it is said that nothing could be compared."""
    key = running.key
    running.settings.verifier_key.unlink()
    assert f"key is {key}" in " ".join(each.says for each in notes(running.settings))
    running.tamper("UPDATE journal SET after = '{}' WHERE number = 1")
    assert "could not be compared, and were not looked at" in said(running.settings)
