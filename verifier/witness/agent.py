"""The protocol of ssh-agent, as far as a witness needs it: which keys there are, and a signature by one of them.

Each message is a length of four bytes and that many bytes, of which the first is its type; every string inside has a
length of four bytes, too (draft-ietf-sshm-ssh-agent). The secret key never leaves the agent.
"""

from __future__ import annotations

import socket
from base64 import b64encode
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from fairness.hashing import sha256, u32

_LIST, _KEYS = 11, 12
_SIGN, _SIGNED = 13, 14
_ED25519 = b"ssh-ed25519"
_LARGEST = 1 << 18
_PATIENCE = 5.0
"""Seconds for an answer. An agent that asks a person for each signature cannot serve a witness."""
_LENGTH = 4


class AgentFailed(Exception):
    """The agent cannot be reached, refuses, or answers something else."""


@dataclass(frozen=True, slots=True)
class AgentKey:
    """An Ed25519 key that an agent holds."""

    public_key: bytes
    """32 bytes."""
    comment: str

    @property
    def blob(self) -> bytes:
        """The key in SSH's spelling."""
        return _string(_ED25519) + _string(self.public_key)

    @property
    def fingerprint(self) -> str:
        """As ``ssh-add -l`` prints it."""
        return f"SHA256:{b64encode(sha256(self.blob)).decode().rstrip('=')}"


class Agent:
    """The agent behind a socket. Each call makes a connection of its own, so an agent may be restarted."""

    def __init__(self, path: str | Path) -> None:
        self._path = str(path)

    def keys(self) -> list[AgentKey]:
        """Return the agent's Ed25519 keys. Raises `AgentFailed`."""
        answer = self._ask(bytes([_LIST]), _KEYS)
        parts = list(_strings(answer[_LENGTH:]))
        found = []
        for blob, comment in zip(parts[::2], parts[1::2], strict=False):
            kind, *rest = _strings(blob)
            if kind == _ED25519 and len(rest) == 1:
                found.append(AgentKey(rest[0], comment.decode("utf-8", "replace")))
        return found

    def sign(self, key: AgentKey, message: bytes) -> bytes:
        """Return the Ed25519 signature over ``message``, 64 bytes. Raises `AgentFailed`."""
        answer = self._ask(bytes([_SIGN]) + _string(key.blob) + _string(message) + u32(0), _SIGNED)
        match [*_strings(answer)]:
            case [inner]:
                match [*_strings(inner)]:
                    case [kind, signature] if kind == _ED25519:
                        return signature
        raise AgentFailed("the ssh-agent answers no Ed25519 signature")

    def _ask(self, message: bytes, kind: int) -> bytes:
        """Return the rest of an answer that must be of this ``kind``."""
        try:
            with socket.socket(socket.AF_UNIX) as connection:
                connection.settimeout(_PATIENCE)
                connection.connect(self._path)
                connection.sendall(_string(message))
                size = int.from_bytes(_receive(connection, _LENGTH))
                if not 0 < size <= _LARGEST:
                    raise AgentFailed("the ssh-agent answers something else")
                answer = _receive(connection, size)
        except OSError as error:
            raise AgentFailed(f"the ssh-agent at {self._path}: {error.strerror or error}") from error
        if answer[0] != kind:
            raise AgentFailed("the ssh-agent refuses: it does not have the key, or is locked")
        return answer[1:]


def _receive(connection: socket.socket, size: int) -> bytes:
    data = b""
    while len(data) < size:
        more = connection.recv(size - len(data))
        if not more:
            raise AgentFailed("the ssh-agent ended the connection")
        data += more
    return data


def _string(data: bytes) -> bytes:
    return u32(len(data)) + data


def _strings(data: bytes) -> Iterator[bytes]:
    at = 0
    while at < len(data):
        size = int.from_bytes(data[at : at + _LENGTH])
        at += _LENGTH + size
        if at > len(data):
            raise AgentFailed("the ssh-agent answers a string that is cut off")
        yield data[at - size : at]
