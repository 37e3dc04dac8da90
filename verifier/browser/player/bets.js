// The digest of a round's accepted bets, and the receipt of one of them (SPEC 7).

import { utf8Text, toHex } from "../basics/bytes.js";
import { CheckFailed, Malformed, quote } from "../basics/errors.js";
import { leafHash } from "../basics/hashing.js";
import { LARGEST_BET, LARGEST_BET_RECEIPT, ROUNDS_END } from "../basics/limits.js";
import { refuseNewer } from "../basics/newer-file.js";
import { parseBase64, parseBase64Hash, parseDecimal, parseHex } from "../basics/spelling.js";
import { rootOfHashes, rootOfInclusion } from "../log/merkle.js";

const LINE_FEED = 0x0a;
const KEYS = ["table", "round", "count", "index", "line"];

/**
 * @param {Uint8Array[]} lines one per bet, in the engine's order
 * @returns {{count: number, root: Uint8Array}}
 * @throws {Malformed}
 */
export function digest(lines) {
  return { count: lines.length, root: rootOfHashes(lines.map((line) => leafHash(checkLine(line)))) };
}

/**
 * @typedef {object} BetReceipt
 * @property {Uint8Array} tableId
 * @property {number} round
 * @property {number} count
 * @property {number} index
 * @property {Uint8Array} line
 * @property {Uint8Array[]} path
 * @property {Uint8Array} root to which line and path lead; together with `count`, the digest
 */

/**
 * @param {Uint8Array} bytes
 * @returns {BetReceipt}
 * @throws {CheckFailed} `bet-form`
 * @throws {Unknown} if it is a file of a later version
 */
export function parseBetReceipt(bytes) {
  try {
    return parsed(bytes);
  } catch (error) {
    if (!(error instanceof Malformed)) throw error;
    throw new CheckFailed("bet-form", { expected: error.expected, found: error.found });
  }
}

function parsed(bytes) {
  refuseNewer(bytes, "bet");
  const text = bytes.length <= LARGEST_BET_RECEIPT ? utf8Text(bytes) : null;
  const lines = text?.split("\n") ?? [];
  if (lines.shift() !== "foredraw/v1/bet" || lines.pop() !== "") {
    throw new Malformed("receipt", "the lines of a bet's receipt", quote(text ?? `${bytes.length} bytes`));
  }
  const [tableId, round, count, index, line] = KEYS.map((key) => value(key, lines.shift() ?? ""));
  const receipt = {
    tableId: parseHex(tableId),
    round: small(round, "round", 1n, BigInt(ROUNDS_END)),
    count: small(count, "count", 1n, 2n ** 53n),
    index: small(index, "index", 0n, parseDecimal(count)),
    line: checkLine(line === "" ? new Uint8Array() : parseBase64(line, "line")),
    path: lines.map((hash) => parseBase64Hash(hash)),
  };
  const root = rootOfInclusion(leafHash(receipt.line), receipt.index, receipt.count, receipt.path);
  if (root === null) throw new Malformed("receipt", "as many hashes as index and count demand", `${lines.length}`);
  return { ...receipt, root };
}

function value(key, line) {
  if (!line.startsWith(`${key} `)) throw new Malformed("receipt", `a line ${key}`, quote(line));
  return line.slice(key.length + 1);
}

function small(text, what, from, end) {
  const number = parseDecimal(text, what);
  if (number < from || number >= end) throw new Malformed(what, `a number from ${from}, below ${end}`, text);
  return Number(number);
}

function checkLine(line) {
  if (line.length > LARGEST_BET || line.includes(LINE_FEED)) {
    const expected = `at most ${LARGEST_BET} bytes without a line feed`;
    throw new Malformed("bet", expected, quote(toHex(line.subarray(0, 64))));
  }
  return line;
}
