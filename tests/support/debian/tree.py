"""Debian in a folder, made by debootstrap from where this machine has its own packages; kept between runs."""

from __future__ import annotations

import os
import shutil
import subprocess
from hashlib import sha256
from pathlib import Path

from tests.house import HOUSE

CACHE = HOUSE / ".cache"
EVERYWHERE = ("openssh-server", "openssh-client", "systemd", "python3")
"""What a machine has that somebody can reach; and the Python of the stand-in."""


def tree(packages: set[str]) -> Path:
    """Return the folder of a Debian with these packages; the first time, this takes some minutes."""
    wanted = sorted({*packages, *EVERYWHERE})
    codename, mirror = _mirror()
    made = CACHE / f"{codename}-{sha256(' '.join(wanted).encode()).hexdigest()[:12]}"
    if made.exists():
        return made
    making = made.with_suffix(f".{os.getpid()}")
    try:
        _run("debootstrap", "--variant=minbase", codename, str(making), mirror)
        # No service of the machine that runs the tests is started or asked.
        policy = making / "usr/sbin/policy-rc.d"
        policy.write_text("#!/bin/sh\nexit 101\n")
        policy.chmod(0o755)
        for each in ("resolv.conf", "apt/apt.conf.d"):
            _take(Path("/etc") / each, making / "etc" / each)
        _run("chroot", str(making), "apt-get", "update", "-qq")
        _run("chroot", str(making), "apt-get", "install", "-qq", "--yes", "--no-install-recommends", *wanted)
        policy.unlink()
        for link in (making / "etc/systemd/system").rglob("*"):
            if link.is_symlink():
                link.unlink()
        making.rename(made)
    finally:
        if making.exists():
            shutil.rmtree(making)
    return made


def _mirror() -> tuple[str, str]:
    """The name of this machine's Debian, and where apt gets it."""
    release = dict(
        line.split("=", 1) for line in Path("/etc/os-release").read_text("utf-8").splitlines() if "=" in line
    )
    codename = release["VERSION_CODENAME"]
    listed = _run(
        "apt-get", "indextargets", "--format", "$(CODENAME) $(COMPONENT) $(REPO_URI)", "Created-By: Packages"
    )
    for line in listed.splitlines():
        name, component, address = line.split(" ", 2)
        if (name, component) == (codename, "main"):
            return codename, address
    raise AssertionError(f"apt knows no packages of {codename}: run `apt-get update`")


def _take(source: Path, target: Path) -> None:
    """How apt reaches its packages is the same there."""
    if source.is_dir():
        shutil.copytree(source, target, dirs_exist_ok=True)
    elif source.exists():
        target.unlink(missing_ok=True)
        shutil.copy(source, target)


def _run(*command: str) -> str:
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive", "LC_ALL": "C.UTF-8"}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{' '.join(command[:3])}:\n{done.stdout[-3000:]}{done.stderr[-3000:]}"
    return done.stdout
