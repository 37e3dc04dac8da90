// What is hashed, and how: numbers of fixed width, tags, leaves and nodes (SPEC 2).

import { concat, utf8 } from "./bytes.js";
import { sha256 } from "./sha256.js";

/** Bytes of a hash, a seed, an id, a salt. */
export const HASH_SIZE = 32;

/**
 * `n` in `size` bytes, big-endian; `u32`, `u48` and `u64` of SPEC.
 * @param {number|bigint} n
 * @param {number} size
 * @returns {Uint8Array}
 */
export function bigEndian(n, size) {
  const bytes = new Uint8Array(size);
  let rest = BigInt(n);
  for (let at = size - 1; at >= 0; at -= 1) {
    bytes[at] = Number(rest & 0xffn);
    rest >>= 8n;
  }
  if (rest !== 0n) throw new RangeError(`${n} does not fit in ${size} bytes`);
  return bytes;
}

/**
 * @param {number|bigint} n from 0 to 2⁶⁴-1
 * @returns {Uint8Array} 8 bytes
 */
export const u64 = (n) => bigEndian(n, 8);

/**
 * @param {number} n from 0 to 2³²-1
 * @returns {Uint8Array} 4 bytes
 */
export const u32 = (n) => bigEndian(n, 4);

/**
 * @param {Uint8Array} bytes at most 8
 * @returns {bigint}
 */
export function fromBigEndian(bytes) {
  return bytes.reduce((n, value) => (n << 8n) | BigInt(value), 0n);
}

/**
 * @param {string} name
 * @returns {Uint8Array} `foredraw/v1/`, the name, one zero byte
 */
export function tag(name) {
  return utf8(`foredraw/v1/${name}\0`);
}

/**
 * @param {Uint8Array} data
 * @returns {Uint8Array} `H(0x00 || data)`
 */
export function leafHash(data) {
  return sha256(concat(Uint8Array.of(0), data));
}

/**
 * @param {Uint8Array} left 32 bytes
 * @param {Uint8Array} right 32 bytes
 * @returns {Uint8Array} `H(0x01 || left || right)`
 */
export function nodeHash(left, right) {
  const both = new Uint8Array(1 + 2 * HASH_SIZE);
  both[0] = 1;
  both.set(left, 1);
  both.set(right, 1 + HASH_SIZE);
  return sha256(both);
}
