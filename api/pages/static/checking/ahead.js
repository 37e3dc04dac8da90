/** How far ahead a round was fixed, in one sentence. */

/**
 * A table's first rounds were fixed less than the lead ahead, because no round came before: no number is named. By a
 * proof file one lock is known, so that the round may have been fixed earlier.
 * @param {import("../../verifier/verifier.js").Report} report
 * @param {(message: string) => string} _ translates
 */
export function sayAhead({ kind, roundsAhead, firstAfter, lead }, _) {
  if (firstAfter === 1 && roundsAhead < lead) return _("Fixed before the table’s first round.");
  if (kind === "proof") {
    if (roundsAhead === 1) return _("Fixed at least one round before yours.");
    return _("Fixed at least %(ahead)s rounds before yours.").replace("%(ahead)s", roundsAhead);
  }
  if (roundsAhead === 1) return _("Fixed one round before yours.");
  return _("Fixed %(ahead)s rounds before yours.").replace("%(ahead)s", roundsAhead);
}
