"""The words that the verifier in JavaScript gets from the one in Python: ``make messages`` updates them."""

from __future__ import annotations

import json
from pathlib import Path

from fairness.checks import FAULT, MEANING
from tests.house import HOUSE
from verifier.sentences import Checked, Custody, Line, Means, NotChecked, Remark, Sentence, Unknown, Verdict, WayOn

BROWSER = HOUSE / "verifier" / "browser"

_CHECKS = """\
// Made by `make messages` of fairness/checks.py: change the words there.
//
// Every check has a code that never changes its meaning, and a sentence: what holds when it passes (SPEC 4.3).

/** Marks a sentence for translation: pages say it in their reader's language. */
const _ = (/** @type {string} */ sentence) => sentence;

/** @type {Readonly<Record<string, string>>} */
export const MEANING = Object.freeze({
"""
_FAULTS = """\
});

/** Whose fault it can be that a check failed, as the code of a sentence; of a fork that is proven, `fault-of-fork` (SPEC 8.3). */
/** @type {Readonly<Record<string, string>>} */
export const FAULT = Object.freeze({
"""
_TEMPLATES = """\
// Made by `make messages` of verifier/sentences.py: change the words there.
//
// The sentences of verdicts, with names like `%(round)s` for their values.

/** Marks a sentence for translation: pages say it in their reader's language. */
const _ = (/** @type {string} */ sentence) => sentence;

/** @type {Readonly<Record<string, string>>} */
export const TEMPLATES = Object.freeze({
"""
KINDS: tuple[type[Sentence], ...] = (Checked, Custody, NotChecked, Unknown, Remark, Means, WayOn, Verdict, Line)
_ON_TERMINALS_ALONE = (Checked, Line)
"""Sentences that no page shows are not translated."""


def scripts() -> dict[Path, str]:
    """Each file's new content."""
    meanings = (_entry(check.value, meaning) for check, meaning in MEANING.items())
    faults = (_entry(check.value, fault.value, marked=False) for check, fault in FAULT.items())
    sentences = (
        _entry(sentence.code, sentence.value, marked=not isinstance(sentence, _ON_TERMINALS_ALONE))
        for kind in KINDS
        for sentence in kind
    )
    return {
        BROWSER / "basics" / "checks.js": _CHECKS + "".join(meanings) + _FAULTS + "".join(faults) + "});\n",
        BROWSER / "words" / "templates.js": _TEMPLATES + "".join(sentences) + "});\n",
    }


def write() -> None:
    """Write the files."""
    for path, text in scripts().items():
        path.write_text(text, "utf-8")


def _entry(code: str, text: str, *, marked: bool = True) -> str:
    spelled = json.dumps(text)
    return f'  "{code}": {f"_({spelled})" if marked else spelled},\n'
