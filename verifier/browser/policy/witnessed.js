// Whether witnesses saw a batch before its pulse existed (SPEC 5.8).

import { toHex } from "../basics/bytes.js";
import { CheckFailed, Malformed } from "../basics/errors.js";
import { secondsText } from "../basics/times.js";
import { checkInclusion } from "../log/merkle.js";
import { parseTlogProof } from "../log/tlog-proof.js";
import { firstSeen, openHead, quorumTime } from "./head.js";

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
  return `witnessed/${toHex(id)}`;
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
