/**
 * What this browser remembers about a log, in localStorage: its key, and the last signed checkpoint that was seen.
 * It is not an error if the browser stores nothing (a private window, a file from disk): then nothing is remembered.
 */

const PREFIX = "foredraw-log:";

/**
 * @typedef {object} Memory
 * @property {string} vkey the log's key, or the text of a policy in its place
 * @property {boolean} own whether the player brought the key, instead of taking the page's
 * @property {string} since the day when this key was first used here
 * @property {?string} checkpoint the last signed checkpoint, as it was served
 */

/** What is remembered about the log at this address, or null. */
export function recall(address) {
  try {
    const kept = JSON.parse(localStorage.getItem(PREFIX + address));
    const whole = kept && typeof kept.vkey === "string" && typeof kept.since === "string";
    return whole ? { vkey: kept.vkey, own: kept.own === true, since: kept.since, checkpoint: text(kept.checkpoint) } : null;
  } catch {
    return null;
  }
}

/** Remember it; returns whether the browser stored it. */
export function remember(address, memory) {
  try {
    localStorage.setItem(PREFIX + address, JSON.stringify(memory));
    return true;
  } catch {
    return false;
  }
}

/** Forget the log at this address. */
export function forget(address) {
  try {
    localStorage.removeItem(PREFIX + address);
  } catch {
    // Nothing was kept.
  }
}

function text(value) {
  return typeof value === "string" ? value : null;
}
