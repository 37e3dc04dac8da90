// Whether a log extends the one that was seen before (SPEC 8.1, step 2), and the evidence if it does not (SPEC 8.5).

import { sameBytes, toHex, utf8, utf8Text } from "../basics/bytes.js";
import { CheckFailed, Forked, NotThisLogs, Unreadable } from "../basics/errors.js";
import { openCheckpoint } from "../log/checkpoints.js";
import { AuthenticTiles } from "../log/tiles.js";
import { openHead } from "../policy/head.js";
import { policyOf } from "../policy/policy.js";
import { readFile } from "../sources/log-files.js";
import { fileOf, inOrder } from "./evidence-file.js";

/**
 * @typedef {object} History
 * @property {"held"|"failed"|"unreadable"} verdict `held` also if the log is a prefix of what was seen: an old copy
 * @property {?string} checkpoint the newer of the two signed checkpoints, which is to be remembered; `null` unless
 *   `held`
 * @property {?number} size the number of its records
 * @property {?import("../report/report.js").Failure} failure
 * @property {?{path: string, why: string}} unreadable
 * @property {?string} evidence a file of evidence, if both checkpoints are signed and contradict each other. Of a log
 *   that is smaller than what was seen, and whose larger tiles could not be read (`unreadable`), it has no hashes, and
 *   proves nothing yet
 */

/**
 * Compare a log with a checkpoint of it that was seen before.
 * @param {?string} seen the signed note, as it was served; `null` if none was seen
 * @param {object} options
 * @param {string} [options.vkey] the log's verifier key, `name+id+key`
 * @param {string} [options.policy] the text of a policy, in the place of the key
 * @param {string} [options.logName] which of several logs of the policy is meant
 * @param {string} [options.address] the log's: the policy's line with this address is meant
 * @param {import("../log/tiles.js").Read} options.read the log's files
 * @returns {Promise<History>}
 * @throws {Malformed} if `vkey` is not a verifier key, or `policy` not a policy that decides which log is meant
 */
export async function checkHistory(seen, { read, ...trust }) {
  const believed = policyOf(trust);
  const nothing = { checkpoint: null, size: null, failure: null, unreadable: null, evidence: null };
  try {
    const now = await signed(await readFile(read, "checkpoint"), believed.log);
    const before = seen === null ? now : await signed(utf8(seen), believed.log);
    const [smaller, larger] = inOrder(before, now);
    const evidence = await contradiction(smaller, larger, { read, mayBeGone: larger === before });
    if (evidence?.isUndecided) {
      const why = `an older copy: ${now.checkpoint.size} records, and it cannot be shown that they begin what was seen, ${before.checkpoint.size} records`;
      return { ...nothing, verdict: "unreadable", unreadable: { path: "checkpoint", why }, evidence: evidence.file };
    }
    if (evidence === null) {
      // The log's signature alone shows a fork, so cosignatures are asked for only now.
      await openHead(now.note, believed);
      return { ...nothing, verdict: "held", checkpoint: utf8Text(larger.note), size: Number(larger.checkpoint.size) };
    }
    const expected = `a log that continues the ${before.checkpoint.size} records with root ${toHex(before.checkpoint.root)}`;
    const found = `${now.checkpoint.size} records with root ${toHex(now.checkpoint.root)}`;
    return { ...nothing, verdict: "failed", failure: failureOf(new CheckFailed("log-extends", { expected, found })), evidence: evidence.file };
  } catch (error) {
    if (error instanceof NotThisLogs) return { ...nothing, verdict: "unreadable", unreadable: error.unreadable };
    if (error instanceof CheckFailed) return { ...nothing, verdict: "failed", failure: failureOf(error) };
    if (!(error instanceof Unreadable)) throw error;
    return { ...nothing, verdict: "unreadable", unreadable: { path: error.path, why: error.why } };
  }
}

/** The log's signature binds it, whoever cosigned. */
async function signed(note, key) {
  return { note, checkpoint: await openCheckpoint(note, key) };
}

/**
 * Check that the tree of one signed checkpoint begins that of another, which is not smaller and whose tiles are
 * there.
 * @param {{note: Uint8Array, checkpoint: import("../log/checkpoints.js").Checkpoint}} seen
 * @param {{note: Uint8Array, checkpoint: import("../log/checkpoints.js").Checkpoint}} now
 * @param {import("../log/tiles.js").Read} read the log's files
 * @param {string} where the file with the checkpoint that was seen
 * @throws {Forked}
 */
export async function checkBegins(seen, now, read, where) {
  const [smaller, larger] = inOrder(seen, now);
  const evidence = await contradiction(smaller, larger, { read, mayBeGone: false });
  if (evidence === null) return;
  const { size, root } = seen.checkpoint;
  throw new Forked({ expected: `a log that begins with ${size} records of root ${toHex(root)}`, found: "another root", where }, evidence.file);
}

/**
 * Evidence that the two contradict each other, or may (`isUndecided`); `null` if the smaller tree begins the larger.
 * `mayBeGone`: the log is shorter now, so it may no longer serve the tiles of the larger one.
 */
async function contradiction(smaller, larger, { read, mayBeGone }) {
  const { size, root } = smaller.checkpoint;
  if (size === larger.checkpoint.size) return sameBytes(root, larger.checkpoint.root) ? null : { file: fileOf(smaller, larger, []) };
  try {
    const tiles = new AuthenticTiles(larger.checkpoint, read);
    const beginning = await tiles.rootOfRange(0n, size);
    if (sameBytes(beginning, root)) return null;
    return { file: fileOf(smaller, larger, [beginning, ...(await consistencyPath(tiles, size, larger.checkpoint.size))]) };
  } catch (error) {
    // The pair alone proves nothing yet, but an operator that signed both owes the proof that connects them.
    if (mayBeGone && (error instanceof CheckFailed || error instanceof Unreadable)) {
      return { file: fileOf(smaller, larger, []), isUndecided: true };
    }
    throw error;
  }
}

/** The proof that the tree of the first `old` records is a prefix of the tree of `size` (RFC 6962, section 2.1.2). */
async function consistencyPath(tiles, old, size) {
  if (old === 0n) return [];
  const path = [];
  let [from, to, isWhole] = [0n, size, true];
  while (old !== to) {
    const middle = from + largestPowerBelow(to - from);
    if (old <= middle) {
      path.push(await tiles.rootOfRange(middle, to));
      to = middle;
    } else {
      path.push(await tiles.rootOfRange(from, middle));
      [from, isWhole] = [middle, false];
    }
  }
  if (!isWhole) path.push(await tiles.rootOfRange(from, to));
  return path.reverse();
}

function largestPowerBelow(n) {
  let power = 1n;
  while (2n * power < n) power *= 2n;
  return power;
}

function failureOf({ check, meaning, index, where, expected, found }) {
  return { check, meaning, index, where, expected, found };
}
