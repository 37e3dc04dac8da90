"""The verifier in JavaScript (``verifier/browser``), in one long-lived process (``second_verifier.mjs``)."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from functools import cache
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import playwright

from tests.house import HOUSE

BROWSER = HOUSE / "verifier" / "browser"
OLDEST_NODE = 20

Json = dict[str, Any]


@cache
def node() -> str:
    """A recent enough Node: the system's, or the one that Playwright brings."""
    for found in (shutil.which("node"), str(Path(playwright.__file__).parent / "driver" / "node")):
        if found is not None and _version(found) >= OLDEST_NODE:
            return found
    raise AssertionError(f"there is no Node of version {OLDEST_NODE} or later, not even Playwright's own")


def _version(program: str) -> int:
    told = subprocess.run([program, "--version"], capture_output=True, text=True, check=True).stdout
    found = re.fullmatch(r"v(\d+)\.\d+\.\d+\s*", told)
    return int(found[1]) if found else 0


class SecondVerifier:
    """Sends requests and waits for the answers."""

    def __init__(self) -> None:
        script = str(Path(__file__).with_suffix(".mjs"))
        self._process = subprocess.Popen([node(), script], stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=HOUSE)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with self._process:
            assert self._process.stdin is not None
            self._process.stdin.close()
        assert self._process.returncode == 0

    def ask(self, operation: str, **request: object) -> Json:
        """The answer to one request."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps({"operation": operation} | request).encode() + b"\n")
        self._process.stdin.flush()
        answer: Json = json.loads(self._process.stdout.readline())
        assert "mistake" not in answer, answer["mistake"]
        return answer
