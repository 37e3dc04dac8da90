// How many rounds ahead one round was fixed, shown by two locks (SPEC 8.2, step 8).

import { CheckFailed, NotShown } from "../basics/errors.js";
import { ROUNDS_PER_FILE } from "../round/finding-aids.js";

/**
 * The first round whose lock stands after the record that fixed a round: its batch, or that batch's salt. Finding
 * aids lead to it, and two locks show it.
 * @param {object} round
 * @param {import("../round/placed.js").Placed} round.table
 * @param {import("../round/placed.js").Placed} round.batch the batch of `round`
 * @param {?import("../round/placed.js").Placed} round.salt that batch's salt, if the table has a salt
 * @param {import("../round/placed.js").Placed} round.lock the lock of `round`
 * @param {import("../round/finder.js").RoundFinder} finder
 * @returns {Promise<{first: number, after: import("../round/placed.js").Placed, before:
 *   ?import("../round/placed.js").Placed}>} the round, its lock, and the lock of the previous round, if there is one
 * @throws {CheckFailed} `bets-required`, `lead-committed`
 * @throws {NotShown} `round-records`
 */
export async function showLead({ table, batch, salt, lock }, finder) {
  const { round } = lock.record;
  const fixed = salt ?? batch;
  const guess = Math.max(1, batch.record.first - table.record.lead);
  const first = await firstLockedAfter(fixed.index, round, guess, finder);
  const lockOf = async (number) => {
    if (number === round) return lock;
    return finder.lock(await finder.lockHint(number), number);
  };
  const [after, before] = await Promise.all([lockOf(first), first > 1 ? lockOf(first - 1) : null]);
  if (after.index <= fixed.index) throw falseHint(after, `a lock after record ${fixed.index}`);
  if (before && before.index >= fixed.index) throw falseHint(before, `a lock before record ${fixed.index}`);
  if (first > 1 && round - first < table.record.lead) {
    const expected = `round ${round} fixed before round ${Math.max(1, round - table.record.lead)} was locked`;
    const found = `round ${first} is the first that was locked after that`;
    throw new CheckFailed("lead-committed", { expected, found, index: Number(fixed.index) });
  }
  return { first, after, before };
}

/** By hints alone, as SPEC 8.2 demands: strides that double from where it should be, then bisection. */
async function firstLockedAfter(index, round, guess, finder) {
  const isAfter = async (number) => number === round || (await finder.lockHint(number)) > index;
  let [before, after] = [0, round];
  if (await isAfter(guess)) {
    after = guess;
    for (let stride = ROUNDS_PER_FILE; before === 0 && after > stride;) {
      if (await isAfter(after - stride)) {
        after -= stride;
        stride *= 2;
      } else {
        before = after - stride;
      }
    }
  } else {
    before = guess;
  }
  while (after - before > 1) {
    const middle = Math.floor((before + after) / 2);
    if (await isAfter(middle)) after = middle;
    else before = middle;
  }
  return after;
}

function falseHint(lock, expected) {
  return new NotShown("round-records", { expected, found: `record ${lock.index}`, index: Number(lock.index) });
}
