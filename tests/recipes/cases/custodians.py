"""Lies about custodians: who vouched for a batch, and by what they release its seeds (SPEC 5.9)."""

from __future__ import annotations

from fairness.checks import Check
from fairness.policy.custody import custody_path
from tests.recipes.cases.told import PEEK, Told, below
from tests.support.codes import code_of
from tests.support.custodians import CUSTODIANS, HOUSE_KEY, custodian_lines, custody_files
from tests.support.dishonest_operator import KEY, Operator
from tests.support.proofs import proof_from
from tests.support.witnesses import LAB, PRESS, cosigned, policy_text
from verifier.sentences import Checked, Custody


def about_custodians() -> list[Told]:
    """What a policy with custodians' keys refuses, or shows."""
    operator = Operator()
    operator.table("keno-1", "keno-express", ["house", "lab"])
    operator.batch("keno-1", 6)
    operator.play("keno-1", 3)
    table = operator.tables["keno-1"]
    index, batch_id = table.batches[0].index, table.batches[0].batch_id
    released_by = policy_text(KEY.verifier_key)
    policy = {"policy": released_by + custodian_lines()}
    files = operator.files()
    honest = files | {"checkpoint": cosigned(files["checkpoint"], LAB, PRESS)} | custody_files(operator, released_by)
    alone = f"log {KEY.verifier_key}\nquorum none\n".encode()
    of_lab = custody_path(batch_id, "lab")
    by_house = honest | {of_lab: custody_files(operator, released_by, CUSTODIANS | {"lab": HOUSE_KEY})[of_lab]}
    missing = {path: data for path, data in honest.items() if path != of_lab}
    code = str(code_of(operator, "keno-1", 3))

    def audited(what: str, log: dict[str, bytes], said: list[str] | None = None) -> Told:
        tells = {} if said is None else {"custody": {"notes": 2, "said": said}}
        check, at = (Check.CUSTODY_NOTE, index) if said is None else (None, None)
        return Told(what, PEEK, policy | below("log", log), [["audit", "log"]], check, at, tells=tells)

    def released(name: str, others: str) -> str:
        values = {"name": name, "quorum": "2 of lab, press, regulator", "others": others}
        return Checked.RELEASES_UNKNOWN_TO_OTHERS.fill(**values)

    both = Custody.CUSTODY_NOTES.fill(names="house and lab")
    proof = bytes(proof_from(missing, table.table_id, 3))
    return [
        audited("two custodians that vouched", honest, [both, released("house", "lab"), released("lab", "house")]),
        audited(
            "two custodians that demand no witnesses",
            honest | custody_files(operator, alone),
            [both, *(Custody.DEMANDS_NO_WITNESSES.fill(name=name) for name in ("house", "lab"))],
        ),
        audited("a batch for which a custodian did not vouch", missing),
        audited("a note that the house signed for the lab", by_house),
        audited("a custodian's policy that is not there", {k: v for k, v in honest.items() if "policies/" not in k}),
        Told(
            "a code of a batch for which a custodian did not vouch",
            PEEK,
            policy | below("log", missing),
            [["code", code, "--log", "log"]],
            Check.CUSTODY_NOTE,
            index,
        ),
        Told(
            "a proof without a custodian's note",
            PEEK,
            policy | {"round.proof": proof},
            [["proof", "round.proof"]],
            Check.CUSTODY_NOTE,
            index,
        ),
    ]
