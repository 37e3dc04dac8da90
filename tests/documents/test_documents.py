"""The documents are true: links have targets, commands exist, answers and lists are those of the programs."""

from __future__ import annotations

import json
import re
import shlex
import subprocess
from pathlib import Path
from typing import Any

import click
import pytest
from jsonschema import Draft202012Validator
from PIL import Image, ImageSequence

from api.problems import OF_THE_WEB_SERVER, Code, members_of
from api.programs.cli import main as foredraw
from tests.house import HOUSE
from tests.messages import in_the_code
from tests.support.descriptions import DOCUMENT
from tests.support.documents import OPERATOR, PAGES, fenced
from verifier import cli as verify
from verifier.commands import command as status

# Variables that the programs of one service pass to one another, and no operator sets.
INTERNAL = {
    "FOREDRAW_COUNT",
    "FOREDRAW_NICENESS",
    "FOREDRAW_PUBLIC_SHARE",
    "FOREDRAW_SUPERVISOR",
    "FOREDRAW_ENGINES",
    "FOREDRAW_FILES",
}
HTTP = PAGES[Path("docs/http.md")]
MOVING = "round.webp"


def prose(text: str) -> str:
    """A page without its fenced blocks."""
    return re.sub(r"^```.*?^```$", "", text, flags=re.MULTILINE | re.DOTALL)


def anchors(text: str) -> set[str]:
    """The headings of a page, as links spell them."""
    headings = re.findall(r"^#+ (.+)$", prose(text), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def commands(text: str) -> list[list[str]]:
    """The command lines of the shell blocks: each line, or in a console those after a `$`."""
    lines = [line for block in fenced(text, "sh") for line in block.splitlines()]
    lines += [line[2:] for block in fenced(text, "console") for line in block.splitlines() if line.startswith("$ ")]
    return [shlex.split(line) for line in lines]


def calls(program: str) -> list[tuple[str, list[str]]]:
    """The arguments of every call of one of our programs, with its page; also inside other commands."""
    found = []
    for page, text in PAGES.items():
        if page == Path("SPEC.md"):
            continue
        for words in commands(text):
            # Not the account, the folder or the container of that name.
            at = [i for i, word in enumerate(words) if word.endswith(f"bin/{program}") or (word == program and not i)]
            if not at or words[0] == "docker":
                continue
            arguments = words[at[-1] + 1 :]
            if arguments[:1] == ["--data"]:
                arguments = arguments[2:]
            ends = [at for at, word in enumerate(arguments) if word in {"|", "<", ">"}]
            found.append((str(page), arguments[: ends[0]] if ends else arguments))
    return found


@pytest.mark.parametrize("page", PAGES, ids=str)
def test_every_link_leads_to_a_file_and_a_heading(page: Path) -> None:
    """Relative links only: the files are in the repository, the headings in the files."""
    for target in re.findall(r"\]\(([^)\s]+)\)", prose(PAGES[page])):
        path, _, heading = target.partition("#")
        file = (HOUSE / page.parent / path).resolve() if path else HOUSE / page
        assert file.exists(), target
        if heading:
            assert heading in anchors(file.read_text("utf-8")), target


def test_the_programs_name_headings_that_exist() -> None:
    """A message or a docstring that names a document's section, as `docs/install.md, "Upgrade"`, names one that is
    there.
    """
    sources = "".join(path.read_text("utf-8") for path in (HOUSE / "api").rglob("*.py"))
    named = re.findall(r'(docs/[a-z-]+\.md)(?:``)?(?:,| says under) "([^"{]+)"', sources)
    assert len(named) > 5
    headings = {page: re.findall(r"^#+ (.+)$", prose(PAGES[Path(page)]), re.MULTILINE) for page, _ in named}
    assert [(page, heading) for page, heading in named if heading not in headings[page]] == []


@pytest.mark.parametrize("page", PAGES, ids=str)
def test_a_line_of_prose_is_a_sentence_and_no_paragraph(page: Path) -> None:
    """Except tables, pictures and generated text (readings of the regulation, results of the battery)."""
    text = re.sub(r"^<!-- results -->.*^<!-- end of results -->$", "", PAGES[page], flags=re.MULTILINE | re.DOTALL)
    assert [
        line for line in prose(text).splitlines() if len(line) > 200 and not re.match(r"\||!\[|- .*”\*$", line)
    ] == []


@pytest.mark.parametrize(("page", "arguments"), calls("foredraw"))
def test_the_operators_commands_exist(page: str, arguments: list[str]) -> None:
    """Each is parsed by the program itself, with its options, but not run."""
    del page
    command: click.Command = foredraw
    while isinstance(command, click.Group):
        context = click.Context(command)
        found = command.get_command(context, arguments[0])
        assert found is not None, arguments
        command, arguments = found, arguments[1:]
    # The program's own context is the parent, because click caches on first use which options ask for help.
    command.make_context("foredraw", list(arguments), parent=click.Context(foredraw, **foredraw.context_settings))


@pytest.mark.parametrize(("page", "arguments"), calls("foredraw-verify"))
def test_the_verifiers_commands_exist(page: str, arguments: list[str]) -> None:
    """Each is parsed by the program itself, with a real key in place of VKEY, and a real policy in place of the
    page's.
    """
    del page
    key = "fore.example/log+3391d0f1+AZuKtTtiquV2gpdd5ZCyfcWsBuafGyFX/vPhMeFCDSpj"
    policy = str(HOUSE / "tests" / "vectors" / "log-salted" / "policy")
    arguments = [
        {"VKEY": key, "fore.policy": policy, "data/demo-policy": policy}.get(word, word) for word in arguments
    ]
    if arguments != ["--help"]:
        verify.parser().parse_args(arguments)


def test_every_make_target_that_is_named_exists() -> None:
    """`make run`, `make test` and the others."""
    makefile = (HOUSE / "Makefile").read_text("utf-8")
    named = {
        target
        for text in PAGES.values()
        for target in re.findall(r"\bmake (run|test|nightly|bench|release|install|check|format|clean)\b", text)
    }
    assert {"run", "test"} <= named
    for words in (words for text in PAGES.values() for words in commands(text) if words[0] == "make"):
        named.add(words[1])
    assert all(re.search(rf"^{target}:", makefile, re.MULTILINE) for target in named)


def command_of(group: click.Group, name: str) -> click.Command:
    found = group.get_command(click.Context(group), name)
    assert found is not None
    return found


def test_every_option_of_serve_and_every_variable_is_described() -> None:
    """The settings in the operator's documents are those of the program."""
    text = OPERATOR
    serve = command_of(foredraw, "serve")
    options = {option for parameter in serve.params for option in parameter.opts}
    assert options <= set(re.findall(r"--[a-z-]+", text))
    sources = "".join(path.read_text("utf-8") for path in (HOUSE / "api").rglob("*.py"))
    variables = set(re.findall(r"FOREDRAW_[A-Z_]+", sources)) - INTERNAL
    assert variables == set(re.findall(r"FOREDRAW_[A-Z_]+", text))


def test_every_command_of_the_operators_program_is_described() -> None:
    """In README or ``docs/``."""
    text = "".join(PAGES.values())
    for name in foredraw.list_commands(click.Context(foredraw)):
        command = command_of(foredraw, name)
        below = command.list_commands(click.Context(command)) if isinstance(command, click.Group) else []
        names = [f"{name} {each}" for each in below] or [name]
        for whole in names:
            assert re.search(rf"foredraw {whole}\b|`{whole}`", text), whole


def test_every_test_that_is_named_exists() -> None:
    """Every test that the compliance map names as evidence exists."""
    named = re.findall(r"`((?:\w+/)*test_\w+)::(test_\w+)`", PAGES[Path("docs/compliance.md")])
    files = {path: path.read_text("utf-8") for path in (HOUSE / "tests").rglob("test_*.py")}
    assert len(named) > 50
    assert [
        f"{file}::{name}"
        for file, name in named
        if not any(path.match(f"{file}.py") and f"\ndef {name}(" in source for path, source in files.items())
    ] == []


def test_the_problem_codes_are_the_programs() -> None:
    """All codes with their status and their members, in the program's order, and then those of the web server in
    front.
    """
    rows = re.findall(r"^\| (\d{3}) \| `([a-z-]+)` \| ?([^|]*?) ?\|", HTTP, re.MULTILINE)
    codes = [(code.text, code.status, members_of(code).text) for code in Code]
    of_the_web_server = [(*each, "`retry_after`") for each in OF_THE_WEB_SERVER.items()]
    assert rows == [(str(status), code, members) for code, status, members in [*codes, *of_the_web_server]]


def test_every_call_is_described() -> None:
    """The calls of docs/http.md and of the OpenAPI description are the same; files of the log are in SPEC."""
    described = {
        (method, path.partition("?")[0])
        for method, path in re.findall(r"^\| `(GET|POST) (/\S*?)`", HTTP, re.MULTILINE)
        if path != "/"
    }
    offered = {
        (method.upper(), path)
        for path, methods in DOCUMENT["paths"].items()
        for method in methods
        if not path.startswith("/log/")
    }
    assert described == offered


def answers() -> list[tuple[str, str, Any]]:
    """Each example call of docs/http.md: method, path and answer."""
    found = []
    for block in fenced(HTTP, "console"):
        for command, answer in re.findall(r"^\$ curl (.*)\n(\{.*\})$", block, re.MULTILINE):
            path = re.search(r"http://127\.0\.0\.1:800[01](/\S*)", command)
            assert path is not None
            found.append(("post" if "-X POST" in command else "get", path[1], json.loads(answer)))
    return found


@pytest.mark.parametrize(("method", "path", "answer"), answers())
def test_the_example_answers_are_what_is_described(method: str, path: str, answer: dict[str, Any]) -> None:
    """Each example is valid for its call by the OpenAPI description."""
    template = re.sub(r"/rounds/\d+", "/rounds/{round}", re.sub("/(keno|blackjack)-1", "/{table}", path))
    status = str(answer["status"]) if "code" in answer and "detail" in answer else "200"
    content = DOCUMENT["paths"][template][method]["responses"][status]["content"]
    (schema,) = (kind["schema"] for kind in content.values())
    Draft202012Validator({**schema, "components": DOCUMENT["components"]}).validate(answer)


def test_the_exit_statuses_are_the_programs() -> None:
    """In SPEC."""
    rows = re.findall(
        r"^\| (\d+) \| ", re.split(r"^### 8\.3.*$", PAGES[Path("SPEC.md")], flags=re.MULTILINE)[1], re.MULTILINE
    )
    statuses = [
        *(status.HELD, status.USAGE, status.FAILED, status.UNREADABLE, status.IMPROBABLE, status.UNKNOWN),
        *(status.NOT_SHOWN, status.MISTYPED, status.INTERRUPTED),
    ]
    assert [int(row) for row in rows[: len(statuses)]] == statuses


def test_every_dependency_has_its_reason() -> None:
    """The table in CONTRIBUTING.md names the same dependencies as pyproject.toml."""
    project = (HOUSE / "pyproject.toml").read_text("utf-8").partition("[project.scripts]")[0]
    project = project.replace('name = "foredraw"', "")
    needed = set(
        re.findall(
            r'"([a-z0-9-]+)(?:\[[a-z0-9]+\])?(?:[>=]=[0-9.]+)?",?$|requires = \["([a-z0-9-]+)', project, re.MULTILINE
        )
    )
    names = {first or second for first, second in needed}
    table = PAGES[Path("CONTRIBUTING.md")].partition("## Dependencies")[2]
    cells = re.findall(r"^\| [a-z, ]+ \| ([a-z0-9, -]+) \| ", table, re.MULTILINE)
    assert {name for cell in cells for name in cell.split(", ")} - {"package"} == names


def test_nothing_of_this_or_that_machine() -> None:
    """No paths of one particular machine, and no picture that fetches anything."""
    for page, text in PAGES.items():
        assert not re.search(r"/(?:home|root|work|Users|tmp)/", text), page
    for picture in (HOUSE / "docs" / "pictures").glob("*.svg"):
        text = picture.read_text("utf-8")
        assert not re.search(r"(?:href|src)=|url\((?!#)|@import", text), picture


def test_it_is_documented_which_packages_the_tests_install() -> None:
    """Which packages `make test` installs as root can be read beforehand; README has a link."""
    script = (HOUSE / "tests" / "tools.sh").read_text("utf-8")
    lists = re.findall(r"^(?:packages|nightly)='(.*)'$", script, re.MULTILINE)
    assert len(lists) == 2
    assert all(f"`{package}`" in PAGES[Path("CONTRIBUTING.md")] for each in lists for package in each.split())
    assert "(CONTRIBUTING.md#what-the-tests-need)" in PAGES[Path("README.md")]


def test_the_readmes_first_screen_says_what_it_is_for_and_what_it_does_not_do() -> None:
    """Above the first command: the licence, the difference to a server seed, and every gap that SECURITY.md lists as
    not built.
    """
    first = PAGES[Path("README.md")].partition("## Start")[0]
    assert "[Apache-2.0](LICENSE)" in first
    assert "server seed" in first
    gaps = first.partition("## What it does not do yet")[2]
    assert [
        word for word in ("salt", "witness", "custodian", "standby", "web server in front") if word not in gaps
    ] == []
    unbuilt = PAGES[Path("SECURITY.md")].partition("## What is not built yet")[2]
    assert [word for word in ("salt", "witness", "custodian", "standby") if word not in unbuilt.lower()] == []


def test_the_pictures_are_small_and_used() -> None:
    """Each is used in a page, and is small enough to load quickly; the one that moves may be ten times as large."""
    text = "".join(PAGES.values())
    for picture in (HOUSE / "docs" / "pictures").iterdir():
        assert f"pictures/{picture.name})" in text
        assert picture.stat().st_size < (1_000_000 if picture.name == MOVING else 100_000)


def test_the_picture_that_moves_is_as_long_as_somebody_watches() -> None:
    """Each frame is there for a while, so nothing flickers, and it begins again."""
    with Image.open(HOUSE / "docs" / "pictures" / MOVING) as film:
        milliseconds = []
        for frame in ImageSequence.Iterator(film):
            frame.load()
            milliseconds.append(frame.info["duration"])
        assert film.info["loop"] == 0
    assert min(milliseconds) >= 100
    assert 8_000 <= sum(milliseconds) <= 16_000


def test_every_document_is_reached_from_the_readme() -> None:
    """By links, from page to page; and README is short enough to be read."""
    reached, left = set[Path](), [Path("README.md")]
    while left:
        page = left.pop()
        reached.add(page)
        links = re.findall(r"\]\(([^)\s#]+)", prose(PAGES[page]))
        files = {(HOUSE / page.parent / link).resolve().relative_to(HOUSE) for link in links}
        left += (files & PAGES.keys()) - reached - set(left)
    assert reached == PAGES.keys()
    assert len(PAGES[Path("README.md")].splitlines()) <= 150


def test_the_shell_blocks_are_shell() -> None:
    """A shell parses each of them."""
    for page, text in PAGES.items():
        for block in fenced(text, "sh"):
            checked = subprocess.run(["sh", "-n"], input=block, text=True, capture_output=True, check=False)
            assert checked.returncode == 0, (page, checked.stderr)


def test_nothing_refers_to_release_notes() -> None:
    """There are none: readers compare hashes with those of somebody who has built the same source."""
    said = [*in_the_code(), *(text for page, text in PAGES.items() if page != Path("CHANGELOG.md"))]
    texts = [
        text if isinstance(text, str) else " ".join(text.id) if isinstance(text.id, tuple) else text.id
        for text in said
    ]
    assert not [text for text in texts if "release note" in text.lower()]
