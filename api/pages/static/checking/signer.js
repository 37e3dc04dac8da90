/** What a proof file says about its log. It is not evidence of anything until a key has verified it. */

import { toHex } from "../../verifier/basics/bytes.js";
import { CheckFailed } from "../../verifier/basics/errors.js";
import { splitNote } from "../../verifier/log/notes.js";

const HEAD = "\ncheckpoint\n";

/** The signed checkpoint at the end of a proof file; null if there is none. */
export function checkpointOf(bytes) {
  const text = new TextDecoder().decode(bytes);
  const begin = text.lastIndexOf(HEAD);
  return begin < 0 ? null : text.slice(begin + HEAD.length);
}

/** The name and the id of the log's key; null if the file does not say. */
export function signerOf(bytes) {
  const checkpoint = checkpointOf(bytes);
  if (checkpoint === null) return null;
  try {
    const { text, signatures } = splitNote(new TextEncoder().encode(checkpoint));
    const [name] = text.split("\n");
    const own = signatures.find((signature) => signature.name === name);
    return own === undefined ? null : { name, keyId: toHex(own.keyId) };
  } catch (error) {
    if (error instanceof CheckFailed) return null;
    throw error;
  }
}
