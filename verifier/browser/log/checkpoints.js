// A checkpoint: the log's signed head (SPEC 5.1).

import { CheckFailed, Malformed, quote } from "../basics/errors.js";
import { parseBase64Hash, parseDecimal } from "../basics/spelling.js";
import { openNote } from "./notes.js";

/**
 * @typedef {object} Checkpoint
 * @property {string} origin
 * @property {bigint} size how many records
 * @property {Uint8Array} root 32 bytes
 */

/**
 * Whether the log of this name proves nothing, and says so (SPEC 8.3).
 * @param {string} origin
 * @returns {boolean}
 */
export function isSandbox(origin) {
  return origin.endsWith("/sandbox");
}

/**
 * @param {Uint8Array} bytes the signed note
 * @param {import("./notes.js").VerifierKey} key
 * @returns {Promise<Checkpoint>}
 * @throws {CheckFailed} `note-form`, `note-signature`, `checkpoint-form`, `checkpoint-origin`
 */
export async function openCheckpoint(bytes, key) {
  const checkpoint = parseCheckpoint(await openNote(bytes, key));
  if (checkpoint.origin !== key.name) {
    throw new CheckFailed("checkpoint-origin", { expected: key.name, found: quote(checkpoint.origin) });
  }
  return checkpoint;
}

/**
 * @param {string} text of a note
 * @returns {Checkpoint}
 * @throws {CheckFailed} `checkpoint-form`
 */
export function parseCheckpoint(text) {
  const lines = text.slice(0, -1).split("\n");
  if (lines.length !== 3 || lines[0] === "") {
    throw new CheckFailed("checkpoint-form", { expected: "an origin, a size and a root", found: quote(text) });
  }
  try {
    return { origin: lines[0], size: parseDecimal(lines[1], "size"), root: parseBase64Hash(lines[2], "root") };
  } catch (error) {
    if (!(error instanceof Malformed)) throw error;
    throw new CheckFailed("checkpoint-form", { expected: error.expected, found: error.found });
  }
}
