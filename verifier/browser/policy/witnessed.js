// Whether witnesses saw a batch before its pulse existed (SPEC 5.8).

import { toHex } from "../basics/bytes.js";
import { CheckFailed, Malformed } from "../basics/errors.js";
import { secondsText } from "../basics/times.js";
import { openCheckpoint, parseCheckpoint } from "../log/checkpoints.js";
import { checkInclusion } from "../log/merkle.js";
import { splitNote } from "../log/notes.js";
import { parseTlogProof } from "../log/tlog-proof.js";
import { firstSeen, openHead, quorumTime } from "./head.js";
import { hashedPath } from "../log/tile-paths.js";

/** How many seconds before its pulse a batch must have been seen: more than honest clocks differ. */
const MARGIN = 10n;

/**
 * @typedef {object} Witnessed
 * @property {import("./head.js").Head} head the first checkpoint with the batch that had the quorum
 * @property {bigint} time when the quorum had seen it: seconds since 1970
 * @property {import("./head.js").Sighting[]} seen the witnesses that had cosigned it by then, each with its earliest time
 * @property {Uint8Array[]} path from the batch's record to that checkpoint's root
 */

/**
 * @param {Uint8Array} id the batch's
 * @returns {string} the name of the file that shows it
 */
export function witnessedPath(id) {
  return hashedPath("witnessed", toHex(id));
}

/**
 * @param {Uint8Array} bytes the file
 * @returns {bigint} the number of records of the checkpoint in it, whoever signed it; 0 if it holds no checkpoint of a log with records
 */
export function claimedSize(bytes) {
  try {
    return parseCheckpoint(splitNote(parseTlogProof(bytes).note).text).size;
  } catch (error) {
    if (!(error instanceof CheckFailed || error instanceof Malformed)) throw error;
    return 0n;
  }
}

/**
 * The checkpoint in a file, which the log signed and which is not larger than its head, whomever the reader trusts.
 * @param {Uint8Array} bytes the file
 * @param {import("../log/checkpoints.js").Checkpoint} checkpoint the head
 * @param {import("../log/notes.js").VerifierKey} key the log's
 * @returns {Promise<{note: Uint8Array, checkpoint: import("../log/checkpoints.js").Checkpoint}>}
 * @throws {CheckFailed} `batch-witnessed`
 */
export async function openSeen(bytes, { size }, key) {
  const seen = await signedIn(bytes, key);
  if (seen.checkpoint.size < 1n || seen.checkpoint.size > size) {
    refuseSeen(`a checkpoint of 1 to ${size} records, as the log has`, `one of ${seen.checkpoint.size}`);
  }
  return seen;
}

async function signedIn(bytes, key) {
  try {
    const { note } = parseTlogProof(bytes);
    return { note, checkpoint: await openCheckpoint(note, key) };
  } catch (error) {
    if (!(error instanceof CheckFailed || error instanceof Malformed)) throw error;
    return refuseSeen(error.expected, error.found);
  }
}

function refuseSeen(expected, found) {
  throw new CheckFailed("batch-witnessed", { expected, found, where: "its witnessed file" });
}

/**
 * That as many witnesses as the policy demands saw a batch ten seconds before its pulse, or earlier.
 * @param {?Uint8Array} bytes the file; `null` if there is none
 * @param {object} batch
 * @param {bigint} batch.index of its record
 * @param {Uint8Array} batch.leaf its record's leaf hash, which is its id
 * @param {?bigint} batch.pulseTime the time of the pulse that it names, in seconds since 1970; `null` if its beacon is
 *   unknown
 * @param {import("./policy.js").Policy} policy one with a quorum
 * @returns {Promise<Witnessed>}
 * @throws {CheckFailed} `batch-witnessed`
 */
export async function openWitnessed(bytes, { index, leaf, pulseTime }, policy) {
  const refuse = (expected, found) => {
    throw new CheckFailed("batch-witnessed", { expected, found, index: Number(index), where: witnessedPath(leaf) });
  };
  if (bytes === null) refuse("the proof that witnesses saw the batch", "no such file");
  const { inclusion, head } = await opened(bytes, { leaf, policy, refuse });
  if (inclusion.index !== index) refuse(`a proof of record ${index}`, `one of record ${inclusion.index}`);
  const time = quorumTime(head);
  if (pulseTime !== null && time > pulseTime - MARGIN) {
    const expected = `a quorum of witnesses by ${secondsText(pulseTime - MARGIN)}, ${MARGIN} seconds before the pulse`;
    refuse(expected, `one by ${secondsText(time)}`);
  }
  return { head, time, path: inclusion.path, seen: firstSeen(head).filter((each) => each.time <= time) };
}

/** Whatever is wrong with the file fails this check: it is the batch that was not witnessed. */
async function opened(bytes, { leaf, policy, refuse }) {
  try {
    const { inclusion, note } = parseTlogProof(bytes);
    const head = await openHead(note, policy);
    checkInclusion(leaf, inclusion, head.checkpoint);
    return { inclusion, head };
  } catch (error) {
    if (!(error instanceof CheckFailed || error instanceof Malformed)) throw error;
    return refuse(error.expected, error.found);
  }
}
