"""Clients that programs make of ``/openapi.json``: they compile, know every call, and play."""

from __future__ import annotations

import compileall
import json
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from api.http import openapi
from tests.house import HOUSE
from tests.support.running_service import RunningService, running_service

pytestmark = [
    pytest.mark.nightly("makes clients, and starts a service", but="test_types_for_javascript_know_every_call"),
    pytest.mark.one_database("the description has none"),
]

DOCUMENT: Any = openapi.DOCUMENT
NPM = HOUSE / "tests" / "npm"
HERE = Path(__file__).parent
MAKING = Path(sys.prefix) / "clients" / "bin" / "python"
"""Has what makes a client in Python, and what such a client needs (`make tools TIER=nightly`)."""
TABLE, BET, OUTCOMES = "keno-1", "lower 50", range(1, 101)
STRICT = ("--strict", "--target", "es2022", "--lib", "es2022,dom", "--module", "nodenext", "--skipLibCheck", "false")
SECONDS = 120


@pytest.fixture(scope="module", name="service")
def _service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningService]:
    """A service with one table."""
    with running_service(tmp_path_factory.mktemp("clients") / "data", {TABLE: "keno-express"}) as running:
        yield running


def run(command: Sequence[str | Path], folder: Path) -> str:
    """What a program prints, which ends well."""
    ran = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False, timeout=SECONDS)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    return ran.stdout


def types_of(document: bytes, folder: Path) -> Path:
    """The types that openapi-typescript makes of a description."""
    (folder / "openapi.json").write_bytes(document)
    run([NPM / "node_modules" / ".bin" / "openapi-typescript", "openapi.json", "-o", "schema.ts"], folder)
    return folder / "schema.ts"


def check_played(service: RunningService, printed: str) -> None:
    """Check what a client was answered against what the service says of the round."""
    answers = json.loads(printed)
    number = answers["drawn"]["number"]
    shown = service.get(f"/v1/tables/{TABLE}/rounds/{answers['round']}").document
    assert answers == {
        "round": answers["round"],
        "opened": "open",
        "drawn": shown["outcome"],
        "played": shown["outcome"],
        "code": shown["code"],
        "result": "wins" if number <= 50 else "loses",
        "refused": "out-of-order",
    }
    assert number in OUTCOMES


def test_types_for_javascript_know_every_call(tmp_path: Path) -> None:
    """By the name of each."""
    made = types_of(json.dumps(DOCUMENT).encode(), tmp_path).read_text("utf-8")
    names = [operation["operationId"] for item in DOCUMENT["paths"].values() for operation in item.values()]
    assert [name for name in names if f'operations["{name}"]' not in made] == []


def test_a_client_in_typescript_plays(service: RunningService, tmp_path: Path) -> None:
    """Its types are those of openapi-typescript; what plays with them compiles without a doubt."""
    types_of(service.get("/openapi.json").data, tmp_path)
    (tmp_path / "node_modules").symlink_to(NPM / "node_modules")
    (tmp_path / "package.json").write_text('{"type": "module"}', "utf-8")
    shutil.copy(NPM / "play.ts", tmp_path)
    run([NPM / "node_modules" / ".bin" / "tsc", *STRICT, "--outDir", "made", "play.ts"], tmp_path)
    played = run(["node", "made/play.js", service.url, service.engine_url, service.token, TABLE, BET], tmp_path)
    check_played(service, played)


def test_a_client_in_python_plays(service: RunningService, tmp_path: Path) -> None:
    """Made without a warning; all its modules compile, and what plays with it has the types that it names."""
    assert MAKING.exists(), "run `make tools TIER=nightly`, which installs what makes clients"
    (tmp_path / "openapi.json").write_bytes(service.get("/openapi.json").data)
    making = ["-m", "openapi_python_client", "generate", "--path", "openapi.json", "--output-path", "made"]
    # Without its formatter, which is not where it looks: nobody reads the client.
    (tmp_path / "config.yml").write_text("post_hooks: []\n", "utf-8")
    run([MAKING, *making, "--meta", "none", "--fail-on-warning", "--config", "config.yml"], tmp_path)
    assert compileall.compile_dir(tmp_path / "made", quiet=1)
    shutil.copy(HERE / "play_with_client.py", tmp_path)
    # What the maker itself writes has types that mypy does not believe; what is named here is checked against all of them.
    types: list[str | Path] = [
        "--strict",
        "--follow-imports",
        "silent",
        "--python-executable",
        MAKING,
        "--config-file",
        "",
    ]
    run([sys.executable, "-m", "mypy", *types, "play_with_client.py"], tmp_path)
    arguments = [service.url, service.engine_url, service.token, TABLE, BET]
    check_played(service, run([MAKING, "-m", "play_with_client", *arguments], tmp_path))
