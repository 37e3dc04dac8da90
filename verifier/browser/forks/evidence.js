// The check of evidence that a log was forked (SPEC 8.5), step by step.

import { policyOfNote } from "../policy/policy.js";
import { conclude, head, newReport, reportError } from "../report/report.js";
import { Steps } from "../report/steps.js";
import { checkFork, FORK_STEPS, noteOf } from "./fork.js";

/**
 * Check evidence that a log was forked, offline. If it held, two histories were signed.
 * @param {Uint8Array} bytes the file
 * @param {object} options
 * @param {string} [options.vkey] the log's verifier key, `name+id+key`
 * @param {string} [options.policy] the text of a policy, in the place of the key
 * @param {string} [options.logName] which of several logs of the policy is meant; otherwise the file's checkpoint says it
 * @param {(step: import("../report/steps.js").Step) => void} [options.onStep] called with each step when it has ended
 * @returns {Promise<import("../report/report.js").Report>} also if a check failed; `log` is the larger checkpoint
 * @throws {Malformed} if `vkey` is not a verifier key, or `policy` not a policy
 */
export async function checkEvidence(bytes, { onStep = () => {}, ...trust }) {
  const believed = policyOfNote(trust, noteOf(bytes));
  const report = newReport("evidence");
  const steps = new Steps(FORK_STEPS, onStep);
  try {
    const { smaller, larger } = await checkFork(bytes, believed, steps);
    report.log = head(larger);
    report.headline = { code: "fork-proven", origin: larger.origin, size: Number(smaller.size) };
    report.notProven = [{ code: "whose-key" }, { code: "which-is-true" }];
    conclude(report);
  } catch (error) {
    reportError(report, error);
  }
  steps.skipRest();
  return { ...report, steps: steps.done };
}
