// From bytes to a point of G1 whose discrete logarithm nobody knows: RFC 9380's hash_to_curve, suite
// BLS12381G1_XMD:SHA-256_SSWU_RO_ (section 8.8.1), under the tag that drand uses.

import { concat, utf8 } from "../basics/bytes.js";
import { bigEndian } from "../basics/hashing.js";
import { sha256 } from "../basics/sha256.js";
import { plus, timesX } from "./curve.js";
import { inverse, mod, P, power, rootOfPlusOrMinus } from "./field.js";

const HASH_SIZE = 32;
const BLOCK_SIZE = 64;
/** Bytes for an element of the field: 128 bits more than P has, so that all elements are equally likely. */
const ELEMENT_SIZE = 64;

const TAG = utf8("BLS_SIG_BLS12381G1_XMD:SHA-256_SSWU_RO_NUL_");

// The curve y² = x³ + A·x + B, from which an isogeny of degree 11 leads to BLS12-381; and Z.
const A = 0x144698a3b8e9433d693a02c96d4982b0ea985383ee66a8d8e8981aefd881ac98936f8da0e0f97f5cf428082d584c1dn;
const B = 0x12e2908d11688030018b12e8753eee3b2016c1f0f24f4070a0b9c14fcef35ef55a23215a316ceaa5d1cc48e98e172be0n;
const Z = 11n;

/** √(-Z³). Neither Z nor -1 is a square. */
const ROOT = rootOfPlusOrMinus(-(Z ** 3n));

/** The x coordinates of the isogeny's kernel are the five roots of this polynomial; coefficients from x⁵ down. */
const KERNEL = [
  1n,
  0x4afe09d5cf4956a23b6b71f59d2b3407b415a774b7be81bbb6fa99cbc798e0ac98ba725a5bc328016b1c268b4766e85n,
  0x94440f65f408a6e930e16e3e92dd17bf60d6e9679a8d3d58593de55ac23703042d609537eb3549aac234d896ca82944n,
  0x1335c502c1f54c49aceea65e87fd7203ba0f626f305fc0cfd606a5dae9f3c8e81a4b3b69600129fabd307c69bf319d39n,
  0x264908af037bcede00d054cf5d4775e83eb6cf63c76b969f8ed174fb59fcff78d201f46f6cfc4ed6552e59ce75177b0n,
  0x133341fb0962a34cb0504a9c4fada0a5090d38679b4c040d5d1c3afb023a3409fcc0815fea66d8b02bbef9c8b5a66e07n,
];
const KERNEL_1 = derivative(KERNEL);
const KERNEL_2 = derivative(KERNEL_1);
const KERNEL_3 = derivative(KERNEL_2);

/**
 * @param {Uint8Array} message
 * @param {Uint8Array} [tag] at most 255 bytes
 * @returns {{x: bigint, y: bigint, z: bigint}} a point of G1
 */
export function hashToCurve(message, tag = TAG) {
  const bytes = expandMessage(message, tag, 2 * ELEMENT_SIZE);
  const [first, second] = [bytes.subarray(0, ELEMENT_SIZE), bytes.subarray(ELEMENT_SIZE)].map(integer);
  const sum = plus(mapToCurve(first % P), mapToCurve(second % P));
  // To the subgroup: h_eff is X + 1.
  return plus(timesX(sum), sum);
}

/**
 * expand_message_xmd with SHA-256 (section 5.3.1).
 * @param {Uint8Array} message
 * @param {Uint8Array} tag at most 255 bytes
 * @param {number} size at most 255 · 32
 * @returns {Uint8Array} `size` bytes
 */
export function expandMessage(message, tag, size) {
  const suffix = concat(tag, Uint8Array.of(tag.length));
  const start = concat(new Uint8Array(BLOCK_SIZE), message, bigEndian(size, 2), Uint8Array.of(0), suffix);
  const first = sha256(start);
  const blocks = [sha256(concat(first, Uint8Array.of(1), suffix))];
  while (blocks.length * HASH_SIZE < size) {
    const mixed = first.map((value, at) => value ^ blocks.at(-1)[at]);
    blocks.push(sha256(concat(mixed, Uint8Array.of(blocks.length + 1), suffix)));
  }
  return concat(...blocks).subarray(0, size);
}

/**
 * map_to_curve: the simplified SWU map (section 6.6.2), then the isogeny.
 * @param {bigint} u from 0 to P - 1
 * @returns {{x: bigint, y: bigint, z: bigint}} a point of the curve, in G1 or not
 */
export function mapToCurve(u) {
  const zuu = (Z * u * u) % P;
  const t = inverse(zuu * zuu + zuu);
  let x = t === 0n ? B * inverse(Z * A) : -B * inverse(A) * (1n + t);
  x = mod(x);
  const square = rightSide(x);
  let y = rootOfPlusOrMinus(square);
  if ((y * y - square) % P !== 0n) {
    // Then y² has the other sign, and this is a root of the right side at Z·u²·x.
    x = mod(zuu * x);
    y = mod(u * u * u * ROOT * y);
  }
  return isogeny(x, (u ^ y) & 1n ? -y : y);
}

/**
 * The isogeny of section 8.8.1 by Kohel's formulas: with ψ the polynomial of the kernel, it is (φ/ψ², y·(φ/ψ²)′), and
 * then a change of coordinates by 11. The rational functions of appendix E.2 are these, multiplied out.
 */
function isogeny(x, y) {
  const [k, k1, k2, k3] = [KERNEL, KERNEL_1, KERNEL_2, KERNEL_3].map((polynomial) => evaluate(polynomial, x));
  const f = rightSide(x);
  const f1 = 3n * x * x + A;
  const bend = (k1 * k1 - k2 * k) % P;
  const rest = (11n * x + 2n * KERNEL[1]) % P;
  const phi = (4n * f * bend - 2n * f1 * ((k1 * k) % P) + rest * ((k * k) % P)) % P;
  const ofBend = 4n * ((f1 % P) * bend + f * ((k1 * k2 - k3 * k) % P));
  const ofMiddle = 12n * x * ((k1 * k) % P) + 2n * (f1 % P) * ((k2 * k + k1 * k1) % P);
  const phi1 = (ofBend - ofMiddle + 11n * ((k * k) % P) + 2n * rest * ((k * k1) % P)) % P;
  return { x: phi, y: (y * ((phi1 * k - 2n * phi * k1) % P)) % P, z: (11n * k) % P };
}

const rightSide = (x) => ((((x * x) % P) + A) * x + B) % P;

function evaluate(polynomial, x) {
  return polynomial.reduce((sum, c) => (sum * x + c) % P);
}

function derivative(polynomial) {
  const degree = polynomial.length - 1;
  return polynomial.slice(0, degree).map((c, k) => c * BigInt(degree - k));
}

function integer(bytes) {
  return bytes.reduce((n, value) => (n << 8n) | BigInt(value), 0n);
}
