"""What is printed about two checkpoints: one history, or evidence of a fork."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from fairness.checks import Check
from fairness.log.checkpoints import Checkpoint
from fairness.policy.head import Head
from verifier.caveats import cosigners
from verifier.forks.evidence import EvidenceReport
from verifier.output.as_json import cosigned_head_json
from verifier.output.kind import Kind, kind_of, last_line
from verifier.output.printing import Console, count, heading, item, line, plain, show_not_checked
from verifier.output.round_parts import checked_json
from verifier.output.witnesses import show_witnesses
from verifier.round.report import Passed
from verifier.sentences import Line, NotChecked, Verdict

if TYPE_CHECKING:
    from verifier.answers.logs import Compared, ForkProven

COMPARED_ONLY = (
    "The records: none was read. Only an audit shows whether they follow the rules; here one log was shown to be the"
    " beginning of the other."
)
EVIDENCE_NOT_CHECKED = (NotChecked.WHOSE_KEY, NotChecked.WHICH_IS_TRUE)


def show_comparison(console: Console, first: Head, second: Head) -> None:
    """Show both sizes and roots, and the verdict in the last line."""
    line(console, "Log", first.checkpoint.origin)
    for name, head in (("First", first), ("Second", second)):
        line(console, name, _size_and_root(head.checkpoint))
        show_witnesses(console, head)
    show_not_checked(console, [COMPARED_ONLY])
    console.print()
    kind = kind_of(first)
    plain(console, last_line(kind, f"{_relation(first.checkpoint.size, second.checkpoint.size)}."), kind.colour)


def _relation(first: int, second: int) -> str:
    if first == second:
        return "Both show the same log"
    longer = "first" if first > second else "second"
    return f"Both are of one history; the {longer} is {count(abs(first - second), 'record')} longer"


def evidence_steps(report: EvidenceReport) -> list[Passed]:
    """Return the checks of evidence, with the numbers of SPEC 8.5."""
    smaller, larger = report.smaller.checkpoint, report.larger.checkpoint
    size = smaller.size
    same = larger.size == size
    shown = "this is" if same else "the hashes, a consistency proof of RFC 6962, show"
    return [
        Passed(Check.FORK_FORM, "the file is well-formed evidence"),
        _signed("first", report.smaller),
        _signed("second", report.larger),
        Passed(
            Check.FORK_PROOF,
            f"{shown} the root of the second log's first {count(size, 'record')}: {report.root_in_larger.hex()}",
        ),
        Passed(Check.FORK_ROOTS, "that is not the root in the first checkpoint"),
    ]


def show_evidence(console: Console, report: EvidenceReport) -> None:
    """Show the steps, what the file does not show, and what it proves, in the last line."""
    line(console, "Log", report.larger.checkpoint.origin)
    console.print()
    heading(console, "Checked")
    for number, step in enumerate(evidence_steps(report), 1):
        item(console, step.text, "green", mark=f"{number}.")
    if report.cosigned_both:
        console.print()
        both = f"{', '.join(report.cosigned_both)} cosigned both, which no witness that keeps its word does"
        line(console, "Witnesses", both)
    show_not_checked(console, EVIDENCE_NOT_CHECKED)
    console.print()
    plain(console, proven(report), "yellow" if kind_of(report.larger) is Kind.SANDBOX else "bold red")


def proven(report: EvidenceReport) -> str:
    """Return what the evidence proves; of a sandbox, that it was tried."""
    if (kind := kind_of(report.larger)) is Kind.SANDBOX:
        return last_line(kind)
    return Line.PROVEN.fill(
        verdict=Verdict.FORK_PROVEN.fill(origin=report.larger.checkpoint.origin, size=report.smaller.checkpoint.size)
    )


def _signed(which: str, head: Head) -> Passed:
    said = f"the {which} checkpoint is signed with the log's key: {_size_and_root(head.checkpoint)}"
    return Passed(Check.NOTE_SIGNATURE, said + _cosigned_by(head))


def _cosigned_by(head: Head) -> str:
    names = cosigners(head)
    return f", and cosigned by {names}" if names else ""


def _size_and_root(checkpoint: Checkpoint) -> str:
    return f"{count(checkpoint.size, 'record')}, root {checkpoint.root.hex()}"


def comparison_json(first: Head, second: Head) -> Compared:
    """Return both checkpoints; the smaller tree is a prefix of the larger."""
    return {
        "v": 1,
        "command": "compare",
        "verdict": str(kind_of(first)),
        "first": cosigned_head_json(first),
        "second": cosigned_head_json(second),
    }


def evidence_json(report: EvidenceReport, checked: Sequence[Passed], not_checked: Sequence[str]) -> ForkProven:
    """Return both checkpoints, and the root that contradicts the smaller one's; ``held`` means that the evidence is
    valid.
    """
    return {
        "v": 1,
        "command": "evidence",
        "verdict": str(kind_of(report.larger)),
        "smaller": cosigned_head_json(report.smaller),
        "larger": cosigned_head_json(report.larger),
        "root_in_larger": report.root_in_larger.hex(),
        "cosigned_both": report.cosigned_both,
        "checked": checked_json(checked),
        "not_checked": list(not_checked),
    }
