// What the tests ask of the beacon's modules; part of second_verifier.mjs.

import { Beacon } from "../../verifier/browser/beacon/chain.js";
import { decodePoint } from "../../verifier/browser/beacon/curve.js";
import { inverse, mod } from "../../verifier/browser/beacon/field.js";
import { expandMessage, hashToCurve, mapToCurve } from "../../verifier/browser/beacon/hash-to-curve.js";
import { checkPulse } from "../../verifier/browser/beacon/pulse.js";
import { linesOfKey } from "../../verifier/browser/beacon/twist.js";
import { toHex, utf8 } from "../../verifier/browser/basics/bytes.js";
import { Malformed } from "../../verifier/browser/basics/errors.js";

const bytes = (hex) => new Uint8Array(Buffer.from(hex, "hex"));
const digits = (n) => n.toString(16).padStart(96, "0");
const beacons = new Map();

/** Each beacon is read once, as a verifier reads it. */
function beaconOf(words) {
  if (!beacons.has(words)) beacons.set(words, Beacon.parse(words));
  return beacons.get(words);
}

function affine({ x, y, z }) {
  const ofZ = inverse(z);
  return { x: digits(mod(x * ofZ ** 2n)), y: digits(mod(y * ofZ ** 3n)) };
}

/** For each case `null`, or what was expected instead of it. */
function refusals(cases, check) {
  return {
    refused: cases.map((each) => {
      try {
        check(each);
        return null;
      } catch (error) {
        if (error instanceof Malformed) return error.expected;
        throw error;
      }
    }),
  };
}

export const BEACON_OPERATIONS = {
  beacons: ({ cases }) => refusals(cases, (words) => Beacon.parse(words)),
  expand: ({ tag, message, size }) => ({ bytes: toHex(expandMessage(utf8(message), utf8(tag), size)) }),
  hash_to_curve: ({ tag, message }) => affine(hashToCurve(utf8(message), utf8(tag))),
  keys: ({ cases }) => refusals(cases, (hex) => linesOfKey(bytes(hex))),
  map_to_curve: ({ u }) => affine(mapToCurve(BigInt(`0x${u}`))),
  points: ({ cases }) => refusals(cases, (hex) => decodePoint(bytes(hex))),
  pulses: ({ cases }) => refusals(cases, ({ words, round, hex }) => checkPulse(beaconOf(words), BigInt(round), bytes(hex))),
  times: ({ words, rounds }) => ({ times: rounds.map((round) => beaconOf(words).timeOf(BigInt(round)).toString()) }),
};
