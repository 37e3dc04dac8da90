"""Every record in the place of the finding aids (``--whole``): what the aids hide, and what contradicts a round."""

from __future__ import annotations

from collections.abc import Iterator

from fairness.checks import Check
from fairness.player.bets import receipts
from tests.lies import salted_keno
from tests.lies.whole import (
    CONTRADICTIONS,
    ROUND,
    TABLE,
    again,
    of_others,
    without_an_earlier_lock,
    without_its_lock,
)
from tests.recipes import Case, Json, judged
from tests.recipes.cases.small import flip
from tests.recipes.verdicts.inputs import asked, failing, known, known_in, without_outcome
from tests.support.codes import BESIDE, code_of, table_beside, three_tables
from tests.support.dishonest_operator import Operator
from tests.support.proofs import proof_of
from tests.support.shown import honest_log, receipt_of_round
from tests.support.verdicts import LINES

_WHOLE: Json = {"whole": ""}


def whole() -> Iterator[Case]:
    """All of them."""
    yield from _held()
    yield from _absent()
    yield from _contradicted()
    yield from _beside()


def _asked(files: dict[str, bytes], operator: Operator, number: int = ROUND, name: str = TABLE) -> Json:
    """For a round by its code, without a finding aid."""
    shown = {path: data for path, data in files.items() if not path.startswith("find/")}
    return asked("code", files=shown, code=str(code_of(operator, name, number)), options=_WHOLE)


def _held() -> Iterator[Case]:
    for operator in (three_tables(), salted_keno()):
        for name, table in operator.tables.items():
            number = max(table.reveals)
            given = _asked(operator.files(), operator, number, name)
            yield judged(f"whole: round {number} of {name}, as {table.salt}", given, known(operator, name, number))
    others = of_others(three_tables())
    given = _asked(others.files(), others)
    yield judged("whole: records that other tables should not have", given, known(others, TABLE, ROUND))
    honest = honest_log()
    bet, proof = _bet(honest, honest.files()), receipt_of_round(salted=False)
    yield judged("whole: a bet", bet, without_outcome(known(honest, TABLE, ROUND)))
    given = asked("receipt", files=honest.files(), proof=proof, options=_WHOLE)
    yield judged("whole: a receipt", given, known_in(bytes(proof_of(honest, TABLE, ROUND))))


def _bet(operator: Operator, files: dict[str, bytes]) -> Json:
    receipt = receipts(LINES, table_id=operator.tables[TABLE].table_id, round_number=ROUND)[2]
    return asked("bet", files=files, receipt=bytes(receipt), options=_WHOLE)


def _absent() -> Iterator[Case]:
    """What the log does not have is not shown, for the copy may be older."""
    whole = honest_log()
    for steps, stage, check in (
        (1, "no table", Check.CODE_TABLE),
        (7, "a round that is not locked", Check.CODE_ROUND),
        (8, "a round that is not revealed", Check.CODE_ROUND),
    ):
        files = honest_log(steps).files()
        yield failing(f"whole: {stage}", _asked(files, whole), check, is_shown=False)
        if steps < 8:
            yield failing(f"whole: a bet, and {stage}", _bet(whole, files), Check.BET_ROUND, is_shown=False)
    open_yet = {"status": 0, "table": TABLE, "round": ROUND}
    yield judged("whole: a bet before the outcome", _bet(whole, honest_log(8).files()), open_yet)


def _contradicted() -> Iterator[Case]:
    for name, (check, tell) in CONTRADICTIONS.items():
        operator = three_tables()
        tell(operator)
        yield failing(f"whole: {name}", _asked(operator.files(), operator), check)
    salted = salted_keno()
    again(salted, salted.tables[TABLE].batches[0].salted)
    yield failing("whole: a second salt", _asked(salted.files(), salted, 1), Check.SALT_AWAITED)
    honest = honest_log()
    again(honest, honest.tables[TABLE].locks[ROUND])
    yield failing("whole: a bet, and a second lock", _bet(honest, honest.files()), Check.LOCK_NEXT)
    given = asked("receipt", files=honest.files(), proof=receipt_of_round(salted=False), options=_WHOLE)
    yield failing("whole: a receipt, and a second lock", given, Check.LOCK_NEXT)
    short = three_tables().play(TABLE, 8)
    yield failing("whole: a lead that no batch covers", _asked(short.files(), short, 12), Check.LEAD_COMMITTED)
    salted = salted_keno()
    salted.batch(TABLE, 4)
    salted.play(TABLE, 2)
    yield failing("whole: a lead without its salt", _asked(salted.files(), salted, 8), Check.LEAD_COMMITTED)
    alone = without_its_lock(three_tables())
    yield failing("whole: a reveal without its lock", _asked(alone.files(), alone, 5), Check.REVEAL_LOCKED)
    unlocked = honest_log(7)
    unlocked.lock(TABLE, round=99)
    unlocked.reveal(TABLE)
    yield failing("whole: a bet, and a reveal without its lock", _bet(honest, unlocked.files()), Check.REVEAL_LOCKED)
    earlier = without_an_earlier_lock()
    yield failing("whole: no lock of an earlier round", _asked(earlier.files(), earlier, 4), Check.LOCK_NEXT)
    files = honest_log().files()
    bundle = next(path for path in files if path.startswith("tile/entries/"))
    false = files | {bundle: flip(files[bundle], 40)}
    yield failing("whole: a false bundle", _asked(false, honest_log()), Check.BUNDLE)


def _beside() -> Iterator[Case]:
    for beside in BESIDE:
        operator, name, files = table_beside(beside, before=True)
        yield judged(f"whole: {beside} before it", _asked(files, operator, 2, name), known(operator, name, 2))
