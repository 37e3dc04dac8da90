"""The table of results in docs/battery.md, from the logs next to it; what did not run is not in it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

from benchmarks.battery import assess, dieharder
from benchmarks.battery.logs import FOLDER, Log, Result, kept
from benchmarks.battery.samples import SAMPLES

PAGE = FOLDER.parent / "battery.md"
LEVEL = 0.01
"""The family-wise level of the verdict: the chance that a good source fails."""

_BEGIN, _END = "<!-- results -->\n", "<!-- end of results -->\n"
_SUITES: dict[str, Callable[[Log], Iterator[Result]]] = {
    dieharder.SUITE: dieharder.results,
    assess.SUITE: assess.results,
}


def flagged(log: Log) -> list[str]:
    """The tests of a first run that need a second one."""
    return [result.test for result in _SUITES[log.suite](log) if result.flagged]


def table() -> str:
    """The table of the results in the logs."""
    lines = ["| suite, sample | data | results | flagged | log |", "|---|---|---|---|---|"]
    first = [log for suite in _SUITES for log in kept(suite, 1)]
    for log in (*first, *(log for suite in _SUITES for log in kept(suite, 2))):
        found = list(_SUITES[log.suite](log))
        name = f"{log.suite}, {log.sample}" + (", again" if log.run > 1 else "")
        again = "-" if log.run > 1 else str(sum(result.flagged for result in found))
        link = f"[log](battery/{log.path.name})"
        lines.append(f"| {name} | {log.fact('data')} | {len(found)} | {again} | {link} |")
    return "\n".join([*lines, "", "\n\n".join((*_not_run(first), *_verdict(first))), ""])


def _not_run(first: list[Log]) -> Iterator[str]:
    wanted = [(dieharder.SUITE, "raw"), *((assess.SUITE, sample.name) for sample in SAMPLES)]
    ran = {(log.suite, log.sample) for log in first}
    missing = "; ".join(f"{suite}, {sample}" for suite, sample in wanted if (suite, sample) not in ran)
    if missing:
        yield f"Not run: {missing}."


def _verdict(first: list[Log]) -> Iterator[str]:
    """The verdict, by the second runs alone."""
    wanted = [(log, test) for log in first for test in flagged(log)]
    ps: list[tuple[float, str]] = []
    missing = []
    for log, test in wanted:
        again = Log(log.suite, log.sample, 2)
        found = {each.test: each for each in _SUITES[log.suite](again)} if again.path.exists() else {}
        if test in found:
            ps += [(p, f"{log.suite}, {log.sample}: {test}") for p in found[test].p_values]
        else:
            missing.append(f"{log.suite}, {log.sample}: {test}")
    names = "; ".join(f"{log.suite}, {log.sample}: {test}" for log, test in wanted)
    yield f"Flagged in the first runs, and so run again: {names or 'none'}."
    if missing:
        yield f"**No verdict yet.** Not run again so far: {'; '.join(missing)}."
    elif not ps:
        yield "**Verdict: passed.** Nothing had to be run again."
    else:
        smallest, test = min(ps)
        passed = smallest >= LEVEL / len(ps)
        yield (
            f"**Verdict: {'passed' if passed else 'FAILED'}.** Of the {len(ps)} p-values of the second runs the smallest is"
            f" {smallest:.4f} ({test}); {LEVEL / len(ps):.5f} or less would have failed."
        )


def write_table(page: Path = PAGE) -> None:
    """Put the table into the page, between its marks."""
    text = page.read_text("utf-8")
    before, _, rest = text.partition(_BEGIN)
    _, _, after = rest.partition(_END)
    page.write_text(before + _BEGIN + "\n" + table() + "\n" + _END + after, "utf-8")
