/**
 * A `read` for the files of a log that a web server serves. It follows no redirect, takes no more bytes than a file of that
 * path can have, waits `patience` for each file, and tries again after a passing error.
 * @param {string|URL} url the log's prefix, such as `/log` or `https://fore.example/log`, with or without a slash at its end
 * @param {object} [options]
 * @param {number} [options.patience] milliseconds for one file, the whole of it; 20,000 unless told
 * @returns {import("./verifier.js").Read} it throws `Unreadable`
 */
export function fetchLog(url, { patience = 20_000 } = {}) {
  throw new Error(`logs are not fetched yet: ${url}, ${patience}`);
}
