"""``foredraw-verify.pyz``: one file, the same from every build, that needs only Python."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import signal
import stat
import subprocess
import sys
from pathlib import Path
from zipfile import ZipFile

import pytest
import urllib3
from msgspec import to_builtins

from fairness.manifest import VECTORS, manifest_of, name_of
from fairness.player.bets import digest, receipts
from fairness.player.round_code import RoundCode
from standalone import start
from standalone.archive import HOUSE
from standalone.build import CARRIED
from tests.lies import history
from tests.support import salted_log
from tests.support.dishonest_operator import KEY, Operator
from tests.support.interrupted import interrupted_at
from tests.support.our_witness import asking
from tests.support.salted_log import SaltedLog
from tests.support.ssh_agents import ssh_agent
from tests.support.witnesses import LAB
from verifier.audit.state_file import load_state
from verifier.cli import parser
from verifier.commands.command import FAILED, HELD, MISTYPED, UNKNOWN, UNREADABLE, USAGE

VKEY = str(KEY.verifier_key)
LINES = [b"3f1c red", b"9ab0 black", b"77d2 red"]
LARGEST = 5_000_000
NOWHERE = {f"{name}_proxy": "http://127.0.0.1:9" for name in ("http", "https", "all")}


def build(target: Path, **environment: str) -> Path:
    """Run the build alone, of all that `make release` does."""
    command = [sys.executable, "-m", "standalone.build", str(target)]
    subprocess.run(
        command, cwd=HOUSE, env={**os.environ, **environment}, check=True, capture_output=True, timeout=300
    )
    return target


@pytest.fixture(scope="module")
def pyz(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The file, alone in a folder."""
    return build(tmp_path_factory.mktemp("handed-over") / "foredraw-verify.pyz")


@pytest.fixture(scope="module")
def copied(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path | str]:
    """A log's folder, a round's code, a receipt, and declarations of games."""
    folder, operator = tmp_path_factory.mktemp("evidence"), history()
    operator.table("bets", "keno-express")
    operator.batch("bets", 9)
    operator.lock("bets", bets=to_builtins(digest(LINES)))
    operator.reveal("bets")
    table = operator.tables["sic-bo-1"]
    (folder / "1.bet").write_bytes(
        bytes(receipts(LINES, table_id=operator.tables["bets"].table_id, round_number=1)[1])
    )
    (folder / "lines").write_bytes(b"\n".join(LINES))
    (folder / "game").write_text('{"draw":[["*","deal","punto-banco"]],"shoe":[8,"french"]}\n')
    (folder / "new-game").write_text('{"draw":[["p","laser"]]}')
    (folder / "no-game").write_text('{"draw":[}')
    salted = SaltedLog()
    for path, data in salted.files().items():
        (folder / "salted" / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / "salted" / path).write_bytes(data)
    (folder / "policy").write_text(f"log {VKEY}\nwitness lab {LAB.key}\nquorum lab\n", encoding="ascii")
    return {
        "POLICY": folder / "policy",
        "SALTED": folder / "salted",
        "SALTED-CODE": salted.code("crash-s", 6),
        "LOG": operator.write(folder / "log"),
        "CODE": str(RoundCode.of(table.game, table.table_id, 3, table.seeds_of(3))),
        "RECEIPT": folder / "1.bet",
        "LINES": folder / "lines",
        "GAME": folder / "game",
        "NEW-GAME": folder / "new-game",
        "NO-GAME": folder / "no-game",
    }


def network_cut_off() -> list[str]:
    """The prefix that runs a command without any network, if this machine allows it."""
    unshare = ["unshare", "--net", "--map-root-user"]
    works = (
        shutil.which("unshare")
        and subprocess.run([*unshare, "true"], capture_output=True, check=False).returncode == 0
    )
    return unshare if works else []


CUT_OFF = network_cut_off()


def bare(pyz: Path, *arguments: object, python: str = sys.executable) -> subprocess.CompletedProcess[str]:
    """Run the file with nothing but Python: no packages, no settings, an empty home, no network."""
    home = pyz.parent / "home"
    home.mkdir(exist_ok=True)
    done = subprocess.run(
        [*CUT_OFF, python, "-I", "-S", pyz.name, *map(str, arguments)],
        cwd=pyz.parent,
        env={"HOME": str(home), "PATH": os.defpath, "LC_ALL": "C.UTF-8", **NOWHERE},
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert list(home.iterdir()) == []
    assert sorted(file.name for file in pyz.parent.iterdir()) == [pyz.name, "home"]
    return done


def installed(*arguments: object) -> subprocess.CompletedProcess[str]:
    """Run the verifier of this environment, with compiled packages."""
    command = [sys.executable, "-m", "verifier", *map(str, arguments)]
    environment = {**os.environ, "LC_ALL": "C.UTF-8"}
    return subprocess.run(
        command, cwd=HOUSE, env=environment, capture_output=True, text=True, check=False, timeout=120
    )


@pytest.mark.nightly("all vectors, by plain Python")
def test_what_stands_in_for_packages_passes_all_vectors(pyz: Path) -> None:
    """The file's own parsers, on each valid and invalid value of every format, like anybody else's verifier."""
    begin = f"import sys; sys.path.insert(0, {str(pyz)!r}); from verifier.conformance.subject import main; main()"
    program = shlex.join([sys.executable, "-I", "-S", "-c", begin])
    asked = bare(pyz, "conform", program, "--vectors", HOUSE / VECTORS)
    assert (asked.returncode, asked.stderr) == (HELD, ""), asked.stdout
    assert asked.stdout.splitlines()[-1].startswith("Held: All ")


def test_it_carries_no_vectors(pyz: Path) -> None:
    """So it is small; who tests a program with it names their folder."""
    asked = bare(pyz, "conform", "true")
    assert (asked.returncode, asked.stdout) == (USAGE, "")
    assert "no vectors: this program has none of its own; --vectors names their folder" in asked.stderr
    assert pyz.stat().st_size < LARGEST


@pytest.mark.nightly("builds the file twice more")
def test_two_builds_are_the_same_bytes(pyz: Path, tmp_path: Path) -> None:
    """Regardless of builder, time, folder, and the order of Python's sets."""
    other = build(tmp_path / "elsewhere" / "other.pyz", TZ="Asia/Yerevan", PYTHONHASHSEED="7", LC_ALL="C", LANG="C")
    assert other.read_bytes() == pyz.read_bytes()
    assert stat.S_IMODE(other.stat().st_mode) == 0o755


def test_a_verdict_that_cannot_be_encoded_is_escaped(pyz: Path, tmp_path: Path) -> None:
    """The file escapes as the installed program does."""
    policy = tmp_path / "policy"
    policy.write_text(f"log {VKEY}\nwitness Երեւան {LAB.key}\nquorum Երեւան\n", encoding="utf-8")
    command = [sys.executable, "-S", str(pyz), "policy", str(policy)]
    ran = subprocess.run(command, env={"PYTHONIOENCODING": "cp850"}, capture_output=True, check=False)
    assert (ran.returncode, ran.stderr) == (HELD, b"")
    assert "Երեւան".encode("cp850", "backslashreplace") in ran.stdout


CALLS = {
    "code": (HELD, ["code", "CODE", "--log", "LOG", "--key", VKEY]),
    "code as JSON": (HELD, ["code", "CODE", "--log", "LOG", "--key", VKEY, "--json"]),
    "audit": (HELD, ["audit", "LOG", "--key", VKEY]),
    "audit by two processes": (HELD, ["audit", "LOG", "--key", VKEY, "--jobs", "2"]),
    "audit as JSON": (HELD, ["audit", "LOG", "--key", VKEY, "--json", "--jobs", "2"]),
    "a salted round as JSON": (
        UNKNOWN,
        ["code", "SALTED-CODE", "--log", "SALTED", "--key", salted_log.VKEY, "--json"],
    ),
    "a policy as JSON": (HELD, ["policy", "POLICY", "--json"]),
    "bet": (HELD, ["bet", "RECEIPT", "--log", "LOG", "--key", VKEY]),
    "bets": (HELD, ["bets", "LINES", "--json"]),
    "a code with a typing error": (MISTYPED, ["code", "crash1qqqq", "--log", "LOG", "--key", VKEY]),
    "no log": (UNREADABLE, ["audit", "LINES", "--key", VKEY]),
    "compare": (HELD, ["compare", "LOG", "LOG", "--key", VKEY]),
    "game": (HELD, ["game", "GAME"]),
    "game as JSON": (HELD, ["game", "GAME", "--json"]),
    "a newer game": (UNKNOWN, ["game", "NEW-GAME"]),
    "no game": (FAILED, ["game", "NO-GAME"]),
    "help": (HELD, ["--help"]),
    "version": (HELD, ["--version"]),
    "wrong usage": (USAGE, ["audit"]),
}


@pytest.mark.nightly("starts both verifiers for each call", but="test_it_says_what_the_installed_verifier_says[code]")
@pytest.mark.lattice
@pytest.mark.parametrize(("status", "call"), CALLS.values(), ids=CALLS.keys())
def test_it_says_what_the_installed_verifier_says(
    status: int, call: list[str], pyz: Path, copied: dict[str, Path | str]
) -> None:
    """Word for word, with the same status, using only Python; and nothing is written anywhere."""
    arguments = [str(copied.get(word, word)) for word in call]
    ran, expected = bare(pyz, *arguments), installed(*arguments)
    assert (ran.returncode, ran.stdout, ran.stderr) == (status, expected.stdout, expected.stderr)


@pytest.mark.nightly("starts both verifiers for each file")
def test_proof_files_are_the_same(pyz: Path, copied: dict[str, Path | str], tmp_path: Path) -> None:
    """Both make the same bytes, and both accept them."""
    mine, other = tmp_path / "mine", tmp_path / "other"
    call = ("prove", copied["CODE"], "--log", copied["LOG"], "--key", VKEY, "-o")
    assert bare(pyz, *call, mine).returncode == installed(*call, other).returncode == HELD
    assert mine.read_bytes() == other.read_bytes()
    held = installed("proof", mine, "--key", VKEY)
    ran = bare(pyz, "proof", mine, "--key", VKEY)
    assert (ran.returncode, ran.stdout, ran.stderr) == (HELD, held.stdout, "")


@pytest.mark.parametrize("module", ["verifier", "fairness.errors", "verifier.audit.audit", "verifier.cli"])
def test_an_interrupt_while_it_starts_ends_it_quietly(module: str, pyz: Path, tmp_path: Path) -> None:
    """From its first line on; before that, Python shows what it does for any file."""
    assert interrupted_at(module, [sys.executable, pyz, "--version"], tmp_path) == (-signal.SIGINT, "", "")


@pytest.mark.nightly("starts the one file three times")
def test_it_watches_and_remembers(pyz: Path, copied: dict[str, Path | str], tmp_path: Path) -> None:
    """The installed verifier continues from its state; and an audit by either saves the same state."""
    state, other = tmp_path / "state", tmp_path / "other"
    command = [sys.executable, "-I", "-S", str(pyz), "watch", str(copied["LOG"]), "--key", VKEY, "--json"]
    with subprocess.Popen([*command, "--state", str(state)], stdout=subprocess.PIPE, text=True) as watching:
        assert watching.stdout is not None
        assert [json.loads(watching.stdout.readline())["what"] for _ in range(2)] == ["begun", "grew"]
        watching.send_signal(signal.SIGINT)
        assert watching.wait(60) == HELD
    again = installed("audit", copied["LOG"], "--key", VKEY, "--state", state, "--json")
    assert json.loads(again.stdout)["seen_before"] > 0
    assert bare(pyz, "audit", copied["LOG"], "--key", VKEY, "--state", other).returncode == HELD
    assert load_state(other) == load_state(state)


@pytest.mark.nightly("starts the one file once for each command")
def test_every_command_is_there(pyz: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each with everything that it imports, and the same help text as the installed verifier."""
    monkeypatch.setenv("COLUMNS", "80")
    (subcommands,) = (action for action in parser()._actions if action.dest == "command")
    assert isinstance(subcommands.choices, dict)
    for name, command in subcommands.choices.items():
        ran = bare(pyz, name, "--help")
        assert (ran.returncode, ran.stdout, ran.stderr) == (HELD, command.format_help(), "")


def test_it_holds_no_keys(pyz: Path, tmp_path: Path) -> None:
    """Nothing in it signs, so it says that a witness needs an agent, or the installed verifier."""
    ran = bare(pyz, "witness-key", "lab.example/witness", "-o", tmp_path / "key")
    assert (ran.returncode, ran.stdout) == (USAGE, "")
    assert "--agent" in ran.stderr
    assert not (tmp_path / "key").exists()


@pytest.mark.nightly("an agent of its own")
def test_it_is_a_witness_with_an_agent(pyz: Path, copied: dict[str, Path | str], tmp_path: Path) -> None:
    """The agent signs, so the file can do the rest."""
    log = Path(copied["LOG"])
    options = (
        "--key",
        VKEY,
        "--log",
        str(log),
        "--listen",
        "127.0.0.1:0",
        "--name",
        "lab.example/witness",
        "--begin",
    )
    with ssh_agent(tmp_path) as agent:
        command = [sys.executable, "-I", "-S", str(pyz), "witness", *options, "--agent", agent.fingerprint, "--json"]
        command += ["--state", str(tmp_path / "memory")]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=agent.environment) as witness:
            assert witness.stdout is not None
            url = json.loads(witness.stdout.readline())["text"].partition(" at ")[2].partition(";")[0]
            answer = urllib3.request("POST", f"{url}/add-checkpoint", body=asking(log, 0), retries=False)
            assert (answer.status, answer.data.startswith("\N{EM DASH} lab.example/witness ".encode())) == (200, True)
            witness.send_signal(signal.SIGTERM)
            assert witness.wait(60) == HELD


@pytest.mark.lattice
@pytest.mark.parametrize(
    "lie",
    [
        lambda log: log.lock("keno-1", round=9),
        lambda log: (log.lock("keno-1"), log.reveal("keno-1", outcome={"number": 101})),
        lambda log: (log.lock("keno-1"), log.reveal("keno-1", respelled=lambda data: data.replace(b",", b", ", 1))),
        lambda log: log.append(b'{"table":"keno-1","type":"lock","v":1}'),
    ],
    ids=["another round", "another outcome", "another spelling", "no record"],
)
def test_it_finds_what_the_installed_verifier_finds(lie: object, pyz: Path, tmp_path: Path) -> None:
    """The same check fails at the same record. Only a fault in a record's JSON may be described in other words."""
    operator = Operator()
    operator.table("keno-1", "keno-express")
    operator.batch("keno-1", 20)
    operator.play("keno-1", 3)
    assert callable(lie)
    lie(operator)
    call = ("audit", operator.write(tmp_path), "--key", VKEY, "--json")
    ran, expected = bare(pyz, *call), installed(*call)
    assert ran.returncode == expected.returncode == FAILED
    names = ("verdict", "check", "record", "where")
    found, wanted = json.loads(ran.stdout), json.loads(expected.stdout)
    assert {name: found.get(name) for name in names} == {name: wanted.get(name) for name in names}
    assert found.keys() == wanted.keys()


def test_a_signature_that_does_not_verify_is_found(pyz: Path, copied: dict[str, Path | str], tmp_path: Path) -> None:
    """By the file's own verification."""
    folder = tmp_path / "log"
    shutil.copytree(copied["LOG"], folder)
    note = (folder / "checkpoint").read_text().split("\n")
    note[1] = str(int(note[1]) - 1)
    (folder / "checkpoint").write_text("\n".join(note))
    ran = bare(pyz, "audit", folder, "--key", VKEY, "--json")
    assert (ran.returncode, json.loads(ran.stdout)["check"]) == (FAILED, "note-signature")


def other_pythons() -> list[str]:
    """The Pythons of this machine that run and are new enough for the verifier."""
    pythons = [shutil.which(f"python3.{minor}") for minor in range(start.OLDEST[1], 20)]
    return [
        each
        for each in pythons
        if each and subprocess.run([each, "-V"], capture_output=True, check=False).returncode == 0
    ]


@pytest.mark.nightly("starts the one file with several Pythons")
@pytest.mark.parametrize("python", [sys.executable, *other_pythons()])
def test_it_runs_with_every_python_of_this_machine(python: str, pyz: Path, copied: dict[str, Path | str]) -> None:
    """The same file for every version, because nothing in it is compiled."""
    ran = bare(pyz, "code", copied["CODE"], "--log", copied["LOG"], "--key", VKEY, python=python)
    assert (ran.returncode, ran.stderr) == (HELD, "")
    assert ran.stdout == installed("code", copied["CODE"], "--log", copied["LOG"], "--key", VKEY).stdout


def test_an_older_python_gets_a_message(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """In one line, before anything is imported that it could not parse."""
    monkeypatch.setattr(sys, "version_info", (3, 10, 9))
    assert start.main() == USAGE
    assert capsys.readouterr().err.startswith("foredraw-verify: needs Python 3.11 or newer, this is ")


def test_it_says_what_it_carries(pyz: Path) -> None:
    """Every name, version and hash of `--about` is that of the files inside and of the pinned wheels."""
    ran = bare(pyz, "--about")
    assert (ran.returncode, ran.stderr) == (HELD, "")
    with ZipFile(pyz) as archive:
        files = {name: archive.read(name) for name in archive.namelist()}
        assert archive.namelist() == sorted(files)
        assert {(each.date_time, each.compress_type) for each in archive.infolist()} == {((1980, 1, 1, 0, 0, 0), 0)}
    assert not [name for name in files if name.endswith((".so", ".pyd", ".pyc", ".dylib"))]
    assert not [name for name, data in files.items() if str(HOUSE).encode() in data]
    pinned = dict(line.split(" --hash=sha256:") for line in CARRIED.read_text().splitlines() if line[0] != "#")
    for package, wheel_hash in pinned.items():
        name, version = package.split("==")
        assert f"  {name} {version}, the wheel {name}-{version}-py3-none-any.whl, sha256 {wheel_hash}\n" in ran.stdout
        assert f"{name}-{version}.dist-info/licenses/LICENSE" in " ".join(files).replace("LICENSE.txt", "LICENSE")
    own = {path: data for path, data in files.items() if path.startswith(("fairness/", "games/", "verifier/"))}
    for name in ("cryptography", "msgspec"):
        part = {path: data for path, data in files.items() if path.startswith(f"{name}/")}
        assert f"  stand-in for {name}, {len(part)} files, " in ran.stdout
        assert name_of(manifest_of(part)) in ran.stdout
    assert name_of(manifest_of(own)) in ran.stdout


def test_it_carries_the_licence_of_every_part(pyz: Path) -> None:
    """Ours and those of the packages in it, in full, and `--about` says where."""
    listed = bare(pyz, "--about").stdout.partition("\nLicences ")[2].splitlines()[1:]
    parts = dict(line.strip().split(": ", 1) for line in listed)
    packages = [line.partition("==")[0] for line in CARRIED.read_text().splitlines() if line[0] != "#"]
    assert list(parts) == ["foredraw and its stand-ins", *packages]
    with ZipFile(pyz) as archive:
        texts = {name: archive.read(said.partition(", the file ")[2]).decode() for name, said in parts.items()}
    assert texts.pop("foredraw and its stand-ins") == (HOUSE / "LICENSE").read_text("utf-8")
    assert all("Permission is hereby granted, free of charge" in text for text in texts.values())
    assert all(parts[name].startswith("MIT, ") for name in packages)


def test_its_own_files_are_those_of_the_repository(pyz: Path) -> None:
    """Byte for byte, so whoever has read the repository has read the file; and all packages of the verifier are in
    it.
    """
    with ZipFile(pyz) as archive:
        for folder in ("fairness", "games", "verifier"):
            for file in (HOUSE / folder).rglob("*.py"):
                assert archive.read(file.relative_to(HOUSE).as_posix()) == file.read_bytes()
