"""An auditor's state: exactly what was seen, in a file that is complete or absent."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec import Raw

from tests.lies import history
from tests.support.dishonest_operator import KEY
from verifier.audit.audit import audit_log
from verifier.audit.remembered import AuditState
from verifier.audit.state_file import StateDamaged, load_state, save_checked, save_state
from verifier.sources.source import FolderSource


@pytest.fixture(scope="module", name="state")
def _state(tmp_path_factory: pytest.TempPathFactory) -> AuditState:
    return audit_log(FolderSource(history().write(tmp_path_factory.mktemp("log"))), KEY.verifier_key).state


def test_what_is_saved_is_loaded(state: AuditState, tmp_path: Path) -> None:
    """Everything about every table; saving twice gives the same bytes; and no other file is left."""
    file = tmp_path / "state.json"
    assert load_state(file) is None
    save_state(file, state)
    first = file.read_bytes()
    assert load_state(file) == state
    save_state(file, state)
    assert file.read_bytes() == first
    assert list(tmp_path.iterdir()) == [file]


def test_a_leftover_of_a_crash_is_replaced(state: AuditState, tmp_path: Path) -> None:
    """An unfinished file is neither read nor an obstacle."""
    file = tmp_path / "state.json"
    (tmp_path / "state.json.unfinished").write_bytes(b"{")
    assert load_state(file) is None
    save_state(file, state)
    assert load_state(file) == state


def test_every_flipped_byte_is_found(state: AuditState, tmp_path: Path) -> None:
    """No damaged state is trusted."""
    file = tmp_path / "state.json"
    save_state(file, state)
    whole = file.read_bytes()
    for at in range(0, len(whole), 7):
        file.write_bytes(whole[:at] + bytes([whole[at] ^ 4]) + whole[at + 1 :])
        with pytest.raises(StateDamaged, match=r"state\.json"):
            load_state(file)
    for cut in (0, 1, len(whole) // 2, len(whole) - 1):
        file.write_bytes(whole[:cut])
        with pytest.raises(StateDamaged):
            load_state(file)


@pytest.mark.parametrize(
    "change",
    [
        pytest.param(lambda counts: counts.pop("without_bets"), id="one less"),
        pytest.param(lambda counts: counts.update(paid=0), id="one more"),
        pytest.param(lambda counts: counts.update(played=counts.pop("played")), id="in another order"),
    ],
)
def test_what_another_version_remembers_is_not_taken_for_this_ones(
    change: Callable[[dict[str, int]], object], state: AuditState, tmp_path: Path
) -> None:
    """A count that it did not make would be nought here. Its checksum holds, so only its form shows that."""
    plain, file = json.loads(msgspec.json.encode(state)), tmp_path / "state.json"
    change(next(iter(plain["tables"].values()))["counts"])
    save_checked(file, Raw(msgspec.json.encode(plain)))
    with pytest.raises(StateDamaged, match="of another version of this program"):
        load_state(file)


@pytest.mark.parametrize("character", [b"\xff", b"\xed\xa0\x80", b"\0"])
def test_text_that_is_no_text_is_no_state(character: bytes, state: AuditState, tmp_path: Path) -> None:
    """Also if only a string of the JSON is damaged, for which its reader raises another error. Found by fuzzing."""
    file = tmp_path / "state.json"
    save_state(file, state)
    file.write_bytes(file.read_bytes().replace(b"fore.example", b"fore" + character + b"example"))
    with pytest.raises(StateDamaged, match="no state file"):
        load_state(file)


@pytest.mark.parametrize("key", ["state", "sha256", "v", "other"])
@pytest.mark.parametrize("opening", ["[", '{"a":'])
def test_deep_json_is_no_state(key: str, opening: str, tmp_path: Path) -> None:
    """A hundred thousand brackets are reported as damage."""
    file = tmp_path / "state.json"
    file.write_text(f'{{"{key}":{opening * 100_000}')
    with pytest.raises(StateDamaged, match="no state file"):
        load_state(file)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.binary() | st.text().map(str.encode))
def test_hostile_bytes_are_no_state(data: bytes, tmp_path: Path) -> None:
    """They raise only our own error."""
    file = tmp_path / "state.json"
    file.write_bytes(data)
    with pytest.raises(StateDamaged):
        load_state(file)
