/**
 * The check of a round by its code: by the proof file that the service makes of it, which is one request; and if that
 * says nothing, by the log's files.
 */

import { checkCodeByProof } from "../../verifier/check/code-proof.js";
import { checkpointOf } from "../checking/signer.js";
import { ask, EARLY } from "./ask.js";
import { proofPath } from "./path.js";

/** Milliseconds. The log's files are asked for if the proof is not there by then. */
const PATIENCE = 5000;
/** The checks by which a file turns out to be of something else than the code. */
const OF_SOMETHING_ELSE = ["code-table", "code-game", "code-round"];

/**
 * The proof file of a code's round; null if the service gives none. What was asked for early is taken once, so that a
 * second check is about the log as it is then.
 * @param {string} code
 * @returns {Promise<?Uint8Array>}
 */
export async function proofOf(code) {
  const path = proofPath(code);
  if (path === null) return null;
  const early = globalThis[EARLY];
  delete globalThis[EARLY];
  return Promise.race([bytesOf(early?.path === path ? early.answer : ask(path)), nothingAfter(PATIENCE)]);
}

async function bytesOf(asked) {
  try {
    const answer = await asked;
    return answer?.status === 200 ? new Uint8Array(await answer.arrayBuffer()) : null;
  } catch {
    return null;
  }
}

function nothingAfter(milliseconds) {
  return new Promise((resolve) => setTimeout(resolve, milliseconds, null));
}

/**
 * @param {string} code
 * @param {?Uint8Array} proof
 * @param {object} options as those of `checkCode`; `logName` says which log of a policy it is
 * @returns {Promise<import("../../verifier/verifier.js").Report & {note: ?string}>} by the proof file of kind `proof`,
 *   else of kind `code`; `note` is the file's checkpoint if this log signed it
 */
export async function checkRound(code, proof, { logName, onStep, ...options }) {
  let note = null;
  if (proof !== null) {
    const report = await checkCodeByProof(code, proof, { ...options, logName });
    if (report.isSigned) note = checkpointOf(proof);
    if (decides(report)) return { ...report, note };
  }
  const { checkCode } = await import("../../verifier/check/code.js");
  return { ...(await checkCode(code, { ...options, onStep })), note };
}

/**
 * Nobody vouches for a file that is not signed by this log, so it says nothing. Neither does one without the reveal,
 * or with something that is unknown here, which the log may have otherwise; nor one of something else, which a cache
 * may have given: nothing that is signed contradicts the code then.
 */
function decides({ verdict, isSigned, failure }) {
  return verdict === "held" || verdict === "sandbox" || (verdict === "failed" && isSigned && !OF_SOMETHING_ELSE.includes(failure.check));
}
