"""What columns hold as bytes and text: states of tables, the rules of their next batches, digests of bets, hands."""

from __future__ import annotations

from typing import TypeAlias

import msgspec
from msgspec import UNSET, UnsetType

from api.refusal import RefusalError
from fairness.draws.game import Game, RulesRefused
from fairness.records.record import Bets
from fairness.records.table_state import TableState

Hands: TypeAlias = dict[str, list[int]]
"""Which positions of an order went to whom, as the engine says: hands by their names."""
_STATE_DECODER = msgspec.json.Decoder(TableState)
_RULES_DECODER = msgspec.json.Decoder(dict[str, int])

LOG_ENDED = "the log has ended: its last record names the log that follows it"
"""Why every table of such a log is halted (`TableRow.halted`)."""


class DamagedStateError(RefusalError):
    """A row does not hold what it should: the file was damaged, or changed by hand."""


def decode_state(data: bytes) -> TableState:
    """Read a table's state from its row. Raises `DamagedStateError`."""
    try:
        return _STATE_DECODER.decode(data)
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise DamagedStateError(f"its row in the database is damaged ({error}): run `foredraw rebuild`") from error


def encode_state(state: TableState) -> bytes:
    """Spell a table's state for its row."""
    return msgspec.json.encode(state)


def decode_rules(game: Game, data: str) -> dict[str, int]:
    """Read the rules of a table's next batch from its row. Raises `DamagedStateError`."""
    try:
        rules = _RULES_DECODER.decode(data)
        game.check_rules(rules)
    except (msgspec.MsgspecError, UnicodeDecodeError, RulesRefused) as error:
        raise DamagedStateError(f"its rules in the database are damaged ({error}): run `foredraw rebuild`") from error
    return rules


def digest_of(bets: Bets | UnsetType | None) -> str | None:
    """Spell the digest of a lock's bets as `RoundRow.bets` has it."""
    return None if bets is None or bets is UNSET else msgspec.json.encode(bets).decode()
