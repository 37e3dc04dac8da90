// That a round's batch was fixed before its pulse existed, by the clocks of outsiders (SPEC 5.8).

import { openWitnessed } from "../policy/witnessed.js";
import { isSalted, pulseTimeOf } from "../records/salts.js";
import { tellWitnessed } from "../report/report.js";
import { showWitnessed } from "../report/show.js";

/**
 * @param {import("../policy/policy.js").Policy} policy
 * @param {import("../records/record.js").LogRecord} table
 * @returns {boolean} whether the policy demands that witnesses saw the table's batches
 */
export function demandsWitnesses(policy, table) {
  return policy.quorum !== null && isSalted(table);
}

/**
 * @param {?Uint8Array} bytes the file that shows it; `null` if there is none
 * @param {object} check of a round whose policy demands it
 * @param {import("../round/placed.js").Placed} check.table
 * @param {import("../round/placed.js").Placed} check.batch
 * @param {import("../records/salts.js").Beacons} check.beacons
 * @param {import("../policy/policy.js").Policy} check.policy
 * @param {import("../report/report.js").Report} check.report it is filled in
 * @param {import("../report/steps.js").Shown} shown
 * @returns {Promise<{code: string, time: string}>} what was shown
 * @throws {CheckFailed} `batch-witnessed`
 */
export async function checkWitnessed(bytes, { table, batch, beacons, policy, report }, shown) {
  const pulseTime = pulseTimeOf(table.record, batch.record, beacons);
  const witnessed = await openWitnessed(bytes, { ...batch, pulseTime }, policy);
  tellWitnessed(report, witnessed);
  showWitnessed(shown, batch, bytes, witnessed);
  const { at: time } = report.batchWitnessed;
  return { code: pulseTime === null ? "batch-witnessed-unknown" : "batch-witnessed", time };
}
