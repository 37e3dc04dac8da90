// A checkpoint that a policy accepts, and who cosigned it (SPEC 5.7).

import { openCheckpoint } from "../log/checkpoints.js";
import { CheckFailed } from "../basics/errors.js";
import { splitNote } from "../log/notes.js";

/**
 * @typedef {object} Head
 * @property {import("../log/checkpoints.js").Checkpoint} checkpoint
 * @property {import("./policy.js").Policy} policy
 * @property {{witness: import("./quorum.js").Witness, time: bigint}[]} cosigned every cosignature of a witness of the
 *   policy, with its time in seconds since 1970, in the policy's order of witnesses
 */

/**
 * A checkpoint that has the quorum, and whose signatures by keys of the policy all verify.
 * @param {Uint8Array} bytes the signed note
 * @param {import("./policy.js").Policy} policy
 * @returns {Promise<Head>}
 * @throws {CheckFailed} `note-form`, `note-signature`, `checkpoint-form`, `checkpoint-origin`, `checkpoint-quorum`
 */
export async function openHead(bytes, policy) {
  return cosignedHead(bytes, await openCheckpoint(bytes, policy.log), policy);
}

/**
 * The same, of a checkpoint that was opened before.
 * @param {Uint8Array} bytes the signed note
 * @param {import("../log/checkpoints.js").Checkpoint} checkpoint in it
 * @param {import("./policy.js").Policy} policy
 * @returns {Promise<Head>}
 * @throws {CheckFailed} `note-signature`, `checkpoint-quorum`
 */
export async function cosignedHead(bytes, checkpoint, policy) {
  const note = splitNote(bytes);
  const lines = await Promise.all(
    policy.witnesses.map(async (witness) => {
      return (await witness.key.timesOn(note)).map((time) => ({ witness, time }));
    }),
  );
  const head = { checkpoint, policy, cosigned: lines.flat() };
  const cosigned = new Set(head.cosigned.map(({ witness }) => witness));
  if (policy.quorum !== null && !policy.quorum.isMetBy(cosigned)) {
    const found = [...cosigned].map(({ key }) => key.name).join(", ");
    const expected = `cosignatures that meet the policy's quorum, ${policy.quorum.least} at least`;
    throw new CheckFailed("checkpoint-quorum", { expected, found: found === "" ? "none" : `those of ${found}` });
  }
  return head;
}

/**
 * The time of a quorum: the least by which the witnesses that had cosigned meet it (SPEC 5.8).
 * @param {Head} head of a policy with a quorum
 * @returns {bigint} seconds since 1970
 */
export function quorumTime({ policy, cosigned }) {
  const inOrder = [...cosigned].sort((one, other) => Number(one.time - other.time));
  const seen = new Set();
  return inOrder.find(({ witness }) => policy.quorum.isMetBy(seen.add(witness))).time;
}

/** @typedef {{witness: import("./quorum.js").Witness, time: bigint}} Sighting */

/**
 * @param {Head} head
 * @returns {Sighting[]} each witness that cosigned once, with its latest time
 */
export function lastSeen(head) {
  return once(head, (time, before) => time > before);
}

/**
 * @param {Head} head
 * @returns {Sighting[]} each witness that cosigned once, with its earliest time
 */
export function firstSeen(head) {
  return once(head, (time, before) => time < before);
}

function once({ cosigned }, isBetter) {
  const seen = new Map();
  for (const { witness, time } of cosigned) {
    const before = seen.get(witness);
    if (before === undefined || isBetter(time, before)) seen.set(witness, time);
  }
  return [...seen].map(([witness, time]) => ({ witness, time }));
}
