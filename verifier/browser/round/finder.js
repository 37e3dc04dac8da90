// Finds the records of a round by finding aids, and authenticates them (SPEC 5.4, 8.2).

import { sameBytes, toHex } from "../basics/bytes.js";
import { CheckFailed, Malformed } from "../basics/errors.js";
import { must } from "../records/rules.js";
import { parseRounds, parseTables, placeInFile, roundsPath, tablesPath } from "./finding-aids.js";
import { placed } from "./placed.js";

/**
 * Positions of one round's records; `null` if there is none yet below the checkpoint.
 * @typedef {{batch: ?bigint, salt: ?bigint, lock: ?bigint, reveal: ?bigint}} Hints
 */

/**
 * The entries of a finding aid; none if it is missing.
 * @template T
 * @param {import("../log/tiles.js").Read} read
 * @param {string} path
 * @param {(bytes: Uint8Array) => T[]} parse
 * @returns {Promise<T[]>}
 * @throws {CheckFailed} `round-records`, if it is not well formed
 */
async function entriesOf(read, path, parse) {
  const bytes = await read(path);
  try {
    return bytes === null ? [] : parse(bytes);
  } catch (error) {
    if (!(error instanceof Malformed)) throw error;
    throw new CheckFailed("round-records", { expected: error.expected, found: error.found, where: path });
  }
}

/**
 * The tables whose ids begin with four bytes, as far as the hints show.
 * @param {import("../log/tiles.js").Read} read
 * @param {import("../log/tiles.js").AuthenticTiles} tiles
 * @param {Uint8Array} prefix
 * @returns {Promise<{index: bigint, id: Uint8Array}[]>} where their records are, and their leaf hashes
 * @throws {CheckFailed} `tile`; `round-records`, if a hint leads to another record
 * @throws {Unreadable}
 */
export async function findTables(read, tiles, prefix) {
  const rows = await entriesOf(read, tablesPath(prefix), parseTables);
  const indexes = rows.map((row) => row.table).filter((index) => index < tiles.checkpoint.size);
  for (const index of indexes) tiles.prefetch(index);
  const found = [];
  // By their hashes, before any of them is read: a hint may lead to a record that is newer than this program.
  for (const index of indexes) {
    const id = await tiles.leaf(index);
    const told = { expected: `a table whose id begins with ${toHex(prefix)}`, found: toHex(id), index: Number(index) };
    must(sameBytes(id.subarray(0, prefix.length), prefix), "round-records", told);
    found.push({ index, id });
  }
  return found;
}

/** Finds the records of one table's rounds. */
export class RoundFinder {
  #read;
  #tiles;
  #tableId;
  #table;
  #rows = new Map();

  /**
   * @param {import("../log/tiles.js").Read} read
   * @param {import("../log/tiles.js").AuthenticTiles} tiles
   * @param {import("./placed.js").Placed} table
   */
  constructor(read, tiles, table) {
    this.#read = read;
    this.#tiles = tiles;
    this.#tableId = table.leaf;
    this.#table = table.record.table;
  }

  /**
   * @param {number} round
   * @returns {Promise<Hints>}
   */
  async hints(round) {
    const path = roundsPath(this.#tableId, round);
    if (!this.#rows.has(path)) this.#rows.set(path, entriesOf(this.#read, path, parseRounds));
    const row = (await this.#rows.get(path))[placeInFile(round)] ?? {};
    const { size } = this.#tiles.checkpoint;
    const position = (index) => (index === undefined || index === 0n || index >= size ? null : index);
    return {
      batch: position(row.batch),
      salt: position(row.salt),
      lock: position(row.lock),
      reveal: position(row.reveal),
    };
  }

  /**
   * @param {bigint} index
   * @returns {Promise<import("./placed.js").Placed>} the authentic record
   * @throws {CheckFailed} `tile`, `bundle`, `record-form`, `round-records`
   * @throws {Unreadable}
   */
  async record(index) {
    return placed(await this.#tiles.record(index), index, this.#table);
  }

  /**
   * @param {number} round
   * @returns {Promise<import("./placed.js").Placed>} the record to which the hint of the round's lock leads
   * @throws {CheckFailed} also `round-records`, if there is no hint
   */
  async lock(round) {
    return this.record(await this.lockHint(round));
  }

  /**
   * @param {number} round before a locked round, so that it is locked as well
   * @returns {Promise<bigint>} the index to which the hint of its lock leads
   * @throws {CheckFailed} `round-records`, if there is no hint
   */
  async lockHint(round) {
    const { lock } = await this.hints(round);
    if (lock === null) {
      throw new CheckFailed("round-records", { expected: `a hint at the lock of round ${round}`, found: "none" });
    }
    return lock;
  }

  /**
   * Request a round's file of positions. If it is not well formed, `hints` reports that.
   * @param {number} round
   */
  prefetch(round) {
    this.#read(roundsPath(this.#tableId, round)).catch(() => {});
  }
}
