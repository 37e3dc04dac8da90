"""Makes ``dist/foredraw-verify.pyz``: the verifier as one file that needs nothing but Python.

It is a zip archive that Python runs: the verifier's own files, the stand-ins for packages with compiled
parts, and two packages whole, as `carried.txt` pins them. All of it is plain text, for any machine and
any Python from 3.11 on.

Every build of a commit has the same bytes: entries in the order of their names, one date, no
trace of the machine, and nothing compressed, because two versions of zlib compress differently.
"""

from __future__ import annotations

import io
import re
import subprocess
import sys
import tempfile
from hashlib import sha256
from pathlib import Path
from stat import S_IFREG
from zipfile import ZIP_STORED, ZipFile, ZipInfo

from fairness.version import VERSION

HOUSE = Path(__file__).parent.parent
CARRIED = HOUSE / "standalone" / "carried.txt"
STAND_INS = HOUSE / "standalone" / "stand_ins"
OWN = ("fairness", "games", "verifier")
VECTORS = Path("verifier/conformance/vectors")
"""Left out: more bytes than all others, for `conform` alone, which takes them from a folder (``--vectors``)."""
ABOUT = "verifier/about.txt"
LICENSE = "LICENSE"

_SHEBANG = b"#!/usr/bin/env python3\n"
_EARLIEST = (1980, 1, 1, 0, 0, 0)
_UNIX = 3
_MODE = (S_IFREG | 0o644) << 16

Files = dict[str, bytes]
"""The content of the archive, by path."""


def build(wheels: list[Path]) -> bytes:
    """The content of the file, from the wheels of `carried.txt`."""
    stand_ins = {name: _sources(STAND_INS, (name,)) for name in ("cryptography", "msgspec", "py_arkworks_bls12381")}
    files = _sources(HOUSE, OWN)
    files["__main__.py"] = (HOUSE / "standalone" / "start.py").read_bytes()
    files[LICENSE] = (HOUSE / LICENSE).read_bytes()
    parts = [f"foredraw {VERSION}, {_digest_line(files)}"]
    licenses = [f"foredraw and its stand-ins: Apache-2.0, the file {LICENSE}"]
    for name, each in stand_ins.items():
        parts.append(f"stand-in for {name}, {_digest_line(each)}")
        files |= each
    for wheel in sorted(wheels):
        contents = _contents(wheel)
        files |= contents
        name, version, _ = wheel.name.split("-", 2)
        parts.append(f"{name} {version}, the wheel {wheel.name}, sha256 {sha256(wheel.read_bytes()).hexdigest()}")
        licenses.append(f"{name}: {_license(contents)}")
    files[ABOUT] = _about(parts, licenses).encode("ascii")
    return _archive(files)


def fetch(folder: Path) -> list[Path]:
    """Get the wheels of `carried.txt` with pip, which refuses any that has another hash."""
    pip = (sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps")
    exactly = ("--require-hashes", "--only-binary", ":all:", "--platform", "any", "--abi", "none")
    subprocess.run([*pip, *exactly, "--requirement", CARRIED, "--dest", folder], check=True)
    return sorted(folder.glob("*.whl"))


def digest(files: Files) -> str:
    """SHA-256 over one line per file, in the order of their paths, as ``sha256sum`` prints them."""
    return sha256(
        "".join(f"{sha256(files[path]).hexdigest()}  {path}\n" for path in sorted(files)).encode()
    ).hexdigest()


def _sources(folder: Path, packages: tuple[str, ...]) -> Files:
    found = (file for package in packages for file in (folder / package).rglob("*") if file.is_file())
    return {
        path.as_posix(): (folder / path).read_bytes()
        for path in (file.relative_to(folder) for file in found)
        # Leave out files that Python and editors create.
        if not any(part.startswith((".", "__pycache__")) for part in path.parts) and VECTORS not in path.parents
    }


def _contents(wheel: Path) -> Files:
    with ZipFile(wheel) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def _license(wheel: Files) -> str:
    """The name of a carried package's licence, and the file with its text, which must be included."""
    (metadata,) = (data.decode() for path, data in wheel.items() if path.endswith(".dist-info/METADATA"))
    name = re.search(r"^License(?:-Expression)?: (.+)$", metadata, re.MULTILINE)
    texts = [path for path in wheel if ".dist-info/licenses/" in path]
    if name is None or len(texts) != 1:
        raise ValueError(f"expected a wheel with one licence, found {name and name[1]} with the texts {texts}")
    return f"{name[1]}, the file {texts[0]}"


def _digest_line(files: Files) -> str:
    return f"{len(files)} files, sha256 over `sha256sum` of each: {digest(files)}"


def _about(parts: list[str], licenses: list[str]) -> str:
    return (
        "foredraw-verify as one file. It needs Python 3.11 or newer, and nothing else: no package, no network.\n"
        "It is a zip archive of plain text, nothing compiled; `make verifier` builds the same bytes.\n\n"
        "It carries:\n" + "".join(f"  {part}\n" for part in parts) + "\n"
        "Licences (`python3 -m zipfile -e foredraw-verify.pyz FOLDER` unpacks all files):\n"
        + "".join(f"  {each}\n" for each in licenses)
    )


def _archive(files: Files) -> bytes:
    whole = io.BytesIO()
    whole.write(_SHEBANG)
    with ZipFile(whole, "w", ZIP_STORED) as archive:
        for path in sorted(files):
            entry = ZipInfo(path, _EARLIEST)
            entry.create_system, entry.external_attr = _UNIX, _MODE
            archive.writestr(entry, files[path])
    return whole.getvalue()


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
