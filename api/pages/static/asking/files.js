/** The files of a log, for which nothing is loaded before the first one is needed. */

import { readOnce } from "../../verifier/sources/log-files.js";

/**
 * Each file is read only once, so that all results are about the same log; and never from the cache, because old files
 * among the new ones of a rewritten log would look like damage.
 * @param {string} log its address
 * @returns {import("../../verifier/verifier.js").Read}
 */
export function filesOf(log) {
  let fetching = null;
  return readOnce(async (path) => {
    fetching ??= import("../../verifier/sources/fetch-log.js").then(({ fetchLog }) => fetchLog(log, { fresh: true }));
    return (await fetching)(path);
  });
}
