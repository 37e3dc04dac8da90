// The numbered steps of a check, as they are told while it runs.

import { toHex } from "./bytes.js";
import { Unreadable } from "./errors.js";

/** What one step has to show. */
export class Shown {
  constructor() {
    /** @type {import("./verifier.js").Value[]} */
    this.values = [];
    /** @type {import("./verifier.js").Command[]} */
    this.how = [];
  }

  /**
   * @param {string} label
   * @param {any} value anything that has a text
   * @param {string} [of] whose it is, where a step shows several
   */
  text(label, value, of) {
    this.values.push({ label, text: String(value), ...(of === undefined ? {} : { of }) });
  }

  /**
   * @param {string} label
   * @param {Uint8Array} bytes
   * @param {string} [of] whose it is, where a step shows several
   */
  hex(label, bytes, of) {
    this.values.push({ label, hex: toHex(bytes), ...(of === undefined ? {} : { of }) });
  }

  /**
   * @param {{label: string, command: string, prints: string}} command
   * @param {string} [of] whose it is, where a step shows several
   */
  command(command, of) {
    this.how.push({ ...command, ...(of === undefined ? {} : { of }) });
  }
}

/** Runs steps in order and tells each when it is over. */
export class Steps {
  #names;
  #onStep;

  /**
   * @param {readonly string[]} names
   * @param {(step: import("./verifier.js").Step) => void} onStep
   */
  constructor(names, onStep) {
    this.#names = names;
    this.#onStep = onStep;
    /** @type {import("./verifier.js").Step[]} */
    this.done = [];
  }

  /**
   * The next step.
   * @template T
   * @param {(shown: Shown) => T|Promise<T>} work
   * @returns {Promise<T>} what it gives; what it throws fails the step, and is thrown on
   */
  async run(work) {
    const shown = new Shown();
    try {
      const result = await work(shown);
      this.#tell("held", shown);
      return result;
    } catch (error) {
      this.#tell(error instanceof Unreadable ? "skipped" : "failed", shown);
      throw error;
    }
  }

  /** The steps that are left have nothing to check, or were not reached. */
  skipRest() {
    while (this.done.length < this.#names.length) this.#tell("skipped", new Shown());
  }

  /** The same steps so far, with nobody listening: for a try that may be given up. */
  attempt() {
    const copy = new Steps(this.#names, () => {});
    copy.done = [...this.done];
    return copy;
  }

  /** Tell what a try did, and go on from there. @param {Steps} attempt */
  adopt(attempt) {
    for (const step of attempt.done.slice(this.done.length)) {
      this.done.push(step);
      this.#onStep(step);
    }
  }

  #tell(state, { values, how }) {
    const number = this.done.length + 1;
    const step = { number, name: this.#names[number - 1], state, values, how };
    this.done.push(step);
    this.#onStep(step);
  }
}
