"""The second verifier checks a round whose lead is in many batches: 64 are legal, and after the 65th it reads
none.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.lies.batches import lead_in_batches, without_batches_after_the_65th
from tests.oracles.second_verifier import SecondVerifier
from tests.support.codes import code_of
from tests.support.dishonest_operator import Operator
from tests.support.verdicts import VKEY, Files, Verdict, hexed, theirs


@pytest.fixture(name="second", scope="module")
def _second() -> Iterator[SecondVerifier]:
    with SecondVerifier() as second:
        yield second


def _verdict(second: SecondVerifier, operator: Operator, files: Files) -> Verdict:
    code = str(code_of(operator, "keno-2", 1))
    return theirs(second.ask("code", text=code, key=VKEY, files=hexed(files)))


def test_a_lead_in_64_batches_holds(second: SecondVerifier) -> None:
    """As many batches as a log may have with rounds that have not ended; one more is refused."""
    operator = lead_in_batches(Operator(), 64)
    assert _verdict(second, operator, operator.files()) == ("held",)
    operator = lead_in_batches(Operator(), 65)
    found = operator.tables["keno-2"].batches[64].index
    assert _verdict(second, operator, operator.files()) == ("failed", "batch-pending", found)


def test_no_batch_after_the_65th_is_read(second: SecondVerifier) -> None:
    """However many batches a false log has: those after the 65th are missing here, and nobody notices."""
    operator, files = without_batches_after_the_65th()
    found = operator.tables["keno-2"].batches[64].index
    assert _verdict(second, operator, files) == ("failed", "batch-pending", found)
