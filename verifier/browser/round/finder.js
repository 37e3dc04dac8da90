// Finds the records of a round by finding aids, and authenticates them (SPEC 5.4, 8.2).

import { sameBytes, toHex } from "../basics/bytes.js";
import { CheckFailed, Malformed, NotShown, Unknown } from "../basics/errors.js";
import { parseRounds, parseTables, placeInFile, roundsPath, tablesPath } from "./finding-aids.js";
import { claimed, claimedLock, placed } from "./placed.js";

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
 * @throws {NotShown} `round-records`, if it is not well formed
 */
async function entriesOf(read, path, parse) {
  const bytes = await read(path);
  try {
    return bytes === null ? [] : parse(bytes);
  } catch (error) {
    if (!(error instanceof Malformed)) throw error;
    throw new NotShown("round-records", { expected: error.expected, found: error.found, where: path });
  }
}

/**
 * Nobody signs a hint: one that leads to another record than it should is evidence against nobody.
 * @template T
 * @param {() => T} run looks at the record
 * @returns {T}
 * @throws {NotShown} `round-records`, in the place of the failure
 */
export function byHint(run) {
  try {
    return run();
  } catch (error) {
    if (!(error instanceof CheckFailed) || error.check !== "round-records") throw error;
    const { expected, found, index, where } = error;
    throw new NotShown("round-records", { expected, found, index, where });
  }
}

/**
 * The tables whose ids begin with four bytes, as far as the hints show.
 * @param {import("../log/tiles.js").Read} read
 * @param {import("../log/tiles.js").AuthenticTiles} tiles
 * @param {Uint8Array} prefix
 * @returns {Promise<{index: bigint, id: Uint8Array}[]>} where their records are, and their leaf hashes
 * @throws {CheckFailed} `tile`
 * @throws {NotShown} `round-records`, if a hint leads to another record
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
    if (!sameBytes(id.subarray(0, prefix.length), prefix)) {
      const expected = `a table whose id begins with ${toHex(prefix)}`;
      throw new NotShown("round-records", { expected, found: toHex(id), index: Number(index), where: tablesPath(prefix) });
    }
    found.push({ index, id });
  }
  return found;
}

/**
 * The table to whose record a hint leads.
 * @param {import("../log/tiles.js").AuthenticTiles} tiles
 * @param {bigint} index
 * @returns {Promise<?import("./placed.js").Placed>} `null` if it is of a later version, which nothing of version 1 names
 *   (SPEC 4.9)
 * @throws {CheckFailed} `tile`, `bundle`, `record-form`
 * @throws {NotShown} `round-records`, if it is another record
 * @throws {Unreadable}
 */
export async function tableAt(tiles, index) {
  const bytes = await tiles.record(index);
  try {
    return byHint(() => claimed(placed(bytes, index), { type: "table" }));
  } catch (error) {
    if (!(error instanceof Unknown)) throw error;
    return null;
  }
}

/** Finds the records of one table's rounds. */
export class RoundFinder {
  #read;
  #tiles;
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
    this.#table = table;
  }

  /**
   * @param {number} round
   * @returns {Promise<Hints>}
   */
  async hints(round) {
    const path = roundsPath(this.#table.leaf, round);
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
   * @param {bigint} index to which a hint leads
   * @param {Record<string, any>} claims values that the record must have, besides the table's name
   * @returns {Promise<import("./placed.js").Placed>} the authentic record
   * @throws {CheckFailed} `tile`, `bundle`, `record-form`
   * @throws {NotShown} `round-records`, if it is another record
   * @throws {Unreadable}
   */
  async record(index, claims) {
    const bytes = await this.#tiles.record(index);
    const { table } = this.#table.record;
    return byHint(() => claimed(placed(bytes, index, table), { ...claims, table }));
  }

  /**
   * @param {bigint} index to which the hint leads
   * @param {number} round
   * @returns {Promise<import("./placed.js").Placed>} the lock of the round
   * @throws {CheckFailed} also `bets-required`
   */
  async lock(index, round) {
    return claimedLock(await this.record(index, { type: "lock", round }), this.#table, round);
  }

  /**
   * @param {number} round before a locked round, so that it is locked as well
   * @returns {Promise<bigint>} the index to which the hint of its lock leads
   * @throws {NotShown} `round-records`, if there is no hint
   */
  async lockHint(round) {
    const { lock } = await this.hints(round);
    if (lock === null) {
      throw new NotShown("round-records", { expected: `a hint at the lock of round ${round}`, found: "none" });
    }
    return lock;
  }

  /**
   * Request a round's file of positions. If it is not well formed, `hints` reports that.
   * @param {number} round
   */
  prefetch(round) {
    this.#read(roundsPath(this.#table.leaf, round)).catch(() => {});
  }
}
