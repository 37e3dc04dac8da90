// The seed chain of a batch (SPEC 3.1): each seed is a hash of the next round's, down to the anchor.

import { HASH_SIZE, tag } from "../basics/hashing.js";
import { sha256 } from "../basics/sha256.js";

const TAG = tag("seed");

/**
 * Walk down a chain, link by link, in one buffer: a batch can have 65,536 links.
 * @param {Uint8Array} seed of round `from`
 * @param {object} chain
 * @param {Uint8Array} chain.tableId
 * @param {number} chain.from the round of `seed`
 * @param {number} chain.to the round whose seed is wanted; for the anchor, one less than the batch's first round
 * @param {(seed: Uint8Array, round: number) => void} [each] called with every seed from `from` down to `to + 1`
 * @returns {Uint8Array} the seed of round `to`
 */
export function unroll(seed, { tableId, from, to }, each = () => {}) {
  const message = new Uint8Array(TAG.length + 2 * HASH_SIZE + 8);
  message.set(TAG);
  message.set(tableId, TAG.length);
  const roundAt = TAG.length + HASH_SIZE;
  const numbers = new DataView(message.buffer, roundAt, 8);
  let found = seed;
  for (let round = from; round > to; round -= 1) {
    each(found, round);
    numbers.setUint32(0, Math.floor(round / 2 ** 32));
    numbers.setUint32(4, round % 2 ** 32);
    message.set(found, roundAt + 8);
    found = sha256(message);
  }
  return found;
}

/**
 * One link: `H(tag("seed") || table_id || u64(round) || seed)`.
 * @param {Uint8Array} seed
 * @param {{tableId: Uint8Array, round: number}} of the seed's round
 * @returns {Uint8Array} the seed of the previous round, or the anchor
 */
export function previousSeed(seed, { tableId, round }) {
  return unroll(seed, { tableId, from: round, to: round - 1 });
}

/**
 * @param {Uint8Array} lastSeed
 * @param {{tableId: Uint8Array, first: number, count: number}} batch
 * @returns {{seeds: Uint8Array[], anchor: Uint8Array}} seeds of the rounds `first` to `first + count - 1`, in order
 */
export function seedsAndAnchor(lastSeed, { tableId, first, count }) {
  const seeds = [];
  const chain = { tableId, from: first + count - 1, to: first - 1 };
  const anchor = unroll(lastSeed, chain, (seed) => seeds.push(seed));
  return { seeds: seeds.reverse(), anchor };
}
