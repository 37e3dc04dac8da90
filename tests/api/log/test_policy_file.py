"""The operator's policy as a setting: what is refused at the start, and what an exchange changes."""

from __future__ import annotations

from pathlib import Path

import pytest

from api.log.policy_file import LEAST_WAIT, PolicyFile
from api.settings import Settings, SettingsError
from fairness.log.notes import SigningKey, VerifierKey
from tests.support.small_disk import small_disk
from tests.support.witnesses import LAB, policy_text

KEY = SigningKey("fore.example/log", bytes(range(32))).verifier_key
OTHER = SigningKey("fore.example/log", bytes(32)).verifier_key


def text(key: VerifierKey = KEY, url: str = " https://lab.example/w", quorum: str = "lab") -> str:
    """A policy with one witness."""
    return f"log {key}\nwitness lab {LAB.key}{url}\nquorum {quorum}\n"


OTHERS = text().replace("witness lab ", "witness press ").replace("quorum lab", "quorum press")


def opened(path: Path, content: str | None, **settings: object) -> PolicyFile:
    """The policy of settings with this file."""
    if content is not None:
        path.write_text(content, encoding="utf-8")
    return PolicyFile(Settings(path.parent, policy=path, **settings), KEY)  # type: ignore[arg-type]  # its fields


def test_without_a_policy_the_key_decides(tmp_path: Path) -> None:
    """Everything is as it was before there were policies."""
    file = PolicyFile(Settings(tmp_path), KEY)
    assert file.trust() is KEY
    assert file.policy() is None


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (None, "cannot be read"),
        ("quorum none\n", "is no policy: .*log VKEY"),
        (text(OTHER), f"another log: expected the line `log {KEY.name}"),
        (text(url=""), "the witness lab can count towards the quorum.*add its address"),
        (text(url=" ftp://lab.example"), "add its address"),
        (text(url=" https://user:word@lab.example"), "add its address"),
    ],
)
def test_what_is_no_policy_of_this_log_is_refused(content: str | None, message: str, tmp_path: Path) -> None:
    """The message names the file and says what to do."""
    with pytest.raises(SettingsError, match=message.replace("+", r"\+")) as refused:
        opened(tmp_path / "policy", content)
    assert str(tmp_path / "policy") in str(refused.value)


def test_a_witness_that_does_not_count_needs_no_address(tmp_path: Path) -> None:
    """`quorum none` demands nobody."""
    file = opened(tmp_path / "policy", text(url="", quorum="none"))
    assert file.policy() is None


def test_a_rate_for_nobody_is_refused(tmp_path: Path) -> None:
    """A misspelt name would break what was agreed with the witness."""
    assert opened(tmp_path / "policy", text(), witness_rates=(("lab", 5.0),)).policy() is not None
    with pytest.raises(SettingsError, match="no witness lap"):
        opened(tmp_path / "policy", text(), witness_rates=(("lap", 5.0),))


@pytest.mark.parametrize("name", ["first", "later"])
def test_a_pulse_that_comes_before_any_witness_can_see_its_batch_is_refused(name: str, tmp_path: Path) -> None:
    """No round of its batches could ever be opened."""
    assert opened(tmp_path / "policy", text(), **{f"{name}_pulse": LEAST_WAIT}).policy() is not None
    with pytest.raises(SettingsError, match=f"FOREDRAW_{name.upper()}_PULSE.*at least {LEAST_WAIT} seconds"):
        opened(tmp_path / "policy", text(), **{f"{name}_pulse": LEAST_WAIT - 1})
    opened(tmp_path / "policy", text(quorum="none"), **{f"{name}_pulse": LEAST_WAIT - 1})


@pytest.mark.parametrize("bad", ["nonsense\n", text(OTHER), None])
def test_an_exchange_is_noticed_and_a_bad_file_changes_nothing(bad: str | None, tmp_path: Path) -> None:
    """The last good policy stays in force, and `trouble` says why."""
    path = tmp_path / "policy"
    file = opened(path, text())
    first = file.policy()
    assert first is not None
    assert file.policy() is first
    if bad is None:
        path.unlink()
    else:
        path.write_text(bad, encoding="utf-8")
    assert file.policy() is first
    assert "stays in force" in str(file.trouble)
    path.write_bytes(policy_text(KEY).replace(b"\ngroup", b" http://127.0.0.1:1/\ngroup"))
    assert file.policy() is first
    path.write_text(text(url=" https://lab.example/elsewhere"), encoding="utf-8")
    assert file.policy() != first
    assert file.trouble is None


@pytest.mark.parametrize(
    ("rates", "found"), [("lab=5", (("lab", 5.0),)), ("lab=5, public=0.1", (("lab", 5.0), ("public", 0.1)))]
)
def test_settings_of_the_environment(
    rates: str, found: object, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The file's name, and the rates."""
    monkeypatch.setenv("FOREDRAW_POLICY", str(tmp_path / "policy"))
    monkeypatch.setenv("FOREDRAW_WITNESS_RATES", rates)
    settings = Settings.from_environment(str(tmp_path))
    assert (settings.policy, settings.witness_rates) == (tmp_path / "policy", found)


@pytest.mark.parametrize("rates", ["lab", "lab=", "lab=0", "lab=-1", "lab=1e3", "=5", "lab=5;x=1"])
def test_rates_have_one_form(rates: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The refusal shows the form."""
    monkeypatch.setenv("FOREDRAW_WITNESS_RATES", rates)
    with pytest.raises(SettingsError, match=r"like lab=5,public=0\.1"):
        Settings.from_environment("data")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"witness_rates": (("lab", 5.0),)}, "no witness lab"),
        ({"first_pulse": LEAST_WAIT - 1}, "FOREDRAW_FIRST_PULSE"),
        ({"later_pulse": LEAST_WAIT - 1}, "FOREDRAW_LATER_PULSE"),
    ],
)
def test_an_exchange_must_go_with_the_settings(change: dict[str, object], message: str, tmp_path: Path) -> None:
    """Otherwise the file is taken now, and refused by the next start."""
    path = tmp_path / "policy"
    file = opened(path, text(quorum="none"), **change)
    path.write_text(OTHERS, encoding="utf-8")
    assert file.policy() is None
    assert message in str(file.trouble)
    assert "stays in force" in str(file.trouble)


@pytest.mark.parametrize("bad", ["nonsense\n", text(OTHER), OTHERS, None])
def test_a_process_that_starts_while_the_file_is_bad_uses_the_copy(bad: str | None, tmp_path: Path) -> None:
    """A worker that is restarted goes on with the last good policy, and reports why; then with the next good one."""
    path, rates = tmp_path / "policy", {"witness_rates": (("lab", 5.0),)}
    publishing = opened(path, text(), **rates)
    publishing.keep()
    path.write_text(good := text(url=" https://lab.example/elsewhere"), encoding="utf-8")
    policy = publishing.policy()
    if bad is None:
        path.unlink()
    else:
        path.write_text(bad, encoding="utf-8")
    later = opened(path, None, **rates)
    assert later.policy() == policy
    assert later.text() == good
    assert "stays in force" in str(later.trouble)
    path.write_text(text(), encoding="utf-8")
    assert later.policy() != policy
    assert later.trouble is None


def test_only_the_program_that_publishes_keeps_a_copy(tmp_path: Path) -> None:
    """A command that was given another file must not change what a restarted worker believes."""
    publishing = opened(tmp_path / "policy", text())
    publishing.keep()
    opened(tmp_path / "other", text(url=" https://other.example"))
    (tmp_path / "policy").unlink()
    assert opened(tmp_path / "policy", None).policy() == publishing.policy()


def test_a_copy_of_another_log_is_no_help(tmp_path: Path) -> None:
    """The message is about the file."""
    (tmp_path / "policy.last").write_text(text(OTHER), encoding="utf-8")
    with pytest.raises(SettingsError, match=r"/policy \(FOREDRAW_POLICY\) cannot be read"):
        opened(tmp_path / "policy", None)


def test_a_copy_that_cannot_be_written_stops_nothing(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """The policy is in force without it."""
    (tmp_path / "policy.last").mkdir()
    file = opened(tmp_path / "policy", text())
    file.keep()
    assert file.policy() is not None
    assert "cannot be written" in caplog.text


def test_a_full_disk_leaves_the_copy_as_it_was(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """The new policy is in force all the same, the messages say that the copy is old, and the next one is copied
    again.
    """
    settings = Settings(tmp_path / "data", policy=tmp_path / "policy")
    settings.folder.mkdir()
    (tmp_path / "policy").write_text(text(), encoding="utf-8")
    file = PolicyFile(settings, KEY)
    file.keep()
    assert settings.kept_policy.read_text("utf-8") == text()
    with small_disk(settings.folder) as disk:
        disk.fill()
        (tmp_path / "policy").write_text(OTHERS, encoding="utf-8")
        policy = file.policy()
        assert policy is not None
        assert [witness.name for witness in policy.witnesses] == ["press"]
        assert file.trouble is None
        assert settings.kept_policy.read_text("utf-8") == text()
        assert "policy.last, the copy of the policy, cannot be written: No space left on device" in caplog.text
        disk.make_room()
        (tmp_path / "policy").write_text(OTHERS + "\n", encoding="utf-8")
        file.trust()
        assert settings.kept_policy.read_text("utf-8") == OTHERS + "\n"
