"""Bets on a round that is checked by its code: what they pay stands in the log, or in a file that is given beside a
proof file.
"""

from __future__ import annotations

from fairness.checks import Check
from fairness.draws.game import Rules
from games.bets import bets_by
from games.bets.settlement import settle
from games.multipliers import fraction_text
from tests.recipes import Case, Json, judged
from tests.recipes.cases.paytables import GENEROUS, MEAN, NEWER_VERSION, NEWER_WORD
from tests.recipes.verdicts.inputs import UNKNOWN, asked, failing, known, without_outcome
from tests.support.codes import code_of
from tests.support.dishonest_operator import Operator
from tests.support.proofs import proof_of

TABLE, GAME, NUMBER = "dice-1", "sic-bo", 2
RULES: Rules = {"version": 1}


def settled_bets() -> list[Case]:
    """By the log and by a proof file."""
    operator, path = _dice(GENEROUS)
    log, other = operator.files(), operator.files() | {path: MEAN}
    without = {each: data for each, data in log.items() if each != path}
    listed, _ = _dice(b"")
    of_newer_rules, _ = _dice(b"", rules={"version": 2})
    newer = {what: _dice(file)[0] for what, file in (("word", NEWER_WORD), ("version", NEWER_VERSION))}
    holds = [
        judged(f"the bet {text} by the log", _by_log(listed, text), _known(listed, text))
        for text in ("small", "big", "sum 10", "any triple")
    ]
    return [
        *holds,
        judged("a bet that the operator's own paytable has", _by_log(operator, "small"), _known(operator, "small")),
        judged("a bet by a proof file", _by_proof(operator, "small", GENEROUS), _known(operator, "small")),
        *(
            judged(
                f"a bet by a paytable with a newer {what}",
                _by_log(each, "sum"),
                known(each, TABLE, NUMBER, status=UNKNOWN),
                "a verifier that settles a bet by words that it does not know",
            )
            for what, each in newer.items()
        ),
        judged(
            "a bet on an outcome that newer rules decide",
            _by_log(of_newer_rules, "small"),
            without_outcome(known(of_newer_rules, TABLE, NUMBER, status=UNKNOWN)),
            "a verifier that settles a bet on an outcome that it could not check",
        ),
        failing("a bet whose paytable is not there", _by_log(operator, "small", without), Check.PAYTABLE_FILE),
        failing("a bet whose paytable was exchanged", _by_log(operator, "small", other), Check.PAYTABLE_FILE),
        failing(
            "a bet by another paytable than the table's", _by_proof(operator, "small", MEAN), Check.PAYTABLE_FILE
        ),
        failing(
            "a bet by the log, and another paytable than the table's",
            _by_log(operator, "small", paytable=MEAN),
            Check.PAYTABLE_FILE,
        ),
        judged("no bet, and a paytable that is not there", _by_log(operator, None, without), _known(operator, None)),
    ]


def _dice(betting: bytes, rules: Rules = RULES) -> tuple[Operator, str]:
    operator = Operator()
    operator.table(TABLE, GAME, betting=betting or "catalogue")
    operator.batch(TABLE, 20, rules=rules)
    operator.play(TABLE, NUMBER)
    (path,) = operator.paytables
    return operator, path


def _by_log(
    operator: Operator, bet: str | None, files: dict[str, bytes] | None = None, paytable: bytes | None = None
) -> Json:
    code, options = str(code_of(operator, TABLE, NUMBER)), {} if bet is None else {"bet": bet}
    log = operator.files() if files is None else files
    return asked("code", None, log, code=code, options=options, paytable=paytable)


def _by_proof(operator: Operator, bet: str, paytable: bytes) -> Json:
    proof, code = bytes(proof_of(operator, TABLE, NUMBER)), str(code_of(operator, TABLE, NUMBER))
    return asked("code", proof=proof, code=code, paytable=paytable, options={"bet": bet})


def _known(operator: Operator, bet: str | None) -> Json:
    """The round, and what becomes of the bet by the table's file alone."""
    told = known(operator, TABLE, NUMBER)
    if bet is None:
        return told
    ((path, file),) = operator.paytables.items()
    made = bets_by(GAME, "", path.removeprefix("paytables/"), file).bet(bet, RULES)
    pays = settle(made, told["outcome"], "played").pays
    assert pays is not None
    return told | {"pays": fraction_text(pays)}
