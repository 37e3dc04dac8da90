// Evidence that a log was forked: two signed checkpoints that cannot both belong to one log (SPEC 8.5).

import { sameBytes, toHex, utf8, utf8Text } from "../basics/bytes.js";
import { CheckFailed, ForedrawError, Malformed, quote, Unreadable } from "../basics/errors.js";
import { refuseNewer } from "../basics/newer-file.js";
import { parseBase64Hash } from "../basics/spelling.js";
import { openCheckpoint } from "../log/checkpoints.js";
import { EMPTY_ROOT, rootsOfConsistency } from "../log/merkle.js";
import { showCheckpoint } from "../report/show.js";
import { Steps } from "../report/steps.js";

/** The steps of SPEC 8.5, by number. */
export const FORK_STEPS = Object.freeze(["form", "first", "second", "hashes", "contradiction"]);

const FIRST_LINE = "foredraw/v1/fork";

/**
 * @param {Uint8Array} bytes the file
 * @param {import("../policy/policy.js").Policy} policy of which only the log's key is used: its signature alone proves what it
 *   signed
 * @param {Steps} [steps] reported as they end
 * @returns {Promise<{smaller: import("../log/checkpoints.js").Checkpoint, larger:
 *   import("../log/checkpoints.js").Checkpoint, rootInLarger: Uint8Array}>} the root that the larger log has for the
 *   smaller one's size
 * @throws {CheckFailed} `fork-form`, `note-…`, `checkpoint-…`, `fork-proof`, `fork-roots`
 * @throws {Unreadable} if the file has no hashes, although the sizes differ: there is no verdict
 */
export async function checkFork(bytes, policy, steps = new Steps(FORK_STEPS, () => {})) {
  // Step 1: the form. It includes the order of the checkpoints, which is known only when both are open.
  const { hashes, notes } = await steps.run(() => parseFork(bytes));
  // Steps 2 and 3: both checkpoints.
  const smaller = await steps.run((shown) => open(shown, notes[0], policy));
  const larger = await steps.run(async (shown) => {
    const opened = await open(shown, notes[1], policy);
    checkOrder(smaller, opened, hashes);
    return opened;
  });
  // Step 4: the hashes lead to the larger one's root.
  const rootInLarger = await steps.run((shown) => {
    const root = provenRoot(smaller, larger, hashes);
    shown.hex("root", root);
    return root;
  });
  // Step 5: the contradiction.
  await steps.run((shown) => {
    shown.hex("root", smaller.root);
    if (sameBytes(rootInLarger, smaller.root)) {
      throw new CheckFailed("fork-roots", { expected: `another root than ${toHex(smaller.root)}`, found: "the same" });
    }
  });
  return { smaller, larger, rootInLarger };
}

/**
 * The first checkpoint in evidence, which says of which log it is.
 * @param {Uint8Array} bytes the file
 * @returns {Uint8Array} empty if the file has no form of evidence
 */
export function noteOf(bytes) {
  try {
    return parseFork(bytes).notes[0];
  } catch (error) {
    if (!(error instanceof ForedrawError)) throw error;
    return new Uint8Array();
  }
}

async function open(shown, note, policy) {
  const checkpoint = await openCheckpoint(note, policy.log);
  showCheckpoint(shown, checkpoint, note, policy.log);
  return checkpoint;
}

function parseFork(bytes) {
  refuseNewer(bytes, "fork");
  const text = utf8Text(bytes);
  const parts = text?.split("\n\n") ?? [];
  // A checkpoint's text has no empty line, so each note has exactly one, and the file splits into five parts.
  const [head, ...rest] = parts;
  if (parts.length !== 5 || head.split("\n")[0] !== FIRST_LINE) {
    refuse("a first line, hashes, and two signed checkpoints", text ?? "other bytes");
  }
  const notes = [`${rest[0]}\n\n${rest[1]}\n`, `${rest[2]}\n\n${rest[3]}`];
  return { hashes: head.split("\n").slice(1).map(parseHash), notes: notes.map(utf8) };
}

function parseHash(line) {
  try {
    return parseBase64Hash(line);
  } catch (error) {
    if (!(error instanceof Malformed)) throw error;
    return refuse(error.expected, error.found);
  }
}

function checkOrder(smaller, larger, hashes) {
  if (smaller.size > larger.size) refuse("the smaller checkpoint first", `${smaller.size}, ${larger.size}`);
  if (smaller.size < larger.size) return;
  if (hashes.length) refuse("no hashes, for the sizes are equal", `${hashes.length}`);
  if (toHex(smaller.root) > toHex(larger.root)) refuse("the checkpoint of the lesser root first", "the other");
}

function provenRoot(smaller, larger, hashes) {
  if (smaller.size === larger.size) return larger.root;
  if (hashes.length === 0)
    throw new Unreadable("evidence", "it has no hashes: a pair of checkpoints proves nothing by itself");
  const [root, ...path] = hashes;
  const isProof =
    smaller.size === 0n ? path.length === 0 && sameBytes(root, EMPTY_ROOT) : leads(smaller, larger, root, path);
  if (!isProof) {
    const expected = `a consistency proof from ${smaller.size} to ${larger.size} records`;
    throw new CheckFailed("fork-proof", { expected, found: "hashes that lead to other roots" });
  }
  return root;
}

function leads(smaller, larger, root, path) {
  const roots = rootsOfConsistency(smaller.size, root, larger.size, path);
  return roots !== null && sameBytes(roots[0], root) && sameBytes(roots[1], larger.root);
}

function refuse(expected, found) {
  throw new CheckFailed("fork-form", { expected, found: quote(found) });
}
