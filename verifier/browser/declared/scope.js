/**
 * What the names of a declaration stand for: ranges while it is checked, numbers while a round is drawn (SPEC 3.6).
 *
 * A step of a declaration is given values and counts. With the drum and the rules of
 *
 *     {"draw":[["cards","take","n"],["lucky","numbers",[1,5],1,"top"],["more","numbers","lucky",0,9]],
 *      "drum":[1,80],"rules":{"n":[1,20],"top":[2,100]}}
 *
 * a *value* is a number (1, 9) or the name of a parameter ("top"); a *count* is a value ("n"), the two ends of a
 * range of which the round draws one ([1,5]), or the name of an earlier place, whose things are counted ("lucky").
 * `given` is either, as it was read by `values.js`.
 */

import { demand } from "./values.js";

const NOTHING = { least: 0, most: 0 };

/**
 * What a drum or a shoe has at the most; `things` is null for an unknown pack.
 * @typedef {{things: ?number, longest: number, pack: ?string}} Room
 */

/**
 * @typedef {object} Step
 * @property {string[]} places where it writes
 * @property {string} [kind] of those that a paytable may name a chance of (docs/paytable-format.md)
 * @property {boolean} [takes] whether it takes from the drum or the shoe
 * @property {boolean} [isDeal] whether it is a deal, which takes alone
 * @property {string} [unknown] what this program does not know of it
 * @property {(scope: Scope) => Weight} weigh the most that it can need; throws `Malformed`
 * @property {(drawing: Drawing) => object} draw its places and what they have
 */

/**
 * Draws, bytes of the outcome, and the least that is taken from the drum or the shoe.
 * @typedef {{draws: number, size: number, taken: number}} Weight
 */

/** Before a round is drawn. */
export class Scope {
  /** @type {?Room} */
  room = null;
  /** How many things each earlier place has. */
  #counts = new Map();
  #hasHiddenPlaces = false;
  #plain;
  #families;

  /**
   * @param {Map<string, import("./values.js").Bounds>} plain ranges of parameters
   * @param {Map<string, {size: string, member: import("./values.js").Bounds}>} families
   */
  constructor(plain, families) {
    this.#plain = plain;
    this.#families = families;
  }

  /** The least and the most that a value can be, under all rules. */
  value(given) {
    if (typeof given === "number") return { least: given, most: given };
    demand(this.#plain.has(given), "the name of a parameter", given);
    return this.#plain.get(given);
  }

  /** The least and the most that a count can be; one that is drawn is taken for its most, because any can come. */
  count(given) {
    if (Array.isArray(given)) return { least: given[1], most: given[1] };
    if (this.#counts.has(given)) return this.#counts.get(given);
    if (this.#hasHiddenPlaces && typeof given === "string" && !this.#plain.has(given)) return NOTHING;
    return this.value(given);
  }

  /** The parameters whose names are a prefix and a number: how many there are, and what each can be. */
  family(prefix) {
    demand(this.#families.has(prefix), `rules with ${prefix}*`, "none");
    const { size, member } = this.#families.get(prefix);
    return { size: this.value(size), member };
  }

  /** The numbers from low to high, which are some, and as many as a draw can choose from. */
  range(low, high) {
    const [from, to] = [this.value(low), this.value(high)];
    const isOne = from.most <= to.least && to.most - from.least < 2 ** 32;
    demand(isOne, "low to high, and at most 2^32 numbers", [low, high]);
    return { least: from.least, most: to.most };
  }

  /** Remembers how many things a place has, for counts that name it; returns the most. */
  note(place, bounds) {
    this.#counts.set(place, bounds);
    return bounds.most;
  }

  /**
   * The places of a step that this program does not know; without any, they could be all, so that no name is unknown.
   */
  hide(places) {
    for (const place of places) this.#counts.set(place, NOTHING);
    this.#hasHiddenPlaces ||= places.length === 0;
  }
}

/** A round while it is drawn. */
export class Drawing {
  /** The places so far. */
  outcome = {};
  /** @type {?import("./pile.js").Pile} */
  pile = null;
  #families;

  /**
   * @param {import("../draws/stream.js").Stream} stream
   * @param {Record<string, number>} rules of the batch, which were checked
   * @param {Map<string, {size: string}>} families
   */
  constructor(stream, rules, families) {
    this.stream = stream;
    this.rules = rules;
    this.#families = families;
  }

  /** What a value is in this batch. */
  value(given) {
    return typeof given === "string" ? this.rules[given] : given;
  }

  /** What a count is in this round; a range is drawn. */
  count(given) {
    if (Array.isArray(given)) return given[0] + this.stream.below(given[1] - given[0] + 1);
    if (!Object.hasOwn(this.outcome, given)) return this.value(given);
    const earlier = this.outcome[given];
    if (Array.isArray(earlier)) return earlier.length;
    return earlier === "" ? 0 : earlier.split(" ").length;
  }

  /** The numbers of a family. */
  family(prefix) {
    const number = this.rules[this.#families.get(prefix).size];
    return Array.from({ length: number }, (_, at) => this.rules[`${prefix}${at + 1}`]);
  }

  /** As likely as it is heavy: the place of one of the weights. */
  weighted(weights) {
    let left = this.stream.below(weights.reduce((sum, weight) => sum + weight, 0));
    return weights.findIndex((weight) => {
      left -= weight;
      return left < 0;
    });
  }

  below(number) {
    return this.stream.below(number);
  }

  /** So many times the same. */
  times(number, draw) {
    return Array.from({ length: number }, draw);
  }

  /** The next thing of the drum or the shoe. */
  take() {
    return this.pile.next();
  }
}
