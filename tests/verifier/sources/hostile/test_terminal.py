"""Nothing that somebody else wrote gives the terminal commands."""

from __future__ import annotations

import os
import pty
import re
import subprocess
import sys
import threading
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import TextIO

import pytest

from fairness.hashing import sha256
from fairness.log.checkpoints import Checkpoint
from fairness.player.round_code import RoundCode
from tests.lies import started
from tests.support.dishonest_operator import KEY, ORIGIN, Operator
from tests.support.ran import Ran
from tests.verifier.sources.hostile.answers import VKEY, Answer, answer, length, serving_but, with_status
from verifier.cli import main
from verifier.commands.command import FAILED, HELD, UNREADABLE
from verifier.output.printing import harmless

ESCAPES = "\x1b[2J\x1b]0;owned\x07\x9b31m\u202e\u2028\x7f\x00\b"
"""Clears a screen, renames a window, colours, reverses, breaks a line, deletes."""


@pytest.mark.parametrize("name", ["\x9b2J", "\u202egnp", "\u200b", "\x7f", "e\u0301", "\U000e0041", "\ufeff"])
def test_odd_names_of_strangers_are_spelled_out(name: str, log: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """C2SP allows nearly any signature name; an error shows it without commands to the terminal."""
    line = f"— {name} AAAAAAA=\n"
    (log / "checkpoint").write_bytes(f"a text\n\n{line}".encode())
    for options in ((), ("--json",)):
        ran = Ran(capsys, "audit", log, "--key", VKEY, *options)
        assert ran.status == UNREADABLE
        assert name not in ran.output
        assert ran.output.replace("\n", "").isascii()
    honest = Checkpoint(ORIGIN, 0, sha256(b"")).sign(KEY)
    (log / "checkpoint").write_bytes(honest + line.encode())
    assert Ran(capsys, "audit", log, "--key", VKEY).status == HELD


Program = Callable[[list[str], TextIO], int]
"""Runs ``foredraw-verify`` with arguments on a terminal; returns the exit status."""


def as_a_process(arguments: list[str], terminal: TextIO) -> int:
    """As a user runs it."""
    program = [sys.executable, "-m", "verifier", *arguments]
    return subprocess.run(program, stdin=subprocess.DEVNULL, stdout=terminal, stderr=terminal, check=False).returncode


def in_this_process(arguments: list[str], terminal: TextIO) -> int:
    """The same, without the start of an interpreter."""
    with redirect_stdout(terminal), redirect_stderr(terminal):
        try:
            return main(arguments)
        except SystemExit as stopped:
            return int(stopped.code or 0)


def on_a_terminal(*arguments: str | Path, run: Program = in_this_process) -> tuple[int, str]:
    """What the program writes to a terminal."""
    ours, theirs = pty.openpty()
    parts: list[bytes] = []

    def listen() -> None:
        try:
            while part := os.read(ours, 65_536):
                parts.append(part)
        except OSError:
            # Reading from a terminal whose last program has ended raises this.
            return

    listener = threading.Thread(target=listen)
    listener.start()
    try:
        with pytest.MonkeyPatch.context() as environment, os.fdopen(theirs, "w", encoding="utf-8") as terminal:
            environment.setenv("TERM", "xterm-256color")
            environment.setenv("COLUMNS", "100")
            status = run(list(map(str, arguments)), terminal)
    finally:
        listener.join()
        os.close(ours)
    return status, b"".join(parts).decode("utf-8", "replace")


# What rich itself writes: colours, and on the error output the progress bar's commands for cursor and line.
_OURS = re.compile(r"\x1b\[(?:[0-9;]*m|\?25[lh]|2K|1A)|\r")


def check_tame(output: str) -> None:
    """Check that nothing but lines of visible text is left."""
    rest = _OURS.sub("", output)
    assert all(each.isprintable() or each == "\n" for each in rest), ascii(rest)


@pytest.mark.parametrize("run", [as_a_process, in_this_process])
def test_a_terminal_is_really_written_to(run: Program, log: Path) -> None:
    """The test's terminal works: an honest audit has colours there."""
    status, output = on_a_terminal("audit", log, "--key", VKEY, run=run)
    assert status == HELD
    assert "\x1b[32m" in output
    check_tame(output)


def errors_with_escapes() -> dict[str, Answer]:
    """Texts by which a server reaches the output."""
    return {
        "a body": lambda request, _: answer(
            request, ESCAPES.encode(), length(ESCAPES.encode()), status="500 Internal Server Error"
        ),
        "a reason": with_status(f"403 {ESCAPES}"),
        "a target": with_status("302 Found", ("Location", f"http://{ESCAPES.replace(chr(0), '')}/")),
        "an encoding": with_status("200 OK", ("Content-Encoding", ESCAPES.replace("\x00", ""))),
        "a checkpoint": lambda request, _: answer(request, ESCAPES.encode(), length(ESCAPES.encode())),
        "a version": lambda request, _: answer(request, b"", length(b""), status=f"{ESCAPES} 200 OK"),
    }


@pytest.mark.parametrize("hostile", errors_with_escapes().values(), ids=errors_with_escapes())
def test_a_server_gives_the_terminal_no_commands(hostile: Answer, operator: Operator) -> None:
    """Whatever it writes in a status, a header or a body is spelled out or not shown, also in JSON."""
    with serving_but(operator, hostile, "checkpoint") as address:
        for options in ((), ("--json",)):
            status, output = on_a_terminal("audit", address, "--key", VKEY, *options)
            assert status in {FAILED, UNREADABLE}
            check_tame(output)


def texts_with_escapes() -> dict[str, Callable[[Operator], object]]:
    """Texts by which a record, signed by the operator, reaches the output."""
    return {
        "a reason": lambda operator: operator.give_up("keno-1", reason=ESCAPES),
        "a reason in raw bytes": lambda operator: operator.give_up(
            "keno-1", reason="R", respelled=lambda data: data.replace(b'"R"', f'"{ESCAPES}"'.encode())
        ),
        "a table": lambda operator: operator.table(
            "x", "crash", respelled=lambda data: data.replace(b'"x"', f'"{ESCAPES}"'.encode())
        ),
        "a game": lambda operator: operator.table("x", "crash", game=ESCAPES),
        "a log": lambda operator: operator.table("x", "crash", log=ESCAPES),
        "an outcome": lambda operator: (
            operator.lock("keno-1"),
            operator.reveal("keno-1", outcome={ESCAPES: ESCAPES}),
        ),
        "a rule": lambda operator: operator.batch("crash-1", 5, rules={ESCAPES: 1}),
        "a custodian": lambda operator: operator.table("x", "crash", custodians=[ESCAPES]),
        "any bytes": lambda operator: operator.append(ESCAPES.encode()),
        # Printable, so allowed in a record: text that looks like a command, and rich's markup.
        "visible text": lambda operator: (
            operator.lock("keno-1"),
            operator.void("keno-1", reason="[red]\\x1b[2J[/red] [link=http://x.example]:skull:"),
        ),
    }


@pytest.mark.parametrize("tell", texts_with_escapes().values(), ids=texts_with_escapes())
def test_a_record_gives_the_terminal_no_commands(tell: Callable[[Operator], object], tmp_path: Path) -> None:
    """Whatever an operator writes into a record is refused, spelled out, or printable."""
    operator = started()
    tell(operator)
    log = operator.write(tmp_path)
    for options in ((), ("--json",)):
        status, output = on_a_terminal("audit", log, "--key", VKEY, *options)
        assert status in {HELD, FAILED}
        check_tame(output)


def test_a_reason_is_shown_as_it_stands(tmp_path: Path) -> None:
    """Markup in a reason is neither interpreted nor lost."""
    operator, reason = started(), "[red]\\x1b[2J[/red] :skull:"
    operator.lock("keno-1")
    operator.void("keno-1", reason=reason)
    table = operator.tables["keno-1"]
    code = str(RoundCode.of(table.game, table.table_id, 6, table.seeds_of(6)))
    status, output = on_a_terminal("code", code, "--log", operator.write(tmp_path), "--key", VKEY)
    assert status == HELD
    assert reason in output
    check_tame(output)


def test_what_a_user_was_told_to_type_gives_the_terminal_no_commands(log: Path, tmp_path: Path) -> None:
    """A code, a key, an address or a file name that somebody sent may be as hostile as a server."""
    text = ESCAPES.replace("\x00", "")
    for arguments in (
        ("code", text, "--log", log, "--key", VKEY),
        ("code", "crash1qqqqqqqq", "--log", log, "--key", VKEY, "--table", text),
        ("audit", tmp_path / text, "--key", VKEY),
        ("audit", f"http://{text}/log", "--key", VKEY),
        ("audit", log, "--key", VKEY, "--state", tmp_path / text / "state"),
    ):
        for options in ((), ("--json",)):
            _, output = on_a_terminal(*arguments, *options)
            check_tame(output)
            assert "Traceback" not in output


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain text, é and 日本", "plain text, é and 日本"),
        ("\x1b[2J", "\\x1b[2J"),
        ("a\nb\tc\r", "a\\nb\\tc\\r"),
        ("\x9b", "\\x9b"),
        ("\u202e", "\\u202e"),
        ("\udcff", "\\udcff"),
        ("\U000e0041", "\\U000e0041"),
    ],
)
def test_what_is_harmless(text: str, shown: str) -> None:
    """Letters of any language stay; control characters and invisible ones are spelled out."""
    assert harmless(text) == shown
