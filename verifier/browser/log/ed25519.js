// Ed25519 as the log uses it: every verifier accepts the same signatures, even strange ones (SPEC 5.1). WebCrypto
// checks the equation without cofactor; what it leaves to its implementations is decided here.

import { toHex } from "../basics/bytes.js";
import { Malformed } from "../basics/errors.js";

const KEY_SIZE = 32;
const PRIME = 2n ** 255n - 19n;
const OF_ORDER_8 = 0x7a03ac9277fdc74ec6cc392cfa53202a0f67100d760b3cba4fd84d3d706a17c7n;

/** The y of the eight points whose order divides 8. With such a key, anybody can sign anything. */
const SMALL_ORDER = [0n, 1n, PRIME - 1n, OF_ORDER_8, PRIME - OF_ORDER_8];

/**
 * Check that 32 bytes are the one spelling of a point, and that the point is not of small order.
 * @param {Uint8Array} key
 * @throws {Malformed}
 */
export function checkPublicKey(key) {
  if (key.length !== KEY_SIZE) refuse(`a key of ${KEY_SIZE} bytes`, key);
  const y = yOf(key);
  if (y >= PRIME) refuse("a key with y below 2^255 - 19", key);
  if (SMALL_ORDER.includes(y)) refuse("a key that is not of small order", key);
  // x² is (y² - 1) / (d·y² + 1) with d = -121665 / 121666: a square if and only if the product of the two is one.
  const square = y * y;
  const product = (square - 1n) * (121666n - 121665n * square) * 121666n;
  if (power(product, (PRIME - 1n) / 2n) !== 1n) refuse("a key that is a point of the curve", key);
}

/**
 * @param {Uint8Array} signature
 * @returns {boolean} whether its R is of small order
 */
export function hasSmallR(signature) {
  return SMALL_ORDER.includes(yOf(signature.subarray(0, KEY_SIZE)));
}

function yOf(point) {
  return point.reduceRight((sum, value) => sum * 256n + BigInt(value), 0n) % 2n ** 255n;
}

function power(base, exponent) {
  let result = 1n;
  let square = ((base % PRIME) + PRIME) % PRIME;
  for (let left = exponent; left > 0n; left >>= 1n) {
    if (left & 1n) result = (result * square) % PRIME;
    square = (square * square) % PRIME;
  }
  return result;
}

function refuse(expected, key) {
  throw new Malformed("verifier key", expected, toHex(key.subarray(0, 40)));
}
