"""The sentences of verdicts, each written once, as a template with named values.

Programs in Python take them from here. `verifier/browser/words/templates.js` is generated from this file
(``make messages``), for the verifier in JavaScript; the pages translate its templates. Only words are shared: each
implementation decides by itself what to check and which sentence to use.
"""

from __future__ import annotations

from enum import StrEnum

from fairness.checks import Fault

MOST_NAMED = 100
"""Of things of one kind that nobody knows, so many are named, and all are counted (SPEC 4.9)."""
_COUNTS = frozenset({"ahead", "count", "size"})
"""Values that are written with thousands separators. The others are names, or numbers of rounds and records."""


class Sentence(StrEnum):
    """A template, such as ``round %(round)s``."""

    @property
    def code(self) -> str:
        """Its name in JavaScript."""
        return self.name.lower().replace("_", "-")

    def fill(self, **values: str | int) -> str:
        """Return the sentence with these values."""
        return self.value % {name: _spelled(name, value) for name, value in values.items()}


def _spelled(name: str, value: str | int) -> str:
    return f"{value:,}" if name in _COUNTS and isinstance(value, int) else str(value)


class Checked(Sentence):
    """What was checked and held. An item of a list, so without a capital letter and a full stop."""

    # A code (SPEC 8.2).
    NO_TYPING_ERROR = "the code has no typing error"
    CHECKPOINT_SIGNED = "the checkpoint is signed with the log's key"
    CHECKPOINT_COSIGNED = (
        "the checkpoint is signed with the log's key, and has the policy's quorum; cosigned by %(names)s"
    )
    TABLE_IN_LOG = "the table is in the log, and its game is %(game)s"
    ROUNDS_COMMITTED = "rounds %(round)s to %(last)s were committed before round %(round)s was locked"
    SALTED = "the salts of these batches are the pulses that the batches named, and were in the log before round %(round)s was locked"
    SALTED_BY_UNKNOWN = "the salts of these batches were in the log before round %(round)s was locked"
    BATCH_WITNESSED = (
        "the batch was fixed before its pulse existed, by the clocks of outsiders: the policy's quorum had cosigned a"
        " checkpoint with it by %(time)s"
    )
    BATCH_WITNESSED_UNKNOWN = "the policy's quorum had cosigned a checkpoint with the batch by %(time)s"
    RELEASES_UNKNOWN_TO_OTHERS = (
        "%(name)s releases a seed only for what %(quorum)s have cosigned, so %(others)s alone could not know"
    )
    LOCK_AND_REVEAL = "the lock and the reveal are in the log, in this order"
    SEED_REVEALED = "the code's seed is the one that was revealed, and hashes to the batch's anchor"
    SEED_OPENS_COMMITMENT = "the seed opens the commitment that was published for the round"
    OUTCOME_FOLLOWS = "the outcome follows from the seed by the rules of the batch"
    ROUNDS_AHEAD = "the commitment was in the log before round %(first)s was locked"
    ROUNDS_AHEAD_SALTED = "the commitment and its salt were in the log before round %(first)s was locked"

    # What bets pay (SPEC 5.10).
    PAYTABLE_CATALOGUES = (
        "what these bets pay stood in the table's record before its first round: the catalogue's paytable of the game"
    )
    PAYTABLE_OWN = (
        "what these bets pay stood in the table's record before its first round: a paytable of the operator's own"
    )

    # A code with its round's proof file (SPEC 8.6).
    CODE_OF_ROUND = "the code is of this round, of this table, and of its game"
    CODE_SEEDS_REVEALED = "the code's seeds are those that were revealed"

    # A proof file (SPEC 8.6).
    FILE_FORM = "the file is a well-formed proof"
    CHECKPOINT_OF_SIZE = "its checkpoint, of %(size)s records, is signed with the log's key"
    CHECKPOINT_OF_SIZE_COSIGNED = "its checkpoint, of %(size)s records, is signed with the log's key, and has the policy's quorum; cosigned by %(names)s"
    WITNESSED_BEGINS = "the %(size)s records of the log in which witnesses saw the batch are its first ones"
    RECORDS_IN_LOG = "its records are in the log, as records %(records)s"
    RECORDS_CLAIMED = "they are the %(names)s of round %(round)s of %(table)s"
    ORDER = "the records and their times are in the order that the rules demand"
    SALT_IS_PULSE = "the salt is the pulse that the batch record named"
    COMMITMENTS_PROMISED = "the commitments are those that the batch record promises for the round"
    SEEDS_OPEN_AND_CHAIN = "the revealed seeds open the commitments, and hash to the batch's anchors"
    OUTCOME_FOLLOWS_SEEDS = "the outcome follows from the seeds by the rules of the batch"

    # A bet's receipt (SPEC 8.4).
    BET_FORM = "the receipt is well-formed, and leads from the bet to a digest"
    TABLE_OF_BET = "the table is in the log: %(table)s"
    LOCK_OF_BET = "the lock of round %(round)s is in the log"
    DIGEST_CARRIED = "that lock carries the digest, and this bet is one of its %(count)s"
    PUBLISHED_AFTER = "the outcome was published after that lock"
    NOT_PUBLISHED = "the outcome has not been published yet"


class Custody(Sentence):
    """What was shown of the custodians of a round's batch, as an item of a list; and the parts of such sentences."""

    CUSTODY_NOTES = "each of %(names)s vouched for the batch, and published the policy by which it releases the seeds"
    RELEASES = "%(name)s releases a seed only for what %(quorum)s have cosigned"
    RELEASES_UNKNOWN_TO_OTHERS_IN_ROUND = (
        "%(name)s releases a seed only for what %(quorum)s have cosigned, so %(others)s alone could not know unless an"
        " earlier lock of this round stands in the log, which only an audit excludes"
    )
    DEMANDS_NO_WITNESSES = "%(name)s demands no witnesses"

    AND = "%(before)s and %(last)s"
    QUORUM_OF = "%(threshold)s of %(members)s"
    UNNAMED_WITNESS = "1 witness that your policy does not name"
    UNNAMED_WITNESSES = "%(unnamed)s witnesses that your policy does not name"


class NotChecked(Sentence):
    """What a verdict could not check, a part of every verdict."""

    AS_OF_CHECKPOINT = (
        "The log since then: the file shows it as of its checkpoint. Only the log itself shows whether it still extends"
        " that checkpoint (`foredraw-verify receipt`)."
    )
    REVEAL_NOT_SHOWN = (
        "The reveal: the log's index, which nobody signs, leads to none of this round. Whether the outcome is public, and"
        " whether it was before that lock, only reading every record shows (`foredraw-verify bet` with `--whole`, or an audit)."
    )
    WHAT_FOLLOWED = (
        "What followed: the round may have gone further by then. Later records may have been left out of the file."
    )
    ONE_ROUND_ONLY = (
        "The rest of the log: only this round's records were read. Only an audit of the whole log shows how other rounds"
        " were played, and excludes a second record that contradicts one of these."
    )
    NOT_REPLAYED = (
        "The rest of the log: every record was read, and none was replayed. A second lock or reveal of this round would have"
        " been found; only an audit of the whole log checks every rule, and shows how other rounds were played."
    )
    ROUNDS_BETWEEN = (
        "The rounds in between were not read: only an audit shows how many of them were played, and not given up."
    )
    LEAD_OF_ONE_LOCK = (
        "The whole lead: the file shows it by one lock only. How many rounds ahead the round was fixed, and that those after"
        " it were fixed before its lock, only the log's files show (`foredraw-verify code` with `--log`)."
    )
    EARLIER_ROUNDS = "Bets that need an earlier round, such as its card: only the log's files have that round."
    WITNESSED_NOT_READ = (
        "Another history: the checkpoint in which witnesses saw the batch was not compared with this log, for only a"
        " policy makes this program read it."
    )
    ASIDES = "Asides: sections of the file at which no rule looks: %(count)s (%(names)s)."
    NO_SALT = "No salt: nothing keeps an operator from trying many seeds before committing a batch, and keeping one that suits it."
    SALT_BY_CLOCK = (
        "Salt: that the pulse of the beacon came after the commitment which named it is so by the operator's clock. And"
        " enough of the beacon's nodes together could have told the operator the pulse before."
    )
    SALT_WITNESSED = (
        "Salt: enough of the beacon's nodes together, or the witnesses that two quorums share, could have helped the"
        " operator to choose. It could also have committed many tables, to play only those that came out well: an audit"
        " lists the tables that were never played."
    )
    SALT_WITNESSED_APART = (
        "Salt: two quorums need not share a witness, so the operator could have had several batches witnessed, and kept"
        " one that came out well. Enough of the beacon's nodes together could have helped it to choose, too. And it could"
        " have committed many tables, to play only those that came out well: an audit lists the tables that were never"
        " played."
    )
    NO_WITNESS = (
        "No witness: the order of the log is proven, the hours on its clock are the operator's word, and so is whether a"
        " round that was given up had been opened. The operator could show another log to somebody else: compare checkpoints."
    )
    WITNESSED = (
        "Witnesses: the policy's quorum cosigned the checkpoint, and two histories can both have a quorum only if witnesses"
        " lie (at least: %(shared)s). The hours on the log's clock are still the operator's word, and so is whether a round"
        " that was given up had been opened."
    )
    WITNESSED_APART = (
        "Witnesses: the policy's quorum cosigned the checkpoint, but two quorums need not share a witness, so two histories"
        " can both have one although no witness lies: compare checkpoints. The hours on the log's clock are still the"
        " operator's word, and so is whether a round that was given up had been opened."
    )
    SEVERAL_LOGS = (
        "Other logs: an operator can keep several, each with witnesses, and show the one that came out well. No verdict covers"
        " a log that was not named before."
    )
    ONE_CUSTODIAN = (
        "One custodian: the party that runs it can know outcomes ahead, and could, for instance, play costly rounds while"
        " nobody bets, or close a table before one."
    )
    SEVERAL_NAMES = (
        "Several custodians: here they are only names. That they are different people, on different machines, is the"
        " operator's word."
    )
    FLIGHT = (
        "The flight: in %(games)s, the party that runs the engine knows the outcome while players still decide. Only bets"
        " with an automatic cash-out, fixed in the digest, are safe from that."
    )
    MOVES = (
        "Decisions: in %(games)s, the party that runs the engine can know what comes while players still decide. That it"
        " dealt in order, and that a decision came before the next thing was shown, is its word and that of the operator's"
        " journal. What was to be shown in which order is fixed: compare it with the outcome, position by position. Bets that"
        " were made after the lock are in no digest."
    )
    BETS = (
        "Bets and payments: the digests of bets were not checked. Players can check their own bet with its receipt."
    )
    BET_MEANING = "What the bet's line means, whether it won, and what was paid: the line is the engine's own text."
    BET_ALONE = "Whether the outcome was fixed in advance: the round's code, or its proof file, shows that."
    WHOSE_KEY = "Whose key it is: you must know from another source that it is the operator's."
    WHICH_IS_TRUE = "Which of the two histories is the true one, and to whom each was shown."


class Unknown(Sentence):
    """What this verifier does not know, and what could therefore not be checked."""

    BEACON = (
        "The beacon of %(table)s, %(beacon)s: nobody has named it to this verifier. So it could not check whether the salts"
        " are pulses of that beacon, and whether these came after the commitments that named them. A policy can name it."
    )
    GAME = (
        "The game of %(table)s: this verifier does not know %(what)s, which may be newer than it. So it could not check"
        " what the outcomes must be."
    )
    RECORDS = (
        "The records of %(table)s: this verifier does not know %(what)s, which may be newer than it. So it could check only"
        " the form of this table's records."
    )
    PAYTABLE = (
        "What bets at %(table)s pay: this verifier does not know %(what)s, which may be newer than it. So it could not"
        " check the bets; the rounds do not depend on it."
    )
    UNSETTLED = (
        "Whether the bets won: this verifier does not know what decides the outcome of round %(round)s, which may be newer"
        " than it. So it did not check that outcome, and settled no bet by it."
    )
    NEWER_RECORD = (
        "A record that this check needs: this verifier does not know %(what)s, which may be newer than it. So it could"
        " check nothing that depends on it."
    )
    NEWER_CUSTODY = (
        "What %(name)s said of the batch: this verifier does not know the version of its note, or words of its policy, which"
        " may be newer than it."
    )
    NEWER_FILE = (
        "This verifier does not know files that begin with %(what)s, which may be newer than it. So it judged nothing of"
        " this one."
    )
    NEWER_SECTIONS = "Sections of the file that this verifier does not know, and which may be newer than it: %(count)s (%(names)s)."
    NEWER_CODE = "This verifier does not know round codes of version %(what)s, which may be newer than it."
    REMEMBERED_BEACON = (
        "The beacon of %(table)s, %(beacon)s: it was unknown when records were checked that are now only remembered. Audit"
        " once from the first record."
    )


class Remark(Sentence):
    """What was noticed but rests on no check."""

    ROUND_OF_THE_FUTURE = (
        "The newest record of this round has the time %(newest)s, but the clock of this device shows %(now)s. One of the"
        " two clocks is wrong; no check depends on either."
    )


class Means(Sentence):
    """What a failed check means: whose fault it can be, and what to do with what was checked."""

    FAULT_OF_KEY = (
        "The log's key signed this, so it is the doing of the operator, or of somebody who has its key. Keep what you"
        " checked, and show it to the regulator."
    )
    FAULT_OF_FORK = (
        "The log's key signed two histories: the operator did it, or somebody who has its key. Keep the evidence, and show"
        " it to the regulator: it convinces everybody who has the log's key."
    )
    FAULT_OF_SERVER = (
        "The log's key did not sign this, so it is no evidence by itself: whoever served it changed it or damaged it, and"
        " that this was the operator is not proven. Ask the operator's own address."
    )
    FAULT_OF_SERVER_OR_OPERATOR = (
        "A file that belongs to the log is missing here, or false. The log's key did not sign it, so this is no evidence by"
        " itself: whoever serves this copy may have lost or changed it, or the operator never had it. Ask the operator's own"
        " address; if it stays so, show it to the regulator."
    )
    FAULT_OF_WITNESSES = (
        "The log's key signed this, but fewer of the witnesses that you believe did than you demand. They may have been away,"
        " or you are shown another log than they are. Ask again later, and compare with what others are shown; if it stays"
        " so, show it to the regulator."
    )
    FAULT_OF_FILE = (
        "The file is false or damaged, whoever made it. The log's key did not sign what is wrong with it, so it is no evidence"
        " by itself. Ask the operator's own address for it again."
    )
    FAULT_OF_CODE = (
        "Nobody signs a round code, so it is no evidence by itself: it may be made up, or of another round, or of another log."
        " If the game itself gave it to you, keep it, and show it to the regulator."
    )
    FAULT_OF_RECEIPT = (
        "The log's key did not sign the receipt, so it is no evidence by itself: it may be made up, or of another round or"
        " another log, or the engine that gave it left the bet out. If the game itself gave it to you, keep it, and show it to the regulator."
    )


class WayOn(Sentence):
    """What it means that a log does not show what was asked for, and what to do."""

    NOBODY = (
        "This says nothing about anybody: nobody signs the index of a log, and this copy of the log does not show by it what"
        " was asked for."
    )
    NOBODY_WHOLE = "This says nothing about anybody: this copy of the log, of %(size)s records, does not have what was asked for."
    FILE_BEFORE_LOCK = (
        "This says nothing about anybody: the file is of a moment before the round was locked, or its lock was left out. Check"
        " the bet in the log, or complete the file with `foredraw-verify receipt`."
    )
    FILE_ENDS = (
        "This says nothing about anybody: the file ends before the round does. Check the code in the log, or complete the"
        " file with `foredraw-verify receipt`."
    )
    ASK_AGAIN = "Ask the log's own address again in a minute: a copy may be older than the round, or lack files."
    READ_ALL = "Look with --whole, which reads every record and needs no index."
    ASK_THE_GIVER = "Ask the casino that gave the code or the file whether it is of this log."
    SUCCESSOR = (
        "The last record of this log names the key of a log that follows it, %(key)s: this log names this key; that is no"
        " reason to trust it."
    )
    PREDECESSOR = (
        "The first record of this log names the key of a log before it, %(key)s: this log names this key; that is no reason"
        " to trust it."
    )


class Verdict(Sentence):
    """What a check has shown; one or two follow one another."""

    FIXED_BEFORE_FIRST = "Round %(round)s of %(table)s was fixed before the table's first round was locked."
    FIXED_AHEAD_OF_FIRST = (
        "Round %(round)s of %(table)s was fixed before the table's first round was locked (rounds ahead: %(ahead)s)."
    )
    FIXED_AHEAD = (
        "Round %(round)s of %(table)s was fixed before round %(first)s was locked (rounds ahead: %(ahead)s)."
    )
    FIXED_AT_LEAST_AHEAD = (
        "Round %(round)s of %(table)s was fixed before round %(first)s was locked (rounds ahead: at least %(ahead)s)."
    )
    FIXED_IN_LOG = (
        "Round %(round)s of %(table)s is fixed in the log, but the file has no lock that shows how far ahead."
    )
    AWAITS_SALT = "Round %(round)s of %(table)s is committed in the log, and not fixed yet: its batch awaits the pulse of its beacon."
    EXCEPT_UNKNOWN = "Something is unknown to this verifier, see above. What does not depend on it holds."
    NOTHING_IN_IT = "There is nothing in this log, so nothing was checked but its checkpoint."
    PROVES_NOTHING = "A test, no real round: this log is a sandbox, which proves nothing."
    NOTHING_CHECKED = "A newer verifier may know it. That is evidence against nobody."
    FROM_WHAT_WAS_FIXED = "Its outcome follows from what was fixed."
    NOT_TO_ITS_END = "The file does not show how the round ended: keep it as a receipt."
    BET_BEFORE_OUTCOME = (
        "This bet is one of those that the lock of round %(round)s of %(table)s fixed, before the outcome was published"
        " (bets: %(count)s)."
    )
    BET_FIXED = "This bet is one of those that the lock of round %(round)s of %(table)s fixed (bets: %(count)s)."
    BET_WITHOUT_OUTCOME = (
        "This bet is one of those that the lock of round %(round)s of %(table)s fixed, and the outcome is not published"
        " yet (bets: %(count)s)."
    )
    FORK_PROVEN = (
        "The holder of the key of %(origin)s signed two histories that cannot both be its log (records: %(size)s). This is"
        " equivocation (a fork of the log, a split view)."
    )


class Line(Sentence):
    """The last line of a verdict on a terminal."""

    HELD = "Held: %(verdict)s"
    EMPTY = "Empty: %(verdict)s"
    UNKNOWN = "UNKNOWN: %(verdict)s"
    SANDBOX = "SANDBOX: %(verdict)s"
    PROVEN = "Proven: %(verdict)s"
    FAILED = "FAILED: %(check)s"
    NOT_SHOWN = "NOT SHOWN: %(check)s"
    MISTYPED = "MISTYPED: %(check)s"
    UNREADABLE = "COULD NOT BE READ: no verdict"


MEANS = {Fault(sentence.code): sentence for sentence in Means}
