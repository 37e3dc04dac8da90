// A beacon: a chain of drand of the scheme bls-unchained-g1-rfc9380, named by a hash over its parameters (SPEC 4.8).

import { concat, toHex, utf8 } from "../basics/bytes.js";
import { Malformed, quote } from "../basics/errors.js";
import { u32, u64 } from "../basics/hashing.js";
import { LONGEST_BEACON_ID } from "../basics/limits.js";
import { sha256 } from "../basics/sha256.js";
import { parseDecimal, parseHex } from "../basics/spelling.js";
import { KEY_SIZE, linesOfKey } from "./twist.js";

const LARGEST_PERIOD = 2n ** 32n - 1n;
const LARGEST_GENESIS = 2n ** 53n - 1n;

/** A chain's parameters. */
export class Beacon {
  #lines = null;

  constructor({ hash, period, genesis, key, groupHash, id }) {
    /** Its name, in hexadecimal. */
    this.hash = hash;
    /** Seconds from one round to the next, and the time of round 1 in seconds since 1970; both BigInt. */
    this.period = period;
    this.genesis = genesis;
    this.key = key;
    this.groupHash = groupHash;
    this.id = id;
  }

  /**
   * @param {string} text `HASH PERIOD GENESIS KEY GROUP-HASH ID`
   * @returns {Beacon}
   * @throws {Malformed} also if the key is not a point of G2
   */
  static parse(text) {
    const beacon = readWithoutKey(text);
    beacon.#lines = linesOfKey(beacon.key);
    return beacon;
  }

  /**
   * @param {number|bigint} round from 1
   * @returns {bigint} time(round), in seconds since 1970
   */
  timeOf(round) {
    return this.genesis + (BigInt(round) - 1n) * this.period;
  }

  /** The lines of its key, for `checkPulse`; computed once, in 10 milliseconds. */
  get lines() {
    this.#lines ??= linesOfKey(this.key);
    return this.#lines;
  }
}

/** The beacon that every verifier knows. Its key is valid, and is decoded only if a log is salted by this beacon. */
export const QUICKNET = readWithoutKey(
  [
    "52db9ba70e0cc0f6eaf7803dd07447a1f5477735fd3f661792ba94600c84e971",
    "3",
    "1692803367",
    "83cf0f2896adee7eb8b5f01fcad3912212c437e0073e911fb90022d3e760183c8c4b450b6a0a6c3ac6a5776a2d106451" +
      "0d1fec758c921cc22b0e17e63aaf4bcb5ed66304de9cf809bd274ca73bab4af5a6e9c76a4bc09e76eae8991ef5ece45a",
    "f477d5c89f21a17c863a7f937c6a6d15859414d2be09cd448d4279af331c5d3e",
    "quicknet",
  ].join(" "),
);

function readWithoutKey(text) {
  const words = text.split(" ");
  if (words.length !== 6) throw new Malformed("beacon", "HASH PERIOD GENESIS KEY GROUP-HASH ID", quote(text));
  const beacon = new Beacon({
    hash: toHex(parseHex(words[0])),
    period: parseLimited(words[1], 1n, LARGEST_PERIOD, "period of a beacon"),
    genesis: parseLimited(words[2], 0n, LARGEST_GENESIS, "genesis of a beacon"),
    key: parseHex(words[3], KEY_SIZE, "key of a beacon"),
    groupHash: parseHex(words[4]),
    id: parseId(words[5]),
  });
  const hash = toHex(chainHash(beacon));
  if (hash !== beacon.hash) throw new Malformed("beacon", `the chain hash ${hash}`, beacon.hash);
  return beacon;
}

function chainHash({ period, genesis, key, groupHash, id }) {
  return sha256(concat(u32(period), u64(genesis), key, groupHash, utf8(id === "default" ? "" : id)));
}

function parseLimited(text, smallest, largest, what) {
  const number = parseDecimal(text, what);
  if (number < smallest || number > largest) throw new Malformed(what, `${smallest} to ${largest}`, quote(text));
  return number;
}

function parseId(text) {
  if (/^[\x21-\x7e]+$/.test(text) && text.length <= LONGEST_BEACON_ID) return text;
  throw new Malformed("id of a beacon", `1 to ${LONGEST_BEACON_ID} characters from 0x21 to 0x7e`, quote(text));
}
