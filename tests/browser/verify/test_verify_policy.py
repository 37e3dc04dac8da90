"""The page /verify with a policy in the place of a key: it demands the quorum, names the witnesses, and remembers the
policy.
"""

from __future__ import annotations

from pathlib import Path

from playwright.sync_api import expect

from fairness.hashing import sha256
from fairness.log.notes import SigningKey
from tests.support.browser.checking import FIXED, VKEY, headline, honest, log_of, with_key
from tests.support.browser.visitor import Visitor
from tests.support.dishonest_operator import KEY
from tests.support.log_server import serving
from tests.support.witnesses import LAB, PRESS, REGULATOR, cosigned, policy_text

POLICY = policy_text(KEY.verifier_key).decode()


def test_witnesses_are_demanded_and_named(reader: Visitor, tmp_path: Path) -> None:
    """With the quorum the verdict names who cosigned and when, also at the next visit; without it there is a
    refusal.
    """
    code = log_of(tmp_path, honest)
    head = tmp_path / "checkpoint"
    plain = head.read_bytes()
    head.write_bytes(cosigned(plain, LAB, REGULATOR))
    with serving(tmp_path) as log:
        reader.expect_complaint(f"request to another host: {log}/")
        page = reader.visit(f"/verify?log={log}#{code}")
        with_key(page, POLICY)
        for _visit in range(2):
            assert headline(page) == FIXED["en"]
            proven = page.locator("#story")
            for text in ("lab · 2026-11-20 16:00:00", "regulator · 2026-11-20 16:00:00"):
                expect(proven).to_contain_text(text)
            expect(proven).to_contain_text("Witnesses that any two quorums share")
            expect(page.locator("#not-proven")).to_contain_text("only if witnesses lie (at least: 1)")
            expect(page.locator("#memory")).to_contain_text("Your own policy is used, since")
            page.reload()

        head.write_bytes(cosigned(plain, PRESS))
        page.reload()
        assert headline(page) == "Too few outside witnesses have confirmed this."
        expect(page.locator("#story")).to_contain_text("checkpoint-quorum")


def test_a_policy_with_a_mistake_is_refused_by_its_line(reader: Visitor, tmp_path: Path) -> None:
    """And what was used before is still used."""
    code = log_of(tmp_path, honest)
    with serving(tmp_path) as log:
        reader.expect_complaint(f"request to another host: {log}/")
        page = reader.visit(f"/verify?log={log}#{code}")
        with_key(page, POLICY.replace("group", "groop"))
        expect(page.locator("#own-trouble")).to_contain_text(
            "This policy cannot be used: policy, line 5: expected one of log"
        )
        with_key(page, f"log {VKEY}\nquorum none\n")
        assert headline(page) == FIXED["en"]
        expect(page.locator("#own-trouble")).to_be_empty()
        expect(page.locator("#not-proven")).to_contain_text("No witness:")


def test_of_several_logs_the_one_with_the_address_is_meant(reader: Visitor, tmp_path: Path) -> None:
    """A policy that does not decide is refused with the names of its logs."""
    code = log_of(tmp_path, honest)
    other = SigningKey("other.example/log", sha256(b"another log's key")).verifier_key
    with serving(tmp_path) as log:
        reader.expect_complaint(f"request to another host: {log}/")
        page = reader.visit(f"/verify?log={log}#{code}")
        with_key(page, f"log {other}\nlog {VKEY}\nquorum none\n")
        expect(page.locator("#own-trouble")).to_contain_text(
            f"This policy cannot be used: log: expected one of the policy's logs: {other.name}, {KEY.name}, found {log}"
        )
        with_key(page, f"log {other} https://other.example/log\nlog {VKEY} {log}/\nquorum none\n")
        for _visit in range(2):
            assert headline(page) == FIXED["en"]
            expect(page.locator("#memory")).to_contain_text("Your own policy is used, since")
            page.reload()
        with_key(page, f"log {VKEY} https://other.example/log\nlog {other} {log}\nquorum none\n")
        assert headline(page) == "There is no verdict: the key does not fit."
        expect(page.locator(".verdict.question")).to_contain_text("not signed")
