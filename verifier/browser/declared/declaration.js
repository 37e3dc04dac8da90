// A game as data: parsed, checked against every limit, drawn (SPEC 3.6).

import { Unknown } from "../basics/errors.js";
import { LARGEST_OUTCOME, LARGEST_PILE, MOST_DRAWS, MOST_STEPS } from "./limits.js";
import { readStep } from "./kinds.js";
import { PACKS } from "./packs.js";
import { Parameters } from "./parameters.js";
import { Pile } from "./pile.js";
import { Drawing, Scope } from "./scope.js";
import { parseSpelled } from "./spelling.js";
import { demand, digits, items, members, name, value, word } from "./values.js";

const KEYS = ["draw", "drum", "moves", "rules", "shoe"];

/** The rules of drawing of one game. What exists keeps every limit, and is known in all its parts. */
export class Declaration {
  /** @type {import("./scope.js").Step[]} */
  steps;
  parameters;
  /** Bytes of the largest outcome, under any rules. */
  largest;
  #pile;

  /**
   * @param {Uint8Array} bytes its one spelling
   * @returns {Declaration}
   * @throws {import("../basics/errors.js").Malformed} what is no declaration
   * @throws {Unknown} what has a kind, a pack or a deal that is new
   */
  static parse(bytes) {
    return new Declaration(parseSpelled(bytes));
  }

  /** @param {any} found a value whose spelling was checked */
  constructor(found) {
    const keys = Object.keys(members(found));
    const isOne = keys.every((key) => KEYS.includes(key)) && "draw" in found && !("drum" in found && "shoe" in found);
    demand(isOne, "draw, and no keys but drum or shoe, moves, rules", keys);
    /** Whether players act after the lock. */
    this.hasFlight = "moves" in found;
    if (this.hasFlight) demand(found.moves === 1, "moves 1", found.moves);
    this.steps = items(found.draw, 1, MOST_STEPS).map(readStep);
    this.parameters = new Parameters("rules" in found ? found.rules : {});
    demand("rules" in found === this.parameters.plain.size > 0, "rules with a parameter, or none", keys);
    this.#pile = "drum" in found ? drum(found.drum) : "shoe" in found ? shoe(found.shoe) : null;
    this.#checkPlaces();
    this.largest = this.#weigh(this.parameters.plain);
    const unknown = this.steps.flatMap((step) => step.unknown ?? []);
    if (this.#pile?.unknown) unknown.push(this.#pile.unknown);
    if (unknown.length > 0) throw new Unknown(unknown);
  }

  /** The places that its steps may write, in the order in which they are drawn. */
  get places() {
    return this.steps.flatMap((step) => step.places);
  }

  #checkPlaces() {
    const { places } = this;
    const isFree = (place) => !this.parameters.plain.has(place);
    demand(new Set(places).size === places.length && places.every(isFree), "places with names of their own", places);
    const takers = this.steps.filter((step) => step.takes);
    const isAlone = takers.length < 2 || !takers.some((step) => step.isDeal);
    demand(isAlone, "no step that takes beside a deal of cards", places);
  }

  #weigh(plain) {
    const scope = new Scope(plain, this.parameters.families);
    scope.room = this.#pile?.room(scope) ?? null;
    const weights = this.steps.map((step) => step.weigh(scope));
    const [draws, size, taken] = ["draws", "size", "taken"].map((what) => {
      return weights.reduce((sum, weight) => sum + weight[what], 0);
    });
    demand(draws <= MOST_DRAWS, `at most ${MOST_DRAWS} draws`, draws);
    demand(size + 1 <= LARGEST_OUTCOME, `outcomes of at most ${LARGEST_OUTCOME} bytes`, size + 1);
    demand(taken <= (scope.room?.things ?? Infinity), "at most the things that there are", taken);
    return size + 1;
  }

  /**
   * @param {Record<string, number>} rules of a batch
   * @throws {import("../basics/errors.js").Malformed} unless they are exactly the parameters, with enough to take
   */
  checkRules(rules) {
    this.parameters.check(rules);
    this.#weigh(this.parameters.chosen(rules));
  }

  /**
   * @param {import("../draws/stream.js").Stream} stream
   * @param {Record<string, number>} rules that were checked
   * @returns {Record<string, string | number | number[]>} the outcome
   */
  outcome(stream, rules) {
    const drawing = new Drawing(stream, rules, this.parameters.families);
    drawing.pile = this.#pile?.filled(drawing) ?? null;
    for (const step of this.steps) Object.assign(drawing.outcome, step.draw(drawing));
    return drawing.outcome;
  }
}

/** A drum's things are the numbers from low to high. */
function drum(found) {
  const [low, high] = items(found, 2, 2).map(value);
  return {
    room: (scope) => {
      const { least, most } = scope.range(low, high);
      return room(most - least + 1, { longest: digits(most), pack: null });
    },
    filled: (drawing) => {
      const first = drawing.value(low);
      return new Pile(drawing.stream, drawing.value(high) - first + 1, (at) => first + at, true);
    },
  };
}

/** A shoe's things are a pack, so many times. */
function shoe(found) {
  const [given, pack] = items(found, 2, 2);
  const packs = value(given);
  const things = Array.isArray(pack) ? items(pack, 1).map(word) : PACKS[name(pack)];
  const called = Array.isArray(pack) ? null : pack;
  return {
    unknown: things === undefined ? `the pack ${pack}` : null,
    room: (scope) => {
      const { least, most } = scope.value(packs);
      demand(least >= 1, "a shoe of 1 pack or more", packs);
      if (things === undefined) return { things: null, longest: 0, pack: called };
      return room(most * things.length, { longest: Math.max(...things.map((each) => each.length)), pack: called });
    },
    filled: (drawing) => {
      const size = drawing.value(packs) * things.length;
      return new Pile(drawing.stream, size, (at) => things[at % things.length], false);
    },
  };
}

function room(things, more) {
  demand(things <= LARGEST_PILE, `at most ${LARGEST_PILE} things in a drum or a shoe`, things);
  return { things, ...more };
}
