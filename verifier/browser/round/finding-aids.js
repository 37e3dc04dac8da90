// Finding aids (SPEC 5.4): where in the log records are. They are hints, and prove nothing.

import { toHex } from "../basics/bytes.js";
import { Malformed } from "../basics/errors.js";
import { fromBigEndian } from "../basics/hashing.js";
import { hashedPath, numberPath } from "../log/tile-paths.js";

const POSITION = 8;

/** Rounds in a file. */
export const ROUNDS_PER_FILE = 256;

/**
 * @param {Uint8Array} prefix the first 4 bytes of a table's id
 * @returns {string}
 */
export function tablesPath(prefix) {
  return hashedPath("find/tables", toHex(prefix));
}

/**
 * @param {Uint8Array} tableId
 * @param {number} round
 * @returns {string} the file that the round is in
 */
export function roundsPath(tableId, round) {
  return `${hashedPath("find/rounds", toHex(tableId))}/${numberPath(BigInt(Math.floor((round - 1) / ROUNDS_PER_FILE)))}`;
}

/**
 * @param {number} round
 * @returns {number} its place in its file, from 0
 */
export function placeInFile(round) {
  return (round - 1) % ROUNDS_PER_FILE;
}

/**
 * @param {Uint8Array} bytes
 * @returns {{table: bigint, end: bigint, close: bigint}[]} 0 means "not yet", except for `table`
 * @throws {Malformed}
 */
export function parseTables(bytes) {
  const found = entries(bytes, 3).map(([table, end, close]) => ({ table, end, close }));
  found.slice(1).forEach(({ table }, at) => {
    const before = found[at].table;
    if (table <= before) throw new Malformed("finding aid", `a position after ${before}`, `${table}`);
  });
  return found;
}

/**
 * @param {Uint8Array} bytes
 * @returns {{batch: bigint, salt: bigint, lock: bigint, reveal: bigint}[]} 0 means "not yet"
 * @throws {Malformed}
 */
export function parseRounds(bytes) {
  return entries(bytes, 4).map(([batch, salt, lock, reveal]) => ({ batch, salt, lock, reveal }));
}

function entries(bytes, positions) {
  const size = positions * POSITION;
  const count = bytes.length / size;
  if (!Number.isInteger(count) || count < 1 || count > ROUNDS_PER_FILE) {
    const expected = `1 to ${ROUNDS_PER_FILE} entries of ${size} bytes`;
    throw new Malformed("finding aid", expected, `${bytes.length} bytes`);
  }
  return Array.from({ length: count }, (_, entry) => {
    return Array.from({ length: positions }, (_each, at) => {
      const start = entry * size + at * POSITION;
      return fromBigEndian(bytes.subarray(start, start + POSITION));
    });
  });
}
