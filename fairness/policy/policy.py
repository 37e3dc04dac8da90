"""Policies: the text in which a verifier says whom it believes (SPEC 5.7; C2SP tlog-policy, with two words of
ours).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Self, TypeAlias

from fairness.beacon.chain import Beacon, Beacons, known_beacons
from fairness.errors import Malformed
from fairness.limits import LARGEST_POLICY, MOST_IN_POLICY
from fairness.log.notes import VerifierKey
from fairness.policy.cosignatures import WitnessKey
from fairness.policy.quorum import Group, Member, Witness

_NONE = "none"
FORMS = {
    "log": "log VKEY [URL]",
    "witness": "witness NAME VKEY [URL]",
    "group": "group NAME all|any|K MEMBER...",
    "quorum": "quorum NAME|none",
    "custodian": "custodian NAME VKEY [URL]",
    "beacon": "beacon HASH PERIOD GENESIS KEY GROUP-HASH ID",
}
_CONTROL = re.compile(rb"[^\t\x20-\x7e\x80-\xff]")
_SPACES = re.compile("[ \t]+")
THRESHOLD = re.compile("[1-9][0-9]{0,3}", re.ASCII)
CUSTODIAN_NAME = re.compile("[a-z0-9-]{1,32}", re.ASCII)


@dataclass(frozen=True, slots=True)
class Custodian:
    """A custodian that signs a note for each batch, and its key."""

    name: str
    """As tables name it."""
    key: VerifierKey
    url: str | None = None


@dataclass(frozen=True, slots=True)
class LogLine:
    """A log that a policy names."""

    key: VerifierKey
    url: str | None = None
    """Its address."""


@dataclass(frozen=True, slots=True)
class Policy:
    """Whom a verifier believes about one log."""

    log: VerifierKey
    quorum: Member | None = None
    """`None` if no witness is demanded."""
    witnesses: tuple[Witness, ...] = ()
    """All that are named, also those that the quorum does not need."""
    custodians: tuple[Custodian, ...] = ()
    beacons: tuple[Beacon, ...] = ()
    url: str | None = None
    """The log's address."""

    @property
    def known_beacons(self) -> Beacons:
        """Quicknet, and the beacons that the policy names, by the names that tables have for them."""
        return known_beacons(self.beacons)

    @classmethod
    def of(cls, trust: Trust) -> Policy:
        """Return a policy as it is; of a bare key, the policy that believes this key and asks for no witness."""
        return trust if isinstance(trust, Policy) else cls(trust)

    @classmethod
    def parse(cls, data: bytes) -> Policy:
        """Read a policy that names one log. Raises `Malformed`, which names the line, what was expected and what was
        found.
        """
        return Policies.parse(data).of()


@dataclass(frozen=True, slots=True)
class Policies:
    """What a policy file says: the same about each of the logs that it names."""

    logs: tuple[LogLine, ...]
    quorum: Member | None
    witnesses: tuple[Witness, ...]
    custodians: tuple[Custodian, ...]
    beacons: tuple[Beacon, ...]

    @classmethod
    def parse(cls, data: bytes) -> Self:
        """Read a policy. Raises `Malformed`, which names the line, what was expected and what was found."""
        if len(data) > LARGEST_POLICY:
            raise Malformed("policy", expected=f"at most {LARGEST_POLICY} bytes", found=len(data))
        reader = _Reader()
        for number, line in enumerate(lines_of(data), 1):
            with _named(number):
                reader.read(words_of(line))
        logs, quorum = reader.whole()
        witnesses, custodians, beacons = reader.witnesses.values(), reader.custodians, reader.beacons
        return cls(logs, quorum, tuple(witnesses), tuple(custodians), tuple(beacons))

    def of(self, *, name: str | None = None, url: str | None = None) -> Policy:
        """Return what it says of the only log, or of the one of this ``name`` or address.

        Raises `Malformed` if there are several and none is chosen, or if none has the name.
        """
        named = [log for log in self.logs if name in {None, log.key.name}]
        found = named if len(named) == 1 else [log for log in named if url is not None and _same(log.url, url)]
        if len(found) != 1:
            expected = f"one of the policy's logs: {', '.join(log.key.name for log in self.logs)}"
            raise Malformed("log", expected=expected, found=name or url or "none")
        return self._of(found[0])

    def of_note(self, note: bytes) -> Policy:
        """Return what it says of the log of a checkpoint that somebody gave; of the first one if it names none of
        them.
        """
        origin = note.partition(b"\n")[0].decode("utf-8", "replace")
        return self._of(next((log for log in self.logs if log.key.name == origin), self.logs[0]))

    def _of(self, log: LogLine) -> Policy:
        return Policy(log.key, self.quorum, self.witnesses, self.custodians, self.beacons, log.url)


def _same(one: str | None, other: str) -> bool:
    return one is not None and one.rstrip("/") == other.rstrip("/")


Trust: TypeAlias = Policy | VerifierKey
"""What a verifier needs besides the log's files: a policy, or only the log's key."""


def lines_of(data: bytes) -> list[bytes]:
    """Return the lines of a policy, without their ends."""
    return data.removesuffix(b"\n").split(b"\n")


@contextmanager
def _named(number: int) -> Iterator[None]:
    """Name a line that is refused."""
    try:
        yield
    except Malformed as error:
        what = f"policy, line {number}" + (f", {error.what}" if error.what else "")
        raise Malformed(what, expected=error.expected, found=error.found) from error


def words_of(line: bytes) -> list[str]:
    """Return the words of a line; none of an empty line or a comment."""
    if found := _CONTROL.search(line):
        raise _refused("no control characters but tabs; lines end in a line feed alone", f"byte {found[0].hex()}")
    # Names are opaque, so bytes that are no UTF-8 are kept as they are.
    text = line.decode("utf-8", "surrogateescape").strip(" \t")
    return [] if not text or text.startswith("#") else _SPACES.split(text)


def _refused(expected: str, found: str) -> Malformed:
    """Return the refusal of a line, with nothing to name but the line."""
    return Malformed("", expected=expected, found=found)


class _Reader:
    """What the lines so far have said."""

    def __init__(self) -> None:
        self.witnesses: dict[str, Witness] = {}
        self.custodians: list[Custodian] = []
        self.beacons: list[Beacon] = []
        self._groups: dict[str, Group] = {}
        self._group_of: dict[str, str] = {}
        """By member, the group that has it."""
        self._logs: list[LogLine] = []
        self._quorum: list[Member | None] = []

    def read(self, words: Sequence[str]) -> None:
        """Read one line. Raises `Malformed`."""
        match words:
            case []:
                pass
            case ["log", vkey, *url] if len(url) <= 1:
                self._add_log(vkey, *url)
            case ["witness", name, vkey, *url] if len(url) <= 1:
                self._add_witness(name, vkey, *url)
            case ["group", name, threshold, *members] if members:
                self._add_group(name, threshold, members)
            case ["quorum", name]:
                self._set_quorum(name)
            case ["custodian", name, vkey, *url] if len(url) <= 1:
                self._add_custodian(name, vkey, *url)
            case ["beacon", *parts]:
                self._add_beacon(parts)
            case [word, *_]:
                expected = FORMS.get(word, f"a line that begins with {', '.join(FORMS)} or #")
                raise _refused(expected, " ".join(words))

    def whole(self) -> tuple[tuple[LogLine, ...], Member | None]:
        """Return the logs, and the quorum. Raises `Malformed` if the policy lacks a line, or if its lines contradict
        each other.
        """
        if not self._logs:
            raise Malformed("policy", expected=f"one line: {FORMS['log']}", found="none")
        if not self._quorum:
            raise Malformed("policy", expected=f"one line: {FORMS['quorum']}", found="none")
        own = {log.key.public_key for log in self._logs}
        for witness in self.witnesses.values():
            if witness.key.public_key in own:
                raise Malformed("policy", expected="witnesses with keys of their own", found=f"a log's: {witness}")
        if self.custodians and len(self._logs) > 1:
            # Every log's own custodian has the same name.
            raise Malformed("policy", expected="one log, for it has custodians", found=f"{len(self._logs)} logs")
        return tuple(self._logs), self._quorum[0]

    def _add_log(self, vkey: str, url: str | None = None) -> None:
        _check_room(self._logs)
        key = VerifierKey.parse(vkey)
        for other in self._logs:
            if other.key.name == key.name or other.key.public_key == key.public_key:
                raise _refused("each log once, with a key of its own", f"that of {other.key.name} again")
        self._logs.append(LogLine(key, url))

    def _add_witness(self, name: str, vkey: str, url: str | None = None) -> None:
        self._check_new(name)
        _check_room(self.witnesses)
        witness = Witness(name, WitnessKey.parse(vkey), url)
        for other in self.witnesses.values():
            if other.key.public_key == witness.key.public_key:
                raise _refused("a key that no other witness has", f"the key of {other}")
        self.witnesses[name] = witness

    def _add_group(self, name: str, threshold: str, members: Sequence[str]) -> None:
        self._check_new(name)
        _check_room(self._groups)
        found = [self._member(each) for each in members]
        for each in members:
            if each in self._group_of:
                raise _refused("each member in one group, and once", f"{each}, a member of {self._group_of[each]}")
            self._group_of[each] = name
        self._groups[name] = Group(name, _number(threshold, len(members)), tuple(found))

    def _set_quorum(self, name: str) -> None:
        if self._quorum:
            raise _refused("one quorum", "a second one")
        self._quorum.append(None if name == _NONE else self._member(name))

    def _add_custodian(self, name: str, vkey: str, url: str | None = None) -> None:
        if not CUSTODIAN_NAME.fullmatch(name):
            raise Malformed("custodian's name", expected="1 to 32 of a-z, 0-9 and -", found=name)
        _check_room(self.custodians)
        custodian = Custodian(name, VerifierKey.parse(vkey), url)
        for other in self.custodians:
            if other.name == name or other.key.public_key == custodian.key.public_key:
                raise _refused("each custodian once, with a key of its own", f"that of {other.name} again")
        self.custodians.append(custodian)

    def _add_beacon(self, parts: Sequence[str]) -> None:
        _check_room(self.beacons)
        beacon = Beacon.parse(parts)
        if beacon in self.beacons:
            raise _refused("each beacon once", f"{parts[0]} again")
        self.beacons.append(beacon)

    def _check_new(self, name: str) -> None:
        if name == _NONE or name in self.witnesses or name in self._groups:
            raise _refused("a new name, and not none", name)

    def _member(self, name: str) -> Member:
        found = self.witnesses.get(name) or self._groups.get(name)
        if found is None:
            raise _refused("the name of a witness or group of an earlier line", name)
        return found


def _check_room(several: Sequence[object] | dict[str, Witness] | dict[str, Group]) -> None:
    if len(several) == MOST_IN_POLICY:
        raise _refused(f"at most {MOST_IN_POLICY} lines of this kind", "one more")


def _number(text: str, members: int) -> int:
    """Return the number of members that a group's third word asks for."""
    if text in {"all", "any"}:
        return members if text == "all" else 1
    if not THRESHOLD.fullmatch(text) or int(text) > members:
        raise _refused(f"all, any, or a number from 1 to {members}, the number of members", text)
    return int(text)
