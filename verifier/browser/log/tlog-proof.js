// C2SP's proof that one record is in a log (SPEC 5.5).

import { utf8Text } from "../basics/bytes.js";
import { Malformed, quote } from "../basics/errors.js";
import { LARGEST_EXTRA, LARGEST_TLOG_PROOF, LONGEST_PATH } from "../basics/limits.js";
import { parseBase64, parseBase64Hash, parseDecimal } from "../basics/spelling.js";
import { openCheckpoint } from "./checkpoints.js";
import { checkInclusion } from "./merkle.js";

const FIRST_LINE = "c2sp.org/tlog-proof@v1";
const LINE_FEED = 0x0a;

/**
 * @typedef {object} Inclusion
 * @property {bigint} index
 * @property {Uint8Array[]} path the leaf's sibling first
 */

/**
 * @param {string[]} lines `index N`, then the hashes of an audit path, in Base64
 * @returns {Inclusion}
 * @throws {Malformed}
 */
export function parseInclusion([first = "", ...hashes]) {
  if (!first.startsWith("index ")) throw new Malformed("inclusion", "a line index", quote(first));
  if (hashes.length > LONGEST_PATH) {
    throw new Malformed("inclusion", `at most ${LONGEST_PATH} hashes`, `${hashes.length}`);
  }
  return { index: parseDecimal(first.slice("index ".length), "index"), path: hashes.map((h) => parseBase64Hash(h)) };
}

/**
 * @param {Uint8Array} bytes
 * @returns {{extra: ?Uint8Array, inclusion: Inclusion, note: Uint8Array}} `extra` is not authenticated
 * @throws {Malformed}
 */
export function parseTlogProof(bytes) {
  if (bytes.length > LARGEST_TLOG_PROOF) throw new Malformed("tlog-proof", `at most ${LARGEST_TLOG_PROOF} bytes`, `${bytes.length}`);
  // What the note is shows only when it is opened, so it stays bytes.
  const split = bytes.findIndex((value, at) => value === LINE_FEED && bytes[at + 1] === LINE_FEED);
  const head = utf8Text(bytes.subarray(0, Math.max(0, split)));
  if (split < 0 || head === null) throw new Malformed("tlog-proof", "a proof, an empty line and a checkpoint", quote(head || "none"));
  const [first, ...lines] = head.split("\n");
  if (first !== FIRST_LINE) throw new Malformed("tlog-proof", FIRST_LINE, quote(first));
  const extra = lines[0]?.startsWith("extra ") ? parseBase64(lines.shift().slice("extra ".length), "extra") : null;
  if (extra !== null && extra.length > LARGEST_EXTRA) {
    throw new Malformed("extra", `at most ${LARGEST_EXTRA} bytes`, `${extra.length}`);
  }
  return { extra, inclusion: parseInclusion(lines), note: bytes.subarray(split + 2) };
}

/**
 * Check that a record is in the log, by its proof.
 * @param {Uint8Array} bytes the proof
 * @param {Uint8Array} leaf the record's leaf hash
 * @param {import("./notes.js").VerifierKey} key
 * @returns {Promise<{index: bigint, checkpoint: import("./checkpoints.js").Checkpoint}>}
 * @throws {Malformed}
 * @throws {CheckFailed} `note-form`, `note-signature`, `checkpoint-form`, `checkpoint-origin`, `inclusion`
 */
export async function checkTlogProof(bytes, leaf, key) {
  const { inclusion, note } = parseTlogProof(bytes);
  const checkpoint = await openCheckpoint(note, key);
  checkInclusion(leaf, inclusion, checkpoint);
  return { index: inclusion.index, checkpoint };
}
