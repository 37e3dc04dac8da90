"""The round code: what a player receives after a round (SPEC 6)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Self

from fairness.draws.seed_chain import SEED_SIZE
from fairness.errors import CheckFailed, ForedrawError, Malformed, Unknown
from fairness.hashing import U48_LIMIT, u48
from fairness.limits import MOST_CUSTODIANS
from fairness.player import bech32m

_VERSION = b"\x01"
_PREFIX_SIZE = 4
_GAME = re.compile(r"[a-z0-9-]{1,32}")
HEAD_SIZE = 1 + _PREFIX_SIZE + 6
"""Bytes of a code before its seeds."""


class NewerCode(Unknown):
    """A round code of a later version: its checksum holds, and nothing more can be said of it."""


def refusal(text: str) -> ForedrawError | None:
    """Return why a text is no code of this version; `NewerCode` if it is one of a later version."""
    try:
        RoundCode.parse(text)
    except (CheckFailed, Malformed, NewerCode) as error:
        return error
    return None


@dataclass(frozen=True, slots=True)
class RoundCode:
    """A game's name, the first 4 bytes of a table's id, a round of it, and the round's seeds."""

    game: str
    table_prefix: bytes
    round_number: int
    seeds: tuple[bytes, ...]

    def __post_init__(self) -> None:
        if not 1 <= self.round_number < U48_LIMIT:
            raise Malformed("round code", expected="a round from 1", found=self.round_number)
        if not 1 <= len(self.seeds) <= MOST_CUSTODIANS:
            raise Malformed("round code", expected=f"1 to {MOST_CUSTODIANS} seeds", found=len(self.seeds))
        if len(self.table_prefix) != _PREFIX_SIZE or {len(seed) for seed in self.seeds} != {SEED_SIZE}:
            msg = f"a round code has {_PREFIX_SIZE} bytes of a table's id, and seeds of {SEED_SIZE} bytes"
            raise ValueError(msg)

    def __str__(self) -> str:
        payload = _VERSION + self.table_prefix + u48(self.round_number) + b"".join(self.seeds)
        return bech32m.encode(self.game, payload)

    @classmethod
    def of(cls, game: str, table_id: bytes, round_number: int, seeds: list[bytes]) -> Self:
        """Return the code of a round that has ended."""
        return cls(game, table_id[:_PREFIX_SIZE], round_number, tuple(seeds))

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read a code as it was typed; nothing is trimmed.

        Raises `CheckFailed` (`CODE_CHECKSUM`) for a typing error, `Malformed` for text that is not a code, and
        `NewerCode`.
        """
        game, payload = bech32m.decode(text)
        if not _GAME.fullmatch(game):
            raise Malformed("round code", expected="a game's name of a-z, 0-9 and -", found=game)
        if payload[:1] > _VERSION:
            raise NewerCode([str(payload[0])])
        if payload[:1] != _VERSION:
            raise Malformed("round code", expected="version 1", found=payload[:1].hex() or "nothing")
        seeds = payload[HEAD_SIZE:]
        if len(payload) < HEAD_SIZE or len(seeds) % SEED_SIZE:
            raise Malformed("round code", expected="whole seeds of 32 bytes", found=f"{len(payload)} bytes")
        return cls(
            game,
            payload[1 : 1 + _PREFIX_SIZE],
            int.from_bytes(payload[1 + _PREFIX_SIZE : HEAD_SIZE], "big"),
            tuple(seeds[at : at + SEED_SIZE] for at in range(0, len(seeds), SEED_SIZE)),
        )
