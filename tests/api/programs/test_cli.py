"""``foredraw``, the operator's program: its help and its errors."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import closing, suppress
from datetime import UTC, datetime, timedelta
from importlib.metadata import version
from pathlib import Path

import click
import pytest
from click.testing import CliRunner, Result

from api.custody.custodian import SeedsUnavailableError
from api.log.keys import load_signing_key, load_verifier_key
from api.programs import setup
from api.programs.background import run as background
from api.programs.cli import main
from api.programs.commands.command import path_from_here
from api.settings import KNOWN, PUBLIC_RELAYS, Settings, SettingsError
from api.world.clock import RELEASED, Clock
from api.world.file_lock import FileLock
from fairness.beacon.chain import QUICKNET
from fairness.log.notes import VerifierKey
from fairness.manifest import SERVICE, manifest_of_running
from fairness.policy.policy import Policy
from fairness.policy.quorum import Group
from fairness.version import VERSION
from tests.house import HOUSE
from tests.support.documents import OPERATOR
from tests.support.interrupted import START, interrupted_after, interrupted_at
from tests.support.running_service import FOREDRAW, ORIGIN, free_port, initialised
from verifier.witness.key_file import make_key

pytestmark = pytest.mark.one_database("what the program says of its folder; test_cli_service is about a service")
COMMANDS = {
    *(
        "init",
        "succeed",
        "serve",
        "play",
        "rebuild",
        "key show",
        "policy",
        "par",
        "round void",
        "round confirm",
        "beacon",
        "journal",
        "doctor",
    ),
    *("sequence", "upgrade", "backup", "restore", "integrity check", "integrity key", "integrity sign"),
    *("halt", "resume", "table set", "table pause", "table resume", "token rotate", "key rotate"),
    *(
        "clock show",
        "clock confirm",
        "table add",
        "table list",
        "table close",
        "token create",
        "token list",
        "token revoke",
    ),
}


def run(*arguments: str, **environment: str) -> Result:
    """Run the program in this process."""
    return CliRunner(env={"FOREDRAW_DATA": None, "FOREDRAW_BATCH_SIZE": None, **environment}).invoke(main, arguments)


def refused(result: Result, *words: str, usage: bool = False) -> None:
    """Check that the program printed one line with these words, nothing else, and ended with the given status."""
    assert isinstance(result.exception, SystemExit), result.exc_info
    assert result.exit_code == (2 if usage else 1), result.output
    assert result.stdout == ""
    lines = result.stderr.splitlines()
    assert lines[-1].startswith("Error: ")
    assert usage or len(lines) == 1, result.stderr
    assert all(re.search(word, result.stderr) for word in words), result.stderr
    assert "Traceback" not in result.stderr


def commands(group: click.Command, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], click.Command]]:
    """Every command, with its words on the command line."""
    yield path, group
    if isinstance(group, click.Group):
        context = click.Context(group)
        for name in group.list_commands(context):
            command = group.get_command(context, name)
            assert command is not None
            yield from commands(command, (*path, name))


ALL_COMMANDS = list(commands(main))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """An initialised service with one table, not running."""
    return initialised(tmp_path / "data", {"keno-1": "keno-express"}).folder


def test_the_commands_are_these() -> None:
    """The operator's program has the commands that the documents name, and no others."""
    leaves = {" ".join(path) for path, command in ALL_COMMANDS if not isinstance(command, click.Group)}
    assert leaves == COMMANDS


@pytest.mark.parametrize(("path", "command"), ALL_COMMANDS, ids=[" ".join(path) for path, _ in ALL_COMMANDS])
def test_every_command_explains_itself(path: Sequence[str], command: click.Command) -> None:
    """-h and --help say what the command does and describe each option; they need no folder."""
    result = run(*path, "--help")
    assert result.exit_code == 0, result.output
    assert result.output == run(*path, "-h").output
    assert command.help
    assert " ".join(command.help.split())[:40] in " ".join(result.output.split())
    for parameter in command.params:
        if isinstance(parameter, click.Option):
            assert parameter.opts[-1] in result.output
    assert max(map(len, result.output.splitlines())) <= 100


def test_the_version_is_reported() -> None:
    """--version names the program and its version, the same as the verifier's and the installed package's."""
    result = run("--version")
    assert (result.exit_code, result.output) == (0, f"foredraw {VERSION}, manifest {manifest_of_running(SERVICE)}\n")
    assert version("foredraw") == VERSION


NEEDING_A_SERVICE = [
    *(["serve"], ["table", "list"], ["table", "add", "a", "crash"], ["table", "close", "a"], ["token", "list"]),
    *(
        ["round", "void", "a", "1", "--reason", "x"],
        ["token", "create", "a", "--all-tables"],
        ["token", "revoke", "a"],
    ),
    ["key", "show"],
    ["policy"],
]


@pytest.mark.parametrize("arguments", NEEDING_A_SERVICE, ids=" ".join)
def test_a_folder_without_a_service_is_named(arguments: list[str], tmp_path: Path) -> None:
    """Every command names the empty folder and what to run; none makes files there."""
    empty = tmp_path / "empty"
    empty.mkdir()
    for wrong in (tmp_path / "missing", empty):
        refused(run("--data", str(wrong), *arguments), re.escape(str(wrong)), "foredraw init")
        refused(run(*arguments, FOREDRAW_DATA=str(wrong)), re.escape(str(wrong)), "foredraw init")
    assert list(empty.iterdir()) == []
    assert not (tmp_path / "missing").exists()


@pytest.mark.parametrize("arguments", [*NEEDING_A_SERVICE, ["init"], ["rebuild"]], ids=" ".join)
def test_a_file_is_no_folder(arguments: list[str], tmp_path: Path) -> None:
    """If a file is in the folder's place: one line, and the file stays."""
    file = tmp_path / "file"
    file.write_text("precious")
    refused(run("--data", str(file), *arguments), re.escape(str(file)))
    assert file.read_text() == "precious"


def test_init_makes_what_the_documents_say(tmp_path: Path) -> None:
    """Keys that only their owner can read, a database, an empty log; the public key is printed."""
    folder = tmp_path / "deep" / "data"
    result = run("--data", str(folder), "init", "--origin", ORIGIN)
    assert result.exit_code == 0
    key = VerifierKey.parse(result.stdout.splitlines()[-1])
    assert key.name == ORIGIN
    assert run("--data", str(folder), "key", "show").stdout == f"{key}\n"
    settings = Settings(folder)
    assert settings.verifier_key.read_text() == f"{key}\n"
    for path in (settings.signing_key, settings.seeds_key):
        assert path.stat().st_mode & 0o777 == 0o600
        assert path.parent.stat().st_mode & 0o777 == 0o700
    assert settings.secrets.stat().st_mode & 0o777 == 0o600
    assert settings.secrets.parent.stat().st_mode & 0o777 == 0o700
    assert list(settings.log.iterdir()) == []
    assert run("--data", str(folder), "table", "list").stdout == ""


@pytest.mark.nightly("a service of its own")
def test_no_other_account_may_write_whatever_the_mask(tmp_path: Path) -> None:
    """`init`, a service that plays, a back-up, a restore and an audit that remembers, all under a mask of 000."""
    service = initialised(tmp_path / "data", {"keno-1": "keno-express"})
    mask = os.umask(0)
    try:
        subprocess.run([FOREDRAW, "--data", tmp_path / "first", "init"], check=True)
        try:
            service.start()
            service.settle()
            service.play("keno-1", 1)
            assert service.foredraw("backup", str(tmp_path / "copy"), "--with-keys").returncode == 0
            assert service.stop() == 0
        finally:
            service.clean_up()
        (tmp_path / "old").mkdir(mode=0o700)
        service.folder.rename(tmp_path / "old" / "data")
        assert service.foredraw("restore", str(tmp_path / "copy"), "--the-log-has-not-grown").returncode == 0
        (tmp_path / "audit").mkdir(mode=0o700)
        audit = ["audit", str(service.settings.log), "--key", str(service.key)]
        state = tmp_path / "audit" / "state"
        subprocess.run([sys.executable, "-m", "verifier", *audit, "--state", str(state)], check=True, cwd=HOUSE)
    finally:
        os.umask(mask)
    made = [
        path
        for folder in ("first", "data", "old", "copy", "audit")
        for path in (tmp_path / folder, *(tmp_path / folder).rglob("*"))
    ]
    assert len(made) > 60
    assert [path for path in made if path.lstat().st_mode & 0o022] == []


@pytest.mark.nightly("starts the program")
@pytest.mark.parametrize("command", [["key", "show"], ["policy"]], ids=" ".join)
def test_what_needs_the_public_key_alone_needs_no_writable_folder(command: list[str], folder: Path) -> None:
    """Not even root's right to write everywhere; and it leaves nothing there."""
    shown = run("--data", str(folder), *command).stdout
    read_only = folder.with_name("read-only")
    shutil.copytree(folder, read_only)
    paths = [read_only, *read_only.rglob("*")]
    for path in paths:
        path.chmod(path.stat().st_mode & ~0o222)
    # Who has all capabilities passes over modes.
    without = ["setpriv", "--bounding-set=-all", "--inh-caps=-all"] if os.geteuid() == 0 else []
    program = [*without, str(FOREDRAW), "--data", str(read_only), *command]
    done = subprocess.run(program, capture_output=True, text=True, check=False, timeout=60)
    assert (done.returncode, done.stdout, done.stderr) == (0, shown, "")
    assert [read_only, *read_only.rglob("*")] == paths
    for path in paths:
        path.chmod(path.stat().st_mode | 0o200)


def test_the_operators_policy_is_the_key_and_the_beacon_of_the_settings(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A verifier reads it: this log's key, where the log is, and no witness."""
    key = VerifierKey.parse(run("--data", str(folder), "key", "show").stdout.rstrip("\n"))
    plain = run("--data", str(folder), "policy").stdout
    assert Policy.parse(plain.encode()) == Policy(key)
    monkeypatch.setenv("FOREDRAW_BEACON", str(QUICKNET))
    assert run("--data", str(folder), "policy").stdout == f"{plain}beacon {QUICKNET}\n"
    monkeypatch.delenv("FOREDRAW_BEACON")
    there = run("--data", str(folder), "policy", "--url", f"https://{ORIGIN}").stdout
    assert Policy.parse(there.encode()) == Policy(key, url=f"https://{ORIGIN}")
    refused(run("--data", str(folder), "policy", "--url", "https://two words"), "begins with http", usage=True)


def test_a_policy_is_made_of_witnesses_lines(folder: Path, tmp_path: Path) -> None:
    """All of them, or as many as suffice; what makes no policy is refused, and FOREDRAW_POLICY need not exist yet."""
    keys = [make_key(f"{name}.example/witness").key for name in ("lab", "press")]
    lines, file = [f"witness {key.name} {key} http://{key.name}" for key in keys], tmp_path / "witnesses"
    file.write_text("\n".join(lines) + "\n", "ascii")
    made = ["--data", str(folder), "policy", "--url", f"https://{ORIGIN}", "--witnesses", str(file)]
    both = Policy.parse(run(*made, FOREDRAW_POLICY=str(tmp_path / "none")).stdout.encode())
    assert [witness.key for witness in both.witnesses] == keys
    assert (both.url, both.quorum) == (f"https://{ORIGIN}", Group("witnesses", 2, both.witnesses))
    one = Policy.parse(run(*made, "--quorum", "1").stdout.encode())
    assert one.quorum == Group("witnesses", 1, both.witnesses)
    refused(run(*made, "--quorum", "3"), "these witnesses make no policy")
    file.write_text("nonsense\n", "ascii")
    refused(run(*made), "these witnesses make no policy")
    refused(run("--data", str(folder), "policy", "--quorum", "1"), "--witnesses FILE, which is missing", usage=True)


@pytest.mark.parametrize(
    "name", ["FOREDRAW_DATA", "FOREDRAW_DATABASE", "FOREDRAW_TOKEN", "FOREDRAW_PUBLISH", "--data"]
)
@pytest.mark.parametrize("control", ["\r", "\n", "\t", "\x7f"])
def test_a_control_character_in_a_setting_is_shown(name: str, control: str, tmp_path: Path) -> None:
    """It is invisible in every other message; the value may be a password, and is not shown."""
    value = f"{tmp_path}/a-secret{control}"
    given = {} if name == "--data" else {name: value}
    where = [] if name == "FOREDRAW_DATA" else ["--data", value if name == "--data" else str(tmp_path / "data")]
    done = run(*where, "init", **given)
    words = f"{name}: character {len(value)} of {len(value)} is {control!r}, and no setting has control characters"
    refused(done, re.escape(words))
    assert "a-secret" not in done.stderr
    assert list(tmp_path.iterdir()) == []


def test_a_setting_that_is_none_is_named(folder: Path) -> None:
    """With the one that was meant, if there is one like it; the command goes on."""
    given = {"FOREDRAW_DATABSE": "postgresql://somewhere/else", "FOREDRAW_COLOUR": "red"}
    done = run("--data", str(folder), "table", "list", **given)
    assert (done.exit_code, done.stderr) == (
        0,
        "foredraw: FOREDRAW_COLOUR is no setting\nforedraw: FOREDRAW_DATABSE is no setting: FOREDRAW_DATABASE is one\n",
    )


def test_all_settings_are_known() -> None:
    """Those that the programs read, and those that the documents name."""
    files = [*(HOUSE / "api").rglob("*.py"), *(file for file in (HOUSE / "deploy").rglob("*") if file.is_file())]
    texts = [OPERATOR, *(file.read_text("utf-8") for file in files)]
    named = {name for text in texts for name in re.findall(r"\bFOREDRAW_[A-Z_]*[A-Z]\b", text)}
    assert named == KNOWN


@pytest.mark.parametrize("command", ["init", "serve", "sequence"])
def test_a_clock_that_was_never_set_is_refused(
    command: str, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A date before this version was made, but for a day: nothing is made or started, and the word is clock."""
    where = tmp_path / "new" if command == "init" else folder
    monkeypatch.setattr(Clock, "moment", lambda _: datetime(1970, 1, 1, 0, 0, 9, tzinfo=UTC))
    refused(
        run("--data", str(where), command), "the clock of this machine shows 1970-01-01T00:00:09.000Z", "timedatectl"
    )
    assert not (tmp_path / "new").exists()
    monkeypatch.setattr(Clock, "moment", lambda _: RELEASED - timedelta(hours=23))
    assert run("--data", str(tmp_path / "new"), "init").exit_code == 0


def test_a_second_demo_changes_nothing_of_the_first(tmp_path: Path) -> None:
    """It is refused at once, before it writes its own addresses into the policy that the first one plays under."""
    folder = tmp_path / "data"
    assert run("--data", str(folder), "init").exit_code == 0
    settings = Settings(folder)
    settings.demo.mkdir()
    settings.demo_policy.write_text("the first one's", "ascii")
    before = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    with closing(FileLock(settings.background_lock)) as lock:
        assert lock.try_to_hold()
        refused(run("--data", str(folder), "serve", "--demo", "--port", str(free_port())), "another service runs on")
    assert {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()} == before


def test_init_is_done_once(folder: Path) -> None:
    """A second init changes nothing, even if only a part of the first is left."""
    settings = Settings(folder)
    before = {path: path.read_bytes() for path in (settings.signing_key, settings.seeds_key, settings.database)}
    refused(run("--data", str(folder), "init"), "exists already")
    settings.database.unlink()
    refused(run("--data", str(folder), "init"), "exists already")
    assert all(path.read_bytes() == data for path, data in before.items() if path != settings.database)
    assert not settings.database.exists()


@pytest.mark.parametrize("mounted", ["log", "keys"])
def test_a_file_system_of_its_own_is_an_empty_folder(mounted: str, tmp_path: Path) -> None:
    """A new one has a folder for what repairs find; a file of anybody is another thing."""
    folder = tmp_path / "data"
    (folder / mounted / "lost+found").mkdir(parents=True)
    if mounted == "log":
        (folder / "log" / "a-file").touch()
        refused(run("--data", str(folder), "init"), "log exists already")
        (folder / "log" / "a-file").unlink()
    assert run("--data", str(folder), "init").exit_code == 0
    assert "Healthy" in run("--data", str(folder), "doctor").stdout


def test_an_init_that_is_interrupted_leaves_nothing_in_its_way(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ctrl-C when the keys are there, and the database is not: the same command works afterwards."""

    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    folder = tmp_path / "data"
    with monkeypatch.context() as patched:
        patched.setattr(setup, "new_database", interrupted)
        assert run("--data", str(folder), "init").exit_code == 1
    assert list((folder / "keys").iterdir()) == []
    assert run("--data", str(folder), "init").exit_code == 0


def test_of_two_inits_at_once_one_keeps_its_keys(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The other has found the folder empty, too: it is refused, and the key that was printed is the log's."""
    settings, printed = Settings(tmp_path / "data"), list[VerifierKey | None]()

    def another(_: Settings) -> None:
        if not printed:
            printed.append(None)
            printed[0] = setup.initialise(settings, ORIGIN)

    monkeypatch.setattr(setup, "check_unused", another)
    refused(run("--data", str(settings.folder), "init"), "exists already", "interrupted")
    assert load_signing_key(settings).verifier_key == printed[0]


@pytest.mark.parametrize(
    "origin",
    [
        *("", "two words", "a+b", "caf\N{LATIN SMALL LETTER E WITH ACUTE}", "line\nfeed", "feed\n"),
        *("https://casino.example/log", "casino.example/log/"),
    ],
)
def test_an_origin_that_is_none_is_refused_before_anything_is_made(origin: str, tmp_path: Path) -> None:
    """The log's name must be valid in a checkpoint, and is an address without scheme; afterwards a valid one can
    still be given.
    """
    folder = tmp_path / "data"
    refused(run("--data", str(folder), "init", "--origin", origin), "name", "--origin", "like casino.example/log")
    assert run("--data", str(folder), "init").exit_code == 0


def test_no_service_is_made_whose_log_proves_nothing(tmp_path: Path) -> None:
    """A name that ends in /sandbox is for trying things out, and no verdict on such a log is ever held."""
    folder = tmp_path / "data"
    refused(run("--data", str(folder), "init", "--origin", "casino.example/sandbox"), "--origin", "proves nothing")
    assert not folder.exists()


@pytest.mark.parametrize("arguments", [["rebuild"], ["key", "rotate"], ["upgrade"]], ids=" ".join)
def test_a_folder_that_is_missing_is_not_made(arguments: list[str], tmp_path: Path) -> None:
    """A mistyped name leaves nothing that looks like a data folder."""
    refused(run("--data", str(tmp_path / "dta"), *arguments), "dta", "--data")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("arguments", [["rebuild"], ["serve"], ["init"]], ids=" ".join)
def test_root_leaves_no_files_in_another_accounts_folder(arguments: list[str], folder: Path) -> None:
    """The service could not use them: the error names both accounts, and everything is as it was."""
    if arguments == ["init"]:
        folder = folder.with_name("new")
        folder.mkdir()
    os.chown(folder, 65534, 65534)
    before = sorted(folder.rglob("*"))
    refused(run("--data", str(folder), *arguments), f"{folder} belongs to the account nobody, and you are root")
    assert [path for path in sorted(folder.rglob("*")) if path not in before and path.stat().st_uid == 0] == []


def test_another_account_is_told_whose_the_folder_is(folder: Path) -> None:
    """Not that the key is damaged, nor that it should delete it; and the doctor does not say that nothing runs."""
    os.chown(folder, 65533, 65533)
    Settings(folder).background_lock.touch(mode=0o600)
    for part in folder.parents:
        part.chmod(part.stat().st_mode | 0o011)
    Settings(folder).verifier_key.parent.chmod(0o700)
    os.seteuid(65534)
    try:
        listed, doctor = run("--data", str(folder), "table", "list"), run("--data", str(folder), "doctor")
    finally:
        os.seteuid(0)
    refused(listed, r"log\.vkey: Permission denied", "belongs to the account 65533, and you are nobody")
    assert re.search(
        r"^Service  unknown\n\nProblem \(account\): .* 65533, and you are nobody", doctor.stdout, re.MULTILINE
    )


def test_a_rebuild_that_is_refused_leaves_nothing(folder: Path) -> None:
    """Neither the database that it began, which may be large, nor its finding aids."""
    refused(run("--data", str(folder), "rebuild"), "checkpoint")
    assert [path.name for path in folder.iterdir() if path.name.startswith("rebuilding")] == []


def ended(arguments: list[str]) -> int:
    """Run the program on the present standard streams; returns its status."""
    with pytest.raises(SystemExit) as stopped:
        main(arguments, prog_name="foredraw")
    assert isinstance(stopped.value.code, int)
    return stopped.value.code


@pytest.mark.parametrize("arguments", [["--help"], ["table", "--help"]], ids=" ".join)
def test_output_that_cannot_be_written_is_an_error_in_one_line(
    arguments: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A full disk behind standard output, for instance."""
    with suppress(OSError), Path("/dev/full").open("w", encoding="utf-8") as full:
        monkeypatch.setattr(sys, "stdout", full)
        assert ended(arguments) == 1
    assert re.fullmatch(r"Error: .*No space left on device\n", capsys.readouterr().err)


def test_a_reader_who_has_seen_enough_hears_no_error(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """As in `foredraw token list | head -1`."""
    reading, writing = os.pipe()
    os.close(reading)
    with suppress(BrokenPipeError), os.fdopen(writing, "w", encoding="utf-8") as pipe:
        monkeypatch.setattr(sys, "stdout", pipe)
        assert ended(["--data", str(folder), "token", "list"]) == 1
    assert capsys.readouterr().err == ""


def test_a_token_that_nobody_could_see_is_not_made(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """With standard output closed, nothing is done."""
    before = dump(folder)
    monkeypatch.setattr(sys, "stdout", None)
    assert ended(["--data", str(folder), "token", "create", "a", "--all-tables"]) == 1
    assert "standard output or standard error is closed" in capsys.readouterr().err
    assert dump(folder) == before


@pytest.mark.parametrize(
    "module", [START, "runpy", "api.programs.cli", "click", "sqlalchemy", "api.programs.commands.token"]
)
def test_an_interrupt_while_it_starts_ends_it_quietly(module: str, tmp_path: Path) -> None:
    """Python's own start included, which with the imports is most of a short command: no traceback of what is being
    imported.
    """
    assert interrupted_at(module, [FOREDRAW, "token", "list"], tmp_path) == (-signal.SIGINT, "", "")


def test_a_short_command_imports_what_it_uses(folder: Path) -> None:
    """The log's key is shown without a database, a web server and a service."""
    program = "\n".join(
        (
            "import atexit, sys",
            "atexit.register(lambda: print(*sorted(sys.modules.keys() & {'sqlalchemy', 'flask', 'gunicorn', 'api.service'})))",
            f"sys.argv = ['foredraw', '--data', {str(folder)!r}, 'key', 'show']",
            "from api.programs.cli import main",
            "main()",
        )
    )
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert ran.stdout.splitlines() == [str(load_verifier_key(Settings(folder))), ""]


def test_a_command_that_is_interrupted_cleans_up(tmp_path: Path) -> None:
    """It says so; and what imports the program keeps its own way with interrupts."""
    ended = interrupted_at("alembic", [FOREDRAW, "--data", tmp_path / "data", "init"], tmp_path)
    assert ended == (1, "", "\nAborted!\n")
    assert list((tmp_path / "data" / "keys").iterdir()) == []
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


@pytest.mark.nightly("starts the program some hundred times")
def test_an_interrupt_at_any_moment_of_its_start_shows_no_traceback() -> None:
    """Each ten milliseconds, until it has said what it was asked for: nothing, or one word."""
    status, milliseconds = 1, 0
    while status != 0:
        status, _, errors = interrupted_after(milliseconds / 1000, [FOREDRAW, "--version"])
        assert (status, errors) in {(-signal.SIGINT, ""), (1, "\nAborted!\n"), (0, "")}
        milliseconds += 10


def test_paths_are_printed_whole_from_the_root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Elsewhere as short as the present folder allows."""
    monkeypatch.chdir(tmp_path)
    assert path_from_here(tmp_path / "data/policy") == "data/policy"
    assert path_from_here(Path("/etc/policy")) == "/etc/policy"
    monkeypatch.chdir("/")
    assert path_from_here(Path("/opt/foredraw/policy")) == "/opt/foredraw/policy"


def not_started(folder: Path, path: Path, *words: str) -> str:
    """Check that the background program, which opens both keys, does not start; returns its message."""
    with pytest.raises(SettingsError, match=".*".join([re.escape(str(path)), *words])) as told:
        background.run(Settings(folder))
    return str(told.value)


def test_keys_that_others_can_read_are_refused(folder: Path) -> None:
    """Both keys by name, with the remedy; nothing of their content is shown."""
    for path in (Settings(folder).signing_key, Settings(folder).seeds_key):
        for mode in (0o640, 0o604, 0o666):
            path.chmod(mode)
            assert path.read_text().strip()[-20:] not in not_started(folder, path, "chmod 600")
        path.chmod(0o600)


@pytest.mark.parametrize(
    "content", [b"", b"\n", b"short", b"\xff\xfe\x00", b"0" * 65, b"PRIVATE+KEY+a+00000000+AAAA", b"zz" * 32]
)
def test_keys_that_are_none_are_refused(folder: Path, content: bytes) -> None:
    """The error names a damaged key and the backup; the file's content is not shown."""
    for path in (Settings(folder).signing_key, Settings(folder).seeds_key):
        good = path.read_bytes()
        path.write_bytes(content)
        told = not_started(folder, path)
        assert not content.strip() or content.decode("latin-1").strip() not in told
        path.unlink()
        not_started(folder, path, "backup")
        path.write_bytes(good)
        path.chmod(0o600)


def test_a_damaged_database_is_named(folder: Path) -> None:
    """For a file that is no database: one line with its name."""
    damage(folder / "foredraw.db")
    refused(run("--data", str(folder), "table", "list"), re.escape(str(folder)), "not a database")


def test_a_damaged_store_of_the_custodian_is_named(folder: Path) -> None:
    """The background program does not start; commands that need no seed still work."""
    damage(folder / "custodian" / "seeds.db")
    with pytest.raises(SeedsUnavailableError, match=r"custodian/seeds\.db.*not a database"):
        background.run(Settings(folder))
    assert run("--data", str(folder), "table", "list").exit_code == 0


def damage(database: Path) -> None:
    """Replace a database by something else."""
    for ending in ("-wal", "-shm"):
        database.with_name(f"{database.name}{ending}").unlink(missing_ok=True)
    database.write_bytes(b"this is no database, whatever it is called" * 100)


WRONG: list[tuple[list[str], str, bool]] = [
    (["table", "close", "nowhere"], "no table 'nowhere'", False),
    (["table", "add", "Keno", "keno-express"], "a-z, 0-9 and -", False),
    (["table", "add", "x" * 33, "keno-express"], "1 to 32", False),
    (["table", "add", "keno-1", "keno-express"], "already", False),
    (["table", "add", "a", "roulett"], "there is no game 'roulett' in the catalogue.*Did you mean .*roulette", False),
    (
        ["table", "add", "a", "xyzzy"],
        "there is no game 'xyzzy' in the catalogue.* The catalogue has .*, keno,",
        False,
    ),
    (["table", "add", "a", "keno-express", "--lead", "1"], "table-lead.*expected 2 to 1000", False),
    (["table", "add", "a", "keno-express", "--lead", "1001"], "table-lead.*expected 2 to 1000", False),
    (["table", "add", "a", "keno-express", "--lead", "-1"], "lead", False),
    (["table", "add", "a", "keno-express", "--lead", "x"], "--lead", True),
    (["table", "add", "a", "keno-express", "--timeout", "0"], "time-out is 1 to 86400", False),
    (["table", "add", "a", "keno-express", "--timeout", "86401"], "time-out is 1 to 86400", False),
    (["table", "add", "a", "crash", "--rules", "{"], "expected a JSON object", True),
    (["table", "add", "a", "crash", "--rules", "[]"], "expected a JSON object", True),
    (["table", "add", "a", "crash", "--rules", '{"rtp":97.5}'], "expected a JSON object", True),
    (["table", "add", "a", "crash", "--rules", '{"rtp":true}'], "expected a JSON object", True),
    (["table", "add", "a", "crash", "--rules", "{}"], "rules of crash", False),
    (["table", "add", "a", "crash", "--rules", '{"version":1}'], "rules of crash", False),
    (["table", "add", "a", "crash", "--rules", '{"cap":100,"rtp":9700,"version":1}'], "rules of crash", False),
    (["table", "add", "a", "crash", "--rules", '{"cap":1000,"rtp":10001,"version":1}'], "rules of crash", False),
    (["table", "add", "a", "keno-express", "--rules", '{"version":2}'], "rules of keno-express", False),
    (["table", "add", "a"], "GAME", True),
    (["token", "create", "a"], "--all-tables", True),
    (["token", "create", "a", "--table", "keno-1", "--all-tables"], "--all-tables", True),
    (["token", "create", "a", "--table", "nowhere"], "no table nowhere", True),
    (["token", "create", "all", "--all-tables"], "already", False),
    (["token", "create", "a", "--all-tables", "--role", "king"], "--role", True),
    (["token", "revoke", "nobody"], "no token 'nobody'", False),
    (["round", "void", "nowhere", "1", "--reason", "x"], "no table 'nowhere'", False),
    (["round", "void", "keno-1", "1", "--reason", "x"], "committed up to round 0", False),
    (["round", "void", "keno-1", "0", "--reason", "x"], "TABLE|NUMBER|0", True),
    (["round", "void", "keno-1", "1", "--reason", " "], "expected some words", False),
    (["round", "void", "keno-1", "1"], "--reason", True),
    (["rebuild"], "checkpoint", False),
    (["serve", "--port", "0"], "--port", True),
    (["serve", "--host", ""], "--host.*expected an address", True),
    (["serve", "--engine-host", " "], "--engine-host.*expected an address", True),
    (["beacon", "--host", ""], "--host.*expected an address", True),
    (["serve", "--connections", "1"], "--connections", True),
    (["no-such-command"], "no-such-command", True),
    (["play"], "--token", True),
]


@pytest.mark.parametrize(
    ("arguments", "words", "usage"), WRONG, ids=lambda part: " ".join(part) if isinstance(part, list) else ""
)
def test_what_is_wrong_is_said_in_one_line(folder: Path, arguments: list[str], words: str, usage: bool) -> None:
    """Unknown names, values out of range, bad JSON: what was expected, exit status 1 (2 for wrong usage), no
    effect.
    """
    before = dump(folder)
    refused(run("--data", str(folder), *arguments), words, usage=usage)
    assert dump(folder) == before


def dump(folder: Path) -> list[str]:
    """Everything in the database."""
    with closing(sqlite3.connect(folder / "foredraw.db")) as connection:
        return list(connection.iterdump())


@pytest.mark.parametrize(
    "size", ["0", "65537", "-1", "+1", "1.0", "x", "\N{ARABIC-INDIC DIGIT ONE}", " 5", "9" * 5000]
)
def test_a_batch_size_out_of_range_is_refused(folder: Path, size: str) -> None:
    """FOREDRAW_BATCH_SIZE is a whole number from 1 to 65536, in ASCII digits."""
    refused(run("--data", str(folder), "table", "list", FOREDRAW_BATCH_SIZE=size), "FOREDRAW_BATCH_SIZE")


def test_tables_are_added_with_rules_and_lead(folder: Path) -> None:
    """The given rules and lead are queued, and listed."""
    rules = {"cap": 50_000, "rtp": 9900, "version": 1}
    add = ["table", "add", "crash-9", "crash", "--lead", "12", "--timeout", "60", "--rules", json.dumps(rules)]
    assert run("--data", str(folder), *add).exit_code == 0
    listed = run("--data", str(folder), "table", "list").stdout.splitlines()
    assert [line.split()[:4] for line in listed] == [
        ["crash-9", "crash", "lead", "12"],
        ["keno-1", "keno-express", "lead", "2"],
    ]
    with closing(sqlite3.connect(folder / "foredraw.db")) as connection:
        ((stored, timeout),) = connection.execute("SELECT rules, timeout FROM tables WHERE name = 'crash-9'")
    assert (json.loads(stored), timeout) == (rules, 60)


def test_the_list_shows_which_tables_do_not_go_on(folder: Path) -> None:
    """Those that are paused, closing, or halted, each in a word; runbooks begin with it."""
    for name in ("paused-1", "halted-1", "damaged-1"):
        assert run("--data", str(folder), "table", "add", name, "keno").exit_code == 0
    run("--data", str(folder), "table", "pause", "paused-1")
    run("--data", str(folder), "table", "close", "keno-1", "--wait", "0")
    with closing(sqlite3.connect(folder / "foredraw.db")) as connection, connection:
        connection.execute("UPDATE tables SET halted = 'for a test' WHERE name = 'halted-1'")
        connection.execute("UPDATE tables SET queued_state = x'00' WHERE name = 'damaged-1'")
    listed = run("--data", str(folder), "table", "list").stdout.splitlines()
    assert {line.split()[0]: line.partition("next round ")[2] for line in listed} == {
        "damaged-1": "1, halted: see `foredraw doctor`",
        "halted-1": "1, halted: see `foredraw doctor`",
        "keno-1": "1, closing",
        "paused-1": "1, paused",
    }


def test_tokens_are_shown_once_and_listed_without_their_secret(folder: Path) -> None:
    """`create` prints the token; `list` shows name, role, tables and whether it is revoked."""
    text = run("--data", str(folder), "token", "create", "engine-1", "--table", "keno-1").stdout.strip()
    assert re.fullmatch(r"fde_[0-9A-Za-z]{49}", text)
    listed = run("--data", str(folder), "token", "list").stdout
    assert re.search(r"^engine-1 +engine +created \S+  keno-1$", listed, re.MULTILINE)
    assert re.search(r"^all +engine +created \S+  all tables$", listed, re.MULTILINE)
    assert run("--data", str(folder), "token", "revoke", "engine-1").exit_code == 0
    assert re.search(
        r"^engine-1 +engine +revoked \S+  keno-1$", run("--data", str(folder), "token", "list").stdout, re.MULTILINE
    )
    assert text not in listed
    refused(run("--data", str(folder), "token", "revoke", "engine-1"), "not revoked")
    refused(run("--data", str(folder), "token", "create", "engine-1", "--table", "keno-1"), "already")


QUICKNETS = str(QUICKNET)


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        *(
            ("FOREDRAW_RELAYS", url, "expected addresses like")
            for url in (",", "api.drand.sh", "ftp://a", "https://")
        ),
        *(
            ("FOREDRAW_RELAYS", url, "expected addresses like")
            for url in ("https://u:p@a", "http://a?b", "http://a, b")
        ),
        *(
            ("FOREDRAW_BEACON", words, "the six words")
            for words in ("quicknet", f"beacon {QUICKNETS}", f"{QUICKNETS} ")
        ),
        ("FOREDRAW_BEACON", QUICKNETS.replace(" 3 ", " 4 "), "beacon's hash: expected"),
        ("FOREDRAW_BEACON", "٣", "the six words"),
        *(("FOREDRAW_FIRST_PULSE", seconds, "expected 1 to 3597 seconds") for seconds in ("0", "3598", "012", "+1")),
        *(("FOREDRAW_LATER_PULSE", seconds, "expected 1 to 3597 seconds") for seconds in ("-1", "1.5", "٣", "1 ")),
    ],
)
def test_relays_and_the_beacon_are_settings(folder: Path, name: str, value: str, said: str) -> None:
    """What is no address, or no beacon with its own hash, is refused before anything is asked."""
    wrong = run("--data", str(folder), "table", "list", **{name: value})
    refused(wrong, name)
    assert said in wrong.output


def test_settings_of_the_beacon_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    """Several relays, in this order; by default the public ones, and no beacon but quicknet."""
    for name in ("FOREDRAW_RELAYS", "FOREDRAW_BEACON"):
        monkeypatch.delenv(name, raising=False)
    assert (Settings.from_environment().relays, Settings.from_environment().beacon) == (PUBLIC_RELAYS, None)
    monkeypatch.setenv("FOREDRAW_RELAYS", "http://127.0.0.1:8010, https://relay.example/drand")
    monkeypatch.setenv("FOREDRAW_BEACON", QUICKNETS)
    assert (Settings.from_environment().first_pulse, Settings.from_environment().later_pulse) == (120, 600)
    monkeypatch.setenv("FOREDRAW_FIRST_PULSE", "1")
    monkeypatch.setenv("FOREDRAW_LATER_PULSE", "3597")
    found = Settings.from_environment()
    assert (found.first_pulse, found.later_pulse) == (1, 3597)
    assert found.relays == ("http://127.0.0.1:8010", "https://relay.example/drand")
    assert found.beacon == QUICKNET
