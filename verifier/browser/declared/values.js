// What a declaration is made of: numbers, words, and what stands for a number (SPEC 3.6).

import { Malformed, quote } from "../basics/errors.js";

/**
 * The least and the most that a number can be.
 * @typedef {{least: number, most: number}} Bounds
 */

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
  throw new Malformed("declaration", expected, quote(String(JSON.stringify(found))));
}

/** An array of so many. */
export function items(found, least, most = Infinity) {
  const isSo = Array.isArray(found) && found.length >= least && found.length <= most;
  return demand(isSo, `an array of ${least} to ${most}`, found);
}

/** An object. */
export function members(found) {
  return demand(typeof found === "object" && found !== null && !Array.isArray(found), "an object", found);
}

/** A whole number. */
export function integer(found, least = 0) {
  return demand(Number.isSafeInteger(found) && found >= least, `a whole number from ${least}`, found);
}

/** A name of SPEC 4.1. */
export function name(found) {
  return demand(typeof found === "string" && /^[a-z0-9-]{1,32}$/.test(found), "a name of a-z, 0-9 and -", found);
}

/** A word of visible characters. */
export function word(found) {
  const isOne = typeof found === "string" && /^[\x21\x23-\x5b\x5d-\x7e]{1,32}$/.test(found);
  return demand(isOne, "1 to 32 visible characters", found);
}

/** A word or a number. */
export function label(found) {
  return typeof found === "string" ? word(found) : integer(found);
}

/** A number, or the name of a parameter. */
export function value(found) {
  return typeof found === "string" ? name(found) : integer(found);
}

/** A value, the name of an earlier place, or a range from which it is drawn. */
export function count(found) {
  if (!Array.isArray(found)) return value(found);
  const [low, high] = range(found);
  return [low, high];
}

/** Two numbers that do not fall. */
export function range(found) {
  const [low, high] = items(found, 2, 2).map((each) => integer(each));
  return demand(low <= high, "a range that does not fall", [low, high]);
}

/** Bytes of a label in an outcome. */
export function labelSize(found) {
  return typeof found === "number" ? digits(found) : found.length + 2;
}

/** Digits of a number. */
export function digits(number) {
  return String(number).length;
}

/** Bytes of an array of numbers, or of words in one string. */
export function listSize(things, longest) {
  return Math.max(2, things * (longest + 1) + 1);
}

/** Bytes of a place with its value. */
export function memberSize(place, size) {
  return place.length + 4 + size;
}
