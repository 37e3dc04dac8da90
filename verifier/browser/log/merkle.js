// The trees of RFC 6962: roots, audit paths, and the roots to which paths and consistency proofs lead (SPEC 2).
//
// Indexes and sizes of a log go up to 2⁶³, so they are BigInt. Positions in a list, as those of a batch, are Number.

import { CheckFailed } from "../basics/errors.js";
import { nodeHash } from "../basics/hashing.js";
import { sha256 } from "../basics/sha256.js";

/** The root of an empty tree. */
export const EMPTY_ROOT = sha256(new Uint8Array());

/**
 * The compact form of a tree that grows: the roots of its perfect subtrees, at most 64.
 */
export class Edge {
  /** @param {Edge} [other] copied, if given */
  constructor(other) {
    this.size = other ? other.size : 0;
    this.subtrees = other ? [...other.subtrees] : [];
  }

  /** @param {Uint8Array} hash the next leaf's */
  append(hash) {
    let whole = hash;
    for (let n = this.size; n % 2 === 1; n = (n - 1) / 2) whole = nodeHash(this.subtrees.pop(), whole);
    this.subtrees.push(whole);
    this.size += 1;
  }

  /** @returns {Uint8Array} MTH over the leaves so far */
  get root() {
    return this.subtrees.length ? this.subtrees.reduceRight((right, left) => nodeHash(left, right)) : EMPTY_ROOT;
  }
}

/**
 * @param {Uint8Array[]} hashes the leaves'
 * @returns {Uint8Array} MTH over them
 */
export function rootOfHashes(hashes) {
  if (hashes.length === 0) return EMPTY_ROOT;
  let level = hashes;
  while (level.length > 1) level = parents(level);
  return level[0];
}

/**
 * @param {Uint8Array[]} hashes the leaves'
 * @param {number} index of a leaf
 * @returns {Uint8Array[]} its audit path (RFC 6962, 2.1.1), the leaf's sibling first
 */
export function auditPath(hashes, index) {
  const path = [];
  let [level, at] = [hashes, index];
  while (level.length > 1) {
    const sibling = at % 2 ? at - 1 : at + 1;
    if (sibling < level.length) path.push(level[sibling]);
    level = parents(level);
    at = Math.floor(at / 2);
  }
  return path;
}

/** The level above; a last hash without a sibling moves up unchanged. */
function parents(level) {
  const above = [];
  for (let at = 0; at + 1 < level.length; at += 2) above.push(nodeHash(level[at], level[at + 1]));
  if (level.length % 2) above.push(level[level.length - 1]);
  return above;
}

/**
 * The root to which a leaf and its audit path lead. Index and size determine the path's length (RFC 9162, 2.1.3.2).
 * @param {Uint8Array} leaf its hash
 * @param {bigint|number} index below `size`
 * @param {bigint|number} size
 * @param {Uint8Array[]} path
 * @returns {?Uint8Array} `null` if there are too many or too few hashes, or if the index is past the end
 */
export function rootOfInclusion(leaf, index, size, path) {
  let [at, last] = [BigInt(index), BigInt(size) - 1n];
  if (at < 0n || at > last) return null;
  let hash = leaf;
  for (const sibling of path) {
    if (last === 0n) return null;
    if (at % 2n === 1n || at === last) {
      hash = nodeHash(sibling, hash);
      // A last hash without a sibling moved up unchanged, so the path has none for these levels.
      while (at % 2n === 0n && at !== 0n) [at, last] = [at / 2n, last / 2n];
    } else {
      hash = nodeHash(hash, sibling);
    }
    [at, last] = [at / 2n, last / 2n];
  }
  return last === 0n ? hash : null;
}

/**
 * The roots to which a consistency proof leads (RFC 9162, 2.1.4.2).
 * @param {bigint|number} oldSize
 * @param {Uint8Array} oldRoot if the old tree is perfect, the proof leaves it out
 * @param {bigint|number} size
 * @param {Uint8Array[]} path
 * @returns {?[Uint8Array, Uint8Array]} of the old tree and the new; `null` if there are too many or too few
 *   hashes, or unless 1 ≤ old size ≤ size
 */
export function rootsOfConsistency(oldSize, oldRoot, size, path) {
  let [old, last] = [BigInt(oldSize), BigInt(size) - 1n];
  if (old < 1n || old > BigInt(size)) return null;
  if (old === BigInt(size)) return path.length ? null : [oldRoot, oldRoot];
  const isPerfect = (old & (old - 1n)) === 0n;
  const hashes = isPerfect ? [oldRoot, ...path] : path;
  if (path.length === 0) return null;
  old -= 1n;
  while (old % 2n === 1n) [old, last] = [old / 2n, last / 2n];
  let [before, now] = [hashes[0], hashes[0]];
  for (const hash of hashes.slice(1)) {
    if (last === 0n) return null;
    if (old % 2n === 1n || old === last) {
      before = nodeHash(hash, before);
      now = nodeHash(hash, now);
      while (old % 2n === 0n && old !== 0n) [old, last] = [old / 2n, last / 2n];
    } else {
      now = nodeHash(now, hash);
    }
    [old, last] = [old / 2n, last / 2n];
  }
  return last === 0n ? [before, now] : null;
}

/**
 * Check that a record is in a log (SPEC 5.5).
 * @param {Uint8Array} leaf the record's leaf hash
 * @param {{index: bigint, path: Uint8Array[]}} inclusion
 * @param {{size: bigint, root: Uint8Array}} checkpoint
 * @param {?string} where the section of a file, for the error
 * @throws {CheckFailed} `inclusion`
 */
export function checkInclusion(leaf, { index, path }, { size, root }, where = null) {
  const found = rootOfInclusion(leaf, index, size, path);
  if (found === null || !found.every((value, at) => value === root[at])) {
    const expected = "hashes that lead from the record to the checkpoint's root";
    const told = { expected, found: `others, for record ${index} of ${size}`, where, index: Number(index) };
    throw new CheckFailed("inclusion", told);
  }
}
