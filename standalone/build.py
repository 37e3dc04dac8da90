"""Makes ``foredraw-verify.pyz``: the verifier as one file that needs nothing but Python.

It is a zip archive that Python runs: the verifier's own files, the stand-ins for packages with compiled
parts, and two packages whole, as `carried.txt` pins them. All of it is plain text, for any machine and
any Python from 3.11 on.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from hashlib import sha256
from pathlib import Path

from fairness.manifest import VERIFIER, manifest_of, name_of
from fairness.version import VERSION
from standalone.archive import HOUSE, Files, contents, sources, stored

CARRIED = HOUSE / "standalone" / "carried.txt"
STAND_INS = HOUSE / "standalone" / "stand_ins"
ABOUT = "about.txt"
LICENSE = "LICENSE"

_SHEBANG = b"#!/usr/bin/env python3\n"


def build(wheels: list[Path]) -> bytes:
    """The content of the file, from the wheels of `carried.txt`."""
    stand_ins = {name: sources(STAND_INS, (name,)) for name in ("cryptography", "msgspec", "py_arkworks_bls12381")}
    files = sources(HOUSE, VERIFIER)
    parts = [f"foredraw-verify {VERSION}, {_manifest_line(files)}"]
    files["__main__.py"] = (HOUSE / "standalone" / "start.py").read_bytes()
    files[LICENSE] = (HOUSE / LICENSE).read_bytes()
    licenses = [f"foredraw and its stand-ins: Apache-2.0, the file {LICENSE}"]
    for name, each in stand_ins.items():
        parts.append(f"stand-in for {name}, {_manifest_line(each)}")
        files |= each
    for wheel in sorted(wheels):
        inside = contents(wheel)
        files |= inside
        name, version, _ = wheel.name.split("-", 2)
        parts.append(f"{name} {version}, the wheel {wheel.name}, sha256 {sha256(wheel.read_bytes()).hexdigest()}")
        licenses.append(f"{name}: {_license(inside)}")
    files[ABOUT] = _about(parts, licenses).encode("ascii")
    return stored(files, before=_SHEBANG)


def fetch(folder: Path) -> list[Path]:
    """Get the wheels of `carried.txt` with pip, which refuses any that has another hash."""
    pip = (sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps")
    exactly = ("--require-hashes", "--only-binary", ":all:", "--platform", "any", "--abi", "none")
    subprocess.run([*pip, *exactly, "--requirement", CARRIED, "--dest", folder], check=True)
    return sorted(folder.glob("*.whl"))


def _license(wheel: Files) -> str:
    """The name of a carried package's licence, and the file with its text, which must be included."""
    (metadata,) = (data.decode() for path, data in wheel.items() if path.endswith(".dist-info/METADATA"))
    name = re.search(r"^License(?:-Expression)?: (.+)$", metadata, re.MULTILINE)
    texts = [path for path in wheel if ".dist-info/licenses/" in path]
    if name is None or len(texts) != 1:
        raise ValueError(f"expected a wheel with one licence, found {name and name[1]} with the texts {texts}")
    return f"{name[1]}, the file {texts[0]}"


def _manifest_line(files: Files) -> str:
    return f"{len(files)} files, sha256 over `sha256sum` of each: {name_of(manifest_of(files))}"


def _about(parts: list[str], licenses: list[str]) -> str:
    return (
        "foredraw-verify as one file. It needs Python 3.11 or newer, and nothing else: no package, no network.\n"
        "It is a zip archive of plain text, nothing compiled; `make release` builds the same bytes.\n\n"
        "It carries:\n" + "".join(f"  {part}\n" for part in parts) + "\n"
        "Licences (`python3 -m zipfile -e foredraw-verify.pyz FOLDER` unpacks all files):\n"
        + "".join(f"  {each}\n" for each in licenses)
    )


def main() -> None:
    """Build the file that is named on the command line."""
    target = Path(sys.argv[1])
    with tempfile.TemporaryDirectory() as folder:
        data = build(fetch(Path(folder)))
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_bytes(data)
    target.chmod(0o755)
    sys.stdout.write(f"{sha256(data).hexdigest()}  {target}  ({len(data):,} bytes)\n")


if __name__ == "__main__":
    main()
