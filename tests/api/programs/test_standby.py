"""A standby is refused on a machine that could not go on with the service."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from api.programs.commands.sequence import _check_may_stand_by
from api.settings import Server, Settings, SettingsError

DATABASE, SEEDS = Server.parse("postgresql://db.example/foredraw"), Server.parse("postgresql://db.example/seeds")


def test_what_a_standby_needs(tmp_path: Path) -> None:
    """Both stores have to be where the other machine reaches them; the refusal names the one that is not."""
    alone = Settings(tmp_path)
    with pytest.raises(SettingsError, match="set FOREDRAW_DATABASE"):
        _check_may_stand_by(alone)
    with pytest.raises(SettingsError, match="FOREDRAW_CUSTODIAN"):
        _check_may_stand_by(replace(alone, server=DATABASE))
    _check_may_stand_by(replace(alone, server=DATABASE, seeds_server=SEEDS))
