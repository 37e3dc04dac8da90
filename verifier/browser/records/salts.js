// What a table's salt demands of its batches and of their salts (SPEC 4.3, 4.8).

import { Malformed } from "../basics/errors.js";
import { sha256 } from "../basics/sha256.js";
import { parseHex } from "../basics/spelling.js";
import { QUICKNET } from "../beacon/chain.js";
import { checkPulse } from "../beacon/pulse.js";
import { must } from "./rules.js";

const PULSE_SIZE = 48;
/** How long after a batch its pulse may be, in milliseconds. */
const LONGEST_WAIT = 3_600_000n;

/** The beacons that a verifier knows: quicknet, and those that its user names. */
export class Beacons {
  #known;

  /** @param {import("../beacon/chain.js").Beacon[]} [named] */
  constructor(named = []) {
    this.#known = new Map([QUICKNET, ...named].map((beacon) => [beacon.hash, beacon]));
  }

  /**
   * @param {import("./record.js").LogRecord} table with a salt
   * @returns {?import("../beacon/chain.js").Beacon} `null` if it is unknown
   */
  of({ salt }) {
    return this.#known.get(salt === "quicknet" ? QUICKNET.hash : salt) ?? null;
  }

  /**
   * @param {import("./record.js").LogRecord} table
   * @returns {boolean} whether all that its salt demands can be checked
   */
  knows(table) {
    return !isSalted(table) || this.of(table) !== null;
  }
}

/**
 * @param {import("./record.js").LogRecord} table with a salt
 * @param {import("./record.js").LogRecord} batch
 * @param {Beacons} beacons
 * @returns {?bigint} the time of the pulse that the batch names, in seconds since 1970; `null` if the beacon is unknown
 */
export function pulseTimeOf(table, batch, beacons) {
  return beacons.of(table)?.timeOf(batch.beacon) ?? null;
}

/** @param {import("./record.js").LogRecord} table */
export function isSalted({ salt }) {
  return salt !== "none";
}

/**
 * @param {import("./record.js").LogRecord} salt a salt's record
 * @returns {Uint8Array} its pulse: 48 bytes, if it is one of a beacon that is known
 */
export function pulseOf({ signature }) {
  return parseHex(signature, signature.length / 2, "signature");
}

/**
 * @param {import("./record.js").LogRecord} salt a salt's record
 * @returns {Uint8Array} what enters the context of its batch's streams: 32 bytes
 */
export function saltOf(salt) {
  return sha256(pulseOf(salt));
}

/**
 * That a batch names a pulse of the hour after it was committed, exactly if its table has a salt.
 * @param {import("./record.js").LogRecord} table
 * @param {import("./record.js").LogRecord} batch
 * @param {Beacons} beacons
 * @param {?number} index the batch's
 * @throws {CheckFailed} `batch-beacon`
 */
export function checkBeacon(table, batch, beacons, index) {
  const found = batch.beacon === undefined ? "none" : `${batch.beacon}`;
  const expected = isSalted(table) ? "a round of the beacon" : "no beacon";
  must((batch.beacon !== undefined) === isSalted(table), "batch-beacon", { expected, found, index });
  const beacon = isSalted(table) ? beacons.of(table) : null;
  if (beacon === null) return;
  const wait = timeOf(beacon, batch) - milliseconds(batch.committed);
  const told = {
    expected: `a round of the hour after ${batch.committed}`,
    found: `round ${found}, ${wait} milliseconds after it`,
    index,
  };
  must(wait > 0n && wait <= LONGEST_WAIT, "batch-beacon", told);
}

/**
 * That a salt is the pulse that its batch named, and not published before this could exist.
 * @param {import("./record.js").LogRecord} table
 * @param {import("./record.js").LogRecord} batch
 * @param {import("./record.js").LogRecord} salt
 * @param {Beacons} beacons
 * @param {?number} index the salt's
 * @throws {CheckFailed} `salt-time`, `salt-signature`
 */
export function checkSalt(table, batch, salt, beacons, index) {
  const beacon = beacons.of(table);
  if (beacon === null) return;
  const early = timeOf(beacon, batch) - milliseconds(salt.salted);
  const expected = `the time of the beacon's round ${batch.beacon} or later`;
  must(early <= 0n, "salt-time", { expected, found: `${salt.salted}, ${early} milliseconds before it`, index });
  try {
    checkPulse(beacon, batch.beacon, parseHex(salt.signature, PULSE_SIZE, "signature"));
  } catch (error) {
    if (!(error instanceof Malformed)) throw error;
    must(false, "salt-signature", { expected: error.expected, found: error.found, index });
  }
}

const timeOf = (beacon, batch) => beacon.timeOf(batch.beacon) * 1000n;

const milliseconds = (time) => BigInt(Date.parse(time));
