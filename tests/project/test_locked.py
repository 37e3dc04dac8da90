"""``requirements/``: an installation has exactly the packages that we tested, byte for byte, or fails."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

import pytest
from packaging.markers import Marker, default_environment
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from standalone.build import CARRIED
from tests.house import HOUSE

PROJECT = tomllib.loads((HOUSE / "pyproject.toml").read_text("utf-8"))
EXTRAS = {
    "verifier": ["build"],
    "service": ["build", "service", "s3", "par"],
    "stats": ["build", "stats", "lab"],
    "traces": ["traces"],
    "release": ["release"],
    "dev": ["build", "service", "s3", "par", "traces", "stats", "lab", "release", "dev"],
    "clients": ["clients"],
    "mutants": ["mutants"],
    "lock": ["lock"],
}
"""The extras that each file locks, in addition to the verifier's own dependencies."""
PINNED = re.compile(r"([a-z0-9-]+)==((?:[0-9]+!)?[0-9][0-9a-z.]*)(?: ; ([^\\]+))? \\")
HASHED = re.compile(r"    --hash=sha256:([0-9a-f]{64})(?: \\)?")
Environment = dict[str, str]


def environment(python: str, machine: str) -> Environment:
    """The environment for markers, on a Linux machine with this Python."""
    name: dict[str, str] = {key: str(value) for key, value in default_environment().items()}
    return {**name, "python_version": python, "python_full_version": f"{python}.1", "platform_machine": machine}


HERE = {key: str(value) for key, value in default_environment().items()}
SUPPORTED = [
    environment(python, machine) for python in ("3.11", "3.12", "3.13", "3.14") for machine in ("x86_64", "aarch64")
]


@dataclass(frozen=True, slots=True)
class Pin:
    """One version of a package, its marker, and the hashes of its files."""

    name: str
    version: str
    marker: Marker | None
    hashes: tuple[str, ...]

    def is_for(self, where: Environment) -> bool:
        """Whether it is installed in this environment."""
        return self.marker is None or self.marker.evaluate(where)


def pins(file: str) -> list[Pin]:
    """All pins of a file, which has only pins, hashes and comments on what needs them."""
    text = (HOUSE / "requirements" / f"{file}.txt").read_text("ascii")
    lines = [line for line in text.splitlines() if line and not line.strip().startswith("#")]
    assert lines.pop(0) == "--only-binary :all:"
    found: list[Pin] = []
    hashes: list[str] = []
    for line in reversed(lines):
        if hashed := HASHED.fullmatch(line):
            hashes.append(hashed[1])
            continue
        pinned = PINNED.fullmatch(line)
        assert pinned is not None, line
        assert hashes, line
        found.append(Pin(pinned[1], pinned[2], Marker(pinned[3]) if pinned[3] else None, tuple(sorted(hashes))))
        hashes = []
    assert not hashes
    return found


LOCKS = {file: pins(file) for file in EXTRAS}


def required(file: str) -> list[Requirement]:
    """The requirements in pyproject.toml."""
    optional = PROJECT["project"]["optional-dependencies"]
    lists = [PROJECT["project"]["dependencies"], *(optional[extra] for extra in EXTRAS[file])]
    return [Requirement(line) for each in lists for line in each]


def needs(name: str, version: str, extras: set[str], where: Environment) -> Iterator[Requirement]:
    """The requirements that a package declares, if this version of it is installed here."""
    try:
        found = distribution(name)
    except PackageNotFoundError:
        return
    if found.version != version:
        return
    for requirement in map(Requirement, found.requires or []):
        if requirement.marker is None or any(
            requirement.marker.evaluate({**where, "extra": extra}) for extra in extras or {""}
        ):
            yield requirement


def pin_of(file: str, requirement: Requirement, where: Environment) -> Pin:
    """The one pin that meets a requirement in an environment."""
    name = canonicalize_name(requirement.name)
    found = [pin for pin in LOCKS[file] if pin.name == name and pin.is_for(where)]
    place = f"requirements/{file}.txt for Python {where['python_version']} on {where['platform_machine']}"
    assert len(found) == 1, f"{place} has {len(found)} versions of {requirement}: run make lock"
    assert requirement.specifier.contains(found[0].version, prereleases=True), f"{place}: {found[0]}, {requirement}"
    return found[0]


@pytest.mark.lattice
@pytest.mark.parametrize(
    "where", SUPPORTED, ids=lambda where: f"{where['python_version']}-{where['platform_machine']}"
)
@pytest.mark.parametrize("file", EXTRAS)
def test_everything_that_is_needed_is_locked(file: str, where: Environment) -> None:
    """The requirements in pyproject.toml and all of theirs, for every Python and processor that we support."""
    waiting, seen = required(file), set[str]()
    while waiting:
        requirement = waiting.pop()
        if requirement.marker is not None and not requirement.marker.evaluate(where):
            continue
        pin = pin_of(file, requirement, where)
        if (key := f"{pin.name} {sorted(requirement.extras)}") not in seen:
            seen.add(key)
            waiting += needs(pin.name, pin.version, requirement.extras, where)
    assert seen


@pytest.mark.parametrize("file", [file for file in EXTRAS if file != "dev"])
def test_what_is_installed_is_what_was_tested(file: str) -> None:
    """The same version of a package, with the same hashes, in each file."""
    tested = {(pin.name, pin.version): pin.hashes for pin in LOCKS["dev"]}
    names = {name for name, _ in tested}
    assert [
        pin for pin in LOCKS[file] if pin.name in names and tested.get((pin.name, pin.version)) != pin.hashes
    ] == []


def test_this_environment_is_the_locked_one() -> None:
    """The tests run with the packages of requirements/dev.txt; otherwise `make check` installs them."""
    expected = {pin.name: pin.version for pin in LOCKS["dev"] if pin.is_for(HERE)}
    assert {name: distribution(name).version for name in expected} == expected


def test_what_the_one_file_verifier_carries_is_locked_too() -> None:
    """The same wheels as an installed verifier's."""
    locked = {f"{pin.name}=={pin.version}": pin.hashes for pin in LOCKS["verifier"]}
    carried = [line.split(" --hash=sha256:") for line in CARRIED.read_text("ascii").splitlines() if line[0] != "#"]
    assert carried
    assert all(digest in locked[package] for package, digest in carried)


def test_the_build_is_by_the_locked_builder() -> None:
    """The extra that locks the build tools names those that pip would use without the lock."""
    assert PROJECT["project"]["optional-dependencies"]["build"] == PROJECT["build-system"]["requires"]


def test_make_installs_nothing_else() -> None:
    """Each call of pip in the Makefile requires hashes, or resolves nothing and builds with installed tools."""
    makefile = (HOUSE / "Makefile").read_text("utf-8")
    assert makefile.count("pip install") - makefile.count("uv pip install") == 1
    assert re.search(r"^LOCKED := \$\(INSTALL\) --require-hashes --requirement$", makefile, re.MULTILINE)
    bare = [line.strip() for line in makefile.splitlines() if "$(INSTALL)" in line and not line.startswith("LOCKED")]
    assert bare == ['@$(STAGE) "Installing Foredraw" $(INSTALL) --no-deps --no-build-isolation --editable .']


@pytest.mark.nightly("makes an environment")
def test_a_package_that_was_changed_is_not_installed(tmp_path: Path) -> None:
    """`make install` stops at the first file with a wrong hash, and no program is installed."""
    for name in (
        "Makefile",
        "pyproject.toml",
        "README.md",
        "LICENSE",
        "api/programs/foredraw",
        "verifier/foredraw-verify",
    ):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(HOUSE / name, tmp_path / name)
    shutil.copytree(HOUSE / "tests" / "tiers", tmp_path / "tests" / "tiers")
    shutil.copy(HOUSE / "tests" / "house.py", tmp_path / "tests")
    (tmp_path / "requirements").mkdir()
    true = (HOUSE / "requirements" / "service.txt").read_text("ascii")
    changed = re.sub(r"(?<=sha256:)[0-9a-f]", lambda digit: f"{int(digit[0], 16) ^ 1:x}", true)
    (tmp_path / "requirements" / "service.txt").write_text(changed, "ascii")
    made = subprocess.run(
        ["make", "install", f"PYTHON={sys.executable}"], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert made.returncode != 0
    assert "THESE PACKAGES DO NOT MATCH THE HASHES" in made.stdout
    assert not (tmp_path / ".venv" / "installed").exists()
    assert not (tmp_path / ".venv" / "bin" / "foredraw").exists()


def test_packages_of_npm_are_locked() -> None:
    """One exact version of each, with its hash, and no word about where it was fetched; the lock file is current."""
    folder = HOUSE / "tests" / "npm"
    asked = json.loads((folder / "package.json").read_text("utf-8"))["dependencies"]
    packages = json.loads((folder / "package-lock.json").read_text("utf-8"))["packages"]
    assert packages.pop("")["dependencies"] == asked
    assert {name: packages[f"node_modules/{name}"]["version"] for name in asked} == asked
    for name, package in packages.items():
        assert package["integrity"].startswith("sha512-"), name
        assert "resolved" not in package, name
