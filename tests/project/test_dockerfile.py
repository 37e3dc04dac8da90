"""The image without a container engine: the steps of its Dockerfile, run in a folder."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
import urllib3

from fairness.version import VERSION
from tests.house import HOUSE
from tests.support.debian.released import made_release
from tests.support.planted import PLANTED, plant
from tests.support.running_service import free_port, what_fails

DOCKERFILE = (HOUSE / "Dockerfile").read_text("utf-8")
PATIENCE = 180.0


def instructions(text: str) -> list[tuple[str, str]]:
    """Each instruction's name and its argument, on one line."""
    lines = [line for line in text.splitlines() if not line.startswith("#")]
    joined = re.sub(r"\\\n\s*", "", "\n".join(lines))
    return [(name, rest) for name, _, rest in (line.partition(" ") for line in joined.splitlines() if line)]


def stages() -> list[list[tuple[str, str]]]:
    """The instructions before the first stage, and those of each stage, which begins with FROM."""
    found: list[list[tuple[str, str]]] = [[]]
    for name, rest in instructions(DOCKERFILE):
        if name == "FROM":
            found.append([])
        found[-1].append((name, rest))
    return found


BEFORE, BUILD, IMAGE = stages()


def arguments(stage: list[tuple[str, str]], wanted: str) -> list[str]:
    return [rest for name, rest in stage if name == wanted]


def environment() -> dict[str, str]:
    """What the image's ENV sets."""
    return dict(pair.split("=", 1) for rest in arguments(IMAGE, "ENV") for pair in rest.split())


def healthcheck() -> list[str]:
    found = re.fullmatch(r"(?:--\S+ )*CMD (\[.*\])", arguments(IMAGE, "HEALTHCHECK")[0])
    assert found is not None
    return list(json.loads(found[1]))


def run(command: list[str], folder: Path, **variables: str) -> str:
    """Run a command, which must succeed; returns its output."""
    process = subprocess.run(
        command,
        cwd=folder,
        env={**os.environ, **variables},
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE * 4,
    )
    assert process.returncode == 0, process.stdout + process.stderr
    return process.stdout


@dataclass(frozen=True)
class Built:
    """The result of stage one."""

    folder: Path

    @property
    def programs(self) -> Path:
        """The environment's programs."""
        return self.folder / "foredraw" / "bin"

    def wheel(self, name: str) -> zipfile.ZipFile:
        """One of the wheels that the environment was made from."""
        return zipfile.ZipFile(self.folder / "src" / f"{name}-{VERSION}-py3-none-any.whl")


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Built:
    """Stage one: its COPY and RUN lines unchanged, but in a folder instead of `/`."""
    folder = tmp_path_factory.mktemp("image")
    source = folder / "src"
    source.mkdir()
    release = made_release(folder / "release")
    for copy in arguments(BUILD, "COPY"):
        *names, target = copy.split()
        for file in (file for name in names for file in release.glob(name)):
            shutil.copy(file, source / target)
    (command,) = arguments(BUILD, "RUN")
    # The build of an image downloads packages again; here they come from pip's cache, if there is one.
    command = command.replace("--no-cache-dir ", "").replace("/opt", str(folder))
    run(["sh", "-c", command], source, PATH=f"{Path(sys.executable).parent}:{os.environ['PATH']}")
    return Built(folder)


def files_below(folder: Path) -> dict[Path, int]:
    return {path: path.stat().st_mtime_ns for path in folder.rglob("*") if path.is_file()}


@contextmanager
def served(built: Built, folder: Path, port: int, variables: dict[str, str]) -> Iterator[None]:
    """Run the container's own command on a free port. Stop it like a container; it must end with success."""
    (entry,) = (json.loads(rest) for rest in arguments(IMAGE, "ENTRYPOINT"))
    (command,) = (json.loads(rest) for rest in arguments(IMAGE, "CMD"))
    program = [str(built.programs / entry[0]), *command, "--port", str(port), "--engine-port", str(free_port())]
    with subprocess.Popen(program, cwd=folder, env=variables, stdout=subprocess.DEVNULL) as process:
        try:
            yield
        finally:
            process.send_signal(signal.SIGTERM)
            status = process.wait(PATIENCE)
    assert status == 0


@pytest.mark.nightly("makes the image's two environments, and starts the service in it")
def test_the_container_serves_and_writes_nothing_but_its_data(built: Built, tmp_path: Path) -> None:
    """`init` and `serve` from a folder without write permission; the health check succeeds; nothing else is
    changed.
    """
    data, elsewhere, port = tmp_path / "data", tmp_path / "elsewhere", free_port()
    elsewhere.mkdir(mode=0o555)
    variables = {**environment(), "HOME": str(elsewhere), "FOREDRAW_DATA": str(data)}
    variables["PATH"] = f"{built.programs}:{os.environ['PATH']}"
    before = files_below(built.folder)
    run(["foredraw", "init"], elsewhere, **variables)
    check = [part.replace(":8000", f":{port}") for part in healthcheck()]
    with served(built, elsewhere, port, variables):
        deadline = time.monotonic() + PATIENCE
        while subprocess.run(check, cwd=elsewhere, env=variables, capture_output=True, check=False).returncode:
            assert time.monotonic() < deadline
            time.sleep(0.2)
    assert subprocess.run(check, cwd=elsewhere, env=variables, capture_output=True, check=False).returncode != 0
    assert files_below(built.folder) == before
    assert list(elsewhere.iterdir()) == []
    assert {path.name for path in tmp_path.iterdir()} == {"data", "elsewhere"}


@pytest.mark.nightly("starts the service in the image's environment, several times")
def test_a_changed_file_of_the_image_stops_rounds_until_it_is_back(built: Built, tmp_path: Path) -> None:
    """Signed by a key of our own; found at the start and on demand, and rounds go on when the file is back."""
    port, changed = free_port(), next(built.folder.glob("foredraw/lib/*/site-packages/flask/app.py"))
    variables = {**environment(), "FOREDRAW_DATA": str(tmp_path / "data"), "PATH": os.environ["PATH"]}
    program, key, manifest = str(built.programs / "foredraw"), str(tmp_path / "lab.key"), str(tmp_path / "manifest")
    run([program, "init"], tmp_path, **variables)
    public = run([program, "integrity", "key", key, "--name", "lab.example/foredraw"], tmp_path, **variables)
    run([program, "integrity", "sign", manifest, "--key", key], tmp_path, **variables)
    variables |= {"FOREDRAW_MANIFEST": manifest, "FOREDRAW_MANIFEST_KEY": public.strip()}
    assert "is what lab.example/foredraw signed" in run([program, "integrity", "check"], tmp_path, **variables)
    unchanged = changed.read_bytes()
    changed.write_bytes(unchanged + b"\n# better odds for the house\n")
    try:
        with served(built, tmp_path, port, variables):
            found = health(port, lambda seen: seen["checks"]["background"]["status"] == "ok")
            assert (found["status"], found["checks"]["software"]["status"]) == ("not-ready", "failing")
            assert "flask/app.py was changed" in "".join(what_fails(found))
            asked = [program, "integrity", "check"]
            assert subprocess.run(asked, env={**os.environ, **variables}, check=False).returncode == 2
            changed.write_bytes(unchanged)
            run(asked, tmp_path, **variables)
            assert health(port, lambda seen: seen["checks"]["software"]["status"] == "ok")["status"] == "ready"
    finally:
        changed.write_bytes(unchanged)


@pytest.mark.nightly("starts the service in the image's environment")
def test_planted_modules_are_named_and_never_imported(built: Built, tmp_path: Path) -> None:
    """Beside the programs, in the working directory, among the packages; and PYTHONPATH, which Python obeys, stops
    rounds.
    """
    port, here, packages = (
        free_port(),
        plant(tmp_path / "here"),
        next(built.folder.glob("foredraw/lib/*/site-packages")),
    )
    variables = {**environment(), "FOREDRAW_DATA": str(tmp_path / "data"), "PATH": os.environ["PATH"]}
    # The program alone must do, as an operator starts it by hand.
    del variables["PYTHONSAFEPATH"]
    program, key, manifest = str(built.programs / "foredraw"), str(tmp_path / "lab.key"), str(tmp_path / "manifest")
    run([program, "init"], here, **variables)
    public = run([program, "integrity", "key", key, "--name", "lab.example/foredraw"], here, **variables)
    run([program, "integrity", "sign", manifest, "--key", key], here, **variables)
    variables |= {"FOREDRAW_MANIFEST": manifest, "FOREDRAW_MANIFEST_KEY": public.strip()}
    planted = [plant(built.programs) / f"{name}.py" for name in PLANTED] + [packages / "colorsys.py"]
    planted[-1].touch()
    try:
        checked = subprocess.run(
            [program, "integrity", "check"], cwd=here, env=variables, capture_output=True, text=True, check=False
        )
        named = {f"{path.relative_to(built.folder / 'foredraw')} is not in the manifest" for path in planted}
        assert (checked.returncode, set(checked.stdout.splitlines())) == (2, named)
    finally:
        for path in planted:
            path.unlink()
    run([program, "integrity", "check"], here, **variables)
    with served(built, here, port, variables):
        assert (
            health(port, lambda seen: seen["checks"]["background"]["status"] == "ok")["checks"]["software"]["status"]
            == "ok"
        )
    (tmp_path / "mine").mkdir()
    environ = {**variables, "PYTHONPATH": str(tmp_path / "mine")}
    checked = subprocess.run(
        [program, "integrity", "check"], env=environ, capture_output=True, text=True, check=False
    )
    assert checked.returncode == 1
    assert f"nothing is sure, because this process imports from {tmp_path / 'mine'}" in checked.stderr
    with served(built, here, port, environ):
        found = health(port, lambda seen: seen["checks"]["background"]["status"] == "ok")
        assert found["checks"]["software"]["status"] == "failing"
        assert f"this process imports from {tmp_path / 'mine'} (`sys.path`)" in "".join(what_fails(found))
    assert not [folder for folder in (here, built.programs) if (folder / "imported").exists()]


def health(port: int, holds: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
    """What the service says of itself, as soon as that holds."""
    deadline, url = time.monotonic() + PATIENCE, f"http://127.0.0.1:{port}/health/ready"
    while True:
        with suppress(urllib3.exceptions.HTTPError):
            seen: dict[str, Any] = urllib3.request("GET", url, retries=False).json()
            if holds(seen):
                return seen
        assert time.monotonic() < deadline
        time.sleep(0.2)


@pytest.mark.nightly("builds the wheels")
def test_the_wheels_hold_the_four_packages_the_pages_both_verifiers_and_the_vectors(built: Built) -> None:
    """They have neither tests nor data, and no file twice."""
    listed = [built.wheel(name).namelist() for name in ("foredraw", "foredraw_verify")]
    names = set().union(*listed)
    assert len(names) == sum(map(len, listed))
    assert {"api/pages/templates/home.html", "verifier/conformance/vectors/record.json"} <= names
    browser = {
        path.relative_to(HOUSE).as_posix() for path in (HOUSE / "verifier" / "browser").rglob("*") if path.is_file()
    }
    assert {name for name in names if name.startswith("verifier/browser/")} == browser
    folders = [
        {name.split("/")[0] for name in each if not re.match(r"\w+-[\w.]+\.(dist-info|data)/", name)}
        for each in listed
    ]
    assert folders == [{"api"}, {"fairness", "games", "verifier"}]
    programs = {name.rpartition("/")[2] for name in names if ".data/scripts/" in name}
    assert programs == {"foredraw", "foredraw-verify"}


@pytest.mark.nightly("builds the wheels")
def test_the_wheel_says_its_licence_and_carries_the_texts(built: Built) -> None:
    """Apache-2.0, word for word as its authors publish it, and the licence of the vendored code."""
    folder = f"foredraw-{VERSION}.dist-info"
    with built.wheel("foredraw") as wheel:
        metadata = wheel.read(f"{folder}/METADATA").decode().splitlines()
        apache = wheel.read(f"{folder}/licenses/LICENSE")
        names = {name for name in wheel.namelist() if name.startswith(f"{folder}/licenses/")}
    assert {"License-Expression: Apache-2.0 AND MIT", "License-File: LICENSE"} <= set(metadata)
    assert sha256(apache).hexdigest() == "cfc7749b96f63bd31c3c42b5c471bf756814053e847c10f3eb003417bc523d30"
    carried = {
        f"{path.relative_to(HOUSE)}" for path in (HOUSE / "api" / "pages" / "static" / "vendor").glob("*/LICENSE*")
    }
    assert names == {f"{folder}/licenses/{name}" for name in {"LICENSE", *carried}}


@pytest.mark.nightly("installs the verifier's packages")
def test_a_verifier_is_installed_without_a_framework(built: Built, tmp_path: Path) -> None:
    """The verifier's wheel gives `foredraw-verify`, without the dependencies of the service."""
    run([sys.executable, "-m", "venv", "venv"], tmp_path)
    programs = tmp_path / "venv" / "bin"
    command = [str(programs / "pip"), "install", "--quiet", "--require-hashes", "--requirement", "verifier.txt"]
    run(command, built.folder / "release")
    assert "exit status" in run([str(programs / "foredraw-verify"), "--help"], tmp_path)
    loaded = "import sys, verifier.cli; print(*sorted(name.split('.')[0] for name in sys.modules))"
    modules = set(run([str(programs / "python"), "-c", loaded], tmp_path).split())
    assert "verifier" in modules
    service = {
        "api",
        "click",
        "flask",
        "gunicorn",
        "jinja2",
        "pydantic",
        "sqlalchemy",
        "sqlite3",
        "sqlmodel",
        "werkzeug",
    }
    assert not modules & service
    installed = run([str(programs / "pip"), "list"], tmp_path).lower()
    assert not [name for name in ("flask", "gunicorn", "sqlmodel", "sqlalchemy") if name in installed]


def test_two_stages_from_one_image_that_is_pinned_by_its_digest() -> None:
    """The second stage has the interpreter with which the first one made the environment; no FROM uses a tag
    alone.
    """
    ((argument, base),) = BEFORE
    assert argument == "ARG"
    assert re.fullmatch(r"BASE=python:3\.\d+-slim-[a-z]+@sha256:[0-9a-f]{64}", base)
    assert arguments(BUILD, "FROM") == ["${BASE} AS build"]
    assert arguments(IMAGE, "FROM") == ["${BASE}"]


def test_the_image_installs_locked_packages_only() -> None:
    """One pip command installs, and it requires hashes."""
    calls = [call for rest in arguments(BUILD, "RUN") for call in rest.split("&&") if "pip " in call]
    fetching = [call for call in calls if "uninstall" not in call.split()]
    assert [call.split()[-3:] for call in fetching] == [["--require-hashes", "--requirement", "service.txt"]]


def test_the_image_runs_as_nobody_special() -> None:
    """USER is a user that the image creates, with a fixed number; the entry point comes after it."""
    (user,) = arguments(IMAGE, "USER")
    (made,) = arguments(IMAGE, "RUN")
    number = re.search(rf"useradd --uid (\d+) .* {user}\b", made)
    assert number is not None
    assert int(number[1]) >= 10_000
    names = [name for name, _ in IMAGE]
    assert names.index("USER") < names.index("ENTRYPOINT")
    assert not {"RUN", "COPY"} & set(names[names.index("USER") :])


def test_one_volume_two_ports_one_check() -> None:
    """The data folder is the volume; other writes go to the shared memory."""
    assert arguments(IMAGE, "VOLUME") == ["/data"]
    assert environment()["FOREDRAW_DATA"] == "/data"
    assert environment()["TMPDIR"] == "/dev/shm"
    assert arguments(IMAGE, "EXPOSE") == ["8000 8001"]
    assert "http://127.0.0.1:8000/health/ready" in healthcheck()[-1]
