// What the parts of a paytable may name: the declaration's places and parameters, the file's tables, the letters of
// an option.

import { Malformed, quote } from "../basics/errors.js";

/** Selections of a file, each as often as its letters have meanings: so many are looked at when it is read. */
const MOST_TEXTS = 16_384;
/** Characters of a word, of a value and of a form. */
const LONGEST_TEXT = 64;
const LETTER = /\$([A-Z])(?:\.([a-z]+))?/;
const WHOLE_LETTER = /^\$([A-Z])(?:\.([a-z]+))?$/;
const BOUND = /^(?:(?:\$([A-Z])(?:\.([a-z]+))?|([a-z][a-z0-9]*))(?:\/2)?(?:[+-][1-9][0-9]{0,3})?|-[1-9][0-9]{0,8})$/;
const SELECTION = /^(letters )?([a-z0-9-]+)(?: (?:(-[1-9][0-9]{0,3})|([0-9]{1,4}(?:\+[0-9]{1,4}){0,2})(?:-([0-9]{1,4}))?))?$/;
/** A selection from one thing to another that a letter says, of which no example shows how far it goes. */
const TO_A_LETTER = / [^ ]+-[^ ]*\$/;
/** A thing of an outcome has at least a character, and something that separates it from the next one. */
const OF_A_THING = 2;

export const isNumber = (given) => typeof given === "number";
export const isText = (given) => typeof given === "string";
export const isObject = (given) => typeof given === "object" && !Array.isArray(given);

/**
 * @template T
 * @param {boolean} condition
 * @param {string} expected
 * @param {T} found
 * @returns {T} what was found, if the condition holds
 * @throws {Malformed}
 */
export function demand(condition, expected, found) {
  if (condition) return found;
  throw new Malformed("paytable", expected, quote(String(JSON.stringify(found))));
}

/** A short string. */
export function text(given, most = LONGEST_TEXT) {
  return demand(isText(given) && given.length > 0 && given.length <= most, `a text of 1 to ${most} characters`, given);
}

/** A short string in which no letter stands for anything. */
export function plainText(given, most = LONGEST_TEXT) {
  return demand(!text(given, most).includes("$"), "a text without $", given);
}

/** A number, or a string that may be empty. */
export function value(given) {
  const isOne = isNumber(given) || (isText(given) && given.length <= LONGEST_TEXT);
  return demand(isOne, `a number, or at most ${LONGEST_TEXT} characters`, given);
}

/** An object with these keys. */
export function keys(given, what, needed, allowed = []) {
  const all = [...needed, ...allowed];
  const isOne = isObject(given) && needed.every((key) => Object.hasOwn(given, key)) && Object.keys(given).every((key) => all.includes(key));
  return demand(isOne, `${what}: an object with ${needed.join(", ")}; perhaps ${allowed.join(", ") || "no more"}`, given);
}

/** An object of so many members. */
export function members(given, what, least, most) {
  const size = isObject(given) ? Object.keys(given).length : -1;
  return demand(size >= least && size <= most, `${what}: an object of ${least} to ${most}`, given);
}

/** An array of so many. */
export function items(given, what, least = 1, most = 4096) {
  const isOne = Array.isArray(given) && given.length >= least && given.length <= most;
  return demand(isOne, `${what}: an array of ${least} to ${most}`, given);
}

/** The declaration and the tables. */
export class Context {
  /** @type {Set<string>} words that are newer than this program */
  unknown = new Set();
  #texts = 0;

  /**
   * @param {import("../declared/declaration.js").Declaration} declaration
   * @param {object} tables
   */
  constructor(declaration, tables) {
    const { places, parameters, largest } = declaration;
    this.places = new Set(places);
    /** The largest value of each parameter of the rules. */
    this.parameters = new Map([...parameters.plain].map(([name, { most }]) => [name, most]));
    /** Bytes of the largest outcome. */
    this.largest = largest;
    /** The chances that are found when a bet is read, and that the declaration draws. */
    this.drawn = drawnBy(declaration);
    this.readings = new Set(["", "rank", "suit", ...Object.keys(tables)]);
  }

  /** What counts of a thing. */
  reading(given) {
    demand(this.readings.has(given), "a reading: rank, suit, the name of a table, or an empty text", given);
  }

  /** So many selections more. */
  count(texts, given) {
    this.#texts += texts;
    demand(this.#texts <= MOST_TEXTS, `at most ${MOST_TEXTS} selections, each letter filled in with all that it may be`, given);
  }

  /** @returns {number} how many things one selection has at most; `isOpen`: a letter says up to which one */
  selected(given, isOpen) {
    const match = SELECTION.exec(given);
    demand(match !== null && this.places.has(match[2]), `a selection of the places ${[...this.places].sort().join(", ")}`, given);
    const [, letters, , last, sum, end] = match;
    if (last !== undefined) return 1;
    if (sum !== undefined && end === undefined) return 1;
    if (sum !== undefined && !isOpen) return Math.max(1, Number(end) - added(sum) + 1);
    return letters === undefined ? Math.floor(this.largest / OF_A_THING) : this.largest;
  }
}

/** The number that a selection names as a sum. */
export const added = (sum) => sum.split("+").reduce((total, each) => total + Number(each), 0);

function drawnBy({ steps, parameters }) {
  const ofRunners = parameters.families.get("w")?.size === "runners";
  const isRace = ({ kind, places: [place] }) => kind === "race" && place === "order" && ofRunners;
  const found = [];
  if (steps.some(isRace)) found.push("race");
  if (steps.some(({ kind }) => kind === "rally")) found.push("points");
  return found;
}

/** What the letters of a form may stand for: everything, or an example where they are numbers in a range. */
export class Letters {
  /** Once for each letter, however often it is named. */
  #found = new Map();

  /**
   * @param {Context} context
   * @param {Map<string, any[]>} samples by letter
   */
  constructor(context, samples) {
    this.context = context;
    this.samples = samples;
  }

  /** What `$N` or `$N.part` may stand for; `longest`: how many values an array among it has, 0 without one. */
  meanings(letter, part) {
    const name = part === undefined ? `$${letter}` : `$${letter}.${part}`;
    if (!this.#found.has(name)) this.#found.set(name, this.#meanings(name, letter, part));
    return this.#found.get(name);
  }

  #meanings(name, letter, part) {
    const samples = this.samples.get(letter) ?? [];
    const partOf = (each) => (isObject(each) && Object.hasOwn(each, part) ? each[part] : undefined);
    const all = part === undefined ? samples : samples.map(partOf);
    const isRight = all.length > 0 && all.every((each) => each !== undefined && !isObject(each));
    demand(isRight, "a letter of the form, before it where it is bounded by another one", name);
    const longest = Math.max(...all.map((each) => (Array.isArray(each) ? Math.max(1, each.length) : 0)));
    return { all, longest, areNumbers: all.every(isNumber) };
  }

  /** A number, or what stands for one. */
  bound(given) {
    if (isNumber(given)) return;
    const match = isText(given) ? BOUND.exec(given) : null;
    demand(match !== null, "a number, a letter or a parameter, perhaps with /2, +1 or -1", given);
    const [, letter, part, parameter] = match;
    if (letter !== undefined) demand(this.meanings(letter, part).areNumbers, "a letter that stands for a number", given);
    const { parameters } = this.context;
    const isKnown = parameter === undefined || parameters.has(parameter);
    demand(isKnown, `a parameter of the rules: ${[...parameters.keys()].join(", ") || "none"}`, given);
  }

  /** A number, or a letter that stands for one. */
  number(given) {
    this.bound(given);
    demand(isNumber(given) || WHOLE_LETTER.test(given), "a number, or a letter that stands for one", given);
  }

  /** A text with letters, which stand for no arrays: what stands around them, and letter and part by turns. */
  text(given) {
    const parts = text(given).split(LETTER);
    let letters = 0;
    const areSingle = parts.every((each, at) => at % 3 !== 1 || (++letters && this.meanings(each, parts[at + 1]).longest === 0));
    const isRight = areSingle && letters === given.split("$").length - 1;
    demand(isRight, "$ before a letter alone, which stands for one word or number", given);
    return parts;
  }

  /** A value of a figure: how many it stands for. */
  value(given) {
    if (isNumber(given) || given === "") return 1;
    const match = isText(given) ? WHOLE_LETTER.exec(given) : null;
    if (match !== null) return Math.max(1, this.meanings(match[1], match[2]).longest);
    this.text(given);
    return 1;
  }

  /** A list of values and ranges: its steps. */
  values(given) {
    return items(given, "values", 0).reduce((steps, each) => steps + (isObject(each) ? this.#range(each) : this.value(each)), 0);
  }

  #range(given) {
    const ends = Object.values(keys(given, "a range", [], ["from", "to"]));
    demand(ends.length > 0, "a range with an end", given);
    for (const end of ends) this.bound(end);
    return 1;
  }

  /** Which things of the outcome: how many at most. */
  selection(given) {
    if (Array.isArray(given)) return items(given, "a selection", 1, 64).reduce((steps, each) => steps + this.selection(each), 0);
    const parts = this.text(given);
    const choices = parts.map((each, at) => (at % 3 === 0 ? [each] : at % 3 === 1 ? this.meanings(each, parts[at + 1]).all : [""]));
    this.context.count(choices.reduce((ways, { length }) => ways * length, 1), given);
    const texts = choices.reduce((begun, words) => begun.flatMap((each) => words.map((word) => each + word)), [""]);
    const isOpen = TO_A_LETTER.test(given);
    return Math.max(...texts.map((each) => this.context.selected(each, isOpen)));
  }
}
