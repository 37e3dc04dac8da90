"""How much memory each process of the service has, over time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from api.world.supervision import BACKGROUND, ENGINES_API, PUBLIC_API
from tests.support.running_service import family_of

_MIB = 1024 * 1024
ALLOWED_MIB = 24.0
"""By which a process may grow in the half of a soak that is measured: caches fill, and the heap is never quite
returned.
"""


@dataclass
class Memory:
    """Samples of the resident memory of all processes: by process, the second and the MiB."""

    samples: dict[int, list[tuple[float, float]]] = field(default_factory=dict)
    names: dict[int, str] = field(default_factory=dict)

    def sample(self, supervisors: Sequence[int], second: float) -> None:
        """Look at each process that runs now, on each machine."""
        for number, pid in [(number, pid) for number, each in enumerate(supervisors, 1) for pid in family_of(each)]:
            try:
                status = Path(f"/proc/{pid}/status").read_text(encoding="ascii")
            except (FileNotFoundError, ProcessLookupError):
                continue
            resident = [int(line.split()[1]) * 1024 for line in status.splitlines() if line.startswith("VmRSS:")]
            if resident:
                self.names.setdefault(pid, f"{_name(status)} {number}")
                self.samples.setdefault(pid, []).append((second, resident[0] / _MIB))

    def now(self) -> str:
        """The newest sample of each process that runs, in words."""
        latest = max(points[-1][0] for points in self.samples.values())
        sizes = sorted((self.names[pid], each[-1][1]) for pid, each in self.samples.items() if each[-1][0] == latest)
        return ", ".join(f"{name} {size:.0f}" for name, size in sizes) + " MiB"

    def growth(self, pid: int, since: float) -> float:
        """By how many MiB a process has grown since a second: the medians of the first and of the last quarter
        compared.
        """
        sizes = [size for second, size in self.samples[pid] if second >= since]
        quarter = max(1, len(sizes) // 4)
        first, last = sorted(sizes[:quarter]), sorted(sizes[-quarter:])
        return last[len(last) // 2] - first[len(first) // 2] if sizes else 0.0

    def slope(self, pid: int, since: float) -> float:
        """MiB per hour since a second, by least squares."""
        points = [point for point in self.samples[pid] if point[0] >= since]
        if len(points) < 2:
            return 0.0
        middle = sum(second for second, _ in points) / len(points)
        mean = sum(size for _, size in points) / len(points)
        spread = sum((second - middle) ** 2 for second, _ in points)
        return 3600 * sum((second - middle) * (size - mean) for second, size in points) / spread

    def lasting(self, since: float) -> list[int]:
        """The processes that ran from a second, or from the first sample after it, to the last sample."""
        seconds = sorted({second for points in self.samples.values() for second, _ in points})
        first = next(second for second in seconds if second >= since)
        running = self.samples.items()
        return [pid for pid, each in running if each[0][0] <= first and each[-1][0] >= seconds[-1]]


def _name(status: str) -> str:
    """What a process runs, in a word or two."""
    names = {BACKGROUND: "background", ENGINES_API: "engines' worker", PUBLIC_API: "public worker"}
    return names.get(status.partition("\n")[0].removeprefix("Name:").strip(), "supervisor")
