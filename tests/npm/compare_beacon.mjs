// Compares the beacon's modules of verifier/browser with @noble/curves, which nobody of this project wrote:
//
//     node tests/npm/compare_beacon.mjs CASES [SEED]
//
// Writes a line of JSON: for each kind of case, how many both accepted and how many both refused. Ends with status 1,
// and the case, if they disagree.

import { createHash } from "node:crypto";

import { bls12_381 as noble } from "@noble/curves/bls12-381.js";

import { Beacon } from "../../verifier/browser/beacon/chain.js";
import { plus, timesX } from "../../verifier/browser/beacon/curve.js";
import { inverse, mod, P } from "../../verifier/browser/beacon/field.js";
import { hashToCurve, mapToCurve } from "../../verifier/browser/beacon/hash-to-curve.js";
import { checkPulse } from "../../verifier/browser/beacon/pulse.js";
import { linesOfKey } from "../../verifier/browser/beacon/twist.js";
import { Malformed } from "../../verifier/browser/basics/errors.js";
import { u64 } from "../../verifier/browser/basics/hashing.js";
import { sha256 } from "../../verifier/browser/basics/sha256.js";

const TAG = "BLS_SIG_BLS12381G1_XMD:SHA-256_SSWU_RO_NUL_";
const CASES_OF_A_KEY = 500;
const G1 = noble.G1.Point;
const G2 = noble.G2.Point;
const FLAGS = 0xe0;

const count = Number(process.argv[2]);
const seed = process.argv[3] ?? "1";
if (!Number.isSafeInteger(count) || count < 1) {
  process.stderr.write("how many cases? node tests/npm/compare_beacon.mjs CASES [SEED]\n");
  process.exit(2);
}

let drawn = 0;

function random(size) {
  drawn += 1;
  const blocks = [];
  for (let at = 0; at * 32 < size; at += 1) blocks.push(createHash("sha256").update(`${seed} ${drawn} ${at}`).digest());
  return new Uint8Array(Buffer.concat(blocks).subarray(0, size));
}

const number = (bytes) => bytes.reduce((n, value) => n * 256n + BigInt(value), 0n);
const below = (limit) => Number(number(random(8)) % BigInt(limit));
const scalar = () => (number(random(40)) % (noble.fields.Fr.ORDER - 1n)) + 1n;
const element = () => number(random(64)) % P;

function flipped(bytes) {
  const changed = bytes.slice();
  changed[below(bytes.length)] ^= 1 << below(8);
  return changed;
}

function withFlags(bytes, flags) {
  const changed = bytes.slice();
  changed[0] = (changed[0] & ~FLAGS) | (flags << 5);
  return changed;
}

/** The same x, or any number that this size can hold, and P more. */
function withLargerX(bytes, { start = 0, size = 48 } = {}) {
  const changed = bytes.slice();
  const part = changed.subarray(start, start + size);
  const flags = start === 0 ? part[0] & FLAGS : 0;
  part[0] &= start === 0 ? ~FLAGS : 0xff;
  let larger = number(part) + P;
  if (start === 0 && larger >= 1n << 381n) larger = P + (element() % ((1n << 381n) - P));
  for (let at = size - 1; at >= 0; at -= 1, larger >>= 8n) part[at] = Number(larger & 0xffn);
  part[0] |= flags;
  return changed;
}

/** The compressed spelling of any point of the curve or the twist: Noble writes only those of G1 and G2. */
function spelled(point) {
  const { x, y } = point.toAffine();
  const [words, sign] = typeof x === "bigint" ? [[x], y] : [[x.c1, x.c0], y.c1 || y.c0];
  const digits = words.map((word) => word.toString(16).padStart(96, "0")).join("");
  return withFlags(new Uint8Array(Buffer.from(digits, "hex")), 2n * sign > P ? 5 : 4);
}

/** A point of the curve as it comes, in G1 almost never. */
function unclearedPoint() {
  for (;;) {
    const x = element();
    const y = noble.fields.Fp.pow(mod(x ** 3n + 4n), (P + 1n) / 4n);
    if (mod(y * y) === mod(x ** 3n + 4n)) return G1.fromAffine({ x, y });
  }
}

function unclearedKey() {
  const { Fp2 } = noble.fields;
  for (;;) {
    const x = Fp2.create({ c0: element(), c1: element() });
    try {
      const y = Fp2.sqrt(Fp2.add(Fp2.mul(Fp2.sqr(x), x), Fp2.create({ c0: 4n, c1: 4n })));
      return G2.fromAffine({ x, y });
    } catch {
      // No point of the twist has this x.
    }
  }
}

/** r times a point, so only what is not in G1 is left of it. */
function ofCofactor() {
  const point = unclearedPoint();
  return point.multiplyUnsafe(noble.fields.Fr.ORDER - 1n).add(point);
}

let key = null;

function newKey() {
  const secret = scalar();
  const point = G2.BASE.multiply(secret);
  const bytes = point.toBytes();
  const digits = Buffer.from(bytes).toString("hex");
  const group = "0".repeat(64);
  const hash = createHash("sha256").update(Buffer.from([0, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0, 9])).update(bytes);
  const chain = hash.update(Buffer.alloc(32)).update("compared").digest("hex");
  key = { secret, point, bytes, beacon: Beacon.parse(`${chain} 3 9 ${digits} ${group} compared`) };
}

const messageOf = (round) => noble.shortSignatures.hash(sha256(u64(round)), TAG);
const pulseOf = (round) => messageOf(round).multiply(key.secret);

/** For each kind, bytes that somebody sends as the pulse of a round. */
const PULSES = {
  good: (round) => pulseOf(round).toBytes(),
  "of another round": (round) => pulseOf(round + 1n).toBytes(),
  "of the other sign": (round) => pulseOf(round).negate().toBytes(),
  "with another bit": (round) => flipped(pulseOf(round).toBytes()),
  "with other flags": (round) => withFlags(pulseOf(round).toBytes(), below(8)),
  "with a larger x": (round) => withLargerX(pulseOf(round).toBytes()),
  "of random bytes": () => withFlags(random(48), 4 + below(2)),
  "with a part outside of G1": (round) => spelled(pulseOf(round).add(ofCofactor())),
  "outside of G1": () => spelled(unclearedPoint()),
  "another point of G1": (round) => messageOf(round).multiply(scalar()).toBytes(),
  infinity: () => withFlags(new Uint8Array(48), 6),
};

const KEYS = {
  "a good key": () => G2.BASE.multiply(scalar()).toBytes(),
  "a key with another bit": () => flipped(key.bytes),
  "a key with other flags": () => withFlags(key.bytes, below(8)),
  "a key with a larger x": () => withLargerX(key.bytes, { start: 48 * below(2) }),
  "a key outside of G2": () => spelled(unclearedKey()),
};

/** Values of u for which the map has a case of its own: 0, and those with 11·u² = -1. */
const SPECIAL = [0n, 1n, P - 1n, noble.fields.Fp.sqrt(mod(-inverse(11n)))];

const POINTS = {
  "a hashed message": () => {
    const [message, tag] = [random(below(200)), random(1 + below(255))];
    return [hashToCurve(message, tag), noble.G1.hashToCurve(message, { DST: tag })];
  },
  "a mapped number": () => {
    const chosen = below(20);
    const u = chosen < 2 * SPECIAL.length ? mod(SPECIAL[chosen >> 1] * (chosen & 1 ? -1n : 1n)) : element();
    const ours = mapToCurve(u);
    return [plus(timesX(ours), ours), noble.G1.mapToCurve(u)];
  },
};

function ours(check) {
  try {
    check();
    return true;
  } catch (error) {
    if (error instanceof Malformed) return false;
    throw error;
  }
}

/** Noble refuses by an error of any kind; infinity is a point for it, and none for us. */
function theirs(check) {
  try {
    return check();
  } catch {
    return false;
  }
}

function nobleVerifies(bytes, round) {
  const point = G1.fromBytes(bytes);
  point.assertValidity();
  return !point.is0() && noble.shortSignatures.verify(point, messageOf(round), key.point);
}

function nobleReadsKey(bytes) {
  const point = G2.fromBytes(bytes);
  point.assertValidity();
  return !point.is0();
}

function samePoint({ x, y, z }, point) {
  if (mod(z) === 0n) return point.is0();
  const ofZ = inverse(z);
  const affine = point.toAffine();
  return mod(x * ofZ ** 2n) === affine.x && mod(y * ofZ ** 3n) === affine.y;
}

/** What both say of one case, or a description if they disagree. */
function compared(kind) {
  if (kind in POINTS) {
    const [mine, other] = POINTS[kind]();
    return samePoint(mine, other) ? { accepted: true } : { disagreed: { kind, theirs: other.toHex() } };
  }
  const round = number(random(6)) + 1n;
  const bytes = (PULSES[kind] ?? KEYS[kind])(round);
  const isPulse = kind in PULSES;
  const mine = ours(() => (isPulse ? checkPulse(key.beacon, round, bytes) : linesOfKey(bytes)));
  const other = theirs(() => (isPulse ? nobleVerifies(bytes, round) : nobleReadsKey(bytes)));
  const told = { kind, round: String(round), bytes: Buffer.from(bytes).toString("hex"), ours: mine, theirs: other };
  return mine === other ? { accepted: mine } : { disagreed: { ...told, key: Buffer.from(key.bytes).toString("hex") } };
}

const kinds = [...Object.keys(PULSES), ...Object.keys(KEYS), ...Object.keys(POINTS)];
const counts = Object.fromEntries(kinds.map((kind) => [kind, { accepted: 0, refused: 0 }]));
for (let at = 0; at < count; at += 1) {
  if (at % CASES_OF_A_KEY === 0) newKey();
  const kind = kinds[at % kinds.length];
  const { accepted, disagreed } = compared(kind);
  if (disagreed !== undefined) {
    process.stderr.write(`they disagree: ${JSON.stringify(disagreed)}\n`);
    process.exit(1);
  }
  counts[kind][accepted ? "accepted" : "refused"] += 1;
}
process.stdout.write(`${JSON.stringify(counts)}\n`);
