// How many rounds ahead one round was fixed, shown by two locks (SPEC 8.2, step 8).

import { CheckFailed } from "./errors.js";
import { claimedLock } from "./placed.js";
import { must } from "./round-rules.js";
import { ROUNDS_PER_FILE } from "./finding-aids.js";

/**
 * The first round whose lock stands after a batch. Finding aids lead to it, and two locks show it.
 * @param {object} round
 * @param {import("./placed.js").Placed} round.table
 * @param {import("./placed.js").Placed} round.batch the batch of `round`
 * @param {import("./placed.js").Placed} round.lock the lock of `round`
 * @param {import("./round-finder.js").RoundFinder} finder
 * @returns {Promise<{first: number, after: import("./placed.js").Placed, before: ?import("./placed.js").Placed}>} the
 *   round, its lock, and the lock of the round before, if there is one
 * @throws {CheckFailed} `round-records`, `bets-required`, `lead-committed`
 */
export async function showLead({ table, batch, lock }, finder) {
  const { round } = lock.record;
  const first = await firstLockedAfter(batch, round, table.record.lead, finder);
  const lockOf = async (number) => {
    if (number === round) return lock;
    return claimedLock(await finder.lock(number), table, number);
  };
  const [after, before] = await Promise.all([lockOf(first), first > 1 ? lockOf(first - 1) : null]);
  must(after.index > batch.index, "round-records", falseHint(after, `a lock after record ${batch.index}`));
  if (before)
    must(before.index < batch.index, "round-records", falseHint(before, `a lock before record ${batch.index}`));
  if (first > 1 && round - first < table.record.lead) {
    const expected = `round ${round} committed before round ${Math.max(1, round - table.record.lead)} was locked`;
    const found = `round ${first} is the first that was locked after its batch`;
    throw new CheckFailed("lead-committed", { expected, found, index: Number(after.index) });
  }
  return { first, after, before };
}

/** By hints alone: strides that double lead past the edge from where it should be, then halving finds it. */
async function firstLockedAfter(batch, round, lead, finder) {
  const isAfter = async (number) => {
    const { lock } = await finder.hints(number);
    return lock === null || lock > batch.index;
  };
  // The lock of `high` stands after the batch, and that of `low` before: round 0, which there is not, counts as such.
  let [low, high] = [0, round];
  const guess = Math.min(round, Math.max(1, batch.record.first - lead));
  if (await isAfter(guess)) {
    high = guess;
    for (let stride = ROUNDS_PER_FILE; high - stride > 0; stride *= 2) {
      if (!(await isAfter(high - stride))) {
        low = high - stride;
        break;
      }
      high -= stride;
    }
  } else {
    low = guess;
  }
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (await isAfter(middle)) high = middle;
    else low = middle;
  }
  return high;
}

function falseHint(lock, expected) {
  return { expected, found: `record ${lock.index}`, index: Number(lock.index) };
}
