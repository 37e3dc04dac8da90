"""The report: its pictures show what was counted, it is self-contained, and it says what was found."""

from __future__ import annotations

import itertools
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from html import unescape
from html.parser import HTMLParser

import msgspec
import numpy as np
import pytest

from fairness.log.checkpoints import Checkpoint
from fairness.log.notes import SigningKey
from fairness.policy.policy import Policy
from games import GAMES
from tests.oracles.made_columns import RULES, numbers, six_tables, table, with_numbers, with_voids
from verifier.stats.conduct.returns import winning
from verifier.stats.numbers.cells import HeatMap, bars_of_device, bars_of_flights, cells_of, heat_map, survival
from verifier.stats.numbers.columns import TableColumns
from verifier.stats.numbers.samples import parts_of
from verifier.stats.output.caveats import LIMITS
from verifier.stats.statistics import statistics

KEY = SigningKey("fore.example/log", bytes(32)).verifier_key
ROOT = bytes(range(32))


def report_of(tables: Sequence[TableColumns]) -> str:
    """The report of made-up tables."""
    from verifier.stats.output.report import report_html  # noqa: PLC0415  (pictures are slow to import)

    return report_html(
        statistics(tables, Checkpoint(KEY.name, 12_345, ROOT)), Policy(KEY), not_checked=LIMITS
    ).decode()


@pytest.fixture(scope="module")
def tables() -> list[TableColumns]:
    return six_tables(2_000, voids=0.01)


@pytest.fixture(scope="module")
def report(tables: list[TableColumns]) -> str:
    return report_of(tables)


class Page(HTMLParser):
    """The parts of a page that tests ask about."""

    def __init__(self, markup: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.feed(markup)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Collect the tag."""
        self.tags.append((tag, dict(attrs)))

    def all_of(self, name: str) -> list[str]:
        """All values of an attribute."""
        return [value or "" for _, attributes in self.tags for key, value in attributes.items() if key == name]


def cell_names(game: str) -> tuple[str, ...]:
    """The names of a game's cells."""
    cells = cells_of(table(game, 1))
    assert cells is not None
    return cells.names


def exact_chances(game: str) -> dict[str, Fraction]:
    """Each cell's chance by its name, from all outcomes of the game."""
    if game in RULES:
        steps = [
            Fraction(each) for each in ("1.01", "1.1", "1.25", "1.5", "2", "3", "5", "10", "20", "50", "100", "1000")
        ]
        reached = [Fraction(1), *(Fraction(RULES[game]["rtp"], 10_000) / step for step in steps), Fraction(0)]
        return dict(zip(cell_names(game), (low - high for low, high in itertools.pairwise(reached)), strict=True))
    if game == "sic-bo":
        sums = Counter(sum(dice) for dice in itertools.product(range(1, 7), repeat=3))
        return {f"sum {total}": Fraction(count, 216) for total, count in sums.items()}
    return dict.fromkeys(cell_names(game), Fraction(1, len(cell_names(game))))


def cell_name(game: str, outcome: object) -> str:
    """The cell of an outcome, from its own spelling."""
    assert isinstance(outcome, dict)
    if game in RULES:
        lows = [name for name in cell_names(game) if float(name.split()[0]) <= float(outcome["multiplier"])]
        return lows[-1]
    if game == "sic-bo":
        return f"sum {sum(outcome['dice'])}"
    if game == "keno-express":
        first = (outcome["number"] - 1) // 10 * 10 + 1
        return f"{first} to {first + 9}"
    if game == "hi-lo":
        return f"{outcome['card']} {outcome.get('color', '')}".strip()
    return f"sector {outcome['sector']}" if "sector" in outcome else str(outcome["result"])


@pytest.mark.parametrize("game", sorted(GAMES))
def test_bars_are_the_counts_of_played_rounds_and_their_exact_expectation(game: str) -> None:
    """Counted from the outcomes' own spelling, round by round; void rounds are left out."""
    made = table(game, 1_500, voids=0.05)
    (part,) = parts_of(made, made.played, ROOT)
    found = bars_of_flights(made) if made.is_flight else bars_of_device(part.drawn[0])
    chances = exact_chances(game)
    counted = Counter(cell_name(game, made.outcomes[at]) for at in made.final.tolist())
    assert dict(zip(found.names, found.counts.tolist(), strict=True)) == {name: counted[name] for name in found.names}
    n = int(made.played.sum())
    for name, expected, count, off in zip(found.names, found.expected, found.counts, found.deviations, strict=True):
        chance = float(chances[name])
        assert expected == pytest.approx(n * chance, rel=1e-9)
        assert off == pytest.approx((count - n * chance) / (n * chance * (1 - chance)) ** 0.5)


def test_boards_have_each_outcome_at_its_place() -> None:
    """Cards by rank and colour, the goal as it stands, dice by face, numbers by ten."""
    for game, where in {
        "hi-lo": ("7 black", 1, 5),
        "penalty": ("sector 10", 1, 1),
        "keno-express": ("37", 3, 6),
    }.items():
        made = table(game, 1_500)
        board = board_of(made)
        name, row, column = where
        at = board.bars.names.index(name)
        assert (board.rows[at], board.columns[at]) == (row, column)
        assert len(set(zip(board.rows, board.columns, strict=True))) == len(board.bars.names)
        assert board.bars.counts.sum() == 1_500
        place = {"hi-lo": 11, "penalty": 9, "keno-express": 37}[game]
        assert board.bars.counts[at] == (numbers(made)[:, 0] == place).sum()
    dice = table("sic-bo", 1_500)
    assert board_of(dice).bars.counts.tolist() == [
        (numbers(dice)[:, die] == face).sum() for die in range(3) for face in range(1, 7)
    ]


def board_of(made: TableColumns) -> HeatMap:
    """That of a game whose outcomes have names."""
    (part,) = parts_of(made, made.played, ROOT)
    whole = made.facts.whole
    assert whole is not None
    return heat_map(part.drawn[0], whole)


def test_the_survival_curve_is_the_share_of_rounds_that_reached_a_cash_out() -> None:
    """Its exact law follows every rule that the table has had, each with its rounds and its cap."""
    made = table("crash", 2_000)
    later = {"cap": 500, "rtp": 9_000, "version": 1}
    batches = tuple(
        msgspec.structs.replace(batch, rules=later if batch.first > 1_000 else batch.rules) for batch in made.batches
    )
    found = survival(replace(made, batches=batches))
    for at, reached, exact in zip(found.at.tolist(), found.reached, found.exact, strict=True):
        assert reached == (numbers(made)[:, 0] >= at).mean()
        assert exact == pytest.approx(0.5 * 97 / at + (0.5 * 90 / at if at <= 500 else 0))


def test_a_report_needs_nobody_and_runs_nothing(report: str) -> None:
    """No script, no address of a host, no file; everything that it refers to is in it, and a policy forbids all
    else.
    """
    assert not re.search(r"https?:|<script|javascript:|@import|//[a-z]", report, re.IGNORECASE)
    page = Page(report)
    assert not {tag for tag, _ in page.tags} & {"script", "img", "link", "iframe", "object", "embed", "base", "form"}
    assert not page.all_of("src")
    assert not [name for _, attributes in page.tags for name in attributes if name.startswith("on")]
    ids = page.all_of("id")
    assert len(set(ids)) == len(ids)
    referred = [href.removeprefix("#") for href in page.all_of("href")] + re.findall(r"url\(#([^)]*)\)", report)
    assert set(referred) <= set(ids)
    assert report.count("url(") == report.count("url(#")
    assert "default-src 'none'" in report


def test_every_picture_is_described_in_words(report: str) -> None:
    """Each has a label, and a caption with its figures; there are three for each table and five for the log."""
    page = Page(report)
    drawn = [attributes for tag, attributes in page.tags if tag == "svg"]
    assert len(drawn) == 6 * 3 + 5
    assert all(each["role"] == "img" and each["aria-label"] for each in drawn)
    captions = re.findall(r"<figcaption>(.*?)</figcaption>", report, re.DOTALL)
    assert len(captions) == len(drawn)
    assert all(re.search("[0-9]", caption) for caption in captions)


@pytest.mark.nightly("draws a report three times")
def test_the_same_log_gives_the_same_bytes(tables: list[TableColumns]) -> None:
    """Whatever the user's settings of matplotlib are, and however often it is drawn in one process."""
    import matplotlib as mpl  # noqa: PLC0415  (slow)

    few = [tables[0], tables[3]]
    report = report_of(few)
    with mpl.rc_context({"font.size": 20, "axes.grid": True, "svg.fonttype": "path"}):
        assert report_of(few[::-1]) == report


def test_it_names_the_log_and_what_was_found(report: str, tables: list[TableColumns]) -> None:
    """Origin, checkpoint, key, dates, every table, every test with its p, and what is not shown."""
    for text in (KEY.name, "12,345 records", ROOT.hex(), str(KEY), *LIMITS):
        assert text in unescape(report), text
    assert "2026-11-18 11:07:00 UTC" in report
    assert "cap 10,000.00, return 97 %, version 1" in report
    assert "Nothing that chance does not explain" in report
    findings = statistics(tables, Checkpoint(KEY.name, 12_345, ROOT)).judged
    rows = re.findall(r"<tr><td>.*?</tr>", report, re.DOTALL)
    assert len(rows) == len(findings)
    for each in findings:
        assert any(
            f"{', '.join(each.finding.tables)}: {each.finding.subject}<" in row and each.finding.question in row
            for row in rows
        )


def test_what_an_operator_writes_is_text(report: str) -> None:
    """Reasons are the only free text in a log."""
    assert "power cut &lt;b&gt;at&lt;/b&gt; &#34;hall&#34; &amp; bar &#39;B&#39;" in report
    assert "<b>at" not in report


@pytest.mark.nightly("draws a report of its own")
def test_void_rounds_that_were_chosen_are_the_verdict() -> None:
    """At the top, by name, with what was found; and not at other tables."""
    made = table("crash", 20_000, seed=3)
    random = np.random.default_rng(77)
    chosen = with_voids(made, winning(made) & (random.random(len(made)) < 0.01), random)
    report = report_of([chosen, table("penalty", 2_000)])
    head = unescape(report[: report.index("</section>")])
    assert "Alarm: 2 of" in head
    assert "void-pays-more, crash-1, cashout 2.00" in re.sub("<.*?>", "", head)
    assert '<tr class="alarm">' in report


def test_a_table_without_rounds_has_a_report_too() -> None:
    """This is the state of a service that has just been set up."""
    report = report_of([table("crash", 0), table("hi-lo", 0)])
    assert "No verdict: too few rounds" in report
    assert "No round was played." in report


@pytest.mark.nightly("draws a report of its own")
def test_every_table_can_be_drawn() -> None:
    """One round, one void round of few, nothing but void rounds, the smallest cap and return: warnings are errors."""
    few = table("penalty", 40)
    random = np.random.default_rng(5)
    one, every = (with_voids(few, np.arange(40) < voids, random) for voids in (1, 40))
    flat = table("rocketon", 500)
    rules = {"cap": 101, "rtp": 1, "version": 1}
    batches = tuple(msgspec.structs.replace(batch, rules=rules) for batch in flat.batches)
    flat = with_numbers(replace(flat, batches=batches), np.full(500, 100))
    named = (replace(made, name=f"{place}-{'x' * 30}") for place, made in enumerate((one, every, flat)))
    report = report_of([table("crash", 1), *named])
    assert "cashout 1.01" in report
    assert "return 0.01 %" in report
