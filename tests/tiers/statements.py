"""The house stays small: `make check` fails if a package has more statements than ``pyproject.toml`` allows it.

An issue that needs more changes that number, and says in its commit what it bought.
"""

from __future__ import annotations

import ast
import sys
import tomllib
from collections.abc import Mapping
from pathlib import Path

PROJECT = Path(__file__).parents[2]


def statements(folder: Path) -> int:
    """The statements of all modules below a folder, without docstrings."""
    trees = (ast.parse(module.read_bytes()) for module in folder.rglob("*.py"))
    return sum(isinstance(node, ast.stmt) and not _is_docstring(node) for tree in trees for node in ast.walk(tree))


def _is_docstring(node: ast.stmt) -> bool:
    """Whether a statement is a text alone: the docstring of a module, a class, a function or the attribute above
    it.
    """
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)


def allowed(project: Path) -> Mapping[str, int]:
    """By package, the most statements that it may have."""
    settings: Mapping[str, int] = tomllib.loads((project / "pyproject.toml").read_text("utf-8"))["tool"]["foredraw"][
        "statements"
    ]
    return settings


def excesses(project: Path) -> list[str]:
    """A line for each package that has more than it may have."""
    found = {package: (statements(project / package), most) for package, most in allowed(project).items()}
    return [
        f"{package} has {number:,} statements, and pyproject.toml allows {most:,}: take away what the change makes needless,"
        " or raise the number there and say in the commit what it bought"
        for package, (number, most) in found.items()
        if number > most
    ]


if __name__ == "__main__":
    lines = excesses(PROJECT)
    sys.stdout.write("".join(f"{line}\n" for line in lines) or "Statements: within their limits\n")
    sys.exit(1 if lines else 0)
