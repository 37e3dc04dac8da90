// A pulse: the one signature of a round of a beacon (SPEC 4.8), BLS in G1 over the round's number.

import { toHex } from "../basics/bytes.js";
import { Malformed } from "../basics/errors.js";
import { u64 } from "../basics/hashing.js";
import { sha256 } from "../basics/sha256.js";
import { decodePoint } from "./curve.js";
import { hashToCurve } from "./hash-to-curve.js";
import { pairingsAreEqual } from "./pairing.js";
import { GENERATOR, linesOf } from "./twist.js";

let linesOfGenerator = null;

/**
 * Check that the signature is the beacon's for this round: e(signature, g₂) = e(hash_to_curve(H(u64(round))), key).
 *
 * It takes 8 milliseconds. The first pulse of each beacon takes 8 more, and so does the first of all.
 * @param {import("./chain.js").Beacon} beacon
 * @param {number|bigint} round
 * @param {Uint8Array} signature
 * @throws {Malformed}
 */
export function checkPulse(beacon, round, signature) {
  const point = decodePoint(signature);
  linesOfGenerator ??= linesOf(GENERATOR);
  if (!pairingsAreEqual(point, linesOfGenerator, hashToCurve(sha256(u64(round))), beacon.lines)) {
    throw new Malformed("pulse", `the signature of round ${round} by the beacon ${beacon.hash}`, toHex(signature));
  }
}
