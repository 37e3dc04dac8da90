"""Makes the two wheels of a release: the verifier alone, and the service, which needs the verifier's of its version.

No file is in both, so both can be in one environment, and neither is installed or removed with the other's files.
setuptools builds one wheel of everything, with the metadata of pyproject.toml; its files are shared out, and
packed so that every build has the same bytes.
"""

from __future__ import annotations

import csv
import io
import os
import shutil
import subprocess
import sys
from base64 import urlsafe_b64encode
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory

from fairness.manifest import SERVICE, VERIFIER
from fairness.version import VERSION
from standalone.archive import HOUSE, Files, contents, paths, sources, stored

_BUILT_FROM = ("pyproject.toml", "README.md", "LICENSE")
_BUILT = f"foredraw-{VERSION}"
_INFO = f"{_BUILT}.dist-info"


@dataclass(frozen=True, slots=True)
class Share:
    """What one of the wheels has."""

    name: str
    summary: str
    packages: tuple[str, ...]
    program: str
    needs: str
    """The extra whose packages it always needs; empty for those that pyproject.toml names without an extra."""
    extras: tuple[str, ...]
    license: str
    also: tuple[str, ...] = ()
    """What it needs beside them."""

    @property
    def file(self) -> str:
        """The name of the wheel."""
        return f"{self._escaped}-{VERSION}-py3-none-any.whl"

    @property
    def _escaped(self) -> str:
        return self.name.replace("-", "_")

    def of(self, whole: Files) -> bytes:
        """Return the wheel."""
        data, info = (f"{self._escaped}-{VERSION}.{kind}" for kind in ("data", "dist-info"))
        program = f"{data}/scripts/{self.program}"
        files = {path: content for path, content in whole.items() if path.split("/")[0] in self.packages}
        files[program] = whole[f"{_BUILT}.data/scripts/{self.program}"]
        files[f"{info}/METADATA"] = self._metadata(whole[f"{_INFO}/METADATA"].decode()).encode()
        files[f"{info}/WHEEL"] = whole[f"{_INFO}/WHEEL"]
        licenses = f"{_INFO}/licenses/"
        for path in (path for path in whole if path.startswith(licenses)):
            if self._has_license(path.removeprefix(licenses)):
                files[path.replace(_BUILT, f"{self._escaped}-{VERSION}", 1)] = whole[path]
        files[f"{info}/RECORD"] = _record(files, f"{info}/RECORD")
        return stored(files, programs=frozenset({program}))

    def _has_license(self, path: str) -> bool:
        return "/" not in path or path.split("/", maxsplit=1)[0] in self.packages

    def _metadata(self, whole: str) -> str:
        head, _, body = whole.partition("\n\n")
        replaced = {"Name": self.name, "Summary": self.summary, "License-Expression": self.license}
        lines = list[str]()
        for line in head.splitlines():
            field, _, value = line.partition(": ")
            if field == "License-File" and not self._has_license(value):
                continue
            if field in {"Requires-Dist", "Provides-Extra"}:
                continue
            lines.append(f"{field}: {replaced.get(field, value)}")
        lines += [f"Requires-Dist: {each}" for each in (*self.also, *_needed(head, self.needs))]
        for extra in self.extras:
            lines.append(f"Provides-Extra: {extra}")
            lines += [f'Requires-Dist: {each}; extra == "{extra}"' for each in _needed(head, extra)]
        return "\n".join(lines) + f"\n\n{body}"


THE_VERIFIER = Share(
    name="foredraw-verify",
    summary="Checks rounds and logs of Foredraw, trusting nobody. The service, `foredraw`, needs this of its own version.",
    packages=VERIFIER,
    program="foredraw-verify",
    needs="",
    extras=("stats", "lab"),
    license="Apache-2.0",
)
THE_SERVICE = Share(
    name="foredraw",
    summary="Casino rounds drawn before the round, provable after it: the service; its verifier is `foredraw-verify`.",
    packages=("api",),
    program="foredraw",
    needs="service",
    extras=("postgres", "s3", "par", "traces"),
    license="Apache-2.0 AND MIT",
    also=(f"foredraw-verify=={VERSION}",),
)
WHEELS = (THE_VERIFIER, THE_SERVICE)
"""In the order in which they are installed."""


def wheels() -> dict[str, bytes]:
    """Build both. Returns them by the names of their files."""
    with TemporaryDirectory() as folder:
        whole = contents(_build(Path(folder)))
    expected, found = sources(HOUSE, SERVICE), {path for path in whole if path.split("/")[0] in SERVICE}
    if missing := expected.keys() - found:
        raise ValueError(f"the wheel lacks {', '.join(sorted(missing))}: name it in [tool.setuptools.package-data]")
    return {share.file: share.of(whole) for share in WHEELS}


def _build(folder: Path) -> Path:
    """Build the wheel of everything from a copy, in which nothing is left of an earlier build."""
    copied = [*_BUILT_FROM, *paths(HOUSE, SERVICE)]
    for path in copied:
        (folder / "source" / path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(HOUSE / path, folder / "source" / path)
    command = [sys.executable, "-m", "pip", "wheel", "--quiet", "--disable-pip-version-check", "--no-index"]
    command += ["--no-deps", "--no-build-isolation", "--wheel-dir", str(folder), str(folder / "source")]
    # The programs get their first lines, and everything its date, from this.
    environment = {**os.environ, "SOURCE_DATE_EPOCH": "315532800", "PYTHONHASHSEED": "0"}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise ValueError(f"setuptools could not build the wheel:\n{done.stdout}{done.stderr}")
    (built,) = folder.glob("*.whl")
    return built


def _needed(head: str, extra: str) -> list[str]:
    """Return the requirements of an extra, without the words that name it; or those that no extra has."""
    every = [
        line.removeprefix("Requires-Dist: ").partition("; extra == ")
        for line in head.splitlines()
        if line.startswith("Requires-Dist: ")
    ]
    return [requirement for requirement, _, of in every if of.strip('"') == extra]


def _record(files: Files, own: str) -> bytes:
    """Return the list that pip notes as installed."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    for path in sorted(files):
        digest = urlsafe_b64encode(sha256(files[path]).digest()).rstrip(b"=").decode()
        writer.writerow((path, f"sha256={digest}", len(files[path])))
    writer.writerow((own, "", ""))
    return text.getvalue().encode()
