// A log's tiles and bundles. Nothing is accepted unless the checkpoint's root authenticates it (SPEC 5.2).

import { sameBytes, toHex } from "../basics/bytes.js";
import { CheckFailed, Unreadable } from "../basics/errors.js";
import { HASH_SIZE, leafHash, nodeHash } from "../basics/hashing.js";
import { EMPTY_ROOT, rootOfHashes } from "./merkle.js";
import { tilePath, tileWidth, WIDTH } from "./tile-paths.js";

/**
 * Reads one static file of a log, such as `checkpoint` or `tile/0/x001/234`, by its path below the log's prefix (SPEC
 * 5). What it returns is not verified. `null` means that the file is known not to exist. If nothing is known, it
 * throws `Unreadable`.
 * @callback Read
 * @param {string} path
 * @returns {Promise<?Uint8Array>}
 */

const LEVEL_BITS = 8n;

/**
 * @param {Uint8Array} bytes a bundle
 * @param {{count: number, where?: ?string}} expected how many records it has, and its path
 * @returns {Uint8Array[]}
 * @throws {CheckFailed} `bundle`
 */
export function splitBundle(bytes, { count, where = null }) {
  const records = [];
  let at = 0;
  while (records.length < count && at + 2 <= bytes.length) {
    const end = at + 2 + bytes[at] * 256 + bytes[at + 1];
    if (end > bytes.length) break;
    records.push(bytes.subarray(at + 2, end));
    at = end;
  }
  if (records.length !== count || at !== bytes.length) {
    const found = `${records.length} and ${bytes.length - at} bytes more`;
    throw new CheckFailed("bundle", { expected: `${count} whole records`, found, where });
  }
  return records;
}

/** The authentic hashes and records of the log of one checkpoint. */
export class AuthenticTiles {
  #read;
  #tiles = new Map();
  #edge = null;

  /**
   * @param {import("./checkpoints.js").Checkpoint} checkpoint
   * @param {Read} read it reads each file only once (`readOnce`)
   */
  constructor(checkpoint, read) {
    this.checkpoint = checkpoint;
    this.#read = read;
  }

  /**
   * Check that the partial tiles lead to the checkpoint's root.
   * @returns {Promise<void>}
   * @throws {CheckFailed} `tile`
   * @throws {Unreadable}
   */
  checkEdge() {
    this.#edge ??= this.#checkEdge();
    return this.#edge;
  }

  async #checkEdge() {
    const { size, root } = this.checkpoint;
    const widths = [];
    for (let left = size; left > 0n; left >>= LEVEL_BITS) widths.push(Number(left % BigInt(WIDTH)));
    const tiles = await Promise.all(widths.map((width, level) => width && this.#partialTile(level, width)));
    let below = null;
    for (const hashes of tiles.filter(Boolean)) below = rootOfHashes(below ? [...hashes, below] : hashes);
    const found = below ?? EMPTY_ROOT;
    if (!sameBytes(found, root)) {
      const told = { expected: `root ${toHex(root)}`, found: `root ${toHex(found)}`, where: "the partial tiles" };
      throw new CheckFailed("tile", told);
    }
  }

  #partialTile(level, width) {
    const number = this.checkpoint.size >> (LEVEL_BITS * BigInt(level + 1));
    const hashes = this.#hashes(level, number, width);
    this.#keep(`${level} ${number}`, hashes);
    return hashes;
  }

  /** Remember a tile that was requested. If it fails and nobody waits for it, the failure does not matter. */
  #keep(key, hashes) {
    hashes.catch(() => {});
    this.#tiles.set(key, hashes);
  }

  /**
   * Request the files that the record at `index` will need: they follow from the size alone.
   * @param {bigint} index below the checkpoint's size
   */
  prefetch(index) {
    const { size } = this.checkpoint;
    this.#bundle(index / BigInt(WIDTH)).catch(() => {});
    for (let [level, number] = [0, index / BigInt(WIDTH)]; tileWidth(size, level, number) === WIDTH; level += 1) {
      this.#read(tilePath(level, number, WIDTH)).catch(() => {});
      number /= BigInt(WIDTH);
    }
  }

  /**
   * @param {bigint} index below the checkpoint's size
   * @returns {Promise<Uint8Array>} the authentic leaf hash of the record
   * @throws {CheckFailed} `tile`
   * @throws {Unreadable}
   * @throws {RangeError} if there is no such record
   */
  async leaf(index) {
    this.#mustHave(index);
    const hashes = await this.#tile(0, index / BigInt(WIDTH));
    return hashes[Number(index % BigInt(WIDTH))];
  }

  /**
   * @param {bigint} index below the checkpoint's size
   * @returns {Promise<Uint8Array>} the authentic bytes of the record
   * @throws {CheckFailed} `tile`, `bundle`
   * @throws {Unreadable}
   */
  async record(index) {
    this.#mustHave(index);
    const number = index / BigInt(WIDTH);
    const [expected, { records, where }] = await Promise.all([this.leaf(index), this.#bundle(number)]);
    const record = records[Number(index % BigInt(WIDTH))];
    const found = leafHash(record);
    if (!sameBytes(found, expected)) {
      const told = { expected: toHex(expected), found: `leaf hash ${toHex(found)}`, index: Number(index), where };
      throw new CheckFailed("bundle", told);
    }
    return record;
  }

  #mustHave(index) {
    if (index < 0n || index >= this.checkpoint.size) throw new RangeError(`no record ${index}`);
  }

  /** A tile that is authenticated by the level above, or by the checkpoint. */
  #tile(level, number) {
    const key = `${level} ${number}`;
    // `checkEdge` keeps the partial tiles, which the checkpoint itself authenticates.
    const edge = this.checkEdge();
    if (!this.#tiles.has(key)) this.#keep(key, this.#fullTile(level, number));
    return edge.then(() => this.#tiles.get(key));
  }

  async #fullTile(level, number) {
    const above = number / BigInt(WIDTH);
    const [hashes, parent] = await Promise.all([this.#hashes(level, number, WIDTH), this.#tile(level + 1, above)]);
    const expected = parent[Number(number % BigInt(WIDTH))];
    const found = rootOfHashes(hashes);
    if (!sameBytes(found, expected)) {
      const where = tilePath(level, number, WIDTH);
      throw new CheckFailed("tile", { expected: toHex(expected), found: `root ${toHex(found)}`, where });
    }
    return hashes;
  }

  async #hashes(level, number, width) {
    const file = await this.#partialOrFull(level, number, width);
    if (file.bytes.length !== file.held * HASH_SIZE) {
      const expected = `${file.held * HASH_SIZE} bytes`;
      throw new CheckFailed("tile", { expected, found: `${file.bytes.length} bytes`, where: file.path });
    }
    return Array.from({ length: width }, (_, at) => file.bytes.subarray(at * HASH_SIZE, (at + 1) * HASH_SIZE));
  }

  /** The records of a bundle, not verified yet. */
  async #bundle(number) {
    const { bytes, path, held } = await this.#partialOrFull(
      "entries",
      number,
      tileWidth(this.checkpoint.size, 0, number),
    );
    return { records: splitBundle(bytes, { count: held, where: path }), where: path };
  }

  /**
   * A file, with its path and the number of entries that it must have: the partial one or, if that cannot be read,
   * the full one. Some stores do not say that a file is missing, but refuse it (403).
   */
  async #partialOrFull(kind, number, width) {
    const path = tilePath(kind, number, width);
    const full = tilePath(kind, number, WIDTH);
    let refusal = new Unreadable(path, "it is not there");
    try {
      const bytes = await this.#read(path);
      if (bytes !== null) return { bytes, path, held: width };
    } catch (error) {
      if (!(error instanceof Unreadable) || path === full) throw error;
      refusal = error;
    }
    const whole = path === full ? null : await this.#read(full);
    if (whole === null) throw refusal;
    return { bytes: whole, path: full, held: WIDTH };
  }

  /** The root of a perfect subtree: of the 2^level records from `index · 2^level` on. */
  async #subtree(level, index) {
    const tileLevel = Math.floor(level / 8);
    const height = level % 8;
    const first = index << BigInt(height);
    const hashes = await this.#tile(tileLevel, first / BigInt(WIDTH));
    const at = Number(first % BigInt(WIDTH));
    return rootOfHashes(hashes.slice(at, at + 2 ** height));
  }

  /**
   * @param {bigint} index below the checkpoint's size
   * @returns {Promise<Uint8Array[]>} the record's audit path (RFC 6962, 2.1.1), the leaf's sibling first
   */
  async inclusionPath(index) {
    const path = [];
    let [low, high] = [0n, this.checkpoint.size];
    while (high - low > 1n) {
      let half = 1n;
      while (half * 2n < high - low) half *= 2n;
      const middle = low + half;
      path.unshift(index < middle ? this.rootOfRange(middle, high) : this.rootOfRange(low, middle));
      [low, high] = index < middle ? [low, middle] : [middle, high];
    }
    return Promise.all(path);
  }

  /**
   * MTH over the records `from` to `to - 1`. `from` is a multiple of a power of two that is at least their number.
   * @param {bigint} from
   * @param {bigint} to
   * @returns {Promise<Uint8Array>}
   */
  async rootOfRange(from, to) {
    const parts = [];
    for (let at = from; at < to;) {
      let level = 0;
      while (at % (2n << BigInt(level)) === 0n && at + (2n << BigInt(level)) <= to) level += 1;
      parts.push(this.#subtree(level, at >> BigInt(level)));
      at += 1n << BigInt(level);
    }
    const roots = await Promise.all(parts);
    return roots.length ? roots.reduceRight((right, left) => nodeHash(left, right)) : EMPTY_ROOT;
  }
}
