"""A file that a user names for what a command makes; ``-`` is standard output."""

from __future__ import annotations

import os
import stat
import sys
from contextlib import suppress
from pathlib import Path

from verifier.durable_file import Parts, descriptor_of, write_durably, write_through
from verifier.output.printing import harmless

_STANDARD_OUTPUT = 1


class OutputFile:
    """The place of a proof, a report, evidence, a key or a sample."""

    def __init__(self, name: str) -> None:
        # A `Path` does not distinguish `-` from `./-`, which is a file.
        self._path, descriptor = Path(name), descriptor_of(name)
        self.is_standard_output = name == "-" or (descriptor is not None and _is_standard_output(descriptor))

    def __str__(self) -> str:
        return "standard output" if self.is_standard_output else str(self._path)

    @property
    def path(self) -> Path:
        """Where it is, if it is not standard output."""
        return self._path

    def write(self, data: bytes) -> None:
        """Write all, durably if it is a file. Raises `OSError`."""
        if self.is_standard_output:
            self._print([data])
        else:
            write_durably(self._path, data)

    def write_parts(self, parts: Parts) -> None:
        """Write what is too large to be in memory at once. Raises `OSError`."""
        if self.is_standard_output:
            self._print(parts)
        elif (descriptor := descriptor_of(self._path)) is not None:
            # The reader has enough, as below.
            with suppress(BrokenPipeError):
                write_through(descriptor, parts)
        else:
            with self._path.open("wb") as file:
                file.writelines(parts)

    def write_or_complain(self, data: bytes, what: str) -> str | None:
        """Write, and return where; if that fails, say so on standard error, so that the verdict is printed all the
        same.
        """
        try:
            self.write(data)
        except OSError as error:
            complain(f"{self}: the {what} could not be written: {error.strerror or error}")
            return None
        return str(self)

    def _print(self, parts: Parts) -> None:
        try:
            for each in parts:
                sys.stdout.buffer.write(each)
            sys.stdout.buffer.flush()
        except BrokenPipeError:
            # The reader has enough: programs that test a limited number of bytes close the pipe.
            silence_standard_output()
        except OSError:
            silence_standard_output()
            raise


def complain(sentence: str) -> None:
    """Say on standard error what failed beside a verdict."""
    sys.stderr.write(f"foredraw-verify: {harmless(sentence)}\n")


def silence_standard_output() -> None:
    """Silence it when its reader is gone, so that the rest of the buffer causes no error at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _is_standard_output(descriptor: int) -> bool:
    """Return whether words on standard output would come between the bytes: it is the same pipe or file. Nobody reads
    `/dev/null`.
    """
    try:
        opened, standard = os.fstat(descriptor), os.fstat(_STANDARD_OUTPUT)
    except OSError:
        return False
    return descriptor == _STANDARD_OUTPUT or (os.path.samestat(opened, standard) and not stat.S_ISCHR(opened.st_mode))
