"""A date of its own for the processes of one machine, which a test sets ahead or back while they run.

Each of them begins with a ``sitecustomize`` that makes the service's `Clock` read it; the monotonic clock stays the
machine's. Debian's libfaketime would do so below Python, but breaks the sleeps of Python 3.11: they end at once, with
an error.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path

from api.world.clock import Clock

_FILE = "TESTS_DATE"
"""The variable with the file that says by how many seconds the date is wrong."""
_ROOT = Path(__file__).parents[2]


def install() -> None:
    """Let the service's clock in this process show the date of the file."""
    file, machines_own = Path(os.environ[_FILE]), Clock.moment

    def moment(self: Clock) -> datetime:
        return machines_own(self) + timedelta(seconds=float(file.read_text(encoding="ascii")))

    Clock.moment = moment  # type: ignore[method-assign]  # the programs make their clocks themselves


@dataclass(frozen=True, slots=True)
class Date:
    """The date of all processes that are started with its `variables`."""

    folder: Path

    @classmethod
    def at(cls, folder: Path) -> Date:
        """The machine's own date, for now; the folder is made."""
        made = cls(folder)
        folder.mkdir()
        (folder / "sitecustomize.py").write_text(f"from {__name__} import install\n\ninstall()\n", encoding="ascii")
        made._set(0.0)
        return made

    @property
    def variables(self) -> Mapping[str, str]:
        """The environment of its processes."""
        return {_FILE: str(self._file), "PYTHONPATH": f"{self.folder}{os.pathsep}{_ROOT}"}

    @property
    def _file(self) -> Path:
        return self.folder / "seconds"

    @contextmanager
    def wrong(self, seconds: float) -> Iterator[None]:
        """It is so far ahead meanwhile; with a negative number, behind."""
        self._set(seconds)
        try:
            yield
        finally:
            self._set(0.0)

    def _set(self, seconds: float) -> None:
        # In one piece, because it is read all the time.
        new = self.folder / "new"
        new.write_text(str(seconds), encoding="ascii")
        new.replace(self._file)
