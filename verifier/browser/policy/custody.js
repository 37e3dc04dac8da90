// What a custodian said of a batch: its note, and the policy by which it releases the batch's seeds (SPEC 5.9).

import { toHex, utf8 } from "../basics/bytes.js";
import { CheckFailed, Malformed, quote } from "../basics/errors.js";
import { LARGEST_CUSTODY_NOTE, LARGEST_POLICY } from "../basics/limits.js";
import { sha256 } from "../basics/sha256.js";
import { openNote } from "../log/notes.js";
import { readPublished } from "./published-policy.js";
import { hashedPath } from "../log/tile-paths.js";

/**
 * By what a custodian releases the seeds of a batch.
 * @typedef {object} Released
 * @property {string} name the custodian's
 * @property {?import("./policy.js").Policies} policies `null` if its note or its policy is of a later version
 */

/**
 * @param {Uint8Array} batchId
 * @param {string} name the custodian's
 * @returns {string} the path of its note
 */
export function custodyPath(batchId, name) {
  return `${hashedPath("custody", toHex(batchId))}/${name}`;
}

/**
 * @param {Uint8Array} note
 * @returns {?string} the path of the policy that a note names, whoever signed it
 */
export function policyPathIn(note) {
  const hash = hashIn(note);
  return hash === null ? null : `policies/${hash}`;
}

function hashIn(note) {
  return /^policy ([0-9a-f]{64})$/m.exec(new TextDecoder().decode(note))?.[1] ?? null;
}

/**
 * @param {{note: ?Uint8Array, policy: ?Uint8Array}} said what the custodian said; `null` for what is missing
 * @param {object} batch its record, with the table's
 * @param {{record: object, leaf: Uint8Array}} batch.table
 * @param {{record: object, index: bigint}} batch.batch
 * @param {{name: string, key: import("../log/notes.js").VerifierKey}} custodian
 * @param {import("../log/notes.js").VerifierKey} log
 * @returns {Promise<Released>}
 * @throws {CheckFailed} `custody-note`
 */
export async function checkCustody({ note, policy }, { table, batch }, { name, key }, log) {
  const refuse = (expected, found) => {
    const told = { expected, found, index: Number(batch.index), where: `the note of ${name}` };
    throw new CheckFailed("custody-note", told);
  };
  if (note === null) refuse(`the note of ${name}`, "none");
  try {
    return { name, policies: await checked(note, policy, textOf(table, batch, name), key, log) };
  } catch (error) {
    if (!(error instanceof CheckFailed || error instanceof Malformed)) throw error;
    return refuse(error.expected, error.found);
  }
}

async function checked(note, policy, text, key, log) {
  if (note.length > LARGEST_CUSTODY_NOTE) malformed("note", `at most ${LARGEST_CUSTODY_NOTE} bytes`, `${note.length}`);
  const signed = await openNote(note, key);
  const named = hashIn(utf8(signed));
  const [, version = "1"] = /^foredraw\/v([1-9][0-9]*)\/custody\n/.exec(signed) ?? [];
  if (policy === null && named !== null) malformed("policy", `the file policies/${named}`, "none");
  if (policy !== null) checkHash(policy, named);
  if (version !== "1") return null;
  if (policy === null || named === null || signed !== text(named)) malformed("note", text(named ?? ""), signed);
  return readPublished(policy, log);
}

function checkHash(policy, named) {
  if (policy.length > LARGEST_POLICY) malformed("policy", `at most ${LARGEST_POLICY} bytes`, `${policy.length}`);
  const found = toHex(sha256(policy));
  if (named !== null && found !== named) malformed("policy", `one with the SHA-256 ${named}`, found);
}

/** The text that the custodian signs, by the hash of its policy. */
function textOf(table, { record }, name) {
  const at = table.record.custodians.indexOf(name);
  return (policy) =>
    [
      "foredraw/v1/custody",
      `table ${toHex(table.leaf)}`,
      `batch ${record.batch} ${record.first} ${record.count}`,
      `anchor ${record.anchors[at]}`,
      `commitments ${record.commitments[at]}`,
      `policy ${policy}`,
      "",
    ].join("\n");
}

function malformed(what, expected, found) {
  throw new Malformed(what, quote(expected), quote(found));
}
