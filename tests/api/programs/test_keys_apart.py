"""Only the background program opens the log's signing key, and only the custodian the key of the seeds."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from textwrap import dedent

import pytest

from api.log.keys import load_signing_key, load_verifier_key
from api.programs.background import run as background
from api.settings import Settings, SettingsError
from api.world.supervision import BACKGROUND, ENGINES_API
from tests.support.running_service import RunningService, initialised, wait_until

TABLE, SPARE = "keno-1", "spare"
OPENERS = {
    ("log-signing.key", BACKGROUND),
    ("seed-encryption.key", BACKGROUND),
    ("seed-encryption.key", ENGINES_API),
    ("seed-encryption.key", "round void"),
    ("log-signing.key", "doctor"),
    ("seed-encryption.key", "doctor"),
}
"""Which program opens which key; all other keys are unreadable for it. The doctor reads only the name of the signing
key.
"""
HOOK = """
    import sys
    from os.path import basename

    openers = {openers!r}

    def watch(event, arguments):
        if event != "open" or basename(str(arguments[0])) not in {{"log-signing.key", "seed-encryption.key"}}:
            return
        key, command = basename(str(arguments[0])), " ".join([open("/proc/self/comm").read().strip(), *sys.orig_argv])
        with open({report!r}, "a") as file:
            file.write(f"{{key}}|{{command}}\\n")
        if not any(key == name and program in command for name, program in openers):
            raise PermissionError(13, "no key of this program's", key)

    sys.addaudithook(watch)
"""


@pytest.fixture
def report(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A file to which every Python program started from now on writes which key it opens; each can open only its
    own.
    """
    folder, report = tmp_path / "hook", tmp_path / "report"
    folder.mkdir()
    (folder / "sitecustomize.py").write_text(dedent(HOOK.format(openers=OPENERS, report=str(report))))
    monkeypatch.setenv("PYTHONPATH", str(folder))
    return report


@pytest.fixture
def service(tmp_path: Path, report: Path) -> Iterator[RunningService]:
    """A service whose demo dealer plays one table; all of its programs are watched."""
    assert not report.exists()
    made = initialised(tmp_path / "data", {TABLE: "keno-express"}, options=("--demo", "--pace", "0.1"))
    try:
        made.start()
        yield made
    finally:
        made.clean_up()


def opened(report: Path) -> set[tuple[str, str]]:
    """Which key was opened by which program."""
    programs = [program for _, program in OPENERS]
    found = set()
    for line in report.read_text().splitlines():
        key, _, command = line.partition("|")
        found.add((key, next((program for program in programs if program in command), command)))
    return found


def next_round(service: RunningService) -> int:
    """The number of the spare table's next round, if none is open or locked; else 0."""
    number = service.get(f"/v1/tables/{SPARE}").document["next_round"]
    states = [service.get(f"/v1/tables/{SPARE}/rounds/{at}").document["status"] for at in (number - 1, number) if at]
    return number if states in (["committed"], ["played", "committed"]) else 0


@pytest.mark.nightly("starts five programs with folders of their own")
def test_each_program_works_without_the_keys_of_the_others(service: RunningService, report: Path) -> None:
    """A complete service: both listeners, background program, dealer, the operator's commands, a rebuild."""
    wait_until(lambda: service.get(f"/v1/tables/{TABLE}/rounds/2").document["status"] == "played", "two rounds")
    round_page = f"/tables/{TABLE}/rounds/1"
    for path in (
        "/",
        f"/tables/{TABLE}",
        round_page,
        "/health/ready",
        f"/v1{round_page}/proof",
        "/verify",
    ):
        assert service.get(path).status == 200, path
    sheet = str(service.folder / "par.csv")
    for command in (
        ["table", "list"],
        ["table", "add", SPARE, "keno-express"],
        ["token", "create", "another", "--all-tables"],
        ["token", "list"],
        ["token", "revoke", "another"],
        ["key", "show"],
        ["clock", "show"],
        ["par", TABLE, "-o", sheet],
        ["doctor"],
    ):
        ran = service.foredraw(*command)
        assert ran.returncode == 0, ran.stderr
    committed = "committed_through"
    wait_until(lambda: service.get(f"/v1/tables/{SPARE}").document[committed] > 2, "the spare table to be committed")
    # The dealer plays this table, too, until it is paused.
    assert service.foredraw("table", "pause", SPARE).returncode == 0
    wait_until(lambda: next_round(service) > 0, "a round that nobody has opened")
    voided = service.foredraw("round", "void", SPARE, str(next_round(service)), "--reason", "a trial")
    assert voided.returncode == 0, voided.stderr
    assert service.foredraw("table", "close", SPARE).returncode == 0
    wait_until(lambda: service.get(f"/v1/tables/{SPARE}").document["closed"], "the spare table to be closed")
    assert service.stop() == 0, service.output
    rebuilt = service.foredraw("rebuild")
    assert rebuilt.returncode == 0, rebuilt.stderr
    assert opened(report) == OPENERS


def test_a_missing_public_key_is_written_by_hand(tmp_path: Path) -> None:
    """It is no secret: every program refuses without it, and the key that `init` has printed is all of the file."""
    made = initialised(tmp_path / "data", {TABLE: "keno-express"})
    was, key = made.settings.verifier_key.read_bytes(), load_verifier_key(made.settings)
    made.settings.verifier_key.unlink()
    for refused in (lambda: load_verifier_key(made.settings), lambda: load_signing_key(made.settings)):
        with pytest.raises(SettingsError, match=r"log\.vkey is missing: put it back .* or write the log's key"):
            refused()
    made.settings.verifier_key.write_text(f"{key}\n")
    assert made.settings.verifier_key.read_bytes() == was
    assert load_signing_key(made.settings).verifier_key == key


@pytest.mark.parametrize("content", [b"", b"\n", b"\xff", b"fore.example/log+00000000+AAAA\n"])
def test_a_damaged_public_key_is_named(tmp_path: Path, content: bytes) -> None:
    """It is no secret and can be written again, which is the advice."""
    settings = initialised(tmp_path / "data", {}).settings
    settings.verifier_key.write_bytes(content)
    with pytest.raises(SettingsError, match=r"log\.vkey holds no public key.*write the log's key"):
        load_verifier_key(settings)


def test_a_public_key_of_another_log_is_refused(tmp_path: Path) -> None:
    """Nothing is signed with a key that the service's own readers would not accept."""
    mine, other = (initialised(tmp_path / name, {}).settings for name in ("mine", "other"))
    mine.verifier_key.write_bytes(other.verifier_key.read_bytes())
    with pytest.raises(SettingsError, match=r"log-signing\.key is the key .* of another log: keys/log\.vkey is"):
        background.run(Settings(mine.folder))
