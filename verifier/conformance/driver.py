"""Tests other people's verifiers with the vectors of every format (docs/conformance.md).

A program is started once and gets one request after the other: a JSON object per line, answered by one per line.
It is somebody's unfinished work, so it may hang, die or print anything. Then it is killed, the case has failed,
and the program is started again for the next case. Of the format ``verdict`` it may decline a whole command.
"""

from __future__ import annotations

import json
import os
import selectors
import signal
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from importlib import resources
from pathlib import Path
from threading import Timer
from typing import IO, Any, Self

from fairness.errors import quote

LONGEST_ANSWER = 1_000_000
DECLINABLE = "verdict"
"""The format of which a program may decline a command, or one with certain options, because it has no such check."""
MOST_STARTS = 3
"""How often in a row a program may hang, die or print something that is not an answer, before it gets no more
requests.
"""

Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Vectors:
    """The cases of one format: requests and the correct answers."""

    format: str
    operation: str
    cases: list[Json]

    def request(self, case: Json) -> bytes:
        """Return the request for one case, as a line."""
        question = {"format": self.format, "operation": self.operation, "input": case["input"]}
        return json.dumps(question).encode() + b"\n"


@dataclass(frozen=True, slots=True)
class Failure:
    """A case with a wrong answer or none."""

    case: str
    expected: str
    found: str
    catches: str | None


@dataclass(slots=True)
class FormatReport:
    """The result for one format."""

    format: str
    cases: int
    failures: list[Failure] = field(default_factory=list)
    declined: dict[str, int] = field(default_factory=dict)
    """How many cases of each command with its options the program declined. They were not tested, and did not
    pass.
    """

    @property
    def passed(self) -> int:
        """The number of cases with the correct answer."""
        return self.answered - len(self.failures)

    @property
    def answered(self) -> int:
        """The number of cases that were tested."""
        return self.cases - sum(self.declined.values())


class NoVectors(Exception):
    """There are no vectors; the message says where."""


def load_vectors(folder: Path | None = None) -> list[Vectors]:
    """Return the vectors of a folder, by default those that are installed with this program, by the names of their
    formats.

    Raises `NoVectors`; the verifier as one file has none of its own.
    """
    place = resources.files("verifier.conformance") / "vectors" if folder is None else folder
    found = (file for file in place.iterdir() if file.name.endswith(".json")) if place.is_dir() else ()
    files = sorted(found, key=lambda file: file.name)
    if not files:
        raise NoVectors("this program has none of its own" if folder is None else f"{folder} has no file .json")
    try:
        return [_read(file.read_text("utf-8")) for file in files]
    except (ValueError, LookupError, TypeError, AttributeError) as error:
        raise NoVectors(f"{folder} has other files .json, too") from error


def _read(text: str) -> Vectors:
    value = json.loads(text)
    files = dict[str, Json]()
    cases = [case | {"input": _with_files(_unpacked(case["input"]), case["name"], files)} for case in value["cases"]]
    return Vectors(value["format"], value["operation"], cases)


def _unpacked(given: Json) -> Json:
    """Return an input as it is sent: its ``text`` is made of ``pieces``, each repeated as often as it says."""
    if "pieces" not in given:
        return given
    text = "".join(piece * times for piece, times in given["pieces"])
    return {key: value for key, value in given.items() if key != "pieces"} | {"text": text}


def _with_files(given: Json, name: str, files: dict[str, Json]) -> Json:
    """Return an input as it is sent: the ``files`` of the earlier case that it is ``like``, but for those that it has
    itself; null is none.

    ``files`` has those of every case so far, by its name.
    """
    if "files" not in given:
        return given
    every: Json = files.get(given.get("like", ""), {}) | given["files"]
    files[name] = {path: data for path, data in sorted(every.items()) if data is not None}
    return {key: value for key, value in given.items() if key != "like"} | {"files": files[name]}


def conform(command: Sequence[str], vectors: Sequence[Vectors], *, limit: float) -> Iterator[FormatReport]:
    """Send all cases to a program, format by format; it has ``limit`` seconds for each.

    Raises `OSError` if it cannot be started at all.
    """
    with Program(command, limit) as program:
        for asked in vectors:
            report = FormatReport(asked.format, len(asked.cases))
            declined = dict[str, list[Json]]()
            for case in asked.cases:
                try:
                    if (failure := _ask(program, asked, case)) is not None:
                        report.failures.append(failure)
                except Declined:
                    declined.setdefault(_asked(case), []).append(case)
            _count_declined(report, asked, declined)
            yield report


def _count_declined(report: FormatReport, vectors: Vectors, declined: dict[str, list[Json]]) -> None:
    """Decline a command with these options as a whole: somebody who answers some of its cases has chosen among them,
    and failed the others.
    """
    for command, cases in declined.items():
        if len(cases) == sum(_asked(case) == command for case in vectors.cases):
            report.declined[command] = len(cases)
        else:
            found = f"declined, and other cases of {command} were not"
            report.failures += [_failure(case, _expected(case), found) for case in cases]


_TRUST = {"key", "policy"}
"""The options of which every command has one."""


def _asked(case: Json) -> str:
    """Return the command of a case, with its options."""
    given = case["input"]
    return " ".join([given["command"], *(f"--{name}" for name in given["options"] if name not in _TRUST)])


def _expected(case: Json) -> Json:
    return {key: case[key] for key in ("valid", "result") if key in case}


def _ask(program: Program, vectors: Vectors, case: Json) -> Failure | None:
    """Return the failure of a case, if it is one. Raises `Declined`."""
    expected = _expected(case)
    try:
        found = program.ask(vectors.request(case))
    except NoAnswer as error:
        return _failure(case, expected, str(error))
    if vectors.format == DECLINABLE and found == {"declined": True}:
        raise Declined
    # An unexpected result is ignored. Compared as text, 1 is not true, and 1.0 is not 1.
    given = {key: found[key] for key in expected if key in found}
    return None if _text(given) == _text(expected) else _failure(case, expected, _text(given))


def _failure(case: Json, expected: Json, found: str) -> Failure:
    return Failure(case["name"], quote(_text(expected)), quote(found), case.get("catches"))


def _text(value: object) -> str:
    return json.dumps(value, sort_keys=True)


class Declined(Exception):
    """The program says that it has no such command."""


class NoAnswer(Exception):
    """The program did not answer; the message says how."""


class Program:
    """A running program that answers line by line. It is started again if necessary."""

    def __init__(self, command: Sequence[str], limit: float) -> None:
        self._command, self._limit = command, limit
        self._running: subprocess.Popen[bytes] | None = None
        self._unanswered = 0
        self._start()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def ask(self, request: bytes) -> Json:
        """Send a request and return the answer. Raises `NoAnswer`; then the program was stopped."""
        if self._unanswered == MOST_STARTS:
            raise NoAnswer(f"not sent, because there was no answer {MOST_STARTS} times in a row")
        running = self._running or self._start()
        expired = False

        def end() -> None:
            nonlocal expired
            expired = True
            self._kill(running)

        # One timeout for everything, so it also stops a program that does not read its input.
        timer = Timer(self._limit, end)
        timer.start()
        try:
            answer = _object(_exchange(running, request))
        except NoAnswer as error:
            self._unanswered += 1
            self.stop()
            raise NoAnswer(f"no answer within {self._limit:g} s" if expired else str(error)) from error
        finally:
            timer.cancel()
        self._unanswered = 0
        return answer

    def stop(self) -> None:
        """Kill the program and everything that it started."""
        if self._running is not None:
            self._kill(self._running)
            self._running.communicate()
            self._running = None

    def _start(self) -> subprocess.Popen[bytes]:
        self._running = subprocess.Popen(
            self._command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0, start_new_session=True
        )
        return self._running

    @staticmethod
    def _kill(running: subprocess.Popen[bytes]) -> None:
        with suppress(ProcessLookupError):
            os.killpg(running.pid, signal.SIGKILL)


def _object(line: bytes) -> Json:
    try:
        found = json.loads(line)
    except (ValueError, RecursionError):
        raise NoAnswer(f"no JSON: {quote(line)}") from None
    if not isinstance(found, dict):
        raise NoAnswer(f"no object: {quote(line)}")
    return found


def _has_more(pipe: IO[bytes]) -> bool:
    """Return whether there is something to read, including the end of the file."""
    with selectors.DefaultSelector() as selector:
        selector.register(pipe, selectors.EVENT_READ)
        return bool(selector.select(timeout=0))


def _exchange(running: subprocess.Popen[bytes], request: bytes) -> bytes:
    """Write a line and read one."""
    if running.stdin is None or running.stdout is None:
        raise ValueError("a program without pipes")
    if _has_more(running.stdout):
        raise NoAnswer("it wrote something, or ended, before it got a request")
    answer = b""
    try:
        while request:
            request = request[running.stdin.write(request) :]
        while b"\n" not in answer:
            part = running.stdout.read(1 << 16)
            if not part:
                raise NoAnswer(f"it ended, after {quote(answer)}" if answer else "it ended without an answer")
            answer += part
            if len(answer) > LONGEST_ANSWER:
                raise NoAnswer(f"an answer of more than {LONGEST_ANSWER} bytes")
    except OSError as error:
        raise NoAnswer("it ended without an answer") from error
    line, _, more = answer.partition(b"\n")
    if more:
        raise NoAnswer(f"more than one line: {quote(more)}")
    return line
