// What can go wrong in a verification. The kinds never mix (SPEC 8):
//
//   Malformed     a value is not well formed: not a key, not a time, not a number
//   CheckFailed   a named check of SPEC 4.3 does not hold: evidence against the operator, or against the server
//   Unknown       something is newer than this program: evidence against nobody
//   Unreadable    a file could not be read, so nothing is known
//
// Any other error is a bug of this program.

import { FAULT, MEANING } from "./checks.js";

/** The base of all errors of the protocol. */
export class ForedrawError extends Error {}

/** A value that is not well formed. */
export class Malformed extends ForedrawError {
  /**
   * @param {string} what what it should have been
   * @param {string} expected
   * @param {string} found shortened, without control characters
   */
  constructor(what, expected, found) {
    super(`${what}: expected ${expected}, found ${found}`);
    this.name = "Malformed";
    this.what = what;
    this.expected = expected;
    this.found = found;
  }
}

/** A check of SPEC 4.3 that does not hold. */
export class CheckFailed extends ForedrawError {
  /**
   * @param {string} check its code in SPEC 4.3, such as `"outcome"`
   * @param {object} told
   * @param {string} told.expected
   * @param {string} told.found
   * @param {?number} [told.index] the record's index in the log
   * @param {?string} [told.where] the file, the section, the custodian
   */
  constructor(check, { expected, found, index = null, where = null }) {
    if (!(check in MEANING)) throw new TypeError(`no such check: ${check}`);
    super(`${check}: expected ${expected}, found ${found}`);
    this.name = "CheckFailed";
    this.check = check;
    this.expected = expected;
    this.found = found;
    this.index = index;
    this.where = where;
  }

  /** @returns {string} whose fault it can be, as the code of a sentence */
  get fault() {
    return FAULT[this.check];
  }

  /** @returns {string} what holds if the check passes: its sentence in SPEC 4.3 */
  get meaning() {
    return MEANING[this.check];
  }
}

/**
 * A checkpoint has no line of the log's name and key id, so it is none of this log's: a wrong key, a portal's page.
 * For a verdict, nothing could be read (SPEC 8.3).
 */
export class NotThisLogs extends CheckFailed {
  /** @returns {{path: string, why: string, isForeign: boolean}} what a verdict says */
  get unreadable() {
    const why = `this is not signed by the key that you gave: expected ${this.expected}, found ${this.found}`;
    return { path: this.where ?? "checkpoint", why, isForeign: true };
  }
}

/**
 * What was asked for is not shown by what was read: finding aids, which nobody signs, do not lead to it, or a receipt
 * ends before. That is evidence neither for nor against anybody (SPEC 8.3).
 */
export class NotShown extends CheckFailed {}

/** Two checkpoints that the log signed contradict each other (SPEC 8.5). */
export class Forked extends CheckFailed {
  /**
   * @param {{expected: string, found: string, where: string}} told
   * @param {string} evidence the file that shows it
   */
  constructor(told, evidence) {
    super("log-extends", told);
    this.evidence = evidence;
  }

  get fault() {
    return "fault-of-fork";
  }
}

/** Something that is newer than this program, as far as it can see: evidence against nobody (SPEC 4.9). */
export class Unknown extends ForedrawError {
  /**
   * @param {string[]} what is not known
   * @param {"newer-record"|"newer-code"|"newer-file"} code of the sentence that says so
   */
  constructor(what, code = "newer-record") {
    super(`unknown to this program: ${what.join(", ")}`);
    this.name = "Unknown";
    this.what = what;
    this.code = code;
  }
}

/** A file that could not be read. It says nothing about anybody's honesty. */
export class Unreadable extends ForedrawError {
  /**
   * @param {string} path the file, below the log's prefix
   * @param {string} why
   */
  constructor(path, why) {
    super(`${path}: ${why}`);
    this.name = "Unreadable";
    this.path = path;
    this.why = why;
  }
}

/**
 * A value from outside, as errors show it: at most 120 characters of printable ASCII.
 * @param {string} text
 * @returns {string}
 */
export function quote(text) {
  const plain = text.slice(0, 121).replace(/[^\x20-\x7e]/gu, (c) => `\\u{${c.codePointAt(0).toString(16)}}`);
  return plain.length > 120 ? `${plain.slice(0, 117)}…` : plain;
}
