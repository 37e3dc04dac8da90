"""Streams that wait for no reader: what is written, in which order, what is lost, and what is said about it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from fcntl import F_SETPIPE_SZ, fcntl
from io import TextIOWrapper
from typing import IO

import pytest

from api.world.surroundings.streams import MOST_BYTES, PatientStream, Rank, say
from tests.support.running_service import PATIENCE_SECONDS

PIPE = 4096
LINE = "x" * 999 + "\n"


class Pipe:
    """A pipe of a page, with a patient stream at its beginning."""

    def __init__(self) -> None:
        self.reading, self.writing = os.pipe()
        fcntl(self.writing, F_SETPIPE_SZ, PIPE)
        self.file: IO[str] = os.fdopen(self.writing, "w", encoding="ascii")
        assert isinstance(self.file, TextIOWrapper)
        self.stream = PatientStream(self.file, lambda lines: f"lost {lines}\n")
        self.text = ""

    def read_until(self, end: str) -> str:
        """All that comes, up to such an end."""
        while not self.text.endswith(end):
            self.text += os.read(self.reading, 1 << 20).decode("ascii")
        return self.text

    def read_until_counted(self, lines: int) -> tuple[list[str], int]:
        """What was kept, and how many lines were lost, once both together are so many: a loss may be reported in
        parts.
        """
        while True:
            whole = self.text[: self.text.rfind("\n") + 1].splitlines()
            kept = [line for line in whole if not line.startswith("lost ")]
            lost = sum(int(line.removeprefix("lost ")) for line in whole if line.startswith("lost "))
            if len(kept) + lost >= lines:
                return kept, lost
            self.text += os.read(self.reading, 1 << 20).decode("ascii")


@pytest.fixture
def pipe() -> Iterator[Pipe]:
    """It is closed at the end, with whatever waits there."""
    made = Pipe()
    yield made
    os.close(made.reading)
    made.stream.settle(PATIENCE_SECONDS)
    made.file.close()


def test_all_is_written_in_its_order(pipe: Pipe) -> None:
    """If somebody reads; and nothing is left behind."""
    for number in range(30):
        say(pipe.stream, f"line {number}\n", Rank.CALL)  # type: ignore[arg-type]  # it is one of them
    pipe.stream.settle(PATIENCE_SECONDS)
    assert pipe.read_until("line 29\n") == "".join(f"line {number}\n" for number in range(30))


def test_nobody_waits_and_alarms_are_lost_last(pipe: Pipe) -> None:
    """Ten times of what has room: of calls the first ones wait, then news take their place, then alarms; all is
    counted.
    """
    many = 3 * MOST_BYTES // len(LINE)
    for rank in Rank:
        for _ in range(many):
            pipe.stream.put(rank.name[0] + LINE[1:], rank)
    pipe.stream.put("Z the end\n", Rank.ALARM)
    assert pipe.text == ""
    lines, lost = pipe.read_until_counted(3 * many + 1)
    kept = [line[0] for line in lines]
    assert lost > 0
    assert len(kept) + lost == 3 * many + 1
    on_their_way = 2 * (MOST_BYTES + PIPE) // len(LINE)
    assert kept.count("A") >= MOST_BYTES // len(LINE) - 1
    assert kept.count("C") + kept.count("N") <= on_their_way


def test_what_is_collected_meanwhile_may_speak(pipe: Pipe, monkeypatch: pytest.MonkeyPatch) -> None:
    """A finaliser that runs while a text is put, or taken, puts one itself: nothing waits for itself, and nothing is
    lost.
    """
    make_room = pipe.stream._make_room

    def speaking(size: int, rank: Rank) -> bool:
        if rank is Rank.NEWS:
            pipe.stream.put("from a finaliser\n", Rank.ALARM)
        return make_room(size, rank)

    monkeypatch.setattr(pipe.stream, "_make_room", speaking)
    pipe.stream.put("a text\n", Rank.NEWS)
    assert pipe.read_until("a text\n") == "from a finaliser\na text\n"


def test_the_descriptor_stays_as_it_was(pipe: Pipe) -> None:
    """Other processes have it, too, and some would fail if it did not wait any more."""
    pipe.stream.put(LINE * 100, Rank.NEWS)
    assert os.get_blocking(pipe.writing)


@pytest.mark.parametrize("text", ["\u2013", "\u0531", "\udcff"])
def test_what_cannot_be_spelled_is_escaped(pipe: Pipe, text: str) -> None:
    """It raises nothing: a message must not end the work that it is about."""
    assert pipe.stream.write(text) == 1
    assert pipe.stream.write("\n") == 1
    assert pipe.read_until("\n") == f"\\{'x' if ord(text) < 256 else 'u'}{ord(text):04x}\n"


def test_what_cannot_be_written_is_skipped() -> None:
    """On a full disk, or to a reader that is gone; what is written there later says how much was lost."""
    with open("/dev/full", "w", encoding="ascii") as full:  # noqa: PTH123 -- a stream, as a program has one
        stream = PatientStream(full, lambda lines: f"lost {lines}\n")
        for _ in range(10):
            stream.put(LINE, Rank.NEWS)
        stream.settle(PATIENCE_SECONDS)
    reading, writing = os.pipe()
    os.close(reading)
    with os.fdopen(writing, "w", encoding="ascii") as closed:
        stream = PatientStream(closed, lambda lines: f"lost {lines}\n")
        stream.put(LINE, Rank.ALARM)
        stream.settle(PATIENCE_SECONDS)
