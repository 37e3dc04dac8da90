// Reading the files of a log from any source.

import { ForedrawError, quote, Unreadable } from "../basics/errors.js";

/**
 * A `read` that asks for each file once, and turns every failure into `Unreadable`.
 * @param {import("../log/tiles.js").Read} read
 * @returns {import("../log/tiles.js").Read}
 */
export function readOnce(read) {
  const files = new Map();
  return (path) => {
    if (!files.has(path)) {
      const file = guarded(read, path);
      // A prefetched file may fail before anybody waits for it.
      file.catch(() => {});
      files.set(path, file);
    }
    return files.get(path);
  };
}

async function guarded(read, path) {
  try {
    return await read(path);
  } catch (error) {
    if (error instanceof ForedrawError) throw error;
    throw new Unreadable(path, quote(String(error?.message ?? error)));
  }
}

/**
 * A file that a log must have.
 * @param {import("../log/tiles.js").Read} read
 * @param {string} path
 * @returns {Promise<Uint8Array>}
 * @throws {Unreadable}
 */
export async function readFile(read, path) {
  const bytes = await read(path);
  if (bytes === null) throw new Unreadable(path, "it is not there");
  return bytes;
}
