"""The limits of statements: what counts, and that an excess is named."""

from __future__ import annotations

from pathlib import Path

from tests.tiers.statements import PROJECT, allowed, excesses, statements

_MODULE = '"""A module."""\n\nlimit = 3\n"""An attribute."""\n\n\ndef double(number: int) -> int:\n    """Double it."""\n    return 2 * number\n'


def test_docstrings_do_not_count(tmp_path: Path) -> None:
    """An assignment, a function and its return; the texts of module, attribute and function are for the reader."""
    folder = tmp_path / "deep" / "er"
    folder.mkdir(parents=True)
    (folder / "one.py").write_text(_MODULE)
    assert statements(tmp_path) == 3


def test_an_excess_is_named(tmp_path: Path) -> None:
    """With the package, both numbers, and what to do; a package at its limit is none."""
    for package in ("api", "games"):
        (tmp_path / package).mkdir()
        (tmp_path / package / "one.py").write_text(_MODULE)
    (tmp_path / "pyproject.toml").write_text("[tool.foredraw.statements]\napi = 3\ngames = 2\n")
    (line,) = excesses(tmp_path)
    assert line.startswith("games has 3 statements, and pyproject.toml allows 2: take away ")


def test_each_package_of_the_product_has_a_limit() -> None:
    """And the limit is near what it has, or it would hold nothing."""
    limits = allowed(PROJECT)
    assert set(limits) == {"api", "fairness", "games", "verifier"}
    assert all(statements(PROJECT / package) > 0.95 * most for package, most in limits.items())
