"""Round codes with a policy: what witnesses saw of the batch, and what custodians said of it."""

from __future__ import annotations

from collections.abc import Iterator

from fairness.checks import Check
from fairness.hashing import sha256
from fairness.policy.custody import custody_path, policy_path
from tests.lies.witnessed import LEGAL, LIES, TABLE, Log
from tests.recipes import Case, Json, judged
from tests.recipes.verdicts.inputs import asked, failing, known, policy
from tests.support.codes import code_of
from tests.support.custodians import CUSTODIANS, HOUSE_KEY, custodian_lines, custody_files
from tests.support.dishonest_operator import KEY, Operator
from tests.support.witnessed import POLICY, salted_operator
from tests.support.witnesses import LAB, PRESS, cosigned, policy_text


def codes_by_policies() -> Iterator[Case]:
    """All of them."""
    yield from _witnessed()
    yield from _vouched()


def _witnessed() -> Iterator[Case]:
    log = Log(salted_operator().play(TABLE, 3))
    code, trust, told = str(code_of(log.operator, TABLE, 5)), policy(POLICY), known(log.operator, TABLE, 5)
    for lie in LIES:
        given = asked("code", trust, log.files(lie.make(log)), code=code)
        yield failing(f"by code: {lie.name}", given, lie.check)
    for legal in LEGAL:
        given = asked("code", trust, log.files(legal.make(log)), code=code)
        yield judged(f"by code: a batch with {legal.name}", given, told)
    files = log.files(log.honest())
    alone = files | {"checkpoint": cosigned(log.operator.files()["checkpoint"], LAB)}
    yield failing(
        "by code: a log that one witness saw", asked("code", trust, alone, code=code), Check.CHECKPOINT_QUORUM
    )


def _vouched() -> Iterator[Case]:
    operator = Operator()
    operator.table("keno-1", "keno-express", ["house", "lab"])
    operator.batch("keno-1", 6)
    operator.play("keno-1", 3)
    released_by = policy_text(KEY.verifier_key)
    trust, files = policy(released_by + custodian_lines()), operator.files()
    honest = files | {"checkpoint": cosigned(files["checkpoint"], LAB, PRESS)} | custody_files(operator, released_by)
    of_lab = custody_path(operator.tables["keno-1"].batches[0].batch_id, "lab")
    by_house = custody_files(operator, released_by, CUSTODIANS | {"lab": HOUSE_KEY})[of_lab]
    code = str(code_of(operator, "keno-1", 3))
    other = custody_files(operator, released_by + b"\n# another\n")[of_lab]

    def of(log: dict[str, bytes]) -> Json:
        return asked("code", trust, log, code=code)

    yield judged("by code: custodians that vouched", of(honest), known(operator, "keno-1", 3))
    gone = policy_path(sha256(released_by))
    for name, log in (
        ("a custodian that did not vouch", {path: data for path, data in honest.items() if path != of_lab}),
        ("a note by another custodian", honest | {of_lab: by_house}),
        ("a note of a policy that is not there", honest | {of_lab: other}),
        ("no file of a custodian's policy", {path: data for path, data in honest.items() if path != gone}),
        ("a false file of a custodian's policy", honest | {gone: released_by + b"\n"}),
    ):
        yield failing(f"by code: {name}", of(log), Check.CUSTODY_NOTE)
