"""Policies that name several logs, in both languages: which one is meant, by its name, its address, or the file that
was given.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from fairness.errors import Malformed
from fairness.hashing import sha256
from fairness.log.fork import fork_between
from fairness.log.notes import SigningKey
from fairness.policy.policy import Policies
from tests.oracles.second_verifier import Json, SecondVerifier
from tests.support.codes import code_of
from tests.support.dishonest_operator import KEY, ORIGIN, Operator
from tests.support.forks import RECORDS, log_of
from tests.support.proofs import proof_of
from tests.support.verdicts import LINES as BETS
from tests.support.verdicts import InMemory, Verdict, digest_of, hexed, ours, receipts_of, theirs
from verifier.audit.audit import audit_log
from verifier.forks.evidence import check_evidence
from verifier.round.bet_check import check_bet
from verifier.round.check import check_round
from verifier.round.proof_check import check_proof

OTHER = SigningKey("other.example/log", sha256(b"another log's key"))
TEXT = f"log {OTHER.verifier_key} https://other.example/log\nlog {KEY.verifier_key} https://fore.example/log/\nquorum none\n"
POLICIES = Policies.parse(TEXT.encode())
NEITHER = f"log: expected one of the policy's logs: {OTHER.name}, {ORIGIN}, found "


@pytest.fixture(name="second", scope="module")
def _second() -> Iterator[SecondVerifier]:
    with SecondVerifier() as second:
        yield second


@pytest.fixture(name="operator", scope="module")
def _operator() -> Operator:
    operator = Operator()
    operator.table("keno-1", "keno-express")
    operator.batch("keno-1", 8)
    operator.lock("keno-1", bets=digest_of(BETS))
    operator.reveal("keno-1")
    return operator.play("keno-1", 3)


def both(second: SecondVerifier, operator: Operator, asked: Json, **chosen: str) -> list[tuple[Verdict, Verdict]]:
    """The verdicts on a code and a receipt by the log that is chosen: ours, and theirs."""
    files, policy = operator.files(), POLICIES.of(name=chosen.get("logName"), url=chosen.get("address"))
    code, receipt = code_of(operator, "keno-1", 2), receipts_of(operator, "keno-1", 1)[0]
    given: Json = {"policy": TEXT, "files": hexed(files)} | asked | chosen
    return [
        (ours(check_round, InMemory(files), policy, str(code)), theirs(second.ask("code", text=str(code), **given))),
        (ours(check_bet, InMemory(files), policy, receipt), theirs(second.ask("bet", hex=receipt.hex(), **given))),
    ]


@pytest.mark.parametrize(
    "chosen",
    [{"logName": ORIGIN}, {"address": "https://fore.example/log"}, {"address": "https://fore.example/log/"}],
    ids=["by its name", "by its address", "by its address with a slash"],
)
def test_a_log_is_chosen_by_its_name_or_its_address(
    second: SecondVerifier, operator: Operator, chosen: dict[str, str]
) -> None:
    """Codes, receipts and what is remembered are then of this one."""
    assert both(second, operator, {}, **chosen) == [(("held",),) * 2] * 2
    files = hexed(operator.files())
    seen = operator.files()["checkpoint"].decode()
    remembered = second.ask("history", seen=seen, policy=TEXT, files=files, **chosen)
    assert (remembered["verdict"], remembered["size"]) == ("held", len(operator.records))


@pytest.mark.parametrize("chosen", [{"logName": OTHER.name}, {"address": "https://other.example/log"}], ids=str)
def test_what_is_at_another_logs_address_is_not_the_log_that_was_asked_for(
    second: SecondVerifier, operator: Operator, chosen: dict[str, str]
) -> None:
    """Status 4: whoever serves another log's files there has shown nothing of this one, and nobody is accused."""
    expected: Verdict = ("unreadable", "checkpoint")
    assert both(second, operator, {}, **chosen) == [(expected, expected)] * 2
    policy = POLICIES.of(name=chosen.get("logName"), url=chosen.get("address"))
    assert ours(audit_log, InMemory(operator.files()), policy) == expected
    given: Json = {"policy": TEXT, "files": hexed(operator.files())} | chosen
    assert theirs(second.ask("audit", **given)) == expected
    assert second.ask("history", seen=None, **given)["verdict"] == "unreadable"


@pytest.mark.parametrize(
    "chosen",
    [{}, {"logName": "third.example/log"}, {"address": "https://third.example/log"}],
    ids=["nothing", "another name", "another address"],
)
def test_a_policy_that_does_not_decide_names_its_logs(
    second: SecondVerifier, operator: Operator, chosen: dict[str, str]
) -> None:
    """In the same words."""
    with pytest.raises(Malformed) as refused:
        POLICIES.of(name=chosen.get("logName"), url=chosen.get("address"))
    assert str(refused.value) == NEITHER + next(iter(chosen.values()), "none")
    code, receipt = code_of(operator, "keno-1", 2), receipts_of(operator, "keno-1", 1)[0]
    given: Json = {"policy": TEXT, "files": hexed(operator.files())} | chosen
    for answer in (
        second.ask("code", text=str(code), **given),
        second.ask("bet", hex=receipt.hex(), **given),
        second.ask("history", seen=None, **given),
        second.ask("audit", **given),
    ):
        assert answer == {"verdict": "malformed", "message": str(refused.value)}


def test_a_file_chooses_by_its_checkpoint(second: SecondVerifier, operator: Operator) -> None:
    """Unless a name is given; a file of no log of the policy is not signed by the one that is meant."""
    proof = bytes(proof_of(operator, "keno-1", 2))
    policy = POLICIES.of_note(operator.files()["checkpoint"])
    assert ours(check_proof, proof, policy) == theirs(second.ask("proof", hex=proof.hex(), policy=TEXT)) == ("held",)
    named = POLICIES.of(name=OTHER.name)
    for data, trust, name in (
        (proof, named, OTHER.name),
        (proof.replace(ORIGIN.encode(), b"third.example/log"), POLICIES.of_note(b"third.example/log\n"), None),
        (b"no proof\n", POLICIES.of_note(b"no proof\n"), None),
    ):
        chosen = {} if name is None else {"logName": name}
        found = theirs(second.ask("proof", hex=data.hex(), policy=TEXT, **chosen))
        assert found == ours(check_proof, data, trust) != ("held",)
    evidence = fork_between(log_of(RECORDS[:3])[0], *log_of([*RECORDS[:2], b"another", *RECORDS[3:9]]))
    assert evidence is not None
    check_evidence(bytes(evidence), policy, name="evidence")
    assert second.ask("fork", hex=bytes(evidence).hex(), policy=TEXT)["verdict"] == "held"
    assert second.ask("fork", hex=bytes(evidence).hex(), policy=TEXT, logName=OTHER.name)["verdict"] != "held"
