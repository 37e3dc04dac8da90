"""The log of a few rounds that most cases change, and what they change of it."""

from __future__ import annotations

from msgspec import to_builtins

from fairness.log.checkpoints import Checkpoint
from fairness.log.tiles import AuthenticTiles
from fairness.player.bets import digest
from fairness.player.round_code import RoundCode
from tests.support.dishonest_operator import KEY, Operator

BET_LINES = [f"{number:032x} {number} on red".encode() for number in range(3)]


def small() -> Operator:
    """One table of Keno Express: six rounds are committed, two were played, the second with three bets."""
    operator = Operator()
    operator.table("keno-1", "keno-express")
    operator.batch("keno-1", 6)
    operator.play("keno-1")
    operator.lock("keno-1", bets=to_builtins(digest(BET_LINES)))
    operator.reveal("keno-1")
    return operator


def code_in(operator: Operator, number: int = 2) -> RoundCode:
    """The code of one of its rounds."""
    table = operator.tables["keno-1"]
    return RoundCode.of(table.game, table.table_id, number, table.seeds_of(number))


def flip(data: bytes, at: int = 0) -> bytes:
    """Change a bit."""
    return data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :]


def tiles_of(operator: Operator) -> AuthenticTiles:
    """The log's records and hashes, verified."""
    files = operator.files()
    return AuthenticTiles(Checkpoint.open(files["checkpoint"], KEY.verifier_key), files.__getitem__)
