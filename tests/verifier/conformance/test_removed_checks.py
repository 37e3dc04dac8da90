"""A verifier that lacks one check fails exactly where the vectors say: every check of ours is removed, one at a time.

``tests/vectors/removed_checks.json`` lists, for each check, the vectors that notice its absence. It is written by
``python -m tests.recipes``. Checks whose absence no vector can notice are listed below, with the reason.
"""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

import pytest

from tests.house import HOUSE
from tests.oracles.removed_checks import checks_of
from tests.recipes.__main__ import REMOVED_CHECKS
from verifier.conformance.driver import load_vectors

IMPLIED = {
    "games.bets.paytable.context.items: isinstance(given, list)": "what is no array has no parts of the right kind",
    "games.bets.paytable.read.Paytable.checked: len(data) > largest": "the spelling has the same limit",
    "fairness.records.replay.Replay.advance: isinstance(record, NewerRecord | Aside)": "conform replays by `apply`",
    "fairness.records.rules.check_salt: len(record.signature) != 2 * SIGNATURE_SIZE": "a point of another size is no pulse",
    **dict.fromkeys(
        (
            "games.declared.parameters.Parameters._check_names: self.plain[size].least <= self.plain[size].most",
            "games.declared.throws.Flight.weigh: found.least <= found.most",
        ),
        "a range does not fall",
    ),
    "games.declared.parameters.Parameters._check_names: self.plain[size].most <= MOST_PARAMETERS": "the names are counted",
    "games.declared.values.integer: given <= most": "the spelling of a number has the same limit",
    "fairness.player.bets.BetReceipt.__post_init__: 0 <= self.index": "a decimal number is never negative",
    "fairness.player.bets.BetReceipt.__post_init__: len(self.path) != length": "the root is computed with the same length",
    "fairness.player.bets.BetReceipt.parse: len(data) > LARGEST_RECEIPT": "the parts of a receipt together have fewer bytes",
    "fairness.player.bets.BetReceipt.parse: table.isascii()": "hexadecimal is ASCII",
    "fairness.round.proof.parse_round_number: 1 <= number": "no batch holds round 0",
    "fairness.log.notes._check_own_name: name.isascii()": "a vkey is ASCII as a whole",
    "fairness.log.notes.SignatureLine.parse: space": "Base64 is of one byte at the least",
    "fairness.log.notes.SignatureLine.parse: encoded.isascii()": "Base64 is ASCII",
    "fairness.beacon.chain.Beacon.__post_init__: 0 <= self.genesis": "a decimal number is never negative",
    "fairness.beacon.chain.Beacon.__post_init__: len(self.group_hash) != GROUP_HASH_SIZE": "hexadecimal of 32 bytes",
    "fairness.beacon.chain.Beacon.__post_init__: len(self.public_key) != PUBLIC_KEY_SIZE": "hexadecimal of 96 bytes",
    "fairness.log.ed25519.check_public_key: len(key) != KEY_SIZE": "the Base64 of a vkey is of 33 bytes",
    "fairness.records.replay._batch: last < U48_LIMIT": "no log is long enough; test_limits begins just below the limit",
    "fairness.player.round_code.RoundCode.__post_init__: self.round_number < U48_LIMIT": "a code has six bytes for the round",
    "fairness.player.round_code.RoundCode.parse: len(payload) < HEAD_SIZE": "a code has at least one seed",
    "fairness.player.bech32m.decode: len(text) > LONGEST_CODE": "a code of eight seeds is shorter",
    "fairness.player.bech32m.decode: one": "no game has the empty name",
    "fairness.player.bech32m.decode: prefix": "no game has the empty name",
    "fairness.player.bech32m.decode: len(data) < CHECKSUM_SIZE": "a text shorter than the checksum has no version",
    "fairness.player.bech32m.decode: any((not '!' <= character <= '~' for character in prefix))": "no game has such a name",
    "fairness.log.proof.Inclusion.parse: len(lines) > 1 + MOST_HASHES": "the length follows from index and size",
    "fairness.log.proof.TlogProof.parse: len(data) > LARGEST_TLOG_PROOF": "its parts together have fewer bytes",
    "fairness.log.proof.TlogProof.parse: divider": "without it there is no checkpoint: note-form",
    "fairness.log.fork.Fork.parse: len(data) > LARGEST_FORK": "two notes and the hashes together have fewer bytes",
    "verifier.forks.evidence.check_evidence: not fork.hashes and smaller.checkpoint.size != larger.checkpoint.size": (
        "for the vectors, no verdict and a failed proof are both invalid"
    ),
    "fairness.policy.custody._check: named is None": "no text has the line of no hash",
    "fairness.policy.custody.check_policy_hash: len(policy) > LARGEST_POLICY": "a policy's own form implies it",
    "verifier.conformance.subject._custody: isinstance(record, BatchRecord)": "no vector has another record",
    "fairness.policy.witnessed.open_seen: 1 <= seen.checkpoint.size": "another root than the head's",
    "fairness.round.proof_sections.Sections.read: 1 <= len(found.commitments)": "there are as many as custodians",
    "fairness.round.proof_sections.Sections.read: len(found.commitments) <= MOST_CUSTODIANS": (
        "there are as many as custodians"
    ),
    "fairness.round.proof_sections.CustodySection.parse: _NAME.fullmatch(lines[1])": "it is one of the table's custodians",
    "fairness.round.proof_sections._parse_witnessed: below.count(DIVIDER) != _PARTS_OF_WITNESSED - 1": (
        "without them there is no checkpoint"
    ),
    "fairness.round.proof_sections._parse_witnessed: below.endswith(DIVIDER)": "no note of the log: batch-witnessed",
    "fairness.round.proof._parse_first: _NAME.fullmatch(name)": "the table's record has this name",
    "fairness.round.proof_sections._parse_section: len(content) > LARGEST_RECORD": "the record's own form implies it",
    "verifier.round.lead._hint: hints is None": "a file that is absent has no hint, either: hints.lock is None",
    "verifier.round.lead.rounds_ahead: after.index <= fixed": (
        "the hint, which is where the lock stands, was compared with it; and lead-committed demands it of round n's own lock"
    ),
    "verifier.round.lead.rounds_ahead: before.index >= fixed": "the hint, which is where the lock stands, was compared with it",
    "verifier.round.proving._compare_seen: calls check_extends": "log-extends has failed already; evidence of it is looked for",
}
"""Checks whose inputs another check refuses in any case, with that check or the reason."""

MOST_SHADOWED = 10
"""Of the steps that a verifier takes, at most so many may be hidden by another one."""

NOT_ASKED = {
    "verifier.paytables._outcomes: calls bets.declaration.check_rules": "of a remark, which no status depends on",
    **dict.fromkeys(
        (
            "fairness.records.record.BatchRecord.__post_init__: type(self.rules.get('version', 0)) is not int",
            "games.declared.declaration.refuse_later: isinstance(found, dict) and type((version := found.get('version'))) is int and (version > 1)",
            "games.declared.parameters.Parameters.check: any((type(each) is not int for each in rules.values()))",
        ),
        "of test_newer, which both verifiers answer",
    ),
    **dict.fromkeys(
        (
            "games.declared.law._Way.below: self.ways > MOST_WAYS",
            "games.declared.law._Way.multiplier: raise TooMany",
            "games.declared.law._ways: draws > _MOST_DRAWS",
            "games.declared.law._ways: number > MOST_WAYS",
        ),
        "of who lists a law",
    ),
    "games.declared.kinds.UnknownStep.draw: raise NotImplementedError": "no unknown game is drawn",
    "fairness.policy.policy.Policies.of: len(found) != 1": "of who chooses among logs",
    "verifier.audit.audit._replay: calls check_extends": "of an audit with a memory, which has cases",
    "fairness.round.finder.find_end: end.record.table != table": "of the service, which asks whether a table has ended",
    **dict.fromkeys(
        (
            "verifier.round.bets._NoneBefore.__iter__: self._number > 1",
            "verifier.round.bets._given.read: paytable is None",
            "verifier.round.bets._settled: named.paytable",
        ),
        "of `code --bet`",
    ),
    **dict.fromkeys(
        (
            "verifier.round.proving._check_is_codes: report.reveal is None",
            "verifier.round.proving._check_is_codes: seeds != report.reveal.record.seeds",
            "verifier.round.proving._prove: proof is None",
            "verifier.round.proving.prove_code.prove: calls _check_is_codes",
            "verifier.round.proving.prove_number: table is None",
            "fairness.round.prover.prove_round: calls _check_whole",
        ),
        "of who makes a proof",
    ),
    "games.registry.NewerGame.check_rules: raise Unknown": "no unknown game is asked for its rules",
    "games.registry.NewerGame.outcome: raise Unknown": "no unknown game is drawn",
    "fairness.player.bets.check_digest: (bets.count == 0) != (bets.root == EMPTY_ROOT.hex())": "of the service's calls",
    "fairness.log.notes.SigningKey.parse: text.startswith(_PRIVATE)": "of the service's key file",
    "fairness.log.notes.SigningKey.parse: key.secret_text() != text": "of the service's key file",
    "fairness.log.notes.SigningKey.parse: key.verifier_key.key_id != key_id": "of the service's key file",
    **dict.fromkeys(
        (
            "fairness.round.prover.check_stands_in_proof: note.count(b'\\n\\n') != 1",
            "fairness.round.prover.check_stands_in_proof: note.endswith(b'\\n')",
            "fairness.round.prover.check_stands_in_proof: note.endswith(b'\\n\\n')",
        ),
        "of who makes a proof",
    ),
    **dict.fromkeys(
        ("fairness.round.authentic_log.AuthenticLog.record: index >= self.size",),
        "of `code`, which has cases",
    ),
    **dict.fromkeys(
        (
            "fairness.round.prover._check_whole: hints.lock is not None and (before is None or before.lock is None)",
            "fairness.round.prover._check_whole: hints.reveal is not None and hints.lock is None",
            "fairness.round.prover._check_whole: table.record.salt != UNSALTED and hints.salt is None and (lock is not None)",
        ),
        "of who makes a proof",
    ),
}
"""Checks in modules that `conform` loads but does not use."""

IMPLIED_TYPES = {
    "table": "a record's end has its table, its type and its version",
    "type": "a record's end has its table, its type and its version",
    "v": "a record's end has its table, its type and its version",
    "game": "the games are asked for it",
    "declaration": "it is parsed again as a declaration",
    **dict.fromkeys(
        (
            "root",
            "created",
            "committed",
            "paytable",
            "previous",
            "salted",
            "signature",
            "locked",
            "opened",
            "revealed",
            "ended",
            "closed",
        ),
        "a time or a hash is read by a parser of its own, which takes texts only",
    ),
}
"""Keys whose type is checked a second time."""


@pytest.fixture(scope="module")
def found() -> dict[str, dict[str, list[str]]]:
    """What the vectors notice, in a separate process in which each check can be switched off."""
    command = [sys.executable, "-m", "tests.oracles.removed_checks"]
    done = subprocess.run(command, cwd=HOUSE, capture_output=True, text=True, check=True)
    told: dict[str, dict[str, list[str]]] = json.loads(done.stdout)
    return told


def test_the_table_names_the_checks_that_are_in_the_source() -> None:
    """So a check that is new, or worded otherwise, is missed by every change, and not by the night alone."""
    listed = sorted(json.loads(REMOVED_CHECKS.read_text("utf-8"))["checks"])
    modules = sorted({module_of(name) for name in listed})
    assert len(modules) > 30
    assert [name for module in modules for name in sorted(checks_of(module))] == [
        name for module in modules for name in listed if module_of(name) == module
    ]


def module_of(check: str) -> str:
    """The module of a check by its name: the longest beginning that is a file or a package."""
    words = check.partition(":")[0].split(".")
    found = [".".join(words[:end]) for end in range(1, len(words)) if is_module(words[:end])]
    return found[-1]


def is_module(words: list[str]) -> bool:
    path = HOUSE.joinpath(*words)
    return path.with_suffix(".py").exists() or (path / "__init__.py").exists()


@pytest.mark.nightly("removes every check in turn")
def test_the_table_is_what_removing_each_check_gives(found: dict[str, Any]) -> None:
    """Nobody edits it by hand; ``python -m tests.recipes`` writes it."""
    assert json.loads(REMOVED_CHECKS.read_text("utf-8")) == found


@pytest.mark.nightly("removes every check in turn")
def test_every_check_has_a_vector_that_notices_its_absence(found: dict[str, dict[str, list[str]]]) -> None:
    """Or a reason why no input can show it; and there is no reason for a check whose absence a vector does notice."""
    checks = found["checks"]
    assert len(checks) > 150
    assert {name for name, vectors in checks.items() if not vectors} == IMPLIED.keys() | NOT_ASKED.keys()


def test_few_steps_of_a_verifier_are_hidden_by_another() -> None:
    """Each with the check that hides it; so a verifier that lacks a step is noticed."""
    assert len([name for name in IMPLIED if name.startswith(("verifier.round.", "verifier.audit."))]) <= MOST_SHADOWED


@pytest.mark.nightly("removes every check in turn")
def test_every_type_and_limit_of_a_record_has_a_vector(found: dict[str, dict[str, list[str]]]) -> None:
    """Likewise for what msgspec checks."""
    unnoticed = {name for name, vectors in found["types of records"].items() if not vectors}
    assert {name.partition(":")[0].partition(".")[2] for name in unnoticed} == IMPLIED_TYPES.keys()
    assert len(found["types of records"]) > len(unnoticed) + 30


@pytest.mark.nightly("removes every check in turn")
@pytest.mark.parametrize("name", ["replay", "round-proof"])
def test_a_vector_that_is_named_for_a_rule_isolates_it(name: str, found: dict[str, dict[str, list[str]]]) -> None:
    """If it says "a verifier without the rule X", only X refuses it; otherwise it says that other rules do, too."""
    # A call may take several rules with it.
    rules_alone = [vectors for check, vectors in found["checks"].items() if ": calls " not in check]
    isolating = {vector for vectors in rules_alone for vector in vectors}
    (vectors,) = (each for each in load_vectors() if each.format == name)
    rules = {case["name"]: case["catches"] for case in vectors.cases if "the rule" in case.get("catches", "")}
    assert rules
    alone = {case for case, catches in rules.items() if "and the others" not in catches}
    assert alone == {case for case in rules if f"{name}: {case}" in isolating}
