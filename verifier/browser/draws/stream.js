// The deterministic bytes of one round (SPEC 3.3), and the draws that read them (3.4).

import { concat } from "../basics/bytes.js";
import { fromBigEndian, tag, u32, u64 } from "../basics/hashing.js";
import { hmacSha256, sha256 } from "../basics/sha256.js";

const TAG = tag("context");
const WORD = 2 ** 32;

/** The salt of a table without one. */
export const NO_SALT = new Uint8Array(32);

/**
 * `H(tag("context") || batch_id || salt)`.
 * @param {Uint8Array} batchId
 * @param {Uint8Array} salt 32 bytes
 * @returns {Uint8Array}
 */
export function contextOf(batchId, salt) {
  return sha256(concat(TAG, batchId, salt));
}

/**
 * Block `j` of one custodian's stream: `HMAC(seed, context || u64(round) || u32(j))`.
 * @param {Uint8Array} seed
 * @param {Uint8Array} context
 * @param {number} round
 * @param {number} j
 * @returns {Uint8Array} 32 bytes
 */
export function block(seed, context, round, j) {
  return hmacSha256(seed, concat(context, u64(round), u32(j)));
}

/** Bytes that are read in order; none is skipped. */
export class Stream {
  #blockAt;
  #blocks = 0;
  #rest = new Uint8Array();

  /** @param {(j: number) => Uint8Array} blockAt returns block j; an empty block ends the stream */
  constructor(blockAt) {
    this.#blockAt = blockAt;
    /** The number of bytes taken so far. */
    this.taken = 0;
  }

  /**
   * The stream of one round: the XOR of the streams of the custodians' seeds.
   * @param {Uint8Array[]} seeds one per custodian
   * @param {Uint8Array} context
   * @param {number} round
   * @returns {Stream}
   */
  static of(seeds, context, round) {
    return new Stream((j) => {
      const [first, ...others] = seeds.map((seed) => block(seed, context, round, j));
      return others.reduce((sum, other) => sum.map((value, at) => value ^ other[at]), first);
    });
  }

  /**
   * @param {number} size
   * @returns {Uint8Array} the next `size` bytes
   */
  take(size) {
    const parts = [this.#rest];
    let have = this.#rest.length;
    while (have < size) {
      const more = this.#blockAt(this.#blocks);
      if (more.length === 0) throw new RangeError("the stream has ended");
      this.#blocks += 1;
      parts.push(more);
      have += more.length;
    }
    const all = concat(...parts);
    this.#rest = all.subarray(size);
    this.taken += size;
    return all.subarray(0, size);
  }

  /**
   * @param {number} m from 1 to 2³²
   * @returns {number} from 0 to m - 1, all equally likely
   */
  below(m) {
    if (!Number.isInteger(m) || m < 1 || m > WORD) throw new RangeError(`below(${m})`);
    const end = WORD - (WORD % m);
    for (;;) {
      const word = Number(fromBigEndian(this.take(4)));
      if (word < end) return word % m;
    }
  }

  /**
   * @param {number} rtp in basis points
   * @param {number} cap in hundredths
   * @returns {number} hundredths, from 100 to `cap`
   */
  multiplier(rtp, cap) {
    const word = fromBigEndian(this.take(8));
    const hundredths = (BigInt(rtp) << 64n) / (100n * (word + 1n));
    if (hundredths > BigInt(cap)) return cap;
    return hundredths < 100n ? 100 : Number(hundredths);
  }

  /**
   * `k` of the numbers 0 to n - 1, in the order of their draws.
   * @param {number} n at most 2³²
   * @param {number} k at most n
   * @returns {number[]}
   */
  sample(n, k) {
    if (k < 0 || k > n || n > WORD) throw new RangeError(`sample(${n}, ${k})`);
    // Only places that were swapped are stored: n may be large, k never is.
    const moved = new Map();
    const at = (place) => moved.get(place) ?? place;
    return Array.from({ length: k }, (_, i) => {
      const other = i + this.below(n - i);
      const drawn = at(other);
      moved.set(other, at(i));
      moved.set(i, drawn);
      return drawn;
    });
  }
}
