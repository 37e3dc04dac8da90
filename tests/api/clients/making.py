"""Clients that other people's programs make of descriptions, and programs of ours that call with them."""

from __future__ import annotations

import compileall
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from tests.house import HOUSE

MAKING = Path(sys.prefix) / "clients" / "bin" / "python"
"""Has what makes a client in Python, and what such a client needs (`make tools TIER=nightly`)."""
_NPM = HOUSE / "tests" / "npm"
_HERE = Path(__file__).parent
_STRICT = ("--strict", "--target", "es2022", "--lib", "es2022,dom", "--module", "nodenext", "--skipLibCheck", "false")
_SECONDS = 500

Descriptions = Mapping[str, bytes]
"""Documents of OpenAPI, by the names of the clients that are made of them."""


def run(command: Sequence[str | Path], folder: Path) -> str:
    """What a program prints, which ends well."""
    ran = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False, timeout=_SECONDS)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    return ran.stdout


def types_of(name: str, document: bytes, folder: Path) -> Path:
    """The types that openapi-typescript makes of a description, as a module of this name."""
    (folder / f"{name}.json").write_bytes(document)
    run([_NPM / "node_modules" / ".bin" / "openapi-typescript", f"{name}.json", "-o", f"{name}.ts"], folder)
    return folder / f"{name}.ts"


def run_in_typescript(described: Descriptions, folder: Path, program: str, *arguments: str) -> str:
    """What a program of `tests/npm` prints, whose types are those of openapi-typescript, and which compiles without
    a doubt.
    """
    for name, document in described.items():
        types_of(name, document, folder)
    (folder / "node_modules").symlink_to(_NPM / "node_modules")
    (folder / "package.json").write_text('{"type": "module"}', "utf-8")
    shutil.copy(_NPM / f"{program}.ts", folder)
    run([_NPM / "node_modules" / ".bin" / "tsc", *_STRICT, "--outDir", "made", f"{program}.ts"], folder)
    return run(["node", f"made/{program}.js", *arguments], folder)


def run_in_python(described: Descriptions, folder: Path, program: str, *arguments: str) -> str:
    """What a program of this folder prints. Its clients are made without a warning, all their modules compile, and
    the program has the types that it names.
    """
    assert MAKING.exists(), "run `make tools TIER=nightly`, which installs what makes clients"
    # Without its formatter, which is not where it looks: nobody reads the client.
    (folder / "config.yml").write_text("post_hooks: []\n", "utf-8")
    (folder / "made").mkdir()
    for name, document in described.items():
        (folder / f"{name}.json").write_bytes(document)
        options = [
            "--path",
            f"{name}.json",
            "--output-path",
            f"made/{name}",
            "--meta",
            "none",
            "--config",
            "config.yml",
        ]
        run([MAKING, "-m", "openapi_python_client", "generate", *options, "--fail-on-warning"], folder)
        assert compileall.compile_dir(folder / "made" / name, quiet=1)
    shutil.copy(_HERE / f"{program}.py", folder)
    # What the maker itself writes has types that mypy does not believe; what is named here is checked against all of
    # them.
    types: list[str | Path] = [
        "--strict",
        "--follow-imports",
        "silent",
        "--python-executable",
        MAKING,
        "--config-file",
        "",
    ]
    run([sys.executable, "-m", "mypy", *types, f"{program}.py"], folder)
    return run([MAKING, "-m", program, *arguments], folder)
