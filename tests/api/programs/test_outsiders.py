"""The outsiders of a demo: where they are reached."""

from __future__ import annotations

from pathlib import Path

import pytest

from api.programs.outsiders import Outsiders
from api.programs.setup import initialise
from api.settings import Settings
from tests.support.running_service import ORIGIN

LIMITS = Path("/proc/sys/net/ipv4/ip_local_port_range")


def test_no_outgoing_connection_takes_their_ports(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Seconds pass until they listen, and meanwhile the system gives ports of its own range to others."""
    for name in ("FOREDRAW_POLICY", "FOREDRAW_BEACON", "FOREDRAW_RELAYS"):
        monkeypatch.delenv(name, raising=False)
    settings = Settings(tmp_path / "data")
    initialise(settings, ORIGIN)
    found = Outsiders.find(settings, "http://127.0.0.1/log", make=True)
    assert found is not None
    ports = {found.relay_port, *found.witness_ports.values()}
    assert len(ports) == 3
    assert max(ports) < int(LIMITS.read_text("ascii").split()[0])
