// All rules about records, from the log's first record on: each record is applied as a whole, or refused (SPEC 4.3 to
// 4.7).

import { sameBytes, toHex } from "../basics/bytes.js";
import { CheckFailed, quote } from "../basics/errors.js";
import { leafHash } from "../basics/hashing.js";
import { ROUNDS_AFTER_END, ROUNDS_END } from "../basics/limits.js";
import { parseHex } from "../basics/spelling.js";
import { commitment } from "../draws/commitments.js";
import { unroll } from "../draws/seed-chain.js";
import { contextOf, NO_SALT, Stream } from "../draws/stream.js";
import { spelled } from "../declared/spelling.js";
import { gameOf, isKnown, newerThanThis } from "../games/games.js";
import { Edge } from "../log/merkle.js";
import { readRecord, TIME_OF } from "./record.js";
import * as rules from "./rules.js";
import { must } from "./rules.js";
import { Beacons, checkBeacon, checkSalt, isSalted, saltOf } from "./salts.js";

/**
 * A batch with rounds that have not ended.
 * @typedef {object} Pending
 * @property {number} index of its record
 * @property {number} number
 * @property {number} first
 * @property {number} last
 * @property {Uint8Array} id
 * @property {Uint8Array[]} anchors
 * @property {Uint8Array[]} roots
 * @property {Record<string, number>} rules
 * @property {import("./record.js").LogRecord} record
 * @property {?Fixed} fixed `null` as long as it awaits its salt
 * @property {Edge[]} opened per custodian, over the commitments whose seeds are public
 */

/**
 * The record that fixed a batch's rounds: its own, or its salt's (SPEC 4.4).
 * @typedef {object} Fixed
 * @property {string} time
 * @property {Uint8Array} salt
 * @property {number} locksBefore locks without a reason that stood before it
 */

/** What the rules need to know about one table. */
class Table {
  constructor(record, id) {
    this.record = record;
    this.id = id;
    this.latest = record.created;
    this.batches = 0;
    this.lastBatchId = id;
    this.rules = null;
    /** @type {{batch: number, before: object, after: object}[]} */
    this.rulesChanges = [];
    this.committed = 0;
    /** @type {Pending[]} */
    this.pending = [];
    this.nextRound = 1;
    this.locked = null;
    this.lastSeeds = null;
    this.ended = false;
    this.closed = false;
    this.locks = 0;
    this.counts = {
      ...{ played: 0, void_never_opened: 0, void_opened: 0, void_locked: 0, unused: 0 },
      ...{ without_digest: 0, without_bets: 0 },
    };
    /** @type {?number} */
    this.smallestDistance = null;
    /** @type {?object[]} the outcomes that the first unused rounds of a closed table would have had */
    this.unusedOutcomes = null;
    /** Whether outcomes could not be checked, because something is newer than this program. */
    this.hasNewerRules = false;
  }

  /** The batch of a round that has not ended. */
  holding(round) {
    return this.pending.find((batch) => batch.first <= round && round <= batch.last);
  }
}

/** The tables of a log, after the records that were replayed so far. */
export class Replay {
  /**
   * @param {string} origin the log's: the first line of its checkpoint
   * @param {Beacons} [beacons] those that are known
   */
  constructor(origin, beacons = new Beacons()) {
    this.origin = origin;
    this.beacons = beacons;
    this.size = 0;
    /** @type {Map<string, Table>} */
    this.tables = new Map();
    /** @type {Map<string, string>} the tables of later versions, and which these are, in words */
    this.later = new Map();
  }

  /**
   * Apply the next record.
   * @param {Uint8Array} bytes
   * @throws {CheckFailed} any check of SPEC 4.3 for records; then nothing has changed
   */
  advance(bytes) {
    const index = this.size;
    const record = readRecord(bytes, index);
    this.size += 1;
    if (record.aside !== undefined) return;
    const isNewer = record.newer !== undefined;
    const known = this.tables.has(record.table);
    const isRight = isNewer ? !known : !this.later.has(record.table);
    const told = { expected: "records of the version of the table's first one", found: isNewer ? record.newer : "version 1", index };
    must(isRight, "record-form", told);
    if (isNewer) this.later.set(record.table, this.later.get(record.table) ?? record.newer);
    else this.#apply(record, bytes, index);
  }

  #apply(record, bytes, index) {
    if (record.type === "table") this.#table(record, bytes, index);
    else APPLY[record.type](this.#known(record, index), record, index, { bytes, beacons: this.beacons });
    this.tables.get(record.table).latest = record[TIME_OF[record.type]];
  }

  /** The names of the tables of which something could not be checked, because this program does not know it. */
  get unknown() {
    const isUnknown = ({ batches, record, hasNewerRules }) => {
      return hasNewerRules || gameOf(record).unknown.length > 0 || (batches > 0 && !this.beacons.knows(record));
    };
    const names = [...this.tables].filter(([, table]) => isUnknown(table)).map(([name]) => name);
    return [...new Set([...names, ...this.later.keys()])];
  }

  #table(record, bytes, index) {
    const expected = "a name that no other table has";
    must(!this.tables.has(record.table), "table-new", { expected, found: record.table, index });
    rules.checkOrigin(record, this.origin, index);
    rules.checkGame(record, index);
    rules.checkSaltName(record, index);
    this.tables.set(record.table, new Table(record, leafHash(bytes)));
  }

  #known(record, index) {
    const table = this.tables.get(record.table);
    must(table !== undefined, "table-known", { expected: "a table record before", found: record.table, index });
    must(!table.closed, "after-close", { expected: "nothing after the close", found: record.type, index });
    const mayFollow = !table.ended || ["salt", "close"].includes(record.type);
    must(mayFollow, "after-end", { expected: "salt or close after the end", found: record.type, index });
    return table;
  }
}

/** No record of a table is earlier than those before it. */
function checkTime(table, record, index) {
  const time = record[TIME_OF[record.type]];
  must(time >= table.latest, "time-order", { expected: `${table.latest} or later`, found: time, index });
}

const APPLY = { batch, salt, lock, reveal, end, close };

function batch(table, record, index, { bytes, beacons }) {
  checkTime(table, record, index);
  const last = record.first + record.count - 1;
  const number = table.batches + 1;
  must(record.batch === number, "batch-number", { expected: `${number}`, found: `${record.batch}`, index });
  const first = table.committed + 1;
  must(record.first === first, "batch-first", { expected: `${first}`, found: `${record.first}`, index });
  must(last < ROUNDS_END, "batch-last", { expected: "a last round below 2^48", found: `${last}`, index });
  const previous = toHex(table.lastBatchId);
  must(record.previous === previous, "batch-previous", { expected: previous, found: record.previous, index });
  rules.checkCustodians(table.record, record, index);
  const isDistinct = new Set(record.anchors).size === record.anchors.length;
  must(isDistinct, "batch-anchors", { expected: "different anchors", found: "the same twice", index });
  rules.checkPending(table.pending.length + 1, index);
  rules.checkRules(gameOf(table.record), record.rules, index);
  checkBeacon(table.record, record, beacons, index);

  table.hasNewerRules ||= newerThanThis(table.record, record.rules) !== null;
  if (table.rules !== null && spelled(table.rules) !== spelled(record.rules)) {
    table.rulesChanges.push({ batch: number, before: table.rules, after: record.rules });
  }
  table.rules = record.rules;
  table.batches = number;
  table.lastBatchId = leafHash(bytes);
  table.committed = last;
  table.pending.push({
    index,
    number,
    first: record.first,
    last,
    id: table.lastBatchId,
    anchors: record.anchors.map((anchor) => parseHex(anchor)),
    roots: record.commitments.map((root) => parseHex(root)),
    rules: record.rules,
    record,
    fixed: isSalted(table.record) ? null : { time: record.committed, salt: NO_SALT, locksBefore: table.locks },
    opened: record.anchors.map(() => new Edge()),
  });
}

function salt(table, record, index, { beacons }) {
  const own = table.pending.find((each) => each.number === record.batch && each.fixed === null);
  const told = { expected: "a batch that awaits its salt", found: `one for batch ${record.batch}`, index };
  must(own !== undefined, "salt-awaited", told);
  checkTime(table, record, index);
  checkSalt(table.record, own.record, record, beacons, index);

  own.fixed = { time: record.salted, salt: saltOf(record), locksBefore: table.locks };
}

function lock(table, record, index) {
  const { round } = record;
  const isFree = table.locked === null;
  must(isFree, "lock-after-reveal", { expected: `a reveal of round ${table.nextRound}`, found: "a lock", index });
  must(round === table.nextRound, "lock-next", { expected: `${table.nextRound}`, found: `${round}`, index });
  checkTime(table, record, index);
  rules.checkOpened(record, table.record.created, index);
  const through = round + table.record.lead;
  const told = { expected: `rounds to ${through} committed`, found: `rounds to ${table.committed}`, index };
  must(table.committed >= through, "lead-committed", told);
  const needed = table.pending.filter((each) => each.first <= through);
  const awaiting = needed.find((each) => each.fixed === null);
  const unsalted = { expected: `rounds to ${through} salted`, found: `no salt of batch ${awaiting?.number}`, index };
  must(awaiting === undefined, "lead-committed", unsalted);
  const fixed = needed.map((each) => each.fixed.time).reduce((one, other) => (one > other ? one : other));
  const isLater = record.opened === undefined || record.opened >= fixed;
  must(isLater, "lead-opened", { expected: `${fixed} or later`, found: record.opened, index });
  rules.checkDigest(table.record, record, index);

  table.locked = record;
  if (record.reason !== undefined) return;
  if (round > table.record.lead) {
    const distance = table.locks - table.holding(round).fixed.locksBefore;
    table.smallestDistance = Math.min(table.smallestDistance ?? Infinity, distance);
  }
  table.locks += 1;
  if (record.bets === undefined) table.counts.without_digest += 1;
  else if (record.bets.count === 0) table.counts.without_bets += 1;
}

function reveal(table, record, index) {
  const { round } = record;
  const expected = table.locked ? `round ${table.locked.round}` : "a lock before";
  const isLocked = table.locked !== null && round === table.locked.round;
  must(isLocked, "reveal-locked", { expected, found: `a reveal of round ${round}`, index });
  checkTime(table, record, index);
  rules.checkEnding(table.locked, record, index);
  const seeds = checkSeedCount(table, record.seeds, index);
  const own = table.holding(round);
  const before = round === own.first ? own.anchors : table.lastSeeds;
  rules.checkChain(seeds, before, { tableId: table.id, from: round, to: round - 1 }, { check: "seed-link", index });
  const of = { game: gameOf(table.record), rules: own.rules, batchId: own.id, salt: own.fixed.salt };
  rules.checkOutcome(record, of, index);
  const opened = own.opened.map((edge) => new Edge(edge));
  seeds.forEach((seed, at) => opened[at].append(leafHash(commitment(seed, { tableId: table.id, round }))));
  if (round === own.last) checkRoots(own, opened, index);

  own.opened = opened;
  if (round === own.last) table.pending.shift();
  count(table, record);
  table.lastSeeds = seeds;
  table.locked = null;
  table.nextRound = round + 1;
}

function count({ locked, counts }, { status }) {
  if (status === "played") counts.played += 1;
  else if (locked.reason === undefined) counts.void_locked += 1;
  else if (locked.opened === undefined) counts.void_never_opened += 1;
  else counts.void_opened += 1;
}

function end(table, record, index) {
  const told = { expected: "no round locked", found: `round ${table.locked?.round} locked`, index };
  must(table.locked === null, "end-locked", told);
  checkTime(table, record, index);
  table.ended = true;
}

function close(table, record, index) {
  must(table.ended, "close-ended", { expected: "an end before the close", found: "none", index });
  checkTime(table, record, index);
  const expected = table.pending.map((each) => each.number).join();
  const found = record.seeds.map((each) => each.batch).join();
  must(found === expected, "close-batches", { expected: `batches ${expected}`, found: quote(found), index });
  const outcomes = [];
  // The outcomes are in the order of the rounds, so they end where the first salt is missing, or something is newer.
  let isDrawnSoFar = true;
  table.pending.forEach((each, at) => {
    const chains = closeBatch(table, each, record.seeds[at].seeds, index);
    isDrawnSoFar &&= each.fixed !== null && isKnown(gameOf(table.record), each.rules);
    if (isDrawnSoFar) outcomes.push(...unusedOutcomes(table, each, chains, ROUNDS_AFTER_END - outcomes.length));
  });

  table.closed = true;
  table.unusedOutcomes = outcomes;
  table.counts.unused = table.committed - table.nextRound + 1;
  table.pending = [];
}

/** The outcomes that a batch's first unused rounds would have had, at most `wanted`. */
function unusedOutcomes(table, own, chains, wanted) {
  const context = contextOf(own.id, own.fixed.salt);
  const first = Math.max(own.first, table.nextRound);
  return chains[0].slice(0, wanted).map((_, at) => {
    const seeds = chains.map((chain) => chain[at]);
    return gameOf(table.record).outcome(Stream.of(seeds, context, first + at), own.rules);
  });
}

/**
 * Check that a batch's remaining seeds lead to what is known, and open the commitments.
 * @returns {Uint8Array[][]} all of them per custodian, in the order of play
 */
function closeBatch(table, own, texts, index) {
  const seeds = checkSeedCount(table, texts, index);
  const chains = seeds.map(() => []);
  const isBegun = own.first < table.nextRound;
  const chain = { tableId: table.id, from: own.last, to: (isBegun ? table.nextRound : own.first) - 1 };
  const known = isBegun ? table.lastSeeds : own.anchors;
  const opened = seeds.map((seed, at) => {
    const leaves = [];
    const found = unroll(seed, chain, (each, round) => {
      chains[at].push(each);
      leaves.push(leafHash(commitment(each, { tableId: table.id, round })));
    });
    const told = { expected: toHex(known[at]), found: `batch ${own.number} unrolls to ${toHex(found)}`, index };
    must(sameBytes(found, known[at]), "close-seeds", told);
    const edge = new Edge(own.opened[at]);
    for (const leaf of leaves.reverse()) edge.append(leaf);
    return edge;
  });
  checkRoots(own, opened, index);
  return chains.map((chain) => chain.reverse());
}

function checkSeedCount(table, seeds, index) {
  const expected = table.record.custodians.length;
  must(seeds.length === expected, "seed-count", { expected: `${expected}`, found: `${seeds.length}`, index });
  return seeds.map((seed) => parseHex(seed));
}

function checkRoots(own, opened, index) {
  opened.forEach((edge, at) => {
    const told = { expected: `root ${toHex(own.roots[at])}`, found: `root ${toHex(edge.root)}`, index };
    must(sameBytes(edge.root, own.roots[at]), "commitments-root", told);
  });
}
