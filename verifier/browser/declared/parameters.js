// The parameters of a declaration's rules (SPEC 3.6).

import { Malformed, quote } from "../basics/errors.js";
import { MOST_PARAMETERS } from "./limits.js";
import { demand, members, range } from "./values.js";

/** Ranges by name; and families, of which a parameter says how many members they have. */
export class Parameters {
  /** @type {Map<string, import("./values.js").Bounds>} */
  plain = new Map();
  /** @type {Map<string, {size: string, member: import("./values.js").Bounds}>} by prefix */
  families = new Map();

  /**
   * @param {any} found the member `rules` of a declaration
   * @throws {Malformed}
   */
  constructor(found) {
    for (const [key, bounds] of Object.entries(members(found))) {
      const [least, most] = range(bounds);
      const family = /^([a-z][a-z0-9-]{0,15})\*([a-z][a-z0-9-]{0,31})$/.exec(key);
      if (family === null) {
        demand(/^[a-z][a-z0-9-]{0,31}$/.test(key) && key !== "version", "the name of a parameter", key);
        this.plain.set(key, { least, most });
      } else {
        const [, prefix, size] = family;
        demand(!this.families.has(prefix), "families of different names", key);
        this.families.set(prefix, { size, member: { least, most } });
      }
    }
    this.#checkNames();
  }

  #checkNames() {
    const names = new Set(["version", ...this.plain.keys()]);
    let number = names.size;
    for (const [prefix, { size }] of this.families) {
      const { least, most } = this.plain.get(size) ?? { least: 0, most: 0 };
      demand(least >= 1 && most <= MOST_PARAMETERS, "a parameter that says how many there are", size);
      number += most;
      demand(number <= MOST_PARAMETERS + 1, `at most ${MOST_PARAMETERS} parameters`, number);
      for (let at = 1; at <= most; at += 1) names.add(`${prefix}${at}`);
    }
    demand(names.size === number && number <= MOST_PARAMETERS + 1, "parameters with different names", number);
  }

  /**
   * @param {Record<string, number>} rules of a batch
   * @throws {Malformed} unless they are version 1 and exactly these parameters, each in its range
   */
  check(rules) {
    const wanted = new Map([["version", { least: 1, most: 1 }], ...this.plain]);
    for (const [prefix, { size, member }] of this.families) {
      const number = Math.min(typeof rules[size] === "number" ? rules[size] : 0, this.plain.get(size).most);
      for (let at = 1; at <= number; at += 1) wanted.set(`${prefix}${at}`, member);
    }
    const has = (key) => Object.hasOwn(rules, key);
    const isNumber = (key) => has(key) && typeof rules[key] === "number";
    const isInside = ([key, { least, most }]) => isNumber(key) && rules[key] >= least && rules[key] <= most;
    if (Object.keys(rules).length !== wanted.size || ![...wanted].every(isInside)) {
      throw new Malformed("rules", "version 1 and the parameters in their ranges", quote(JSON.stringify(rules)));
    }
  }

  /** @returns {Map<string, import("./values.js").Bounds>} the plain parameters when the rules are chosen */
  chosen(rules) {
    return new Map([...this.plain.keys()].map((key) => [key, { least: rules[key], most: rules[key] }]));
  }
}
