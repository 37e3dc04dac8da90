// Files of ours that a later version wrote: evidence against nobody, and nothing of them is judged (SPEC 4.9).

import { utf8Text } from "./bytes.js";
import { Unknown } from "./errors.js";

/**
 * @param {Uint8Array} bytes a file
 * @param {string} kind what it should be, such as `round-proof`
 * @throws {Unknown} if its first line is that of such a file of a version from 2 on
 */
export function refuseNewer(bytes, kind) {
  const end = bytes.indexOf(0x0a);
  const line = utf8Text(end < 0 ? bytes : bytes.subarray(0, end)) ?? "";
  const found = /^foredraw\/v([1-9][0-9]*)\/([a-z-]{1,32})$/.exec(line);
  if (found !== null && found[2] === kind && found[1] !== "1") throw new Unknown([line], "newer-file");
}
