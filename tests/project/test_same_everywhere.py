"""No setting of who runs the tests reaches one."""

from __future__ import annotations

import os

import pytest
from hypothesis import settings

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
