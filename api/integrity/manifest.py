"""The manifest: which files an installation has, signed by whoever tested or released it.

It is a signed note (C2SP) whose text has a line for each file, as ``sha256sum`` writes it: 64 hexadecimal digits, two
spaces, the path below the folder of the installation; that of a release has our own files alone, by their paths below
the folder of the packages. So ``sha256sum --check`` reads it without a line of ours, and
every program that verifies notes can check who signed it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from api.settings import SettingsError
from fairness.errors import ForedrawError, Malformed
from fairness.hashing import sha256
from fairness.limits import LARGEST_NOTE
from fairness.log.notes import SigningKey, VerifierKey, open_note

ENVIRONMENT = "pyvenv.cfg"
"""A file that every installation has."""
_LINE = re.compile(r"([0-9a-f]{64})  ([ -~]+)", re.ASCII)


@dataclass(frozen=True, slots=True)
class Manifest:
    """The files of an installation."""

    files: Mapping[str, str]
    """By their paths below the installation's folder, SHA-256 in hexadecimal."""
    digest: str
    """SHA-256 of the whole note, which names it in the journal."""

    @property
    def is_of_a_release(self) -> bool:
        """Whether it lists our own files alone, as a release does, and not a whole installation."""
        return ENVIRONMENT not in self.files


def sign_manifest(files: Mapping[str, str], key: SigningKey) -> bytes:
    """Return the note. Raises `SettingsError` if a path cannot be written down, or if there are too many files for a
    note.
    """
    lines = [f"{digest}  {path}" for path, digest in sorted(files.items())]
    for line in lines:
        if not _LINE.fullmatch(line):
            raise SettingsError(f"a file's path is no printable ASCII, so no manifest can name it: {line[66:]!r}")
    note = key.sign("".join(f"{line}\n" for line in lines))
    if len(note) > LARGEST_NOTE:
        raise SettingsError(
            f"{len(files):,} files make a manifest of {len(note):,} bytes, and it has {LARGEST_NOTE:,} at most: install"
            " requirements/service.txt alone, without what tests need"
        )
    return note


def read_manifest(path: Path, key: VerifierKey) -> Manifest:
    """Return a manifest that ``key`` signed. Raises `SettingsError`, which says what is wrong with the file."""
    try:
        note = path.read_bytes()
        return Manifest(parse_files(open_note(note, key)), sha256(note).hex())
    except OSError as error:
        raise SettingsError(f"the manifest {path} cannot be read: {error.strerror}") from error
    except ForedrawError as error:
        raise SettingsError(f"the manifest {path} is not one that {key.name} signed: {error}") from error


def parse_files(text: str) -> dict[str, str]:
    """Return the files of an unsigned list. Raises `Malformed`."""
    files: dict[str, str] = {}
    for line in text.removesuffix("\n").split("\n"):
        found = _LINE.fullmatch(line)
        if found is None or found[2] in files:
            raise Malformed("manifest", expected="a SHA-256, two spaces and a path, each path once", found=line)
        files[found[2]] = found[1]
    return files
