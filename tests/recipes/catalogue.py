"""All formats, in the order in which a verifier reads them."""

from __future__ import annotations

from tests.house import HOUSE
from tests.recipes import (
    Format,
    beacons,
    code_proofs,
    custody,
    files,
    logs,
    notes,
    policies,
    proofs,
    records,
    round_proofs,
    spelling,
    witnessed,
)
from tests.recipes.draws import declarations, paytables, rounds
from tests.recipes.verdicts import catalogue as verdicts

FOLDER = HOUSE / "verifier" / "conformance" / "vectors"

FORMATS: list[Format] = [
    *spelling.FORMATS,
    *records.FORMATS,
    *rounds.FORMATS,
    *declarations.FORMATS,
    *beacons.FORMATS,
    *notes.FORMATS,
    *policies.FORMATS,
    *files.FORMATS,
    *proofs.FORMATS,
    *witnessed.FORMATS,
    *custody.FORMATS,
    *paytables.FORMATS,
    *round_proofs.FORMATS,
    *code_proofs.FORMATS,
    *logs.FORMATS,
    *verdicts.FORMATS,
]
