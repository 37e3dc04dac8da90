"""Before anything is played, each program of the service checks that this machine computes correctly."""

from __future__ import annotations

from pathlib import Path

import pytest

from api.programs.setup import initialise
from api.service import open_service
from api.settings import Settings, SettingsError
from api.world import self_test as known_answers
from api.world.self_test import check_known_answers


def test_this_machine_computes_rightly() -> None:
    """Nothing is raised."""
    check_known_answers()
    assert len(list(known_answers._answers())) == 7


@pytest.mark.parametrize(
    ("name", "value", "what"),
    [
        ("previous_seed", lambda *_, **__: bytes(32), "a link of a seed chain"),
        ("commitment", lambda *_, **__: bytes(32), "a commitment"),
        ("_CONTEXT", bytes(32), "a stream"),
        ("_RULES", {"cap": 1_000_000, "rtp": 9500, "version": 1}, "an outcome"),
        ("_SIGNS", bytes(32), "a signature"),
    ],
)
def test_what_is_wrong_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, value: object, what: str
) -> None:
    """The error names it, and no service is opened."""
    settings = Settings(tmp_path / "data")
    initialise(settings, "fore.example/log")
    monkeypatch.setattr(known_answers, name, value)
    with pytest.raises(SettingsError, match=f"^this machine computes {what} wrongly: expected .*, found "):
        open_service(settings)
