// G2: the group of prime order r on the twist y² = x³ + 4·(1 + u) over Fp2, to which beacons' keys belong.
//
// A point is { x, y } of Fp2; infinity is not one of them.

import { toHex } from "../basics/bytes.js";
import { compressedCoordinate, hasLargerY, isLarger, refuse, X } from "./curve.js";
import { add, conjugate, double, equal, inverse2, mod, multiply } from "./field.js";
import { P, power2, scale, square, squareRoot2, subtract } from "./field.js";

/** Bytes of a compressed point. */
export const KEY_SIZE = 96;
const HALF = 48;

/** G2's generator (draft-irtf-cfrg-pairing-friendly-curves-11, section 4.2.1). */
export const GENERATOR = {
  x: [
    0x024aa2b2f08f0a91260805272dc51051c6e47ad4fa403b02b4510b647ae3d1770bac0326a805bbefd48056c8c121bdb8n,
    0x13e02b6052719f607dacd3a088274f65596bd0d09920b61ab5da61bbdc7f5049334cf11213945d57e5ac7d055d042b7en,
  ],
  y: [
    0x0ce5d527727d6e118cc9cdc6da2e351aadfd9baa8cbdd3a76d429a695160d12c923ac9cc3baca289e193548608b82801n,
    0x0606c4a02ea734cc32acd2b02bc28b99cb3e287e85a763af267492ab572e99ab3f370d275cec1da1aaa9075ff05f79ben,
  ],
};

// Frobenius on the twist: (x, y) → (FROBENIUS_X·conj(x), FROBENIUS_Y·conj(y)).
const FROBENIUS_X = inverse2(power2([1n, 1n], (P - 1n) / 3n));
const FROBENIUS_Y = inverse2(power2([1n, 1n], (P - 1n) / 2n));

/**
 * The lines of a point of G2, from its one compressed spelling: three flags, then x, the coefficient of u first
 * (ZCash's format).
 * @param {Uint8Array} bytes
 * @returns {bigint[][][]}
 * @throws {Malformed}
 */
export function linesOfKey(bytes) {
  const lines = linesOf(decodeKey(bytes));
  if (lines === null) refuse("a point of the subgroup of prime order", bytes);
  return lines;
}

function decodeKey(bytes) {
  const second = compressedCoordinate(bytes, KEY_SIZE);
  const first = BigInt(`0x${toHex(bytes.subarray(HALF))}`);
  if (first >= P) refuse("a coordinate below the field's prime", bytes);
  const x = [first, second];
  const y = squareRoot2(add(multiply(square(x), x), [4n, 4n]));
  if (y === null) refuse("x of a point of the twist", bytes);
  const larger = mod(y[1]) === 0n ? isLarger(y[0]) : isLarger(y[1]);
  return { x, y: larger === hasLargerY(bytes) ? y : scale(y, -1n) };
}

/**
 * The lines that double and add a point of G2 until it is multiplied by X, in order: all that Miller's loop needs of
 * this point, computed once.
 *
 * A line is [slope, offset], for Y - slope·X + offset = 0.
 * @param {{x: bigint[], y: bigint[]}} point
 * @returns {?bigint[][][]} `null` if the point is not in the subgroup of prime order
 */
export function linesOf(point) {
  const lines = [];
  let at = point;
  const step = (rise, run, other) => {
    const slope = multiply(rise, inverse2(run));
    lines.push([slope, subtract(multiply(slope, at.x), at.y)]);
    const x = subtract(subtract(square(slope), at.x), other.x);
    at = { x, y: subtract(multiply(slope, subtract(at.x, x)), at.y) };
    return !equal(run, [0n, 0n]);
  };
  for (const bit of X.toString(2).slice(1)) {
    if (!step(scale(square(at.x), 3n), double(at.y), at)) return null;
    if (bit === "1" && !step(subtract(at.y, point.y), subtract(at.x, point.x), point)) return null;
  }
  return isImage(point, at) ? lines : null;
}

/** Frobenius multiplies by -X in G2, and only there (Scott, ePrint 2021/1130). */
function isImage({ x, y }, times) {
  const image = { x: multiply(FROBENIUS_X, conjugate(x)), y: multiply(FROBENIUS_Y, conjugate(y)) };
  return equal(image.x, times.x) && equal(image.y, scale(times.y, -1n));
}
