"""The dishonest operator's cases: a folder each, with what it signed and what every verifier must say.

``python -m tests.recipes`` writes ``tests/cases``. A lie about records is among the records of its own table
and of a bystander; a lie about files is in a log of a few rounds.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path

from msgspec import to_builtins

from fairness.checks import MEANING, Check
from fairness.draws.commitments import commitments_path
from fairness.hashing import leaf_hash, sha256
from fairness.log.checkpoints import Checkpoint
from fairness.log.fork import Fork
from fairness.log.merkle_proofs import inclusion_path
from fairness.log.notes import SigningKey
from fairness.log.proof import Inclusion
from fairness.log.tiles import AuthenticTiles, root_from_edge
from fairness.player.bets import digest, receipts
from fairness.player.round_code import RoundCode
from fairness.policy.witnessed import witnessed_path
from fairness.records.record import table_and_type
from fairness.round.finding_aids import RoundPositions, rounds_path
from fairness.round.proof import ProvenCommitment, ProvenRecord, RoundProof
from fairness.times import milliseconds
from tests.house import HOUSE
from tests.lies import Lie, started_salted
from tests.lies import proofs as proof_lies
from tests.lies.batches import lead_in_batches
from tests.lies.catalogue import LIES, told
from tests.lies.witnessed import LEGAL as TRUE_FILES
from tests.lies.witnessed import LIES as FALSE_FILES
from tests.lies.witnessed import Log
from tests.recipes import Json
from tests.support.codes import code_of
from tests.support.dishonest_operator import KEY, ORIGIN, Operator, Table
from tests.support.proofs import proof_from, proof_of
from tests.support.witnessed import POLICY, SALTED_BY, pulse_time, salted_operator, witnessed_file, witnessed_log
from tests.support.witnesses import LAB, NOON, PRESS, REGULATOR, cosigned, policy_text
from verifier.audit.bundle_times import own_time
from verifier.sentences import NotChecked, Unknown

FOLDER = HOUSE / "tests" / "cases"
VKEY = str(KEY.verifier_key)
_LOOKS_ON = "sic-bo-1"

CHANGED = "change the outcome after the bets"
LATE = "commit late, after seeing the bets"
TWO_FACES = "show different commitments to different people; rewrite history"
SKIPPED = "skip, hang or void the rounds that would cost money"
RULES = "change the game's rules, edge or cap afterwards"
CHOSEN = "try many seeds and keep a favourable batch"
PEEK = "peek at outcomes fixed ahead, and bet on them (insider)"
BETS = "add or drop bets once the outcome is known"
BIASED = "biased or lossy mapping from seed to outcome"
TRUSTING = "a verifier that trusts the operator"
CHEATS = (CHANGED, LATE, TWO_FACES, SKIPPED, RULES, CHOSEN, PEEK, BETS, BIASED, TRUSTING)
"""The cheats that the design answers, each shown by at least one case."""


@dataclass(frozen=True)
class Told:
    """One folder of ``tests/cases``."""

    what: str
    cheat: str | None
    files: dict[str, bytes]
    """The files by their paths in the folder."""
    commands: list[list[str]]
    """The commands to run in the folder, in order, each with `trust` and ``--json``; all but the last hold."""
    check: Check | None = None
    """The check that fails; `None` if the log can only make the cheat visible."""
    record: int | None = None
    in_proof: Check | None = None
    """The check that fails, at the same record, in the round's proof file, if that also shows the lie."""
    tells: Json = field(default_factory=dict)
    """Keys and values that the last verdict must contain."""

    @property
    def name(self) -> str:
        """``<check>_<what>_fail``, or ``<what>_told`` if no check can fail."""
        what = self.what.replace(",", "").replace("'", "").replace(" ", "-")
        return f"{what}_told" if self.check is None else f"{self.check.value}_{what}_fail"

    @property
    def trust(self) -> list[str]:
        """The arguments that say whom to believe: the file ``policy``, if there is one, or the log's key."""
        return ["--policy", "policy"] if "policy" in self.files else ["--key", VKEY]

    @property
    def expected(self) -> Json:
        """``expected.json``: what happened, what to run, and the verdict."""
        expected: Json = {"what": self.what, "cheat": self.cheat, "key": VKEY, "commands": self.commands}
        expected |= {"policy": "policy"} if "policy" in self.files else {}
        if self.check is None:
            return expected | {"status": 6 if "unknown" in self.tells else 0, "tells": self.tells}
        verdict = {"status": 3, "check": self.check.value, "meaning": MEANING[self.check], "record": self.record}
        proof = {"proof": {"check": self.in_proof.value, "record": self.record}} if self.in_proof else {}
        return expected | verdict | proof

    def all_files(self) -> dict[str, bytes]:
        """Everything in the folder."""
        return self.files | {"expected.json": (json.dumps(self.expected, indent=1) + "\n").encode()}


def _below(folder: str, files: dict[str, bytes]) -> dict[str, bytes]:
    return {f"{folder}/{path}": data for path, data in files.items()}


@dataclass(frozen=True)
class Short:
    """A log with a lie, without the tables that are not concerned."""

    log: Operator
    index: int
    """The index of the lie."""
    books: Table | None
    """The operator's state of the table that the lie is about, if it made one."""
    where: dict[int, int]
    """From positions in the operator's log to positions in this one."""

    def proof(self) -> bytes:
        """The proof file of the table's last round, whatever its records contain."""
        if self.books is None:
            raise ValueError("a lie about no table")
        table, number = self.books, self.books.round
        _, batch = table.batch_of(number)
        checkpoint = self.log.files()["checkpoint"]
        leaves, place = [leaf_hash(data) for data in self.log.records], number - batch.first

        def proven(position: int) -> ProvenRecord:
            index = self.where[position]
            return ProvenRecord(self.log.records[index], Inclusion(index, tuple(inclusion_path(leaves, index))))

        def promised(digests: list[bytes]) -> ProvenCommitment:
            path = inclusion_path([leaf_hash(digest) for digest in digests], place)
            return ProvenCommitment(digests[place], Inclusion(place, tuple(path)))

        witness = max(1, number - table.lead)
        proof = RoundProof(
            table.name,
            number,
            table=proven(table.index),
            batch=proven(batch.index),
            salt=proven(batch.salted) if batch.salted else None,
            lead_lock=proven(table.locks[witness]) if witness != number else None,
            lock=proven(table.locks[number]),
            reveal=proven(table.reveals[number]) if number in table.reveals else None,
            commitments=tuple(map(promised, batch.digests)),
            checkpoint=checkpoint,
        )
        return bytes(proof)


def short(lie: Lie) -> Short:
    """Tell a lie, and keep only the records of its own table and of a bystander."""
    operator, index = told(lie)
    found = table_and_type(operator.records[index])
    name = found[0] if found else "keno-1"
    log, where = Operator(), dict[int, int]()
    for position, data in enumerate(operator.records):
        owner = table_and_type(data)
        if position == index or (owner is not None and owner[0] in {name, _LOOKS_ON}):
            where[position] = log.append(data)
    return Short(log, where[index], operator.tables.get(name), where)


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


def _about_records() -> list[Told]:
    cases = []
    for name, cheat in _LIES:
        lie = NAMED[name]
        made = short(lie)
        files = _below("log", made.log.files())
        shown = _IN_A_PROOF.get(name)
        if shown is not None:
            files["round.proof"] = made.proof()
        cases.append(Told(name, cheat, files, [["audit", "log"]], lie.check, made.index, in_proof=shown))
    return cases


BET_LINES = [f"{number:032x} {number} on red".encode() for number in range(3)]


def _small() -> Operator:
    """One table of Keno Express: six rounds are committed, two were played, the second with three bets."""
    operator = Operator()
    operator.table("keno-1", "keno-express")
    operator.batch("keno-1", 6)
    operator.play("keno-1")
    operator.lock("keno-1", bets=to_builtins(digest(BET_LINES)))
    operator.reveal("keno-1")
    return operator


def _code(operator: Operator, number: int = 2) -> RoundCode:
    table = operator.tables["keno-1"]
    return RoundCode.of(table.game, table.table_id, number, table.seeds_of(number))


def _flip(data: bytes, at: int = 0) -> bytes:
    return data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :]


def _about_files() -> list[Told]:
    operator = _small()
    honest = operator.files()
    head = Checkpoint.open(honest["checkpoint"], KEY.verifier_key)
    batch = operator.tables["keno-1"].batches[0]
    promised = commitments_path(batch.batch_id)
    audit = [["audit", "log"]]

    def false(
        what: str, check: Check, changes: dict[str, bytes], cheat: str | None = TRUSTING, record: int | None = None
    ) -> Told:
        return Told(what, cheat, _below("log", honest | changes), audit, check, record)

    def headed(what: str, check: Check, note: bytes) -> Told:
        return false(what, check, {"checkpoint": note})

    without = {path: data for path, data in honest.items() if path != promised}
    stranger = SigningKey(ORIGIN, sha256(b"somebody else's key"))
    tile, bundle = f"tile/0/000.p/{head.size}", f"tile/entries/000.p/{head.size}"
    return [
        headed("no line feed at its end", Check.NOTE_FORM, head.sign(KEY)[:-1]),
        headed("signed by somebody else", Check.NOTE_SIGNATURE, head.sign(stranger)),
        headed(
            "another size under the same signature",
            Check.NOTE_SIGNATURE,
            honest["checkpoint"].replace(b"\n%d\n" % head.size, b"\n%d\n" % (head.size - 1)),
        ),
        headed("an extension line", Check.CHECKPOINT_FORM, KEY.sign(f"{head}an extension\n")),
        headed(
            "another log", Check.CHECKPOINT_ORIGIN, Checkpoint("other.example/log", head.size, head.root).sign(KEY)
        ),
        headed("another root, signed", Check.TILE, Checkpoint(ORIGIN, head.size, sha256(head.root)).sign(KEY)),
        false("a changed hash", Check.TILE, {tile: _flip(honest[tile])}),
        false("a changed record", Check.BUNDLE, {bundle: _flip(honest[bundle], 40)}, CHANGED, 0),
        false(
            "other commitments than promised",
            Check.COMMITMENTS_FILE,
            {promised: _flip(honest[promised], 100)},
            TWO_FACES,
            batch.index,
        ),
        Told(
            "commitments that nobody can read",
            TWO_FACES,
            _below("log", without),
            audit,
            Check.COMMITMENTS_FILE,
            batch.index,
        ),
    ]


def _about_histories() -> list[Told]:
    """What only somebody can see who saw the log before."""
    before, rewritten, cut = _small(), Operator(), Operator()
    before.play("keno-1")
    rewritten.table("keno-1", "keno-express", ["another"])
    rewritten.batch("keno-1", 12)
    rewritten.play("keno-1", 5)
    cut.table("keno-1", "keno-express")
    cut.batch("keno-1", 6)
    steps = [["audit", "before", "--state", "seen"], ["audit", "log", "--state", "seen"]]
    return [
        *(
            Told(
                what,
                TWO_FACES,
                _below("before", before.files()) | _below("log", after.files()),
                steps,
                Check.LOG_EXTENDS,
            )
            for what, after in (("rewritten history", rewritten), ("a log that shrank", cut))
        ),
        Told(
            "two people are shown two logs",
            TWO_FACES,
            _below("one", before.files()) | _below("other", rewritten.files()),
            [["compare", "one", "other"]],
            Check.LOG_EXTENDS,
            0,
        ),
        *_about_evidence(_records_only(before), _records_only(rewritten)),
    ]


def _records_only(operator: Operator) -> AuthenticTiles:
    files = operator.files()
    return AuthenticTiles(Checkpoint.open(files["checkpoint"], KEY.verifier_key), files.__getitem__)


def _about_evidence(one: AuthenticTiles, other: AuthenticTiles) -> list[Told]:
    """Evidence of a fork, which convinces anybody with the key, and false evidence, which does not."""
    smaller, larger = sorted((one, other), key=lambda tiles: tiles.checkpoint.size)
    size = smaller.checkpoint.size
    begun = root_from_edge(larger.prefix_edge(size))
    hashes = (begun, *larger.consistency_path(size))
    notes = smaller.checkpoint.sign(KEY), larger.checkpoint.sign(KEY)
    honest = Checkpoint(ORIGIN, size, begun).sign(KEY)

    def shown(what: str, check: Check | None, evidence: bytes, tells: Json | None = None) -> Told:
        return Told(what, TWO_FACES, {"fork.txt": evidence}, [["evidence", "fork.txt"]], check, tells=tells or {})

    fork = Fork(*notes, hashes)
    proven = {"smaller": {"size": size}, "larger": {"size": larger.checkpoint.size}, "root_in_larger": begun.hex()}
    return [
        shown("a proven fork", None, bytes(fork), proven),
        shown("evidence that was respelled", Check.FORK_FORM, bytes(fork) + b"\n"),
        shown("a proof that fails", Check.FORK_PROOF, bytes(Fork(*notes, (*hashes[:-1], begun)))),
        shown("a proof of consistency", Check.FORK_ROOTS, bytes(Fork(honest, notes[1], hashes))),
    ]


def _about_witnesses() -> list[Told]:
    """What a policy refuses, or tells, although the log's own key signed it."""
    operator, other = _small(), _small()
    honest, grown = operator.files(), other.play("keno-1").files()
    note, later = honest["checkpoint"], grown["checkpoint"]
    policy = {"policy": policy_text(KEY.verifier_key)}
    fork = _fork(operator)

    def audited(what: str, check: Check | None, head: bytes, tells: Json | None = None) -> Told:
        log = _below("log", honest | {"checkpoint": head})
        return Told(what, TWO_FACES, policy | log, [["audit", "log"]], check, tells=tells or {})

    only_one = cosigned(note, LAB)
    proof = bytes(proof_of(operator, "keno-1", 2)).replace(note, only_one)
    halves = cosigned(note, LAB, PRESS)
    return [
        audited("a log that one of two witnesses saw", Check.CHECKPOINT_QUORUM, only_one),
        audited("a log that one witness saw twice", Check.CHECKPOINT_QUORUM, only_one + LAB.line(note, NOON + 60)),
        audited("a line of a witness under another head", Check.NOTE_SIGNATURE, halves + REGULATOR.line(later)),
        Told(
            "a proof of a log that one of two witnesses saw",
            TWO_FACES,
            policy | {"round.proof": proof},
            [["proof", "round.proof"]],
            Check.CHECKPOINT_QUORUM,
        ),
        audited(
            "two witnesses, and the hours are still the operator's",
            None,
            halves,
            {
                "witnessed": {
                    "shared": 1,
                    "witnesses": [{"name": "lab", "time": NOON}, {"name": "press", "time": NOON}],
                },
                "not_checked": [NotChecked.WITNESSED.fill(shared=1)],
            },
        ),
        Told(
            "a quorum whose halves share no witness",
            TWO_FACES,
            {"policy": policy_text(KEY.verifier_key, asked="any")} | _below("log", honest | {"checkpoint": only_one}),
            [["audit", "log"]],
            tells={"witnessed": {"shared": 0}, "not_checked": [NotChecked.WITNESSED_APART]},
        ),
        Told(
            "a witness that cosigned both sides of a fork",
            TWO_FACES,
            policy
            | {
                "fork.txt": bytes(Fork(cosigned(fork.smaller, LAB, PRESS), cosigned(fork.larger, PRESS), fork.hashes))
            },
            [["evidence", "fork.txt"]],
            tells={"cosigned_both": ["press"]},
        ),
    ]


def _about_witnessed() -> list[Told]:
    """Batches that were not witnessed before their pulses; with the key alone, all of these logs are legal."""
    log = Log(salted_operator().play("salty-1", 3))
    policy, index, table_id = {"policy": POLICY}, log.batch.index, log.operator.tables["salty-1"].table_id

    def audited(
        what: str, files: dict[str, bytes], check: Check | None, record: int | None = None, tells: Json | None = None
    ) -> Told:
        given = policy | _below("log", files)
        return Told(what, CHOSEN, given, [["audit", "log"]], check, record, tells=tells or {})

    def proof(data: bytes | None, number: int) -> bytes:
        return bytes(proof_from(log.files(data), table_id, number))

    def proven(what: str, data: bytes, check: Check | None) -> Told:
        at = index if check is Check.BATCH_WITNESSED else None
        return Told(what, CHOSEN, policy | {"round.proof": data}, [["proof", "round.proof"]], check, at)

    late, good = log.seen(log.pulse - 9), proof(log.honest(), 5)
    section = b"witnessed\n" + log.honest() + b"\n"
    another = next(lie for lie in FALSE_FILES if lie.name == "the file of another batch").make(log)
    code = code_of(log.operator, "salty-1", 5)
    plain = bytes(proof_of(_small(), "keno-1", 2))
    unsalted = plain.replace(b"\n\nlock\n", b"\n\n" + section + b"lock\n")
    unsigned = good.replace(section, section.partition(b"\n\n\xe2")[0] + b"\n\n\n\n")
    gap = good.replace(b"\n\ncheckpoint\n", b"\n\ncheckpoint\n\n")
    spare, slow = salted_operator(), salted_operator()
    spare.table("spare-1", "keno-express", salted_by=SALTED_BY)
    spare.batch("spare-1", 4)
    unplayed = spare.tables["spare-1"].batches[0]
    seen_late = witnessed_file(spare.records, unplayed.index, pulse_time(spare, unplayed) - 9)
    # After the last salt its clock is set back by twenty seconds.
    slow.rest(-20 / 3600)
    slow.play("sic-bo-1")
    behind = {"milliseconds": 8000, "record": slow.tables["sic-bo-1"].locks[1]}
    ahead = {"milliseconds": 4000, "record": index}
    early = milliseconds(own_time(log.operator.records[index])) // 1000 - 5
    told = {"witnessed_files": 2, "clock": {"slow": None}, "not_checked": [NotChecked.SALT_WITNESSED]}
    return [
        *(
            audited(lie.name, log.files(lie.make(log)), lie.check, None if lie.check is Check.LOG_EXTENDS else index)
            for lie in FALSE_FILES
        ),
        *(audited(f"a batch with {each.name}", log.files(each.make(log)), None, tells=told) for each in TRUE_FILES),
        audited(
            "a batch that is never played, and was seen too late",
            witnessed_log(spare) | {witnessed_path(unplayed.batch_id): seen_late},
            Check.BATCH_WITNESSED,
            unplayed.index,
        ),
        audited("a table that was never played", witnessed_log(spare), None, tells={"never_played": ["spare-1"]}),
        proven("a proof without what witnesses saw", good.replace(section, b""), Check.BATCH_WITNESSED),
        proven("a proof of a batch that was seen too late", proof(late, 5), Check.BATCH_WITNESSED),
        proven("a proof with the file of another batch", proof(another, 5), Check.BATCH_WITNESSED),
        proven("a proof of a witnessed batch", good, None),
        proven("a section witnessed where there is no salt", unsalted, Check.PROOF_FORM),
        proven("a section witnessed without signatures", unsigned, Check.PROOF_FORM),
        proven("a checkpoint below an empty line", gap, Check.PROOF_FORM),
        audited("a clock that was set back", witnessed_log(slow), None, tells={"clock": {"slow": behind}}),
        audited("a clock that was fast", log.files(log.seen(early)), None, tells={"clock": {"fast": ahead}}),
        Told(
            "a code of a batch that was seen too late",
            CHOSEN,
            policy | _below("log", log.files(late)),
            [["code", str(code), "--log", "log"]],
            Check.BATCH_WITNESSED,
            index,
        ),
    ]


def _fork(operator: Operator) -> Fork:
    """Evidence that this log's key signed another one, too, which has one record more."""
    other = Operator()
    other.table("keno-1", "keno-express", ["another"])
    other.batch("keno-1", 12)
    other.play("keno-1", 5)
    smaller, larger = sorted((_records_only(operator), _records_only(other)), key=lambda tiles: tiles.checkpoint.size)
    size = smaller.checkpoint.size
    hashes = (root_from_edge(larger.prefix_edge(size)), *larger.consistency_path(size))
    return Fork(smaller.checkpoint.sign(KEY), larger.checkpoint.sign(KEY), hashes)


def _about_codes() -> list[Told]:
    operator = _small()
    files, code = operator.files(), _code(operator)
    table = operator.tables["keno-1"]
    aid = rounds_path(table.table_id, 1)
    # The finding aids give the second round the positions of the first.
    astray = files[aid][:32] + bytes(RoundPositions(table.batches[0].index, 0, table.locks[1], table.reveals[1]))

    falsely = Operator()
    falsely.table("keno-1", "keno-express")
    falsely.batch("keno-1", 6, committing=lambda custodians: [[bytes(32), *part[1:]] for part in custodians])
    falsely.play("keno-1", 2)

    many = lead_in_batches(Operator(), 65)

    def false(
        what: str,
        check: Check,
        code: object,
        cheat: str | None = None,
        changes: dict[str, bytes] | None = None,
        record: int | None = None,
    ) -> Told:
        log = _below("log", files | (changes or {}))
        return Told(what, cheat, log, [["code", str(code), "--log", "log"]], check, record)

    stranger = RoundCode(code.game, code.table_prefix, 2, (sha256(b"another seed"),))
    other = RoundCode("hi-lo", code.table_prefix, 2, code.seeds)
    return [
        false("a space before", Check.CODE_FORM, f" {code}"),
        false("a mistyped character", Check.CODE_CHECKSUM, f"{code}"[:-1] + "q"),
        false("another game", Check.CODE_GAME, other, record=table.index),
        false("another table", Check.CODE_TABLE, RoundCode(code.game, b"\0\1\2\3", 2, code.seeds)),
        false("a round that has not ended", Check.CODE_ROUND, _code(operator, 4), SKIPPED),
        false("another seed", Check.CODE_SEED, stranger, CHANGED, record=table.reveals[2]),
        false(
            "another round's records",
            Check.ROUND_RECORDS,
            code,
            CHANGED,
            {aid: astray + files[aid][64:]},
            table.locks[1],
        ),
        Told(
            "another seed's commitment, signed and published",
            CHANGED,
            _below("log", falsely.files()),
            [["code", str(_code(falsely, 1)), "--log", "log"]],
            Check.COMMITMENT,
        ),
        Told(
            "a lead in 65 batches",
            None,
            _below("log", many.files()),
            [["code", str(code_of(many, "keno-2", 1)), "--log", "log"]],
            Check.BATCH_PENDING,
            many.tables["keno-2"].batches[64].index,
        ),
    ]


def _about_bets() -> list[Told]:
    operator = _small()
    table_id, files = operator.tables["keno-1"].table_id, operator.files()

    def false(what: str, check: Check, lines: list[bytes], number: int = 2, *, record: int | None = None) -> Told:
        receipt = bytes(receipts(lines, table_id=table_id, round_number=number)[1])
        return _with_receipt(what, check, receipt, record)

    def _with_receipt(what: str, check: Check, receipt: bytes, record: int | None = None) -> Told:
        command = ["bet", "receipt.bet", "--log", "log"]
        return Told(what, BETS, _below("log", files) | {"receipt.bet": receipt}, [command], check, record)

    good = bytes(receipts(BET_LINES, table_id=table_id, round_number=2)[1])
    lock = operator.tables["keno-1"].locks[2]
    changed = [BET_LINES[0], BET_LINES[1].replace(b"red", b"black"), BET_LINES[2]]
    return [
        _with_receipt("a receipt that was respelled", Check.BET_FORM, good.replace(b"index 1", b"index 01")),
        false("a bet changed after the lock", Check.BET_DIGEST, changed, record=lock),
        false("a bet added after the lock", Check.BET_DIGEST, [*BET_LINES, b"one more"], record=lock),
        false("a bet dropped before the lock", Check.BET_DIGEST, BET_LINES[::2], record=lock),
        false("a bet on a round that was never locked", Check.BET_ROUND, BET_LINES, 5),
    ]


_PROOF_LIES: tuple[tuple[str, str | None, int | None], ...] = (
    ("a table of another log", TWO_FACES, 0),
    ("a batch that stood too late", LATE, 4),
    ("another root", CHANGED, None),
    ("commitments of other seeds", CHANGED, 9),
    ("opened before the batch", LATE, 8),
    ("a lock of another round", SKIPPED, 8),
    ("given up and played", SKIPPED, 9),
    ("void without a reason", SKIPPED, 9),
    ("a seed too many", None, 9),
    ("another anchor", CHANGED, 1),
    ("another outcome", CHANGED, 9),
)
"""Lies that a proof file shows by itself; its round's records are in a signed log."""


def _about_proofs() -> list[Told]:
    cases = []
    for name, cheat, record in _PROOF_LIES:
        check, tell = next((check, tell) for lie, check, tell in proof_lies.LIES if lie == name)
        operator = Operator()
        tell(operator)
        cases.append(_proof(f"{name}, in a proof", check, bytes(proof_lies.forged(operator)), cheat, record))
    operator = _small()
    good = bytes(proof_of(operator, "keno-1", 2))
    receipt = bytes(proof_of(operator, "keno-1", 4))
    batch_index = operator.tables["keno-1"].batches[0].index
    # The batch is written again later, and its hints point there.
    again = _small()
    again.tables["keno-1"].batches[0].index = again.append(again.records[batch_index])
    rewritten = Operator()
    rewritten.table("keno-1", "keno-express")
    rewritten.batch("keno-1", 9)
    rewritten.play("keno-1", 3)
    command = [["receipt", "round.proof", "--log", "log"]]

    def confronted(what: str, check: Check, log: Operator, record: int | None = None) -> Told:
        files = _below("log", log.files()) | {"round.proof": receipt}
        return Told(what, TWO_FACES, files, command, check, record)

    return [
        *cases,
        _proof("a section without its lock", Check.PROOF_FORM, good.replace(b"\n\nlock\n", b"\n\nlook\n"), None),
        _proof(
            "a record at another place", Check.INCLUSION, good.replace(b"index 1\n", b"index 2\n", 1), TRUSTING, 2
        ),
        confronted("a receipt of another history", Check.LOG_EXTENDS, rewritten),
        confronted("a receipt that a second record contradicts", Check.RECEIPT_KEPT, again, batch_index),
    ]


def _proof(what: str, check: Check, proof: bytes, cheat: str | None, record: int | None = None) -> Told:
    return Told(what, cheat, {"round.proof": proof}, [["proof", "round.proof"]], check, record)


def _told() -> list[Told]:
    """Cheats that break no rule, and what a verdict says about them nevertheless."""
    locked, voids, reruled, plain = _small(), _small(), Operator(), _small()
    locked.lock("keno-1")
    voids.drop("keno-1")
    voids.batch("keno-1", 6)
    voids.give_up("keno-1", was_open=True)
    voids.reveal("keno-1")
    voids.lock("keno-1")
    voids.void("keno-1")
    reruled.table("crash-1", "crash")
    reruled.batch("crash-1", 11)
    reruled.play("crash-1")
    reruled.batch("crash-1", 11, rules={"cap": 1_000_000, "rtp": 9500, "version": 1})
    # A seed shared with an insider, and a batch chosen among many, leave no trace in a log.
    audit = [["audit", "log"]]

    def told(what: str, cheat: str, operator: Operator, tells: Json) -> Told:
        return Told(what, cheat, _below("log", operator.files()), audit, tells=tells)

    lock = locked.tables["keno-1"].latest
    unfinished = {"table": "keno-1", "what": "locked-round", "since": lock, "round": 3, "batch": None}
    salted = started_salted()
    since = salted.tables["salty-1"].latest
    awaiting = {"table": "salty-1", "what": "awaits-salt", "since": since, "round": None, "batch": 3}
    rules = {"cap": 1_000_000, "rtp": 9700, "version": 1}
    newer, beyond = Operator(), _small()
    newer.table("jumps-1", "jumps", declared={"draw": [["height", "jump", 3]]})
    newer.batch("jumps-1", 4)
    newer.play("jumps-1")
    beyond.append(b'{"paused":3,"table":"keno-1","type":"pause","v":1}')
    game = Unknown.GAME.fill(table="jumps-1", what="the kind jump")
    records = Unknown.RECORDS.fill(table="keno-1", what="the record type pause")
    return [
        told("a game that is newer than the verifier", TRUSTING, newer, {"verdict": "unknown", "unknown": [game]}),
        told(
            "a record that is newer than the verifier", TRUSTING, beyond, {"verdict": "unknown", "unknown": [records]}
        ),
        told("a round that is not revealed", SKIPPED, locked, {"unfinished": [unfinished]}),
        told("void rounds", SKIPPED, voids, {"tables": [{"void": {"never_opened": 1, "opened": 1, "locked": 1}}]}),
        told(
            "rules changed",
            RULES,
            reruled,
            {"tables": [{"rules_changes": [{"batch": 2, "from": rules, "to": rules | {"rtp": 9500}}]}]},
        ),
        told("no salt against chosen seeds", CHOSEN, plain, {"not_checked": [NotChecked.NO_SALT]}),
        told("a salt whose time is the operator's word", CHOSEN, salted, {"not_checked": [NotChecked.SALT_BY_CLOCK]}),
        told("a batch that awaits its salt", SKIPPED, salted, {"unfinished": [awaiting]}),
        told("one custodian who could peek", PEEK, plain, {"not_checked": [NotChecked.ONE_CUSTODIAN]}),
        told("no witness against two faces", TWO_FACES, plain, {"not_checked": [NotChecked.NO_WITNESS]}),
    ]


CASES: list[Told] = [
    *_about_records(),
    *_about_files(),
    *_about_histories(),
    *_about_witnesses(),
    *_about_witnessed(),
    *_about_codes(),
    *_about_bets(),
    *_about_proofs(),
    *_told(),
]


def files() -> dict[Path, bytes]:
    """Every file of ``tests/cases`` by its path."""
    found = {Path(case.name, path): data for case in CASES for path, data in case.all_files().items()}
    return found | {Path("README.md"): _readme().encode()}


def _readme() -> str:
    rows = []
    for cheat in CHEATS:
        names = [f"[{case.name}]({case.name})" for case in CASES if case.cheat == cheat]
        rows.append(f"### {cheat}\n\n" + "".join(f"- {name}\n" for name in names))
    rest = "".join(f"- [{case.name}]({case.name})\n" for case in CASES if case.cheat is None)
    return (
        "# Cases\n\n"
        "What a dishonest operator could sign, and what every verifier must say about it. A folder ending in `_fail`\n"
        "breaks the check that its name begins with. One ending in `_told` breaks no rule: the log alone cannot show\n"
        "the cheat, and the verdict says so or makes visible what happened.\n\n"
        "`log/` is a signed log; `expected.json` says which commands to run in the folder\n"
        "(each with `--key` and `--json`), and the result of the last one. If it names a `policy`, that file\n"
        "is given with `--policy` instead of the key. All files are written by `python -m tests.recipes`, from the lies in `tests/lies`.\n\n"
        "An audit and a watch read all records: what one of them refuses, the other refuses. A proof file shows\n"
        "only what concerns its own round: if there is a `round.proof`, `expected.json` says what `proof` reports about it.\n\n"
        "One rule has no case, `batch-last`: no log is long enough to reach round 2^48.\n\n"
        "## By cheat\n\n" + "\n".join(rows) + "\n## Every other rule\n\n" + rest
    )
