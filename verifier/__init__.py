"""The verifier: a program and a library that trust nobody, least of all the service.

>>> from verifier import FolderSource, VerifierKey, audit_log, check_round  # doctest: +SKIP
>>> key = VerifierKey.parse("casino.example/log+3f9ba1e0+AX…")  # from the operator's licence, not from the log
>>> log = FolderSource("copy-of-the-log")  # or HttpSource("https://casino.example/log")
>>> audit_log(log, key).checkpoint.size
181374
>>> check_round(log, key, "fd1crash…").outcome
{'multiplier': '2.41'}

A function returns what it found and what it could not check. It raises `CheckFailed` (a named rule is broken),
`Unreadable` (there is no verdict) or, if the caller is at fault, `ValueError` or `Malformed`. Three failures accuse
nobody: `NotThisLogs` (nothing in the log claims to be this key's), `NotShown` (its index, which nobody signs, does
not lead to it), and a code that is none (`code-form`, `code-checksum`).

`sources`       where a log is read from
`failures`      failures as values
`durable_file`  how this program writes a file: whole, or not at all
`file_lock`     a file that one run uses at a time
`pasted_code`   a round code in what somebody pasted
`typing_error`  where a round code was mistyped
`helped_file`   a file without what was added to it on its way
`forks`         equivocation: whether two places show one log
`custodians`    what a verdict says of custodians
`audit`         the whole log, replayed
`paytables`     what bets pay, by the file that a table's record names
`sentences`     the sentences of verdicts, which JavaScript and the pages share
`caveats`       what no verdict can check
`remarks`       times in the future
`round`         one round or one bet: by its code, its proof file or its receipt
`watch`         following a log
`output`        verdicts for people and for programs
`answers`       what programs read, as types
`stats`         what a log's numbers say
`lab`           samples for a test laboratory
`witness`       cosigns a log's checkpoints for others
`conformance`   other people's verifiers against the vectors
`commands`      the commands of ``foredraw-verify``
`cli`           the program around them
`interrupts`    Ctrl-C while it starts
`closed_streams`  standard streams that were closed at the start
"""

import sys
from importlib import import_module
from typing import TYPE_CHECKING

from verifier import interrupts

if sys.argv[:1] == ["-m"]:
    # `python -m verifier` imports this package first, and then for some time what a command needs.
    interrupts.end_the_program()

if TYPE_CHECKING:
    from fairness.errors import CheckFailed, Malformed, NotShown, NotThisLogs, Unreadable
    from fairness.log.notes import VerifierKey
    from verifier.audit.audit import audit_log
    from verifier.round.bet_check import check_bet
    from verifier.round.check import check_round
    from verifier.round.proof_check import check_proof
    from verifier.sources.source import FolderSource, HttpSource

__all__ = [
    "CheckFailed",
    "FolderSource",
    "HttpSource",
    "Malformed",
    "NotShown",
    "NotThisLogs",
    "Unreadable",
    "VerifierKey",
    "audit_log",
    "check_bet",
    "check_proof",
    "check_round",
]
_MODULES = {
    "audit_log": "verifier.audit.audit",
    "check_bet": "verifier.round.bet_check",
    "check_proof": "verifier.round.proof_check",
    "check_round": "verifier.round.check",
    "FolderSource": "verifier.sources.source",
    "HttpSource": "verifier.sources.source",
    "VerifierKey": "fairness.log.notes",
}
"""Where the public names are that are no errors."""


def __getattr__(name: str) -> object:
    """Return a public name. Its module is imported when it is first asked for: a command needs few of them."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_MODULES.get(name, "fairness.errors")), name)
