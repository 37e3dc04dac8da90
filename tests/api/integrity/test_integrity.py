"""The signed manifest of the installed files: what it notices, what then stops, and what goes on."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from api.answers.rounds import Ended, LockedOutcome
from api.integrity.installed import Installation, differences, strange_places
from api.integrity.integrity import Integrity
from api.integrity.manifest import read_manifest, sign_manifest
from api.journal.chain import entries
from api.problems import Code, Problem
from api.programs.background import run as background
from api.rounds.admission import Admission, Openings
from api.rounds.calls import Rounds
from api.service import open_service
from api.settings import Elsewhere, Settings, SettingsError
from api.world.key_files import write_key
from fairness.limits import LARGEST_NOTE
from fairness.log.notes import SigningKey, open_note
from fairness.manifest import SERVICE, manifest_of, manifest_of_running, name_of
from standalone.archive import sources
from tests.house import HOUSE
from tests.support.calls import call_of
from tests.support.commands import foredraw
from tests.support.in_process_service import InProcessService
from tests.support.running_service import wait_until

KEY, OTHER = SigningKey("lab.example/foredraw", bytes(32)), SigningKey("else.example/foredraw", bytes(31) + b"\1")
MODULE = "lib/site-packages/api/rounds/calls.py"


@pytest.fixture
def installation(tmp_path: Path) -> Installation:
    """A small one, with what every virtual environment has."""
    made = Installation(
        folder := tmp_path / "venv", folder / "lib" / "site-packages", folder / "lib/site-packages/api"
    )
    for path in (
        *("pyvenv.cfg", "bin/foredraw", "bin/foredraw-verify", "bin/__pycache__/flask.cpython-311.pyc", MODULE),
        *("lib/site-packages/flask/app.py", "lib/site-packages/flask/__pycache__/app.cpython-311.pyc"),
        *("lib/site-packages/flask.dist-info/RECORD", "lib/site-packages/flask.dist-info/METADATA"),
    ):
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(f"# {path}\n")
    (folder / "bin" / "python3").symlink_to(sys.executable)
    return made


def change(installation: Installation) -> None:
    (installation.folder / MODULE).write_text("# better odds for the house\n")


def plant(installation: Installation) -> None:
    (installation.packages / "sitecustomize.py").touch()


def link(installation: Installation) -> None:
    (installation.folder.parent / "elsewhere").mkdir()
    (installation.packages / "msgspec").symlink_to(installation.folder.parent / "elsewhere")


DIFFERENCES: list[tuple[Callable[[Installation], object], str]] = [
    (change, f"{MODULE} was changed"),
    (plant, "lib/site-packages/sitecustomize.py is not in the manifest"),
    (link, "lib/site-packages/msgspec is not in the manifest"),
    (lambda made: (made.packages / "flask" / "app.py").unlink(), "lib/site-packages/flask/app.py is missing"),
    (lambda made: (made.folder / "bin" / "foredraw").write_text("#!/bin/sh"), "bin/foredraw was changed"),
    (lambda made: (made.folder / "bin" / "flask.py").touch(), "bin/flask.py is not in the manifest"),
    (lambda made: (made.folder / "bin" / "sh").symlink_to("/bin/sh"), "bin/sh is not in the manifest"),
    (
        lambda made: (made.folder / "pyvenv.cfg").write_text("include-system-site-packages = true"),
        "pyvenv.cfg was changed",
    ),
    (
        lambda made: (made.packages / "a\nb.pth").touch(),
        "'lib/site-packages/a\\nb.pth' is not in the manifest",
    ),
]


@pytest.mark.parametrize(("alter", "said"), DIFFERENCES, ids=[said for _, said in DIFFERENCES])
def test_a_difference_is_named(
    installation: Installation, alter: Callable[[Installation], object], said: str
) -> None:
    """A file that was changed, removed, planted or replaced by a link; a name that commands a terminal is escaped."""
    signed = installation.hashes()
    alter(installation)
    assert differences(signed, installation.hashes()) == [said]


def test_a_link_to_python_is_no_program_of_the_installation(installation: Installation) -> None:
    """It leads to the system's Python, which no manifest has; any other file beside the programs is listed."""
    assert {path for path in installation.hashes() if path.startswith("bin/")} == {
        "bin/foredraw",
        "bin/foredraw-verify",
    }


def test_what_pip_and_python_write_for_themselves_is_no_difference(installation: Installation) -> None:
    """Compiled files, and the list of what was installed where."""
    signed = installation.hashes()
    for path in ("flask/__pycache__/app.cpython-311.pyc", "flask.dist-info/RECORD"):
        (installation.packages / path).write_text("another")
    assert differences(signed, installation.hashes()) == []


def test_sha256sum_reads_a_manifest(installation: Installation) -> None:
    """So nobody needs a line of ours to compare the files; the lines of the signature are reported, and change
    nothing.
    """
    manifest = installation.folder.parent / "manifest"
    manifest.write_bytes(sign_manifest(installation.hashes(), KEY))
    command = ["sha256sum", "--check", "--quiet", str(manifest)]
    assert subprocess.run(command, cwd=installation.folder, capture_output=True, check=False).returncode == 0
    change(installation)
    done = subprocess.run(command, cwd=installation.folder, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (1, f"{MODULE}: FAILED\n")


def test_a_manifest_is_read_only_if_the_key_signed_it(installation: Installation) -> None:
    """Nor is one with a path twice, a line of another form, or none at all."""
    path, files = installation.folder.parent / "manifest", installation.hashes()
    path.write_bytes(sign_manifest(files, KEY))
    assert read_manifest(path, KEY.verifier_key).files == files
    with pytest.raises(SettingsError, match=r"is not one that else\.example/foredraw signed"):
        read_manifest(path, OTHER.verifier_key)
    for text in ("twice", f"{'0' * 64}  a\n{'0' * 64}  a", f"{'0' * 64} a"):
        path.write_bytes(KEY.sign(f"{text}\n"))
        with pytest.raises(SettingsError, match=r"a SHA-256, two spaces and a path"):
            read_manifest(path, KEY.verifier_key)
    path.unlink()
    with pytest.raises(SettingsError, match="cannot be read"):
        read_manifest(path, KEY.verifier_key)


def test_what_no_manifest_can_say_is_not_signed() -> None:
    """A path that is no printable ASCII, a file that cannot be read, more files than a note holds."""
    digest = "0" * 64
    for files in ({"a\nb": digest}, {"é": digest}, {"a": "cannot be read: Is a directory"}):
        with pytest.raises(SettingsError, match="no manifest can name it"):
            sign_manifest(files, KEY)
    most = {f"{number:0100}": digest for number in range(LARGEST_NOTE // 167)}
    with pytest.raises(SettingsError, match=r"install requirements/service\.txt alone"):
        sign_manifest(most, KEY)


def test_a_release_is_signed_and_compared_without_other_packages(
    tmp_path: Path, installation: Installation, signed: Settings
) -> None:
    """Its list becomes a note as it is; a file of ours that was changed, removed or added is named, no other."""
    listed, key = manifest_of({MODULE.partition("site-packages/")[2]: f"# {MODULE}\n".encode()}), tmp_path / "key"
    (tmp_path / "foredraw.manifest").write_text(listed, "ascii")
    write_key(key, KEY.secret_text())
    release = ("--release", str(tmp_path / "foredraw.manifest"))
    done = foredraw(tmp_path, "integrity", "sign", str(signed.manifest), "--key", str(key), *release)
    assert (done.returncode, done.stdout) == (0, f"Signed 1 files as {KEY.verifier_key}\n")
    assert signed.manifest is not None
    manifest = read_manifest(signed.manifest, KEY.verifier_key)
    assert manifest.is_of_a_release
    assert open_note(signed.manifest.read_bytes(), KEY.verifier_key) == listed
    (installation.packages / "flask" / "app.py").unlink()
    assert differences(manifest.files, installation.our_own()) == []
    change(installation)
    (installation.ours / "another.py").touch()
    assert differences(manifest.files, installation.our_own()) == [
        "api/another.py is not in the manifest",
        f"{MODULE.partition('site-packages/')[2]} was changed",
    ]


def test_what_a_release_lists_is_what_runs() -> None:
    """A checkout, too, has the files that its release lists, each with the hash that the manifest has."""
    found = Installation.present().our_own()
    listed = "".join(f"{digest}  {path}\n" for path, digest in sorted(found.items()))
    assert name_of(listed) == manifest_of_running(SERVICE)
    assert listed == manifest_of(sources(HOUSE, SERVICE))


def test_a_manifest_is_put_into_a_plain_file_only(tmp_path: Path) -> None:
    """A pipe is not replaced by a file, as ``/dev/null`` would be by root."""
    pipe, key = tmp_path / "pipe", tmp_path / "key"
    os.mkfifo(pipe)
    assert foredraw(tmp_path, "integrity", "key", str(key), "--name", "lab.example/foredraw").returncode == 0
    refused = foredraw(tmp_path, "integrity", "sign", str(pipe), "--key", str(key))
    assert (refused.returncode, refused.stderr) == (
        1,
        f"Error: {pipe} is no plain file: name a file for the manifest\n",
    )
    assert pipe.is_fifo()


def test_an_editable_installation_is_not_signed() -> None:
    """As the one that runs this test: its files are not where pip puts packages."""
    with pytest.raises(SettingsError, match="an editable installation"):
        Installation.present().hashes()


@pytest.fixture
def signed(installation: Installation, monkeypatch: pytest.MonkeyPatch) -> Settings:
    """Settings with a manifest of that installation, in a process that imports from nowhere else."""
    monkeypatch.setattr(sys, "path", [each for each in sys.path if each not in strange_places()])
    path = installation.folder.parent / "manifest"
    path.write_bytes(sign_manifest(installation.hashes(), KEY))
    return Settings(installation.folder.parent / "data", 12, manifest=path, manifest_key=KEY.verifier_key)


def watched(running: InProcessService, settings: Settings, installation: Installation) -> tuple[Integrity, Rounds]:
    """The parts of a service that look at that installation."""
    service = running.service
    integrity = Integrity(settings, service.database, service.timekeeper, installation)
    openings = Openings(service.publication, service.gate, integrity, service.timekeeper, service.settings.beacons)
    admission = Admission(service.seeds, service.commitments_files, openings)
    return integrity, Rounds(service.writer, service.seeds, admission)


def test_changed_software_opens_no_round_and_ends_those_that_run(
    tmp_path: Path, installation: Installation, signed: Settings
) -> None:
    """The journal has each change of what was found, once; when the signed version is back, rounds are opened
    again.
    """
    running = InProcessService.create(tmp_path / "data", tables=[("crash-1", "crash")])
    integrity, rounds = watched(running, signed, installation)
    assert integrity.look() == []
    rounds.open("crash-1", 1)
    change(installation)
    assert integrity.trouble() is None, "only a look finds it"
    assert integrity.look() == integrity.look() == [f"{MODULE} was changed"]
    assert isinstance(rounds.lock("crash-1", 1, None, call=call_of("crash-1", 1)).answer, LockedOutcome)
    assert isinstance(rounds.reveal("crash-1", 1), Ended)
    with pytest.raises(Problem) as refused:
        rounds.open("crash-1", 2)
    assert refused.value.code is Code.SOFTWARE_CHANGED
    assert f"not what lab.example/foredraw signed: {MODULE} was changed" in refused.value.detail
    assert running.service.health.failure("software") == integrity.trouble()
    assert dict(running.service.observer.overview().troubles())["software"] == {"why": integrity.trouble()}
    (installation.folder / MODULE).write_text(f"# {MODULE}\n")
    assert integrity.look() == []
    rounds.open("crash-1", 2)
    noted = [json.loads(row.after or "") for row in entries(running.service.database) if row.act == "software"]
    assert [entry["differences"] for entry in noted] == [0, 1, 0]
    assert noted[1]["first"] == [f"{MODULE} was changed"]
    running.stop()


@pytest.mark.parametrize("place", ["/somewhere/else", ""])
def test_a_process_that_imports_from_elsewhere_opens_no_round(
    place: str, tmp_path: Path, installation: Installation, signed: Settings
) -> None:
    """As with PYTHONPATH, or from the working directory, although all files are as signed; without a manifest it
    does.
    """
    running = InProcessService.create(tmp_path / "data", tables=[("crash-1", "crash")])
    integrity, rounds = watched(running, signed, installation)
    assert integrity.look() == []
    assert integrity.trouble() is None
    sys.path.insert(0, place)
    with pytest.raises(Problem) as refused:
        rounds.open("crash-1", 1)
    assert refused.value.code is Code.SOFTWARE_CHANGED
    assert f"this process imports from {place or 'the working directory'} (`sys.path`)" in refused.value.detail
    unset, unwatched = watched(running, running.settings, installation)
    assert unset.trouble() is None
    unwatched.open("crash-1", 1)
    running.stop()


def test_a_manifest_that_is_no_longer_good_stops_rounds_and_one_that_is_no_longer_wanted_does_not(
    tmp_path: Path, installation: Installation, signed: Settings
) -> None:
    """Nothing was compared then, and the sentence says why."""
    running = InProcessService.create(tmp_path / "data", tables=[("crash-1", "crash")])
    integrity, _ = watched(running, replace(signed, manifest_key=OTHER.verifier_key), installation)
    assert "is not one that else.example/foredraw signed" in "".join(integrity.look())
    assert integrity.trouble() is not None
    unset, rounds = watched(running, running.settings, installation)
    assert (unset.look(), unset.signer) == ([], None)
    assert unset.look() == []
    rounds.open("crash-1", 1)
    noted = [json.loads(row.after or "") for row in entries(running.service.database) if row.act == "software"]
    assert [(entry["differences"], entry["signer"] is None) for entry in noted] == [(1, False), (None, True)]
    running.stop()


def test_each_machine_has_entries_of_its_own(
    tmp_path: Path, installation: Installation, signed: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A standby writes into the same journal: that its files are sound does not look as if the other's were."""
    running = InProcessService.create(tmp_path / "data")
    integrity, _ = watched(running, signed, installation)
    for host, changed in (("one", False), ("two", False), ("one", True), ("two", True)):
        monkeypatch.setattr("api.integrity.integrity.gethostname", lambda host=host: host)
        if host == "one" and changed:
            change(installation)
        elif changed:
            (installation.folder / MODULE).write_text(f"# {MODULE}\n")
        integrity.look()
    noted = [row for row in entries(running.service.database) if row.act == "software"]
    assert [(row.subject, json.loads(row.after or "")["differences"]) for row in noted] == [
        ("software of one", 0),
        ("software of two", 0),
        ("software of one", 1),
    ]
    assert json.loads(noted[-1].before or "")["differences"] == 0
    running.stop()


def test_a_folder_that_cannot_be_read_is_a_difference(
    tmp_path: Path, installation: Installation, signed: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nobody knows what is in it."""
    running = InProcessService.create(tmp_path / "data")
    integrity, _ = watched(running, signed, installation)
    listed = Path.iterdir

    def refused(folder: Path) -> Iterator[Path]:
        # As root runs these tests, too, no mode of a folder refuses.
        if folder.name == "api":
            raise PermissionError(13, "Permission denied", str(folder))
        return listed(folder)

    monkeypatch.setattr(Path, "iterdir", refused)
    assert "cannot all be read: [Errno 13] Permission denied" in "".join(integrity.look())
    assert integrity.trouble() is not None
    running.stop()


def test_a_sign_that_cannot_be_read_is_one(tmp_path: Path, installation: Installation, signed: Settings) -> None:
    """A torn file does not open rounds."""
    running = InProcessService.create(tmp_path / "data")
    integrity, _ = watched(running, signed, installation)
    signed.software_trouble.write_bytes(b"{")
    assert integrity.trouble() is not None
    running.stop()


@pytest.mark.parametrize("elsewhere", [None, Elsewhere("https://casino.example/log", KEY.verifier_key)])
def test_a_machine_without_a_background_program_looks_again_and_again(
    elsewhere: Elsewhere | None,
    tmp_path: Path,
    installation: Installation,
    signed: Settings,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """For as long as its listeners run; the journal has it, unless the machine only reads the database."""
    made = InProcessService.create(tmp_path / "data")
    made.stop()
    monkeypatch.setattr(background, "INTEGRITY_SECONDS", 0.01)
    monkeypatch.setattr(Installation, "present", lambda: installation)
    signed = replace(signed, server=made.settings.server)
    settings = replace(signed, elsewhere=elsewhere)
    sign = settings.software_trouble
    with background.beside_listeners(settings):
        change(installation)
        wait_until(sign.exists, "the change to be found")
        (installation.folder / MODULE).write_text(f"# {MODULE}\n")
        wait_until(lambda: not sign.exists(), "the signed version to be found")
    with closing(open_service(signed)) as service:
        noted = [row for row in entries(service.database) if row.act == "software"]
    assert bool(noted) is (elsewhere is None)
