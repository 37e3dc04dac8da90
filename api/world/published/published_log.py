"""The published log as those see it who only read it: a folder of this machine, or an address far away."""

from __future__ import annotations

from abc import ABC, abstractmethod
from pathlib import Path


class PublishedLog(ABC):
    """Reads the files of the published log by their paths."""

    folder: Path
    """On the disk that this machine writes to: the log's folder, or where a machine without one keeps its own
    files.
    """

    @abstractmethod
    def read(self, path: str) -> bytes:
        """Return one file of the log. Raises `Unreadable`; `Missing` if it does not exist."""

    def pass_on(self, path: str) -> tuple[bytes, bool]:
        """Return the same for somebody else who judges it, and whether this machine has judged it."""
        return self.read(path), True

    @abstractmethod
    def read_part(self, path: str, offset: int, size: int) -> bytes:
        """Return up to ``size`` bytes of a file that is never replaced; empty if it is missing or ends before."""

    @abstractmethod
    def stamp(self, path: str) -> tuple[int, int]:
        """Change whenever the file is replaced; (0, 0) if there is none."""

    @abstractmethod
    def close(self) -> None:
        """Give back what is kept open."""
