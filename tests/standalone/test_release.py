"""``make release``: what a release has, the same bytes from every build, and an installation from it alone."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path

import pytest
from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator

from fairness.manifest import SERVICE, VECTORS, VERIFIER, manifest_of, name_of
from fairness.player.round_code import RoundCode
from fairness.version import VERSION
from standalone.archive import HOUSE, Files, contents, paths, sources
from standalone.release import locked, release
from standalone.sbom import sbom
from standalone.wheels import THE_SERVICE, THE_VERIFIER, WHEELS
from tests.lies import history
from tests.support.dishonest_operator import KEY
from tests.support.pythons import supported

WHEEL_FILES = {share.file: share.name.encode() for share in WHEELS}
"""Others in the place of our wheels, for what only hashes them."""
OURS = (THE_VERIFIER.file, THE_SERVICE.file)


def test_requirements_name_our_wheels_by_their_hashes_and_no_builder() -> None:
    """They come last, the verifier's first, and are found beside the file; the rest is as it is locked."""
    text = locked("service", WHEEL_FILES, OURS).decode()
    lines = [f"./{name} --hash=sha256:{sha256(WHEEL_FILES[name]).hexdigest()}" for name in OURS]
    assert text.splitlines()[-2:] == lines
    whole = (HOUSE / "requirements" / "service.txt").read_text("ascii")
    dropped = [line for line in whole.splitlines() if line not in text.splitlines()]
    assert dropped[0].startswith("setuptools==")
    assert [line for line in dropped[1:] if not line.startswith("    --hash=")] == []


def test_the_bill_of_materials_is_one_and_has_all_that_is_installed() -> None:
    """By the library's own validator: each locked package with version, hashes and licence, and what needs it."""
    text = locked("service", WHEEL_FILES, OURS).decode()
    made = sbom(text, WHEEL_FILES)
    assert made == sbom(text, WHEEL_FILES)
    assert JsonStrictValidator(SchemaVersion.V1_6).validate_str(made.decode()) is None
    bill = json.loads(made)
    main = bill["metadata"]["component"]
    assert (main["name"], main["version"], main["purl"]) == ("foredraw", VERSION, f"pkg:pypi/foredraw@{VERSION}")
    assert main["hashes"] == [{"alg": "SHA-256", "content": sha256(WHEEL_FILES[THE_SERVICE.file]).hexdigest()}]
    pinned = dict(re.findall(r"^([a-z0-9-]+)==(\S+)(?! ; sys_platform == 'win32')", text, re.MULTILINE))
    assert {each["name"]: each["version"] for each in bill["components"]} == {
        "foredraw-verify": VERSION,
        **{name: version for name, version in pinned.items() if name != "tzdata"},
    }
    assert all(each["licenses"] for each in bill["components"])
    needed = {each["ref"]: each.get("dependsOn", []) for each in bill["dependencies"]}
    assert f"foredraw-verify=={VERSION}" in needed[f"foredraw=={VERSION}"]
    assert [each for each in needed[f"foredraw-verify=={VERSION}"] if each.startswith("cryptography==")]
    reached, waiting = set[str](), [f"foredraw=={VERSION}"]
    while waiting:
        if (each := waiting.pop()) not in reached:
            reached.add(each)
            waiting += needed[each]
    assert reached == needed.keys(), "nothing is installed that nobody needs"


def test_no_key_and_no_setting_of_an_operator_is_released() -> None:
    """Of `deploy/`, what the repository has."""
    tracked = subprocess.run(["git", "ls-files", "deploy"], cwd=HOUSE, capture_output=True, text=True, check=True)
    assert paths(HOUSE, ("deploy",)) == sorted(tracked.stdout.split())


def test_what_is_beside_a_package_is_not_listed(tmp_path: Path) -> None:
    """Compiled files, an editor's and the vectors; all else of a package is, whatever it is called."""
    listed = ["verifier/a.py", "verifier/browser/README.md", "verifier/x/tls"]
    for path in (*listed, "verifier/__pycache__/a.pyc", "verifier/.a.py.swp", f"{VECTORS}/a.json"):
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(path)
    assert sorted(sources(tmp_path, VERIFIER)) == listed


@pytest.fixture(scope="module")
def built() -> Files:
    """A release of this working tree."""
    return release()


@pytest.fixture(scope="module")
def folder(built: Files, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same as files."""
    made = tmp_path_factory.mktemp("release")
    for path, data in built.items():
        (made / path).parent.mkdir(parents=True, exist_ok=True)
        (made / path).write_bytes(data)
    return made


@pytest.mark.nightly("builds a release")
def test_a_release_has_its_sums_its_manifests_and_the_same_code_in_each_file(built: Files, folder: Path) -> None:
    """No file is in both wheels; together they have what is listed, and so has the one-file verifier."""
    done = subprocess.run(
        ["sha256sum", "--check", "--strict", "SHA256SUMS"], cwd=folder, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    summed = {line[66:] for line in built["SHA256SUMS"].decode().splitlines()}
    assert summed == built.keys() - {"SHA256SUMS"}
    parts = {name: contents(folder / name) for name in (*OURS, "foredraw-verify.pyz")}
    assert not parts[THE_VERIFIER.file].keys() & parts[THE_SERVICE.file].keys()

    def listed(files: Mapping[str, bytes], packages: tuple[str, ...]) -> bytes:
        ours = {path: data for path, data in files.items() if path.split("/")[0] in packages}
        return manifest_of({path: data for path, data in ours.items() if not path.startswith(VECTORS)}).encode()

    verifier, service = built["foredraw-verify.manifest"], built["foredraw.manifest"]
    assert verifier == listed(parts[THE_VERIFIER.file], VERIFIER) == listed(parts["foredraw-verify.pyz"], VERIFIER)
    assert service == listed(parts[THE_VERIFIER.file] | parts[THE_SERVICE.file], SERVICE)
    assert f'data-manifest="{name_of(service.decode())}"'.encode() in built["verify.html"]


@pytest.mark.nightly("makes two clones, an environment, and a release in each")
def test_two_builds_have_the_same_bytes(tmp_path: Path) -> None:
    """In two folders, at two times, with another mask, time zone and language, by the oldest and the newest Python
    of this machine.
    """
    pythons = list(supported().values())
    clones = [tmp_path / "one", tmp_path / "another" / "clone"]
    for clone, mask in zip(clones, ("022", "077"), strict=True):
        clone.parent.mkdir(exist_ok=True)
        subprocess.run(["sh", "-c", f"umask {mask}; git clone --quiet '{HOUSE}' '{clone}'"], check=True)
    places = ({"TZ": "Asia/Yerevan", "LC_ALL": "C", "PYTHONHASHSEED": "1"}, {"TZ": "UTC", "LC_ALL": "C.UTF-8"})
    for clone, python, mask, place in zip(clones, (pythons[0], pythons[-1]), ("077", "022"), places, strict=True):
        command = ["sh", "-c", f"umask {mask}; exec make release PYTHON='{python}'"]
        environment = {**os.environ, "PYTHONPATH": "", **place}
        made = subprocess.run(
            command, cwd=clone, env=environment, capture_output=True, text=True, check=False, timeout=1200
        )
        assert made.returncode == 0, made.stdout + made.stderr
    one, other = (_read(clone / "dist" / f"foredraw-{VERSION}") for clone in clones)
    assert len(pythons) > 1, "this machine has one Python alone, and says nothing about another"
    assert {path for path in one.keys() | other.keys() if one.get(path) != other.get(path)} == set()


def _read(folder: Path) -> Files:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.nightly("installs each wheel with its packages")
@pytest.mark.parametrize(
    ("name", "programs"), [("verifier", {"foredraw-verify"}), ("service", {"foredraw-verify", "foredraw"})]
)
def test_one_command_installs_from_the_folder_alone(
    name: str, programs: set[str], built: Files, folder: Path, tmp_path: Path
) -> None:
    """The programs name the manifest of the release, sha256sum finds the files as listed, and a verdict is the
    one-file verifier's, word for word.
    """
    environment = {"PATH": os.environ["PATH"], "HOME": str(tmp_path)}
    environment |= {key: value for key, value in os.environ.items() if key.startswith(("PIP_", "SSL_"))}
    subprocess.run([sys.executable, "-m", "venv", tmp_path / "venv"], check=True)
    bin_ = tmp_path / "venv" / "bin"
    command = [str(bin_ / "pip"), "install", "--quiet", "--require-hashes", "-r", f"{name}.txt"]
    subprocess.run(command, cwd=folder, env=environment, check=True)
    subprocess.run([bin_ / "pip", "check"], env=environment, check=True)
    assert {path.name for path in bin_.iterdir() if path.name.startswith("foredraw")} == programs
    (packages,) = (tmp_path / "venv").glob("lib/*/site-packages")
    for program in programs:
        listed = folder / f"{program}.manifest"
        subprocess.run(["sha256sum", "--check", "--quiet", "--strict", listed], cwd=packages, check=True)
        said = subprocess.run([bin_ / program, "--version"], capture_output=True, text=True, check=True)
        assert said.stdout == f"{program} {VERSION}, manifest {sha256(listed.read_bytes()).hexdigest()}\n"
    operator = history()
    table = operator.tables["sic-bo-1"]
    log, code = operator.write(tmp_path / "log"), str(RoundCode.of(table.game, table.table_id, 3, table.seeds_of(3)))
    asked = ["code", code, "--log", str(log), "--key", str(KEY.verifier_key), "--json"]
    one_file = [sys.executable, "-I", "-S", str(folder / "foredraw-verify.pyz")]
    verdicts = [
        subprocess.run([*program, *asked], capture_output=True, text=True, check=True).stdout
        for program in ([str(bin_ / "foredraw-verify")], one_file)
    ]
    assert verdicts[0] == verdicts[1]
    assert json.loads(verdicts[0])["program"] == {
        "version": VERSION,
        "manifest": sha256(built["foredraw-verify.manifest"]).hexdigest(),
    }
