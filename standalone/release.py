"""Makes the folder of a release, ``dist/foredraw-VERSION``: all that somebody installs, checks or judges.

Every build of a commit has the same bytes, wherever, whenever and with whichever Python it is made.
"""

from __future__ import annotations

import re
import shutil
import sys
import tempfile
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path

from api.pages.files.scripts import badge_script
from api.pages.kept import kept_page
from fairness.manifest import SERVICE, VERIFIER, manifest_of
from fairness.version import VERSION
from standalone.archive import HOUSE, Files, paths, sources
from standalone.build import build, fetch
from standalone.machine import PROGRAMS, machine
from standalone.sbom import sbom
from standalone.wheels import THE_SERVICE, THE_VERIFIER, wheels

_PROGRAMS = ("foredraw-verify.pyz", PROGRAMS)
_SUMS = "SHA256SUMS"
_BUILDER = re.compile(r"^setuptools==.*\n(?:[ #].*\n)*", re.MULTILINE)
"""What builds wheels, which a release has already."""


def release() -> Files:
    """Return the files of the release, by their paths in its folder."""
    built = wheels()
    with tempfile.TemporaryDirectory() as folder:
        one_file = build(fetch(Path(folder)))
    service = locked("service", built, (THE_VERIFIER.file, THE_SERVICE.file))
    files = {
        **built,
        "foredraw-verify.pyz": one_file,
        "verify.html": kept_page().data,
        "badge.js": badge_script().data,
        "service.txt": service,
        "sbom.json": sbom(service.decode(), built),
        "verifier.txt": locked("verifier", built, (THE_VERIFIER.file,)),
        "stats.txt": locked("stats", built, (THE_VERIFIER.file,)),
        "traces.txt": locked("traces", built, ()),
        "foredraw.manifest": manifest_of(sources(HOUSE, SERVICE)).encode(),
        "foredraw-verify.manifest": manifest_of(sources(HOUSE, VERIFIER)).encode(),
        **{path: (HOUSE / path).read_bytes() for path in ("Dockerfile", "LICENSE", *paths(HOUSE, ("deploy",)))},
    }
    files[f"foredraw-{VERSION}-debian.tar"] = machine(files)
    files[_SUMS] = manifest_of(files).encode()
    return files


def locked(name: str, built: Mapping[str, bytes], ours: tuple[str, ...]) -> bytes:
    """Return locked requirements, and below them our own wheels, which are installed from the folder beside them."""
    text = _BUILDER.sub("", (HOUSE / "requirements" / f"{name}.txt").read_text("ascii"))
    return (text + "".join(f"./{file} --hash=sha256:{sha256(built[file]).hexdigest()}\n" for file in ours)).encode()


def main() -> None:
    """Write the folder into the one that is named on the command line, in the place of an earlier one."""
    folder, files = Path(sys.argv[1]) / f"foredraw-{VERSION}", release()
    if folder.exists():
        shutil.rmtree(folder)
    for path, data in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(data)
        (folder / path).chmod(0o755 if path.startswith(_PROGRAMS) else 0o644)
    for path in sorted(files):
        sys.stdout.write(f"{sha256(files[path]).hexdigest()}  {folder / path}  ({len(files[path]):,} bytes)\n")


if __name__ == "__main__":
    main()
