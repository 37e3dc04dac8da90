"""No setting of the person who runs the tests reaches one."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import settings

from tests.house import HOUSE
from tests.support.same_everywhere import be_the_same_everywhere

FORGOTTEN = (
    *("FOREDRAW_POLICY", "FOREDRAW_NICENESS", "GUNICORN_CMD_ARGS", "WEB_CONCURRENCY", "OTEL_SERVICE_NAME", "PGHOST"),
    *("AWS_PROFILE", "SUDO_USER", "LANGUAGE", "COLUMNS", "LINES", "NO_COLOR", "FORCE_COLOR"),
)
KEPT = ("FOREDRAW_KILL_SEED", "PATH", "HOME", "TMPDIR", "http_proxy")


def test_settings_are_forgotten_and_what_finds_programs_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    """Programs, packages and the chance that a failing test named are still found."""
    for name in (*FORGOTTEN, *KEPT, "LC_ALL"):
        monkeypatch.setenv(name, "the user's")
    be_the_same_everywhere()
    assert not {*FORGOTTEN} & os.environ.keys()
    assert {os.environ[name] for name in KEPT} == {"the user's"}
    assert os.environ["LC_ALL"] == "C.UTF-8"


def test_a_proxy_is_for_other_machines_only(monkeypatch: pytest.MonkeyPatch) -> None:
    """In both spellings that programs read, beside what the user had."""
    for name in ("no_proxy", "NO_PROXY"):
        monkeypatch.setenv(name, "example.com")
    be_the_same_everywhere()
    assert {os.environ[name] for name in ("no_proxy", "NO_PROXY")} == {
        "example.com,localhost,127.0.0.1,::1,10.77.0.0/24"
    }


def test_an_example_may_take_its_time() -> None:
    """Another process may have the processor meanwhile."""
    assert settings().deadline is None


def test_a_checkout_that_writes_windows_line_ends_has_the_same_files(tmp_path: Path) -> None:
    """Git's `core.autocrlf`, as installers set it, changes neither the scripts nor the files whose hashes are
    compared.
    """
    files = (".gitattributes", "tests/tools.sh", "deploy/machine/usr/local/sbin/foredraw", "tests/cases/README.md")
    first, second = tmp_path / "first", tmp_path / "second"

    def git(*arguments: str) -> None:
        settings = ["-c", "core.autocrlf=true", "-c", "user.name=Somebody", "-c", "user.email=somebody@example.com"]
        subprocess.run(["git", *settings, *arguments], check=True, capture_output=True)

    git("init", str(first))
    for file in files:
        (first / file).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(HOUSE / file, first / file)
    git("-C", str(first), "add", ".")
    git("-C", str(first), "commit", "--message", "All")
    git("clone", str(first), str(second))
    for file in files:
        assert (second / file).read_bytes() == (HOUSE / file).read_bytes(), file
