// A record with its index, and whether it is what it is claimed to be (SPEC 8.2, 8.6).

import { quote } from "../basics/errors.js";
import { leafHash } from "../basics/hashing.js";
import { parseRecord } from "../records/record.js";
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
 * @returns {Placed}
 * @throws {CheckFailed} `record-form`
 */
export function placed(bytes, index) {
  return { index, bytes, leaf: leafHash(bytes), record: parseRecord(bytes, Number(index)) };
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
 * That times do not decrease (SPEC 4.6).
 * @param {string[]} times
 * @param {Placed[]} records of these times
 * @throws {CheckFailed} `time-order`
 */
export function mustNotDecrease(times, records) {
  for (let at = 1; at < times.length; at += 1) {
    const told = { expected: `${times[at - 1]} or later`, found: times[at], index: Number(records[at].index) };
    must(times[at] >= times[at - 1], "time-order", told);
  }
}
