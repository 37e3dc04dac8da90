"""Every case, and the files of ``tests/cases``."""

from __future__ import annotations

from pathlib import Path

from tests.recipes.cases.custodians import about_custodians
from tests.recipes.cases.logs import about_files, about_histories
from tests.recipes.cases.paytables import about_paytables
from tests.recipes.cases.records import about_records
from tests.recipes.cases.rounds import about_bets, about_codes, about_proofs
from tests.recipes.cases.told import CHEATS, Told
from tests.recipes.cases.visible import visible
from tests.recipes.cases.witnesses import about_witnessed, about_witnesses

CASES: list[Told] = [
    *about_records(),
    *about_files(),
    *about_histories(),
    *about_witnesses(),
    *about_witnessed(),
    *about_custodians(),
    *about_paytables(),
    *about_codes(),
    *about_bets(),
    *about_proofs(),
    *visible(),
]


def files() -> dict[Path, bytes]:
    """Every file of ``tests/cases`` by its path."""
    found = {Path(case.name, path): data for case in CASES for path, data in case.all_files().items()}
    return found | {Path("README.md"): _readme().encode()}


def _readme() -> str:
    rows = []
    for cheat in CHEATS:
        names = [f"[{case.name}]({case.name})" for case in CASES if case.cheat == cheat]
        rows.append(f"### {cheat}\n\n" + "".join(f"- {name}\n" for name in names))
    rest = "".join(f"- [{case.name}]({case.name})\n" for case in CASES if case.cheat is None)
    return (
        "# Cases\n\n"
        "What a dishonest operator could sign, and what every verifier must say about it. A folder ending in `_fail`\n"
        "breaks the check that its name begins with. In one ending in `_not-shown` only finding aids say so, which nobody signs:\n"
        "that accuses nobody. One ending in `_told` breaks no rule: the log alone cannot show\n"
        "the cheat, and the verdict says so or makes visible what happened.\n\n"
        "`log/` is a signed log; `expected.json` says which commands to run in the folder\n"
        "(each with `--key` and `--json`), and the result of the last one. If it names a `policy`, that file\n"
        "is given with `--policy` instead of the key. All files are written by `python -m tests.recipes`, from the lies in `tests/lies`.\n\n"
        "An audit and a watch read all records: what one of them refuses, the other refuses. A proof file shows\n"
        "only what concerns its own round: if there is a `round.proof`, `expected.json` says what `proof` reports about it.\n\n"
        "One rule has no case, `batch-last`: no log is long enough to reach round 2^48.\n\n"
        "## By cheat\n\n" + "\n".join(rows) + "\n## Every other rule\n\n" + rest
    )
