"""The file of a witness's secret key: one line, in the manner of Go's ``sumdb/note``, readable by its owner alone."""

from __future__ import annotations

import os
import stat
from dataclasses import dataclass, field
from pathlib import Path
from typing import Self

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from fairness.errors import Malformed
from fairness.log.ed25519 import KEY_SIZE
from fairness.policy.cosignatures import WitnessKey
from fairness.spelling import base64_text, parse_base64

_PRIVATE = "PRIVATE+KEY+"
_MODE = 0o600
_LARGEST = 4096


@dataclass(frozen=True, slots=True)
class CosigningKey:
    """A witness's secret key, and the name under which it cosigns."""

    name: str
    secret: bytes = field(repr=False)
    """32 bytes."""
    key: WitnessKey = field(init=False)
    """The public half. It is made once: to check a key costs as much as to sign."""

    def __post_init__(self) -> None:
        if len(self.secret) != KEY_SIZE:
            raise ValueError(f"a signing key has {KEY_SIZE} bytes")
        public = self._private.public_key().public_bytes_raw()
        object.__setattr__(self, "key", WitnessKey(self.name, public))

    @property
    def _private(self) -> Ed25519PrivateKey:
        return Ed25519PrivateKey.from_private_bytes(self.secret)

    def sign(self, message: bytes) -> bytes:
        """Return the signature, 64 bytes."""
        return self._private.sign(message)

    def secret_text(self) -> str:
        """Return the content of the file, without its line feed."""
        key_id = self.key.key_id.hex()
        return f"{_PRIVATE}{self.name}+{key_id}+{base64_text(WitnessKey.TYPE + self.secret)}"

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read a key's file. Raises `Malformed`, which never quotes the secret."""
        try:
            name, _, encoded = text.removeprefix(_PRIVATE).split("+", 2)
            typed = parse_base64(encoded.encode("ascii"), what="key", size=1 + KEY_SIZE)
            key = cls(name, typed[1:])
            if key.secret_text() == text:
                return key
        except (Malformed, ValueError):
            pass
        raise Malformed("key of a witness", expected=f"{_PRIVATE}name+id+key, of type 04", found="something else")


def can_hold_keys() -> bool:
    """Return whether this program has code that signs; the one-file verifier has not."""
    return hasattr(Ed25519PrivateKey, "generate")


def make_key(name: str) -> CosigningKey:
    """Make a new key. Raises `Malformed` for a false name."""
    return CosigningKey(name, Ed25519PrivateKey.generate().private_bytes_raw())


def make_key_file(file: Path, name: str) -> CosigningKey:
    """Make a new key in a new file. Raises `OSError`, if there is a file already too, and `Malformed` for a false
    name.
    """
    key = make_key(name)
    # A crash leaves at worst a file whose key nobody has seen.
    opened = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, _MODE)
    with os.fdopen(opened, "w", encoding="ascii") as writing:
        writing.write(f"{key.secret_text()}\n")
        writing.flush()
        os.fsync(opened)
    return key


def read_key_file(file: Path) -> CosigningKey:
    """Read the key. Raises `OSError`, and `Malformed` for a file that others can read, or that is no key."""
    with file.open("rb") as opened:
        mode = stat.S_IMODE(os.fstat(opened.fileno()).st_mode)
        if mode & 0o077:
            raise Malformed(f"the mode of {file}", expected="600: nobody else may read it", found=f"{mode:o}")
        data = opened.read(_LARGEST)
    return CosigningKey.parse(data.decode("ascii", "replace").removesuffix("\n"))
