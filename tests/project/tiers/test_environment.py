"""`make install` asks the environment that is there, and makes it again if it does not answer."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.house import HOUSE
from tests.tiers import environment

MAKEFILE = (HOUSE / "Makefile").read_text("utf-8")
# Its steps, but for the packages: none is fetched, and what they install says that it is there.
_PACKAGES = 'INSTALL := $(BIN)/python -c \'import pip, os, sys; assert os.environ["PIP_USER"] == "0"; open(sys.prefix + "/packages", "w")\''


@pytest.fixture(name="checkout")
def _checkout(tmp_path: Path) -> Path:
    """What `make install` needs of the project."""
    folder = tmp_path / "checkout"
    for name in (
        "tests/__init__.py",
        "tests/house.py",
        *(f"tests/tiers/{each}.py" for each in ("__init__", "stages", "environment")),
    ):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(HOUSE / name, folder / name)
    for name in ("pyproject.toml", "requirements/service.txt", "api/programs/foredraw", "verifier/foredraw-verify"):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text("x", "ascii")
    lines = MAKEFILE.splitlines()
    kept = [
        _PACKAGES if line.startswith("INSTALL :=") else "COMPILE := true" if line.startswith("COMPILE :=") else line
        for line in lines
    ]
    (folder / "Makefile").write_text("\n".join(kept) + "\n", "utf-8")
    return folder


def make(folder: Path, *arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
    """Run `make install`."""
    command = ["make", f"PYTHON={sys.executable}", *arguments, "install"]
    return subprocess.run(
        command, cwd=folder, capture_output=True, text=True, check=False, env={**os.environ, **variables}
    )


def is_whole(folder: Path) -> bool:
    """Whether everything was installed into an environment that answers."""
    python = folder / ".venv" / "bin" / "python"
    asked = subprocess.run(
        [python, "-c", "import pip, sys; print(sys.prefix)"], capture_output=True, text=True, check=False
    )
    return (folder / ".venv" / "packages").exists() and Path(asked.stdout.strip() or "/").samefile(folder / ".venv")


def another_python(venv: Path) -> None:
    (venv / environment._MARK).write_text(json.dumps({"python": "3.10.1", "path": str(venv)}), "utf-8")


def python_is_gone(venv: Path) -> None:
    (venv / "bin" / "python3").unlink()
    (venv / "bin" / "python").unlink(missing_ok=True)
    (venv / "bin" / "python").symlink_to("/nowhere/python3.10")


def without_pip(venv: Path) -> None:
    (pip,) = venv.glob("lib/python*/site-packages/pip")
    shutil.rmtree(pip)


def stopped_halfway(venv: Path) -> None:
    for name in ("installed", "packages"):
        (venv / name).unlink()
    without_pip(venv)


def newer_files_with_old_times(venv: Path) -> None:
    (venv / "packages").unlink()
    project = venv.with_name("pyproject.toml")
    project.write_text("newer", "ascii")
    os.utime(project, (0, 0))


STATES: dict[str, Callable[[Path], None]] = {
    "another Python": another_python,
    "a Python that is gone": python_is_gone,
    "no pip": without_pip,
    "stopped halfway": stopped_halfway,
    "newer files with old times": newer_files_with_old_times,
}


@pytest.mark.nightly("makes environments")
@pytest.mark.parametrize("state", STATES)
def test_an_environment_that_does_not_answer_is_made_again(state: str, checkout: Path) -> None:
    """And one that does is left as it is, without a word."""
    assert make(checkout).returncode == 0
    assert is_whole(checkout)
    again = make(checkout, PIP_USER="1")
    assert (again.returncode, "Making" in again.stdout) == (0, False)
    STATES[state](checkout / ".venv")
    made = make(checkout, PIP_USER="1")
    assert (made.returncode, made.stderr) == (0, "")
    assert is_whole(checkout)
    assert "Making" not in make(checkout).stdout


@pytest.mark.nightly("makes environments")
def test_a_checkout_that_was_moved_gets_an_environment_of_its_own(checkout: Path) -> None:
    """Its programs name the old place in their first lines."""
    assert make(checkout).returncode == 0
    moved = checkout.rename(checkout.with_name("moved"))
    made = make(moved)
    assert (made.returncode, made.stderr) == (0, "")
    assert is_whole(moved)


def test_an_environment_of_somebody_else_is_refused_by_its_name(checkout: Path) -> None:
    """It may have what nobody could make again."""
    (checkout / ".venv").mkdir()
    (checkout / ".venv" / "mine").touch()
    refused = make(checkout)
    assert refused.returncode != 0
    assert refused.stderr.startswith("make: .venv was not made by this Makefile, so it is not touched: move it away")
    assert (checkout / ".venv" / "mine").exists()


def test_what_cannot_be_removed_is_reported(checkout: Path, tmp_path: Path) -> None:
    """A link to an environment that does not answer any more: in one sentence, without a traceback."""
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / environment._MARK).touch()
    (checkout / ".venv").symlink_to(elsewhere)
    refused = make(checkout)
    assert refused.returncode != 0
    assert refused.stderr.startswith("make: .venv does not answer, and cannot be removed (")
    assert "Traceback" not in refused.stderr


def test_what_python_lacks_is_named_before_anything_is_installed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """As distributions divide it into packages."""
    monkeypatch.setattr(environment, "find_spec", lambda name: None if name in {"ensurepip", "sqlite3"} else object())
    assert environment.main("check", str(tmp_path / "venv")) == 1
    assert (
        "lacks sqlite3 (of libsqlite3), ensurepip (of python3-venv): install what is in brackets"
        in capsys.readouterr().err
    )
    assert list(tmp_path.iterdir()) == []
