"""Signed notes of C2SP (signed-note 1.0.0), and the keys that sign and verify them (SPEC 5.1).

A note is text, an empty line, and one line per signature::

    foredraw.example/log
    750
    gQUvbQKTKm9IQ956psrRdA9nPhPlrLcBFURqFtKP8x0=

— foredraw.example/log Az3grlgtzPICa5OS8npVmf1Myq/5IZniMp+ZJurmRDeOoRDe4URYN7u5/Zhcyv2q1gGzGku9nTo+zyWE+xeMcTOAYQ8=

Signatures by keys that the reader does not know are ignored, as the format demands: that is how
witnesses add theirs.
"""

from __future__ import annotations

from base64 import b64decode
from dataclasses import dataclass, field
from typing import ClassVar, Self

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from fairness.checks import Check
from fairness.errors import CheckFailed, Malformed, NotThisLogs
from fairness.hashing import parse_hex, sha256
from fairness.limits import LARGEST_NOTE, MOST_SIGNATURES
from fairness.log.ed25519 import KEY_SIZE, check_public_key, verify
from fairness.spelling import base64_text, parse_base64

_ED25519 = b"\x01"
_KEY_ID_SIZE = 4
_ENCODED_KEY_ID = 8
"""Characters of Base64 that hold a key id, and two bytes more."""
_DASH = "\N{EM DASH} "
_PRIVATE = "PRIVATE+KEY+"


def _check_name(name: str) -> None:
    if not name or "+" in name or any(character.isspace() for character in name):
        raise Malformed("key name", expected="no space and no plus", found=name)


def _check_own_name(name: str) -> None:
    """Check that a key that we make or trust has a name of printable ASCII; strangers' signatures may have others."""
    _check_name(name)
    if not (name.isascii() and name.isprintable()):
        raise Malformed("key name", expected="printable ASCII", found=name)


def _key_id(name: str, typed_key: bytes) -> bytes:
    return sha256(name.encode() + b"\n" + typed_key)[:_KEY_ID_SIZE]


@dataclass(frozen=True, slots=True)
class Ed25519Key:
    """A public key as ``name+keyid+base64``, a *vkey*. Its type is the first byte of what is encoded."""

    name: str
    public_key: bytes

    TYPE: ClassVar[bytes]
    """One byte: what the key signs."""
    KIND: ClassVar[str]
    """The type in words, for errors."""

    def __post_init__(self) -> None:
        _check_own_name(self.name)
        check_public_key(self.public_key)

    @property
    def key_id(self) -> bytes:
        """Four bytes that find the key's line among a note's signatures."""
        return _key_id(self.name, self.TYPE + self.public_key)

    def __str__(self) -> str:
        return f"{self.name}+{self.key_id.hex()}+{base64_text(self.TYPE + self.public_key)}"

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read a vkey. Raises `Malformed` for another spelling, type or key id, and for a key of small order."""
        name, key_id, encoded = _three_parts(text, "verifier key")
        typed_key = parse_base64(encoded, what="verifier key", size=1 + KEY_SIZE)
        if typed_key[:1] != cls.TYPE:
            raise Malformed("verifier key", expected=cls.KIND, found=f"type {typed_key[:1].hex()}")
        key = cls(name, typed_key[1:])
        if key.key_id != key_id:
            raise Malformed("verifier key", expected=f"key id {key.key_id.hex()}", found=key_id.hex())
        return key


@dataclass(frozen=True, slots=True)
class VerifierKey(Ed25519Key):
    """Who may sign a log's checkpoints."""

    TYPE = _ED25519
    KIND = "an Ed25519 key (type 01)"


@dataclass(frozen=True, slots=True)
class SigningKey:
    """The log's secret key: made by the service, kept in a file of its own, never shown."""

    name: str
    secret: bytes = field(repr=False)
    verifier_key: VerifierKey = field(init=False, repr=False, compare=False)
    """The public half. It is computed once, because every checkpoint names it."""

    def __post_init__(self) -> None:
        _check_own_name(self.name)
        if len(self.secret) != KEY_SIZE:
            raise ValueError(f"a signing key has {KEY_SIZE} bytes")
        public = Ed25519PrivateKey.from_private_bytes(self.secret).public_key().public_bytes_raw()
        object.__setattr__(self, "verifier_key", VerifierKey(self.name, public))

    def secret_text(self) -> str:
        """Return the key's file, in the form that Go's ``sumdb/note`` reads."""
        key_id = self.verifier_key.key_id.hex()
        return f"{_PRIVATE}{self.name}+{key_id}+{base64_text(_ED25519 + self.secret)}"

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read a key's file. The error never quotes the secret."""
        try:
            if not text.startswith(_PRIVATE):
                raise Malformed("signing key", expected=_PRIVATE, found="")
            name, key_id, encoded = _three_parts(text.removeprefix(_PRIVATE), "signing key")
            key = cls(name, parse_base64(encoded, what="signing key", size=1 + KEY_SIZE)[1:])
            if key.secret_text() != text or key.verifier_key.key_id != key_id:
                raise Malformed("signing key", expected="its own spelling", found="")
        except Malformed:
            raise Malformed("signing key", expected=f"{_PRIVATE}name+keyid+base64", found="something else") from None
        return key

    def sign(self, text: str) -> bytes:
        """Return the note over ``text``, which ends in a line feed."""
        if not text.endswith("\n"):
            raise ValueError("a note's text ends in a line feed")
        signature = Ed25519PrivateKey.from_private_bytes(self.secret).sign(text.encode())
        line = f"{_DASH}{self.name} {base64_text(self.verifier_key.key_id + signature)}\n"
        return f"{text}\n{line}".encode()


def _three_parts(text: str, what: str) -> tuple[str, bytes, bytes]:
    match text.split("+", 2):
        case [name, key_id, key] if text.isascii():
            return name, parse_hex(key_id, _KEY_ID_SIZE), key.encode()
    raise Malformed(what, expected="name+keyid+base64", found=text)


@dataclass(frozen=True, slots=True)
class SignatureLine:
    """A line below a note's text."""

    name: str
    key_id: bytes
    signature: bytes

    @classmethod
    def parse(cls, line: str) -> Self:
        """Read a line. Raises `Malformed`."""
        name, space, encoded = line.removeprefix(_DASH).partition(" ")
        if not line.startswith(_DASH) or not space or not encoded.isascii():
            raise Malformed("signature line", expected=f"{_DASH}NAME BASE64", found=line)
        _check_name(name)
        value = parse_base64(encoded.encode(), what="signature line")
        if len(value) <= _KEY_ID_SIZE:
            raise Malformed("signature line", expected="a key id and a signature", found=line)
        return cls(name, value[:_KEY_ID_SIZE], value[_KEY_ID_SIZE:])


@dataclass(frozen=True, slots=True)
class Note:
    """A note taken apart; nothing is verified yet."""

    text: str
    """Ends in a line feed."""
    lines: tuple[SignatureLine, ...]

    @classmethod
    def parse(cls, note: bytes) -> Self:
        """Take a note apart. Raises `Malformed`."""
        text, lines = _split(note)
        return cls(text, tuple(map(SignatureLine.parse, lines)))

    def signatures_of(self, key: Ed25519Key) -> list[bytes]:
        """Return what stands in the lines with the key's name and id."""
        return [line.signature for line in self.lines if (line.name, line.key_id) == (key.name, key.key_id)]

    def check_signed_by(self, key: VerifierKey) -> None:
        """Raise `CheckFailed` (`NOTE_SIGNATURE`) unless ``key`` signed, and each line in its name verifies.

        Without such a line, it is `NotThisLogs`.
        """
        expected, signatures = f"a signature by {key.name}+{key.key_id.hex()}", self.signatures_of(key)
        if not signatures:
            found = ", ".join(f"{line.name}+{line.key_id.hex()}" for line in self.lines)
            raise NotThisLogs(Check.NOTE_SIGNATURE, expected=expected, found=f"only {found}")
        for signature in signatures:
            try:
                verify(key.public_key, signature, self.text.encode())
            except InvalidSignature:
                found = "one that does not verify"
                raise CheckFailed(Check.NOTE_SIGNATURE, expected=expected, found=found) from None


def has_line_of(note: bytes, key: VerifierKey) -> bool:
    """Return whether something has a line that begins like one of the key's, even if it is no note."""
    begins = f"\n{_DASH}{key.name} ".encode()
    return any(_key_id_of(rest) == key.key_id for rest in note.split(begins)[1:])


def _key_id_of(line: bytes) -> bytes | None:
    try:
        return b64decode(line[:_ENCODED_KEY_ID], validate=True)[:_KEY_ID_SIZE]
    except ValueError:
        return None


def open_note(note: bytes, key: VerifierKey) -> str:
    """Return the text of a note that ``key`` signed.

    Raises `Malformed` if the bytes are no note, `CheckFailed` (`NOTE_SIGNATURE`) if ``key`` did not
    sign it, or if a line in its name does not verify.
    """
    opened = Note.parse(note)
    opened.check_signed_by(key)
    return opened.text


def _split(note: bytes) -> tuple[str, list[str]]:
    """Return a note's text with its last line feed, and its signature lines. The last empty line divides them."""
    if len(note) > LARGEST_NOTE:
        raise Malformed("note", expected=f"at most {LARGEST_NOTE} bytes", found=len(note))
    try:
        whole = note.decode("utf-8")
    except UnicodeDecodeError:
        raise Malformed("note", expected="UTF-8", found=note) from None
    if any(character < " " and character != "\n" for character in whole):
        raise Malformed("note", expected="no control characters", found=whole)
    text, divider, signatures = whole.rpartition("\n\n")
    if not divider or not signatures.endswith("\n"):
        raise Malformed("note", expected="text, an empty line, signatures", found=whole)
    lines = signatures.removesuffix("\n").split("\n")
    if len(lines) > MOST_SIGNATURES:
        raise Malformed("note", expected=f"at most {MOST_SIGNATURES} signatures", found=len(lines))
    return text + "\n", lines
