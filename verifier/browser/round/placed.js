// A record with its index, and whether it is what it is claimed to be (SPEC 8.2, 8.6).

import { CheckFailed, quote, Unknown } from "../basics/errors.js";
import { leafHash } from "../basics/hashing.js";
import { readRecord, TIME_OF } from "../records/record.js";
import { checkDigest, must } from "../records/rules.js";

/**
 * @typedef {object} Placed
 * @property {bigint} index in the log
 * @property {Uint8Array} bytes
 * @property {Uint8Array} leaf its leaf hash, which is the id of a table or a batch
 * @property {import("../records/record.js").LogRecord} record
 */

/**
 * @param {Uint8Array} bytes
 * @param {bigint} index
 * @param {?string} [table] the name of the table that was read before, or is to be read now
 * @param {boolean} [isTable] whether it is to be the table's own record
 * @returns {Placed}
 * @throws {CheckFailed} `record-form`, `round-records`
 * @throws {Unknown}
 */
export function placed(bytes, index, table = null, isTable = false) {
  const record = readRecord(bytes, Number(index));
  if (record.aside !== undefined) {
    const told = { expected: "a record at which rules look", found: `the aside ${record.aside}`, index: Number(index) };
    throw new CheckFailed("round-records", told);
  }
  if (record.newer === undefined) return { index, bytes, leaf: leafHash(bytes), record };
  // Whatever a newer record of another table says, nobody had to be led to it: a finding aid or a file is false.
  if (table === null || (isTable && record.table === table)) throw new Unknown([record.newer]);
  if (record.table === table) {
    const expected = "a record of version 1, as the table is";
    throw new CheckFailed("record-form", { expected, found: record.newer, index: Number(index) });
  }
  const found = `${record.newer} of ${record.table}`;
  throw new CheckFailed("round-records", { expected: `a record of ${table}`, found, index: Number(index) });
}

/**
 * Check that a record is the one that was looked for.
 * @param {Placed} found
 * @param {Record<string, any>} claims values that it must have
 * @returns {Placed} the same
 * @throws {CheckFailed} `round-records`
 */
export function claimed(found, claims) {
  const { record, index } = found;
  const names = Object.keys(claims);
  const told = (of) => quote(names.map((name) => `${name} ${of[name] ?? "none"}`).join(", "));
  const holds = names.every((name) => record[name] === claims[name]);
  must(holds, "round-records", { expected: told(claims), found: told(record), index: Number(index) });
  return found;
}

/**
 * Check that a record is the lock of a round, with a digest of its bets if the table requires one.
 * @param {Placed} found
 * @param {Placed} table
 * @param {number} round
 * @returns {Placed} the same
 * @throws {CheckFailed} `round-records`, `bets-required`
 */
export function claimedLock(found, table, round) {
  claimed(found, { type: "lock", table: table.record.table, round });
  checkDigest(table.record, found.record, Number(found.index));
  return found;
}

/**
 * Check that one record comes after another.
 * @param {Placed} before
 * @param {Placed} after
 * @param {string} check
 * @throws {CheckFailed} `check`
 */
export function mustFollow(before, after, check) {
  const told = {
    expected: `a record after ${before.index}`,
    found: `record ${after.index}`,
    index: Number(after.index),
  };
  must(after.index > before.index, check, told);
}

/**
 * That the times of records do not decrease, in the order of the log (SPEC 4.6).
 * @param {Placed[]} records in any order
 * @throws {CheckFailed} `time-order`
 */
export function mustNotDecrease(records) {
  const ordered = [...records].sort((one, other) => Number(one.index - other.index));
  ordered.slice(1).forEach((each, at) => {
    const [before, found] = [timeOf(ordered[at]), timeOf(each)];
    must(found >= before, "time-order", { expected: `${before} or later`, found, index: Number(each.index) });
  });
}

/**
 * @param {Placed} found
 * @returns {string} the record's own time
 */
export function timeOf({ record }) {
  return record[TIME_OF[record.type]];
}
