"""All verdicts."""

from __future__ import annotations

from collections.abc import Sequence

from tests.recipes import Case, Format
from tests.recipes.verdicts.audits import audits
from tests.recipes.verdicts.bets import bets
from tests.recipes.verdicts.cases import cases
from tests.recipes.verdicts.paytables import settled_bets
from tests.recipes.verdicts.receipts import proofs_and_receipts
from tests.recipes.verdicts.rounds import codes
from tests.recipes.verdicts.whole import whole
from tests.recipes.verdicts.witnesses import codes_by_policies


def _make() -> Sequence[Case]:
    return [
        *(*cases(), *audits(), *codes(), *codes_by_policies(), *bets(), *settled_bets()),
        *(*proofs_and_receipts(), *whole()),
    ]


FORMATS = [Format("verdict", "judge", "8", _make)]
