/** One request for a proof file; never from the cache, as it is about the log as it is now. */

/** Where the answer to what was asked for before the page's script came is kept: `{path, answer}`. */
export const EARLY = "foredrawEarly";

/**
 * The answer of the service, or null if there is none. It rejects never: nobody may wait for it yet.
 * @param {string} path
 * @returns {Promise<?Response>}
 */
export function ask(path) {
  return fetch(path, { cache: "no-store", credentials: "omit", redirect: "error", referrerPolicy: "no-referrer" }).catch(() => null);
}
