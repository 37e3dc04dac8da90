/** Where the service has the proof file of a code's round. */

import { ALPHABET, CHECKSUM_SIZE, residue, toBytes } from "../../verifier/player/bech32m.js";

const VERSION = 1;
const TABLE_SIZE = 4;
const ROUND_SIZE = 6;

/**
 * The address says the code's table, in eight digits, and its round. Nothing else of the code is in it, no seed above
 * all. Null of what is no code, or one of a later version.
 */
export function proofPath(code) {
  const text = code.toLowerCase();
  const end = text.lastIndexOf("1");
  const groups = Array.from(text.slice(end + 1), (character) => ALPHABET.indexOf(character));
  if (end < 1 || groups.includes(-1) || residue(text.slice(0, end), groups) !== 0) return null;
  const [version, ...payload] = toBytes(groups.slice(0, -CHECKSUM_SIZE)) ?? [];
  if (version !== VERSION || payload.length <= TABLE_SIZE + ROUND_SIZE) return null;
  const digits = payload.slice(0, TABLE_SIZE).map((byte) => byte.toString(16).padStart(2, "0"));
  const round = payload.slice(TABLE_SIZE, TABLE_SIZE + ROUND_SIZE).reduce((number, byte) => number * 256 + byte);
  return `/v1/proofs/${digits.join("")}/${round}`;
}
