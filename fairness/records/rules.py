"""What must hold of records, whoever reads them: replay, or the check of one round (SPEC 4.3 to 4.6).

Each function is one rule, or two that need the same things. It knows only what it is given, changes nothing, and
raises `CheckFailed` if the rule is broken; the record's index is for the caller to add.
"""

from __future__ import annotations

from collections.abc import Sequence, Sized

from msgspec import UNSET

from fairness.beacon.bls import SIGNATURE_SIZE, InvalidSignature
from fairness.beacon.chain import Beacons
from fairness.beacon.pulse import verify_pulse
from fairness.checks import Check
from fairness.draws.game import Game, Games, Rules, RulesRefused, is_known
from fairness.draws.stream import Stream
from fairness.errors import CheckFailed, Malformed
from fairness.hashing import parse_hex
from fairness.limits import LARGEST_LEAD, LONGEST_WAIT, MOST_PENDING_BATCHES
from fairness.records.record import BatchRecord, LockRecord, RevealRecord, SaltRecord, TableRecord
from fairness.times import milliseconds

UNSALTED = "none"
"""The salt of a table that has none."""


def require(holds: bool, check: Check, expected: object, found: object) -> None:  # noqa: FBT001 -- it reads as an assertion
    """Raise `CheckFailed` unless ``holds``."""
    if not holds:
        raise CheckFailed(check, expected=expected, found=found)


def check_table(record: TableRecord, origin: str, games: Games) -> Game:
    """Check that a table names its log, its game is known by name or declared, and it keeps at least the game's lead;
    returns the game.
    """
    game = _game_of(record, games)
    require(record.log == origin, Check.TABLE_ORIGIN, origin, record.log)
    leads = f"{game.lead} to {LARGEST_LEAD}"
    require(game.lead <= record.lead <= LARGEST_LEAD, Check.TABLE_LEAD, leads, record.lead)
    require(_names_beacon(record.salt), Check.TABLE_SALT, "none, quicknet, or a chain hash", record.salt)
    return game


def _game_of(record: TableRecord, games: Games) -> Game:
    if not record.declaration_text and record.game not in games:
        expected = f"a declaration, because the game is none of {sorted(games)}"
        raise CheckFailed(Check.TABLE_DECLARATION, expected=expected, found=f"{record.game} without one")
    try:
        return games.of(record)
    except Malformed as error:
        raise CheckFailed(Check.TABLE_DECLARATION, expected=error.expected, found=error.found) from error


def _names_beacon(salt: str) -> bool:
    if salt in {UNSALTED, "quicknet"}:
        return True
    try:
        parse_hex(salt)
    except Malformed:
        return False
    return True


def check_time(time: str, latest: str) -> None:
    """Check that the time of a record is not before the ``latest`` of its table's records that stand before it."""
    if time < latest:
        raise CheckFailed(Check.TIME_ORDER, expected=f"{latest} or later", found=time)


def check_follows(record: BatchRecord, *, number: int, through: int, previous_id: bytes) -> None:
    """Check that a batch follows the batch ``number``, which ends with the round ``through``."""
    require(record.batch == number + 1, Check.BATCH_NUMBER, number + 1, record.batch)
    require(record.first == through + 1, Check.BATCH_FIRST, through + 1, record.first)
    require(record.previous == previous_id.hex(), Check.BATCH_PREVIOUS, previous_id.hex(), record.previous)


def check_custodians(record: BatchRecord, custodians: int) -> None:
    """Check that a batch has one anchor and one commitments root for each custodian."""
    if len(record.anchors) != custodians or len(record.commitments) != custodians:
        found = f"{len(record.anchors)} anchors, {len(record.commitments)} roots"
        raise CheckFailed(Check.BATCH_CUSTODIANS, expected=f"{custodians} of each", found=found)


def check_pending(batches: int) -> None:
    """Check that not too many batches of a table have rounds that have not ended."""
    require(batches <= MOST_PENDING_BATCHES, Check.BATCH_PENDING, f"at most {MOST_PENDING_BATCHES}", batches)


def check_rules(record: BatchRecord, game: Game) -> None:
    """Check that a batch's rules are exactly the parameters of its game's version. What is newer than this program is
    not checked.
    """
    if not is_known(game, record.rules):
        return
    try:
        game.check_rules(record.rules)
    except RulesRefused as error:
        raise CheckFailed(Check.BATCH_RULES, expected=str(error), found=record.rules) from error


def check_beacon(record: BatchRecord, salt: str, beacons: Beacons) -> None:
    """Check that a batch names a pulse of the hour after it was committed, exactly if its table has a ``salt``.

    The pulse's time is not checked if its beacon is unknown.
    """
    if record.beacon is UNSET:
        require(salt == UNSALTED, Check.BATCH_BEACON, "a round of the beacon, because the table has a salt", "none")
        return
    require(salt != UNSALTED, Check.BATCH_BEACON, "no beacon, because the table has no salt", record.beacon)
    beacon = beacons.get(salt)
    if beacon is None:
        return
    wait = 1000 * beacon.time_of(record.beacon) - milliseconds(record.committed)
    if not 0 < wait <= 1000 * LONGEST_WAIT:
        expected = f"a round of the beacon whose time is after {record.committed}, by {LONGEST_WAIT} seconds at most"
        found = f"round {record.beacon}, {wait} ms after it"
        raise CheckFailed(Check.BATCH_BEACON, expected=expected, found=found)


def check_salt(record: SaltRecord, number: int, salt: str, beacons: Beacons) -> None:
    """Check that a salt is pulse ``number`` of the beacon that the table's ``salt`` names, and not published before
    its time.

    Nothing is checked if the beacon is unknown.
    """
    beacon = beacons.get(salt)
    if beacon is None:
        return
    pulse = 1000 * beacon.time_of(number)
    if milliseconds(record.salted) < pulse:
        expected = f"{pulse} ms since 1970 or later, when round {number} of the beacon can be signed"
        found = f"{record.salted}, {pulse - milliseconds(record.salted)} ms before"
        raise CheckFailed(Check.SALT_TIME, expected=expected, found=found)
    if len(record.signature) != 2 * SIGNATURE_SIZE:
        expected, found = f"{2 * SIGNATURE_SIZE} hexadecimal digits", f"{len(record.signature)}"
        raise CheckFailed(Check.SALT_SIGNATURE, expected=expected, found=found)
    try:
        verify_pulse(beacon, number, bytes.fromhex(record.signature))
    except InvalidSignature as error:
        expected = f"the signature of round {number} of the beacon {beacon.id}"
        raise CheckFailed(
            Check.SALT_SIGNATURE, expected=expected, found=f"{record.signature}, which {error}"
        ) from error


def check_opened(record: LockRecord, fixed: str, created: str | None = None) -> None:
    """Check that a round was not opened after its lock, nor before its table was ``created``, nor before the rounds
    of its lead were ``fixed``.
    """
    if record.opened is UNSET:
        return
    if created is not None and record.opened < created:
        raise CheckFailed(Check.LOCK_OPENED, expected=f"{created} or later", found=record.opened)
    if record.opened > record.locked:
        raise CheckFailed(Check.LOCK_OPENED, expected=f"{record.locked} or earlier", found=record.opened)
    if record.opened < fixed:
        raise CheckFailed(Check.LEAD_OPENED, expected=f"{fixed} or later", found=record.opened)


def check_digest(record: LockRecord) -> None:
    """Check that the lock of a round that is played has a digest of its bets: a rule of the tables that require
    it.
    """
    if record.bets is UNSET and not record.given_up:
        raise CheckFailed(Check.BETS_REQUIRED, expected="a digest of the bets", found="none")


def check_ending(record: RevealRecord, *, given_up: bool) -> None:
    """Check that a round that was given up ends void; and the reason of a void round stands once: in its lock, or
    else here.
    """
    void = record.status == "void"
    if given_up and not void:
        raise CheckFailed(Check.REVEAL_GIVEN_UP, expected="void", found=record.status)
    if (record.reason is not UNSET) != (void and not given_up):
        expected = "no reason" if record.reason is not UNSET else "a reason"
        raise CheckFailed(Check.REVEAL_REASON, expected=expected, found=record.reason)


def check_seed_count(seeds: Sized, custodians: int) -> None:
    """Check that there is one seed for each custodian."""
    if len(seeds) != custodians:
        raise CheckFailed(Check.SEED_COUNT, expected=custodians, found=len(seeds))


def check_outcome(
    record: RevealRecord, seeds: Sequence[bytes], batch_context: bytes, rules: Rules, game: Game
) -> None:
    """Check that the outcome of a round is what the rules of its batch make of its seeds. What is newer than this
    program is not checked.
    """
    if not is_known(game, rules):
        return
    outcome = game.outcome(Stream(seeds, batch_context, record.round), rules)
    if outcome != record.outcome:
        raise CheckFailed(Check.OUTCOME, expected=outcome, found=record.outcome)
