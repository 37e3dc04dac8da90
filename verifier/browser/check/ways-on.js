// What to do when a log does not show what was asked for: nobody signs an index, so that accuses nobody (SPEC 8.3).

import { ForedrawError, quote } from "../basics/errors.js";
import { predecessorNamed, successorNamed } from "../records/succession.js";

/**
 * @param {import("../log/tiles.js").AuthenticTiles} tiles of the log
 * @returns {Promise<import("../report/report.js").Fact[]>} sentences: what it means, and the ways on
 */
export async function waysOn(tiles) {
  const { size } = tiles.checkpoint;
  const found = [{ code: "nobody" }, { code: "ask-again" }, { code: "ask-the-giver" }];
  for (const [code, index, named] of [["successor", size - 1n, successorNamed], ["predecessor", 0n, predecessorNamed]]) {
    const key = size > 0n ? await keyNamed(tiles, index, named) : null;
    if (key !== null) found.push({ code, key: quote(key) });
  }
  return found;
}

/** The key that a record names; null if it names none, or cannot be read. */
async function keyNamed(tiles, index, named) {
  try {
    return named(await tiles.record(index));
  } catch (error) {
    if (!(error instanceof ForedrawError)) throw error;
    return null;
  }
}
