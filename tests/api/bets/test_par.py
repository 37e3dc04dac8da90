"""PAR sheets: three formats with the same figures, which are those of the bets."""

from __future__ import annotations

import csv
import io
import os
import re
import subprocess
from collections.abc import Iterator
from fractions import Fraction
from hashlib import sha256
from html.parser import HTMLParser
from pathlib import Path

import pytest
from click.testing import CliRunner

from api.bets.par import command
from api.bets.par.command import write_par
from api.bets.par.sheet import HEADINGS, ParRefusedError, Sheet, decimal, make_sheet, percent
from api.comma_separated import write_csv
from api.problems import Problem
from api.programs.cli import main
from api.rounds.tables import add_table
from games import GAMES
from games.bets import BETS
from games.bets.worth import worth
from tests.support.databases import variables_of
from tests.support.in_process_service import InProcessService

DATES = (
    "4/5",
    "180:1",
    "1.5",
    "1-2",
    "2026-1-2",
    "1/2/2026",
    "may-5",
    "dec12",
    "12 January",
    "5 Sep 2026",
    "1:30 pm",
    "10:20:30",
    " 4/5 ",
)
CRASH = {"cap": 1_000_000, "rtp": 9700, "version": 1}


@pytest.fixture(scope="module")
def inside(tmp_path_factory: pytest.TempPathFactory) -> Iterator[InProcessService]:
    """A service with a table of each game, named after the game."""
    folder = tmp_path_factory.mktemp("par") / "data"
    running = InProcessService.create(folder, tables=[(game, game) for game in GAMES])
    yield running
    running.stop()


def sheet_of(inside: InProcessService, table: str) -> Sheet:
    """The sheet of a table, made now."""
    return make_sheet(inside.service.database, inside.key, table, inside.clock.now())


class _Text(HTMLParser):
    """The text of a page, and everything that it would load or run."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.text, self.loads = "", list[str]()
        self.feed(page)

    def handle_data(self, data: str) -> None:
        self.text += data

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.loads += [tag] * (tag in ("script", "link", "img", "iframe"))
        self.loads += [name for name, _ in attrs if name in ("src", "href") or name.startswith("on")]


@pytest.mark.parametrize("game", GAMES)
def test_a_sheet_in_three_formats(inside: InProcessService, game: str, tmp_path: Path) -> None:
    """The CSV has every listed bet with its exact figures, and the other two name its hash."""
    files = [tmp_path / f"sheet.{kind}" for kind in ("csv", "html", "pdf")]
    sheet = sheet_of(inside, game)
    write_par(sheet, [str(file) for file in files])
    figures, page, paper = (file.read_bytes() for file in files)
    assert sha256(figures).hexdigest() == sheet.fingerprint
    rules = CRASH if game in ("crash", "rocketon") else {"version": 1}
    rows = list(csv.DictReader(io.StringIO(figures.decode())))
    listed = BETS[game].listed(rules)
    assert [(row["bet"].removeprefix("'"), row["after"]) for row in rows] == [(bet.text, bet.after) for bet in listed]
    for row, bet in zip(rows, listed, strict=True):
        exact = worth(bet)
        for figure, value in {
            "return": exact.returned,
            "hit_rate": exact.hit_rate,
            "variance": exact.variance,
        }.items():
            assert (row[f"{figure}_numerator"], row[f"{figure}_denominator"]) == (
                str(value.numerator),
                str(value.denominator),
            )
        assert row["stake_in_odds"] == ("no" if game == "sic-bo" else "yes")
    shown = _Text(page.decode())
    assert sheet.fingerprint in shown.text
    assert shown.loads == []
    assert str(inside.key) in shown.text
    assert all(cell in shown.text for row in sheet.rows for cell in row)
    assert all(reading.decision in shown.text for reading in BETS[game].readings)
    assert paper.startswith(b"%PDF-")
    assert len(re.findall(rb"/Type /Page\b(?!s)", paper)) >= 2


@pytest.mark.nightly("opens files in a spreadsheet program")
@pytest.mark.parametrize("game", GAMES)
def test_a_spreadsheet_shows_every_cell_as_it_is_written(inside: InProcessService, game: str, tmp_path: Path) -> None:
    """No odds and no fraction become a date or a time; a number has the fifteen digits that such programs keep."""
    figures = sheet_of(inside, game).csv
    (tmp_path / "figures.csv").write_bytes(figures)
    shown = in_a_spreadsheet(tmp_path / "figures.csv")
    for written, read in zip(csv.reader(io.StringIO(figures.decode())), shown, strict=True):
        for before, after in zip(written, read, strict=True):
            is_long = before.isdecimal() and len(before) > 15
            assert (
                int(float(after)) == int(float(before))
                if is_long
                else after.removeprefix("'") == before.removeprefix("'")
            )


@pytest.mark.nightly("opens a file in a spreadsheet program")
def test_a_spreadsheet_takes_no_text_of_ours_for_a_date(tmp_path: Path) -> None:
    """Whatever somebody calls a table, a token or a reason. The program of this test reads the dates of one
    language.
    """
    texts = [*DATES, "keno-1", "mayor-5", "12 to 1", "x 12", "1,2,3", "version 1.2.3"]
    file = tmp_path / "texts.csv"
    with file.open("w", encoding="utf-8") as opened:
        write_csv(opened, [[text] for text in texts])
    assert [row[0].removeprefix("'") for row in in_a_spreadsheet(file)] == texts


def in_a_spreadsheet(file: Path) -> list[list[str]]:
    """The cells of a CSV as gnumeric has read and written them."""
    saved = file.with_suffix(".saved.csv")
    subprocess.run(
        ["ssconvert", file, saved], check=True, capture_output=True, env={**os.environ, "LC_ALL": "C.UTF-8"}
    )
    return list(csv.reader(io.StringIO(saved.read_text("utf-8"))))


@pytest.mark.parametrize("game", GAMES)
def test_every_listed_bet_has_a_row(inside: InProcessService, game: str) -> None:
    """Bets of the same worth may share one; every row's percentages are those of its bets."""
    sheet = sheet_of(inside, game)
    returns = {percent(worth(bet).returned) for bet in BETS[game].listed(CRASH)}
    assert {row[HEADINGS.index("Return %")] for row in sheet.rows} == returns
    assert {len(row) for row in sheet.rows} == {len(HEADINGS)}
    assert len(sheet.rows) <= 95


def test_rounding() -> None:
    """Half to even, with commas between thousands; exact values are unchanged."""
    assert [percent(Fraction(each)) for each in ("35/36", "24/25", "1/3", "1")] == [
        *("97.2222", "96.0000", "33.3333", "100.0000")
    ]
    assert decimal(Fraction("1234.5"), 0) == "1,234"
    assert decimal(Fraction("0.00125"), 4) == "0.0012"


def test_the_rules_of_the_table_count(inside: InProcessService) -> None:
    """Another cap and another return give another sheet, which states both."""
    add_table(inside.service.writer, "low", "crash", rules={"cap": 5_000, "rtp": 9_000, "version": 1})
    sheet = sheet_of(inside, "low")
    assert sheet.rows[-1][0] == "cashout 50.00"
    assert {row[HEADINGS.index("Return %")] for row in sheet.rows} == {"90.0000"}
    assert any("cut off at the cap, 50.00" in text for text in sheet.payment)
    assert sheet.fingerprint != sheet_of(inside, "crash").fingerprint


def test_what_cannot_be_written_leaves_nothing_behind(
    inside: InProcessService, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An unknown table, an unknown format, and a PDF without its extra."""
    page = tmp_path / "sheet.html"
    with pytest.raises(Problem, match="unknown-table"):
        sheet_of(inside, "nowhere")
    with pytest.raises(ParRefusedError, match=r"\.csv, found .*sheet\.txt"):
        write_par(sheet_of(inside, "crash"), [str(page), str(tmp_path / "sheet.txt")])
    monkeypatch.setattr(command, "find_spec", lambda _: None)
    with pytest.raises(ParRefusedError, match="PDF needs the package fpdf2"):
        write_par(sheet_of(inside, "crash"), [str(page), str(tmp_path / "sheet.pdf")])
    assert list(tmp_path.iterdir()) == []


def test_the_command(inside: InProcessService, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It says what it wrote, or, in one line, why it did not."""
    runner = CliRunner(env=variables_of(inside.settings.folder))
    data = ["--data", str(inside.settings.folder)]
    written = runner.invoke(
        main, [*data, "par", "hi-lo", "-o", str(tmp_path / "a.html"), "-o", str(tmp_path / "a.csv")]
    )
    assert written.exit_code == 0
    assert written.output.startswith(f"Wrote {tmp_path}/a.html, {tmp_path}/a.csv. SHA-256 of the figures: ")
    empty = tmp_path / "empty"
    empty.mkdir()
    monkeypatch.chdir(empty)
    assert runner.invoke(main, [*data, "par", "hi-lo"]).exit_code == 0
    assert sorted(path.name for path in empty.iterdir()) == [f"par-hi-lo.{kind}" for kind in ("csv", "html", "pdf")]
    refused = runner.invoke(main, [*data, "par", "nowhere"])
    assert refused.exit_code == 1
    assert "no table 'nowhere'" in refused.output


@pytest.mark.parametrize("name", ["-", "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"])
def test_standard_output_gets_the_figures_alone(inside: InProcessService, name: str) -> None:
    """As CSV, because it has no ending that says otherwise; what was written is said on standard error."""
    runner = CliRunner(env=variables_of(inside.settings.folder))
    ran = runner.invoke(main, ["--data", str(inside.settings.folder), "par", "hi-lo", "-o", name])
    assert (ran.exit_code, ran.stdout_bytes) == (0, sheet_of(inside, "hi-lo").csv)
    assert ran.stderr.startswith("Wrote standard output. SHA-256 of the figures: ")


def test_a_pipe_of_a_shell_gets_the_figures(inside: InProcessService) -> None:
    """``-o >(…)``."""
    runner = CliRunner(env=variables_of(inside.settings.folder))
    reading, writing = os.pipe()
    name = f"/dev/fd/{writing}"
    ran = runner.invoke(main, ["--data", str(inside.settings.folder), "par", "hi-lo", "-o", name])
    os.close(writing)
    assert (ran.exit_code, ran.stdout.split(". ")[0]) == (0, f"Wrote {name}")
    with os.fdopen(reading, "rb") as read:
        assert read.read() == sheet_of(inside, "hi-lo").csv
