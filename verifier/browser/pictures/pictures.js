/**
 * Outcomes as pictures, and in a few words.
 *
 * What they look like is data, which this folder and `api/pages/pictures` draw by; a test compares the two.
 */

import { diceInARow, largeRows, smallRows } from "./rows.js";
import { build, SHEET, struck } from "./shapes.js";
import { whole } from "./whole.js";

export { looksOf } from "./looks.js";
export { struck } from "./shapes.js";
export { thingInWords } from "./things.js";
export { outcomeInWords, placeInWords } from "./words.js";

const LONGEST_CAPTION = 24;
const DICE_IN_A_ROW = 3;

/** The drawing of an outcome, an `svg`; null for a game of which nothing is known. */
export function drawing(looks, outcome, _ = (message) => message, { large = false } = {}) {
  if (looks.size === 0) return null;
  const alone = whole(looks, outcome, large);
  if (alone !== null) return alone;
  const [[place, look]] = looks;
  const value = outcome[place];
  if (looks.size === 1 && look === "die" && Array.isArray(value) && value.length <= DICE_IN_A_ROW) return diceInARow(value);
  return large ? largeRows(looks, outcome, _) : smallRows(looks, outcome);
}

/**
 * Whether the words stand beside the drawing. A small one of a flight lacks the multiplier, and a large one has it;
 * under a large one, long words would repeat what it shows.
 */
export function hasCaption(looks, words, { large = false } = {}) {
  if (looks.size === 0) return true;
  const [only] = looks.values();
  if (looks.size === 1 && (only === "flight" || only === "rocket")) return !large;
  return large && words.length <= LONGEST_CAPTION;
}

/**
 * The drawing as an element; null for a game without one. Screen readers read `label`; with an empty one they skip
 * the drawing. The outcome that a void round would have had is drawn pale, and struck through.
 */
export function picture(looks, outcome, label = "", { _, large = false, isVoid = false, sheet = SHEET } = {}) {
  const shape = drawing(looks, outcome, _, { large });
  if (shape === null) return null;
  const element = build(isVoid ? struck(shape) : shape, sheet);
  element.setAttribute("class", large ? "picture large" : "picture");
  for (const [name, value] of label ? [["role", "img"], ["aria-label", label]] : [["aria-hidden", "true"]]) {
    element.setAttribute(name, value);
  }
  return element;
}
