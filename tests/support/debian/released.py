"""What a fresh machine is given: the folder of a release, and the packages that pip asks for, in the place of its
index.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from standalone.release import release


def made_release(folder: Path) -> Path:
    """Write the release of these sources, as `make release` does; returns its folder."""
    for path, data in release().items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(data)
    return folder


def wheels(release_folder: Path, folder: Path) -> Path:
    """Fetch what the requirements of the release lock, without our own wheels; returns the folder."""
    for name in ("service.txt", "verifier.txt"):
        text = (release_folder / name).read_text("ascii")
        others = folder.with_name(f"others-{name}")
        others.write_text("\n".join(line for line in text.splitlines() if not line.startswith("./")), "ascii")
        command = [sys.executable, "-m", "pip", "download", "-qq", "--disable-pip-version-check", "--require-hashes"]
        subprocess.run([*command, "--dest", str(folder), "--requirement", str(others)], check=True)
    return folder
