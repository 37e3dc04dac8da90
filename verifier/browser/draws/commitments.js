// The published promise of each round's seed (SPEC 3.2), and the file of a batch's commitments (5.3).

import { sameBytes, toHex, concat } from "../basics/bytes.js";
import { CheckFailed } from "../basics/errors.js";
import { HASH_SIZE, leafHash, tag, u64 } from "../basics/hashing.js";
import { sha256 } from "../basics/sha256.js";
import { rootOfHashes } from "../log/merkle.js";
import { hashedPath } from "../log/tile-paths.js";

const TAG = tag("commitment");

/**
 * `H(tag("commitment") || table_id || u64(round) || seed)`.
 * @param {Uint8Array} seed
 * @param {{tableId: Uint8Array, round: number}} of the seed's round
 * @returns {Uint8Array}
 */
export function commitment(seed, { tableId, round }) {
  return sha256(concat(TAG, tableId, u64(round), seed));
}

/**
 * @param {Uint8Array} batchId
 * @returns {string} the path of its file
 */
export function commitmentsPath(batchId) {
  return hashedPath("commitments", toHex(batchId));
}

/**
 * Split a batch's file of commitments, and check it against the batch record.
 * @param {Uint8Array} bytes
 * @param {object} batch
 * @param {number} batch.count rounds
 * @param {Uint8Array[]} batch.roots one per custodian
 * @param {?string} [batch.where] the file's path
 * @param {?number} [batch.index] the batch record's
 * @returns {Uint8Array[][]} by custodian, then by round; 32 bytes each
 * @throws {CheckFailed} `commitments-file`
 */
export function splitCommitmentsFile(bytes, { count, roots, where = null, index = null }) {
  const size = roots.length * count * HASH_SIZE;
  if (bytes.length !== size) {
    throw new CheckFailed("commitments-file", {
      expected: `${size} bytes`,
      found: `${bytes.length} bytes`,
      where,
      index,
    });
  }
  return roots.map((root, custodian) => {
    const start = custodian * count;
    const own = Array.from({ length: count }, (_, at) => {
      return bytes.subarray((start + at) * HASH_SIZE, (start + at + 1) * HASH_SIZE);
    });
    const found = rootOfHashes(own.map(leafHash));
    if (!sameBytes(found, root)) {
      const told = { expected: `root ${toHex(root)}`, found: `root ${toHex(found)}`, where, index };
      throw new CheckFailed("commitments-file", told);
    }
    return own;
  });
}
