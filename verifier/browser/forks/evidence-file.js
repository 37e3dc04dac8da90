// The file of evidence, as it is written (SPEC 8.5).

import { toHex, utf8Text } from "../basics/bytes.js";
import { base64Text } from "../basics/spelling.js";

/** The smaller one first; of equal sizes, the one with the smaller root. */
export function inOrder(one, other) {
  const [first, second] = [one.checkpoint, other.checkpoint];
  const isLess = first.size === second.size ? toHex(first.root) <= toHex(second.root) : first.size < second.size;
  return isLess ? [one, other] : [other, one];
}

/**
 * A file of evidence (SPEC 8.5).
 * @param {{note: Uint8Array}} smaller
 * @param {{note: Uint8Array}} larger
 * @param {Uint8Array[]} hashes
 * @returns {string}
 */
export function fileOf(smaller, larger, hashes) {
  const head = ["foredraw/v1/fork", ...hashes.map(base64Text)].join("\n");
  return `${head}\n\n${utf8Text(smaller.note)}\n${utf8Text(larger.note)}`;
}
