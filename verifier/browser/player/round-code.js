// Round codes (SPEC 6).

import { concat } from "../basics/bytes.js";
import { CheckFailed, quote, Unknown } from "../basics/errors.js";
import { bigEndian, fromBigEndian, HASH_SIZE } from "../basics/hashing.js";
import { LONGEST_CODE, MOST_CUSTODIANS } from "../basics/limits.js";
import { ALPHABET, CHECKSUM_SIZE, encode, residue, toBytes } from "./bech32m.js";

const VERSION = 1;
/** Bytes before the seeds: version, table and round. */
export const HEAD_SIZE = 11;

/**
 * A round code.
 * @typedef {object} RoundCode
 * @property {string} game
 * @property {Uint8Array} tablePrefix the first 4 bytes of the table's id; they only find the table
 * @property {number} round from 1
 * @property {Uint8Array[]} seeds 1 to 8, of 32 bytes each
 */

/**
 * Parse a round code. Nothing is trimmed.
 * @param {string} text in lower case or in upper case
 * @returns {RoundCode}
 * @throws {CheckFailed} `code-checksum`, `code-form`
 * @throws {Unknown} if the code is of a later version
 */
export function parseRoundCode(text) {
  const { prefix, groups } = split(text);
  if (residue(prefix, groups) !== 0) {
    const found = `${quote(text)}, whose checksum fails: a character is wrong, missing or too many`;
    throw new CheckFailed("code-checksum", { expected: "a code without a typing error", found });
  }
  if (!/^[a-z0-9-]{1,32}$/.test(prefix)) refuse("the name of a game before the last 1", prefix);
  const payload = toBytes(groups.slice(0, -CHECKSUM_SIZE));
  if (payload === null) refuse("at most four filling bits, all zero", text);
  if (payload[0] > VERSION) throw new Unknown([`${payload[0]}`], "newer-code");
  return { game: prefix, ...parsePayload(payload) };
}

function split(text) {
  if (text.length > LONGEST_CODE) refuse(`at most ${LONGEST_CODE} characters`, `${text.length}`);
  if (!/^[\x21-\x7e]*$/.test(text)) refuse("letters and digits", text);
  const lower = text.toLowerCase();
  if (text !== lower && text !== text.toUpperCase()) refuse("lower case or upper case, not both", text);
  const end = lower.lastIndexOf("1");
  if (end < 1 || lower.length - end - 1 < CHECKSUM_SIZE) refuse("a game's name, a 1 and the code", text);
  const groups = Array.from(lower.slice(end + 1), (character) => ALPHABET.indexOf(character));
  if (groups.includes(-1)) refuse(`characters of ${ALPHABET} after the last 1`, text);
  return { prefix: lower.slice(0, end), groups };
}

function parsePayload(payload) {
  const seeds = (payload.length - HEAD_SIZE) / HASH_SIZE;
  if (!Number.isInteger(seeds) || seeds < 1 || seeds > MOST_CUSTODIANS) {
    refuse(`1 to ${MOST_CUSTODIANS} whole seeds`, `${payload.length} bytes`);
  }
  if (payload[0] !== VERSION) refuse(`version ${VERSION}`, `${payload[0]}`);
  const round = Number(fromBigEndian(payload.subarray(5, HEAD_SIZE)));
  if (round === 0) refuse("a round from 1", "0");
  return {
    tablePrefix: payload.subarray(1, 5),
    round,
    seeds: Array.from({ length: seeds }, (_, at) =>
      payload.subarray(HEAD_SIZE + at * HASH_SIZE).subarray(0, HASH_SIZE),
    ),
  };
}

/**
 * @param {RoundCode} code
 * @returns {string} its one spelling in lower case
 */
export function printRoundCode({ game, tablePrefix, round, seeds }) {
  return encode(game, concat(Uint8Array.of(VERSION), tablePrefix, bigEndian(round, 6), ...seeds));
}

function refuse(expected, found) {
  throw new CheckFailed("code-form", { expected, found: quote(found) });
}
