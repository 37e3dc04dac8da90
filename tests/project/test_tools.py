"""The step that installs other people's programs: quick if they are installed, an error if they cannot be."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.house import HOUSE

TOOLS = HOUSE / "tests" / "tools.sh"


def run(path: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PATH": path}
    return subprocess.run(["/bin/sh", TOOLS], env=environment, capture_output=True, text=True, check=False)


def test_what_is_there_is_not_installed_again() -> None:
    """It prints nothing and does nothing: `make test` has already run it."""
    done = run(os.environ["PATH"])
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


@pytest.mark.parametrize(
    ("programs", "why"),
    [
        ({}, "there is no apt-get to install with"),
        # A user whose number is not 0 is not root: here `id` prints none at all.
        ({"apt-get": "false", "id": "true"}, "to install needs root or sudo"),
        ({"apt-get": "false", "id": "id", "env": "env", "sudo": "false"}, "apt-get could not install them"),
    ],
)
def test_what_cannot_be_installed_is_an_error(tmp_path: Path, programs: dict[str, str], why: str) -> None:
    """It says why, and which packages the tests need; no test is skipped without them."""
    for name, program in programs.items():
        found = shutil.which(program)
        assert found is not None
        (tmp_path / name).symlink_to(found)
    done = run(str(tmp_path))
    assert done.returncode == 1
    needed = "golang-go golang-golang-x-mod-dev openssl nodejs chromium-headless-shell fonts-dejavu-core fonts-noto-core fonts-liberation nginx-light caddy openssh-client postgresql prometheus systemd iproute2 docker-compose sqlite3 shellcheck npm"
    assert done.stderr.endswith(f"tests/tools.sh: {why}. The tests need these packages of Debian: {needed}\n")
