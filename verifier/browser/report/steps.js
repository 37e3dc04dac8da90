// The numbered steps of a check, reported while it runs.

import { toHex } from "../basics/bytes.js";
import { CheckFailed, NotShown, NotThisLogs } from "../basics/errors.js";

/**
 * One thing that was read or computed. It has `hex` or `text`, never both.
 * @typedef {object} Value
 * @property {string} label a code, such as `"table-id"`; in English by `labelText`
 * @property {string} [of] whose it is, if a step shows several: a custodian's name, or `record 17`
 * @property {string} [hex] bytes, in lower-case hexadecimal digits
 * @property {string} [text] anything else: a record's exact bytes, a number, a file's path. Never markup: show it as
 *   text
 */

/**
 * A command line for a POSIX shell that computes a value again, with `printf`, `openssl`, `xxd` or `python3`. It may
 * have several lines. Whatever the log contains, it holds only digits, Base64 and quoted text.
 * @typedef {object} Command
 * @property {string} label what it computes, a code as in `Value`
 * @property {string} [of] as in `Value`
 * @property {string} command
 * @property {string} prints what it must print, without the last line feed
 */

/**
 * One step of SPEC 8.2 (a code), 8.6 (a proof file), 8.5 (evidence) or 8.4 (a bet). Steps come in order, each once. A
 * step after one that failed is `skipped`, and so is one for which nothing is found (steps 7 and 8 of a receipt,
 * whose round has not ended; step 6 of a bet, if no reveal is shown).
 * @typedef {object} Step
 * @property {number} number from 1, as in SPEC
 * @property {string} name the code of its title: of 8.2 `code`, `checkpoint`, `table`, `records`, `seeds`,
 *   `commitments`, `outcome`, `lead`; of 8.6 `file`, `checkpoint`, `inclusion`, `claims`, `order`, `commitments`,
 *   `seeds`, `outcome`; of 8.5 `form`, `first`, `second`, `hashes`, `contradiction`; of 8.4 `receipt`, `checkpoint`,
 *   `table`, `lock`, `digest`, `reveal`. In English by `stepTitle(kind, name)`
 * @property {"held"|"failed"|"skipped"} state `skipped` also if a file could not be read, or does not show what was asked for
 * @property {Value[]} values
 * @property {Command[]} how
 */

/** What one step shows. */
export class Shown {
  constructor() {
    /** @type {Value[]} */
    this.values = [];
    /** @type {Command[]} */
    this.how = [];
  }

  /**
   * @param {string} label
   * @param {any} value anything that has a text
   * @param {string} [of] whose it is, if a step shows several
   */
  text(label, value, of) {
    this.values.push({ label, text: String(value), ...(of === undefined ? {} : { of }) });
  }

  /**
   * @param {string} label
   * @param {Uint8Array} bytes
   * @param {string} [of] whose it is, if a step shows several
   */
  hex(label, bytes, of) {
    this.values.push({ label, hex: toHex(bytes), ...(of === undefined ? {} : { of }) });
  }

  /**
   * @param {{label: string, command: string, prints: string}} command
   * @param {string} [of] whose it is, if a step shows several
   */
  command(command, of) {
    this.how.push({ ...command, ...(of === undefined ? {} : { of }) });
  }
}

/** Runs steps in order, and reports each when it has ended. */
export class Steps {
  #names;
  #onStep;

  /**
   * @param {readonly string[]} names
   * @param {(step: Step) => void} onStep
   */
  constructor(names, onStep) {
    this.#names = names;
    this.#onStep = onStep;
    /** @type {Step[]} */
    this.done = [];
  }

  /**
   * Run the next step.
   * @template T
   * @param {(shown: Shown) => T|Promise<T>} work
   * @returns {Promise<T>} what `work` returns; if it throws, the step has failed, and the error is rethrown
   */
  async run(work) {
    const shown = new Shown();
    try {
      const result = await work(shown);
      this.#tell("held", shown);
      return result;
    } catch (error) {
      const saysNothing = error instanceof NotThisLogs || error instanceof NotShown;
      this.#tell(error instanceof CheckFailed && !saysNothing ? "failed" : "skipped", shown);
      throw error;
    }
  }

  /** Report the remaining steps as skipped: they have nothing to check, or were not reached. */
  skipRest() {
    while (this.done.length < this.#names.length) this.#tell("skipped", new Shown());
  }

  /** A copy of the steps so far that reports nothing: for an attempt that may be given up. */
  attempt() {
    const copy = new Steps(this.#names, () => {});
    copy.done = [...this.done];
    return copy;
  }

  #tell(state, { values, how }) {
    const number = this.done.length + 1;
    const step = { number, name: this.#names[number - 1], state, values, how };
    this.done.push(step);
    this.#onStep(step);
  }
}
