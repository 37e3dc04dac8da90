// What a log's own asides say of the log before it, and of the one after it (SPEC 4.10). No check depends on them.

import { Malformed } from "../basics/errors.js";
import { parseHex } from "../basics/spelling.js";
import { parseTime } from "../basics/times.js";
import { VerifierKey } from "../log/notes.js";
import { readRecord } from "./record.js";

const SUCCESSOR = { type: "aside-successor", keys: ["at", "key", "table", "type", "v"] };
const PREDECESSOR = { type: "aside-predecessor", keys: ["at", "key", "root", "size", "table", "type", "v"] };

/**
 * @param {Uint8Array} bytes of a log's last record
 * @returns {?string} the key of the log that follows, if it names one
 */
export function successorNamed(bytes) {
  return keyNamed(bytes, SUCCESSOR);
}

/**
 * @param {Uint8Array} bytes of a log's first record
 * @returns {?string} the key of the log before, if it names one
 */
export function predecessorNamed(bytes) {
  return keyNamed(bytes, PREDECESSOR);
}

function keyNamed(bytes, { type, keys }) {
  if (readRecord(bytes, null).aside !== type) return null;
  const aside = JSON.parse(new TextDecoder().decode(bytes));
  if (Object.keys(aside).sort().join() !== keys.join() || aside.table !== "-") return null;
  try {
    parseTime(aside.at);
    VerifierKey.parse(aside.key);
    if ("root" in aside) parseHex(aside.root);
  } catch (error) {
    if (!(error instanceof Malformed) && !(error instanceof TypeError)) throw error;
    return null;
  }
  return !("size" in aside) || Number.isSafeInteger(aside.size) ? aside.key : null;
}
