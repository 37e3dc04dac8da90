"""About one lie for every rule on records, told in a log, and in the proof file of its round if that shows it,
too.
"""

from __future__ import annotations

from fairness.checks import Check
from tests.lies import Lie
from tests.lies.catalogue import LIES
from tests.recipes.cases.shortened import short
from tests.recipes.cases.told import BETS, BIASED, CHANGED, CHOSEN, LATE, PEEK, RULES, SKIPPED, TWO_FACES, Told, below

_LIES: tuple[tuple[str, str | None], ...] = (
    ("a key twice, different", None),
    ("a count that is true", None),
    ("a time that is hour 24", None),
    ("a custodian twice", None),
    ("nine custodians", None),
    ("a batch of 65537 rounds", None),
    ("a reason of 201 characters", None),
    ("bets on a round that is given up", BETS),
    ("neither opened nor given up", None),
    ("committed before the last record", LATE),
    ("locked before the round before ended", None),
    ("revealed before it was locked", None),
    ("a lock of no table", None),
    ("a table's name twice, for another game", TWO_FACES),
    ("the name of a table that is closed", None),
    ("a table of another log", TWO_FACES),
    ("a lead below that of crash", LATE),
    ("a lead above 1000", None),
    ("a salt that is no beacon", CHOSEN),
    ("an end twice", None),
    ("a lock after the end", None),
    ("a batch after the close", None),
    ("a close twice", None),
    ("a batch's number skipped", None),
    ("a batch that overlaps the last one", CHOSEN),
    ("a batch written twice", CHOSEN),
    ("a batch after another table's", None),
    ("an anchor too few", None),
    ("a root too few", None),
    ("an anchor twice", PEEK),
    ("a 65th batch with rounds to play", None),
    ("an rtp of 0", RULES),
    ("an rtp above 100 percent", RULES),
    ("a cap of 1.00", RULES),
    ("a cap above ten million", RULES),
    ("a parameter for a game that has none", RULES),
    ("crash with a parameter more", RULES),
    ("crash of version 0", RULES),
    ("a game that has neither a name nor a declaration", None),
    ("a declaration that is nested too deep", None),
    ("more balls than the drum has", RULES),
    ("a card of another suit", CHANGED),
    ("a beacon where there is no salt", CHOSEN),
    ("a salt that no batch awaits", CHOSEN),
    ("a batch that names no beacon", CHOSEN),
    ("a batch that names a pulse that is known", CHOSEN),
    ("a batch that names a pulse after more than an hour", CHOSEN),
    ("a pulse of another round", CHOSEN),
    ("a pulse of another beacon", CHOSEN),
    ("infinity as a pulse", CHOSEN),
    ("a pulse with the bit of infinity", CHOSEN),
    ("a pulse with a point of small order added", CHOSEN),
    ("a salt before its pulse", CHOSEN),
    ("a salt twice", CHOSEN),
    ("a lock before the salt", LATE),
    ("a round opened before the salt", LATE),
    ("an outcome without the salt", CHANGED),
    ("a salt after its table's close", None),
    ("a round skipped", SKIPPED),
    ("a given-up round skips one", SKIPPED),
    ("a lock before the last reveal", SKIPPED),
    ("a locked round given up", SKIPPED),
    ("no digest where bets are required", BETS),
    ("opened after its lock", None),
    ("opened before the table was made", None),
    ("a round played before anything is committed", LATE),
    ("a round played without its lead", LATE),
    ("a round given up without its lead", LATE),
    ("a lead longer than the game's, not kept", LATE),
    ("a lead emptied by rounds given up in a row", LATE),
    ("opened before the whole lead was committed", LATE),
    ("a given-up round opened before its lead was committed", LATE),
    ("a round revealed twice", CHANGED),
    ("the next round revealed", SKIPPED),
    ("a given-up round played", SKIPPED),
    ("void without a reason", SKIPPED),
    ("played with a reason", None),
    ("a seed too few", CHANGED),
    ("a seed of no chain", CHANGED),
    ("a batch chained for another table", CHANGED),
    ("a chain used twice", PEEK),
    ("a false seed of a given-up round", SKIPPED),
    ("a false outcome of crash", CHANGED),
    ("a false outcome of a void round", SKIPPED),
    ("an outcome by other rules", RULES),
    ("an outcome by one custodian alone", BIASED),
    ("a false outcome of hi-lo", BIASED),
    ("a false root, found when its batch ends", CHANGED),
    ("a false root, found at the close amid its batch", CHANGED),
    ("an end while a round is locked", SKIPPED),
    ("a close before the end", None),
    ("a close that leaves out the first batch", SKIPPED),
    ("a close with a batch that was never committed", None),
    ("a close with false seeds of a batch not begun", CHANGED),
    ("bets with a short root", BETS),
)
"""About one lie for every rule of SPEC's table of checks on records, with the cheat that it serves."""

_IN_A_PROOF: dict[str, Check] = {
    "a key twice, different": Check.RECORD_FORM,
    "a count that is true": Check.RECORD_FORM,
    "a time that is hour 24": Check.RECORD_FORM,
    "a reason of 201 characters": Check.RECORD_FORM,
    "bets on a round that is given up": Check.RECORD_FORM,
    "bets with a short root": Check.RECORD_FORM,
    "neither opened nor given up": Check.RECORD_FORM,
    "revealed before it was locked": Check.TIME_ORDER,
    "opened after its lock": Check.LOCK_OPENED,
    "opened before the table was made": Check.LEAD_OPENED,
    "no digest where bets are required": Check.BETS_REQUIRED,
    "a round skipped": Check.ROUND_RECORDS,
    "a given-up round skips one": Check.ROUND_RECORDS,
    "the next round revealed": Check.ROUND_RECORDS,
    "a given-up round played": Check.REVEAL_GIVEN_UP,
    "void without a reason": Check.REVEAL_REASON,
    "played with a reason": Check.REVEAL_REASON,
    "a seed too few": Check.SEED_COUNT,
    "a seed of no chain": Check.COMMITMENT,
    "a chain used twice": Check.COMMITMENT,
    "a false seed of a given-up round": Check.COMMITMENT,
    "a false root, found when its batch ends": Check.COMMITMENT,
    "a false outcome of crash": Check.OUTCOME,
    "a card of another suit": Check.OUTCOME,
    "a false outcome of hi-lo": Check.OUTCOME,
    "a false outcome of a void round": Check.OUTCOME,
    "an outcome by other rules": Check.OUTCOME,
    "an outcome by one custodian alone": Check.OUTCOME,
    "an outcome without the salt": Check.OUTCOME,
}
"""The lies that their round's proof file also shows, and by which check: it reads a few records, replay all."""

NAMED: dict[str, Lie] = {lie.name: lie for lie in LIES}


def about_records() -> list[Told]:
    cases = []
    for name, cheat in _LIES:
        lie = NAMED[name]
        made = short(lie)
        files = below("log", made.log.files())
        shown = _IN_A_PROOF.get(name)
        if shown is not None:
            files["round.proof"] = made.proof()
        cases.append(Told(name, cheat, files, [["audit", "log"]], lie.check, made.index, in_proof=shown))
    return cases
