"""What is said if nothing could be concluded, or a check failed: for people and for programs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from msgspec import to_builtins

from fairness.checks import MEANING
from fairness.errors import CheckFailed, NotShown, Unreadable
from verifier.output.as_json import verdict_json
from verifier.output.printing import Console, line, paragraph, plain, show_unknown
from verifier.sentences import MEANS, Line, Verdict
from verifier.typing_error import Mistyped

if TYPE_CHECKING:
    from verifier.answers import failures as answers


def show_failure(console: Console, error: CheckFailed, evidence: str | None) -> None:
    """Show which check failed, and everything that is known about it."""
    plain(console, Line.FAILED.fill(check=error.check.value), "bold red")
    show_what_failed(console, error)
    if evidence:
        line(console, "Evidence", evidence)
    console.print()
    paragraph(console, f"What it means: {MEANS[error.fault]}")


def show_not_shown(console: Console, error: NotShown) -> None:
    """Show what this log does not show, that nobody is accused, and what to do."""
    plain(console, Line.NOT_SHOWN.fill(check=error.check.value), "bold yellow")
    show_what_failed(console, error)
    for sentence in error.ways_on:
        paragraph(console, sentence, "yellow")


def show_mistyped(console: Console, error: Mistyped) -> None:
    """Show that a code is none, where it is wrong, and what may have been meant."""
    plain(console, Line.MISTYPED.fill(check=error.check.value), "bold yellow")
    show_what_failed(console, error)
    if error.typing is not None and error.typing.places:
        line(console, "Place", f"character {' and '.join(map(str, error.typing.places))} or so")
    if error.typing is not None and error.typing.suggestion:
        line(console, "Perhaps", f"{error.typing.suggestion} (a guess: compare it with the original)")
    plain(console, "Nothing was checked, and this says nothing about anybody.", "yellow")


def show_what_failed(console: Console, error: CheckFailed) -> None:
    """Show what must hold, where, and what was found."""
    line(console, "Must hold", MEANING[error.check])
    if error.index is not None:
        line(console, "Record", str(error.index))
    if error.where:
        line(console, "Where", error.where)
    line(console, "Expected", error.expected)
    line(console, "Found", error.found)


def show_only_unknown(console: Console, sentences: Sequence[str]) -> None:
    """Show what this verifier does not know, if nothing else could be said. That is evidence against nobody."""
    show_unknown(console, sentences)
    plain(console, Line.UNKNOWN.fill(verdict=Verdict.NOTHING_CHECKED), "yellow")


def show_unreadable(console: Console, error: Unreadable) -> None:
    """Show which file could not be read. That says nothing about the operator's honesty."""
    plain(console, Line.UNREADABLE, "bold yellow")
    line(console, "File", error.path)
    line(console, "Why", error.why)


def failure_json(command: str, error: CheckFailed, evidence: str | None) -> answers.Failed:
    """Return which check failed, where, what was expected and found, and what it ``means``; ``evidence`` is the file,
    if one was kept.
    """
    return {
        **verdict_json(command, "failed"),
        **failed_json(error),
        "meaning": MEANING[error.check],
        "means": MEANS[error.fault],
        "evidence": evidence,
    }


def not_shown_json(command: str, error: NotShown) -> answers.NotShown:
    """Return what the log does not show, like a failure; ``ways_on`` says what that means, and the ways on."""
    return {
        **verdict_json(command, "not-shown"),
        **failed_json(error),
        "meaning": MEANING[error.check],
        "ways_on": list(error.ways_on),
    }


def mistyped_json(command: str, error: Mistyped) -> answers.Mistyped:
    """Return what is wrong with the form of a code; ``typing`` has the places of the error and a guess of what was
    meant.
    """
    return {
        **verdict_json(command, "mistyped"),
        "check": error.check.value,
        "expected": error.expected,
        "found": error.found,
        "meaning": MEANING[error.check],
        "typing": to_builtins(error.typing),
    }


def failed_json(error: CheckFailed) -> answers.WhatFailed:
    """Return which check failed, of which record and where, what was expected and what was found."""
    return {
        "check": error.check.value,
        "record": error.index,
        "where": error.where,
        "expected": error.expected,
        "found": error.found,
    }


def unknown_json(command: str, unknown: Sequence[str]) -> answers.OnlyUnknown:
    """Return what this verifier does not know, so that there is no verdict on the rest."""
    return {**verdict_json(command, "unknown"), "unknown": list(unknown)}


def usage_json(command: str | None, why: str) -> answers.WrongUsage:
    """Return why nothing was done: ``command`` is absent if none was named."""
    return {"v": 1, "command": command, "verdict": "wrong-usage", "why": why}


def unreadable_json(command: str, error: Unreadable) -> answers.Unreadable:
    """Return which file could not be read, and why."""
    return {**verdict_json(command, "unreadable"), "file": error.path, "why": error.why}
