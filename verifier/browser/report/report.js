// The report of a check, which is filled in while it runs.

import { toHex } from "../basics/bytes.js";
import { CheckFailed, Forked, NotShown, NotThisLogs, Unknown, Unreadable } from "../basics/errors.js";
import { secondsText } from "../basics/times.js";
import { isSandbox } from "../log/checkpoints.js";
import { lastSeen } from "../policy/head.js";
import { nameText } from "../policy/policy.js";
import { isSalted, pulseTimeOf } from "../records/salts.js";

/** What fails only for a code that is none. */
const MISTYPED = new Set(["code-form", "code-checksum"]);

/**
 * A fact as a code with its values; `sentence` puts it into words. The codes with their sentences are in
 * `words/templates.js`, those of headlines in `words/sentences.js`.
 * @typedef {object} Fact
 * @property {string} code
 * @property {number} [step] the step that shows it
 * @property {number[]} [records] the indexes of the records that show it
 */

/**
 * A quorum of somebody else's policy, of which only the members are named that the reader's own policy names: one
 * name; or how many of its members are needed (`null` if it is a single witness), and how many of them have no name.
 * @typedef {string | {threshold: ?number, members: NamedQuorum[], unnamed: number}} NamedQuorum
 */

/**
 * @typedef {object} Failure
 * @property {string} check the code of SPEC 4.3, such as `"outcome"`
 * @property {string} meaning what must hold, in one English sentence of SPEC 4.3
 * @property {string} means whose fault it can be, and what to do: the code of a sentence
 * @property {?number} index the record
 * @property {?string} where the file or the section
 * @property {string} expected English
 * @property {string} found English, with quoted values
 */

/**
 * What a check has found. Values of the log are `null` if they were not reached, or if there are none.
 * @typedef {object} Report
 * @property {"code"|"proof"|"evidence"|"bet"} kind
 * @property {"held"|"failed"|"mistyped"|"not-shown"|"unreadable"|"unknown"|"sandbox"} verdict `unknown`: everything held that could be checked;
 *   `mistyped`: the code is none, which says nothing about anybody; `sandbox`: nothing failed in a log that proves nothing;
 *   `not-shown`: what was asked for is not in what was read, which says nothing about anybody either
 * @property {import("./steps.js").Step[]} steps in order: all eight; of evidence five, of a bet six
 * @property {?{origin: string, size: number, root: string}} log the checkpoint; `root` in hexadecimal digits
 * @property {{name: string, vkey: string, at: string}[]} witnesses those of the policy that cosigned the checkpoint,
 *   with the latest time at which each did; none if the check was given a bare key
 * @property {?number} shared how many witnesses any two quorums of the policy share, at least; `null` if it asks for
 *   none
 * @property {?string} table its name, which the operator chose: text, never markup
 * @property {?string} tableId 64 hexadecimal digits
 * @property {?string} paytable the SHA-256, in HEX, of what its bets pay; `null` if the table has no bets
 * @property {?string} game its name
 * @property {?object} declaration of the game, as in SPEC 3.6; `null` if the game is known by its name
 * @property {?Record<string, number>} rules of the batch, as in SPEC 3.5
 * @property {?number} round
 * @property {?{line: ?string, hex: string, index: number, count: number}} bet of a receipt: its line, as text if all
 *   of it can be seen, and in hexadecimal digits; its place, from 0, among `count` bets
 * @property {?number} batch
 * @property {?("committed"|"locked"|"ended")} stage how far the round had come, as far as is shown
 * @property {?("played"|"void")} status `null` if it has not ended
 * @property {?string} reason why it is void or was given up: the operator's text, never markup
 * @property {?boolean} isGivenUp whether its lock gave it up: before its bets were closed
 * @property {?object} outcome as in SPEC 3.5, such as `{multiplier: "21.23"}`; `null` if it has not ended
 * @property {import("../games/order.js").Thing[]} order what players' decisions moved along, with its positions; empty
 *   unless they decided after the lock, and the outcome was checked
 * @property {string[]} seeds those of the reveal, in hexadecimal digits
 * @property {string[]} commitments one per custodian, in hexadecimal digits
 * @property {?string} committedAt TIME, as SPEC 4.1 spells it; so are the next three
 * @property {?string} openedAt
 * @property {?string} lockedAt
 * @property {?string} revealedAt
 * @property {?{beacon: string, round: number, signature: string, saltedAt: string, record: number}} salt of the batch:
 *   its beacon's name, the beacon's round, the pulse in hexadecimal digits, a TIME, and the index; `null` also if the
 *   table has none
 * @property {?{round: number, at: ?string}} pulse that the batch names: the beacon's round, and its time, unless the
 *   beacon is unknown; `null` if the table has no salt
 * @property {?{at: string, size: number, witnesses: {name: string, vkey: string, at: string}[]}} batchWitnessed when
 *   the policy's quorum had seen the batch, how many records the log had then, and which witnesses had seen it by
 *   then, with their earliest times; `null` if that was not demanded
 * @property {?number} fixedBy index of the record that fixed the round: the batch's, or its salt's
 * @property {?number} lead how many rounds ahead the table promises
 * @property {?number} roundsAhead how many rounds ahead it is shown to have been fixed
 * @property {?number} firstAfter the round that was locked after the batch, which shows that; 1 is the table's first
 * @property {Fact[]} proven what was checked and held; if the check failed, only of its first steps
 * @property {Fact[]} notProven what was not checked, in every verdict that did not fail
 * @property {Fact[]} unknown what this verifier does not know, so that it could not be checked; empty unless the
 *   verdict is `unknown` or `sandbox`
 * @property {Fact} headline the verdict, from which `verdictLine` makes a line
 * @property {?Failure} failure
 * @property {Fact[]} waysOn of what is `not-shown`: what that means, and what to do
 * @property {?string} evidence a file of evidence (SPEC 8.5), if the log signed two checkpoints that contradict each other
 * @property {?{path: string, why: string, isForeign?: boolean}} unreadable `isForeign`: it is not signed in the name of
 *   this log at all
 * @property {?import("../player/typing-error.js").TypingError} typing of a code that is not well formed, or whose
 *   checksum fails
 */

/**
 * @param {"code"|"proof"|"evidence"|"bet"} kind
 * @returns {Report}
 */
export function newReport(kind) {
  return {
    kind,
    verdict: "unreadable",
    steps: [],
    log: null,
    witnesses: [],
    shared: null,
    table: null,
    tableId: null,
    game: null,
    declaration: null,
    paytable: null,
    rules: null,
    round: null,
    bet: null,
    batch: null,
    stage: null,
    status: null,
    reason: null,
    isGivenUp: null,
    outcome: null,
    order: [],
    seeds: [],
    commitments: [],
    committedAt: null,
    pulse: null,
    batchWitnessed: null,
    salt: null,
    openedAt: null,
    lockedAt: null,
    revealedAt: null,
    fixedBy: null,
    lead: null,
    roundsAhead: null,
    firstAfter: null,
    proven: [],
    notProven: [],
    unknown: [],
    headline: { code: "unreadable", path: "" },
    failure: null,
    waysOn: [],
    evidence: null,
    unreadable: null,
    typing: null,
  };
}

/**
 * Write into a report that everything held that could be checked. A sandbox proves nothing, whatever holds in it.
 * @param {Report} report
 * @param {Fact[]} [unknown] what the verifier does not know
 */
export function conclude(report, unknown = []) {
  report.verdict = isSandbox(report.log.origin) ? "sandbox" : unknown.length ? "unknown" : "held";
  report.unknown = unknown;
}

/**
 * Whether the outcome of a report was checked; if not, it is only what the operator says, and may mean anything.
 * @param {Report} report of a round that has ended
 * @returns {boolean}
 */
export function isOutcomeKnown({ unknown }) {
  return unknown.every(({ code }) => ["beacon", "newer-custody", "newer-sections"].includes(code));
}

/**
 * Write an error into a report.
 * @param {Report} report
 * @param {Error} error any that is not of the protocol is rethrown
 */
export function reportError(report, error) {
  if (error instanceof NotThisLogs) {
    report.verdict = "unreadable";
    report.unreadable = error.unreadable;
    report.headline = { code: "unreadable", path: error.unreadable.path };
  } else if (error instanceof CheckFailed) {
    const { check, meaning, fault, index, where, expected, found } = error;
    report.evidence = error instanceof Forked ? error.evidence : null;
    report.verdict = MISTYPED.has(check) ? "mistyped" : error instanceof NotShown ? "not-shown" : "failed";
    report.failure = { check, meaning, means: fault, index, where, expected, found };
    report.headline = { code: report.verdict, check };
  } else if (error instanceof Unreadable) {
    report.verdict = "unreadable";
    report.unreadable = { path: error.path, why: error.why };
    report.headline = { code: "unreadable", path: error.path };
  } else if (error instanceof Unknown) {
    report.verdict = "unknown";
    report.unknown = error.what.map((what) => ({ code: error.code, what }));
    report.headline = { code: "nothing-checked" };
  } else {
    throw error;
  }
  report.notProven = [];
}

/**
 * Write into a report what the records say about the round.
 * @param {Report} report
 * @param {object} found
 * @param {import("../round/placed.js").Placed} [found.table]
 * @param {import("../round/placed.js").Placed} [found.batch] together with its table
 * @param {import("../records/salts.js").Beacons} [found.beacons] together with the batch
 * @param {?import("../round/placed.js").Placed} [found.salt]
 * @param {import("../round/placed.js").Placed} [found.lock]
 * @param {import("../round/placed.js").Placed} [found.reveal]
 */
export function tellRound(report, { table, batch, salt, lock, reveal, beacons }) {
  if (table) {
    const { table: name, game, declaration = null, paytable = null, lead } = table.record;
    Object.assign(report, { table: name, tableId: toHex(table.leaf), game, declaration, paytable, lead, order: [] });
  }
  if (batch) {
    const { batch: number, committed: committedAt, rules } = batch.record;
    const fixedBy = isSalted(table.record) ? null : Number(batch.index);
    const pulse = isSalted(table.record) ? pulseOf(table.record, batch.record, beacons) : null;
    Object.assign(report, { batch: number, rules, committedAt, fixedBy, pulse, batchWitnessed: null, salt: null, stage: "committed" });
  }
  if (salt) {
    const { signature, salted: saltedAt } = salt.record;
    const record = Number(salt.index);
    const told = { beacon: table.record.salt, round: batch.record.beacon, signature, saltedAt, record };
    Object.assign(report, { salt: told, fixedBy: record });
  }
  if (lock) {
    const { opened: openedAt = null, locked: lockedAt, reason = null } = lock.record;
    Object.assign(report, { openedAt, lockedAt, reason, isGivenUp: reason !== null, stage: "locked" });
  }
  if (reveal) {
    const { status, reason = report.reason, outcome, seeds, revealed: revealedAt } = reveal.record;
    Object.assign(report, { status, reason, outcome, seeds, revealedAt, stage: "ended" });
  }
}

function pulseOf(table, batch, beacons) {
  const time = pulseTimeOf(table, batch, beacons);
  return { round: batch.beacon, at: time === null ? null : secondsText(time) };
}

/**
 * Write into a report who saw the batch before its pulse.
 * @param {Report} report
 * @param {import("../policy/witnessed.js").Witnessed} witnessed
 */
export function tellWitnessed(report, { head: { checkpoint }, seen, time }) {
  report.batchWitnessed = { at: secondsText(time), size: Number(checkpoint.size), witnesses: seen.map(sighting) };
}

/**
 * Write into a report which checkpoint was opened, and who cosigned it.
 * @param {Report} report
 * @param {import("../policy/head.js").Head} opened
 */
export function tellHead(report, opened) {
  report.log = head(opened.checkpoint);
  report.shared = opened.policy.quorum?.leastShared ?? null;
  report.witnesses = lastSeen(opened).map(sighting);
}

function sighting({ witness, time }) {
  return { name: nameText(witness.name), vkey: String(witness.key), at: secondsText(time) };
}

/** @param {import("../log/checkpoints.js").Checkpoint} checkpoint */
export function head({ origin, size, root }) {
  return { origin, size: Number(size), root: toHex(root) };
}

/** The witnesses that cosigned, in one text. @param {Report} report @returns {string} */
export function cosigners({ witnesses }) {
  return witnesses.map(({ name }) => name).join(", ");
}
