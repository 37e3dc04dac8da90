"""Machines in this machine: network namespaces, each with an address and a cable to one switch, which a test unplugs.

Whoever sends into an unplugged cable gets no answer, and no error either: packets are dropped, not refused. Needs
root and Debian's iproute2. Nothing of it is visible to other programs, and all of it ends with this process.
"""

from __future__ import annotations

import ctypes
import os
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

_NEW_NETWORK = 0x40000000
"""``CLONE_NEWNET``."""
_HERE = "/proc/thread-self/ns/net"
_SWITCH = "switch"
_libc = ctypes.CDLL(None, use_errno=True)


class Network:
    """Some machines, by their names."""

    def __init__(self, names: tuple[str, ...]) -> None:
        assert os.geteuid() == 0, "network namespaces need root here: run this test as root"
        self._names, self._closing = names, ExitStack()
        self._spaces = {name: self._new() for name in (_SWITCH, *names)}
        with self.at(_SWITCH):
            _ip("link add bridge type bridge")
            _ip("link set bridge up")
            for name in names:
                own = f"/proc/{os.getpid()}/fd/{self._spaces[name]}"
                _ip(f"link add {name} type veth peer name cable netns {own}")
                _ip(f"link set {name} master bridge up")
        for name in names:
            with self.at(name):
                _ip("link set lo up")
                _ip(f"address add {self.address(name)}/24 dev cable")
                _ip("link set cable up")

    def _new(self) -> int:
        home = os.open(_HERE, os.O_RDONLY)
        try:
            _checked(_libc.unshare(_NEW_NETWORK))
            made = os.open(_HERE, os.O_RDONLY)
            _checked(_libc.setns(home, _NEW_NETWORK))
        finally:
            os.close(home)
        self._closing.callback(os.close, made)
        return made

    def address(self, name: str) -> str:
        """The address of a machine."""
        return f"10.77.0.{self._names.index(name) + 1}"

    @contextmanager
    def at(self, name: str) -> Iterator[str]:
        """What this thread opens or starts meanwhile is on that machine; returns its address."""
        home = os.open(_HERE, os.O_RDONLY)
        try:
            _checked(_libc.setns(self._spaces[name], _NEW_NETWORK))
            try:
                yield "" if name == _SWITCH else self.address(name)
            finally:
                _checked(_libc.setns(home, _NEW_NETWORK))
        finally:
            os.close(home)

    @contextmanager
    def unplugged(self, name: str) -> Iterator[None]:
        """Nothing reaches a machine meanwhile, and nothing that it sends arrives."""
        with self.at(_SWITCH):
            _ip(f"link set {name} nomaster")
        try:
            yield
        finally:
            with self.at(_SWITCH):
                _ip(f"link set {name} master bridge")

    def close(self) -> None:
        """The machines end with the last process on them."""
        self._closing.close()


def _ip(arguments: str) -> None:
    subprocess.run(["/usr/sbin/ip", *arguments.split()], check=True, capture_output=True, text=True)


def _checked(result: int) -> None:
    if result:
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code))


@contextmanager
def network(*names: str) -> Iterator[Network]:
    """A network of these machines."""
    made = Network(names)
    try:
        yield made
    finally:
        made.close()
