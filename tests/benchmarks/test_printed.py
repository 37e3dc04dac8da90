"""How the printed figures of older commits are read."""

from __future__ import annotations

import pytest

from benchmarks import printed
from benchmarks.figure import Figure, Quantity, higher, lower, neutral


@pytest.mark.parametrize(
    ("measured", "like", "values"),
    [
        (
            "11.3 µs (6.1 s on 2 cores); one SHA-256 takes 0.51 µs here",
            [lower("", 0, "µs"), lower("the whole audit", 0, "s"), neutral("one SHA-256", 0, "µs")],
            [11.3, 6.1, 0.51],
        ),
        (
            "the slowest of 5 codes 0.52 s, the median 0.40 s, the check alone 0.11 s; 27 files",
            [lower("slowest", 0, "s"), lower("median", 0, "s"), lower("check", 0, "s"), lower("", 0, "files")],
            [0.52, 0.4, 0.11, 27],
        ),
        (
            "20 rounds: median 0.52 s, the last of all 1.05 s; every watcher saw every round; 38 kB/s, 52% unchanged",
            [lower("", 0, "rounds"), lower("", 0, "s"), lower("", 0, "s"), lower("", 0, "kB/s"), higher("", 0, "%")],
            [20, 0.52, 1.05, 38, 52],
        ),
        (
            "2735/s; bare route 3108/s; ratio 0.88",
            [higher("", 0, "/s"), neutral("", 0, "/s"), higher("ratio", 0, "")],
            [2735, 3108, 0.88],
        ),
        (
            "1,000 records 9.1 ms, 1,000,000 records 9.4 ms; ratio 1.03",
            [lower("", 0, "ms"), lower("", 0, "ms"), neutral("ratio", 0, "")],
            [9.1, 9.4, 1.03],
        ),
        ("median 104 ms, 99th percentile 177 ms", [lower("", 0, "ms"), lower("", 0, "ms")], [104, 177]),
        ("6,560 bytes at most", [lower("", 0, "bytes")], [6560]),
        ("6,560 bytes at most", [lower("", 0, "files")], []),
    ],
)
def test_the_lines_of_older_commits_are_read(measured: str, like: list[Quantity], values: list[float]) -> None:
    """They are from such commits. If a figure cannot be read, its words are kept."""
    lines = f"MISSED  wait\n        measured  {measured}\n        target    short\nmet     a\n"
    (figure,) = printed.read(lines, [Figure("wait", like, "-", None)])
    assert [quantity.value for quantity in figure.quantities] == values
    assert (figure.name, figure.target, figure.met) == ("wait", "short", False)
    assert figure.remark == ("" if values else measured)
