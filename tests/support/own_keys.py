"""Operators of whom each has a log and a key of its own."""

from __future__ import annotations

from fairness.hashing import sha256
from fairness.log.notes import SigningKey
from fairness.player.round_code import RoundCode
from tests.support.dishonest_operator import Operator

TABLE = "keno-1"


class OwnKey(Operator):
    """One whose log has this name at ``.example``."""

    def __init__(self, name: str, place: str = "log") -> None:
        super().__init__(origin=f"{name}.example/{place}")
        self.key = SigningKey(self.origin, sha256(name.encode()))

    def files(self) -> dict[str, bytes]:
        """Every file of the log, with its own key's signature."""
        files = super().files()
        text, _, _ = files["checkpoint"].partition(b"\n\n")
        return files | {"checkpoint": self.key.sign(f"{text.decode()}\n")}

    def policy(self, address: str) -> str:
        """The policy that believes this log, and asks for no witness."""
        return f"log {self.key.verifier_key} {address}\nquorum none\n"

    def code(self, number: int) -> str:
        """The code of a round."""
        table = self.tables[TABLE]
        return str(RoundCode.of(table.game, table.table_id, number, table.seeds_of(number)))


def playing(name: str, rounds: int = 3) -> OwnKey:
    """One with a table in the middle of play."""
    operator = OwnKey(name)
    operator.table(TABLE, "keno-express")
    operator.batch(TABLE, 40)
    operator.play(TABLE, rounds)
    return operator
