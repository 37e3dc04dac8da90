// The rules about records that a check of one round and a replay of the whole log share (SPEC 4.3, 4.6).

import { sameBytes, toHex } from "../basics/bytes.js";
import { CheckFailed, Malformed, quote } from "../basics/errors.js";
import { LONGEST_LEAD, MOST_PENDING } from "../basics/limits.js";
import { parseHex } from "../basics/spelling.js";
import { unroll } from "../draws/seed-chain.js";
import { contextOf, Stream } from "../draws/stream.js";
import { spelled } from "../declared/spelling.js";
import { gameOf, isKnown } from "../games/games.js";

/**
 * Throw the error of a rule unless it holds.
 * @param {boolean} holds
 * @param {string} check
 * @param {{expected: string, found: string, index?: ?number, where?: ?string}} told
 * @throws {CheckFailed}
 */
export function must(holds, check, told) {
  if (!holds) throw new CheckFailed(check, told);
}

/**
 * @param {import("./record.js").LogRecord} table
 * @param {string} origin the log's
 * @param {?number} index
 * @throws {CheckFailed} `table-origin`
 */
export function checkOrigin(table, origin, index) {
  must(table.log === origin, "table-origin", { expected: quote(origin), found: quote(table.log), index });
}

/**
 * Check that a table declares its game exactly if that has no name, and within the limits; and its lead.
 * @param {import("./record.js").LogRecord} table
 * @param {?number} index
 * @throws {CheckFailed} `table-declaration`, `table-lead`
 */
export function checkGame(table, index) {
  const { lead } = declaredGame(table, index);
  const expected = `${lead} to ${LONGEST_LEAD} for ${table.game}`;
  must(table.lead >= lead && table.lead <= LONGEST_LEAD, "table-lead", { expected, found: `${table.lead}`, index });
}

/**
 * @param {import("./record.js").LogRecord} table
 * @param {?number} index
 * @throws {CheckFailed} `table-salt`
 */
export function checkSaltName(table, index) {
  const expected = "none, quicknet, or the chain hash of a beacon";
  must(/^(?:none|quicknet|[0-9a-f]{64})$/.test(table.salt), "table-salt", { expected, found: quote(table.salt), index });
}

/**
 * @param {number} pending how many batches of a table have rounds that have not ended
 * @param {?number} index the last one's
 * @throws {CheckFailed} `batch-pending`
 */
export function checkPending(pending, index) {
  must(pending <= MOST_PENDING, "batch-pending", { expected: `at most ${MOST_PENDING}`, found: `${pending}`, index });
}

function declaredGame(table, index) {
  try {
    return gameOf(table);
  } catch (error) {
    if (!(error instanceof Malformed)) throw error;
    throw new CheckFailed("table-declaration", { expected: error.expected, found: error.found, index });
  }
}

/**
 * Check that a batch's rules are exactly its game's parameters. Of what is newer than this program, nothing is
 * checked.
 * @param {import("../games/games.js").Game} game
 * @param {Record<string, number>} rules
 * @param {?number} [index] the batch record's
 * @throws {CheckFailed} `batch-rules`
 */
export function checkRules(game, rules, index = null) {
  if (!isKnown(game, rules)) return;
  try {
    game.checkRules(rules);
  } catch (error) {
    if (!(error instanceof Malformed)) throw error;
    throw new CheckFailed("batch-rules", { expected: error.expected, found: quote(JSON.stringify(rules)), index });
  }
}

/**
 * Check all that a table's own record must say.
 * @param {import("./record.js").LogRecord} table
 * @param {string} origin the log's
 * @param {?number} index
 * @throws {CheckFailed} `table-origin`, `table-salt`, `table-declaration`, `table-lead`
 */
export function checkTable(table, origin, index) {
  checkOrigin(table, origin, index);
  checkSaltName(table, index);
  checkGame(table, index);
}

/**
 * @param {import("./record.js").LogRecord} table
 * @param {import("./record.js").LogRecord} batch
 * @param {?number} index the batch's
 * @throws {CheckFailed} `batch-custodians`
 */
export function checkCustodians(table, batch, index) {
  const count = table.custodians.length;
  const isRight = batch.anchors.length === count && batch.commitments.length === count;
  const found = `${batch.anchors.length} and ${batch.commitments.length}`;
  must(isRight, "batch-custodians", { expected: `${count} anchors and ${count} roots`, found, index });
}

/**
 * Check that `created ≤ opened ≤ locked`, if there is `opened`.
 * @param {import("./record.js").LogRecord} lock
 * @param {string} created the table's
 * @param {?number} index the lock's
 * @throws {CheckFailed} `lock-opened`
 */
export function checkOpened(lock, created, index) {
  if (lock.opened === undefined) return;
  const told = { expected: `opened from ${created} to ${lock.locked}`, found: lock.opened, index };
  must(created <= lock.opened && lock.opened <= lock.locked, "lock-opened", told);
}

/**
 * Check that the lock of a round that is played carries a digest of its bets, if the table requires it.
 * @param {import("./record.js").LogRecord} table
 * @param {import("./record.js").LogRecord} lock
 * @param {?number} index the lock's
 * @throws {CheckFailed} `bets-required`
 */
export function checkDigest(table, lock, index) {
  const mayLack = table.bets === undefined || lock.reason !== undefined;
  must(mayLack || lock.bets !== undefined, "bets-required", {
    expected: "a digest of the bets",
    found: "none",
    index,
  });
}

/**
 * Check that lock and reveal agree about how the round ended.
 * @param {{reason?: string}} lock
 * @param {import("./record.js").LogRecord} reveal
 * @param {?number} index the reveal's
 * @throws {CheckFailed} `reveal-given-up`, `reveal-reason`
 */
export function checkEnding(lock, reveal, index) {
  const isGivenUp = lock.reason !== undefined;
  const isVoid = reveal.status === "void";
  must(isVoid || !isGivenUp, "reveal-given-up", { expected: "void", found: reveal.status, index });
  const expected = isVoid && !isGivenUp ? "a reason" : "no reason";
  const found = reveal.reason === undefined ? "none" : quote(reveal.reason);
  must((reveal.reason !== undefined) === (isVoid && !isGivenUp), "reveal-reason", { expected, found, index });
}

/**
 * Check that each custodian's seed of a round leads to what is known of the chain: an earlier seed, or the anchor.
 * @param {Uint8Array[]} seeds of round `from`
 * @param {Uint8Array[]} known of round `to`
 * @param {{tableId: Uint8Array, from: number, to: number}} chain
 * @param {{check: string, index?: ?number}} told the check to name, `seed-link` or `close-seeds`
 * @throws {CheckFailed}
 */
export function checkChain(seeds, known, chain, { check, index = null }) {
  seeds.forEach((seed, at) => {
    const found = unroll(seed, chain);
    const expected = `a seed that hashes to ${toHex(known[at])}`;
    must(sameBytes(found, known[at]), check, { expected, found: `one that hashes to ${toHex(found)}`, index });
  });
}

/**
 * That the outcome is what the batch's rules make of the seeds and the salt. Of what is newer, nothing is checked.
 * @param {import("./record.js").LogRecord} reveal
 * @param {{game: import("../games/games.js").Game, rules: Record<string, number>, batchId: Uint8Array, salt: Uint8Array}} batch
 * @param {?number} index the reveal's
 * @throws {CheckFailed} `outcome`
 */
export function checkOutcome(reveal, { game, rules, batchId, salt }, index) {
  if (!isKnown(game, rules)) return;
  const seeds = reveal.seeds.map((seed) => parseHex(seed));
  const expected = spelled(game.outcome(Stream.of(seeds, contextOf(batchId, salt), reveal.round), rules));
  const found = spelled(reveal.outcome);
  must(found === expected, "outcome", { expected, found: quote(found), index });
}
