// The curve BLS12-381, y² = x³ + 4 over Fp, and its group G1 of prime order r, to which pulses belong.
//
// A point is { x, y, z } in Jacobian coordinates, for (x/z², y/z³); z is 0 at infinity.

import { toHex } from "../basics/bytes.js";
import { Malformed } from "../basics/errors.js";
import { mod, P, power, rootOfPlusOrMinus } from "./field.js";

/** The curve's parameter is -X: r = X⁴ - X² + 1. */
export const X = 0xd201000000010000n;

/**
 * A third root of 1: (x, y) → (BETA·x, y) maps the curve to itself. In G1 it multiplies by -X²; the other root does
 * not.
 */
const BETA = power(2n, (P - 1n) / 3n);

const SIZE = 48;
const COMPRESSED = 0x80;
const INFINITY = 0x40;
const LARGER = 0x20;
const FLAGS = COMPRESSED | INFINITY | LARGER;

/**
 * A point of G1 from its one compressed spelling: three flags, and x in 381 bits (ZCash's format).
 * @param {Uint8Array} bytes
 * @returns {{x: bigint, y: bigint, z: bigint}} not infinity; z is 1
 * @throws {Malformed}
 */
export function decodePoint(bytes) {
  const x = compressedCoordinate(bytes, SIZE);
  const square = x * x * x + 4n;
  const y = rootOfPlusOrMinus(square);
  if ((y * y - square) % P !== 0n) refuse("x of a point of the curve", bytes);
  const point = { x, y: isLarger(y) === hasLargerY(bytes) ? y : P - y, z: 1n };
  if (!isInSubgroup(point)) refuse("a point of the subgroup of prime order", bytes);
  return point;
}

/**
 * The coordinate in the first 48 bytes of a compressed point, without the flags.
 * @param {Uint8Array} bytes
 * @param {number} size of a point of this group
 * @returns {bigint} below P
 * @throws {Malformed} also at infinity
 */
export function compressedCoordinate(bytes, size) {
  if (bytes.length !== size) refuse(`${size} bytes`, bytes);
  if ((bytes[0] & (COMPRESSED | INFINITY)) !== COMPRESSED) refuse("flags of a compressed point, not infinity", bytes);
  const digits = toHex(bytes.subarray(0, SIZE));
  const x = BigInt(`0x${digits}`) & ~(BigInt(FLAGS) << 376n);
  if (x >= P) refuse("a coordinate below the field's prime", bytes);
  return x;
}

/** Whether the flags name the larger y of the two. */
export const hasLargerY = (bytes) => (bytes[0] & LARGER) !== 0;

/** Whether y is the larger of y and P - y. */
export const isLarger = (y) => 2n * mod(y) > P;

/**
 * @param {string} expected
 * @param {Uint8Array} bytes
 * @throws {Malformed}
 */
export function refuse(expected, bytes) {
  throw new Malformed("point of BLS12-381", expected, toHex(bytes.subarray(0, SIZE)));
}

/**
 * Check that a point of the curve is in G1. If BETA multiplies it by -X², then X⁴ - X² + 1 multiplies it to infinity,
 * because BETA² + BETA + 1 = 0; and that is r.
 */
function isInSubgroup({ x, y, z }) {
  const times = timesX(timesX({ x, y, z }));
  const square = (times.z * times.z) % P;
  // At infinity times.z is 0 and times.x is not, so this fails.
  const sameX = (BETA * x * square - times.x) % P === 0n;
  return sameX && (y * square * times.z + times.y) % P === 0n;
}

/** The point X times. */
export function timesX(point) {
  let sum = point;
  for (const bit of X.toString(2).slice(1)) {
    sum = twice(sum);
    if (bit === "1") sum = plus(sum, point);
  }
  return sum;
}

/** -point. */
export const negative = ({ x, y, z }) => ({ x, y: -y, z });

/** The sum of two points, which may be equal, or infinity. */
export function plus(first, second) {
  if (first.z === 0n) return second;
  if (second.z === 0n) return first;
  const zz1 = (first.z * first.z) % P;
  const zz2 = (second.z * second.z) % P;
  const x1 = (first.x * zz2) % P;
  const y1 = (((first.y * second.z) % P) * zz2) % P;
  const h = (second.x * zz1 - x1) % P;
  const r = (((second.y * first.z) % P) * zz1 - y1) % P;
  if (h === 0n) return r === 0n ? twice(first) : { x: 1n, y: 1n, z: 0n };
  const hh = (h * h) % P;
  const hhh = (h * hh) % P;
  const v = (x1 * hh) % P;
  const x = (r * r - hhh - 2n * v) % P;
  return { x, y: (r * (v - x) - y1 * hhh) % P, z: (((first.z * second.z) % P) * h) % P };
}

function twice({ x, y, z }) {
  const yy = (y * y) % P;
  const s = (4n * x * yy) % P;
  const m = (3n * x * x) % P;
  const x2 = (m * m - 2n * s) % P;
  return { x: x2, y: (m * (s - x2) - 8n * yy * yy) % P, z: (2n * y * z) % P };
}
