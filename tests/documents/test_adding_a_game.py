"""`docs/adding-a-game.md`: its example is a game, by a file alone."""

from __future__ import annotations

import json
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from api.bets.par.sheet import ParRefusedError, make_sheet
from api.bets.settling import settle_bet
from api.rounds.tables import TableRefusedError, add_table
from api.server.app import create_app
from api.store.models import RoundStatus
from tests.house import HOUSE
from tests.support.in_process_service import InProcessService
from tests.support.released import released_verifier
from verifier.cli import main as verify

PAGE = (HOUSE / "docs" / "adding-a-game.md").read_text("utf-8")
LINE, BETS = re.findall(r"^```json\n(.*?)\n```$", PAGE, re.MULTILINE | re.DOTALL)
EXPLAIN, ADD, ADD_WITH_BETS = re.findall(r"^```sh\n(.*?)\n```$", PAGE, re.MULTILINE | re.DOTALL)
TABLE, GAME = "wheel-1", "lucky-wheel"


@pytest.fixture
def inside(tmp_path: Path) -> Iterator[InProcessService]:
    """A service that has played the example, which was added with the arguments of the page's command."""
    command = ["foredraw", "table", "add", TABLE, GAME, "--declaration", "lucky-wheel.json", "--rules"]
    assert shlex.split(ADD)[:-1] == command
    service = InProcessService.create(tmp_path / "data")
    rules = json.loads(shlex.split(ADD)[-1])
    add_table(service.service.writer, TABLE, GAME, declaration=LINE.encode(), rules=rules)
    service.settle()
    service.play(TABLE, 3)
    service.settle()
    yield service
    service.stop()


def test_the_example_has_bets_by_a_second_file(inside: InProcessService) -> None:
    """With the page's rules, and with those that it says are refused; each bet that the page names is settled."""
    options = ["--declaration", "lucky-wheel.json", "--paytable", "lucky-wheel-bets.json", "--rules"]
    command = ["foredraw", "table", "add", "wheel-2", GAME, *options]
    assert shlex.split(ADD_WITH_BETS)[:-1] == command
    rules = json.loads(shlex.split(ADD_WITH_BETS)[-1])

    def add(name: str, rules: dict[str, int]) -> None:
        add_table(inside.service.writer, name, GAME, declaration=LINE.encode(), paytable=BETS.encode(), rules=rules)

    add("wheel-2", rules)
    outcome = {"bonus": 3, "prize": "5"}
    for text, pays in (("prize 5", 6), ("bonus 3", 5), ("prize 10", 0)):
        settled = settle_bet(inside.service.database, "wheel-2", 1, RoundStatus.PLAYED, outcome, text)
        assert settled.pays == pays
    with pytest.raises(TableRefusedError, match=r"bonus 1 returns 5/4 of the stake, which is 125\.00 %"):
        add("wheel-3", rules | {"most": 4})


def test_the_page_explains_the_example(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The command is as it is on the page; it lists what can be drawn, and knows that the game is nobody else's."""
    (tmp_path / "lucky-wheel.json").write_text(LINE + "\n", "utf-8")
    monkeypatch.chdir(tmp_path)
    _, *arguments = shlex.split(EXPLAIN)
    assert verify([*arguments, "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert len(told["law"]) == 4 * 6
    assert not told["catalogue"]


@pytest.mark.nightly("a service of its own, and each verifier as a program")
def test_a_service_plays_the_example_and_every_verifier_knows_it(inside: InProcessService, tmp_path: Path) -> None:
    """Pages, call, code, proof and audit, the latter three also by the verifier as one file, today's and the one
    released before.
    """
    client = create_app(inside.service).test_client()
    for path in ("/", f"/tables/{TABLE}", f"/tables/{TABLE}/rounds/2", f"/tables/{TABLE}/rounds/4"):
        assert client.get(path).status_code == 200, path
    table = client.get(f"/v1/tables/{TABLE}").get_json()
    assert (table["declaration"], table["rules"]) == (json.loads(LINE), {"most": 6, "version": 1})
    ended = client.get(f"/v1/tables/{TABLE}/rounds/2").get_json()
    assert ended["outcome"] == inside.told[TABLE, 2]
    proof = tmp_path / "round.proof"
    proof.write_bytes(client.get(f"/v1/tables/{TABLE}/rounds/2/proof").data)

    pyz = tmp_path / "foredraw-verify.pyz"
    subprocess.run([sys.executable, "-m", "standalone.build", str(pyz)], cwd=HOUSE, check=True, capture_output=True)
    released = released_verifier(tmp_path)
    trust = ["--key", str(inside.key), "--json"]
    log = str(inside.settings.log)
    for command in (["code", ended["round_code"], "--log", log], ["proof", str(proof)], ["audit", log]):
        for program in (["-m", "verifier"], [str(pyz)], [str(released)]):
            done = subprocess.run(
                [sys.executable, *program, *command, *trust], cwd=HOUSE, capture_output=True, text=True, check=False
            )
            told = json.loads(done.stdout)
            assert (done.returncode, told["verdict"]) == (0, "held"), done
            # Nobody takes the operator's own game for one of the catalogue; the released verifier does not say yet.
            assert program == [str(released)] or {**told, **dict(*told.get("tables", []))}["in_catalogue"] is False
    shown = subprocess.run(
        [sys.executable, "-m", "verifier", "audit", log, *trust[:-1]],
        cwd=HOUSE,
        capture_output=True,
        text=True,
        check=True,
    )
    assert f"{TABLE}: plays {GAME}, which the catalogue" in shown.stdout
    script = (
        "import { readFileSync } from 'node:fs';"
        "const { checkProof } = await import(process.argv[1]);"
        "const report = await checkProof(new Uint8Array(readFileSync(process.argv[2])), { vkey: process.argv[3] });"
        "console.log(JSON.stringify([report.verdict, report.outcome]));"
    )
    arguments = [str(HOUSE / "verifier" / "browser" / "verifier.js"), str(proof), str(inside.key)]
    node = subprocess.run(
        ["node", "--input-type=module", "-e", script, *arguments], capture_output=True, text=True, check=True
    )
    assert json.loads(node.stdout) == ["held", ended["outcome"]]
    inside.check()


@pytest.mark.nightly("starts programs")
def test_its_statistics_and_par_sheet_say_what_there_is(
    inside: InProcessService, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Every place is tested against its law, in the report too; without bets there is no PAR sheet, and the reason is
    given.
    """
    report = tmp_path / "report.html"
    arguments = ["stats", str(inside.settings.log), "--key", str(inside.key), "--json", "-o", str(report)]
    assert verify(arguments) == 0
    tests = json.dumps(json.loads(capsys.readouterr().out))
    for place in ("prize", "bonus"):
        assert place in tests
    assert TABLE in report.read_text("utf-8")
    with pytest.raises(ParRefusedError, match=f"{TABLE} has no paytable"):
        make_sheet(inside.service.database, inside.key, TABLE, "")
