"""The log of a sandbox: its name ends in ``/sandbox``."""

from __future__ import annotations

from pathlib import Path

from fairness.hashing import sha256
from fairness.log.notes import SigningKey
from tests.support.dishonest_operator import Operator
from tests.support.verdicts import LINES, digest_of

KEY = SigningKey("fore.example/log/sandbox", sha256(b"the key of a sandbox"))
VKEY = str(KEY.verifier_key)


def played(**lies: object) -> Operator:
    """A table of a sandbox, three rounds of which are played, the first with bets; the ``lies`` are in its reveal."""
    operator = Operator(origin=KEY.name)
    operator.table("keno-1", "keno-express")
    operator.batch("keno-1", 8)
    operator.lock("keno-1", bets=digest_of(LINES))
    operator.reveal("keno-1", **lies)
    operator.play("keno-1", 2)
    return operator


def files_of(operator: Operator) -> dict[str, bytes]:
    """Its log, signed with the key of the sandbox."""
    files = operator.files()
    _, size, root, *_ = files["checkpoint"].decode().split("\n")
    return files | {"checkpoint": KEY.sign(f"{KEY.name}\n{size}\n{root}\n")}


def written(operator: Operator, folder: Path) -> Path:
    """Its log in a folder."""
    for path, data in files_of(operator).items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(data)
    return folder
