"""The operator's policy: the file of the setting, read again whenever it is exchanged (SPEC 5.7).

A file that is no policy of this log, does not go with the settings, or is gone, changes nothing: the last good one
stays in force, and `trouble` says why. The program that publishes keeps a copy of it, for processes that start in the
meantime.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator
from pathlib import Path

from api.settings import ADDRESS, Settings, SettingsError
from api.world.durable import write_durably
from api.world.published.published_log import PublishedLog
from fairness.errors import Malformed, Missing, quote
from fairness.hashing import sha256
from fairness.limits import WITNESSED_BEFORE
from fairness.log.checkpoints import CHECKPOINT
from fairness.log.notes import Note, VerifierKey
from fairness.policy.policy import Policy, Trust
from fairness.policy.quorum import Member, Witness

LEAST_WAIT = WITNESSED_BEFORE + 5
"""Seconds from a batch to its pulse: witnesses need some of them."""

_Stamp = tuple[int, int, int]

_logger = logging.getLogger("foredraw.witnesses")


class PolicyFile:
    """What one process of the service demands of a checkpoint before it counts as published."""

    def __init__(self, settings: Settings, key: VerifierKey) -> None:
        """Raises `SettingsError` if the file cannot be used, and there is no copy of a good one either."""
        self.key = key
        """The log's."""
        self.is_demo = settings.policy == settings.demo_policy
        """Whether it is the policy of a demo, whose outsiders all run on this machine."""
        self._settings, self._path = settings, settings.policy
        self._policy: Policy | None = None
        self._data = b""
        """The file of the policy in force."""
        self._stamp: _Stamp | None = None
        self._keeps = False
        self.trouble: str | None = None
        """Why the file that is there now is not in force; `None` if it is."""
        if self._path is not None:
            self._stamp = _stamp(self._path)
            try:
                self._take(self._path)
            except SettingsError as error:
                self._take_kept(error)

    def trust(self) -> Trust:
        """Return the policy of the present file; without one, the log's key."""
        if self._path is not None and (stamp := _stamp(self._path)) != self._stamp:
            # If the file is replaced again before it is read, the next call sees that.
            self._stamp = stamp
            try:
                self._take(self._path)
            except SettingsError as error:
                self._complain(error)
        return self.key if self._policy is None else self._policy

    def policy(self) -> Policy | None:
        """Return the present policy, if it demands witnesses."""
        trust = self.trust()
        return trust if isinstance(trust, Policy) and trust.quorum is not None else None

    @property
    def digest(self) -> str | None:
        """SHA-256 of the file in force, in hexadecimal; `None` without a policy."""
        self.trust()
        return None if self._policy is None else sha256(self._data).hex()

    def remarks(self) -> Iterator[str]:
        """Yield what is allowed, and what an operator may not have meant."""
        trust, beacon = self.trust(), self._settings.beacon
        if not isinstance(trust, Policy):
            return
        if trust.quorum is None:
            yield f"{self._path} demands no witness (quorum none): everything is published at once"
        if beacon is not None and beacon not in trust.beacons:
            yield (
                f"{self._path} does not name the beacon of FOREDRAW_BEACON: whoever checks with it cannot check the salts of"
                f" that beacon, and finds their rounds unknown. Add the line: beacon {beacon}"
            )

    def check_not_forgotten(self, log: PublishedLog) -> None:
        """Raise `SettingsError`, before anything is published, if the log has been cosigned, and no policy is set."""
        if self._path is not None:
            return
        try:
            lines = Note.parse(log.read(CHECKPOINT)).lines
        except (Missing, Malformed):
            return
        others = [line.name for line in lines if line.name != self.key.name]
        # Without a line of ours it is another log's, as whoever opens it says.
        if others and len(others) < len(lines):
            raise SettingsError(
                f"the log's checkpoint has cosignatures ({', '.join(map(quote, others))}), and no policy is set: set"
                " FOREDRAW_POLICY to the policy's file; or, to go on without witnesses on purpose, to one with `quorum none`"
            )

    def keep(self) -> None:
        """Keep, from now on, a copy of the policy in force: for the one program that publishes."""
        self._keeps = True
        self._copy()

    def _take(self, path: Path) -> None:
        """Put the policy of this file in force. Raises `SettingsError`, and changes nothing, if it cannot be."""
        data, policy = _read(path, self.key)
        _check_rates(self._settings, policy)
        if policy.quorum is not None:
            _check_waits(self._settings)
        self._data, self._policy, self.trouble = data, policy, None
        self._copy()

    def _take_kept(self, why: SettingsError) -> None:
        """Put the copy in force, because a process starts while the file is bad. Raises ``why`` if it is no
        better.
        """
        try:
            self._take(self._settings.kept_policy)
        except SettingsError:
            raise why from None
        self._complain(why)

    def _complain(self, why: SettingsError) -> None:
        self.trouble = f"{why}. Until then, the last policy that could be used stays in force"

    def _copy(self) -> None:
        """Write the copy; a crash here leaves the old one or the new one."""
        kept = self._settings.kept_policy
        if not self._keeps or self._policy is None:
            return
        try:
            if not kept.exists() or kept.read_bytes() != self._data:
                write_durably(kept, self._data)
        except OSError as error:
            # The policy is in force all the same.
            _logger.warning("%s, the copy of the policy, cannot be written: %s", kept, error.strerror)

    def text(self, url: str | None = None) -> str:
        """Return the file of the policy in force; with ``url`` as the log's address, if it names none."""
        self.trust()
        lines = self._data.decode("utf-8", "surrogateescape").split("\n")
        bare = [at for at, line in enumerate(lines) if line.split() == ["log", str(self.key)]]
        if url is not None and bare:
            lines[bare[0]] += f" {url}"
        return "\n".join(lines)


def _stamp(path: Path) -> _Stamp | None:
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_ino, status.st_mtime_ns, status.st_size


def _read(path: Path, key: VerifierKey) -> tuple[bytes, Policy]:
    try:
        policy = Policy.parse(data := path.read_bytes())
    except OSError as error:
        raise SettingsError(
            f"the policy {path} (FOREDRAW_POLICY) cannot be read ({error.strerror}): put it there"
        ) from error
    except Malformed as error:
        raise SettingsError(f"{path} (FOREDRAW_POLICY) is no policy: {error}. Correct it") from error
    if policy.log != key:
        raise SettingsError(
            f"{path} (FOREDRAW_POLICY) is the policy of another log: expected the line `log {key}`, found {policy.log}."
            " Set FOREDRAW_POLICY to this log's policy"
        )
    for witness in members(policy.quorum):
        if witness.url is None or not ADDRESS.fullmatch(witness.url):
            raise SettingsError(
                f"{path} (FOREDRAW_POLICY): the witness {quote(witness.name)} can count towards the quorum, so the service"
                f" must be able to ask it: add its address, like https://witness.example, at the end of its line"
            )
    return data, policy


def _check_rates(settings: Settings, policy: Policy) -> None:
    names = {witness.name for witness in policy.witnesses}
    for name, _ in settings.witness_rates:
        if name not in names:
            raise SettingsError(f"FOREDRAW_WITNESS_RATES: the policy has no witness {quote(name)}")


def _check_waits(settings: Settings) -> None:
    """Refuse times of which a batch's pulse comes too soon could never be witnessed in time."""
    for name, wait in (("FIRST", settings.first_pulse), ("LATER", settings.later_pulse)):
        if wait < LEAST_WAIT:
            raise SettingsError(
                f"FOREDRAW_{name}_PULSE: with a policy that demands witnesses, expected at least {LEAST_WAIT} seconds, found"
                f" {wait}: they must see a batch {WITNESSED_BEFORE} seconds before its pulse"
            )


def members(quorum: Member | None) -> Iterator[Witness]:
    """Yield the witnesses that can count towards a quorum."""
    if isinstance(quorum, Witness):
        yield quorum
    elif quorum is not None:
        for member in quorum.members:
            yield from members(member)
