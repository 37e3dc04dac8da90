"""The folders of the verifier in JavaScript: the map in its README names every file, and imports run downwards on
it.
"""

from __future__ import annotations

import re
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

from tests.oracles.second_verifier import BROWSER
from tests.support.documents import fenced

MAP = fenced((BROWSER / "README.md").read_text("utf-8"), "")[0]
MOST_FILES = 15
"""How many files one listing shows at a glance, as in Python's packages."""

_LINE_COMMENT = re.compile(r"^ *//.*$", re.MULTILINE)
"""What has an example of an import. The types of JSDoc are in comments of the other kind."""

Floor = dict[str, list[str]]
"""The folders of a paragraph of the map, each with the names of its files; those next to the README are in `.`."""


def floors(text: str) -> list[Floor]:
    """The paragraphs of a map, from the top down."""
    found = []
    for paragraph in text.strip().split("\n\n"):
        floor: Floor = {}
        folder = "."
        for indent, name in re.findall(r"^( *)([\w-]+/?) ", paragraph, re.MULTILINE):
            if name.endswith("/"):
                folder = name[:-1]
                floor[folder] = []
            else:
                floor.setdefault(folder if indent else ".", []).append(name)
        found.append(floor)
    return found


def imports(folder: Path) -> dict[str, list[str]]:
    """The modules below a folder, each with those that it imports, as code or for a type in JSDoc."""
    return {
        module.relative_to(folder).as_posix(): [
            (module.parent / name).resolve().relative_to(folder).as_posix()
            for name in re.findall(
                r'(?:from|import) ?\(?"(\.[^"]+)"', _LINE_COMMENT.sub("", module.read_text("utf-8"))
            )
        ]
        for module in sorted(folder.rglob("*.js"))
    }


def not_downwards(graph: dict[str, list[str]], order: list[Floor]) -> list[str]:
    """The imports that lead neither to a lower floor nor to the module's own folder."""
    height = {folder: -at for at, floor in enumerate(order) for folder in floor}
    pairs = [(module, other) for module, others in graph.items() for other in others]
    folders = [(Path(module).parent.as_posix(), Path(other).parent.as_posix()) for module, other in pairs]
    return [
        f"{module} imports {other}"
        for (module, other), (own, its) in zip(pairs, folders, strict=True)
        if own != its and height[own] <= height[its]
    ]


def test_the_map_names_every_file() -> None:
    """Each once, and nothing else."""
    named = [f"{folder}/{name}.js" for floor in floors(MAP) for folder, names in floor.items() for name in names]
    assert sorted(named) == sorted(f"{path.parent}/{path.name}" for path in map(Path, imports(BROWSER)))


def test_a_folder_is_no_larger_than_can_be_seen() -> None:
    """More files than this need folders."""
    assert {folder for floor in floors(MAP) for folder, names in floor.items() if len(names) > MOST_FILES} == set()


def test_imports_run_downwards() -> None:
    """As in Python's packages: a log knows no rounds, and a record no check."""
    graph = imports(BROWSER)
    assert sum(map(len, graph.values())) > 200
    assert not_downwards(graph, floors(MAP)) == []


def test_no_imports_form_a_cycle() -> None:
    """Not within a folder either; a `CycleError` would name the modules."""
    assert len([*TopologicalSorter(imports(BROWSER)).static_order()]) == len(imports(BROWSER))


@pytest.mark.parametrize(
    ("module", "other", "is_refused"),
    [
        ("upper/a.js", "lower/c.js", False),
        ("upper/a.js", "upper/b.js", False),
        ("top.js", "upper/a.js", False),
        ("lower/c.js", "upper/a.js", True),
        ("upper/a.js", "beside/d.js", True),
        ("upper/a.js", "top.js", True),
    ],
)
def test_an_import_that_runs_up_is_found(module: str, other: str, *, is_refused: bool) -> None:
    """And one between two folders of a paragraph."""
    order = floors(
        "top      x\n\nupper/   x\n  a      x\n  b      x\nbeside/  x\n  d      x\n\nlower/   x\n  c      x\n"
    )
    assert order == [{".": ["top"]}, {"upper": ["a", "b"], "beside": ["d"]}, {"lower": ["c"]}]
    assert not_downwards({module: [other]}, order) == ([f"{module} imports {other}"] if is_refused else [])
