"""The files in the folder in which a document's commands run: `test_console_blocks` writes them before each command."""

from __future__ import annotations

from pathlib import Path

from fairness.hashing import sha256
from fairness.log.notes import SigningKey
from tests.house import HOUSE
from tests.support import dispute
from tests.support.dishonest_operator import Operator

README_KEY = SigningKey("foredraw.localhost/log", sha256(b"the key of the log that README shows"))
TABLE = "keno-1"


def readme(folder: Path, command: str) -> None:
    """Six tables as `make run` plays them, each committed through round 2,000."""
    del command
    operator = Operator(origin=README_KEY.name)
    for game in ("crash", "hi-lo", "keno-express", "penalty", "rocketon", "sic-bo"):
        name = f"{game}-1"
        operator.table(name, game)
        operator.batch(name, 1000)
        operator.batch(name, 1000)
        operator.play(name, 19)
    checkpoint = operator.write(folder / "log") / "checkpoint"
    text, _, _ = checkpoint.read_text("utf-8").partition("\n\n")
    checkpoint.write_bytes(README_KEY.sign(f"{text}\n"))


def auditing(folder: Path, command: str) -> None:
    """A table that played four rounds, gave one up, and was closed; and a copy of its log with one false byte."""
    del command
    operator = Operator()
    operator.table(TABLE, "keno-express")
    operator.batch(TABLE, 1000)
    operator.batch(TABLE, 1000)
    operator.play(TABLE).drop(TABLE).play(TABLE, 3)
    operator.end(TABLE)
    operator.close(TABLE)
    operator.write(folder / "copy")
    bundle = operator.write(folder / "damaged-copy") / "tile/entries/000.p/15"
    bundle.write_bytes(bundle.read_bytes().replace(b"keno-express", b"keno-Express", 1))


def disputed(folder: Path, command: str) -> None:
    """The casino of `dispute`: round 4 has not been opened when its receipt is made."""
    is_before_the_bet = " -o before.proof" in command
    (dispute.before() if is_before_the_bet else dispute.after()).write(folder / "log")
    dispute.false_outcome().write(folder / "false-log")
    dispute.other_face().write(folder / "other-log")
    dispute.write_bets(folder)


def bets(folder: Path, command: str) -> None:
    """The two bets of the examples, one per line."""
    del command
    (folder / "bets.txt").write_bytes(b"".join(line + b"\n" for line in dispute.LINES))


def sources(folder: Path, command: str) -> None:
    """The files of the repository that commands name."""
    del command
    for name in ("tests", "verifier"):
        link = folder / name
        if not link.is_symlink():
            link.symlink_to(HOUSE / name)
