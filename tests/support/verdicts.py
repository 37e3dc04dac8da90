"""Verdicts of both implementations, in one form."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from fairness.checks import MEANING
from fairness.errors import CheckFailed, Missing, NotShown, NotThisLogs, Unreadable
from fairness.player.bets import digest, receipts
from fairness.policy.head import Head
from tests.oracles.second_verifier import Json
from tests.support.dishonest_operator import KEY, Operator
from verifier.audit.report import AuditReport
from verifier.caveats import report_unknown
from verifier.output.kind import kind_of
from verifier.typing_error import CHECKS_OF_CODES

VKEY = str(KEY.verifier_key)


Files = Mapping[str, bytes]


Verdict = tuple[object, ...]


class InMemory:
    """A log's files in memory."""

    address = "memory"

    def __init__(self, files: Files) -> None:
        self._files = files

    def read(self, path: str) -> bytes:
        """Read one file."""
        try:
            return self._files[path]
        except KeyError:
            raise Missing(path, "no such file") from None


def ours(check: Callable[..., object], *arguments: object, **options: object) -> Verdict:
    """The Python verdict, in the form that both can give."""
    try:
        found = check(*arguments, **options)
    except NotThisLogs as error:
        return "unreadable", error.unreadable.path
    except NotShown as failure:
        return "not-shown", failure.check.value, failure.index
    except CheckFailed as failure:
        return "mistyped" if failure.check in CHECKS_OF_CODES else "failed", failure.check.value, failure.index
    except Unreadable as error:
        return "unreadable", error.path
    if isinstance(found, AuditReport):
        return (str(kind_of(found.head, report_unknown(found), is_empty=found.is_empty)),)
    unknown: Sequence[str] = getattr(found, "unknown", ())
    head: Head | None = getattr(found, "head", None)
    return ("unknown" if unknown else "held",) if head is None else (str(kind_of(head, unknown)),)


def theirs(answer: Json) -> Verdict:
    """The JavaScript verdict, in the same form."""
    if answer["verdict"] in {"failed", "mistyped", "not-shown"}:
        failure = answer["failure"]
        assert failure["meaning"] == MEANING[failure["check"]]
        return answer["verdict"], failure["check"], failure["index"]
    if answer["verdict"] == "unreadable":
        return "unreadable", answer["unreadable"]["path"]
    return (answer["verdict"],)


def hexed(files: Files) -> dict[str, str]:
    """Files in the form of a request."""
    return {path: data.hex() for path, data in files.items()}


LINES = (b"c05e88d14b7fa296 10-37 1000 AMD", "\u202e\u058f 5".encode(), b"\xff\x00\x1b[2J", b"", b"x" * 200)
"""Lines of bets: plain words, bidirectional marks and escape sequences, an empty line, a long one."""


def digest_of(lines: Sequence[bytes]) -> Json:
    """The digest of bets that an engine gives to ``lock``."""
    made = digest(lines)
    return {"count": made.count, "root": made.root}


def receipts_of(operator: Operator, name: str, number: int, lines: Sequence[bytes] = LINES) -> list[bytes]:
    """The receipts that an engine gives to the players of a round."""
    made = receipts(lines, table_id=operator.tables[name].table_id, round_number=number)
    return [bytes(receipt) for receipt in made]
