"""What rows hold as bytes and text: a table's state, and the rules of its next batch."""

from __future__ import annotations

import msgspec

from fairness.draws.game import Game, RulesRefused
from fairness.records.table_state import TableState

_STATE_DECODER = msgspec.json.Decoder(TableState)
_RULES_DECODER = msgspec.json.Decoder(dict[str, int])


class DamagedStateError(Exception):
    """A row does not hold a table's state: the file was damaged, or changed by hand."""


def decode_state(data: bytes) -> TableState:
    """Read a table's state from its row. Raises `DamagedStateError`."""
    try:
        return _STATE_DECODER.decode(data)
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise DamagedStateError(f"its row in the database is damaged ({error}): run `foredraw rebuild`") from error


def decode_rules(game: Game, data: str) -> dict[str, int]:
    """Read the rules of a table's next batch from its row. Raises `DamagedStateError`."""
    try:
        rules = _RULES_DECODER.decode(data)
        game.check_rules(rules)
    except (msgspec.MsgspecError, UnicodeDecodeError, RulesRefused) as error:
        raise DamagedStateError(f"its rules in the database are damaged ({error}): run `foredraw rebuild`") from error
    return rules


def encode_state(state: TableState) -> bytes:
    """Spell a table's state for its row."""
    return msgspec.json.encode(state)
