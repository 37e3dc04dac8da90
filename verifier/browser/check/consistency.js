// Whether the two checkpoints in a proof file are of one log (SPEC 8.6, step 2).

import { sameBytes, toHex } from "../basics/bytes.js";
import { CheckFailed, Forked } from "../basics/errors.js";
import { fileOf, inOrder } from "../forks/evidence-file.js";
import { rootsOfConsistency } from "../log/merkle.js";
import { claimedSize, openSeen } from "../policy/witnessed.js";
import { must } from "../records/rules.js";

const WHERE = "the section consistency";

/**
 * The checkpoint in `witnessed` is the log's own, and its tree begins that of the head, whomever the reader trusts.
 * @param {import("../round/proof.js").RoundProof} proof
 * @param {import("../log/checkpoints.js").Checkpoint} checkpoint of the file, signed by the log
 * @param {import("../log/notes.js").VerifierKey} key the log's
 * @returns {Promise<?bigint>} the number of records of the checkpoint in `witnessed`; `null` if there is none
 * @throws {CheckFailed} `proof-form`, `batch-witnessed`, `log-extends`
 */
export async function checkWitnessedBegins({ witnessed, consistency, note }, checkpoint, key) {
  const seen = witnessed === null ? 0n : claimedSize(witnessed);
  checkPresence(consistency, seen >= 1n && seen < checkpoint.size);
  if (witnessed === null) return null;
  const smaller = await openSeen(witnessed, checkpoint, key);
  const larger = { note, checkpoint };
  const { size, root } = smaller.checkpoint;
  if (consistency === null) {
    if (!sameBytes(root, checkpoint.root)) throw forked(smaller, checkpoint.root, fileOf(...inOrder(smaller, larger), []));
    return size;
  }
  const beginning = beginningOf(smaller.checkpoint, checkpoint, consistency);
  if (!sameBytes(beginning, root)) throw forked(smaller, beginning, fileOf(smaller, larger, [beginning, ...consistency]));
  return size;
}

/** The party that makes the file is the one that forks, so it cannot leave the section out. */
function checkPresence(consistency, isNeeded) {
  const needed = "a section consistency, for witnessed is smaller than the checkpoint";
  const absent = "no section consistency: witnessed is not smaller than the checkpoint, or there is none";
  const told = { expected: isNeeded ? needed : absent, found: isNeeded ? "none" : "one" };
  must(isNeeded === (consistency !== null), "proof-form", told);
}

/** The root over the first records of the head's tree, as the hashes show it. */
function beginningOf(seen, head, hashes) {
  const roots = rootsOfConsistency(seen.size, seen.root, head.size, hashes);
  if (roots === null) {
    const expected = `a consistency proof from ${seen.size} to ${head.size} records`;
    throw new CheckFailed("log-extends", { expected, found: `${hashes.length} hashes`, where: WHERE });
  }
  const [beginning, found] = roots;
  const told = { expected: `hashes that lead to the root ${toHex(head.root)}`, found: toHex(found), where: WHERE };
  must(sameBytes(found, head.root), "log-extends", told);
  return beginning;
}

function forked({ checkpoint: { size, root } }, found, evidence) {
  const expected = `a log that begins with ${size} records of root ${toHex(root)}`;
  return new Forked({ expected, found: `root ${toHex(found)}`, where: "its witnessed file" }, evidence);
}
