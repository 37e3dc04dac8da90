"""Policies: the text in which a verifier says whom it believes (SPEC 5.7; C2SP tlog-policy, with two words of ours)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self, TypeAlias

from fairness.beacon.chain import Beacon, Beacons, known_beacons
from fairness.errors import Malformed
from fairness.limits import LARGEST_POLICY, MOST_IN_POLICY
from fairness.log.notes import VerifierKey
from fairness.policy.cosignatures import WitnessKey
from fairness.policy.quorum import Group, Member, Witness

_NONE = "none"
_FORMS = {
    "log": "log VKEY [URL]",
    "witness": "witness NAME VKEY [URL]",
    "group": "group NAME all|any|K MEMBER...",
    "quorum": "quorum NAME|none",
    "custodian": "custodian NAME VKEY [URL]",
    "beacon": "beacon HASH PERIOD GENESIS KEY GROUP-HASH ID",
}
_CONTROL = re.compile(rb"[^\t\x20-\x7e\x80-\xff]")
_SPACES = re.compile("[ \t]+")
_THRESHOLD = re.compile("[1-9][0-9]{0,3}", re.ASCII)
_CUSTODIAN = re.compile("[a-z0-9-]{1,32}", re.ASCII)


@dataclass(frozen=True, slots=True)
class Custodian:
    """A custodian that signs a note for each batch, and its key."""

    name: str
    """As tables name it."""
    key: VerifierKey
    url: str | None = None


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
        """A policy as it is; of a bare key, the policy that believes this key and asks for no witness."""
        return trust if isinstance(trust, Policy) else cls(trust)

    @classmethod
    def parse(cls, data: bytes) -> Self:
        """Read a policy. Raises `Malformed`, which names the line, what was expected and what was found."""
        if len(data) > LARGEST_POLICY:
            raise Malformed("policy", expected=f"at most {LARGEST_POLICY} bytes", found=len(data))
        reader = _Reader()
        for number, line in enumerate(data.removesuffix(b"\n").split(b"\n"), 1):
            try:
                reader.read(_words(line))
            except Malformed as error:
                what = f"policy, line {number}" + (f", {error.what}" if error.what else "")
                raise Malformed(what, expected=error.expected, found=error.found) from error
        log, url, quorum = reader.whole()
        return cls(
            log, quorum, tuple(reader.witnesses.values()), tuple(reader.custodians), tuple(reader.beacons), url
        )


Trust: TypeAlias = Policy | VerifierKey
"""What a verifier needs besides the log's files: a policy, or only the log's key."""


def _words(line: bytes) -> list[str]:
    """The words of a line; none of an empty line or a comment."""
    if found := _CONTROL.search(line):
        raise _refused("no control characters but tabs; lines end in a line feed alone", f"byte {found[0].hex()}")
    # Names are opaque, so bytes that are no UTF-8 are kept as they are.
    text = line.decode("utf-8", "surrogateescape").strip(" \t")
    return [] if not text or text.startswith("#") else _SPACES.split(text)


def _refused(expected: str, found: str) -> Malformed:
    """The refusal of a line, with nothing to name but the line."""
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
        self._log: tuple[VerifierKey, str | None] | None = None
        self._quorum: list[Member | None] = []

    def read(self, words: Sequence[str]) -> None:
        """One line. Raises `Malformed`."""
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
                expected = _FORMS.get(word, f"a line that begins with {', '.join(_FORMS)} or #")
                raise _refused(expected, " ".join(words))

    def whole(self) -> tuple[VerifierKey, str | None, Member | None]:
        """The log's key and address, and the quorum. Raises `Malformed` if the policy lacks a line."""
        if self._log is None:
            raise Malformed("policy", expected=f"one line: {_FORMS['log']}", found="none")
        if not self._quorum:
            raise Malformed("policy", expected=f"one line: {_FORMS['quorum']}", found="none")
        key, url = self._log
        for witness in self.witnesses.values():
            if witness.key.public_key == key.public_key:
                raise Malformed("policy", expected="witnesses with keys of their own", found=f"the log's: {witness}")
        return key, url, self._quorum[0]

    def _add_log(self, vkey: str, url: str | None = None) -> None:
        if self._log is not None:
            raise _refused("one log", "a second one")
        self._log = VerifierKey.parse(vkey), url

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
        if not _CUSTODIAN.fullmatch(name):
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
    """The number of members that a group's third word asks for."""
    if text in {"all", "any"}:
        return members if text == "all" else 1
    if not _THRESHOLD.fullmatch(text) or int(text) > members:
        raise _refused(f"all, any, or a number from 1 to {members}, the number of members", text)
    return int(text)
