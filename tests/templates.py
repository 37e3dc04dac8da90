"""What is written in JavaScript too: sentences of the verifier in Python, and pictures. ``make messages`` updates
it.
"""

from __future__ import annotations

import json
import re
import textwrap
from pathlib import Path

from api.pages.pictures.data import FILE
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
_PICTURES = """\
// Made by `make messages` of api/pages/pictures/pictures.json: change it there, where data.py describes it.

/** Marks words for translation: pages say them in their reader's language. */
const _ = (/** @type {string} */ words) => words;

/** What the catalogue calls its places and its things. An operator's own words stay as they are. */
export const WORDS = new Set([
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
        BROWSER / "pictures" / "data.js": _PICTURES + _pictures(),
    }


def _pictures() -> str:
    pictures = json.loads(FILE.read_text("utf-8"))
    words = textwrap.fill(" ".join(f"_({json.dumps(word)})," for word in pictures.pop("words")), 116)
    parts = (f"  {name}: {_compact(part)},\n" for name, part in pictures.items())
    return f"{textwrap.indent(words, '  ')}\n]);\n\nexport const PICTURES = {{\n{''.join(parts)}}};\n"


def _compact(value: object) -> str:
    return re.sub(r'"([A-Za-z]\w*)":', r"\1:", json.dumps(value, ensure_ascii=False, separators=(",", ":")))


def write() -> None:
    """Write the files."""
    for path, text in scripts().items():
        path.write_text(text, "utf-8")


def _entry(code: str, text: str, *, marked: bool = True) -> str:
    spelled = json.dumps(text)
    return f'  "{code}": {f"_({spelled})" if marked else spelled},\n'
