/** What a failed check says to a player, in one sentence of English, which pages and badges translate. */

/** Marks what a page translates. */
const _ = (/** @type {string} */ text) => text;

/** What kind of thing is wrong, by whose fault it can be. */
const FAULTS = {
  "fault-of-key": _("A rule was broken."),
  "fault-of-fork": _("Two histories were signed."),
  "fault-of-server": _("What arrived here is not what was signed."),
  "fault-of-server-or-operator": _("A file is missing here, or false."),
  "fault-of-witnesses": _("Too few outside witnesses have confirmed this."),
  "fault-of-file": _("This file is damaged, or made up."),
  "fault-of-code": _("This code is not of this round."),
  "fault-of-receipt": _("This bet is not among those that were in."),
};

const NO_FORK = _("This file proves nothing against anybody.");
const OTHER_RESULT = _("The result is not the one that was fixed.");
const TOO_LATE = _("The result was not fixed as early as promised.");

/** The same, where a check has words of its own. */
const CHECKS = {
  "fork-proof": NO_FORK,
  "fork-roots": NO_FORK,
  "outcome": OTHER_RESULT,
  "commitment": OTHER_RESULT,
  "seed-link": OTHER_RESULT,
  "lead-committed": TOO_LATE,
  "lead-opened": TOO_LATE,
  "batch-witnessed": _("Too few outside witnesses had confirmed this in time."),
};

/** @param {import("../../verifier/verifier.js").Failure} failure */
export function whatIsWrong({ check, means }) {
  return CHECKS[check] ?? FAULTS[means];
}
